//! `fathom run` under a launcher of MPI: one result of all ranks, refusals, a rank that dies.

use crate::bench::{Bench, Said, answered, until};
use serde_json::Value;
use std::ffi::OsString;
use std::process::{Child, Command, Stdio};

/// Launchers with the options that let several ranks run here.
pub(crate) const LAUNCHERS: [(&str, &[&str]); 2] = [
    ("mpirun.openmpi", &["--oversubscribe", "--bind-to", "none"]),
    ("mpirun.mpich", &[]),
];

/// Calls `test` with each launcher that is installed: for what both have to do equally.
fn with_each(test: impl Fn(&Launcher)) {
    for (program, options) in LAUNCHERS {
        match Command::new(program).arg("--version").output() {
            Ok(_) => test(&Launcher { program, options }),
            Err(error) => println!("skipped: {program}: {error}"),
        }
    }
}

/// Calls `test` with the launcher that starts faster, or with the other where that is not installed: the library of MPI is
/// asked for the same few calls in all of these.
pub(crate) fn with_one(test: impl Fn(&Launcher)) {
    let installed = |program: &str| Command::new(program).arg("--version").output().is_ok();
    let mut launchers = LAUNCHERS.iter().rev();
    match launchers.find(|(program, _)| installed(program)) {
        Some((program, options)) => test(&Launcher { program, options }),
        None => println!("skipped: neither Open MPI nor MPICH is installed"),
    }
}

pub(crate) struct Launcher {
    program: &'static str,
    options: &'static [&'static str],
}

impl Launcher {
    fn command(&self, bench: &Bench, ranks: u32, words: &[OsString]) -> Command {
        let mut command = Command::new("timeout");
        command.args(["60", self.program, "-n", &ranks.to_string()]);
        command.args(self.options).arg(env!("CARGO_BIN_EXE_fathom"));
        command.args(words);
        command.current_dir(bench.path(""));
        command.env("FATHOM_STORE", bench.path("hosts.db"));
        of_open_mpi(&mut command, bench);
        command
    }

    pub(crate) fn run(&self, bench: &Bench, ranks: u32, line: &str) -> Said {
        let words: Vec<&str> = line.split_whitespace().collect();
        answered(&words, |words| {
            Said::from(self.command(bench, ranks, words).output().unwrap())
        })
    }
}

/// As root, and with a folder of its own for each test: two launchers that begin and end at once remove each other's.
fn of_open_mpi(command: &mut Command, bench: &Bench) {
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1");
    command.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_orte_tmpdir_base", bench.short());
}

fn ids(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().into_iter().flatten();
    findings.map(|one| one["id"].as_str().unwrap()).collect()
}

#[test]
fn the_sum_of_all_ranks_is_that_of_their_own_records() {
    with_each(|launcher| {
        let bench = Bench::new();
        let line = "run f.{rank} --create 1M -w 50 -d 300ms --warmup 0s --json";
        let document = launcher.run(&bench, 3, line).good().json();
        let hosts = document["hosts"].as_array().unwrap();
        let sum = |field: &str| -> u64 {
            hosts
                .iter()
                .map(|host| host["figures"][field].as_u64().unwrap())
                .sum()
        };
        let total = document["operations"].as_array().unwrap().last().unwrap();
        assert_eq!(
            (hosts.len(), document["job"]["ranks"].as_u64()),
            (3, Some(3))
        );
        assert_eq!(total["ios"].as_u64(), Some(sum("ios")));
        assert_eq!(total["bytes"].as_u64(), Some(sum("bytes")));
        assert!(sum("ios") > 0);
        for host in hosts {
            // All ranks are on one machine, whose clocks are one, counted from when each process began.
            assert!(host["clock"]["uncertainty_ns"].as_u64().unwrap() < 1_000_000_000);
        }
        let store = "--store hosts.db";
        let shown = bench.line(&format!("show 1 --json {store}")).good().json();
        assert_eq!(shown["operations"], document["operations"]);
        for rank in 1..=3 {
            let own = bench
                .line(&format!("show 1.{rank} --json {store}"))
                .good()
                .json();
            let ios = own["operations"].as_array().unwrap().last().unwrap()["ios"].as_u64();
            assert_eq!(ios, hosts[rank - 1]["figures"]["ios"].as_u64());
        }
    });
}

