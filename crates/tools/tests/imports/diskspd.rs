//! DISKSPD's text: the specification's examples, the old layouts, and what damage does to them.

use super::desk::{
    DEFAULT, SEED_000, SEED_001, TWO_SPANS, TWO_TARGETS, mib, one, reading, runs, trouble, us,
    without,
};
use model::{Bytes, CacheMode, Nanos, Ratio};

const OLD: &str = "\
Command Line: diskspd.exe -b64K -d10 -w30 test.dat

Input parameters:

\ttimespan:   1
\t-------------
\tduration: 10s
\twarm up time: 5s
\tcool down time: 0s
\trandom seed: 0
\tpath: 'test.dat'
\t\tthink time: 0ms
\t\tburst size: 0
\t\tusing software and hardware write cache
\t\tperforming mix test (write/read ratio: 30/100)
\t\tblock size: 65536
\t\tusing random I/O (alignment: 65536)
\t\tnumber of outstanding I/O operations: 2
\t\tstride size: 65536
\t\tthread stride size: 0
\t\tthreads per file: 1
\t\tusing I/O Completion Ports
\t\tIO priority: normal


Results for timespan 1:
*******************************************************************************

actual test time:\t10.09s
thread count:\t\t1
proc count:\t\t4

CPU |  Usage |  User  |  Kernel |  Idle
-------------------------------------------
   0|  41.20%|   3.10%|   38.10%|  58.80%
-------------------------------------------
avg.|   2.49%|   0.27%|    2.23%|  22.51%

Total IO
thread |       bytes     |     I/Os     |     MB/s   |  I/O per s |  file
------------------------------------------------------------------------------
     0 |      5301600256 |        80896 |     501.09 |    8017.44 | test.dat (1024MB)
------------------------------------------------------------------------------
total:        5301600256 |        80896 |     501.09 |    8017.44
";

#[test]
fn o005_shares_of_the_processors_need_not_add_up() {
    let cpu = one(OLD).cpu.unwrap();
    assert_eq!(cpu.usage_percent, Some(2.49));
    assert_eq!(cpu.user_percent, Some(0.27));
    assert_eq!(cpu.kernel_percent, Some(2.23));
    assert_eq!(cpu.idle_percent, Some(22.51));
    assert_eq!(cpu.processors, Some(4));
}

#[test]
fn o006_groups_of_processors_stand_before_the_average() {
    let text = OLD
        .replace("CPU |  Usage", "Group | CPU |  Usage")
        .replace("   0|  41.20%", "    0|   0|  41.20%")
        .replace("avg.|", "        avg.|");
    assert_eq!(one(&text).cpu, one(OLD).cpu);
}

#[test]
fn o008_a_total_before_a_chart_is_its_title() {
    let chart = "\n\n\ntotal:\n  %-ile |  Read (ms) | Write (ms) | Total (ms)\n----------------------------------------------\n    min |      0.100 |        N/A |      0.100\n    max |      0.300 |        N/A |      0.300\n";
    let run = one(&format!("{OLD}{chart}"));
    assert_eq!(run.figures.total.ios, Some(80_896));
    assert_eq!(run.figures.total.latency.max, us(300));
    assert_eq!(run.figures.write.latency.max, None);
}

#[test]
fn o009_old_mixes_name_the_writes_first() {
    assert_eq!(one(OLD).workload.write_percent, Ratio::percent(30));
    let new = OLD.replace("(write/read ratio: 30/100)", "(read/write ratio: 90/10)");
    assert_eq!(one(&new).workload.write_percent, Ratio::percent(10));
}

#[test]
fn o010_both_caches_in_use_is_cached() {
    let workload = one(OLD).workload;
    assert_eq!(workload.cache, Some(CacheMode::Cached));
    assert_eq!(workload.write_through, Some(false));
}

#[test]
fn o012_sizes_may_be_plain_bytes() {
    assert_eq!(one(OLD).workload.block, Some(Bytes::kib(64)));
    let new = OLD.replace("block size: 65536", "block size: 64KiB");
    assert_eq!(one(&new).workload.block, Some(Bytes::kib(64)));
}

