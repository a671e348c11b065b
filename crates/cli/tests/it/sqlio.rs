//! `fathom sqlio`: exit codes, output, files and stops. Every run is of a second, on real files.
//!
//! What a switch means is tested in `dialects`, what the page looks like in `views`, where the I/Os go in `engine`.

use crate::bench::{Bench, Said, send};
use std::fs;

/// Blocks of 8 KiB: any device takes them with direct I/O.
const SHORT: &str = "sqlio -s1 -b8 -f8 -i8";

/// Printed, with nothing behind what SQLIO prints.
fn good(said: Said) -> Said {
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.starts_with("sqlio v1.5.SG\n"), "{said:?}");
    assert!(
        said.out
            .contains("initialization done\nCUMULATIVE DATA:\nthroughput metrics:\nIOs/sec:"),
        "{said:?}"
    );
    said
}

/// The figure behind this prefix, as scripts read it.
fn figure(text: &str, prefix: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(prefix));
    line.unwrap_or_else(|| panic!("{prefix} in {text}"))
        .trim()
        .parse()
        .unwrap()
}

#[test]
fn a_line_is_run_printed_and_kept() {
    let bench = Bench::new();
    let said = good(bench.line(&format!("{SHORT} -LS f")));
    assert!(!said.err.contains("show 1"), "{said:?}");
    assert!(said.err.contains("latency in µs"), "{said:?}");
    assert!(
        said.out.contains("need to expand by:\t524288 bytes\n"),
        "{said:?}"
    );
    assert_eq!(fs::metadata(bench.path("f")).unwrap().len(), 512 << 10);
    let (rate, mib) = (figure(&said.out, "IOs/sec:"), figure(&said.out, "MBs/sec:"));
    assert!((rate * 8192.0 / 1_048_576.0 - mib).abs() < 0.02, "{said:?}");
    let kept = bench.line("show 1 --json").good().json();
    let rows = kept["operations"].as_array().unwrap();
    let total = rows.iter().find(|row| row["operation"] == "total").unwrap();
    assert!((total["iops"].as_f64().unwrap() - rate).abs() <= 0.01);
    let shown = bench.line("show 1").good();
    assert!(shown.out.contains("stripe of 8"), "{shown:?}");
    let last = said.out.lines().next_back().unwrap();
    assert!(last.starts_with("%:") && last.len() == 2 + 25 * 3, "{last}");
}

#[test]
fn without_a_word_it_makes_testfile_dat_and_reads_its_stripes() {
    let bench = Bench::new();
    let said = bench.line("sqlio -s1 -b4");
    good(said);
    assert_eq!(
        fs::metadata(bench.path("testfile.dat")).unwrap().len(),
        16 << 20
    );
}

#[test]
fn exit_codes_and_messages_are_those_of_the_house() {
    let bench = Bench::new();
    let before = bench.snapshot();
    for asks in ["sqlio -?", "sqlio --help", "sqlio -s1 -? f"] {
        let help = bench.line(asks);
        assert_eq!(
            (help.code, help.out.contains("-b<KIB>")),
            (Some(0), true),
            "{help:?}"
        );
    }
    let reported = bench.line("sqlio -kX -b64K -t0 -mC4 f");
    for words in [
        "invalid value 'X' for -k:",
        "invalid value '64K' for -b:",
        "invalid value '0' for -t:",
        "-mC4: ",
    ] {
        reported.refused(words);
    }
    bench
        .line("sqlio -frandom f")
        .refused("f: there is nothing under this name");
    bench.line("sqlio -RD1").refused("/dev/sdb");
    bench
        .line("sqlio -s1 -frandom .")
        .refused("this is a folder");
    bench
        .line("sqlio -s1 s.db --store s.db")
        .refused("the results are stored in this file");
    bench
        .line("sqlio -s1 f --json f")
        .refused("this is a target");
    bench
        .line("sqlio -S1000000000000 -frandom f --no-store")
        .refused("nothing under this name");
    bench
        .line("sqlio -Fparam.txt")
        .refused("-Fparam.txt: No such file");
    assert_eq!(bench.snapshot(), before);
}

#[test]
fn nobody_s_data_is_written_without_the_word() {
    let bench = Bench::new();
    bench.write("f", 1 << 20);
    fs::write(bench.path("p"), "f 1 0x0 2\n").unwrap();
    let before = bench.snapshot();
    let written = bench.line(&format!("{SHORT} -kW f"));
    written.refused("--overwrite");
    written.refused("would be lost");
    let grown = bench.line("sqlio -s1 -b8 -frandom -Fp");
    grown.refused("f: it has 1048576 bytes and this request needs 2097152");
    grown.refused("would be lost");
    bench.line("sqlio -s1 f").refused("would be lost"); // the default stripes need 8 MiB
    assert_eq!(bench.snapshot(), before);
    good(bench.line(&format!("{SHORT} --no-store f"))); // reading needs no word
    good(bench.line("sqlio -s1 -b64 -frandom --no-store f"));
    assert_eq!(bench.snapshot(), before);
    good(bench.line(&format!("{SHORT} -kW --overwrite f")));
    good(bench.line("sqlio -s1 -b8 -frandom -Fp --overwrite"));
    assert_eq!(fs::metadata(bench.path("f")).unwrap().len(), 2 << 20);
}

