//! `fathom audit`: fio and dd on devices of the test's own, streams and exit codes, many children, signals, what is stored.
//!
//! The devices are loop devices over a file on a disk, with direct I/O to it: no other process uses them, so that their counters are the
//! program's also on a busy machine.

use crate::bench::{Bench, Said, send, until};
use crate::looped::Loop;
use crate::mounted::Mounted;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// ext4 on a loop device over a file on a disk.
fn mounted(bench: &Bench) -> Option<Mounted> {
    let looped = Loop::within(&bench.path(""), 48 << 20, &["--direct-io=on"])?;
    Mounted::ext4_over(bench, looped, &[])
}

fn has_fio() -> bool {
    let there = Command::new("fio").arg("--version").output().is_ok();
    if !there {
        println!("skipped: fio is not installed (cargo xtask setup)");
    }
    there
}

/// Runs a command under audit and returns its account.
fn audited(bench: &Bench, on: &Path, more: &str, command: &str) -> (Said, Value) {
    let file = bench.path("account.json");
    let _ = std::fs::remove_file(&file);
    let line = format!(
        "audit --on {} --json '{}' {more} -- {command}",
        on.display(),
        file.display()
    );
    let said = Said::from(
        bench
            .command(&crate::bench::words(&line))
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .output()
            .unwrap(),
    );
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{error}: {said:?}"));
    (said, serde_json::from_str(&text).unwrap())
}

fn ids(account: &Value) -> Vec<&str> {
    let findings = account["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| finding["id"].as_str().unwrap())
        .collect()
}

/// What the account of fio with these options answers.
fn fio(bench: &Bench, file: &Path, options: &str) -> (String, Value) {
    let command = format!(
        "fio --name=a --size=8m --bs=64k --output-format=json --filename={} {options}",
        file.display()
    );
    let (said, account) = audited(bench, file, "--tee", &command);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("\"fio version\""), "{said:?}");
    let first = said.err.lines().next().unwrap_or_default();
    let validity = account["validity"].as_str().unwrap();
    assert!(
        first
            .to_lowercase()
            .starts_with(&validity.to_lowercase().replace('_', " ")),
        "{first}"
    );
    assert!(said.err.lines().count() <= 15, "{}", said.err);
    (account["answer"].as_str().unwrap().to_owned(), account)
}

#[test]
fn figures_of_fio_are_judged_by_what_the_device_did() {
    let bench = Bench::new();
    let Some(mounted) = has_fio().then(|| mounted(&bench)).flatten() else {
        return;
    };
    let file = mounted.folder.join("f");
    let answer = |file: &Path, options: &str| fio(&bench, file, options);
    let (direct, account) = answer(&file, "--rw=randread --direct=1");
    assert_eq!(direct, "device", "{account}");
    // Tests next to this one use the disk, too.
    let is_alone = account["validity"] == "VALID";
    assert!(
        is_alone || ids(&account) == ["audit-other-load"],
        "{account}"
    );
    let buffered = "--rw=read --invalidate=0";
    answer(&file, buffered);
    let (cached, account) = answer(&file, buffered);
    assert_eq!(
        (cached.as_str(), &account["validity"]),
        ("memory", &"INVALID".into()),
        "{account}"
    );
    assert_eq!(ids(&account)[0], "audit-not-on-device");
    let hole = mounted.folder.join("sparse");
    std::fs::File::create(&hole)
        .unwrap()
        .set_len(8 << 20)
        .unwrap();
    let (sparse, account) = answer(&hole, "--rw=randread --direct=1");
    assert_eq!(sparse, "memory");
    assert!(
        account["sentence"].as_str().unwrap().contains("has holes"),
        "{account}"
    );
    let (early, account) = answer(&mounted.folder.join("w"), "--rw=write");
    assert_ne!(early, "device", "{account}");
    let (flushed, account) = answer(
        &mounted.folder.join("x"),
        "--rw=write --end_fsync=1 --bs=4k",
    );
    assert_eq!(flushed, "merged");
    assert!(!ids(&account).contains(&"audit-not-written"), "{account}");
    let (written, _) = answer(&mounted.folder.join("y"), "--rw=write --direct=1");
    assert_eq!(written, "device");
}

#[test]
fn files_and_devices_in_memory_are_no_device() {
    let bench = Bench::new();
    let Some(looped) = has_fio().then(|| Loop::new(&[])).flatten() else {
        return;
    };
    let (answer, account) = fio(&bench, &looped.device, "--rw=randread --direct=1");
    assert_eq!(answer, "no_device", "{account}");
    let (answer, account) = fio(&bench, &looped.file.with_file_name("t"), "--rw=write");
    assert_eq!(answer, "no_device", "{account}");
    assert_eq!(account["places"][0]["file_system"], "tmpfs");
}

#[test]
fn a_copy_has_its_account_with_and_without_a_flush() {
    let bench = Bench::new();
    let Some(mounted) = mounted(&bench) else {
        return;
    };
    let copy = |name: &str, more: &str| {
        let file = mounted.folder.join(name);
        let command = format!("dd if=/dev/zero of={} bs=1M count=8 {more}", file.display());
        let (said, account) = audited(&bench, &mounted.folder, "", &command);
        assert_eq!(
            (said.code, account["answer"].as_str()),
            (Some(0), Some("account"))
        );
        assert_eq!(account["requested"]["write_bytes"], 8 << 20, "{account}");
        // A flusher of the kernel may write it all before the copy ends.
        let written = account["devices"][0]["write_bytes"].as_u64().unwrap();
        let is_early = written * 10 < (8 << 20) * 9;
        let ids = ids(&account);
        assert_eq!(ids.contains(&"audit-not-written"), is_early, "{account}");
        is_early
    };
    copy("early", "");
    assert!(!copy("flushed", "conv=fdatasync"));
}

