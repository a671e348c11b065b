//! Every option of xdd: what it changes, or why it is refused. A value is behind a blank; options of a target may name it:
//! `-op target 1 write`.

use super::request::{Amount, Pattern, Pick, Request, Throttle, XddTarget};
use super::settle;
use crate::page;
use model::Field;
use std::fmt::Write;
use std::path::PathBuf;

/// What an option does.
enum Apply {
    /// Takes a value, for one target or for all.
    Each(fn(&mut XddTarget, &str) -> Result<(), String>),
    /// Takes none.
    EachFlag(fn(&mut XddTarget)),
    /// Takes a word, and what this one needs.
    EachWords(fn(&mut XddTarget, &mut Words<'_>) -> Result<(), String>),
    /// Takes a value, for the whole run.
    Whole(fn(&mut Request, &str) -> Result<(), String>),
    WholeFlag(fn(&mut Request)),
    /// Names a target.
    Target,
    /// Names several, or one several times.
    Targets,
    /// Changes nothing, for this reason.
    Noted(&'static str),
    Refused(&'static str),
}

use Apply::{Each, EachFlag, EachWords, Noted, Refused, Target, Targets, Whole, WholeFlag};

/// An option with both of its names.
struct Row {
    name: &'static str,
    short: &'static str,
    argument: &'static str,
    doc: &'static str,
    apply: Apply,
}

const fn row(
    name: &'static str,
    short: &'static str,
    argument: &'static str,
    doc: &'static str,
    apply: Apply,
) -> Row {
    Row {
        name,
        short,
        argument,
        doc,
        apply,
    }
}

const NOT_TWO_HOSTS: &str = "no data goes from host to host here: omit it";
const NOT_IN_STEP: &str = "targets do not wait for each other here: omit it";
const NO_LIST: &str = "the record has the figures over time: omit it; hint: fathom show --json";
const NO_NEW_FILES: &str = "each pass uses the same file here: omit it";
const NO_MEMORY: &str = "memory is allocated as the engine needs it";
const NO_PLACE: &str =
    "threads are placed by the system here: omit it; hint: taskset, or fathom run --cpus";

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("operation", "op", "read|write", "what a target gets", Each(operation)),
    row("target", "target", "FILE", "a target", Target),
    row("targets", "targets", "N FILE...", "N targets, or -N and one file: N times the same", Targets),
    row("targetdir", "td", "FOLDER/", "stands before the name", Each(|t, v| { v.clone_into(&mut t.folder); Ok(()) })),
    row("blocksize", "bs", "BYTES", "bytes of a block (1024)", Each(|t, v| above_0(v).map(|n| t.block = n))),
    row("reqsize", "rs", "BLOCKS", "blocks of a request (128)", Each(|t, v| above_0(v).map(|n| t.request_blocks = n))),
    row("numreqs", "nr", "N", "requests of a pass", Each(|t, v| above_0(v).map(|n| t.amount = Some(Amount::Requests(n))))),
    row("bytes", "b", "N", "bytes of a pass", Each(|t, v| bytes(t, v, 1))),
    row("kbytes", "kb", "N", "the same in 1024 bytes", Each(|t, v| bytes(t, v, 1 << 10))),
    row("mbytes", "mb", "N", "the same in 1048576 bytes", Each(|t, v| bytes(t, v, 1 << 20))),
    row("passes", "p", "N", "how often each target gets its work (1)", Whole(|r, v| above_0(v).map(|n| r.passes = n))),
    row("passdelay", "pdelay", "SECONDS", "pause between passes", Whole(|r, v| seconds(v).map(|n| r.pass_delay_ns = n))),
    row("passoffset", "po", "BLOCKS", "each pass begins so much further", Each(|t, v| whole(v).map(|n| t.walk.pass_blocks = n))),
    row("queuedepth", "qd", "N", "threads of a target, each with one request outstanding (1)", Each(|t, v| above_0(v).map(|n| t.depth = n))),
    row("directio", "dio", "", "past the page cache", EachFlag(|t| t.direct = true)),
    row("rwratio", "rw", "PERCENT", "share of reads", Each(ratio)),
    row("seek", "s", "WORD", "sequential, random, range N (blocks of 1024 bytes, 1048576), seed N (72058)", EachWords(seek)),
    row("startoffset", "sto", "BLOCKS", "the first block", Each(|t, v| whole(v).map(|n| t.walk.start_blocks = n))),
    row("targetoffset", "to", "BLOCKS", "each target begins so much further than the one before", Whole(|r, v| whole(v).map(|n| r.target_blocks = n))),
    row("timelimit", "tl", "SECONDS", "a pass ends after this time", Each(|t, v| seconds(v).map(|n| t.times.limit_ns = Some(n)))),
    row("runtime", "rt", "SECONDS", "passes are repeated for this time", Whole(|r, v| seconds(v).map(|n| r.run_time_ns = Some(n)))),
    row("throttle", "throt", "ops|bw N", "requests, or 1000000 bytes, a second of a target at most", EachWords(throttle)),
    row("datapattern", "dp", "WORD", "random, a character, ascii TEXT, hex DIGITS; zeros without it", EachWords(pattern)),
    row("syncwrite", "sw", "", "each write reaches stable storage before it completes", EachFlag(|t| t.writes.sync = true)),
    row("flushwrite", "fw", "N", "a flush after every N writes", Each(|t, v| whole(v).map(|n| t.writes.flush_every = n))),
    row("startdelay", "sd", "SECONDS", "pause of a target before each pass", Each(|t, v| seconds(v).map(|n| t.times.delay_ns = n))),
    row("deletefile", "del", "", "the target is removed at the end", EachFlag(|t| t.delete = true)),
    row("stoponerror", "soe", "", "the first failed request ends the run", WholeFlag(|r| r.stop_on_error = true)),
    row("verbose", "verbose", "", "a line of each target in each pass", WholeFlag(|r| r.output.verbose = true)),
    row("identifier", "id", "TEXT", "printed above the results", Whole(|r, v| { r.output.id = Some(v.to_owned()); Ok(()) })),
    row("output", "o", "FILE", "the text goes there; a file of fathom is replaced", Whole(|r, v| { r.output.text = Some(PathBuf::from(v)); Ok(()) })),
    row("csvout", "csvo", "FILE", "the lines separated by commas; a file of fathom is replaced", Whole(|r, v| { r.output.csv = Some(PathBuf::from(v)); Ok(()) })),
    row("dryrun", "dry", "", "describe the work and do nothing", WholeFlag(|r| r.dry_run = true)),
    row("minall", "minall", "", "no locking, no priority", Noted("it is so here")),
    row("maxall", "maxall", "", "lock memory, highest priority", Refused("priority and memory are not changed here: omit it")),
    row("maximumpriority", "maxpri", "", "highest priority", Refused("the priority of the program is not changed here: omit it; hint: chrt, nice")),
    row("processlock", "plock", "", "lock the program in memory", Refused("memory is not locked here: omit it")),
    row("nomemlock", "nomlock", "", "do not lock memory", Noted("it is so here")),
    row("noproclock", "noplock", "", "do not lock the program", Noted("it is so here")),
    row("memalign", "mal", "BYTES", "alignment of memory", Noted(NO_MEMORY)),
    row("sharedmemory", "shm", "", "shared memory", Noted(NO_MEMORY)),
    row("noordering", "no", "", "threads take requests in any order", Noted("it is so here")),
    row("looseordering", "lo", "", "an order of threads", Refused("threads do not wait for each other here: omit it")),
    row("serialordering", "so", "", "an order of threads", Refused("threads do not wait for each other here: omit it; hint: -qd 1")),
    row("ordering", "or", "WORD", "an order of threads", Refused("threads do not wait for each other here: omit it")),
    row("processor", "pr", "TARGET CPU", "the processor of a target", Refused(NO_PLACE)),
    row("singleproc", "sp", "CPU", "one processor for all", Refused(NO_PLACE)),
    row("roundrobin", "rr", "N", "distribute threads over processors", Refused(NO_PLACE)),
    row("maxerrors", "maxerrors", "N", "how many errors end the run", Refused("one failed request ends the run with -stoponerror, and none without it: omit it")),
    row("maxerrorstoprint", "mep", "N", "errors that are printed", Noted("each kind of error is reported once")),
    row("preallocate", "pa", "BYTES", "reserve space first", Refused("space is not reserved here: omit it")),
    row("pretruncate", "pt", "BYTES", "truncate first", Refused("an existing file keeps its size here: omit it")),
    row("createnewfiles", "cnf", "", "a new file in each pass", Refused(NO_NEW_FILES)),
    row("recreatefiles", "recreate", "", "the file again in each pass", Refused(NO_NEW_FILES)),
    row("reopen", "reop", "", "open it again in each pass", Noted("each pass opens its targets")),
    row("randomize", "rand", "", "other random offsets in each pass", Noted("each pass has its own")),
    row("syncio", "sio", "N", "targets wait for each other", Refused(NOT_IN_STEP)),
    row("lockstep", "ls", "WORDS", "targets wait for each other", Refused(NOT_IN_STEP)),
    row("starttrigger", "st", "WORDS", "a target starts another", Refused(NOT_IN_STEP)),
    row("stoptrigger", "et", "WORDS", "a target stops another", Refused(NOT_IN_STEP)),
    row("targetstartdelay", "tsd", "SECONDS", "a later start for each target", Refused("specify -startdelay target N SECONDS for each")),
    row("operationdelay", "opdelay", "SECONDS", "pause between requests", Refused("hint: -throttle ops")),
    row("endtoend", "e2e", "WORDS", "a copy between hosts", Refused(NOT_TWO_HOSTS)),
    row("readafterwrite", "raw", "WORDS", "a reader behind a writer", Refused(NOT_TWO_HOSTS)),
    row("writeafterread", "war", "WORDS", "a writer behind a reader", Refused(NOT_TWO_HOSTS)),
    row("targetin", "tin", "WORDS", "source of a copy", Refused(NOT_TWO_HOSTS)),
    row("targetout", "tout", "WORDS", "destination of a copy", Refused(NOT_TWO_HOSTS)),
    row("restart", "rst", "WORDS", "go on with a copy", Refused(NOT_TWO_HOSTS)),
    row("timeserver", "tsvr", "WORDS", "one clock for several hosts", Refused("hint: mpirun fathom run")),
    row("starttime", "stime", "SECONDS", "one start for several hosts", Refused("hint: mpirun fathom run")),
    row("multipath", "mp", "WORDS", "paths that take turns", Refused("paths are the system's: omit it; hint: multipath -ll")),
    row("scsigeneric", "sgio", "", "SCSI commands", Refused("requests go to the block device: omit it")),
    row("verify", "verify", "location|contents", "compare what is read", Refused("hint: fathom run --verify full, fathom verify")),
    row("heartbeat", "hb", "WORDS", "print while it runs", Refused("progress is on standard error: omit it")),
    row("timestamps", "ts", "WORDS", "a line of each request", Refused(NO_LIST)),
    row("outputformat", "ofmt", "WORDS", "other columns", Refused("the columns are xdd's own: omit it; hint: fathom show")),
    row("combinedout", "combo", "FILE", "the last line in a file", Refused("hint: -csvout")),
    row("errout", "eo", "FILE", "messages go there", Refused("hint: 2> FILE")),
    row("extendedstats", "extstats", "", "more figures", Noted("the record has more: fathom show")),
    row("reportthreshold", "rept", "N", "report slow requests", Refused("hint: fathom show has the percentiles")),
    row("interactive", "inter", "", "commands while it runs", Refused("there are none: omit it")),
    row("setup", "setup", "FILE", "more options in a file", Refused("specify them in the command line")),
    row("debug", "debug", "", "more output", Noted("there is none")),
    row("reallyverbose", "rv", "", "more output", Noted("the record has more: fathom show")),
    row("unverbose", "unv", "", "without lines of each pass", WholeFlag(|r| r.output.verbose = false)),
];

/// fathom's own options.
const OWN: [(&str, &str); 5] = [
    (
        "--overwrite",
        "existing files that fathom did not create may be written",
    ),
    ("--destroy DEVICE", "the data on this device may be lost"),
    ("--store PATH", "the results database"),
    ("--no-store", "store nothing"),
    ("--json", "print one JSON document"),
];

fn whole(value: &str) -> Result<u64, String> {
    let number = value.parse::<u64>().ok().filter(|n| *n <= i64::MAX as u64);
    number.ok_or_else(|| "must be a whole number: 0, 1, 1024".to_owned())
}

fn above_0(value: &str) -> Result<u64, String> {
    let number = whole(value).ok().filter(|n| *n > 0);
    number.ok_or_else(|| "must be a whole number above 0".to_owned())
}

fn amount(value: &str) -> Result<f64, String> {
    let number = value.parse::<f64>().ok();
    let number = number.filter(|number| number.is_finite() && *number > 0.0 && *number < 1e9);
    number.ok_or_else(|| "must be a number above 0 and below 1000000000".to_owned())
}

/// Nanoseconds.
fn seconds(value: &str) -> Result<u64, String> {
    amount(value).map(|seconds| (seconds * 1e9).round() as u64)
}

fn bytes(target: &mut XddTarget, value: &str, unit: u64) -> Result<(), String> {
    target.amount = Some(Amount::Bytes(above_0(value)?.saturating_mul(unit)));
    Ok(())
}

fn operation(target: &mut XddTarget, value: &str) -> Result<(), String> {
    target.read_percent = match value {
        "read" => 100,
        "write" => 0,
        "noop" => return Err("noop does no I/O: hint: fathom run null".to_owned()),
        _ => return Err("must be read or write".to_owned()),
    };
    Ok(())
}

fn ratio(target: &mut XddTarget, value: &str) -> Result<(), String> {
    let percent = value.parse::<f64>().ok();
    let percent = percent.filter(|one| (0.0..=100.0).contains(one) && one.fract() == 0.0);
    target.read_percent = percent.ok_or("must be a whole number of percent, 0 to 100")? as u8;
    Ok(())
}

fn seek(target: &mut XddTarget, words: &mut Words<'_>) -> Result<(), String> {
    let word = words.word()?;
    match word {
        "sequential" => target.walk.pick = Pick::Sequential,
        "random" => target.walk.pick = Pick::Random,
        "range" => target.walk.range_kib = above_0(words.word()?)?,
        "seed" => target.walk.seed = whole(words.word()?)?,
        "none" => return Err(
            "none: one block again and again is a cache's rate; hint: -seek random -seek range N"
                .to_owned(),
        ),
        "stagger" | "interleave" => {
            words.skip();
            return Err(format!(
                "{word}: blocks follow one another here; hint: fathom run --stride"
            ));
        }
        "save" | "load" | "disthist" | "seekhist" => {
            words.skip();
            return Err(format!(
                "{word}: lists of offsets are neither read nor written here; hint: fathom replay"
            ));
        }
        _ => return Err("must be sequential, random, range N or seed N".to_owned()),
    }
    Ok(())
}

fn throttle(target: &mut XddTarget, words: &mut Words<'_>) -> Result<(), String> {
    let kind = words.word()?;
    let value = amount(words.word()?);
    target.times.throttle = Some(match kind {
        "ops" => Throttle::Requests(value?),
        "bw" => Throttle::Megabytes(value?),
        "delay" => {
            return Err("delay: no pause stands between requests here; hint: ops N".to_owned());
        }
        "var" => return Err("var: the rate does not vary here: omit it".to_owned()),
        _ => return Err("must be ops N or bw N".to_owned()),
    });
    Ok(())
}

fn pattern(target: &mut XddTarget, words: &mut Words<'_>) -> Result<(), String> {
    let word = words.word()?;
    target.writes.pattern = match word {
        "random" | "randbytarget" => Pattern::Random,
        "ascii" => Pattern::Bytes(words.word()?.as_bytes().to_vec()),
        "hex" => Pattern::Bytes(hexadecimal(words.word()?)?),
        "replicate" => return Ok(()), // a pattern is repeated here
        "sequenced" | "inverse" | "lfpat" | "ltpat" | "cjtpat" | "crpat" | "cspat" => {
            return Err(format!(
                "{word}: must be random, a character, ascii TEXT or hex DIGITS"
            ));
        }
        "prefix" | "file" => {
            words.skip();
            return Err(format!(
                "{word}: must be random, a character, ascii TEXT or hex DIGITS"
            ));
        }
        word => Pattern::Bytes(word.as_bytes().iter().copied().take(1).collect()),
    };
    match &target.writes.pattern {
        Pattern::Bytes(bytes) if bytes.is_empty() => Err("must not be empty".to_owned()),
        _ => Ok(()),
    }
}

fn hexadecimal(text: &str) -> Result<Vec<u8>, String> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|digit| digit.to_digit(16).map(|digit| digit as u8))
        .collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0);
    let digits = digits.ok_or("hex: must be an even number of digits 0 to 9 and a to f")?;
    Ok(digits.chunks(2).map(|two| two[0] << 4 | two[1]).collect())
}