#[test]
fn each_rank_measures_alone_before_all_do() {
    with_each(|launcher| {
        let bench = Bench::new();
        let line = "run f.{rank} --create 1M -d 300ms --warmup 0s --each --json";
        let document = launcher.run(&bench, 3, line).good().json();
        assert_eq!(document["hosts"].as_array().unwrap().len(), 3);
        let alone = document["alone"].as_array().unwrap();
        let store = "--store hosts.db";
        let mut ended = 0;
        for (row, rank) in alone.iter().zip(1..) {
            assert_eq!(row["rank"].as_u64(), Some(rank - 1));
            assert_eq!(row["number"].as_u64(), Some(rank));
            let show = format!("show 1.{rank} --json {store}");
            let own = bench.line(&show).good().json();
            let ios = own["operations"].as_array().unwrap().last().unwrap()["ios"].as_u64();
            assert_eq!(ios, row["figures"]["ios"].as_u64());
            let began = own["time"]["started_utc_ns"].as_u64().unwrap();
            assert!(began > ended, "two measured at once");
            ended = began + 300_000_000;
        }
        assert_eq!(alone.len(), 3);
        let shown = bench.line(&format!("show 1 --json {store}")).good().json();
        assert_eq!(shown["alone"], document["alone"]);
        let listed = bench.line(&format!("list --json {store}")).good().json();
        let headline = listed["sessions"][0]["headline"].as_str().unwrap();
        assert!(headline.contains("of 3 ranks together"), "{headline}");
        // All are on one host, which cannot own more than the others.
        let host = alone[0]["host"].as_str().unwrap();
        let owned = launcher.run(&bench, 2, &format!("{line} --owner {host}"));
        let owned = owned.good().json();
        assert_eq!(owned["job"]["owners"], serde_json::json!([0, 1]));
        assert!(!ids(&owned).contains(&"owner-node"));
        let unknown = launcher.run(&bench, 2, &format!("{line} --owner n99"));
        assert_eq!(unknown.code, Some(2), "{unknown:?}");
        assert!(
            unknown.err.contains("invalid value 'n99' for --owner"),
            "{unknown:?}"
        );
        bench
            .line("run f.0 --each")
            .refused("--each: this is no run on many hosts");
    });
}

#[test]
fn segments_lie_one_behind_the_other_in_one_file() {
    with_one(|launcher| {
        let bench = Bench::new();
        bench.line("run f --create 4M -d 100ms --warmup 0s").good();
        let line = "run f --layout segments --length 1M -w 100 -d 200ms --warmup 0s --json";
        let document = launcher.run(&bench, 4, line).good().json();
        assert_eq!(document["job"]["layout"], "segments");
        let store = "--store hosts.db";
        for rank in 1..=4u64 {
            let own = bench
                .line(&format!("show 1.{rank} --json {store}"))
                .good()
                .json();
            let work = &own["targets"][0];
            assert_eq!(
                work["work"]["base_bytes"].as_u64(),
                Some((rank - 1) << 20),
                "{work}"
            );
        }
        let long = "run f --layout segments --length 2M -d 100ms";
        assert_eq!(launcher.run(&bench, 4, long).code, Some(2));
    });
}

#[test]
fn interleaved_ranges_take_turns_thread_after_thread() {
    with_one(|launcher| {
        let bench = Bench::new();
        bench.line("run f --create 6M -d 100ms --warmup 0s").good();
        let line = "run f --layout interleaved:64K --length 2M --pattern sequential -b 16K -t 2 -w 100 -d 200ms --warmup 0s --json";
        let document = launcher.run(&bench, 3, line).good().json();
        assert_eq!(document["job"]["layout"], "interleaved");
        let store = "--store hosts.db";
        for rank in 1..=3u64 {
            let show = format!("show 1.{rank} --json {store}");
            let own = bench.line(&show).good().json();
            let work = &own["targets"][0]["work"];
            let runs = &work["access"]["runs"];
            let first = runs["first"].as_u64().unwrap_or(0);
            assert_eq!((first, &runs["run"]), ((rank - 1) * 2, &4.into()), "{work}");
            assert_eq!(
                (&runs["columns"], &work["length_bytes"]),
                (&6.into(), &(6 << 20).into())
            );
        }
        for (more, part) in [
            ("interleaved:60K --length 2M -t 1", "--block"),
            ("interleaved:64K -t 1", "--length"),
            ("interleaved:64K --length 2M -t 3", "--threads"),
        ] {
            let said = launcher.run(
                &bench,
                3,
                &format!("run f --pattern sequential -b 16K --layout {more}"),
            );
            assert_eq!(said.code, Some(2), "{more}: {said:?}");
            assert!(said.err.contains(part), "{more}: {said:?}");
        }
    });
}

