//! `fathom diskspd`: exit codes, output, files, events and stops. Every run is of a second or less, on real files.
//!
//! What a switch means is tested in `dialects`, what the pages look like in `views`, where the I/Os go in `engine`.

use crate::bench::{Bench, Said, send, until};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

/// A new file, random reads with direct I/O, no warm-up.
const SHORT: &str = "diskspd -c1M -b4K -r -o2 -W0 -d1 -Su -L";

/// Printed with DISKSPD's code for good.
fn good(said: Said) -> Said {
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("\nTotal IO\n") || said.out.starts_with("<Results>"),
        "{said:?}"
    );
    said
}

/// Refused with DISKSPD's code, with nothing printed.
fn refused(said: &Said, words: &str) {
    assert_eq!((said.code, said.out.as_str()), (Some(3), ""), "{said:?}");
    assert!(said.err.contains(words), "{words} in {said:?}");
}

/// The published script's way to read a result: the first line like `total:*` split at `|`, here from its second field
/// on: I/Os, MiB/s, I/O per s, latency.
fn totals(text: &str) -> Vec<f64> {
    let line = text
        .lines()
        .find(|line| line.starts_with("total:"))
        .unwrap();
    let fields: Vec<&str> = line.split('|').collect();
    fields[1..]
        .iter()
        .filter_map(|field| field.trim().parse().ok())
        .collect()
}

#[test]
fn a_line_is_run_printed_and_kept() {
    let bench = Bench::new();
    let said = good(bench.line(&format!("{SHORT} f")));
    assert!(said.out.starts_with("\nCommand Line: "), "{said:?}");
    assert!(!said.err.contains("show 1"), "{said:?}");
    let kept = bench.line("show 1 --json").good().json();
    let (ios, rate) = (totals(&said.out)[0], totals(&said.out)[2]);
    let row = &kept["operations"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["operation"] == "total");
    let row = row.unwrap_or_else(|| panic!("{kept}"));
    assert_eq!(row["ios"].as_f64(), Some(ios), "{row}");
    assert!(
        (row["iops"].as_f64().unwrap() - rate).abs() <= 0.01,
        "{row} {rate}"
    );
    assert_eq!(kept["command"][1], "diskspd", "{kept}");
}

#[test]
fn exit_codes_are_those_of_the_original() {
    let bench = Bench::new();
    let before = bench.snapshot();
    let help = bench.line("diskspd -?");
    assert_eq!(
        (help.code, help.out.contains("-b<SIZE>")),
        (Some(0), true),
        "{help:?}"
    );
    let nothing = bench.line("diskspd");
    assert_eq!(
        (nothing.code, nothing.out.contains("-b<SIZE>")),
        (Some(3), true),
        "{nothing:?}"
    );
    assert_eq!(bench.line("diskspd --help").code, Some(0));
    refused(&bench.line("diskspd -b4X -t0 f"), "'4X' for -b:");
    refused(&bench.line("diskspd -b4X -t0 f"), "'0' for -t:");
    refused(&bench.line("diskspd -b4K"), "no target");
    refused(&bench.line("diskspd -- f"), "--");
    refused(&bench.line("diskspd #0"), "/dev/");
    let profile = bench.line("diskspd -Rp nowhere/f");
    assert_eq!(profile.code, Some(0), "{profile:?}");
    assert!(profile.out.contains("path: 'nowhere/f'"), "{profile:?}");
    assert_eq!(bench.snapshot(), before);
}

#[test]
fn a_target_that_is_not_there_fails_at_once_with_the_text() {
    let bench = Bench::new();
    for (line, words) in [
        ("diskspd -d60 f", "f"),
        ("diskspd -c1M -Su -b4K -T2M -t2 -d60 g", "thread 1"), // no room for the second thread
    ] {
        let said = bench.line(line);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains(words), "{said:?}");
        assert!(
            said.err.contains("Error generating I/O requests"),
            "{said:?}"
        );
        assert!(
            said.out
                .contains("interrupted before the measurements began"),
            "{said:?}"
        );
        assert!(!said.out.contains("Total IO"), "{said:?}");
    }
    assert!(!bench.path("g").exists());
}

#[test]
fn nobody_s_data_is_written_without_the_word() {
    let bench = Bench::new();
    bench.write("f", 1 << 20);
    let before = bench.snapshot();
    for line in [
        "diskspd -w1 -W0 -d1 f",
        "diskspd -c1M -W0 -d1 f",
        "diskspd -c2M -w0 -W0 -d1 f",
    ] {
        let said = bench.line(line);
        refused(&said, "--overwrite");
        assert!(said.err.contains("would be lost"), "{said:?}");
    }
    assert_eq!(bench.snapshot(), before);
    good(bench.line("diskspd -W0 -d1 -b4K --no-store f")); // reading needs no word
    assert_eq!(bench.snapshot(), before);
    good(bench.line("diskspd -c1M -w100 -W0 -d1 --overwrite f"));
}