/// The words that are left.
struct Words<'a> {
    left: std::iter::Peekable<std::slice::Iter<'a, String>>,
}

impl<'a> Words<'a> {
    fn of(words: &'a [String]) -> Words<'a> {
        Words {
            left: words.iter().peekable(),
        }
    }

    fn word(&mut self) -> Result<&'a str, String> {
        let word = self.left.next().map(String::as_str);
        word.ok_or_else(|| "a value is missing behind it".to_owned())
    }

    /// Omits what belongs to an option that is refused: all up to the next one.
    fn skip(&mut self) {
        while self.left.next_if(|word| !word.starts_with('-')).is_some() {}
    }

    /// The number of the target that an option is for.
    fn target(&mut self) -> Result<Option<usize>, String> {
        match self.left.next_if(|word| *word == "target") {
            None => Ok(None),
            Some(_) => {
                let number = self.word()?;
                let number = number.parse().map(Some);
                number.map_err(|_| "target: must be the number of a target: 0, 1".to_owned())
            }
        }
    }
}

fn row_of(word: &str) -> Option<&'static Row> {
    let name = word.strip_prefix('-')?;
    ROWS.iter()
        .find(|row| row.name == name || row.short == name)
}

/// Reads a command line; `None` where it asks for the help.
///
/// # Errors
/// Everything that is wrong, at once.
pub fn read(all: &[String]) -> Result<Option<Request>, Vec<String>> {
    let asks = |word: &&String| ["-h", "-help", "--help", "-fullhelp"].contains(&word.as_str());
    if all.iter().any(|word| asks(&word)) {
        return Ok(None);
    }
    let mut problems = Vec::new();
    let mut request = Request {
        targets: targets(all, &mut problems),
        passes: 1,
        ..Request::default()
    };
    let mut words = Words::of(all);
    while let Some(word) = words.left.next() {
        let found = match row_of(word) {
            Some(row) => apply(row, &mut words, &mut request),
            None if word.starts_with("--") => own(word, &mut words, &mut request),
            None if word.starts_with('-') => {
                words.skip();
                Err("xdd has no such option".to_owned())
            }
            None => Err("this belongs to no option of xdd".to_owned()),
        };
        if let Err(why) = found {
            problems.push(format!("{}: {why}", model::printable(word)));
        }
    }
    settle::check(&mut request, &mut problems);
    match problems.is_empty() {
        true => Ok(Some(request)),
        false => Err(problems),
    }
}