#[test]
fn a_rank_whose_record_is_damaged_is_named_and_the_others_are_shown() {
    let (program, options) = LAUNCHERS[0];
    if Command::new(program).arg("--version").output().is_err() {
        println!("skipped: {program} is not here");
        return;
    }
    let bench = Bench::new();
    let line = "run f.{rank} --create 1M -d 200ms --warmup 0s --json";
    let path = bench.path("hosts.db");
    let word = b"\"rank\":1,";
    // The text of a record is cut where a page of the file ends, so the word may lie in two; and unused pages may have it.
    let (mut bytes, places) = std::iter::repeat_with(|| {
        let _ = std::fs::remove_file(&path);
        Launcher { program, options }.run(&bench, 3, line).good();
        let bytes = std::fs::read(&path).unwrap();
        let all = bytes.windows(word.len()).enumerate();
        let places = all.filter(|(_, window)| window == word).map(|(at, _)| at);
        let places: Vec<usize> = places.collect();
        (bytes, places)
    })
    .take(5)
    .find(|(_, places)| !places.is_empty())
    .unwrap();
    for at in places {
        bytes[at + 7] = b'0';
    }
    std::fs::write(&path, &bytes).unwrap();
    let said = bench.line(&format!("show 1 --json --store '{}'", path.display()));
    let hosts = &said.good().json()["hosts"];
    let missing = hosts[1]["missing"].as_str().unwrap();
    assert!(missing.contains("cannot be read"), "{missing}");
    assert!(hosts[0]["figures"].is_object() && hosts[2]["figures"].is_object());
}

#[test]
fn what_cannot_be_one_run_is_refused_and_nothing_is_written() {
    with_one(|launcher| {
        let bench = Bench::new();
        std::fs::write(bench.path("thesis"), vec![b'x'; 1 << 20]).unwrap();
        let refused = [
            ("run f --create 1M -w 100", "{rank}"),
            ("run f.{user} --create 1M", "{host}"),
            ("run f.{rank} --layout all", "--layout all"),
            (
                "run f --layout striped",
                "own, segments, all or interleaved",
            ),
            ("run f --layout interleaved:0", "interleaved:SIZE"),
            (
                "run f --layout interleaved:1M --pattern random",
                "sequential",
            ),
            ("run f.{rank} --create 1M --on-loss wait", "end or continue"),
            ("run f.{rank} --create 1M --host-timeout 1s", "at least 5s"),
            ("run sim:ssd", "simulated"),
            (
                "run thesis -w 100 --overwrite --layout all",
                "on every host",
            ),
            ("run thesis -w 100 --destroy thesis", "on every host"),
            (
                "run f.{rank} --create 1M --mpi-library /no/such/library",
                "/no/such/library",
            ),
        ];
        for (line, part) in refused {
            let said = launcher.run(&bench, 2, line);
            assert_eq!(said.code, Some(2), "{line}: {said:?}");
            assert!(said.err.contains(part), "{line}: {said:?}");
        }
        assert!(!bench.path("f").exists() && !bench.path("f.0").exists());
        let thesis = std::fs::read(bench.path("thesis")).unwrap();
        assert!(thesis.iter().all(|byte| *byte == b'x'));
    });
}

#[test]
fn the_library_of_another_mpi_is_refused_with_both_names() {
    let library = "/usr/lib/x86_64-linux-gnu/libmpich.so.12";
    if !std::path::Path::new(library).exists() {
        println!("skipped: {library} is not here");
        return;
    }
    let bench = Bench::new();
    let (program, options) = LAUNCHERS[0];
    if Command::new(program).arg("--version").output().is_err() {
        println!("skipped: {program} is not here");
        return;
    }
    let line = format!("run --engine null -d 100ms --mpi-library {library}");
    let said = Launcher { program, options }.run(&bench, 2, &line);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.err.contains("Open MPI") && said.err.contains("MPICH"),
        "{said:?}"
    );
}

#[test]
fn alone_nothing_is_loaded_and_options_of_a_job_are_refused() {
    let bench = Bench::new();
    let said = bench.line("run --engine null -d 100ms --layout all");
    assert_eq!(said.code, Some(2), "{said:?}");
    with_one(|launcher| {
        let said = launcher.run(&bench, 2, "run sim:ssd -d 100ms --alone --no-store --json");
        let documents = said.good().out.matches("\"schema_version\"").count();
        assert_eq!(documents, 2);
    });
}

#[test]
fn a_rank_that_dies_is_named_and_the_others_are_kept() {
    let (program, _) = LAUNCHERS[0];
    if Command::new(program).arg("--version").output().is_err() {
        println!("skipped: {program} is not here");
        return;
    }
    let bench = Bench::new();
    let line =
        "run f.{rank} --create 1M -d 4s --warmup 0s --host-timeout 5s --on-loss continue --json";
    let child = recovering(&bench, 3, line);
    wait_for_reads(&bench, 2);
    signal(&bench, 2, "-9");
    let said = Said::from(child.wait_with_output().unwrap());
    let document = said.json();
    assert_eq!(document["verdict"]["validity"], "INVALID", "{said:?}");
    assert!(ids(&document).contains(&"host-lost"));
    let hosts = document["hosts"].as_array().unwrap();
    assert!(hosts[2]["missing"].as_str().unwrap().contains("host-lost"));
    let kept: u64 = hosts[..2]
        .iter()
        .map(|host| host["figures"]["ios"].as_u64().unwrap())
        .sum();
    let total = document["operations"].as_array().unwrap().last().unwrap();
    assert_eq!(total["ios"].as_u64(), Some(kept));
}

