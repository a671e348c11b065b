//! pg_test_fsync: each method of making a write durable is a run.
//!
//! An operation is what PostgreSQL commits with: one or several writes at the same place of a file, and the method. Source:
//! the page pg_test_fsync of PostgreSQL's documentation, and the output of 15. Deliberately absent: any judgement on methods.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{cell, nanos, size};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start};
use model::imported_evidence::ImportedFlush;
use model::{Bytes, ImportFormat, ImportedOperation, ImportedRun, Nanos, Ratio};

/// Defines the row of `pg_test_fsync`.
pub(crate) const TOOL: Tool = Tool {
    name: "pg_test_fsync",
    option: None,
    readers: &[Reader {
        format: ImportFormat::PgTestFsyncText,
        name: "pg_test_fsync's text",
        about: "the operations per second that pg_test_fsync prints",
        begins,
        read,
    }],
};

const COMPARES: &str = "Compare file sync methods using one ";

fn begins(line: &str, _text: &str) -> Start {
    let of_a_test = line.ends_with(" per test") && line.contains(" second");
    if of_a_test {
        return Start::Here;
    }
    match line.starts_with(COMPARES) || row(line).is_some() {
        true => Start::Orphan,
        false => Start::No,
    }
}

fn read(section: &Section, found: &mut Found) {
    let mut test = Test::default();
    let mut heads = 0;
    let lines = section.lines().map(|(_, line)| line);
    let synced = lines.filter(|line| line.contains("sync")).filter_map(row);
    let fastest = synced.map(|(.., micros)| micros).reduce(f64::min);
    let before = section.before().lines().map(|line| (section.head, line));
    for (at, line) in before.chain(section.lines()) {
        let text = line.trim();
        if let Some(about) = text.strip_suffix(':').filter(|text| !text.starts_with('(')) {
            heads += u32::from(about.split(' ').any(|word| block_of(word).is_some()));
            // Translations have other words for the second of both tests.
            let is_second = heads == 2 && !about.contains(" one ") && about.contains('8');
            test = Test {
                about,
                writes: if about.contains(" two ") || is_second {
                    2
                } else {
                    1
                },
                block: about.split([' ', '-']).find_map(block_of),
            };
        }
        let Some((name, rate, micros)) = row(line) else {
            if line.contains("ops/sec") && !line.contains("n/a") {
                found.fault_at(at, "no figures: expected is 'method … ops/sec … usecs/op'");
            }
            continue;
        };
        match run(name, [rate, micros], &test) {
            Some(mut run) => {
                run.evidence.commit_min =
                    fastest.and_then(|micros| nanos(micros, Nanos::micros(1)));
                found.run(at, run);
            }
            None => found.fault_at(at, "no figures: expected is 'method … ops/sec … usecs/op'"),
        }
    }
    if found.is_empty() {
        found.fault_at(
            section.head,
            "pg_test_fsync printed no operations per second",
        );
    }
}

/// `fdatasync    2277.715 ops/sec     439 usecs/op`, in any language and with a decimal comma: the method, the operations per
/// second with their three decimals, and the microseconds of each.
fn row(line: &str) -> Option<(&str, f64, f64)> {
    const DECIMALS: usize = 3;
    const METHODS: [&str; 7] = [
        "open_datasync",
        "fdatasync",
        "fsync",
        "fsync_writethrough",
        "open_sync",
        "write",
        "write, fsync, close",
    ];
    let line = line.trim();
    let may = METHODS.iter().any(|method| line.starts_with(method)) || line.contains(" * ");
    if !may {
        return None; // most lines are of other tools
    }
    let has_decimals = |word: &str| {
        let (whole, rest) = word.split_once(['.', ',']).unwrap_or_default();
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits(whole) && digits(rest) && rest.len() == DECIMALS
    };
    let rate = line.split_whitespace().find(|word| has_decimals(word))?;
    let at = rate.as_ptr() as usize - line.as_ptr() as usize;
    let name = line[..at].trim();
    let mut rest = line[at + rate.len()..].split_whitespace();
    let rate = cell(rate, DECIMALS).number()?;
    let (of_rate, micros) = (rest.next()?, rest.next());
    let Some(micros) = micros else {
        // Versions before 9.3 print the rate alone.
        let is_rate = of_rate.contains('/') && rate > 0.0;
        return is_rate.then_some((name, rate, (1e6 / rate).round()));
    };
    let micros = cell(micros, 0).number().filter(|micros| *micros >= 0.0)?;
    let is_unit = rest.next()?.contains('/') && rest.next().is_none();
    is_unit.then_some((name, rate, micros))
}

/// What stands above the methods of a test.
#[derive(Default)]
struct Test<'t> {
    about: &'t str,
    writes: u32,
    block: Option<Bytes>,
}

/// `8kB`.
fn block_of(word: &str) -> Option<Bytes> {
    let word = word.trim_end_matches(['s', ':']);
    size(word).filter(|_| word.ends_with("kB"))
}

/// `fdatasync`; `8 *  2kB open_sync writes`.
fn run(name: &str, [rate, micros]: [f64; 2], test: &Test<'_>) -> Option<ImportedRun> {
    let (writes, block) = match name.split_once('*') {
        Some((count, rest)) => {
            let block = rest.split_whitespace().find_map(block_of);
            (count.trim().parse().ok()?, block)
        }
        None => (test.writes, test.block),
    };
    let mut run = unknown(ImportFormat::PgTestFsyncText);
    let is_synced = !test.about.starts_with("Non-sync");
    run.name = Some(match (name.contains('*'), is_synced, writes) {
        (true, ..) => name.split_whitespace().collect::<Vec<_>>().join(" "),
        (_, false, _) => format!("{name}, not synced"),
        (_, _, 1) => name.to_owned(),
        _ => format!("{name}, {writes} writes"),
    });
    run.workload.block = block;
    run.workload.write_percent = Some(Ratio::ALL);
    run.workload.queue_depth = Some(1);
    run.workload.threads = Some(1);
    run.workload.write_through = Some(name.contains("sync write") || name.starts_with("open_"));
    if is_synced && run.workload.write_through == Some(false) {
        run.evidence.flush = Some(ImportedFlush::EveryWrites(writes));
    }
    let mut figures = ImportedOperation {
        ios_per_s: Some(rate),
        bytes_per_s: block.map(|block| rate * f64::from(writes) * block.0 as f64),
        ..ImportedOperation::default()
    };
    figures.latency.mean = nanos(micros, Nanos::micros(1));
    figures.latency.resolution = Some(Nanos::micros(1));
    if writes > 1 {
        run.notes
            .push(format!("an operation is {writes} writes and their sync"));
    }
    run.figures = of_side(run.workload.write_percent, figures);
    Some(run)
}
