//! `fathom sweep` on many hosts: each cell of all ranks together, and what is kept where a rank is lost.

use crate::bench::{Bench, Said, until};
use crate::many_hosts::{LAUNCHERS, pid, recovering, signal, wait_for_reads, with_one, with_ssh};
use serde_json::Value;
use std::process::Command;

/// The cells of a sweep, in the order of the matrix.
fn cells(document: &Value) -> &[Value] {
    document["rows"].as_array().unwrap()
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no count"))
}

fn stored(bench: &Bench, what: &str) -> Said {
    bench.line(&format!("{what} --store hosts.db"))
}

/// The counts of one result, from its own record.
fn counts_of(bench: &Bench, result: u64) -> (u64, u64) {
    let own = stored(bench, &format!("show 1.{result} --json"))
        .good()
        .json();
    let total = own["operations"].as_array().unwrap().last().unwrap();
    let max = number(&total["latency"]["max_ns"]);
    (number(&total["ios"]), max)
}

#[test]
fn each_cell_is_the_sum_of_the_records_of_all_ranks() {
    with_one(|launcher| {
        let bench = Bench::new();
        let line = "sweep f.{rank} --create 1M -w 50 --block 4K,8K --depth 1,2 -d 200ms --warmup 0s --json";
        let document = launcher.run(&bench, 3, line).good().json();
        assert_eq!(
            (cells(&document).len(), number(&document["job"]["ranks"])),
            (4, 3)
        );
        assert_eq!(document["hosts"].as_array().unwrap().len(), 3);
        for cell in cells(&document) {
            let first = number(&cell["numbers"][0]);
            let mut largest = 0;
            let mut rate = 0.0;
            for (rank, row) in (0..).zip(cell["ranks"].as_array().unwrap()) {
                let (ios, max) = counts_of(&bench, first + rank);
                assert_eq!(number(&row["figures"]["ios"]), ios, "{cell}");
                assert_eq!(number(&row["number"]), first + rank);
                rate += row["figures"]["iops"].as_f64().unwrap();
                largest = largest.max(max);
            }
            assert_eq!(number(&cell["figures"]["latency_max_ns"]), largest);
            let sum = cell["figures"]["iops"].as_f64().unwrap();
            assert!((sum / rate - 1.0).abs() < 1e-6, "{sum} of {rate}");
        }
        // The same from the database, and every rank's result by itself.
        let shown = stored(&bench, "show 1 --json").good().json();
        assert_eq!(shown["rows"], document["rows"]);
        assert_eq!(shown["hosts"], document["hosts"]);
        stored(&bench, "report 1 --out page.html").good();
        let page = stored(&bench, "report 1 --json").good().json();
        assert_eq!(page["cells"].as_array().unwrap().len(), 4 * 3);
        let counts = &page["parts"][0]["counts"];
        assert_eq!(
            (number(&counts["planned"]), number(&counts["done"])),
            (4, 4)
        );
        let csv = stored(&bench, "export 1 --csv").good().out;
        assert_eq!(csv.lines().count(), 1 + 4 * 3, "{csv}");
    });
}

#[test]
fn what_no_job_can_sweep_is_refused_before_anything_is_written() {
    with_one(|launcher| {
        let bench = Bench::new();
        let refused = [
            ("sweep f --create 1M --depth 1,2", "{rank}"),
            ("sweep f.{rank} --create 1M --depth 1,2 --live", "--live"),
            ("sweep f.{rank} --depth 1,2 --script sh", "--script"),
            (
                "sweep f.{rank} --create 1M --depth 1,2 --overwrite",
                "on every host",
            ),
            (
                "sweep f.{rank} --create 1M --block 4K,5000 --cache unbuffered",
                "5000",
            ),
        ];
        for (line, part) in refused {
            let said = launcher.run(&bench, 2, line);
            assert_eq!(said.code, Some(2), "{line}: {said:?}");
            assert!(said.err.contains(part), "{line}: {said:?}");
        }
        let forecast = "sweep f.{rank} --create 1M --depth 1,2 --dry-run --json";
        let document = launcher.run(&bench, 2, forecast).good().json();
        assert_eq!(number(&document["cells"]), 2);
        assert!(!bench.path("f").exists() && !bench.path("f.0").exists());
    });
}

#[test]
fn hosts_by_ssh_sweep_together() {
    let bench = Bench::new();
    let line = "sweep f.{rank} --create 1M --depth 1,2 -d 200ms --warmup 0s --json";
    let document = with_ssh(&bench, "localhost,b", line).good().json();
    assert_eq!(document["job"]["transport"], "ssh");
    assert!(
        cells(&document)
            .iter()
            .all(|cell| cell["ranks"].as_array().unwrap().len() == 2)
    );
}

/// Two cells of which the first one is cut, in their order.
const LINE: &str = "sweep f.{rank} --create 1M --depth 1,2 -d 4s --warmup 0s --order given --host-timeout 5s --json";