/// Starts ranks under Open MPI, which does not end the others where one dies. The shell that a rank begins as names its
/// process.
pub(crate) fn recovering(bench: &Bench, ranks: u32, line: &str) -> Child {
    let (program, options) = LAUNCHERS[0];
    let script = "echo $$ > pid.$OMPI_COMM_WORLD_RANK; exec \"$0\" \"$@\"";
    let mut command = Command::new("timeout");
    let count = ranks.to_string();
    command.args(["90", program, "-n", &count, "--enable-recovery"]);
    command.args(options);
    command.args(["sh", "-c", script, env!("CARGO_BIN_EXE_fathom")]);
    command
        .args(line.split_whitespace())
        .current_dir(bench.path(""));
    command.env("FATHOM_STORE", bench.path("hosts.db"));
    of_open_mpi(&mut command, bench);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// The process of a rank.
pub(crate) fn pid(bench: &Bench, rank: u32) -> String {
    let pid = std::fs::read_to_string(bench.path(&format!("pid.{rank}"))).unwrap_or_default();
    pid.trim().to_owned()
}

pub(crate) fn signal(bench: &Bench, rank: u32, signal: &str) {
    let status = Command::new("kill")
        .args([signal, &pid(bench, rank)])
        .status();
    assert!(status.unwrap().success());
}

/// Waits until a rank has read more than its file has, which it does while it measures.
pub(crate) fn wait_for_reads(bench: &Bench, rank: u32) {
    let reads = || {
        let io = format!("/proc/{}/io", pid(bench, rank));
        let io = std::fs::read_to_string(io).unwrap_or_default();
        let mut lines = io.lines();
        let bytes = lines.find_map(|line| line.strip_prefix("read_bytes: "))?;
        bytes.parse::<u64>().ok()
    };
    until(|| reads().is_some_and(|bytes| bytes > 8 << 20));
}

/// A stand-in for ssh: it takes a host and a line for its shell, and runs the line here.
pub(crate) fn with_ssh(bench: &Bench, hosts: &str, line: &str) -> Said {
    use std::os::unix::fs::PermissionsExt;
    let script = "#!/bin/sh\n[ \"$1\" = gone ] && exit 255\nshift\nexec sh -c \"$1\"\n";
    std::fs::write(bench.path("ssh"), script).unwrap();
    std::fs::set_permissions(bench.path("ssh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let ssh = bench.path("ssh").display().to_string();
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let program = env!("CARGO_BIN_EXE_fathom");
    words.extend(["--hosts", hosts, "--ssh", &ssh, "--remote-fathom", program]);
    bench.say(&words)
}

#[test]
fn hosts_by_ssh_are_one_run_and_one_that_cannot_be_reached_is_named() {
    let bench = Bench::new();
    let line = "run f.{rank} --create 1M -w 50 -d 300ms --warmup 0s --json";
    let document = with_ssh(&bench, "localhost,b,c", line).good().json();
    let hosts = document["hosts"].as_array().unwrap();
    let sum: u64 = hosts
        .iter()
        .map(|host| host["figures"]["ios"].as_u64().unwrap())
        .sum();
    let total = document["operations"].as_array().unwrap().last().unwrap();
    assert_eq!((hosts.len(), total["ios"].as_u64()), (3, Some(sum)));
    assert_eq!(document["job"]["transport"], "ssh");
    let lost = with_ssh(&bench, "localhost,gone,c", line);
    assert_eq!(lost.code, Some(1), "{lost:?}");
    assert!(lost.err.contains("rank 1 (gone)"), "{lost:?}");
}

#[test]
fn lists_of_hosts_that_are_none_are_refused() {
    let bench = Bench::new();
    let refused = [
        ("localhost,,b", "entry 2 is empty"),
        ("localhost,n[3-1]", "ends before it begins"),
        ("localhost,-oProxyCommand=x", "does not begin with '-'"),
        ("elsewhere,b", "must be this one"),
        ("localhost", "2 to 256"),
    ];
    for (hosts, why) in refused {
        let said = bench.line(&format!("run --engine null -d 100ms --hosts {hosts}"));
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(why), "{hosts}: {said:?}");
    }
}
