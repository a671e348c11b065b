//! Sweeps: whole, cut short and gone on with, from options, from DISKSPD lines and from plans.

use crate::bench::{Bench, Said, send, until};
use expect_test::expect;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// A run of nothing that is over at once.
const NULL: &str = "sweep --engine null --warmup 0s -d 20ms";
/// The same in simulated time: each cell has its results, on a machine of any speed.
const SIMULATED: &str = "sweep sim:ssd,service=1ms,write-service=1ms --warmup 0s -d 200ms";

fn rows(report: &Value) -> Vec<Value> {
    report["rows"].as_array().unwrap().clone()
}

#[test]
fn the_matrices_of_the_seeds_are_swept_whole() {
    let bench = Bench::new();
    let first = "-b 4K,8K,16K,32K,64K,128K,512K,1M,2M -t 1..64 -o 1..64 --json";
    let second =
        "-b 8K,64K,512K,2M -o 2..16 -t 4..32 -w 0,10,25,100 --pattern random,sequential --json";
    for (line, cells) in [(first, 441), (second, 512)] {
        let line = format!("{SIMULATED} {line}");
        let ahead = bench.line(&format!("{line} --dry-run")).good().json();
        assert_eq!(ahead["cells"], cells);
        let report = bench.line(&line).json();
        assert_eq!(had_their_turn(&report), cells);
        assert_eq!(rows(&report).len() as u64, cells);
        assert!(rows(&report).iter().all(|row| row["runs"] == 1));
    }
}

/// Cells with a result or a reason. In two milliseconds of a busy machine a cell may well complete nothing, and reports it.
fn had_their_turn(report: &Value) -> u64 {
    let count = |name: &str| report["cell_counts"][name].as_u64().unwrap();
    assert_eq!(count("left"), 0);
    count("done") + count("missing")
}

/// A dice for moments: any will do, as long as a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