/// All targets of the line, so that an option before them is for them, too.
fn targets(all: &[String], problems: &mut Vec<String>) -> Vec<XddTarget> {
    let mut found = Vec::new();
    let mut words = Words::of(all);
    while let Some(word) = words.left.next() {
        let named = match row_of(word).map(|row| &row.apply) {
            Some(Target) => words.word().map(|name| vec![name]),
            Some(Targets) => several(&mut words),
            _ => continue,
        };
        match named {
            Ok(names) => found.extend(names.into_iter().map(XddTarget::new)),
            Err(why) => problems.push(format!("{word}: {why}")),
        }
    }
    found
}

/// `2 a b`, or `-3 a`.
fn several<'a>(words: &mut Words<'a>) -> Result<Vec<&'a str>, String> {
    const TARGETS_MAX: i64 = 1024;
    let count = words.word()?.parse::<i64>().ok();
    let count = count.filter(|count| (1..=TARGETS_MAX).contains(&count.abs()));
    match count {
        Some(count) if count > 0 => (0..count).map(|_| words.word()).collect(),
        Some(count) => {
            let name = words.word()?;
            Ok(vec![name; usize::try_from(-count).unwrap_or(1)])
        }
        None => Err(format!(
            "must begin with the number of targets, 1 to {TARGETS_MAX}, or -N for one of them N times"
        )),
    }
}

