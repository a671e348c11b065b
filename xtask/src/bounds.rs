//! `cargo xtask bounds`: time and memory of every reader and analysis in the length of what it reads.
//!
//! Each is run over n, 2n and 4n units of generated input: instructions are counted by callgrind, which no busy machine
//! disturbs, and the peak of memory is that of the kernel (VmHWM). From n to 4n instructions grow with an exponent of at most
//! 1.15, and memory by at most eight bytes a byte of input and 8 KiB a result ([decision
//! 0025](../../docs/decisions/0025-memory.md)). Every check does a part of it at a third of n, and
//! the tests of hostile files at a part of their length. Omitted: how fast it is (`cargo
//! xtask bench`).

use crate::setup;
use crate::test::{self, Selection};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Of the instructions, beyond those that an input of no length takes.
const EXPONENT_MAX: f64 = 1.15;
/// Bytes of memory per byte of input.
const SLOPE_MAX: f64 = 8.0;
/// Bytes of memory per result in it: a line of text may be a whole result.
const RESULT_BYTES_MAX: f64 = 8192.0;
/// What every check does: a third of the units, of this row and these commands. `fidelity` keeps windows of both traces, which at
/// so few I/Os are more than the bound.
const SMALL: &str = "--small";
const SMALL_DIVISOR: u64 = 3;
const SMALL_ROW: &str = "fio's JSON";
const SMALL_COMMANDS: [&str; 4] = ["import", "show", "compare", "report"];
/// Memory grows in steps: less than this is none.
const STEP_BYTES: f64 = (2 << 20) as f64;

/// An input, and the commands over it: `@` is the file, and the first command brings it into the database `s`.
struct Row {
    name: &'static str,
    /// Units of the shortest input.
    units: u64,
    /// Results in a unit.
    results: f64,
    write: fn(u64) -> String,
    first: Option<&'static str>,
    commands: &'static [&'static str],
}

const OF_STORE: &[&str] = &[
    "show 1 --json --store s",
    "table 1 --csv --store s",
    "list --store s",
    "compare 1 1 --store s",
    "report 1 --json --store s",
    "export 1 --store s --csv",
];
const IMPORT: Option<&str> = Some("import @ --store s");
const OF_TRACE: &[&str] = &["trace @", "learn @", "fidelity @ @"];

const ROWS: &[Row] = &[
    import("fio's JSON", 300, fio_json),
    import("SQLIO's text", 300, sqlio),
    import("a script's lines", 300, script),
    import("dd's lines", 300, dd),
    Row {
        results: 0.0,
        ..import("newlines behind a result", 200_000, newlines)
    },
    trace("SPC trace, dense", 10_000, |count| spc(count, 0.01)),
    trace("SPC trace, sparse", 10_000, |count| spc(count, 8.64)),
    trace("fio's log of version 3", 10_000, fio3),
];

const fn import(name: &'static str, units: u64, write: fn(u64) -> String) -> Row {
    let (first, commands) = (IMPORT, OF_STORE);
    Row {
        name,
        units,
        results: 1.0,
        write,
        first,
        commands,
    }
}

const fn trace(name: &'static str, units: u64, write: fn(u64) -> String) -> Row {
    Row {
        name,
        units,
        results: 0.0,
        write,
        first: None,
        commands: OF_TRACE,
    }
}

/// Returns whether all of them are within the bounds. An argument chooses the rows whose name contains it.
pub(crate) fn run(root: &Path, arguments: &[String]) -> bool {
    let target = setup::target(root);
    let mut build = Command::new("cargo");
    build.args(["build", "--workspace", "--bins", "--tests", "--target-dir"]); // as the tests do
    let built = build.arg(&target).current_dir(root).status();
    if !built.is_ok_and(|status| status.success()) {
        return false;
    }
    let valgrind = Command::new("valgrind").arg("--version").output();
    if valgrind.is_err() {
        println!("skipped: valgrind is not installed");
        return true;
    }
    let folder = target.join("bounds");
    let program = target.join("debug/fathom");
    let small = arguments.iter().any(|word| word == SMALL);
    let chosen = |row: &&Row| {
        let mut words = arguments.iter().filter(|word| *word != SMALL);
        words.all(|word| row.name.contains(word.as_str())) && (!small || row.name == SMALL_ROW)
    };
    let mut good = true;
    for row in ROWS.iter().filter(chosen) {
        let units = row.units / if small { SMALL_DIVISOR } else { 1 };
        let commands = row.first.iter().chain(row.commands).filter(|command| {
            let name = command.split(' ').next();
            !small || name.is_some_and(|name| SMALL_COMMANDS.contains(&name))
        });
        for command in commands {
            let cost = [0, 1, 2, 4].map(|times| {
                let _ = fs::remove_dir_all(&folder);
                fs::create_dir_all(&folder).ok()?;
                let text = (row.write)(units * times);
                fs::write(folder.join("in"), &text).ok()?;
                if let Some(first) = row.first.filter(|first| first != command) {
                    plain(&program, first, &folder)?;
                }
                measure(&program, command, &folder, row.first.is_some(), text.len())
            });
            good &= report(row.name, command, 3.0 * units as f64 * row.results, cost);
        }
    }
    let _ = fs::remove_dir_all(&folder);
    good & (small || hostile_files(root))
}

/// Runs the tests of hostile files at the lengths that every check shortens. Returns whether all passed.
fn hostile_files(root: &Path) -> bool {
    let selection = Selection {
        variable: Some(("FATHOM_COSTS_FULL", "1")),
        ..Selection::named(&["cost::c2_".to_owned()])
    };
    test::run(root, &selection)
}

