//! The lines of the seed's script.

use super::desk::{mib, one, reading, runs, trouble, us};
use model::{Bytes, ImportFormat, Nanos};

const HEAD: &str = "\
TEST SPEC*****************************************
Test started at 08/04/2016 10:11:12
441 combinations**********************************
Duration of each test: 10 seconds*****************
Warm-up time of each test: 5 seconds**************
Rest between tests: 2 seconds
Predicted finish time: 08/04/2016 12:16:09********
";
const LINE: &str = "Param -b4k, -t1, -o1, 9735.28 iops, 38.03 MB/sec, 0.102 ms, 12.5 %CPU\n";

#[test]
fn each_line_is_a_run() {
    let text = format!(
        "{HEAD}{LINE}{}",
        LINE.replace("-t1", "-t64").replace("9735.28", "9736")
    );
    let runs = runs(&text);
    assert_eq!(runs.len(), 2);
    let run = &runs[0];
    assert_eq!(run.format, ImportFormat::ScriptLines);
    assert_eq!(run.workload.block, Some(Bytes::kib(4)));
    assert_eq!(
        (run.workload.threads, run.workload.queue_depth),
        (Some(1), Some(1))
    );
    assert_eq!(run.workload.duration, Some(Nanos::seconds(10)));
    assert_eq!(run.workload.warmup, Some(Nanos::seconds(5)));
    assert_eq!(run.figures.total.ios_per_s, Some(9735.28));
    assert_eq!(run.figures.total.bytes_per_s, mib(38.03));
    assert_eq!(run.figures.total.latency.mean, us(102));
    assert_eq!(run.cpu.unwrap().usage_percent, Some(12.5));
    // Reads, random and uncached stand in the script, not in its lines.
    assert_eq!(run.workload.write_percent, None);
    assert_eq!(run.workload.cache, None);
    assert_eq!((runs[1].place, runs[1].line), (2, 9));
    assert_eq!(runs[1].workload.threads, Some(64));
    assert_eq!(format!("{}{}", runs[0].text, runs[1].text), text);
}

#[test]
fn a_failed_cell_is_named_and_the_others_are_kept() {
    let text = format!("{LINE}Param -b8k, -t1, -o1 failed\n{LINE}");
    assert_eq!(reading(&text).runs.len(), 2);
    let (line, what) = trouble(&text);
    assert_eq!(line, 2);
    assert!(what.contains("`-b8k, -t1, -o1` failed"), "{what}");
}

#[test]
fn commas_and_broken_lines_are_read_where_they_mean_one_thing() {
    let german = "Param -b4k, -t1, -o1, 9735,28 iops, 38,03 MB/sec, 0,1024 ms, 12,5 %CPU\n";
    let run = one(german);
    assert_eq!(run.figures.total.ios_per_s, Some(9735.28));
    assert!(run.notes.iter().any(|note| note.contains("decimal commas")));
    assert!(
        trouble("Param -b4k, -t1, -o1, 9,735 iops, 38 MB/sec\n")
            .1
            .contains("read `9,735 iops`")
    );
    let (front, back) = LINE.split_at(60);
    assert_eq!(
        one(&format!("{front}\n{back}{LINE}{LINE}").replacen(LINE, "", 2)).figures,
        one(LINE).figures
    );
    assert!(
        trouble("Param -b4k, -t1, -o1\n")
            .1
            .contains("ends before its `iops`")
    );
    assert!(trouble(HEAD).1.contains("no line `Param"));
    assert!(trouble("Param -bé, -t1\n").1.contains("read `-bé`"));
}