#[test]
fn o013_tabs_may_be_blanks_and_lines_may_end_in_two_bytes() {
    let plain = one(OLD);
    for text in [
        OLD.replace('\t', "        "),
        OLD.replace('\n', "\r\n"),
        OLD.lines()
            .map(|line| format!("{}\n", line.trim_start()))
            .collect(),
    ] {
        let run = one(&text);
        assert_eq!(run.figures, plain.figures);
        assert_eq!(run.workload, plain.workload);
        assert_eq!((run.cpu, run.measured), (plain.cpu, plain.measured));
        assert!(!run.text.contains('\r'));
    }
}

#[test]
fn versions_are_known_by_their_layouts() {
    assert_eq!(one(OLD).tool_version.as_deref(), Some("2.0.15"));
    assert_eq!(one(SEED_000).tool_version.as_deref(), Some("2.0.17"));
    assert_eq!(one(DEFAULT).tool_version.as_deref(), Some("2.2"));
    let results = SEED_001.split("Results for").nth(1).unwrap();
    let results = format!("Results for{results}");
    assert_eq!(one(&results).tool_version, None);
}

#[test]
fn a_default_run_of_2_2() {
    let run = one(DEFAULT);
    assert_eq!(run.host.as_deref(), Some("HOST01"));
    assert_eq!(run.started_utc, Some(Nanos::seconds(1_777_900_927)));
    assert_eq!(run.command.as_deref(), Some("diskspd testfile.dat"));
    assert_eq!(run.figures.total.ios_per_s, Some(16_382.02));
    assert_eq!(run.figures.write.ios, Some(0));
    assert_eq!(run.cpu.unwrap().usage_percent, Some(9.35));
    assert_eq!(run.notes, Vec::<String>::new());
    assert_eq!(run.text, DEFAULT);
}

#[test]
fn two_targets_with_latencies_and_intervals() {
    let run = one(TWO_TARGETS);
    let total = &run.figures.total;
    assert_eq!(total.latency.mean, us(211));
    assert_eq!(total.ios_per_s_sd, Some(2.60));
    assert_eq!(run.figures.read.latency.sd, us(44));
    assert_eq!(
        run.figures.write.latency.percentiles[1],
        (0.5, Nanos::micros(300))
    );
    assert_eq!(run.workload.targets, ["a.dat", "b.dat"]);
    assert_eq!(run.workload.size, Some(Bytes(67_108_864 + 105_381_888)));
    // Two threads, and a chart of each target.
    assert_eq!(run.rows.len(), 4);
    assert_eq!(run.rows[1].figures.write.latency.mean, us(410));
    assert_eq!(run.rows[3].target, "b.dat");
    assert_eq!(run.rows[3].figures.total.latency.max, us(420));
    assert_eq!(run.cpu.unwrap().processors, Some(4));
}

#[test]
fn each_time_span_is_a_run_and_their_sums_are_none() {
    let runs = runs(TWO_SPANS);
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[0].figures.total.ios, Some(40_960));
    assert_eq!(runs[1].figures.total.ios, Some(200_000));
    assert_eq!(runs[1].name.as_deref(), Some("time span 2"));
    assert_eq!(runs[1].workload.queue_depth, Some(8));
    assert_eq!(runs[1].workload.write_percent, None);
    assert!(runs[1].notes[0].contains("differ in: random or sequential, share of writes"));
    assert_eq!(format!("{}{}", runs[0].text, runs[1].text), TWO_SPANS);
    assert!(runs[1].text.starts_with("Results for timespan 2:"));
    let line = TWO_SPANS
        .lines()
        .position(|line| line.starts_with("Results for timespan 2"))
        .unwrap();
    assert_eq!(runs[1].line as usize, line + 1);
}

#[test]
fn appended_runs_are_all_there_with_their_own_text() {
    let text = format!("{DEFAULT}{TWO_SPANS}\r\n{SEED_000}");
    let runs = runs(&text);
    assert_eq!(runs.len(), 4);
    let places: Vec<u32> = runs.iter().map(|run| run.place).collect();
    assert_eq!(places, [1, 2, 3, 4]);
    let whole: String = runs.iter().map(|run| run.text.as_str()).collect();
    assert_eq!(whole, text.replace("\r\n", "\n"));
    assert_eq!(runs[3].workload, one(SEED_000).workload);
}