#[test]
fn what_an_earlier_run_made_is_written_and_grown_without_a_word() {
    let bench = Bench::new();
    fs::write(bench.path("p"), "f 2 0x0 1\ng 1 0 1\n").unwrap();
    good(bench.line("sqlio -kW -s1 -b8 -frandom -o2 -Fp"));
    fs::write(bench.path("p"), "f 2 0x0 3\ng 1\n").unwrap();
    let said = good(bench.line("sqlio -kW -s1 -b64 -fsequential -BH -Fp"));
    for line in [
        "\tfile f with 2 threads (0-1) using mask 0x0 (0)\n\tfile g with 1 thread (2) using mask 0x0 (0)\n",
        "3 threads writing for 1 secs to files f and g\n",
        "current file size:\t1048576 bytes\nneed to expand by:\t2097152 bytes\nexpanding f ...\n",
        "using specified size: 3 MB for file: f\nusing current size: 1 MB for file: g\n",
    ] {
        assert!(said.out.contains(line), "{line} in {said:?}");
    }
    let bytes = fs::read(bench.path("f")).unwrap();
    assert_eq!(bytes.len(), 3 << 20);
    let zeros = bytes
        .chunks(4096)
        .filter(|block| block.iter().all(|byte| *byte == 0));
    assert_eq!(zeros.count(), 0, "real data to the end");
}

/// The lines of the article that describes SQLIO, with time, path and size replaced; dashes as on its page.
#[test]
fn published_lines_run() {
    let bench = Bench::new();
    fs::write(bench.path("param.txt"), "testfile.dat 1 0x0 2\r\n").unwrap();
    for line in [
        "-kW -s1 -fsequential -o8 -b8 -LS -Fparam.txt timeout /T 10",
        "-kW -b8 -frandom -s1 -BH -LS -Fparam.txt",
        "-kW -b8 -frandom \u{2013}s1 \u{2013}o4 -BH -LS -Fparam.txt",
        "-kW -b16 -frandom -s1 -BH -LS -Fparam.txt",
        "-kW -b64 -frandom -s1 -BH -LS -Fparam.txt",
        "-kW -b128 -frandom -s1 -BH -LS -Fparam.txt",
        "-kW -b64 -frandom -s1 -t8 -o1 -BH -LS -Fparam.txt",
        "-kW -b64 -frandom -s1 -t8 -o1 -BH -LS testfile.dat",
    ] {
        let said = good(bench.line(&format!("sqlio {line}")));
        let threads = if line.contains("-Fparam.txt") {
            "1 thread"
        } else {
            "8 threads"
        };
        assert!(
            said.out.contains(&format!(
                "\n{threads} writing for 1 secs to file testfile.dat\n"
            )),
            "{said:?}"
        );
        assert!(figure(&said.out, "IOs/sec:") > 0.0, "{said:?}");
        let (min, max) = (
            figure(&said.out, "Min_Latency(ms):"),
            figure(&said.out, "Max_Latency(ms):"),
        );
        assert!(
            min <= figure(&said.out, "Avg_Latency(ms):") && min <= max,
            "{said:?}"
        );
        let trap = line.contains("-t8") && line.contains("-F");
        assert_eq!(said.err.contains("-t8: changes nothing"), trap, "{said:?}");
    }
}

#[test]
fn the_page_and_the_report_go_into_files_too() {
    let bench = Bench::new();
    let line = format!("{SHORT} -U --json r.json --text=r.txt f");
    let said = good(bench.line(&line));
    assert_eq!(fs::read_to_string(bench.path("r.txt")).unwrap(), said.out);
    let report = fs::read(bench.path("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    assert!(report["verdict"]["validity"].is_string());
    assert!(
        said.out
            .contains("\nProcessorNumber:         ALL\nDPCTime(%):"),
        "{said:?}"
    );
    good(bench.line(&line)); // over the earlier ones
    fs::write(bench.path("r.txt"), "a user's").unwrap();
    bench.line(&line).refused("would be lost");
}

#[test]
fn the_program_s_name_makes_it_sqlio() {
    let bench = Bench::new();
    let program = bench.copy_of_program();
    let link = bench.path("sqlio");
    std::os::unix::fs::symlink(program, &link).unwrap();
    let words: Vec<&str> = SHORT.split_whitespace().skip(1).chain(["f"]).collect();
    good(Said::from(
        bench.command_of(&link, &words).output().unwrap(),
    ));
    let help = Said::from(bench.command_of(&link, &["-?"]).output().unwrap());
    assert!(help.out.starts_with("usage: sqlio "), "{help:?}");
}

#[test]
fn an_interrupted_run_prints_what_it_has_over_the_time_it_took() {
    let bench = Bench::new();
    good(bench.line(&format!("{SHORT} --no-store f")));
    let child = bench.start("sqlio -s3600 -b8 -f8 -i8 -LS f");
    send("-INT", &child);
    let said = Said::from(child.wait_with_output().unwrap());
    assert!(
        said.out
            .contains("1 thread reading for 3600 secs from file f\n"),
        "{said:?}"
    );
    let rate = figure(&said.out, "IOs/sec:");
    assert_eq!(said.code, Some(i32::from(rate == 0.0)), "{said:?}");
    let kept = bench.line("show 1 --json").good().json();
    assert_eq!(kept["outcome"]["kind"], "interrupted");
}
