//! `fathom dd` compared with dd of GNU coreutils: the same bytes, the same records; and what it does not write over. `fathom lmdd`
//! and `fathom sgp_dd` likewise, with their own lines.

use crate::bench::{Bench, Said, send, until};
use crate::looped::Loop;
use std::io::Write;
use std::process::Command;

fn records(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| line.contains(" records "))
        .collect()
}

#[test]
fn what_it_copies_and_counts_is_what_dd_copies_and_counts() {
    for line in [
        "if=in bs=4K",
        "if=in bs=1000 count=7",
        "if=in ibs=512 obs=4096",
        "if=in ibs=4096 obs=512 skip=1",
        "if=in bs=4096 skip=2 seek=3 count=1",
        "if=in bs=1K count=10kB",
        "if=in bs=1K count=4 conv=notrunc,fsync",
        "if=in bs=4K conv=sync",
        "if=in bs=2xK seek=1000B conv=fdatasync",
        "if=/dev/zero bs=64K count=3",
        "if=in",
        "if=in bs=4K iflag=skip_bytes,count_bytes skip=100 count=5000 oflag=seek_bytes seek=17",
        "if=in bs=4096 oflag=direct",
        "if=in bs=1M oflag=dsync status=noxfer",
        "if=in bs=1M count=0",
    ] {
        let bench = Bench::new();
        bench.write("in", 10_007);
        let mut theirs = Command::new("dd");
        theirs
            .args(line.split_whitespace())
            .arg("of=theirs")
            .current_dir(bench.path("."));
        let theirs = theirs.env("LC_ALL", "C").output().unwrap();
        assert!(theirs.status.success(), "{line}: {theirs:?}");
        let said = bench.line(&format!("dd {line} of=ours --no-store"));
        assert_eq!(said.code, Some(0), "{line}: {said:?}");
        assert_eq!(
            std::fs::read(bench.path("ours")).unwrap(),
            std::fs::read(bench.path("theirs")).unwrap(),
            "{line}"
        );
        let reported = String::from_utf8_lossy(&theirs.stderr).into_owned();
        assert_eq!(records(&said.err), records(&reported), "{line}");
        let amount = |text: &str| {
            text.lines()
                .last()
                .unwrap_or("")
                .split(" copied")
                .next()
                .map(str::to_owned)
        };
        assert_eq!(amount(&said.err), amount(&reported), "{line}");
    }
}

#[test]
fn it_says_what_came_from_caches_and_keeps_the_result() {
    let bench = Bench::new();
    let said = bench
        .line("dd if=/dev/zero of=out bs=64K count=16 conv=fdatasync")
        .good();
    assert!(said.out.contains("\n  copied  1 MiB in "), "{said:?}");
    assert!(said.out.contains("write, sequential") && said.out.contains("read, sequential"));
    assert!(said.err.starts_with(
        "16+0 records in\n16+0 records out\n1048576 bytes (1.0 MB, 1.0 MiB) copied, "
    ));
    let page = |text: &str| text.lines().take(6).collect::<Vec<_>>().join("\n");
    assert_eq!(page(&bench.line("show 1").good().out), page(&said.out));
    let document = bench.line("show 1 --json").good().json();
    assert_eq!(document["copy"]["records_in"], serde_json::json!([16, 0]));
    assert_eq!(
        document["rows"][1]["latency"]["percentiles"]
            .as_array()
            .unwrap()
            .len(),
        5
    );
    assert_eq!(
        bench
            .line("dd if=/dev/zero of=out bs=1 count=1 status=none --overwrite")
            .good()
            .err,
        ""
    );
}

#[test]
fn nobodys_data_is_written_over_without_the_words() {
    let bench = Bench::new();
    bench.write("letter", 5000);
    let before = bench.snapshot();
    bench
        .line("dd if=/dev/zero of=letter count=1")
        .refused("letter: ");
    bench
        .line("dd if=letter of=./letter")
        .refused("read and written at once");
    bench
        .line("dd if=gone of=new")
        .refused("gone: there is no such file");
    bench
        .line("dd if=letter of=/dev/tty")
        .refused("neither file nor disk");
    bench
        .line("dd if=letter of=letter2 conv=nocreat")
        .refused("there is none");
    bench
        .line("dd if=letter of=s.db")
        .refused("the results are stored in this file");
    bench
        .line("dd if=letter bs=0 of=x foo=1")
        .refused("foo=: dd has no such operand");
    assert_eq!(bench.snapshot(), before);
    bench
        .line("dd if=/dev/zero of=letter bs=100 count=1 conv=notrunc --overwrite")
        .good();
    let now = std::fs::read(bench.path("letter")).unwrap();
    assert_eq!((now.len(), &now[..100]), (5000, &[0; 100][..]));
}