#[test]
fn what_an_earlier_run_made_is_written_again_without_a_word() {
    let bench = Bench::new();
    good(bench.line("diskspd -c1M -W0 -d1 -b4K -w100 f")); // DISKSPD's pattern
    for content in ["-b512 -r", "-Zr -b4K", "-Z64K -b8K -r", "-b4K -Su"] {
        good(bench.line(&format!("diskspd {content} -w100 -W0 -d1 f")));
    }
}

#[test]
fn a_file_of_another_size_is_made_anew_and_one_of_the_same_is_kept() {
    let bench = Bench::new();
    good(bench.line("diskspd -c2M -b4K -W0 -d1 f"));
    let made = fs::metadata(bench.path("f")).unwrap().modified().unwrap();
    good(bench.line("diskspd -c2M -b4K -W0 -d1 f"));
    let there = fs::metadata(bench.path("f")).unwrap();
    assert_eq!((there.len(), there.modified().unwrap()), (2 << 20, made));
    good(bench.line("diskspd -c1M -b4K -W0 -d1 f"));
    let data = fs::read(bench.path("f")).unwrap();
    assert_eq!(data.len(), 1 << 20);
    assert!(
        data.chunks(4096)
            .all(|block| block.iter().any(|&byte| byte != 0))
    );
}

#[test]
fn a_link_called_diskspd_is_diskspd() {
    let bench = Bench::new();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fathom"), bench.path("diskspd")).unwrap();
    let said = Command::new(bench.path("diskspd"))
        .args("-c1M -b4K -W0 -d1 --no-store f".split(' '))
        .current_dir(bench.path(""))
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = good(Said::from(said));
    assert!(said.out.contains("/diskspd -c1M -b4K"), "{said:?}");
}

#[test]
fn results_go_into_files_besides_and_never_over_something_else() {
    let bench = Bench::new();
    let line = format!("{SHORT} --text r.txt --xml=r.xml --json r.json f");
    for _ in 0..2 {
        let said = good(bench.line(&line)); // the second time over the first results
        assert_eq!(fs::read_to_string(bench.path("r.txt")).unwrap(), said.out);
    }
    valid(&fs::read_to_string(bench.path("r.xml")).unwrap());
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(bench.path("r.json")).unwrap()).unwrap();
    assert_eq!(json["outcome"]["kind"], "complete");
    bench.write("letters", 100);
    let before = bench.snapshot();
    refused(
        &bench.line(&format!("{SHORT} --text letters f")),
        "would be lost",
    );
    refused(
        &bench.line(&format!("{SHORT} --xml r.txt f")),
        "would be lost",
    );
    refused(&bench.line(&format!("{SHORT} --xml f f")), "target");
    refused(
        &bench.line(&format!("{SHORT} --xml s.db f")),
        "stored in this file",
    );
    refused(
        &bench.line(&format!("{SHORT} --xml a --text ./a f")),
        "two results",
    );
    refused(&bench.line(&format!("{SHORT} --xml no/a f")), "folder");
    assert_eq!(bench.snapshot(), before);
}

/// Whether a document keeps to the published schema.
fn valid(document: &str) {
    assert!(document.starts_with("<Results>"), "{document:.100}");
    let schema = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/schema/diskspd-results.xsd"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.xml");
    fs::write(&path, document).unwrap();
    let lint = Command::new("xmllint")
        .args(["--noout", "--schema", schema])
        .arg(&path)
        .output();
    match lint {
        Ok(lint) => assert!(
            lint.status.success(),
            "{}",
            String::from_utf8_lossy(&lint.stderr)
        ),
        Err(error) => println!("skipped: xmllint: {error}"),
    }
}

#[test]
fn a_document_is_alone_on_standard_output() {
    let bench = Bench::new();
    let said = good(bench.line(&format!("{SHORT} -D100 -v -P10 -Rxml f")));
    valid(&said.out);
    assert!(said.err.contains("starting measurements"), "{said:?}");
    assert!(said.err.contains("....."), "{said:?}");
}

const TWO_SPANS: &str = "<Profile><TimeSpans>
  <TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Targets><Target><Path>*1</Path><BlockSize>4096</BlockSize>
    <FileSize>1048576</FileSize></Target></Targets></TimeSpan>
  <TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Targets><Target><Path>*1</Path><BlockSize>8192</BlockSize>
    <WriteRatio>50</WriteRatio><Random>8192</Random></Target></Targets></TimeSpan>
</TimeSpans></Profile>";

