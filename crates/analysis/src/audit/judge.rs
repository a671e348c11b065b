//! Whether the devices did what a program printed: by operation, bytes first, then the number of I/Os.
//!
//! The counters of a device contain what other programs did, so they are an upper bound: less than was printed is certain. Where
//! a device did much more and other programs explain it, the program's own counts decide, or nothing does.

use super::scope::{AuditAnswer, Done, Scope};
use crate::say;
use model::record::audited::{Audit, AuditPlace};
use model::{ImportedOperation, ImportedRun, Operation};

/// The answer with its sentence and the figures that it is based on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judgement {
    pub(super) answer: AuditAnswer,
    pub(super) sentence: String,
    /// Printed and done, of the operation that decides.
    pub(super) printed_bytes: f64,
    pub(super) printed_ios: f64,
    pub(super) done: Done,
}

/// Below this share of the printed bytes memory answered; from the other on the device did.
const MEMORY_SHARE: f64 = 0.10;
const DEVICE_SHARE: f64 = 0.90;
/// Fewer printed bytes are within what file systems do for themselves.
const BYTES_MIN: f64 = 256.0 * 1024.0;
/// Below this share of the printed I/Os they were merged.
const MERGED_SHARE: f64 = 0.50;
/// So much more than was printed is other programs', if these moved at least half of it.
const EXCESS_SHARE: f64 = 0.25;
const EXCESS_MIN: f64 = 1024.0 * 1024.0;

/// One operation: what was printed, and what was done for it.
struct Side {
    operation: Operation,
    bytes: f64,
    ios: Option<f64>,
    top: Done,
    bottom: Done,
    /// Fetched for the program itself; none of writes, which are counted when they reach the page cache.
    own_bytes: Option<f64>,
    others_bytes: f64,
}

/// Compares the printed figures with the account; `None` where none were printed.
pub(super) fn judged(audit: &Audit, scope: &Scope<'_>) -> Option<Judgement> {
    let sides = Operation::ALL.map(|operation| side(audit, scope, operation));
    let largest = sides.iter().map(|side| side.bytes).fold(0.0, f64::max);
    let rate = printed_rate(audit)?;
    let what = format!("{} printed {rate}", tool(audit));
    if largest <= 0.0 {
        return None;
    }
    // A side of a few bytes does not matter to the figures as a whole.
    let counted = sides.iter().filter(|side| side.bytes >= 0.05 * largest);
    let each = counted.map(|side| of_side(audit, scope, side, &what));
    each.reduce(|one, two| if two.answer > one.answer { two } else { one })
}

/// The name of what printed the figures.
pub(super) fn tool(audit: &Audit) -> &'static str {
    audit.printed.first().map_or("", |run| run.format.tool())
}

/// `341k IOPS`, of all runs together; else MiB/s.
pub(super) fn printed_rate(audit: &Audit) -> Option<String> {
    let sum = |of: fn(&ImportedOperation) -> Option<f64>| {
        let runs = audit.printed.iter();
        let rates: Vec<f64> = runs.filter_map(|run| total(run, of)).collect();
        (!rates.is_empty()).then(|| rates.iter().sum::<f64>())
    };
    let iops = sum(|one| one.ios_per_s).map(|rate| format!("{} IOPS", say::rate(rate)));
    let moved = || {
        let moved = sum(|one| one.bytes_per_s)?;
        Some(format!("{} MiB/s", say::mib_per_s(moved)))
    };
    iops.or_else(moved)
}

fn total(run: &ImportedRun, of: fn(&ImportedOperation) -> Option<f64>) -> Option<f64> {
    let figures = &run.figures;
    let both = || match (of(&figures.read), of(&figures.write)) {
        (None, None) => None,
        (read, write) => Some(read.unwrap_or(0.0) + write.unwrap_or(0.0)),
    };
    of(&figures.total).or_else(both)
}

fn side(audit: &Audit, scope: &Scope<'_>, operation: Operation) -> Side {
    let is_write = operation == Operation::Write;
    let (mut bytes, mut ios) = (0.0, Some(0.0));
    for run in &audit.printed {
        let found = of_operation(audit, run, operation);
        let (its, its_ios) = found.map_or((0.0, Some(0.0)), |one| printed(run, one));
        bytes += its;
        ios = ios.zip(its_ios).map(|(sum, one)| sum + one);
    }
    let others = audit.others.iter().map(|one| match operation {
        Operation::Read => one.read.0,
        Operation::Write => one.written.0,
    });
    Side {
        operation,
        bytes,
        ios: ios.filter(|ios| *ios > 0.0),
        top: scope.top(audit, operation),
        bottom: scope.bottom(audit, operation),
        own_bytes: (!is_write).then_some(audit.io.read_bytes.0 as f64),
        others_bytes: others.sum::<u64>() as f64,
    }
}

