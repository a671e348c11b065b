//! What hostile files cost: memory at most eight times their length plus a constant, time in proportion to it.
//!
//! Memory is counted by the allocator, the file's own bytes included. Time is that of this thread on a processor, asked of
//! the kernel: four times the file may take eight times as long, and the best of several tries counts.

use crate::counting::{busy, cost, is_full};
use crate::desk::{DEFAULT, FIO_JOBS, SEED_002, TWO_TARGETS_XML};
use tools::imports::read_each;

/// Times the length of the file.
const FACTOR: usize = 8;
/// In addition, at any length.
const CONSTANT: usize = 24 << 20;

/// Name, what the file begins with, what is repeated, what it ends with.
type Shape = (&'static str, &'static [u8], &'static [u8], &'static [u8]);

const DISKSPD: &[u8] = b"Command Line: x\nInput parameters:\n";
const RESULTS: &[u8] = b"Command Line: x\nResults for timespan 1:\n";
const TOTAL: &[u8] = b"Results for timespan 1:\nTotal IO\nthread | bytes | I/Os | file\n";
const FIO: &[u8] = b"{ \"fio version\" : \"fio-3.33\", \"jobs\" : [ {}";
const JOB: &[u8] = b"{ \"fio version\" : \"fio-3.33\", \"jobs\" : [ { \"read\": {}, ";
const IOMETER: &[u8] = b"'Target Type,Target Name,IOps\nALL,All,1\n";
const SPAN: &[u8] = b"<Results><TimeSpan><TestTimeSeconds>1</TestTimeSeconds><Thread>";