#[test]
fn streams_and_exit_codes_are_those_of_the_command() {
    let bench = Bench::new();
    let run = |words: &[&str]| {
        let all = [&["audit", "--"], words].concat();
        Said::from(
            bench
                .command(&all)
                .env("PATH", "/usr/bin:/bin")
                .output()
                .unwrap(),
        )
    };
    let script = "printf 'a\\0b'; printf 'c\\n' >&2; exit 7";
    let said = run(&["sh", "-c", script]);
    assert_eq!((said.code, said.out.as_str()), (Some(7), "a\0b"));
    assert!(said.err.starts_with("c\n"), "{said:?}");
    assert_eq!(run(&["sh", "-c", "kill -TERM $$"]).code, Some(143));
    let none = run(&["/nowhere/at/all"]);
    assert_eq!((none.code, none.out.as_str()), (Some(127), ""));
    assert!(none.err.contains("no such command"), "{none:?}");
    bench.write("text", 10);
    assert_eq!(run(&["./text"]).code, Some(126));
    let quiet = run(&["sh", "-c", "exec 2>&-; exit 3"]);
    assert_eq!(quiet.code, Some(3));
    bench
        .line("audit --on /nowhere/at/all -- true")
        .refused("invalid value '/nowhere/at/all' for --on");
    let gone = bench.line("audit --no-store --on gone -- true");
    assert!(gone.err.contains("--on gone: there is nothing"), "{gone:?}");
    let list = bench.line("list --json").good().json();
    assert_eq!(list["sessions"][0]["kind"], "audit");
}

#[test]
fn children_are_counted_also_where_their_parent_has_ended() {
    let bench = Bench::new();
    let one = "dd if=/dev/zero of=f bs=64k count=1 conv=notrunc 2>/dev/null";
    let waited = format!("i=0; while [ $i -lt 60 ]; do {one}; i=$((i+1)); done");
    let orphans = format!("i=0; while [ $i -lt 20 ]; do ({one} &); i=$((i+1)); done; sleep 0.3");
    for (script, count) in [(waited, 60), (orphans, 20)] {
        let file = bench.path("account.json");
        let _ = std::fs::remove_file(&file);
        let words = [
            "audit",
            "--quiet",
            "--json",
            "account.json",
            "--",
            "sh",
            "-c",
            &script,
        ];
        let said = Said::from(
            bench
                .command(&words)
                .env("PATH", "/usr/bin:/bin")
                .output()
                .unwrap(),
        );
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
        let account: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let asked = &account["requested"];
        assert!(
            asked["wchar_bytes"].as_u64().unwrap() >= count << 16,
            "{asked}"
        );
        assert_eq!(asked["unread"], 0, "{asked}");
    }
}

#[test]
fn a_signal_reaches_the_command_and_its_answer_is_the_result() {
    let bench = Bench::new();
    let script = "trap 'exit 5' INT; echo ready > r; while :; do sleep 0.05; done";
    let words = ["audit", "--", "sh", "-c", script];
    let mut command = bench.command(&words);
    command
        .env("PATH", "/usr/bin:/bin")
        .stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    until(|| bench.path("r").exists());
    send("-INT", &child);
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(said.err.contains("exit code 5"), "{said:?}");
}

#[test]
fn a_process_that_runs_already_has_its_account() {
    let bench = Bench::new();
    let script = "while :; do echo x > f; sleep 0.01; done";
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", script]).current_dir(bench.path(""));
    let mut child = shell.spawn().unwrap();
    let line = format!("watch --for 300ms --pid {} --json --record", child.id());
    let said = bench.line(&line);
    child.kill().unwrap();
    child.wait().unwrap();
    let document = said.good().json();
    assert_eq!(document["program"]["ending"], "running");
    assert!(
        document["requested"]["syscw"].as_u64() > Some(0),
        "{document}"
    );
    assert!(bench.line("list").good().out.contains("audit"));
    bench
        .line("watch --for 1s --pid 4000000001")
        .refused("invalid value '4000000001' for --pid: must be the number of a process that runs");
}

#[test]
fn an_account_is_stored_shown_and_exported() {
    let bench = Bench::new();
    let said = bench.line("audit -- /bin/true");
    assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{said:?}");
    let shown = bench.line("show 1").good().out;
    assert!(shown.starts_with("true used next to no storage"), "{shown}");
    assert!(
        said.err.starts_with(shown.lines().next().unwrap()),
        "{said:?}"
    );
    let document = bench.line("show 1 --json").good().json();
    assert_eq!(document["program"]["command"][0], "/bin/true");
    assert_eq!(document["answer"], "account");
    let csv = bench.line("export --csv --columns label,engine").good().out;
    assert!(csv.contains("/bin/true,audit"), "{csv}");
    bench.line("note 1 --comment idle").good();
    bench.line("report 1 -o r.html").good();
    bench.line("delete 1 --lose '1 result'");
    assert!(!bench.line("list").out.contains("audit"));
}