#[test]
fn a_device_needs_its_own_name_in_the_words() {
    let bench = Bench::new();
    let Some(looped) = Loop::new(&[]) else {
        return;
    };
    let device = looped.device.display();
    let first = || {
        let mut command = Command::new("dd");
        command
            .arg(format!("if={device}"))
            .args(["bs=4096", "count=1", "status=none"]);
        command.output().unwrap().stdout
    };
    let before = first();
    bench
        .line(&format!("dd if=/dev/zero of={device} bs=1M count=1"))
        .refused("--destroy");
    assert_eq!(first(), before);
    bench
        .line(&format!(
            "dd if=/dev/zero of={device} bs=1M count=1 oflag=direct --destroy {device}"
        ))
        .good();
    assert_eq!(first(), vec![0; 4096]);
}

#[test]
fn lmdd_and_sgp_dd_copy_and_print_their_own_lines() {
    let bench = Bench::new();
    let said = bench
        .line("lmdd if=internal of=out bs=64k count=16 fsync=1 label=disk:")
        .good();
    assert!(said.err.starts_with("disk:1.0486 MB in "), "{said:?}");
    assert_eq!(std::fs::read(bench.path("out")).unwrap(), vec![0; 1 << 20]);
    let document = bench.line("show 1 --json").good().json();
    assert_eq!(document["copy"]["records_out"], serde_json::json!([16, 0]));
    assert_eq!(document["copy"]["operands"][0], "if=internal");
    assert_eq!(document["command"][1], "lmdd");
    assert!(bench.line("list").good().out.contains("if=internal"));

    bench.write("in", 1_000_003);
    let said = bench
        .line("sgp_dd if=in of=copy bs=512 bpt=7 thr=4 count=1953 time=1 --no-store")
        .good();
    assert!(
        said.err.starts_with("time to transfer data was 0."),
        "{said:?}"
    );
    assert!(
        said.err
            .ends_with("1953+0 records in\n1953+0 records out\n"),
        "{said:?}"
    );
    let copy = std::fs::read(bench.path("copy")).unwrap();
    assert_eq!(copy, std::fs::read(bench.path("in")).unwrap()[..1953 * 512]);
    let said = bench.line("sgp_dd if=in of=. bs=512 count=9999 --no-store");
    assert_eq!(said.code, Some(99), "the source is shorter: {said:?}");
    assert!(said.err.contains("1953+1 records in"), "{said:?}");
    let random = "lmdd if=in bs=4k rand=512k count=100 print=5 --no-store";
    assert!(bench.line(random).good().err.starts_with("0.409600 "));
}

#[test]
fn lmdd_and_sgp_dd_refuse_what_dd_refuses_and_what_they_lack() {
    let bench = Bench::new();
    bench.write("letter", 5000);
    let before = bench.snapshot();
    for (line, why) in [
        ("lmdd if=internal of=letter count=1", "--overwrite"),
        (
            "sgp_dd if=/dev/zero of=letter bs=512 count=1",
            "--overwrite",
        ),
        (
            "lmdd if=letter of=new bs=512 odirect=1 nocreate=1",
            "nocreate=1 requires",
        ),
        ("lmdd if=letter b=8k", "hint: bs="),
        ("sgp_dd if=letter of=. bs=512", "count=: a file needs it"),
        ("sgp_dd if=/dev/sg1 of=. bs=512", "block device"),
        (
            "sgp_dd if=letter of=letter bs=512 count=1 --overwrite",
            "read and written at once",
        ),
        ("lmdd if=gone", "there is no such file"),
    ] {
        bench.line(line).refused(why);
    }
    for line in [
        "lmdd if=letter of=new --dry-run",
        "sgp_dd if=letter of=new bs=512 count=2 --dry-run",
        "dd if=letter of=new --dry-run",
    ] {
        assert!(
            bench.line(line).good().out.starts_with("dry run: "),
            "{line}"
        );
    }
    assert_eq!(bench.snapshot(), before);
    let program = bench.copy_of_program();
    let link = bench.path("lmdd");
    std::os::unix::fs::symlink(program, &link).unwrap();
    let words = ["if=letter", "bs=500", "--no-store"];
    let said = crate::bench::Said::from(bench.command_of(&link, &words).output().unwrap());
    assert!(said.good().err.starts_with("0.0050 MB in "));
}