fn apply(row: &Row, words: &mut Words<'_>, request: &mut Request) -> Result<(), String> {
    let named = |why: &str, words: &mut Words<'_>| {
        if !row.argument.is_empty() {
            words.skip();
        }
        why.to_owned()
    };
    match &row.apply {
        Target => return words.word().map(drop).or(Ok(())), // see `targets`
        Targets => return several(words).map(drop).or(Ok(())),
        Whole(set) => return set(request, words.word()?),
        WholeFlag(set) => {
            set(request);
            return Ok(());
        }
        Noted(why) => {
            let why = named(why, words);
            request.notes.push(format!("-{}: {why}", row.name));
            return Ok(());
        }
        Refused(why) => return Err(named(why, words)),
        Each(_) | EachFlag(_) | EachWords(_) => {}
    }
    let number = words.target()?;
    let count = request.targets.len();
    let chosen: &mut [XddTarget] = match number {
        None => &mut request.targets,
        Some(number) if number < count => &mut request.targets[number..=number],
        Some(number) => {
            words.skip();
            return Err(format!(
                "target {number}: there are {count}, counted from 0"
            ));
        }
    };
    // Of each target the same words are read, so that all advance by as many.
    let mut none = XddTarget::new("");
    match &row.apply {
        Each(set) => {
            let value = words.word()?;
            chosen
                .iter_mut()
                .try_for_each(|target| set(target, value))?;
            set(&mut none, value)
        }
        EachFlag(set) => {
            chosen.iter_mut().for_each(set);
            Ok(())
        }
        EachWords(set) => {
            let begin = words.left.clone();
            let first = set(&mut none, words);
            for target in chosen {
                let mut again = Words {
                    left: begin.clone(),
                };
                set(target, &mut again).or(first.clone())?;
            }
            first
        }
        _ => Ok(()),
    }
}

