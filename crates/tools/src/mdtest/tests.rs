//! Cases 39 to 48 of mdtest's command lines, what is refused, and its tables.

use super::*;
use model::record::mdtest::MdtestPhase;
use model::{
    Bytes, FilesOutcome, FilesPlace, FilesRecord, FilesStep, FilesThread, FilesWork, HostRecord,
    Nanos, ResultRow,
};

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn asked(line: &str) -> Request {
    read(&words(line), 2).unwrap().unwrap()
}

fn refused(line: &str) -> Vec<String> {
    read(&words(line), 2).unwrap_err()
}

#[test]
fn m39_all_phases_of_folders_and_files_twice() {
    let request = asked("-n 200 -d md -i 2");
    assert_eq!(request.work.phases, MdtestPhase::ALL);
    assert_eq!(
        (request.work.shape.items(), request.work.iterations),
        (200, 2)
    );
    assert_eq!(request.folder, PathBuf::from("md"));
    assert_eq!(
        (request.work.shape.tasks, request.tables),
        (2, [true, false])
    );
}

#[test]
fn m40_files_only_in_own_trees_with_rates_and_times() {
    let request = asked("-n 100 -F -u -P -d md");
    let shape = &request.work.shape;
    assert!(!shape.folders && shape.files && shape.own_trees);
    assert_eq!(request.tables, [true, true]);
    assert_eq!(
        (shape.folder_name(1, 0), shape.trees()),
        ("mdtest_tree.1.0".to_owned(), 2)
    );
    assert!(
        !request
            .work
            .phases
            .contains(&MdtestPhase::DirectoryCreation)
    );
    assert_eq!(asked("-n 100 -Z").tables, [false, true]);
}

#[test]
fn m41_items_are_cut_to_a_multiple_of_the_folders_and_reported() {
    let request = asked("-n 10 -z 1 -b 2 -d md");
    let shape = &request.work.shape;
    assert_eq!((shape.tree_folders(), shape.items()), (Some(3), 9));
    assert!(
        request
            .notes
            .iter()
            .any(|note| note.starts_with("-n 10: cut to 9"))
    );
}

#[test]
fn m42_items_of_each_folder() {
    let request = asked("-I 25 -z 2 -b 3 -d md");
    let shape = &request.work.shape;
    assert_eq!((shape.tree_folders(), shape.items()), (Some(13), 325));
    assert_eq!(asked("-I 25 -z 2 -b 3 -L").work.shape.items(), 225);
}

#[test]
fn m43_the_hard_test_of_io500_shifted_by_one() {
    let work = asked("-F -n 9 -w 3901 -e 3901 -t -N 1 -d md").work;
    assert_eq!(
        (work.shape.file_size, work.read),
        (Bytes(3901), Bytes(3901))
    );
    assert_eq!((work.shift, work.shape.trees_shift), (1, 0));
    assert_eq!(asked("-F -n 9 -N 1 -u").work.shape.trees_shift, 1);
}

#[test]
fn m44_and_m45_more_read_than_written_and_the_value_of_barriers() {
    assert!(refused("-n 9 -w 10 -e 100")[0].starts_with("-e: "));
    assert!(asked("-E -n 9 -e 100").work.uses_earlier());
    let both = refused("-B -n 10 -d md");
    assert!(
        both[0].starts_with("invalid value '-n' for -B: "),
        "{both:?}"
    );
    assert!(both[1].starts_with("`10`: "), "{both:?}");
    assert!(read(&words("-B 0 -n 10"), 1).is_ok());
}

#[test]
fn m47_and_m48_what_mdtest_does_and_fathom_does_not_is_refused_by_name() {
    for option in ["-S", "-c", "-k", "-f 1", "-l 2", "-s 1", "-g"] {
        let problems = refused(&format!("{option} -n 9"));
        assert_eq!(problems.len(), 1, "{option}: {problems:?}");
        assert!(
            problems[0].starts_with(&format!("{option}: ")),
            "{problems:?}"
        );
    }
    let all = refused("-S -c -a MPIIO -d a@b -b 0 --nonsense");
    assert_eq!(all.len(), 7, "{all:?}");
}

#[test]
fn m48_files_are_created_for_a_time_and_their_number_is_written() {
    let of_one = |line: &str| read(&words(line), 1);
    let worn = of_one("-n 9 -W 300 -x s").unwrap().unwrap();
    assert_eq!(worn.work.wear_out, Some(model::Nanos::seconds(300)));
    assert_eq!(worn.status_file.as_deref(), Some(std::path::Path::new("s")));
    for (line, option) in [
        ("-n 9 -W 300 -z 1", "-W: a tree of one folder"),
        ("-n 9 -W 300 -C", "-W: a tree that stays"),
        ("-n 9 -W 90000", "-W: must be at most"),
    ] {
        let problems = of_one(line).unwrap_err();
        assert_eq!(problems.len(), 1, "{line}: {problems:?}");
        assert!(problems[0].starts_with(option), "{problems:?}");
    }
    let of_two = asked("-F -n 9 -W 3");
    assert_eq!(of_two.work.wear_out, Some(model::Nanos::seconds(3)));
    assert_eq!(asked("-F -n 9 -W 0").work.wear_out, None); // of two ranks
}