/// Whether Open MPI, which leaves the others alive where one dies, is here.
pub(crate) fn has_open_mpi() -> bool {
    let (program, _) = LAUNCHERS[0];
    match Command::new(program).arg("--version").output() {
        Ok(_) => true,
        Err(error) => {
            println!("skipped: {program}: {error}");
            false
        }
    }
}

/// A rank that was lost in the first cell is named, the other ranks' results are kept, and the same command goes on.
fn is_lost_and_resumed(bench: &Bench, said: &Said) {
    let document = said.json();
    let missing = cells(&document)[0]["missing"].as_str().unwrap();
    assert!(
        missing.contains("rank 2 (") && missing.contains("host-lost"),
        "{said:?}"
    );
    assert_eq!(number(&document["cell_counts"]["left"]), 1);
    assert!(said.err.contains("--resume 1"), "{said:?}");
    for rank in 1..=2 {
        assert!(counts_of(bench, rank).0 > 0); // of those that stayed
    }
    let fewer = recovering(bench, 2, "sweep --resume 1").wait_with_output();
    let fewer = Said::from(fewer.unwrap());
    assert!(fewer.err.contains("measured with 3 ranks"), "{fewer:?}");
    let resumed = Said::from(recovering(bench, 3, LINE).wait_with_output().unwrap())
        .good()
        .json();
    assert_eq!(number(&resumed["cell_counts"]["done"]), 2);
    assert_eq!(
        number(&cells(&resumed)[0]["numbers"][0]),
        4,
        "the numbers of the first attempt stay"
    );
    let shown = stored(bench, "show 1 --json").good().json();
    assert_eq!(shown["rows"], resumed["rows"]);
}

#[test]
fn a_rank_that_is_killed_ends_the_sweep_and_the_same_command_goes_on() {
    if !has_open_mpi() {
        return;
    }
    let bench = Bench::new();
    let child = recovering(&bench, 3, LINE);
    wait_for_reads(&bench, 2);
    signal(&bench, 2, "-9");
    is_lost_and_resumed(&bench, &Said::from(child.wait_with_output().unwrap()));
}

#[test]
fn a_rank_that_is_stopped_ends_the_sweep_and_the_same_command_goes_on() {
    if !has_open_mpi() {
        return;
    }
    let bench = Bench::new();
    let child = recovering(&bench, 3, LINE);
    wait_for_reads(&bench, 2);
    signal(&bench, 2, "-STOP");
    // The launcher waits for the stopped process, which is ended once rank 0 has.
    let (first, last) = (pid(&bench, 0), pid(&bench, 2));
    let script = format!("while kill -0 {first} 2>/dev/null; do sleep 0.2; done; kill -9 {last}");
    let mut cleaner = Command::new("sh").args(["-c", &script]).spawn().unwrap();
    let said = Said::from(child.wait_with_output().unwrap());
    cleaner.wait().unwrap();
    is_lost_and_resumed(&bench, &said);
}

#[test]
fn ctrl_c_at_rank_0_ends_all_ranks_and_the_same_command_goes_on() {
    if !has_open_mpi() {
        return;
    }
    let bench = Bench::new();
    let child = recovering(&bench, 3, LINE);
    wait_for_reads(&bench, 2);
    signal(&bench, 0, "-INT");
    let said = Said::from(child.wait_with_output().unwrap());
    let document = said.json();
    assert_eq!(number(&document["cell_counts"]["left"]), 2, "{said:?}");
    assert!(
        said.err.contains("interrupted") && said.err.contains("--resume 1"),
        "{said:?}"
    );
    let resumed = Said::from(recovering(&bench, 3, LINE).wait_with_output().unwrap())
        .good()
        .json();
    assert_eq!(number(&resumed["cell_counts"]["done"]), 2);
    // A sweep of other ranks is another one.
    let other = Said::from(recovering(&bench, 2, LINE).wait_with_output().unwrap())
        .good()
        .json();
    assert_eq!(number(&other["job"]["ranks"]), 2);
    assert_eq!(
        stored(&bench, "list").good().out.matches("sweep").count(),
        2
    );
}

#[test]
fn a_launcher_that_is_killed_leaves_no_rank_and_what_was_measured() {
    if !has_open_mpi() {
        return;
    }
    let bench = Bench::new();
    let mut child = recovering(&bench, 3, LINE);
    wait_for_reads(&bench, 2);
    let ranks = [0, 1, 2].map(|rank| pid(&bench, rank));
    let launcher = std::fs::read_to_string(format!("/proc/{}/stat", ranks[0])).unwrap();
    let parent = launcher
        .rsplit_once(") ")
        .unwrap()
        .1
        .split(' ')
        .nth(1)
        .unwrap()
        .to_owned();
    assert!(
        Command::new("kill")
            .args(["-9", &parent])
            .status()
            .unwrap()
            .success()
    );
    child.wait().unwrap();
    let is_there = |pid: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ")
            .is_some_and(|(_, state)| !state.starts_with('Z'))
    };
    until(|| !ranks.iter().any(is_there));
    let resumed = Said::from(recovering(&bench, 3, LINE).wait_with_output().unwrap())
        .good()
        .json();
    assert_eq!(number(&resumed["cell_counts"]["done"]), 2);
}