#[test]
fn a_run_that_breaks_off_is_named_with_its_line_and_the_others_are_kept() {
    let first = DEFAULT.lines().count();
    for (end, words) in [
        ("Input parameters:", "ends before any results"),
        ("CPU |  Usage", "there is no table `Total IO`"),
        ("total: ", "`Total IO` has no line `total:`"),
    ] {
        let cut = TWO_TARGETS.find(end).unwrap();
        let text = format!("{DEFAULT}{}", &TWO_TARGETS[..cut]);
        let reading = reading(&text);
        assert_eq!(reading.runs.len(), 1, "{end}");
        let (line, what) = trouble(&text);
        assert!(what.contains(words), "{end}: {what}");
        assert!(
            line as usize > first && line as usize <= text.lines().count(),
            "{end}: {line}"
        );
    }
}

#[test]
fn latencies_that_break_off_are_named_and_the_run_is_kept() {
    let cut = TWO_TARGETS.find("   50th").unwrap();
    let reading = reading(&TWO_TARGETS[..cut]);
    assert_eq!((reading.runs.len(), reading.broken.len()), (1, 0));
    let run = &reading.runs[0];
    assert!(run.figures.total.ios_per_s.is_some());
    assert!(
        run.notes
            .iter()
            .any(|note| note.contains("have no row `max`")),
        "{:?}",
        run.notes
    );
}

#[test]
fn an_interrupted_span_and_one_without_results_are_named() {
    let sentence =
        "The test was interrupted before the measurements began. No results are displayed.";
    let head = TWO_SPANS.find("Results for timespan 2").unwrap();
    let stars = "*".repeat(79);
    let text = format!(
        "{}Results for timespan 2:\n{stars}\n{sentence}\n",
        &TWO_SPANS[..head]
    );
    assert_eq!(reading(&text).runs.len(), 1);
    assert!(trouble(&text).1.contains("interrupted before it measured"));
    assert!(
        trouble(&TWO_SPANS[..head])
            .1
            .contains("time span 2 of this output has no results")
    );
}

#[test]
fn decimal_commas_are_read_and_reported() {
    let mut comma = String::new();
    for line in SEED_000.lines() {
        let is_row = line.contains('|');
        comma += &if is_row {
            line.replace('.', ",")
                .replace("iotest,dat", "iotest.dat")
                .replace("avg,", "avg.")
        } else {
            line.to_owned()
        };
        comma.push('\n');
    }
    let (run, plain) = (one(&comma), one(SEED_000));
    assert_eq!(run.figures, plain.figures);
    assert_eq!(run.cpu, plain.cpu);
    assert!(run.notes.iter().any(|note| note.contains("decimal commas")));
}

#[test]
fn no_number_in_any_spelling_is_unknown() {
    for nan in ["-nan", "1.#QNAN", "-1.#IND", "nan", "N/A"] {
        let text = TWO_TARGETS.replace(
            "    0.211 |       2.60 |     0.097",
            &format!(" {nan} | {nan} | {nan}"),
        );
        assert_ne!(text, TWO_TARGETS);
        let run = one(&text);
        assert_eq!(run.figures.total.latency.mean, None, "{nan}");
        assert_eq!(run.figures.total.ios_per_s_sd, None, "{nan}");
        assert_eq!(run.figures.total.ios, Some(15), "{nan}");
        assert_eq!(
            run.notes.iter().any(|note| note.contains("left unknown")),
            nan != "N/A"
        );
    }
    let (_, what) = trouble(&OLD.replace("    8017.44\n", " many\n"));
    assert!(what.contains("read `many`"), "{what}");
}

/// What a console of that many columns makes of a text.
fn wrapped(text: &str, width: usize, trimmed: bool) -> String {
    let mut all = String::new();
    for line in text.lines() {
        let mut letters: Vec<char> = line.chars().collect();
        while letters.len() > width {
            let rest = letters.split_off(width);
            let piece: String = letters.iter().collect();
            all += if trimmed { piece.trim_end() } else { &piece };
            all.push('\n');
            letters = rest;
        }
        all.extend(letters);
        all.push('\n');
    }
    all
}

