//! The cost of the loop itself, in instructions for an I/O without any I/O: the one measure of speed that does not
//! depend on how fast or how busy the machine is.
//!
//! The program runs under valgrind for two lengths of time and counts its I/Os; what both runs have in common, the
//! start and the report, cancels in the difference. What is done once a millisecond and not for an I/O is counted in two
//! runs that issue next to none, and subtracted: it falls on few I/Os where other programs take the processors. The build
//! under test is the one that the tests use, which is optimized less than a release and checks more: the bounds are for it
//! alone.

use crate::bench::Bench;
use serde_json::Value;
use std::process::Command;

/// Instructions for an I/O that the build of the tests may take, by share of writes and depth: 5% above what it takes. A
/// write stores a block header, whose checksum this build and valgrind's processor make in narrow steps: a release takes a
/// fraction of it.
const BOUNDS: [(u32, u32, f64); 4] = [
    (0, 1, 437.0),
    (0, 32, 272.0),
    (100, 1, 950.0),
    (100, 32, 775.0),
];
/// The first pair of lengths, in ms: thousands of I/Os under valgrind, which is some fifty times slower.
const LENGTHS_MS: [u32; 2] = [300, 1300];
/// A slower machine gets both lengths doubled up to this often, until the difference has enough I/Os.
const DOUBLINGS: u32 = 4;
/// The fewest I/Os that the start and the end of a run are spread over.
const IOS_MIN: f64 = 1000.0;

/// The least of these counts.
const TRIES: u32 = 3;

/// What one run took.
struct Counted {
    instructions: f64,
    ios: f64,
}

/// Share of writes, depth, and I/Os per second where they are limited.
type Work = (u32, u32, Option<u32>);

fn count(bench: &Bench, (write, depth, rate): Work, length_ms: u32) -> Counted {
    let rate = rate.map(|per_s| ["--rate".to_owned(), per_s.to_string()]);
    let reported = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env!("CARGO_BIN_EXE_fathom"))
        .args(["run", "--engine", "null", "--no-store", "--json"])
        .args(["--warmup", "0s", "--duration", &format!("{length_ms}ms")])
        .args(["--depth", &depth.to_string(), "-w", &write.to_string()])
        .args(rate.iter().flatten())
        .current_dir(bench.path(""))
        .output()
        .unwrap();
    assert!(reported.status.success(), "{reported:?}");
    let said = String::from_utf8_lossy(&reported.stderr);
    let collected = said
        .lines()
        .find_map(|line| line.split_once("Collected : "))
        .and_then(|(_, number)| number.trim().parse().ok());
    let document: Value = serde_json::from_slice(&reported.stdout).unwrap();
    Counted {
        instructions: collected.unwrap_or_else(|| panic!("valgrind printed {said}")),
        ios: total_ios(&document),
    }
}

fn total_ios(document: &Value) -> f64 {
    let mut rows = document["operations"].as_array().unwrap().iter();
    let total = rows.find(|row| row["operation"] == "total").unwrap();
    total["ios"].as_f64().unwrap()
}

/// Returns the instructions a millisecond of a run that issues an I/O a second.
fn per_ms(bench: &Bench) -> f64 {
    let [short, long] = LENGTHS_MS.map(|length| count(bench, (0, 1, Some(1)), length));
    (long.instructions - short.instructions) / f64::from(LENGTHS_MS[1] - LENGTHS_MS[0])
}

fn per_io(bench: &Bench, (write, depth): (u32, u32), per_ms: f64) -> f64 {
    for doubling in 0..=DOUBLINGS {
        let lengths = LENGTHS_MS.map(|length| length << doubling);
        let [short, long] = lengths.map(|length| count(bench, (write, depth, None), length));
        let ios = long.ios - short.ios;
        if ios > IOS_MIN {
            let apart = per_ms * f64::from(lengths[1] - lengths[0]);
            return (long.instructions - short.instructions - apart) / ios;
        }
    }
    panic!("too few I/Os to divide by: {write}% writes, depth {depth}");
}

#[test]
fn the_loop_takes_no_more_instructions_for_an_io_than_it_did() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: valgrind is not installed");
        return;
    }
    let bench = Bench::new();
    let per_ms = per_ms(&bench);
    println!("{per_ms:.0} instructions a millisecond without an I/O");
    for (write, depth, bound) in BOUNDS {
        let mut each = f64::INFINITY;
        for _ in 0..TRIES {
            each = each.min(per_io(&bench, (write, depth), per_ms));
            println!(
                "write {write}%, depth {depth}: {each:.1} instructions an I/O, at most {bound}"
            );
            if each <= bound {
                break;
            }
        }
        assert!(
            each <= bound,
            "{each:.1} instructions: {write}%, depth {depth}"
        );
    }
}