/// The figures of an operation. Of a run that does not report which it was, all is what its process did most.
fn of_operation<'a>(
    audit: &Audit,
    run: &'a ImportedRun,
    operation: Operation,
) -> Option<&'a ImportedOperation> {
    let is_known = |one: &&ImportedOperation| {
        one.bytes.is_some() || one.ios.is_some() || one.bytes_per_s.is_some()
    };
    let (read, write) = (&run.figures.read, &run.figures.write);
    let own = if operation == Operation::Read {
        read
    } else {
        write
    };
    let mostly_writes = audit.io.to_write() >= audit.io.read_bytes;
    let is_main = mostly_writes == (operation == Operation::Write);
    let neither = [read, write].iter().all(|one| !is_known(one));
    let whole = Some(&run.figures.total).filter(|_| neither && is_main);
    Some(own).filter(is_known).or(whole.filter(is_known))
}

/// Bytes and I/Os, from each other and from the rates where only these were printed.
fn printed(run: &ImportedRun, one: &ImportedOperation) -> (f64, Option<f64>) {
    let seconds = run.measured.map(|time| time.as_seconds());
    let by_rate = |rate: Option<f64>| Some(rate? * seconds?);
    let ios = one.ios.map(|ios| ios as f64);
    let ios = ios.or_else(|| by_rate(one.ios_per_s));
    let block = run.workload.block.map(|block| block.0 as f64);
    let bytes = one.bytes.map(|bytes| bytes.0 as f64);
    let bytes = bytes.or_else(|| by_rate(one.bytes_per_s));
    let bytes = bytes.or_else(|| Some(ios? * block?));
    (bytes.unwrap_or(0.0), ios)
}

fn of_side(audit: &Audit, scope: &Scope<'_>, side: &Side, what: &str) -> Judgement {
    let (answer, why) = decided(audit, scope, side);
    Judgement {
        answer,
        sentence: format!("{what}; {why}"),
        printed_bytes: side.bytes,
        printed_ios: side.ios.unwrap_or(f64::NAN),
        done: side.top,
    }
}

fn decided(audit: &Audit, scope: &Scope<'_>, side: &Side) -> (AuditAnswer, String) {
    if let Some(place) = scope.elsewhere {
        return no_device(place);
    }
    let names = scope.names(audit, side.operation);
    let bytes = side.bytes;
    if bytes < BYTES_MIN {
        let why = format!("{} are too few bytes to compare", whole(bytes));
        return (AuditAnswer::Undecided, why);
    }
    if scope.is_in_memory(audit) {
        let did = did(&names, side.operation, side.top);
        let why = format!(
            "{did}, and {} is memory: no device took part",
            say::listed(&scope.bottoms)
        );
        return (AuditAnswer::NoDevice, why);
    }
    let (top, bottom) = (side.top.bytes as f64, side.bottom.bytes as f64);
    let did = did(&names, side.operation, side.top);
    if top < MEMORY_SHARE * bytes {
        if let Some(served) = served_elsewhere(audit, side) {
            return (AuditAnswer::Undecided, format!("{did}, and {served}"));
        }
        let why = memory(audit, side);
        return (AuditAnswer::Memory, format!("{did} in that time: {why}"));
    }
    if top < DEVICE_SHARE * bytes {
        let left = say::percent(1.0 - top / bytes);
        let why = format!("{did} of these {}: memory answered {left}", whole(bytes));
        return (AuditAnswer::PartMemory, why);
    }
    if let Some(answer) = shared(audit, side, &did) {
        return answer;
    }
    if bottom < DEVICE_SHARE * bytes.min(top) {
        let lowest = say::listed(&scope.bottoms);
        let below = self::did(&lowest, side.operation, side.bottom);
        let why = format!("{did}, and below it {below}: the page cache between them answered");
        return (AuditAnswer::CacheBelow, why);
    }
    match side.ios {
        Some(ios) if (side.top.ios as f64) < MERGED_SHARE * ios => {
            let why = format!(
                "{did} instead of {}: MiB/s are the device's, IOPS are not",
                counted(ios)
            );
            (AuditAnswer::Merged, why)
        }
        _ => (
            AuditAnswer::Device,
            format!("{did}: the device did what was printed"),
        ),
    }
}