#[test]
fn lines_that_a_console_broke_are_made_whole() {
    let long = |text: &str| text.replace("E:\\iotest.dat", "E:\\folder of mine\\iotest.dat");
    let command = "Command Line: diskspd.exe -b8K -d10 -o8 -t4 -r -w30 -L -D -Suw -c10G C:\\some\\quite\\long\\path\\test.dat";
    let default = DEFAULT.replace("Command Line: diskspd testfile.dat", command);
    let default = default.replace("testfile.dat", "C:\\quite\\a\\folder\\testfile.dat");
    for text in [
        long(SEED_000),
        TWO_TARGETS.to_owned(),
        default,
        OLD.to_owned(),
    ] {
        for (width, trimmed) in [
            (80, false),
            (80, true),
            (79, false),
            (100, false),
            (120, true),
        ] {
            let (run, plain) = (one(&wrapped(&text, width, trimmed)), one(&text));
            assert_eq!(run.figures, plain.figures, "{width} {trimmed}");
            assert_eq!(run.rows, plain.rows, "{width} {trimmed}");
            assert_eq!(run.workload, plain.workload, "{width} {trimmed}");
            if !trimmed {
                assert_eq!(run.command, plain.command);
            }
        }
    }
}

#[test]
fn results_without_their_parameters_say_so() {
    let results = &DEFAULT[DEFAULT.find("actual test time").unwrap()..];
    let run = one(results);
    assert_eq!(run.figures.total.ios_per_s, Some(16_382.02));
    assert_eq!(run.workload.block, None);
    assert_eq!(run.workload.targets, ["testfile.dat"]);
    assert_eq!(run.figures.total.bytes_per_s, mib(1023.88));
    assert!(run.notes[0].contains("input parameters are not in the text"));
    let table = &DEFAULT[DEFAULT.find("Total IO").unwrap()..];
    assert_eq!(one(table).figures, run.figures);
    // Twice, without heads.
    assert_eq!(runs(&format!("{results}{results}")).len(), 2);
    let run = one(&without(DEFAULT, "Results for timespan"));
    assert_eq!(run.workload.block, Some(Bytes::kib(64)));
}

/// What 2.3 prints besides: used processors, a note on their kinds, and how often the ring was submitted.
#[test]
fn parts_of_2_3_change_no_figure() {
    let plain = one(DEFAULT);
    let head = "thread count:\t\t1\n";
    assert!(DEFAULT.contains(head));
    let used = format!(
        "{head}\neffective affinity (cpu): 0-3,6\n\nNOTE: several core types\n      P-core cpus: 0-3\n      E-core cpus: 6\n"
    );
    let ring = "\n\nIoRing Statistics\nthread |  Submits/s \n--------------------\n     0 |     1000.00\n\
                --------------------\ntotal: |     1000.00\n";
    let newer = DEFAULT.replace(head, &used) + ring;
    let read = one(&newer);
    assert_eq!(read.tool_version.as_deref(), Some("2.3"));
    assert_eq!((read.figures, read.cpu), (plain.figures, plain.cpu));
}

#[test]
fn settings_of_2_3_are_read() {
    let newer = DEFAULT.replace(
        "\trandom seed: 0\n",
        "\trandom seed: 0\n\tusing IoRing (batch size: 25%) with registered buffers\n\
         \taffinity assignment: core-aware, fill groups, P-cores first\n\
         \tbuffer separation: thread optimized (16MiB)\n\tcompletion depth: 4\n",
    );
    let read = one(&newer);
    assert_eq!(read.workload.engine.as_deref(), Some("IoRing"));
    let named = |what: &str| read.notes.iter().any(|note| note.contains(what));
    assert!(
        named("core-aware, fill groups, P-cores first") && named("16MiB"),
        "{:?}",
        read.notes
    );
    assert!(one(DEFAULT).workload.engine.is_none() && one(DEFAULT).notes.is_empty());
}