fn own(word: &str, words: &mut Words<'_>, request: &mut Request) -> Result<(), String> {
    match word {
        "--overwrite" => request.own.consent.overwrite_files = true,
        "--destroy" => request
            .own
            .consent
            .destroy_devices
            .push(words.word()?.into()),
        "--store" => request.own.store = Some(words.word()?.into()),
        "--no-store" => request.own.no_store = true,
        "--json" => request.output.json = true,
        _ => return Err("xdd has no such option".to_owned()),
    }
    Ok(())
}

/// Returns the option of a field.
pub fn option(field: Field) -> Option<&'static str> {
    Some(match field {
        Field::Block => "-reqsize",
        Field::Threads | Field::QueueDepth => "-queuedepth",
        Field::FileSize | Field::Length | Field::Amount => "-bytes",
        Field::Create => "-op",
        Field::Duration => "-timelimit",
        Field::Unbuffered => "-dio",
        Field::ReadOnly => "-op read",
        Field::Overwrite => "--overwrite",
        Field::Destroy => "--destroy",
        Field::Base => "-startoffset",
        Field::Rate => "-throttle",
        Field::Engine | Field::Interval | Field::Stride | Field::ThreadStride => return None,
        Field::Distribution | Field::Source | Field::Passthrough => return None,
        Field::CompletionPolling | Field::SubmissionPolling => return None,
        Field::Pool | Field::VerifyMemory | Field::Buffered => return None,
    })
}

