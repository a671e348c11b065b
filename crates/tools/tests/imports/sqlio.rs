//! SQLIO's text: the specification's sample, other modes, damage.

use super::desk::{SEED_002, one, reading, runs, trouble};
use model::{Bytes, CacheMode, Nanos};

const SAMPLE: &str = "\
sqlio v1.5.SG
using system counter for latency timings, 2500000 counts per second
parameter file used: param.txt
\tfile F:\\testfile.dat with 4 threads (0-3) using mask 0x0 (0)
4 threads writing for 120 secs to file F:\\testfile.dat
\tusing 8KB random IOs
\tenabling multiple I/Os per thread with 8 outstanding
\tbuffering set to use hardware disk cache (but not file cache)
size of file F:\\testfile.dat needs to be: 2097152000 bytes
current file size:\t104857600 bytes
need to expand by:\t1992294400 bytes
expanding F:\\testfile.dat ...
using specified size: 2000 MB for file: F:\\testfile.dat
initialization done
CUMULATIVE DATA:
throughput metrics:
IOs/sec:   512.34
MBs/sec:     4.00
latency metrics:
Min_Latency(ms): 0
Avg_Latency(ms): 15
Max_Latency(ms): 231
histogram:
ms: 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24+
%: 12  3  2  2  2  2  2  3  3  4  4  5  5  6  6  6  5  5  4  4  3  3  2  2  5
";

#[test]
fn the_sample_is_read_whole() {
    let run = one(SAMPLE);
    let work = &run.workload;
    assert_eq!((work.threads, work.queue_depth), (Some(4), Some(8)));
    assert_eq!(work.targets, ["F:\\testfile.dat"]);
    assert_eq!(work.size, Some(Bytes::mib(2000)));
    assert_eq!(
        (work.cache, work.write_through),
        (Some(CacheMode::Unbuffered), Some(false))
    );
    let latency = &run.figures.total.latency;
    assert_eq!(latency.mean, Some(Nanos::millis(15)));
    assert_eq!(latency.histogram[24].percent, 5.0);
    assert_eq!(run.text, SAMPLE);
}

#[test]
fn the_default_mode_has_no_line_and_latencies_may_be_absent() {
    let text = "sqlio v1.5.SG\n2 threads reading for 30 secs from file testfile.dat\n\tusing 2KB sequential IOs\nusing current size: 8 MB for file: testfile.dat\ninitialization done\nCUMULATIVE DATA:\nthroughput metrics:\nIOs/sec:   421.50\nMBs/sec:     3.29\n";
    let run = one(text);
    assert_eq!(run.workload.cache, Some(CacheMode::Unbuffered));
    assert_eq!(run.workload.write_through, Some(true));
    assert_eq!(run.figures.read.ios_per_s, Some(421.5));
    assert_eq!(run.figures.total.latency.mean, None);
    assert_eq!(run.figures.write.ios_per_s, None);
}

#[test]
fn a_section_without_figures_is_named_and_the_next_is_read() {
    let unfinished = include_str!("texts/seed_002_unfinished.txt");
    let text = format!("{unfinished}{SEED_002}");
    let reading = reading(&text);
    assert_eq!(reading.runs.len(), 1);
    assert_eq!(reading.runs[0].figures, one(SEED_002).figures);
    assert!(trouble(&text).1.contains("ends before `CUMULATIVE DATA:`"));
    // Figures that a page shows behind the histogram are of another run.
    let more = format!("{SEED_002}\nIOs/sec:   221.73\nMBs/sec:     1.73\n");
    assert_eq!(one(&more).figures, one(SEED_002).figures);
    assert_eq!(runs(&SAMPLE.repeat(3)).len(), 3);
}

#[test]
fn what_breaks_off_is_named_with_its_line() {
    let (at, what) = trouble(&SAMPLE[..SAMPLE.find("MBs/sec").unwrap()]);
    assert!(what.contains("are not both there"), "{what}");
    assert_eq!(at, 17);
    for (end, words) in [
        ("Max_Latency", "the largest is not"),
        ("%: 12", "the histogram is not"),
    ] {
        let read = one(&SAMPLE[..SAMPLE.find(end).unwrap()]);
        assert!(read.figures.total.latency.mean.is_some(), "{end}");
        assert!(
            read.notes.iter().any(|note| note.contains(words)),
            "{end}: {:?}",
            read.notes
        );
    }
    let (_, what) = trouble(&SAMPLE.replace("512.34", "many"));
    assert!(what.contains("'many'"), "{what}");
    let comma = SAMPLE.replace("512.34", "512,34");
    assert_eq!(one(&comma).figures.total.ios_per_s, Some(512.34));
}
