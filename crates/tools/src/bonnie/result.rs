//! The same figures in the layout of bonnie++ 2.00: its table, and its line of fields separated by commas (format 1.98).
//!
//! Source: the output of bonnie++ 2.00a as Debian packages it, and its manual bon_csv2txt(1). Where bonnie++ prints plus
//! signs because a step took less than half a second, there is the number; what was not measured is an empty field and a
//! `-` in the table. Latencies are the longest, as there. Deliberately absent: what has no field there (intervals,
//! percentiles, append, rename, fsync), which is in the other views.

use analysis::{FilesReport, FilesRow};
use std::io::{self, Write};
use views::{operation_name, shorten};

const FORMAT: &str = "1.98";
const VERSION: &str = "2.00a";
/// What bonnie++ counts files in.
const FILES_UNIT: u64 = 1024;
const KIB: f64 = 1024.0;
/// Threads that seek, and seeks.
const SEEKERS: u64 = 5;
const SEEKS: u64 = 8192;

const HEAD_LARGE: &str = "\
Version 2.00a       ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
";
const HEAD_SMALL: &str = "\
Version 2.00a       ------Sequential Create------ --------Random Create--------
";
const HEAD_SMALL_BELOW: &str = "\
-Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--
              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
";

const LARGE: [&str; 6] = [
    "write bytes",
    "write blocks",
    "rewrite blocks",
    "read bytes",
    "read blocks",
    "seek",
];

/// The table and the line. The files have to be whole thousands (of 1024).
pub fn files_bonnie(report: &FilesReport, out: &mut dyn Write) -> io::Result<()> {
    let machine = report
        .host
        .as_ref()
        .map_or("", |host| host.hostname.as_str());
    let (large, small) = (large(report), small(report));
    let tree = report.work.tree.clone().unwrap_or_default();
    if tree.data_bytes > 0 {
        out.write_all(HEAD_LARGE.as_bytes())?;
        let head = format!("{:<12.12} {:>6}", machine, size(tree.data_bytes));
        figures(out, &head, &large, true)?;
    }
    if tree.files > 0 {
        out.write_all(HEAD_SMALL.as_bytes())?;
        write!(out, "{machine:<19.19} ")?;
        out.write_all(HEAD_SMALL_BELOW.as_bytes())?;
        let files = tree.files / FILES_UNIT;
        let head = match tree.file_bytes {
            0 => files.to_string(),
            bytes => format!("{files}:{bytes}:{bytes}/{}", tree.folders),
        };
        figures(out, &format!("{head:>19.19}"), &small, false)?;
    }
    writeln!(out, "{}", fields(report, machine, &large, &small).join(","))
}

/// What the empty places mean, a sentence each.
pub fn unmeasured_words(report: &FilesReport) -> Vec<String> {
    let skipped = report
        .work
        .tree
        .as_ref()
        .map(|tree| tree.skipped.as_slice());
    let skipped = skipped.filter(|skipped| !skipped.is_empty());
    let left_out = skipped.map(|skipped| format!("omitted, as requested: {}", skipped.join(", ")));
    let rows = report.rows.iter();
    let reported = rows.filter_map(|row| Some((row, row.unmeasured.as_deref()?)));
    let reported =
        reported.map(|(row, why)| format!("{}: not measured: {why}", operation_name(row)));
    left_out.into_iter().chain(reported).collect()
}

fn large(report: &FilesReport) -> [Option<&FilesRow>; 6] {
    LARGE.map(|operation| {
        measured(report, operation, false).or_else(|| measured(report, operation, true))
    })
}

/// bonnie++ looks up the facts of empty files, and reads others.
fn small(report: &FilesReport) -> [Option<&FilesRow>; 6] {
    let empty = report
        .work
        .tree
        .as_ref()
        .is_none_or(|tree| tree.file_bytes == 0);
    let read = if empty { "stat" } else { "read" };
    let of =
        |random| ["create", read, "delete"].map(|operation| measured(report, operation, random));
    let ([a, b, c], [d, e, f]) = (of(false), of(true));
    [a, b, c, d, e, f]
}

fn measured<'a>(report: &'a FilesReport, operation: &str, random: bool) -> Option<&'a FilesRow> {
    let mut rows = report.rows.iter();
    rows.find(|row| {
        row.operation == operation && row.is_random() == random && row.iops_estimate.is_some()
    })
}

