//! Sequential I/O at what one port of a device moves in practice, for `bandwidth-limit`: USB 2.0, an old SATA port, a slot with
//! one lane.
//!
//! Disks differ in reads and writes; a port does not. Omitted: ports that disks have by design (SATA 6 Gbit/s, four lanes),
//! and ports that the system itself reports, which bound results that fathom measured (`impossible-for-medium`).

use super::impossible_for_medium::RIM_BYTES_PER_S_MAX;
use super::qos_limit::{NearTo, is_under_dev, near};
use super::qos_shape::{Cap, Held};
use super::{BANDWIDTH_LIMIT, Confidence, Finding, Seen, Several, Severity, finding};
use crate::device_classes::{PORTS, PortClass, RANDOM_IOPS};
use crate::observed::Observed;
use crate::say;
use model::{CacheMode, ImportFormat};
use std::collections::HashMap;

/// How far reads and writes may be from each other.
const APART_MAX: f64 = 0.15;
/// Any I/O of the session that is faster by more shows that there is no such port.
const EXCEEDED: f64 = 1.03;
/// Random reads beyond any rotating disk, its cache of a small range included.
const FLASH_IOPS_MIN: f64 = 4.0 * RANDOM_IOPS;
/// The outer tracks of disks since 2006 are faster; older ones are as slow as USB 2.0.
const OLD_PLATTER_BYTES_PER_S: f64 = 60e6;
/// Smaller I/Os one at a time are slow by themselves.
const BLOCK_MIN: u64 = 1 << 17;
const ADVICE: &str = "repeat on another port or with another cable or adapter: more MiB/s mean that the port was the limit";

/// The fastest of a target.
#[derive(Default)]
struct Fastest {
    /// Sequential reads and writes, in bytes per second.
    sides: [f64; 2],
    /// Any I/O, in bytes per second.
    any: f64,
    /// Random reads, in IOPS.
    random_reads: f64,
}

/// Finds the port of a target whose sequential reads and writes have the same rate.
pub(super) fn of_session(several: &Several<'_>) -> Option<Finding> {
    let mut of_targets: HashMap<&str, Fastest> = HashMap::new();
    for run in several.runs {
        let fastest = of_targets.entry(&run.target).or_default();
        let bytes = run.total.bytes_per_s.unwrap_or(0.0);
        fastest.any = fastest.any.max(bytes);
        match (run.load.random_share, run.load.write_share) {
            (Some(0.0), Some(0.0)) => fastest.sides[0] = fastest.sides[0].max(bytes),
            (Some(0.0), Some(1.0)) => fastest.sides[1] = fastest.sides[1].max(bytes),
            (Some(1.0), Some(0.0)) => {
                let by_size =
                    || Some(bytes / run.load.block_bytes.filter(|size| *size > 0)? as f64);
                let rate = run.total.iops.or_else(by_size).unwrap_or(0.0);
                fastest.random_reads = fastest.random_reads.max(rate);
            }
            _ => {}
        }
    }
    let mut targets = several.runs.iter().map(|run| run.target.as_str());
    targets.find_map(|target| at_port(several, target, &of_targets[target]))
}

fn at_port(several: &Several<'_>, target: &str, fastest: &Fastest) -> Option<Finding> {
    let [read, write] = fastest.sides;
    let (low, high) = (read.min(write), read.max(write));
    let port = port_of(low).filter(|port| port.carries(high) && !port.usual)?;
    let apart = high / low - 1.0;
    let turns = fastest.random_reads < FLASH_IOPS_MIN && high <= RIM_BYTES_PER_S_MAX;
    let as_old = turns && high <= OLD_PLATTER_BYTES_PER_S;
    if apart > APART_MAX || fastest.any > EXCEEDED * high || (turns && !as_old) {
        return None;
    }
    let of = NearTo {
        write_share: None,
        network: !is_under_dev(target),
    };
    let published = near(several.known, None, Some(high), of);
    let or = published.map_or_else(String::new, |near| {
        format!("; that is also {}", near.words())
    });
    let sentence = format!(
        "bandwidth {} to {} MiB/s: sequential reads and writes are within {} of each other, as over {}{}{or}",
        if as_old { "may be limited" } else { "limited" },
        say::mib_per_s(high),
        say::percent(apart),
        words(port),
        if as_old { OLD } else { "" },
    );
    let evidence = [
        ("bytes_per_s", high),
        ("link_bytes_per_s", port.to_bytes_per_s),
    ];
    let (severity, sure) = match as_old {
        true => (Severity::Note, Confidence::Low),
        false => (Severity::Warning, Confidence::Medium),
    };
    Some(finding(BANDWIDTH_LIMIT, severity, sentence, &evidence, ADVICE).sure(sure))
}