#[test]
fn sgp_dd_reads_a_device_to_its_end_in_its_logical_blocks() {
    let bench = Bench::new();
    let Some(looped) = Loop::new(&[]) else {
        return;
    };
    let device = looped.device.display();
    let said = bench
        .line(&format!(
            "sgp_dd if={device} of=. bs=512 iflag=direct thr=2 skip=1024 --no-store"
        ))
        .good();
    assert!(said.err.contains("130048+0 records in"), "{said:?}");
    bench
        .line(&format!("sgp_dd if={device} of=. bs=1k"))
        .refused("must be the logical block");
    bench
        .line(&format!("sgp_dd if=/dev/zero of={device} bs=512 count=1"))
        .refused("--destroy");
}

#[test]
fn one_stop_ends_a_copy_from_a_pipe_that_has_no_writer_or_a_slow_one() {
    let bench = Bench::new();
    let fifo = bench.path("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let child = bench.spawn("dd if=fifo of=none bs=4k");
    until(|| bench.path("none").exists());
    send("-INT", &child);
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("0+0 records in"), "{said:?}");

    let child = bench.spawn("dd if=fifo of=some bs=4k");
    let mut writer = std::fs::OpenOptions::new().write(true).open(&fifo).unwrap();
    writer.write_all(&[7; 10_000]).unwrap();
    until(|| std::fs::metadata(bench.path("some")).map_or(0, |file| file.len()) >= 10_000);
    send("-INT", &child); // the writer stays
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(std::fs::read(bench.path("some")).unwrap(), [7; 10_000]);
    assert!(!said.out.contains("the source's device"), "{said:?}");
    let copied = &bench.line("show 2 --json").good().json()["copy"];
    assert_eq!(copied["copied_bytes"], 10_000, "{copied}");
}

#[test]
fn what_cannot_be_copied_is_refused_before_the_output_is_emptied() {
    let bench = Bench::new();
    let made = Command::new("mkfifo").arg(bench.path("fifo")).status();
    assert!(made.unwrap().success());
    bench.write("in", 100_000);
    bench.write("mine", 5000);
    for (line, reason) in [
        ("lmdd if=fifo of=mine bs=4k count=1", "a pipe has no places"),
        (
            "lmdd if=in of=mine bs=6 odirect=1 count=1",
            "multiple of 512",
        ),
        (
            "dd if=in of=mine bs=4k seek=9223372036854775807",
            "no file has a place",
        ),
        (
            "sgp_dd if=in of=mine bs=512 bpt=2097152 thr=2",
            "fewer threads",
        ),
    ] {
        let line = format!("{line} --overwrite --no-store");
        bench.line(&line).refused(reason);
        assert_eq!(
            std::fs::metadata(bench.path("mine")).unwrap().len(),
            5000,
            "{line}"
        );
    }
}

/// At the end of a device, a write of 64 KiB of which 4 KiB have a place.
#[test]
fn what_was_written_before_a_write_failed_is_counted_as_dd_and_sgp_dd_count_it() {
    let bench = Bench::new();
    let Some(looped) = Loop::new(&[]) else {
        return;
    };
    let device = looped.device.display();
    let consent = format!("--destroy {device} --no-store");
    let counts = |text: &str| {
        let lines = text.lines().filter(|line| {
            ["records", "remaining", "copied"]
                .iter()
                .any(|word| line.contains(word))
        });
        let counts = lines.map(|line| line.split(" copied").next().unwrap_or("").to_owned());
        counts.collect::<Vec<_>>()
    };
    for sizes in [
        "bs=65536 seek=1023",
        "ibs=4096 obs=65536 seek=1023",
        "bs=1000 seek=67108",
    ] {
        let line = format!("if=/dev/zero of={device} {sizes} count=99");
        let mut theirs = Command::new("dd");
        let theirs = theirs.args(line.split_whitespace()).env("LC_ALL", "C");
        let theirs = theirs.output().unwrap();
        let ours = bench.line(&format!("dd {line} {consent}"));
        assert_eq!(
            (theirs.status.code(), ours.code),
            (Some(1), Some(1)),
            "{ours:?}"
        );
        let reported = String::from_utf8_lossy(&theirs.stderr).into_owned();
        assert_eq!(counts(&ours.err), counts(&reported), "{sizes}");
    }
    // What sgp_dd of sg3_utils 1.46 prints for it, with bpt=128 and thr=1.
    let line = format!("sgp_dd if=/dev/zero of={device} bs=512 seek=131064 count=200 thr=1");
    let said = bench.line(&format!("{line} {consent}"));
    assert_eq!(said.code, Some(99), "{said:?}");
    assert_eq!(
        counts(&said.err),
        [
            "  remaining block count=192",
            "128+0 records in",
            "8+0 records out"
        ]
    );
}