fn figures(
    out: &mut dyn Write,
    head: &str,
    rows: &[Option<&FilesRow>; 6],
    flow: bool,
) -> io::Result<()> {
    write!(out, "{head}")?;
    for (place, row) in (0..).zip(rows) {
        let seeks = place + 1 == rows.len();
        let speed = row.and_then(|row| speed(row, flow && !seeks));
        let text = match speed {
            Some(speed) if flow && !seeks => scaled(speed),
            Some(speed) => plain(speed),
            None => "-".to_owned(),
        };
        let share = row.and_then(processor).unwrap_or_else(|| "-".to_owned());
        write!(out, " {text:>5} {share:>3}")?;
    }
    write!(out, "\nLatency            ")?;
    for row in rows {
        let longest = row.and_then(longest).unwrap_or_else(|| "-".to_owned());
        write!(out, " {longest:>9}")?;
    }
    writeln!(out)
}

/// All 50 fields: the request, the rates, the longest latencies.
fn fields(
    report: &FilesReport,
    machine: &str,
    large: &[Option<&FilesRow>; 6],
    small: &[Option<&FilesRow>; 6],
) -> Vec<String> {
    let tree = report.work.tree.clone().unwrap_or_default();
    let mut all = vec![
        FORMAT.to_owned(),
        VERSION.to_owned(),
        machine.replace(',', " "),
        tree.threads.to_string(),
        tree.seed.to_string(),
    ];
    let with_data = |text: String| {
        if tree.data_bytes > 0 {
            text
        } else {
            String::new()
        }
    };
    let block = if tree.block_bytes == 8192 {
        String::new()
    } else {
        size(tree.block_bytes)
    };
    all.extend(
        [
            size(tree.data_bytes),
            block,
            SEEKS.to_string(),
            SEEKERS.to_string(),
        ]
        .map(with_data),
    );
    for (place, row) in (0..).zip(large) {
        all.extend(pair(*row, place + 1 < large.len()));
    }
    let with_files = |text: String| if tree.files > 0 { text } else { String::new() };
    let bytes = if tree.file_bytes == 0 {
        String::new()
    } else {
        tree.file_bytes.to_string()
    };
    let folders = if bytes.is_empty() {
        String::new()
    } else {
        tree.folders.to_string()
    };
    let files = (tree.files / FILES_UNIT).to_string();
    all.extend([files, bytes.clone(), bytes, folders, String::new()].map(with_files));
    small.iter().for_each(|row| all.extend(pair(*row, false)));
    all.extend(
        large
            .iter()
            .chain(small)
            .map(|row| row.and_then(longest).unwrap_or_default()),
    );
    all
}

/// Rate and processor share; both empty where there is none.
fn pair(row: Option<&FilesRow>, flow: bool) -> [String; 2] {
    let speed = row.and_then(|row| speed(row, flow)).map(plain);
    let share = row.and_then(processor);
    [speed, share].map(Option::unwrap_or_default)
}

/// KiB a second, or operations.
fn speed(row: &FilesRow, flow: bool) -> Option<f64> {
    match flow {
        true => Some(row.bytes_per_s_estimate?.value / KIB),
        false => Some(row.iops_estimate?.value),
    }
}

/// Whole from ten on, as there.
fn plain(speed: f64) -> String {
    match speed {
        speed if speed < 10.0 => format!("{speed:.1}"),
        speed => format!("{speed:.0}"),
    }
}

/// KiB a second in four digits and a letter.
fn scaled(kib: f64) -> String {
    match kib {
        kib if kib < 9999.5 => format!("{}k", plain(kib)),
        kib if kib / KIB < 9999.5 => format!("{}m", plain(kib / KIB)),
        kib => format!("{}g", plain(kib / KIB / KIB)),
    }
}

fn processor(row: &FilesRow) -> Option<String> {
    let share = row.cpu_share?;
    Some(shorten(&format!("{:.0}", share * 100.0), 3))
}

fn longest(row: &FilesRow) -> Option<String> {
    let ns = row.latency.max_ns?;
    Some(match ns {
        ns if ns < 100_000_000 => format!("{}us", ns / 1000),
        ns if ns < 100_000_000_000 => format!("{}ms", ns / 1_000_000),
        ns => format!("{}s", ns / 1_000_000_000),
    })
}

/// In bonnie++'s notation: `256M`, `8G`.
fn size(bytes: u64) -> String {
    match bytes {
        bytes if bytes > 0 && bytes.is_multiple_of(1 << 30) => format!("{}G", bytes >> 30),
        bytes if bytes >= 1 << 20 => format!("{}M", bytes >> 20),
        bytes => format!("{}k", bytes >> 10),
    }
}