/// Decides where the devices moved more than was printed and others used them; `None` where they moved enough for it.
fn shared(audit: &Audit, side: &Side, did: &str) -> Option<(AuditAnswer, String)> {
    let (top, bytes) = (side.top.bytes as f64, side.bytes);
    let excess = top - bytes;
    let is_shared = excess > (EXCESS_SHARE * bytes).max(EXCESS_MIN)
        && side.others_bytes >= 0.5 * excess
        && top - side.others_bytes < DEVICE_SHARE * bytes;
    if !is_shared {
        return None;
    }
    match side.own_bytes {
        Some(own) if own >= DEVICE_SHARE * bytes => None,
        Some(own) if own < MEMORY_SHARE * bytes => {
            let why = format!(
                "{} were read from storage for it: {}",
                whole(own),
                memory(audit, side)
            );
            Some((AuditAnswer::Memory, why))
        }
        _ => {
            let why = format!(
                "{did}, and other programs {} {}: whose they were is not decided",
                match side.operation {
                    Operation::Read => "read",
                    Operation::Write => "wrote",
                },
                whole(side.others_bytes)
            );
            Some((AuditAnswer::Undecided, why))
        }
    }
}

fn no_device(place: &AuditPlace) -> (AuditAnswer, String) {
    let on = place.file_system.as_ref();
    let kind = on.map_or("no file system", |on| on.kind.as_str());
    let (answer, why) = match on.is_some_and(model::FileSystem::is_in_memory) {
        true => (
            AuditAnswer::NoDevice,
            ", which is memory: no device took part",
        ),
        false => (
            AuditAnswer::Remote,
            ": no device of this machine counts its I/Os",
        ),
    };
    (answer, format!("{} is on {kind}{why}", place.path))
}

/// Why devices of this machine may not show it, where no place is named.
fn served_elsewhere(audit: &Audit, side: &Side) -> Option<String> {
    let is_large = |place: &AuditPlace| place.size.is_some_and(|size| size.0 as f64 >= EXCESS_MIN);
    let is_known = |place: &AuditPlace| place.named || (is_large(place) && !place.chain.is_empty());
    if audit.places.iter().any(is_known) || audit.remote_mounts.is_empty() {
        return None;
    }
    let fetched = side
        .own_bytes
        .is_some_and(|own| own < MEMORY_SHARE * side.bytes);
    (!fetched).then(|| {
        let kinds = say::listed(&audit.remote_mounts);
        format!("files may be on {kinds}: specify the target with --on")
    })
}

/// Why there was no I/O of a device.
fn memory(audit: &Audit, side: &Side) -> String {
    let files = audit.places.iter().filter(|place| place.size.is_some());
    let largest = files.max_by_key(|place| (place.named, place.size));
    let in_memory = |place: &&AuditPlace| {
        let on = place.file_system.as_ref();
        on.is_some_and(model::FileSystem::is_in_memory)
    };
    if let Some(place) = largest.filter(in_memory) {
        let kind = place.file_system.as_ref().map_or("", |on| &on.kind);
        return format!("{} is on {kind}, which is memory", place.path);
    }
    match side.operation {
        Operation::Read if largest.is_some_and(AuditPlace::is_sparse) => {
            let path = largest.map_or("", |place| &place.path);
            format!("{path} has holes, which are read without a device")
        }
        Operation::Read if largest.is_some_and(|place| place.direct) => {
            "the file system answered, as it does for blocks that were never written".to_owned()
        }
        Operation::Read => "the page cache answered".to_owned(),
        Operation::Write => "the page cache took them".to_owned(),
    }
}

/// `vda did 3 reads (12 KiB)`.
pub(super) fn did(names: &str, operation: Operation, done: Done) -> String {
    let what = operation.name();
    match done.ios {
        0 => format!("{names} did no {what}"),
        ios => format!(
            "{names} did {} {what}{} ({})",
            counted(ios as f64),
            if ios == 1 { "" } else { "s" },
            say::bytes(done.bytes)
        ),
    }
}

/// A number of I/Os: in full as far as that is short.
fn counted(ios: f64) -> String {
    match ios < 10_000.0 {
        true => say::count(ios.round() as u64),
        false => say::rate(ios),
    }
}

fn whole(bytes: f64) -> String {
    say::bytes(bytes.round() as u64)
}