#[test]
fn a_profile_runs_its_time_spans_one_after_another() {
    let bench = Bench::new();
    fs::write(bench.path("p.xml"), TWO_SPANS).unwrap();
    let said = good(bench.line("diskspd -Xp.xml f"));
    for words in [
        "Results for timespan 1:",
        "Results for timespan 2:",
        "\nTotals:\n",
        "total test time:\t2.0",
    ] {
        assert!(said.out.contains(words), "{words} in {said:?}");
    }
    let shown = bench.line("show 1").good();
    assert!(shown.out.contains("1.1, timespan 1 ") && shown.out.contains("1.2, timespan 2 "));
    bench.line("show 1 --json").refused("1.1");
    bench.line("show 1.2 --json").good().json();
    let json = bench.line("diskspd -Xp.xml -Rxml --json two.json f");
    valid(&good(json).out);
    let two: serde_json::Value =
        serde_json::from_slice(&fs::read(bench.path("two.json")).unwrap()).unwrap();
    assert_eq!(two.as_array().map(Vec::len), Some(2));
}

#[test]
fn a_broken_profile_is_reported_with_its_place() {
    let bench = Bench::new();
    fs::write(
        bench.path("p.xml"),
        "<Profile>\n <TimeSpans><TimeSpan></Wrong>",
    )
    .unwrap();
    refused(&bench.line("diskspd -Xp.xml f"), "line 2");
    refused(&bench.line("diskspd -Xnowhere.xml f"), "No such file");
}

#[test]
fn a_stop_in_the_measured_time_gives_its_result_and_ends_the_session() {
    let bench = Bench::new();
    let profile = TWO_SPANS.replacen("<Duration>1<", "<Duration>3600<", 1);
    fs::write(bench.path("p.xml"), profile).unwrap();
    let mut child = bench.start("diskspd -Xp.xml -v f");
    let mut before = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("starting measurements") {
        line.clear();
        assert!(before.read_line(&mut line).unwrap() > 0);
    }
    send("-INT", &child);
    let mut out = String::new();
    before.read_to_string(&mut out).unwrap();
    let said = Said::from(child.wait_with_output().unwrap());
    let said = Said { out, ..said };
    assert_eq!(said.code, Some(0), "{said:?}");
    for words in [
        "*** Interrupted by Ctrl-C.",
        "\nTotal IO\n",
        "interrupted before the measurements",
        "Totals:",
    ] {
        assert!(said.out.contains(words), "{words} in {said:?}");
    }
}

#[test]
fn a_stop_in_the_warm_up_gives_no_result_and_no_failure() {
    let bench = Bench::new();
    let child = bench.start("diskspd -c1M -b4K -W3600 -d1 -v f");
    until(|| bench.path("f").exists());
    send("-INT", &child);
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out
            .contains("interrupted before the measurements began"),
        "{said:?}"
    );
}

#[test]
fn an_event_stops_a_run_and_one_that_nobody_holds_cannot_be_set() {
    let bench = Bench::new();
    let nobody = bench.line("diskspd -yenone-there");
    assert_eq!(nobody.code, Some(1), "{nobody:?}");
    assert!(nobody.err.contains("none-there"), "{nobody:?}");
    let child = bench.start("diskspd -c1M -b4K -W0 -d3600 -ypenough -ysbegun f");
    good(bench.line("diskspd -yrbegun -c1M -b4K -W0 -d1 --no-store g"));
    let set = bench.line("diskspd -yeenough");
    assert_eq!(
        (set.code, set.out.as_str()),
        (Some(0), "Succesfully set event: 'enough'\nNow exiting...\n")
    );
    good(Said::from(child.wait_with_output().unwrap()));
}

#[test]
fn a_read_that_fails_ends_the_run_without_tables() {
    let bench = Bench::new();
    let child = bench.start("diskspd -c4M -b4K -r -Su -W0 -d3600 -ysbegun-to-fail f");
    good(bench.line("diskspd -yrbegun-to-fail -c1M -b4K -W0 -d1 --no-store g"));
    let file = fs::OpenOptions::new()
        .write(true)
        .open(bench.path("f"))
        .unwrap();
    file.set_len(4096).unwrap(); // most of it is gone: reads end before they begin
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    // The file is checked during the reads; on a busy disk that is faster than the failing read.
    let causes = ["error during read", "another program truncated the file"];
    assert!(
        causes.iter().any(|cause| said.err.contains(cause)),
        "{said:?}"
    );
    assert!(
        said.err.contains("Error generating I/O requests"),
        "{said:?}"
    );
    assert!(!said.out.contains("Total IO"), "{said:?}");
}