#[test]
fn a_sweep_killed_at_fifty_moments_has_every_cell_once() {
    let bench = Bench::new();
    let line = format!("{SIMULATED} -b 4K..2M -o 1..64 -t 1,2 -w 0,50 --json");
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut dice = Dice(0x5eed_0005);
    for _ in 0..50 {
        let mut child = bench
            .command(&words)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let reported = BufReader::new(child.stderr.take().unwrap());
        // Some lines of its output, and then some moment more.
        let lines = usize::try_from(dice.below(12)).unwrap();
        for _ in reported.lines().take(lines) {}
        for _ in 0..dice.below(20_000) {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let report = bench.line(&line).json();
    let cells = rows(&report);
    assert_eq!(cells.len(), 280);
    assert_eq!(had_their_turn(&report), 280);
    assert_eq!(report["cell_counts"]["runs"], 280);
    let numbers: BTreeSet<u64> = cells
        .iter()
        .map(|row| {
            assert_eq!(row["numbers"].as_array().unwrap().len(), 1, "{row}");
            row["numbers"][0].as_u64().unwrap()
        })
        .collect();
    assert_eq!(numbers, (1..=280).collect());
    // Nothing lies anywhere else, and nothing is left lying about.
    let session = report["stored"]["session"].as_u64().unwrap();
    for other in (1..session).map(|id| bench.line(&format!("show {id} --json"))) {
        assert_eq!(other.json()["cell_counts"]["runs"], 0, "{other:?}");
    }
    let names = bench.snapshot().into_iter().map(|(path, _)| path);
    let locks = names.filter(|path| path.to_string_lossy().contains("-sweep-"));
    assert!(locks.count() <= usize::try_from(session).unwrap());

    // The same as what was never cut short.
    let whole = bench.line(&format!("{line} --new")).json();
    let asked = |report: &Value| -> Vec<Value> {
        rows(report)
            .iter()
            .map(|row| row["values"].clone())
            .collect()
    };
    assert_eq!(asked(&whole), asked(&report));
    let shown = bench.line(&format!("show {session} --json")).good().json();
    assert_eq!(rows(&shown), cells);
}

#[test]
fn an_interrupted_sweep_goes_on_by_the_same_command_and_by_its_number() {
    let bench = Bench::new();
    let line = "sweep --engine null --warmup 0s -d 20ms -o 1..128 -t 1..16 --null-size 64M --json";
    for again in [line.to_owned(), "sweep --resume 1 --json".to_owned()] {
        let child = bench.start(line);
        until(|| bench.line("show 1.1 --json").code == Some(0));
        send("-INT", &child);
        let said = Said::from(child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains("fathom sweep --resume 1"), "{said:?}");
        assert!(said.json()["cell_counts"]["left"].as_u64().unwrap() > 0);
        let ahead = bench.line(&format!("{again} --dry-run")).good().json();
        assert_eq!(ahead["goes_on_with"], 1);
        if again != line {
            let whole = bench.line(&again).json();
            assert_eq!(had_their_turn(&whole), 40);
            assert_eq!(whole["cell_counts"]["runs"], 40);
        }
    }
    // What is whole is not gone on with.
    assert_eq!(
        bench.line(&format!("{line} --dry-run")).good().json()["goes_on_with"],
        Value::Null
    );
    bench
        .line("sweep --resume 7")
        .refused("--resume 7: session 7: ");
    bench.line("run --engine null --warmup 0s -d 50ms").good();
    bench
        .line("sweep --resume 2")
        .refused("--resume 2: this is not a sweep");
    let said = bench.line("sweep --resume 1 -b 8K");
    assert!(
        said.code == Some(2) && said.err.contains("cannot be used with"),
        "{said:?}"
    );
}

#[test]
fn the_same_command_does_not_go_on_with_a_sweep_that_runs() {
    let bench = Bench::new();
    let line = "sweep --engine null --warmup 0s -d 1h -o 1,2";
    let mut child = bench.start(line);
    bench.line(line).refused("session 1 is running just now");
    child.kill().unwrap();
    child.wait().unwrap();
    let ahead = bench
        .line(&format!("{line} --dry-run --json"))
        .good()
        .json();
    assert_eq!(ahead["goes_on_with"], 1);
}

#[test]
fn a_cell_that_fails_is_a_row_with_its_reason_and_the_others_run() {
    let bench = Bench::new();
    let longer = NULL.replace("20ms", "50ms"); // long enough for an I/O on a machine that is full
    let line = format!("{longer} --axis null-error-every=0,10 -o 1,2 --order given");
    let said = bench.line(&format!("{line} --json"));
    assert_eq!(said.code, Some(1), "{said:?}");
    let report = said.json();
    let counts = &report["cell_counts"];
    assert_eq!(
        (&counts["done"], &counts["missing"]),
        (&2.into(), &2.into())
    );
    let reason = rows(&report)[2]["missing"].as_str().unwrap().to_owned();
    assert!(reason.contains("a read of 4K"), "{reason}");
    let page = bench.line("show 1").good().out;
    assert!(page.contains("NA: "), "{page}");
    // Going on tries them again, and fail-fast ends at the first.
    let said = bench.line("sweep --resume 1 --fail-fast --json");
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("--fail-fast"), "{said:?}");
    assert_eq!(rows(&said.json()).len(), 4);
    assert_eq!(said.json()["cell_counts"]["runs"], 4);
}

#[test]
fn each_repeat_has_a_seed_of_its_own_and_a_sweep_can_be_repeated() {
    let seeds = |options: &str| {
        let bench = Bench::new();
        let depths = if options.contains("axis") {
            ""
        } else {
            "-o 1,2"
        };
        let line = format!("sweep {depths} --repeat 3 -d 20ms --warmup 0s --order given {options}");
        bench.line(&line).good();
        let of = |number: usize| {
            let run = bench.line(&format!("show 1.{number} --json")).good().json();
            run["engine"]["seed"].as_u64().unwrap()
        };
        (1..=6).map(of).collect::<Vec<u64>>()
    };
    assert_eq!(seeds("--seed 40 sim:ssd"), [40, 42, 44, 41, 43, 45]);
    assert_eq!(seeds("sim:ssd"), [0, 2, 4, 1, 3, 5]);
    assert_eq!(seeds("--axis seed=7,9 sim:ssd"), [7, 7, 7, 9, 9, 9]);
    let drawn = seeds("--engine null");
    let distinct: BTreeSet<&u64> = drawn.iter().collect();
    assert_eq!(distinct.len(), 6, "{drawn:?}");
    assert_ne!(drawn, seeds("--engine null"));
}

#[test]
fn a_cell_is_repeated_until_its_rate_is_known_well_enough() {
    let bench = Bench::new();
    let line = "sweep --engine null --null-delay 1ms --warmup 0s -d 50ms -o 1,2";
    let report = bench
        .line(&format!("{line} --repeat 3..6 --precision 90% --json"))
        .json();
    for row in rows(&report) {
        let (runs, width) = (
            row["runs"].as_u64().unwrap(),
            &row["figures"]["iops_half_width_share"],
        );
        assert!(
            runs == 6 || (3..6).contains(&runs) && width.as_f64().unwrap() <= 0.9,
            "{row}"
        );
    }
    let ahead = bench
        .line(&format!(
            "{line} --repeat 3..6 --precision 1% --dry-run --json"
        ))
        .good()
        .json();
    assert_eq!(
        (&ahead["runs_least"], &ahead["runs_most"]),
        (&6.into(), &12.into())
    );
}

#[test]
fn a_look_ahead_does_nothing_and_says_all() {
    let bench = Bench::new();
    let said = bench
        .line("sweep f.dat --create 64M -b 8K,64K -o 2..16 -w 0,100 -d 120s --warmup 5s --rest 2s --dry-run --order given")
        .good();
    let page: Vec<&str> = said
        .out
        .lines()
        .filter(|line| !line.starts_with("ends "))
        .take_while(|line| !line.starts_with("keeps "))
        .collect();
    expect![[r#"
        about 33 min 51 s for 16 cells, in the order given
        cells   write 0,100; block 8K,64K; depth 2,4,8,16
        takes   33 min 20 s of load, 30 s of rest, 128 ms of starting and keeping (8 ms a run, a guess until one ran), 250 ms of creating files (an estimate until the first is created)
        writes  f.dat: is created, with 64 MiB; cells write to it"#]]
    .assert_eq(&page.join("\n"));
    // Where the line breaks hangs on how long the way to the database is.
    let words: Vec<&str> = said.out.split_whitespace().collect();
    assert!(
        words.join(" ").contains("in a new session of /"),
        "{said:?}"
    );
    assert!(bench.snapshot().is_empty());
}

#[test]
fn a_sweep_makes_its_file_once_and_proves_it_once() {
    let bench = Bench::new();
    let line = "sweep f.dat --create 4M -b 8K,64K -w 0,100 -d 20ms --warmup 0s";
    let said = bench.line(line);
    assert_eq!(
        said.err.matches("created and filled").count(),
        1,
        "{}",
        said.err
    );
    let ahead = bench
        .line(&format!("{line} --new --dry-run --json"))
        .good()
        .json();
    assert_eq!(ahead["targets"][0]["fill_bytes"], 0);
    assert_eq!(ahead["targets"][0]["proven"], true);
    let again = bench.line(&format!("{line} --new --json")).json();
    assert_eq!(had_their_turn(&again), 4);
}

const PLAN: &str = "engine = 'null'\nwarmup = '0s'\nduration = '2ms'\ndepth = '1..4'\n[[group]]\nname = 'reads'\n[[group]]\nname = 'writes'\nwrite = [50, 100]\n[[exclude]]\nwrite = 100\ndepth = 4\n";

#[test]
fn a_plan_says_what_options_say_and_more() {
    let bench = Bench::new();
    std::fs::write(bench.path("p.toml"), PLAN).unwrap();
    let report = bench.line("sweep p.toml --json").json();
    assert_eq!(had_their_turn(&report), 8);
    assert_eq!(rows(&report)[0]["group"], "reads");
    let named = bench
        .line("sweep --plan p.toml --dry-run --json")
        .good()
        .json();
    assert_eq!(named["cells"], 8);
    bench
        .line("sweep p.toml -b 8K")
        .refused("cannot be used with");
    bench
        .line("sweep --plan nothing.toml")
        .refused("the plan cannot be read");
    // A plan that has changed is another sweep.
    let changed = PLAN
        .replace("1..4", "1..2")
        .replace("depth = 4", "depth = 2");
    std::fs::write(bench.path("p.toml"), changed).unwrap();
    let shown = bench.line("show 1 --json").good().json();
    assert_eq!(rows(&shown).len(), 8);
    assert_eq!(shown["axes"], serde_json::json!([]));
    bench
        .line("sweep --resume 1")
        .refused("its plan, or the folder of its target's path, has changed since");
}

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
    let bench = Bench::new();
    let reported = |line: &str| {
        let said = bench.line(line);
        assert_eq!(said.code, Some(2), "{said:?}");
        said.err
    };
    expect![[r#"
        fathom: --axis: there is no field `nope`; fields: target, engine, poll, sqpoll, seed, continue-on-error, null-size, null-delay, null-error-every, duration, warmup, cooldown, interval, base, length, cache, drop-cache, write-through, fsync, fdatasync, end-fsync, verify, read-back, no-end-pass, verify-memory, stop-on-corruption, compress, dedupe, write, pattern, block, arrivals, rate, depth, threads
        fathom: invalid value '2..3' for --block: must be a whole number with K, M, G or T after it (4K = 4096 bytes), or plain bytes
        fathom: invalid value 'x' for --order: must be given, shuffled or interleaved
        fathom: invalid value '5' for --rest: must be a number with its unit: 500ms, 90s, 3m, 1h, or joined as in 1m30s
    "#]].assert_eq(&reported("sweep -b 1..2..3 -o 1,1 --order x --rest 5 --axis nope=1 f"));
    expect![[r#"
        fathom: write: 5 is given twice: give each value once, and specify how often all is repeated with --repeat
        fathom: 2000000 combinations: at most 10000 are accepted: give fewer values, or make several sweeps of it
    "#]].assert_eq(&reported("sweep --engine null -o 1..1000+1 -t 1..1000+1 -w 5,5"));
    expect![[r#"
        fathom: invalid value '101' for --write: must be a whole number from 0 to 100
    "#]]
    .assert_eq(&reported("sweep missing.dat -b 1000,1K -o 0,1 -w 0,101"));
    assert_eq!(bench.snapshot(), []);
}

#[test]
fn the_batch_of_the_seed_is_written_line_for_line() {
    let bench = Bench::new();
    let base = r"diskspd.exe -Suw -L -W3 -Z1G -d120 -c440G -r E:\iotest.dat";
    let axes = ["w=0,20", "b=8K,64K", "o=2,4,8,16", "t=4,8,16"];
    let mut words = vec!["sweep", "--from-diskspd", base, "--script", "bat"];
    words.extend(axes.iter().flat_map(|axis| ["--axis", axis]));
    let script = bench.say(&words).good().out;
    let lines: Vec<&str> = script.lines().collect();
    assert_eq!(lines[0], "REM Expected run time: 98 Minutes == 1.6 Hours");
    let set = |command: &str| -> BTreeSet<String> {
        command.split_whitespace().map(str::to_owned).collect()
    };
    let commands: BTreeSet<BTreeSet<String>> = lines
        .iter()
        .filter_map(|line| line.strip_prefix("diskspd.exe "))
        .map(|line| set(line.split(" >> ").next().unwrap()))
        .collect();
    let mut expected = BTreeSet::new();
    for write in ["-w0", "-w20"] {
        for block in ["-b8K", "-b64K"] {
            for depth in ["-o2", "-o4", "-o8", "-o16"] {
                for threads in ["-t4", "-t8", "-t16"] {
                    let common = r"-Suw -L -W3 -Z1G -d120 -c440G -r E:\iotest.dat";
                    expected.insert(set(&format!("{common} {threads} {depth} {block} {write}")));
                }
            }
        }
    }
    assert_eq!(commands.len(), 48);
    assert_eq!(commands, expected);
    assert_eq!(lines.iter().filter(|line| line.is_empty()).count(), 3);
    assert!(lines[2].ends_with("_output.txt"), "{}", lines[2]);
    assert!(bench.snapshot().is_empty());
}

#[test]
fn a_script_for_fathom_has_commands_that_fathom_reads() {
    let bench = Bench::new();
    let script = bench
        .line("sweep --engine null --warmup 0s -d 50ms -o 1,2 --script sh --for fathom")
        .good()
        .out;
    let commands: Vec<&str> = script
        .lines()
        .filter(|line| line.starts_with("fathom "))
        .collect();
    assert_eq!(commands.len(), 2);
    for command in commands {
        let line = command
            .split(" >> ")
            .next()
            .unwrap()
            .strip_prefix("fathom ")
            .unwrap();
        bench.line(line).good();
    }
    bench
        .line("sweep f -o 1,2 --script fish")
        .refused("must be bat, ps1 or sh");
    bench
        .line("sweep f -o 1,2 -d 1ms --script bat")
        .refused("DISKSPD counts in whole seconds");
    let said = bench.line("sweep f -o 1,2 --for fathom");
    assert!(
        said.code == Some(2) && said.err.contains("--script"),
        "{said:?}"
    );
}

#[test]
fn another_session_that_is_damaged_does_not_hide_a_sweep() {
    let bench = Bench::new();
    bench.line(&format!("{NULL} -b 4K,8K -o 1")).good();
    bench
        .line("run --engine null --warmup 0s -d 50ms -b 64K")
        .good();
    let path = bench.path("s.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let command = b"\"-b\",\"64K\"";
    let places = bytes.windows(command.len()).enumerate();
    let places: Vec<usize> = places
        .filter(|(_, window)| window == command)
        .map(|(at, _)| at)
        .collect();
    for at in places {
        bytes[at + 6] = b'5';
    }
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(bench.line("db check --full").code, Some(1));
    let shown = bench.line("show 1").good().out;
    assert!(shown.contains("  8K  "), "{shown}");
    let said = bench.line("sweep --resume 1");
    assert!(!said.err.contains("checksum"), "{said:?}");
}