impl Row {
    /// As it is written, with its argument.
    fn form(&self) -> String {
        let names = match self.name == self.short {
            true => format!("-{}", self.name),
            false => format!("-{} -{}", self.name, self.short),
        };
        match self.argument {
            "" => names,
            argument => format!("{names} {argument}"),
        }
    }
}

/// The help, for a program of this name.
pub fn usage(program: &str) -> String {
    let mut text = format!("usage: {program} -target FILE -numreqs N [option...]\n\n");
    let about = "An option of a target is for all targets, or names one: -op target 1 write. xdd writes into existing files; fathom does not: \
                 a file that it did not create needs --overwrite, a device --destroy DEVICE.";
    page::paragraph(&mut text, about);
    text.push('\n');
    for row in ROWS {
        let mark = match row.apply {
            Noted(_) => " (changes nothing)",
            Refused(_) => " (refused)",
            _ => "",
        };
        page::entry(&mut text, &row.form(), &format!("{}{mark}", row.doc));
    }
    text.push('\n');
    for (form, doc) in OWN {
        page::entry(&mut text, form, doc);
    }
    text
}

/// The table of the manual, in Markdown.
pub fn option_table() -> String {
    let mut text = String::from("| option | meaning | here |\n|---|---|---|\n");
    for row in ROWS {
        let fate = match &row.apply {
            Noted(why) => format!("changes nothing: {why}"),
            Refused(why) => format!("refused: {why}"),
            _ => "honoured".to_owned(),
        };
        let form = row.form().replace('|', "\\|");
        writeln!(text, "| `{form}` | {} | {fate} |", row.doc).expect("a String takes it");
    }
    text
}
