//! pg_test_fsync: each method of making a write durable is a run.
//!
//! An operation is what PostgreSQL commits with: one or several writes at the same place of a file, and the method. Source:
//! the page pg_test_fsync of PostgreSQL's documentation, and the output of 15. Deliberately absent: any judgement on methods.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{nanos, printed, size};
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
    match line.starts_with(COMPARES) {
        true => Start::Orphan,
        false => Start::No,
    }
}

fn read(section: &Section, found: &mut Found) {
    let mut test = Test::default();
    for (at, line) in section.lines() {
        let is_head = !line.starts_with([' ', '(']);
        if let Some(about) = line.trim_end().strip_suffix(':').filter(|_| is_head) {
            test = Test {
                about,
                writes: if about.contains(" two ") { 2 } else { 1 },
                block: about.split(' ').find_map(block_of),
            };
        }
        let Some((head, rest)) = line.split_once("ops/sec") else {
            continue;
        };
        match run(head.trim(), rest, &test) {
            Some(run) => found.run(at, run),
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

/// `fdatasync    2277.715`, ` 439 usecs/op`; `8 *  2kB open_sync writes  212.017`.
fn run(head: &str, rest: &str, test: &Test<'_>) -> Option<ImportedRun> {
    let (name, rate) = head.rsplit_once(' ')?;
    let name = name.trim();
    let rate = printed(rate)?;
    let micros = printed(rest.trim().strip_suffix("usecs/op")?)?;
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
