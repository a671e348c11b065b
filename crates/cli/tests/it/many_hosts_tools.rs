//! Command lines of other tools, checks, work with files and surveys under a launcher of MPI: one result of all ranks.

use crate::bench::{Bench, Said};
use crate::many_hosts::{recovering, signal, wait_for_reads, with_one, with_ssh};
use crate::many_hosts_sweep::has_open_mpi;
use serde_json::Value;

fn stored(bench: &Bench, name: &str) -> Value {
    let store = bench.path("hosts.db");
    let line = format!("show {name} --json --store '{}'", store.display());
    bench.line(&line).good().json()
}

/// The I/Os of a stored result.
fn ios(bench: &Bench, name: &str) -> u64 {
    let document = stored(bench, name);
    let operations = document["operations"].as_array().unwrap();
    operations.last().unwrap()["ios"].as_u64().unwrap()
}

/// How the last session ended.
fn outcome(bench: &Bench) -> String {
    let store = bench.path("hosts.db");
    let list = bench.line(&format!("list --json --store '{}'", store.display()));
    let document = list.good().json();
    document["sessions"][0]["outcome"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn refused(said: &Said, code: i32, part: &str) {
    assert_eq!(said.code, Some(code), "{said:?}");
    assert!(said.err.contains(part), "{part}: {said:?}");
}

const FIO: &str = "fio --name=a --filename=f.{rank} --size=1m --rw=randrw --bs=4k --numjobs=2 --time_based --runtime=1 --output-format=json";

#[test]
fn the_jobs_of_a_fio_line_are_those_of_all_ranks_in_one_document() {
    with_one(|launcher| {
        let bench = Bench::new();
        let said = launcher.run(&bench, 3, FIO).good();
        let document = said.json();
        let jobs = document["jobs"].as_array().unwrap();
        assert_eq!(jobs.len(), 3 * 2, "a thread of each rank");
        let side = |side: &'static str| {
            jobs.iter()
                .map(move |job| job[side]["total_ios"].as_u64().unwrap())
        };
        let sum: u64 = side("read").chain(side("write")).sum();
        let own: u64 = (1..=3).map(|rank| ios(&bench, &format!("1.{rank}"))).sum();
        assert_eq!(sum, own);
        assert_eq!(ios(&bench, "1"), own);
        for rank in 0..3 {
            assert!(bench.path(&format!("f.{rank}")).exists());
        }
        let grouped = launcher.run(&bench, 3, &format!("{FIO} --group_reporting"));
        assert_eq!(grouped.good().json()["jobs"].as_array().unwrap().len(), 1);
    });
}

#[test]
fn time_spans_of_fio_are_stored_rank_by_rank_and_reported_as_those_of_a_job() {
    with_one(|launcher| {
        let bench = Bench::new();
        let job = "[global]\nfilename=f\nbs=4k\nsize=1m\ntime_based\nruntime=1\n[a]\nrw=randread\n[b]\nstonewall\nrw=randwrite\n";
        std::fs::write(bench.path("job.fio"), job).unwrap();
        bench.line("run f --create 4M -d 100ms --warmup 0s").good();
        let said = launcher
            .run(&bench, 2, "fio --layout segments job.fio")
            .good();
        assert_eq!(said.out.matches("2 ranks on 1 host").count(), 2, "{said:?}");
        assert!(said.out.contains("[a]") && said.out.contains("[b]"));
        let second = stored(&bench, "1.2");
        assert_eq!(second["targets"][0]["work"]["base_bytes"], 1 << 20);
        assert!(ios(&bench, "1.4") > 0);
        assert_eq!(outcome(&bench), "complete");
    });
}

#[test]
fn what_only_one_process_can_do_of_a_fio_line_is_refused() {
    with_one(|launcher| {
        let bench = Bench::new();
        bench.write("thesis", 1 << 20);
        let same = FIO.replace("{rank}", "x");
        for (line, part) in [
            (same.as_str(), "{rank}"),
            (&format!("{FIO} --unlink=1"), "unlink"),
            (&format!("{FIO} --write_bw_log=l"), "write_bw_log"),
            (&format!("{FIO} --write_iolog=l"), "write_iolog"),
            (&format!("{FIO} --create_only=1"), "create_only"),
            (&format!("{FIO} --status-interval=1"), "--status-interval"),
            (&format!("{FIO} --no-such-option=1"), "no-such-option"),
            (
                "fio --name=a --filename=thesis --rw=write --overwrite --layout all --size=1m",
                "on every host",
            ),
            (&format!("{FIO} --layout"), "--layout"),
        ] {
            refused(&launcher.run(&bench, 2, line), 2, part);
        }
        assert!(!bench.path("f.0").exists() && !bench.path("f.x").exists());
        let null = FIO.replace("--filename=f.{rank}", "--ioengine=null");
        let alone = launcher.run(&bench, 2, &format!("{null} --alone --no-store"));
        assert_eq!(alone.good().out.matches("\"jobs\"").count(), 2);
    });
    let bench = Bench::new();
    refused(
        &bench.line(&format!("{FIO} --layout all")),
        2,
        "no run on many hosts",
    );
}

#[test]
fn hosts_by_ssh_run_a_fio_line_together() {
    let bench = Bench::new();
    let document = with_ssh(&bench, "localhost,b", FIO).good().json();
    assert_eq!(document["jobs"].as_array().unwrap().len(), 2 * 2);
}

#[test]
fn a_rank_that_is_killed_fails_the_session_and_the_results_of_the_others_are_stored() {
    if !has_open_mpi() {
        return;
    }
    let bench = Bench::new();
    let line = "fio --name=a --filename=f.{rank} --size=1m --rw=randread --bs=4k --direct=1 --time_based --runtime=4 --host-timeout 5s";
    let child = recovering(&bench, 3, line);
    wait_for_reads(&bench, 2);
    signal(&bench, 2, "-9");
    let said = Said::from(child.wait_with_output().unwrap());
    assert!(
        said.err.contains("rank 2, ") && said.err.contains("host-lost"),
        "{said:?}"
    );
    assert!(ios(&bench, "1.1") > 0 && ios(&bench, "1.2") > 0);
    assert_eq!(outcome(&bench), "failed");
}

#[test]
fn tasks_of_ior_and_mdtest_are_processes_that_ssh_starts_or_that_are_lost_as_requested() {
    let bench = Bench::new();
    let said = with_ssh(&bench, "localhost,b", "ior -w -r -b 1m -t 256k -k -o f").good();
    assert_eq!(std::fs::metadata(bench.path("f")).unwrap().len(), 2 << 20);
    assert!(said.out.contains("Summary of all tests"), "{said:?}");
    let said = with_ssh(&bench, "localhost,b", "mdtest -n 20 -F -u -d md").good();
    assert!(said.out.contains("2 tasks, 40 files"), "{said:?}");
    with_one(|launcher| {
        let bench = Bench::new();
        for (line, part) in [
            ("ior -w -o f --layout all", "--layout"),
            ("ior -w -o f --on-loss wait", "end or continue"),
            ("mdtest -n 2 -d md --host-timeout 1s", "at least 5s"),
            (
                "mdtest -n 2 -d md --mpi-library /no/such/library",
                "/no/such/library",
            ),
        ] {
            refused(&launcher.run(&bench, 2, line), 2, part);
        }
        let alone = launcher.run(&bench, 2, "mdtest -n 2 -F -d md.x --alone --dry-run");
        assert_eq!(alone.good().out.matches("1 tasks").count(), 2);
    });
}

const DISKSPD: &str = "diskspd -b4K -d1 -W0 -t2 -w50 -c1M -L f.{rank}";

#[test]
fn the_threads_of_a_diskspd_line_are_those_of_all_ranks_in_one_result() {
    with_one(|launcher| {
        let bench = Bench::new();
        let said = launcher.run(&bench, 3, DISKSPD).good();
        let total = said.out.split("Total IO").nth(1).unwrap();
        let total = total.split("Read IO").next().unwrap();
        let rows = total.lines().filter(|line| line.contains("f.{rank}"));
        assert_eq!(rows.count(), 3 * 2, "{said:?}");
        let sum = total
            .lines()
            .find(|line| line.starts_with("total:"))
            .unwrap();
        let ios_of = |line: &str| {
            line.split('|')
                .nth(1)
                .unwrap()
                .trim()
                .parse::<u64>()
                .unwrap()
        };
        let own: u64 = (1..=3).map(|rank| ios(&bench, &format!("1.{rank}"))).sum();
        assert_eq!(ios_of(sum), own);
        assert_eq!(said.out.matches("Command Line").count(), 1);
        refused(
            &launcher.run(&bench, 2, "diskspd -b4K -d1 -c1M f"),
            3,
            "{rank}",
        );
        refused(
            &launcher.run(&bench, 2, "diskspd -b0 -d1 -c1M f.{rank}"),
            3,
            "-b",
        );
        refused(
            &launcher.run(&bench, 2, &format!("{DISKSPD} --json j")),
            3,
            "--json",
        );
        assert!(!bench.path("f").exists());
    });
}

#[test]
fn a_check_has_the_answer_of_each_host_and_whether_targets_fit_together() {
    with_one(|launcher| {
        let bench = Bench::new();
        bench.write("f.1", 1 << 20);
        let said = launcher.run(&bench, 2, "check f.{rank} --duration 1s --json");
        let document = said.json();
        let hosts = document["hosts"].as_array().unwrap();
        assert_eq!(hosts.len(), 2);
        assert_eq!(document["answer"], hosts[0]["check"]["answer"]);
        assert_eq!(document["targets"].as_array().unwrap().len(), 0);
        let said = launcher.run(&bench, 2, "check f --duration 1s");
        assert_eq!(said.code, Some(3), "{said:?}");
        assert!(
            said.out.starts_with("NOT READY") && said.out.contains("{rank}"),
            "{said:?}"
        );
        assert!(said.out.contains("rank 0, ") && said.out.contains("rank 1, "));
        let said = launcher.run(&bench, 2, "check f --duration 1s --layout all --json");
        assert_eq!(said.json()["targets"].as_array().unwrap().len(), 0);
        refused(
            &launcher.run(&bench, 2, "check f.{user} --duration 1s"),
            2,
            "{host}",
        );
    });
}

#[test]
fn each_step_of_work_with_files_is_that_of_all_ranks() {
    with_one(|launcher| {
        let bench = Bench::new();
        for rank in 0..3 {
            std::fs::create_dir(bench.path(&format!("d.{rank}"))).unwrap();
        }
        let line = "files d.{rank} --files 50 --data 1M --json";
        let document = launcher.run(&bench, 3, line).good().json();
        assert_eq!(document["hosts"].as_array().unwrap().len(), 3);
        let rows = document["rows"].as_array().unwrap();
        let created = rows
            .iter()
            .find(|row| row["operation"] == "create")
            .unwrap();
        assert_eq!(created["operations"], 3 * 50, "{created}");
        assert_eq!(stored(&bench, "1")["rows"], document["rows"]);
        for rank in 0..3 {
            let left = std::fs::read_dir(bench.path(&format!("d.{rank}"))).unwrap();
            assert_eq!(left.count(), 0);
        }
        for (line, part) in [
            ("files d.0 --files 50 --data 1M", "{rank}"),
            ("files e.{rank} --files 50", "e.1"),
            ("files d.{rank} --files 50 --layout all", "--layout"),
            ("files d.{rank} --files x", "--files"),
        ] {
            refused(&launcher.run(&bench, 2, line), 2, part);
        }
    });
}

#[test]
fn a_survey_measures_each_load_on_all_ranks_at_once() {
    with_one(|launcher| {
        let bench = Bench::new();
        let line =
            "survey --create f.{rank} --size 64M --budget 8s --depth-max 4 --page none --json";
        let document = launcher.run(&bench, 2, line).good().json();
        let cells = document["cells"].as_array().unwrap();
        assert!(!cells.is_empty());
        assert!(bench.path("f.0").exists() && bench.path("f.1").exists());
        let shown = stored(&bench, "1");
        assert_eq!(shown["cells"], document["cells"]);
        for (line, part) in [
            ("survey --create f.{rank} --size 64M --rm", "--rm"),
            ("survey --create f --size 64M --page none", "{rank}"),
        ] {
            refused(&launcher.run(&bench, 2, line), 2, part);
        }
    });
}

#[test]
fn commands_of_one_process_are_refused_once() {
    with_one(|launcher| {
        let bench = Bench::new();
        for line in [
            "sqlio -s1 f",
            "xdd -target f",
            "iometer f",
            "dd if=f of=g",
            "quick f",
            "layers f --mount d",
            "verify f",
            "list",
            "watch",
            "pts iops f",
            "lmdd if=f",
            "sgp_dd if=f",
            "replay t f",
            "run --profile p f",
        ] {
            let said = launcher.run(&bench, 2, line);
            refused(&said, 2, "On many hosts: run, sweep");
            assert_eq!(said.err.matches("fathom: ").count(), 1, "{said:?}");
        }
    });
}