#[test]
fn options_are_read_as_mdtest_reads_them() {
    let joined = asked("-FuT -n=5 -w4k -V 2 --random-seed 7 -e 2k");
    assert_eq!(joined.work.phases, [MdtestPhase::FileStat]);
    assert_eq!(
        (joined.work.shape.items(), joined.work.shape.file_size),
        (5, Bytes::kib(4))
    );
    assert_eq!(joined.work.random_seed, Some(7));
    assert_eq!(asked("-n 5 -R").work.random_seed, Some(1));
    assert!(read(&words("-h -S"), 1).unwrap().is_none());
    assert!(refused("-n")[0].contains("a value is missing"));
    assert!(refused("-n 1.5m")[0].starts_with("invalid value '1.5m' for -n: "));
    assert_eq!(asked("--tasks 3 -n 1").work.shape.tasks, 6);
    for line in [
        "-n 9 -i 0",
        "-n 9 -z 101",
        "-n 9 -z 40 -b 2",
        "-n 2 -z 2 -b 3",
        "-n 9 -I 3",
        "",
        "-n 9 --",
        "-D -E -n 3",
    ] {
        assert!(read(&words(line), 1).is_err(), "{line}");
    }
}

#[test]
fn the_help_fits_a_narrow_terminal() {
    for line in usage("fathom mdtest").lines() {
        assert!(line.chars().count() < 80, "{line}");
    }
}

/// A record of a phase that took so many milliseconds.
fn record(request: &Request, phase: MdtestPhase, iteration: u32, ms: u64) -> FilesRecord {
    let mut work = request.work.clone();
    work.iteration = iteration;
    let count = match phase.is_of_trees() {
        true => work.shape.tree_folders().unwrap() * work.shape.trees(),
        false => work.shape.items() * 2,
    };
    FilesRecord {
        tool_version: String::new(),
        command: Vec::new(),
        started_utc: Nanos(0),
        host: HostRecord::default(),
        place: FilesPlace::default(),
        step: FilesStep {
            name: work.step_name(phase),
            planned: Some(count),
            elapsed: Nanos::millis(ms),
            threads: vec![FilesThread {
                operations: count,
                ..FilesThread::default()
            }],
            ..FilesStep::default()
        },
        work: FilesWork::Mdtest(Box::new(work)),
        outcome: FilesOutcome::Complete,
    }
}

#[test]
fn the_tables_have_mdtest_s_rows_and_our_reader_reads_them() {
    let request = asked("-n 100 -F -u -P -d md -i 2");
    let mut records = vec![
        record(&request, MdtestPhase::FileStat, 0, 10),
        record(&request, MdtestPhase::FileStat, 1, 20),
        record(&request, MdtestPhase::TreeCreation, 0, 1),
        record(&request, MdtestPhase::FileRemoval, 0, 5),
    ];
    records[3].outcome = FilesOutcome::Interrupted;
    let results = MdtestResults {
        version: "0",
        command: "fathom mdtest -n 100 -F -u -P -d md -i 2",
        times: ["11/25/2026 10:00:00", "11/25/2026 10:00:01"],
        request: &request,
        hosts: &[1, 1],
        capacity: Capacity {
            bytes: [10 << 30, 5 << 30],
            files: [1 << 20, 1 << 19],
        },
        records: &records,
    };
    let mut text = Vec::new();
    mdtest_text(&results, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let row = ResultRow::of_files(&records[2]);
    assert_eq!(
        (row.total.ios, row.total.ios_per_s),
        (Some(2), Some(1000.0))
    );
    let shown = &analysis::files_report(&records[2..3]).rows[0];
    let rate = shown.iops_estimate.map_or(0.0, |rate| rate.value);
    assert!((rate - 1000.0).abs() < 1.0, "{rate}");
    // 200 files in 10 and 20 ms; one folder of each task's tree in 1 ms.
    assert!(text.contains("\n   File stat                   20000.000      10000.000      15000.000       7071.068\n"), "{text}");
    assert!(text.contains("\n   File stat                       0.020          0.010          0.015          0.007\n"), "{text}");
    assert!(text.contains("\n   Tree creation                1000.000       1000.000       1000.000          0.000\n"), "{text}");
    assert!(text.contains("\n   File removal                    0.000          0.000          0.000          0.000\n"), "{text}");
    assert!(
        text.contains("\n2 tasks, 200 files\n") && !text.contains("Directory"),
        "{text}"
    );
    let read = crate::imports::read("md.txt", &text).unwrap();
    assert!(read.broken.is_empty(), "{read:?}");
}