#[rustfmt::skip]
const SHAPES: [Shape; 89] = [
    ("newlines", b"sqlio v1\n", b"\n", b""),
    ("newlines, diskspd", DISKSPD, b"\n", b""),
    ("newlines of windows", RESULTS, b"\r\n", b""),
    ("newlines before all", b"", b"\n", b"Param -b4k, 1 iops\n"),
    ("blanks", DISKSPD, b" ", b"\n"),
    ("one line of letters", DISKSPD, b"x", b""),
    ("one line of commas", b"'Results\n", b",", b""),
    ("one line of commas, table", b"'Target Type,IOps\nALL,1\nDISK", b",", b""),
    ("one line of columns", b"'Target Type", b",", b"\nALL"),
    ("one line of a script", b"Param -b4k, ", b", ", b"1 iops"),
    ("one line of a script's commas", b"Param -b4k", b",", b"1 iops"),
    ("one line of bars", TOTAL, b"|", b""),
    ("one total of bars", b"Results for timespan 1:\nTotal IO\nthread | bytes\ntotal:", b"|", b""),
    ("one head of bars", b"Results for timespan 1:\nTotal IO\nthread", b"|", b"\n1|1"),
    ("one line of a processor", b"Results for timespan 1:\nCPU | Usage\n", b"|", b""),
    ("one line of dashes", DISKSPD, b"-", b"\n----------------------------------------\nx\n"),
    ("one line of digits", b"'Target Type,IOps\nALL,", b"9", b"\n"),
    ("one line of NULs", DISKSPD, b"\0", b""),
    ("letters and NULs", b"", b"\0a", b""),
    ("one line of escapes", RESULTS, b"\x1b", b""),
    ("lines of escapes with a run", b"Param -b4k, 1 iops\n", b"\x1b", b"\n"),
    ("no UTF-8", DISKSPD, b"\xff", b""),
    ("lines of no UTF-8", DISKSPD, b"\xff\n", b""),
    ("UTF-16", b"\xff\xfes\0q\0l\0i\0o\0 \0v\x001\0\n\0", b"\xff\xe4\n\0", b""),
    ("UTF-16, halves of pairs", b"\xfe\xff\0s\0q\0l\0i\0o\0 \0v\x001\0\n", b"\xd8\0", b""),
    ("UTF-16 without a mark", b"s\0q\0l\0i\0o\0 \0v\x001\0\n\0", b"\n\0", b""),
    ("marks", b"\xef\xbb\xbfsqlio v1\n", b"\xef\xbb\xbf", b""),
    ("heads of diskspd", b"", b"Command Line:\n", b""),
    ("heads of sqlio", b"", b"sqlio v1\n", b""),
    ("heads of iometer", b"", b"'Test Type\n", b""),
    ("heads of fio", b"", b"{\"fio version\"\n", b""),
    ("heads of fio's text", b"", b"a: (g=0): rw=\n", b"a: (groupid=0, jobs=1): err= 0\n  read: IOPS=1\n"),
    ("heads of fio's text alone", b"", b"a: (g=0): rw=\n", b""),
    ("jobs of fio's text", b"", b"a: (groupid=0, jobs=1): err= 0\n  read: IOPS=1\n", b""),
    ("calls of fio", b"", b"a: (groupid=0, jobs=1): err=\n  read: IOPS=1\nDisk stats\n a: ios=1\n", b""),
    ("devices of fio's text", b"a: (groupid=0, jobs=1): err= 0\n  read: IOPS=1\nDisk stats\n", b"a: ios=1\n", b""),
    ("percentiles of fio's text", b"a: (groupid=0, jobs=1): err= 0\n  read: IOPS=1\nclat (usec): min=1\nclat percentiles (usec):\n", b"|1th=[1],2th=[2\n", b""),
    ("tails of fio's text", b"", b"lat (usec) : 50=1.0%\n", b"\nissued rwts: total=1,0,0,0\n"),
    ("points of a tail", b"cpu : usr=1%, sys=1%, ctx=1\n", b"|1th=[1],\n", b""),
    ("encoded mails", b"iops=3D1, bw=3D1, x=3D1\n", b"=3D=\n", b"dd if=\n"),
    ("broken lines", b"dd if=\nbw : min=1, max=2,\n", b"stdev=1,\n", b""),
    ("strings of a source", b"", b"\"dd if=\\n\" +\n", b""),
    ("tables of bonnie++", b"", b"Version 1 ------Sequential Output------ --Sequential Input-\n 1G 1 1 1 1\n", b""),
    ("rows of iostat", b"Device r/s w/s %util\n", b"a 1 1 1\n", b""),
    ("scores of IO500", b"IO500 version 1\n[RESULT] ior-easy-write 1 GiB/s : time 1\n[RESULT] ior-hard-write 1 GiB/s : time 1\n[RESULT] ior-easy-read 1 GiB/s : time 1\n[RESULT] ior-hard-read 1 GiB/s : time 1\n", b"[SCORE ] Bandwidth 9 GiB/s : \n", b""),
    ("jobs of kubestr", b"", b"JobName: a\nblocksize=1 rw=read\nread:\nIOPS=1\n", b""),
    ("braces", b"{\"fio version\"\n", b"{\n", b""),
    ("braces and quotes", b"{\"fio version\"\n", b"{\"\n", b""),
    ("heads of dd", b"", b"dd if=\n", b""),
    ("heads of documents", b"", b"<Results>\n", b""),
    ("heads of a script", b"", b"TEST SPEC*\n", b""),
    ("heads by turns", b"", b"dd if=\nsqlio v1\nTotal IO\n'Results\n", b""),
    ("ends of documents", b"<Results>", b"</Results>", b""),
    ("runs of a script", b"", b"Param -b4k, 1 iops\n", b""),
    ("broken runs of a script", b"", b"Param -b\n", b""),
    ("runs of dd", b"", b"1 copied, 1 s, 1 B/s\ndd if=\n", b""),
    ("broken runs of dd", b"dd if=\n", b"x copied, \n", b""),
    ("runs of sqlio", b"", b"sqlio v1\nCUMULATIVE DATA:\nIOs/sec:1\nMBs/sec:1\n", b""),
    ("files of sqlio", b"sqlio v1\n", b"1 thread reading for 1 file\n", b"CUMULATIVE DATA:\nIOs/sec:1\nMBs/sec:1\n"),
    ("columns of sqlio", b"sqlio v1\nCUMULATIVE DATA:\nms:", b"0 ", b""),
    ("shares of sqlio", b"sqlio v1\nCUMULATIVE DATA:\nms: 1\n%:", b"0 ", b""),
    ("lines of bonnie++", b"", b"h,1,,,,,,,,,,,1,1,,,,,,,,,,,,,\n", b""),
    ("newer lines of bonnie++", b"", b"1.99,1.99,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n", b""),
    ("rows of iometer", IOMETER, b"DISK,,1\n", b""),
    ("runs of iometer", IOMETER, b"ALL,,1\n", b""),
    ("broken runs and runs of iometer", IOMETER, b"ALL,,1\nX\n", b""),
    ("strange rows of iometer", IOMETER, b"X\n", b""),
    ("specifications of iometer", b"'Access specification name,\n", b"a\n", b""),
    ("lines of a specification", b"'Access specification name,\na\n'size\n", b"1\n", b""),
    ("open quotes of iometer", IOMETER, b"\"", b""),
    ("time spans asked for", DISKSPD, b"timespan:1\n", b"Total IO\n"),
    ("time spans with results", RESULTS, b"actual test time:1\n", b""),
    ("targets", b"Command Line: x\nInput parameters:\ntimespan:1\n", b"path: \n", b""),
    ("open quotes of targets", b"Input parameters:\ntimespan:1\n----------------------------------------\n-\n", b"path: 'x\ny\n", b""),
    ("rows", TOTAL, b"1|\n", b""),
    ("rows and a total", TOTAL, b"1|1|1|a\n", b"total: 1|1\n"),
    ("tables", RESULTS, b"Total IO\nthread|\n", b""),
    ("charts", RESULTS, b"%-ile|\n", b""),
    ("rows of a chart", b"Results for timespan 1:\n%-ile |\n", b"1th|1|1|1\n", b""),
    ("jobs", FIO, b",{}", b"]}"),
    ("jobs with figures", FIO, b",{\"read\":{\"iops\":1}}", b"]}"),
    ("options of a job", JOB, b"", b""),
    ("files of a job", b"{ \"fio version\" : 1, \"jobs\" : [ { \"read\": {}, \"job options\": {\"filename\":\"", b"a:", b"\"}}]}"),
    ("no numbers", FIO, b",{\"x\": -nan}", b"]}"),
    ("brackets", b"{ \"fio version\" : 1, \"x\" : ", b"[", b""),
    ("elements", b"<Results>", b"<a/>", b"</Results>"),
    ("targets of a document", SPAN, b"<Target/>", b"</Thread></TimeSpan></Results>"),
    ("attributes of a document", b"<Results>", b"<a b='' c='' d=''/>", b"</Results>"),
    ("entities of a document", b"<Results><a>", b"&lt;", b"</a></Results>"),
];