#[test]
fn what_may_not_mean_what_was_meant_is_reported() {
    let bench = Bench::new();
    let warns = |switches: &str, words: &str| {
        let said = good(bench.line(&format!("diskspd -c1M -b4K -W0 {switches} f")));
        assert!(said.err.contains(words), "{words} in {said:?}");
    };
    warns("-d1s", "-d1s");
    warns("–d1", "–d1"); // a dash from a web page
    warns("-d1", "no -S");
    warns("-d1 -f20M", "beyond");
    warns("-d1 -Sb", "memory");
}

#[test]
fn the_answer_comes_before_the_warnings_and_in_the_dialect_s_words() {
    let bench = Bench::new();
    let missing = bench.line("diskspd -d1 -W0 f");
    assert_eq!(missing.code, Some(1), "{missing:?}");
    let first = "fathom: f: there is nothing under this name";
    assert!(missing.err.starts_with(first), "{missing:?}");
    assert!(missing.err.contains("-cSIZE") && missing.err.contains("no -S"));
    assert!(!missing.err.contains("--create"), "{missing:?}");
    refused(
        &bench.line("diskspd -ag0, f"),
        "\n        -ag0,\n             ^\n",
    );
}

/// Lines that were published, with a small file, and the time cut short.
#[test]
fn published_lines_run_and_the_published_script_reads_them() {
    let bench = Bench::new();
    for line in [
        "-Suw -L -W5 –Z1G -d60 –c440G -t8 -o4 -b8K -r -w20",
        "-Suw -L -W3 -Z1G -d120 -c440G  -t4 -o2 -b8K -si -w0",
        "-Suw -L -W3 -Z1G -d120 -c440G  -t16 -o16 -b64K -r -w100",
        "-b4K -t8 -o16 -w0 -c1G -r -h -d10 -W5 -L",
        "-t2 -o32 -b4k -r4k -w0 -d120 -Sh -D -L -c5G",
        "-c1G -b4K -t2 -d10",
        "-b8K -d30 -o4 -t8 -h -r -w25 -L -Z1G -c20G",
    ] {
        let small = line
            .replace("440G", "64M")
            .replace("c20G", "c64M")
            .replace("c5G", "c64M");
        let small = small.replace("c1G", "c64M").replace("Z1G", "Z64M");
        for compat in ["2.2", "2.0"] {
            let said = good(bench.line(&format!(
                "diskspd {small} -W0 -d1 --compat {compat} test.dat"
            )));
            let fields = totals(&said.out);
            let (ios, mib, rate) = (fields[0], fields[1], fields[2]);
            assert!(ios > 0.0, "{line}: {fields:?}");
            let latency = fields.get(3); // with -L
            assert_eq!(
                latency.is_some_and(|&ms| ms > 0.0),
                line.contains("-L"),
                "{line}: {fields:?}"
            );
            let block = if line.contains("64K") {
                65536.0
            } else if line.contains("8K") {
                8192.0
            } else {
                4096.0
            };
            assert!(
                (mib - rate * block / 1_048_576.0).abs() < 0.02,
                "{line}: {fields:?}"
            );
            let cpu = said
                .out
                .lines()
                .find_map(|line| line.trim_start().strip_prefix("avg.|"))
                .unwrap();
            let cpu = cpu.split('|').next().unwrap().trim().trim_end_matches('%');
            assert!(
                (0.0..=100.0).contains(&cpu.parse::<f64>().unwrap()),
                "{cpu}"
            );
        }
    }
}

#[test]
fn a_device_needs_its_own_words_and_is_never_made() {
    let bench = Bench::new();
    bench.write("image", 8 << 20);
    let attached = Command::new("losetup")
        .args(["-f", "--show"])
        .arg(bench.path("image"))
        .output();
    let device = match attached {
        Ok(out) if out.status.success() => String::from_utf8(out.stdout).unwrap().trim().to_owned(),
        Ok(out) => return println!("skipped: losetup: {}", String::from_utf8_lossy(&out.stderr)),
        Err(error) => return println!("skipped: losetup: {error}"),
    };
    let _detach = Detach(device.clone());
    let before = fs::read(bench.path("image")).unwrap();
    good(bench.line(&format!("diskspd -c64M -b4K -W0 -d1 -Su {device}"))); // `-c` leaves devices alone
    refused(
        &bench.line(&format!("diskspd -w1 -b4K -W0 -d1 -Su {device}")),
        "--destroy",
    );
    refused(
        &bench.line(&format!("diskspd -w1 -b4K --overwrite -Su {device}")),
        "--destroy",
    );
    assert_eq!(fs::read(bench.path("image")).unwrap(), before);
    good(bench.line(&format!(
        "diskspd -w100 -b4K -W0 -d1 -Su --destroy {device} {device}"
    )));
}

struct Detach(String);

impl Drop for Detach {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["-d", &self.0]).status();
    }
}