const OLD: &str = "; an old rotating disk is as slow";

/// `USB 2.0 (27 to 44 MiB/s in practice)`.
fn words(port: &PortClass) -> String {
    format!(
        "{} ({} to {} MiB/s in practice)",
        port.name,
        say::mib_per_s(port.from_bytes_per_s),
        say::mib_per_s(port.to_bytes_per_s)
    )
}

fn port_of(bytes_per_s: f64) -> Option<&'static PortClass> {
    PORTS.iter().find(|port| port.carries(bytes_per_s))
}

/// Whether a port explains a bandwidth as well as a limit does: its disks have it by design, or the session is at it.
pub(super) fn explains(bytes_per_s: f64, several: &Several<'_>) -> bool {
    port_of(bytes_per_s).is_some_and(|port| port.usual || of_session(several).is_some())
}

/// Returns whether random reads of a target are as slow as those of a rotating disk, and a bandwidth is one of such a disk.
pub(super) fn turns(bytes_per_s: f64, target: &str, several: &Several<'_>) -> bool {
    let is_read = |run: &&Observed| {
        run.target == target
            && run.load.random_share == Some(1.0)
            && run.load.write_share == Some(0.0)
    };
    let reads = several.runs.iter().filter(is_read);
    let most = reads.filter_map(|run| run.total.iops).reduce(f64::max);
    bytes_per_s <= RIM_BYTES_PER_S_MAX && most.is_some_and(|rate| rate < FLASH_IOPS_MIN)
}

/// Large sequential I/Os of one imported run on a disk as slow as the slowest port: a hint.
pub(super) fn alone(seen: &Seen<'_>) -> Option<Cap> {
    let (run, observed) = (seen.imported?, seen.observed);
    let port = port_of(observed.total.bytes_per_s?)
        .filter(|port| port.to_bytes_per_s <= OLD_PLATTER_BYTES_PER_S)?;
    let scsi = observed.target.starts_with("/dev/sd");
    let plain = observed.load.random_share == Some(0.0)
        && matches!(observed.load.write_share, Some(0.0 | 1.0))
        && observed.load.write_through != Some(true)
        && observed.load.block_bytes >= Some(BLOCK_MIN);
    let reached = run.format == ImportFormat::HdparmText
        || observed.load.cache == Some(CacheMode::Unbuffered)
        || run.evidence.flush.is_some();
    (scsi && plain && reached).then(|| Cap {
        held: Held::Bandwidth,
        why: format!("large sequential I/Os, as over {}{OLD}", words(port)),
        severity: Severity::Note,
        confidence: Confidence::Low,
        evidence: vec![("link_bytes_per_s", port.to_bytes_per_s)],
    })
}

#[cfg(test)]
mod tests {
    use super::super::test::several;
    use crate::findings::Severity;
    use crate::known::Known;
    use crate::observed::{Observed, ObservedLoad};

    fn runs([read, write]: [f64; 2], random_reads: f64) -> [Observed; 3] {
        [(0.0, 0.0, read), (1.0, 0.0, write), (0.0, 1.0, 0.0)].map(|(write, random, mb)| {
            let mut run = Observed {
                load: ObservedLoad {
                    write_share: Some(write),
                    random_share: Some(random),
                    block_bytes: Some(1 << 20),
                    ..ObservedLoad::default()
                },

                ..Observed::default()
            };
            run.total.bytes_per_s = Some(mb * 1e6);
            run.total.iops = Some(if random > 0.0 { random_reads } else { mb });
            run
        })
    }

    #[test]
    fn reads_and_writes_at_what_a_port_moves_are_limited_by_it_and_a_platter_is_not() {
        let severity = |sides, random_reads| {
            let found = several(
                &runs(sides, random_reads),
                &Known::default(),
                "bandwidth-limit",
            );
            found.map(|found| found.severity)
        };
        for (sides, random_reads, expected) in [
            ([278.0, 262.0], 55_000.0, Some(Severity::Warning)),
            ([278.0, 262.0], 300.0, None), // a rotating disk
            ([278.0, 180.0], 55_000.0, None),
            ([548.0, 520.0], 90_000.0, None), // SATA as usual
            ([41.0, 38.0], 4_000.0, Some(Severity::Warning)),
            ([41.0, 38.0], 120.0, Some(Severity::Note)),
            ([41.0, 15.0], 900.0, None), // a stick
            ([868.0, 850.0], 80_000.0, Some(Severity::Warning)),
            ([3500.0, 3200.0], 400_000.0, None),
        ] {
            assert_eq!(severity(sides, random_reads), expected, "{sides:?}");
        }
    }
}