fn file(shape: &Shape, length: usize) -> Vec<u8> {
    let (_, begin, middle, end) = shape;
    let times = length.checked_div(middle.len()).unwrap_or(0);
    [begin, middle.repeat(times).as_slice(), end].concat()
}

/// Entries of maps with names of their own; files of every tool, again and again.
fn others(length: usize) -> Vec<(&'static str, Vec<u8>)> {
    let entries = |name: &str, value: &str| -> String {
        let all = (0..length / 10).map(|n| format!("\"{n:x}\":{value}"));
        let all: Vec<String> = all.collect();
        let read = format!(
            "\"read\": {{\"clat_ns\":{{\"percentile\":{{{}}}}}}}",
            all.join(",")
        );
        match name {
            "percentiles" => format!("{{ \"fio version\" : 1, \"jobs\" : [ {{ {read} }} ] }}"),
            "options" => format!(
                "{{ \"fio version\" : 1, \"jobs\" : [ {{ \"read\":{{}}, \"job options\": {{{}}} }} ] }}",
                all.join(",")
            ),
            _ => format!(
                "{{ \"fio version\" : 1, \"global options\" : {{{}}}, \"jobs\" : [ {{}} ] }}",
                all.join(",")
            ),
        }
    };
    let again = |text: &str| text.repeat(length / text.len() + 1).into_bytes();
    let names: Vec<String> = (0..length / 6).map(|n| format!("{n:x}\n")).collect();
    vec![
        (
            "percentiles of fio",
            entries("percentiles", "1").into_bytes(),
        ),
        ("options of fio", entries("options", "\"\"").into_bytes()),
        (
            "global options of fio",
            entries("global", "\"\"").into_bytes(),
        ),
        (
            "specifications",
            format!("'Access specification name,\n{}", names.concat()).into_bytes(),
        ),
        ("real text of diskspd", again(DEFAULT)),
        ("real text of sqlio", again(SEED_002)),
        ("real text of fio", again(&format!("{FIO_JOBS}\n"))),
        ("real documents", again(&format!("{TWO_TARGETS_XML}\n"))),
    ]
}