/// What one run costs.
#[derive(Clone, Copy, Debug)]
struct Cost {
    bytes: f64,
    instructions: f64,
    peak: f64,
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(' ')
        .map(|word| if word == "@" { "in" } else { word })
}

fn plain(program: &Path, line: &str, folder: &Path) -> Option<f64> {
    let mut command = Command::new(program);
    command.args(words(line)).current_dir(folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0_f64;
    while child.try_wait().ok()?.is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(kib.unwrap_or(0.0) * 1024.0);
        sleep(Duration::from_micros(500));
    }
    Some(peak)
}

fn measure(
    program: &Path,
    line: &str,
    folder: &Path,
    has_store: bool,
    bytes: usize,
) -> Option<Cost> {
    let is_import = line.starts_with("import");
    let peak = plain(program, line, folder)?;
    if has_store && is_import {
        for name in ["s", "s-wal", "s-shm"] {
            let _ = fs::remove_file(folder.join(name));
        }
    }
    let counted = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(words(line))
        .current_dir(folder)
        .stdout(Stdio::null())
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&counted.stderr);
    let collected = said
        .lines()
        .find_map(|line| line.split_once("Collected : "));
    Some(Cost {
        bytes: bytes as f64,
        instructions: collected?.1.trim().parse().ok()?,
        peak,
    })
}

/// Prints a line, and returns whether it is within the bounds; the longest input has `results` more than the shortest.
fn report(name: &str, command: &str, results: f64, cost: [Option<Cost>; 4]) -> bool {
    let [Some(none), Some(one), Some(two), Some(four)] = cost else {
        println!("bounds: {name}: {command}: it could not be run");
        return false;
    };
    let own = |cost: Cost| (cost.instructions - none.instructions).max(1.0);
    let exponent = (own(four) / own(one)).log2() / 2.0;
    let grown = (four.peak - one.peak - STEP_BYTES - results * RESULT_BYTES_MAX).max(0.0);
    let slope = grown / (four.bytes - one.bytes);
    let good = exponent <= EXPONENT_MAX && slope <= SLOPE_MAX;
    println!(
        "{} {name}: {command}: {:.0}, {:.0}, {:.0} million instructions, exponent {exponent:.2}; {:.0}, {:.0}, {:.0} MiB, beyond \
         8 KiB a result {slope:.1} bytes a byte",
        if good { "good " } else { "ABOVE" },
        own(one) / 1e6,
        own(two) / 1e6,
        own(four) / 1e6,
        one.peak / 1048576.0,
        two.peak / 1048576.0,
        four.peak / 1048576.0,
    );
    good
}

fn repeated(count: u64, head: &str, line: impl Fn(u64) -> String) -> String {
    let mut text = head.to_owned();
    for number in 0..count {
        text.push_str(&line(number));
    }
    text
}

fn fio_json(count: u64) -> String {
    let side = |number: u64| {
        let ios = 1000 * (number % 7);
        format!(
            "{{\"io_bytes\": {}, \"bw_bytes\": 4096000, \"iops\": {ios}.0, \"runtime\": 10000, \"total_ios\": {ios}, \"clat_ns\": {{\"min\": \
             1000, \"max\": 90000, \"mean\": 20000.0, \"stddev\": 10.0, \"N\": {ios}, \"percentile\": {{\"50.000000\": 20000, \"99.000000\": \
             30000}}}}}}",
            ios * 4096
        )
    };
    let mut text =
        "{\"fio version\": \"fio-3.33\", \"timestamp\": 1700000000, \"jobs\": [\n".to_owned();
    for number in 0..count.max(1) {
        let comma = if number == 0 { "" } else { "," };
        let _ = writeln!(
            text,
            "{comma}{{\"jobname\": \"j{number}\", \"groupid\": {number}, \"error\": 0, \"job options\": {{\"rw\": \"randread\", \"bs\": \
             \"4k\", \"iodepth\": \"{}\", \"filename\": \"/dev/x\"}}, \"read\": {}, \"write\": {}}}",
            number % 32 + 1,
            side(number + 1),
            side(0)
        );
    }
    text + "]}\n"
}

fn sqlio(count: u64) -> String {
    repeated(count.max(1), "", |number| {
        format!(
            "sqlio v1.5.SG\n1 thread reading for 10 secs from file /data/f{number}\n\tusing 8KB random IOs\ninitialization done\nCUMULATIVE \
             DATA:\nthroughput metrics:\nIOs/sec: {}.00\nMBs/sec: 7.81\n",
            1000 + number
        )
    })
}

fn script(count: u64) -> String {
    repeated(count.max(1), "", |number| {
        format!(
            "Param -b4k, -t{}, -o1, {}.28 iops\n",
            number % 16 + 1,
            9000 + number
        )
    })
}

fn dd(count: u64) -> String {
    repeated(count.max(1), "", |number| {
        format!(
            "1+0 records in\n1+0 records out\n1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.{:04} s, 1.0 GB/s\n",
            number % 9000 + 1000
        )
    })
}

fn newlines(count: u64) -> String {
    let lines = "\n".repeat(usize::try_from(count).unwrap_or(0));
    script(1) + &lines
}

fn spc(count: u64, step: f64) -> String {
    repeated(count.max(2), "", |number| {
        // Weyl's sequence: places all over the range, the same every time.
        let place = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
        let operation = if number % 3 == 0 { "W" } else { "R" };
        format!(
            "0,{},4096,{operation},{:.6}\n",
            place * 8,
            number as f64 * step
        )
    })
}

fn fio3(count: u64) -> String {
    repeated(
        count.max(2),
        "fio version 3 iolog\n0 f add\n0 f open\n",
        |number| {
            let place = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
            format!("{} f read {} 4096\n", number * 100, place * 4096)
        },
    )
}
