//! The rows of the table of switches, and nothing else.

use super::{Flag, long, open, short};
use crate::diskspd::parse;

/// Every switch, in the order of the alphabet; the long ones last.
pub const FLAGS: &[Flag] = &[
    short("?", "", parse::usage)
        .says("print the switches and leave")
        .on_linux("the same, `/?` too"),
    open(":", "FLAGS", parse::experiment)
        .says("experiment bits; bit 0 computes throttle sleeps instead of always taking 1 ms")
        .on_linux("sleeps are always computed, to the nanosecond; a warning reports it")
        .first(),
    short("a", "LIST", parse::affinity)
        .says("processors for the threads, round robin: `-a0,4-7`, `-ag1,0`, all of a group by `-ag1`; nothing behind it is the \
               default. Letters order them: c the first of each core first, s groups together, p performance cores first, \
               e efficient ones, up neither. P and E fill these cores")
        .on_linux("group *g* is processors 64*g* to 64*g*+63; by default the processors that this process may use, ascending from the first one that the device's interrupts come to; cores and classes are those of /sys")
        .differs("digits on both sides of a `g`, empty items and numbers that wrap are refused"),
    short("b", "SIZE", parse::block)
        .says("bytes of one I/O, 64K by default; defines `b` in sizes")
        .first()
        .differs("`-b0` is refused; a run accepts multiples of 512 up to 1G"),
    short("bs", "n or p", parse::buffers)
        .says("I/O memory of threads: n where the system puts it, p 16 MiB apart")
        .differs("2.3 has p by default"),
    short("B", "SIZE[:SIZE]", parse::base)
        .says("first byte used, and the length of the part")
        .differs("a part of length 0 is refused"),
    short("c", "SIZE", parse::create)
        .says("create files of this size first")
        .on_linux("real data is written, no extent is left unwritten; a file that fathom filled and that has just this size is kept; \
                   devices are left alone")
        .differs("an existing file that fathom did not create needs `--overwrite`"),
    open("C", "SECONDS", parse::cooldown)
        .says("cool-down, 0 by default")
        .first(),
    open("d", "SECONDS", parse::duration)
        .says("measured time, 10 by default")
        .first()
        .differs("a run of 0 s is refused"),
    short("D", "[MS]", parse::intervals)
        .says("I/O rate by intervals of MS, 1000 by default"),
    short("e", "WORD", parse::kernel_events)
        .says("count kernel events")
        .on_linux("there are none; a warning reports it"),
    short("f", "SIZE or letters of rst", parse::max_or_hints)
        .says("end of the part that is used; or hints: random, sequential, temporary")
        .on_linux("`posix_fadvise` for r and s, nothing for t")
        .differs("`-f` alone is refused"),
    short("F", "COUNT", parse::pool)
        .says("threads that share all targets"),
    short("g", "COUNT[i]", parse::rate)
        .says("ceiling for each thread and target: bytes per millisecond, or IOPS with i")
        .differs("no 32-bit wrap, and no rounding to no ceiling at all"),
    short("h", "", parse::all_off)
        .says("past all caches, as `-Sh`")
        .on_linux("`O_DIRECT` and `O_DSYNC`"),
    short("i", "COUNT", parse::burst)
        .says("I/Os of a burst; needs `-j`"),
    short("I", "1..3", parse::priority)
        .says("I/O priority: very low, low, normal")
        .on_linux("1: idle class, 2: best effort level 7, 3: as it is"),
    short("j", "MS", parse::think)
        .says("pause after each burst; needs `-i`"),
    short("l", "", parse::large_pages)
        .says("I/O memory in large pages")
        .on_linux("huge pages; refused where there are none"),
    short("L", "", parse::latency)
        .says("measure latency")
        .on_linux("the same; the record always contains it"),
    short("n", "", parse::no_affinity)
        .says("threads are not bound to processors"),
    short("N", "v, n or i", parse::flush)
        .says("flush after mapped writes; needs `-Sm`")
        .on_linux("v: `msync`; n and i are refused with v as the nearest"),
    short("o", "COUNT", parse::outstanding)
        .says("outstanding I/Os for each target and thread, 2 by default; at most 65536")
        .differs("2.2 has no such limit"),
    short("oc", "1..16", parse::completions)
        .says("most completions taken at once, 16 by default; not with `-x`, nor where all is mapped")
        .on_linux("without it, all that are there are taken"),
    short("O", "COUNT", parse::pool_requests)
        .says("outstanding I/Os of each thread of `-F`, at most 65536")
        .differs("a warning where `-F` is missing and it changes nothing"),
    short("p", "", parse::parallel)
        .says("each outstanding I/O walks its own sequence"),
    short("P", "[COUNT]", parse::progress)
        .says("a dot each COUNT I/Os of a thread, 65536 by default")
        .on_linux("the same; on stderr when the results are XML"),
    short("r", "[SIZE]", parse::random)
        .says("random I/O at multiples of SIZE, a block by default"),
    short("rd", "pct or abs, then IO/PART[:...]", parse::ranges)
        .says("where random I/O falls")
        .differs("a range without room for a block gets one; a target that ends in its first hole is refused"),
    short("rs", "PERCENT", parse::mixed)
        .says("share of random I/O, the rest is sequential"),
    open("R", "text, xml, p, ptext, pxml, s, stext or sxml", parse::result_format)
        .says("form of the results; with p the profile is printed, with s the system information, and nothing is run")
        .first(),
    short("s", "[SIZE]", parse::sequential)
        .says("sequential I/O with this stride, a block by default"),
    short("si", "[SIZE]", parse::interlocked)
        .says("as `-s`, one position for all threads of a target"),
    short("S", "letters of burwhmyY", parse::caching)
        .says("caches: b cached, u unbuffered (also without a letter), r remote cache only, w write-through, h as uw, m mapped; \
               with u and reads only: y past filters where possible, Y past all filters")
        .on_linux("u: `O_DIRECT`, w: `O_DSYNC`, m: `mmap`; r on network file systems only; y: `O_DIRECT`, a warning reports it; Y is \
                   refused"),
    short("t", "COUNT", parse::threads)
        .says("threads for each target, 1 by default")
        .differs("a run accepts up to 1024"),
    short("T", "SIZE", parse::thread_stride)
        .says("distance between the starts of two threads of a target"),
    short("u", "[n][COUNT or SHAREp]", parse::ring)
        .says("submit through an I/O ring, so many I/Os or this share of those outstanding together (25p by default); n does not \
               register the I/O memory; not with `-x` or `-Sm`")
        .on_linux("`io_uring` with this batch"),
    open("v", "[s]", parse::verbose)
        .says("report what happens; with s, statistics of waiting")
        .on_linux("the same; on stderr when the results are XML; `-vs` is refused unless with `-Rp`, because nothing here waits \
                   as the original does")
        .first(),
    short("w", "PERCENT", parse::write_share)
        .says("share of writes, 0 by default")
        .differs("an existing file that fathom did not create needs `--overwrite`, a device `--destroy`"),
    open("W", "SECONDS", parse::warmup)
        .says("warm-up, 5 by default")
        .first(),
    short("x", "", parse::completion_routines)
        .says("completion routines")
        .on_linux("one engine for both; a warning reports it"),
    open("X", "FILE", parse::profile)
        .says("read everything from an XML profile")
        .on_linux("the same; the profile inside a results file is taken too")
        .first(),
    short("y", "s, f, r, p or e, then NAME", parse::event)
        .says("events: set at start or finish, wait for, stop at, or set and leave")
        .on_linux("a name in the folder of the running user")
        .differs("`-ys` and `-yf` are really set; `-ye` ends with 0 when it could set the event"),
    open("z", "[SEED]", parse::seed)
        .says("seed of the random numbers, 0 by default; without a number the time since start-up")
        .first(),
    short("Z", "nothing, r, or SIZE[,FILE]", parse::content)
        .says("written data: zeros, random at every write, or from a buffer of SIZE")
        .differs("all of the buffer is filled; a file larger than the buffer is cut; without a file, writes begin at multiples of 512 of it; written with block headers with `r` alone"),
    long("overwrite", "", "existing files that fathom did not create may be written", parse::overwrite),
    long("destroy", "DEVICE", "this device may be written and what is on it lost", parse::destroy),
    long("json", "FILE", "the report of the run as JSON, besides", parse::json),
    long("text", "FILE", "the text output, besides", parse::text),
    long("xml", "FILE", "the XML output, besides", parse::xml),
    long("store", "PATH", "where the run is stored", parse::store),
    long("no-store", "", "do not store the run", parse::no_store),
    long("compat", "2.0, 2.0.21, 2.1, 2.2 or 2.3", "layout of the results and defaults, 2.2 by default", parse::compat),
    long("continue-on-error", "", "count failed I/Os and continue", parse::continue_on_error),
];