fn read(bytes: &[u8]) {
    let _ = read_each("a", bytes, &mut |run| drop(run));
}

fn both(short: usize, long: usize) -> impl Iterator<Item = (&'static str, [Vec<u8>; 2])> {
    let all = |length| {
        let shapes = SHAPES
            .iter()
            .map(move |shape| (shape.0, file(shape, length)));
        shapes.chain(others(length))
    };
    all(short)
        .zip(all(long))
        .map(|((name, short), (_, long))| (name, [short, long]))
}

/// The constant hides much of what a short file costs: what grows with the file shows in the difference of two. The lengths
/// at which it does are those of `cargo xtask bounds`; every check reads a sixth of them.
#[test]
fn c2_a_file_costs_at_most_eight_times_its_length() {
    let mut worst = Vec::new();
    let unit = if is_full() { 3 << 19 } else { 1 << 18 };
    for (name, files) in both(unit, 3 * unit) {
        let lengths = [&files[0], &files[1]].map(Vec::len);
        // The file itself is in memory, too.
        let peak = |bytes: &Vec<u8>| bytes.len() + cost(|| read(bytes)).peak;
        let long = peak(&files[1]);
        if long <= CONSTANT {
            continue;
        }
        let short = peak(&files[0]);
        let more = long.saturating_sub(short) / (lengths[1] - lengths[0]).max(1);
        if long > FACTOR * lengths[1] + CONSTANT || more >= FACTOR {
            worst.push(format!("{name}: {lengths:?} bytes take {short} and {long}"));
        }
    }
    assert_eq!(worst, Vec::<String>::new());
}

#[test]
fn h1_four_times_the_file_takes_four_times_as_long() {
    const LENGTH: usize = 1 << 16;
    const TRIES: usize = 4;
    /// Below that, the constant part is most of it.
    const SHORTEST_NS: f64 = 2e6;
    /// Bytes taken from the allocator that no length asks for.
    const ALL_FREE: u64 = 1 << 20;
    let mut worst = Vec::new();
    for (name, [short, long]) in both(LENGTH, 4 * LENGTH) {
        let mut best = f64::INFINITY;
        // Calls of the allocator are work, too, and the same every time.
        let mut costs = None;
        for _ in 0..TRIES {
            let [(one, short), (four, long)] = [&short, &long].map(|bytes| {
                let mut taken = None;
                let time = busy(|| taken = Some(cost(|| read(bytes))));
                (time, taken.expect("it was counted"))
            });
            costs = Some([short, long]);
            best = best.min(four / one.max(SHORTEST_NS));
            if best < 8.0 {
                break;
            }
        }
        if best >= 8.0 {
            worst.push(format!("{name}: {best:.1} times as long"));
        }
        let [one, four] = costs.expect("there is a try");
        if four.calls > 5 * one.calls + 10_000 || four.all > 5 * one.all + ALL_FREE {
            worst.push(format!("{name}: {one:?} and {four:?}"));
        }
    }
    assert_eq!(worst, Vec::<String>::new());
}