#[test]
fn a_source_that_ends_early_is_reported_with_the_exit_code_of_the_original() {
    let bench = Bench::new();
    bench.write("in", 5000);
    bench.write("empty", 0);
    for (line, code, why) in [
        (
            "lmdd if=in bs=1k skip=9 count=3",
            0,
            "the source ended after 0 B of 3 KiB",
        ),
        (
            "lmdd if=in bs=1k count=9",
            0,
            "the source ended after 4.88 KiB of 9 KiB",
        ),
        ("lmdd if=empty", 0, "the source ended after 0 B\n"),
        ("lmdd if=in bs=1k rand=100g count=9", 0, "a random place"),
        (
            "sgp_dd if=in of=. bs=512 count=99",
            99,
            "the source ended after 4.88 KiB of 49.5 KiB",
        ),
        (
            "sgp_dd if=in of=. bs=512 count=9 skip=99",
            99,
            "the source ended after 0 B",
        ),
    ] {
        let said = bench.line(&format!("{line} --no-store"));
        assert_eq!(said.code, Some(code), "{line}: {said:?}");
        assert!(said.err.contains(why), "{line}: {said:?}");
    }
    for line in [
        "lmdd if=in bs=1k",
        "lmdd if=in bs=1k count=4",
        "sgp_dd if=in of=. bs=512 count=9",
    ] {
        let said = bench.line(&format!("{line} --no-store")).good();
        assert!(!said.err.contains("ended"), "{line}: {said:?}");
    }
    let Some(looped) = Loop::new(&[]) else {
        return;
    };
    let device = looped.device.display();
    for operands in ["skip=131072", "skip=200000 count=1"] {
        bench
            .line(&format!("sgp_dd if={device} of=. bs=512 {operands}"))
            .refused("skip=: ");
    }
    let line = format!("lmdd if={device} bs=1m skip=64 print=1 --no-store");
    let said = bench.line(&line).good();
    assert!(said.err.contains("in inf millisecs, "), "{said:?}");
}

#[test]
fn an_output_that_overlaps_the_input_is_refused() {
    let bench = Bench::new();
    let Some(looped) = Loop::new(&[]) else {
        return;
    };
    let (device, file) = (looped.device.display(), looped.file.display());
    let file = format!("'{file}'");
    let consent = format!("--destroy {device} --overwrite");
    for line in [
        format!("lmdd if={file} of={device} count=1 {consent}"),
        format!("sgp_dd if={file} of={device} bs=512 count=1 {consent}"),
        format!("dd if={file} of={device} count=1 {consent}"),
        format!("dd if={device} of={file} count=1 conv=notrunc --overwrite"),
    ] {
        bench.line(&line).refused("overlaps the input");
    }
    let other = format!("dd if={device} of=copy bs=1M count=1 --no-store");
    bench.line(&other).good();
}

#[test]
fn an_end_that_is_none_has_its_own_name_and_operands_of_it_have_a_note() {
    let bench = Bench::new();
    bench.write("in", 5000);
    let line = "lmdd if=in of=internal odirect=1 fsync=1 notrunc=1 --json";
    let said = bench.line(line).good();
    for operand in ["odirect=1", "fsync=1", "notrunc=1"] {
        let note = format!("{operand}: it has no effect");
        assert!(said.err.contains(&note), "{said:?}");
    }
    let paths = &bench.line("show 1 --json").good().json()["paths"];
    assert_eq!(*paths, serde_json::json!(["in", "internal"]));
    for (line, part) in [
        ("lmdd if=internal of=new count=1", "from    internal, "),
        ("lmdd if=in", "to      internal, "),
        ("sgp_dd if=in of=. bs=512 count=1", "to      ., "),
    ] {
        let said = bench.line(&format!("{line} --dry-run")).good();
        assert!(said.out.contains(part), "{said:?}");
    }
    let said = bench.line("sgp_dd if=in of=. bs=512 count=1 oflag=direct seek=2 --dry-run");
    assert_eq!(said.err.matches("it has no effect").count(), 2, "{said:?}");
    for (line, operand) in [
        (
            "lmdd if=/dev/zero of=new count=1 direct=1",
            "/dev/zero: direct=1 needs",
        ),
        (
            "lmdd if=/dev/zero of=new count=1 idirect=1",
            "/dev/zero: idirect=1 needs",
        ),
    ] {
        bench.line(line).refused(operand);
    }
}
