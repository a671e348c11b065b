//! Data that was read is not the data that was written: a rule for each kind of damage, all with one method.
//!
//! Neighbouring blocks of one kind are one stretch. Omitted: how a block is compared and confirmed, which is the engine's
//! (fathom docs verification), and what could not be compared (`verified`).

use super::target_changed::zeroed_by_others;
use super::{
    Cause, FINDINGS, Finding, Group, Look, Own, Rule, RuleId, Severity, finding, interrupted_writes,
};
use crate::say;
use model::block_header::BLOCK;
use model::verified::VerifyWork;
use model::{CorruptBlock, CorruptKind, KindCount};

/// Makes the rule of one kind.
macro_rules! rule {
    ($name:ident, $kind:ident, $what:literal, $advice:literal) => {
        pub(super) const $name: Rule = Rule {
            id: RuleId::new(CorruptKind::$kind.id()),
            group: Group::Data,
            cause: Cause::Alone,
            limit: None,
            what: $what,
            method: "Each block contains its place and version, with checksums; a map contains the version that was \
                     written last. A block is compared only where no write of it was in flight, and read twice again past \
                     the page cache before it is reported.",
            evidence: &["corrupt_blocks", "first_offset_bytes", "last_offset_bytes"],
            source: "fathom: block headers and the write map (fathom docs verification). Kinds: Bairavasundaram et al., \
                     FAST 2008; Zheng et al., FAST 2013.",
            advice: concat!("First ", $advice, "."),
            look: Look::Own(|seen| look(seen, CorruptKind::$kind, $advice)),
        };
    };
}

rule!(
    LOST,
    Lost,
    "A completed write is not there: the block contains an older version.",
    "check firmware and volatile caches, and the health of the device (smartctl -x)"
);
rule!(
    STALE_READ,
    StaleRead,
    "A read returned an older version; read again, the block is right.",
    "find the cache or mirror that returned an old copy: compare the legs of a mirror, and disable caches one by one"
);
rule!(
    TORN,
    Torn,
    "Sectors of one block belong to different writes, although the write was completed.",
    "check the atomic write unit of the device"
);
rule!(
    MISDIRECTED,
    Misdirected,
    "A block contains data that was written for another place.",
    "check the firmware and the mapping below the target (RAID, device mapper, thin pool)"
);
rule!(
    DUPLICATED,
    Duplicated,
    "One write is at two places.",
    "check the mapping below the target (RAID, device mapper, thin pool)"
);
rule!(
    ALIASED,
    Aliased,
    "Several places at one distance contain the same data: addresses wrap around.",
    "measure the real capacity of the device (f3probe): it contains less than it reports"
);
rule!(
    BIT_ROT,
    BitRot,
    "Bits of a block differ from what was written.",
    "check memory, cables and the health of the device (smartctl -x), then repeat"
);
rule!(
    ZEROED,
    Zeroed,
    "A block that was written contains zeros.",
    "check for discards (fstrim), unmapped extents and file system errors in the system log"
);
rule!(
    SHIFTED,
    Shifted,
    "The data of a block begins some sectors late.",
    "check what splits or merges requests below the target (device mapper, RAID, the driver)"
);
rule!(
    FOREIGN,
    Foreign,
    "A block contains data that fathom did not write.",
    "find out which program writes to the target (fuser -v, lsof); if none does, check the mapping below it"
);
rule!(
    FUTURE,
    Future,
    "A block contains a version that this run did not issue yet.",
    "find out which other host or snapshot writes to the same storage"
);
rule!(
    UNREADABLE,
    Unreadable,
    "A block cannot be read.",
    "check the system log and the health of the device (smartctl -x)"
);

rule!(
    NOT_DURABLE,
    NotDurable,
    "A write that was acknowledged as durable is not there after a power cut.",
    "disable the volatile write cache of the device (hdparm -W0, nvme set-feature -f 6 -v 0) and cut the power again; then \
     check its firmware and everything between it and the system that may drop a flush"
);

fn look(seen: &Own<'_>, kind: CorruptKind, advice: &str) -> Option<Finding> {
    let verification = seen.record.engine.verification.as_ref()?;
    let count = verification.kinds.iter().find(|one| one.kind == kind)?;
    if kind == CorruptKind::Zeroed && zeroed_by_others(seen).is_some() {
        return None; // `target-changed` reports them
    }
    let path = |target: u32| {
        let facts = seen.record.targets.get(target as usize);
        facts.map_or_else(String::new, |facts| facts.path.display().to_string())
    };
    Some(of_kind(count, &verification.cases, &path, advice))
}

/// Each kind of damage that a pass without a run found.
pub(crate) fn in_content(work: &VerifyWork, path: &str) -> Vec<Finding> {
    let of_kind = |count: &KindCount| {
        let rule = FINDINGS
            .iter()
            .find(|rule| rule.id.as_str() == count.kind.id());
        let advice = rule.map_or("", |rule| rule.advice);
        let advice = advice.trim_start_matches("First ").trim_end_matches('.');
        of_kind(count, &work.cases, &|_| path.to_owned(), advice)
    };
    let interrupted = work.durability.as_ref().map(|found| found.blocks);
    let interrupted = interrupted.and_then(|blocks| interrupted_writes(&blocks));
    work.kinds.iter().map(of_kind).chain(interrupted).collect()
}

fn of_kind(
    count: &KindCount,
    cases: &[CorruptBlock],
    path: &dyn Fn(u32) -> String,
    advice: &str,
) -> Finding {
    let kind = count.kind;
    let cases = cases.iter().filter(|case| case.kind == kind);
    let cases: Vec<&CorruptBlock> = cases.collect();
    let mut sentence = format!("{}: {}", name(kind), say::counted(count.blocks, "block"));
    let mut evidence = vec![("corrupt_blocks", count.blocks as f64)];
    if let (Some(first), Some(last)) = (cases.first(), cases.last()) {
        sentence.push_str(&format!(
            ", the first at {}; {}",
            stretch(&path(first.target), &cases, first),
            detail(first)
        ));
        evidence.push(("first_offset_bytes", first.offset.0 as f64));
        evidence.push(("last_offset_bytes", last.offset.0 as f64));
    }
    finding(
        RuleId::new(kind.id()),
        Severity::Error,
        sentence,
        &evidence,
        advice,
    )
}

/// Describes a corrupt block: a sentence, then each fact on a line of its own.
pub fn case_text(case: &CorruptBlock, path: &str) -> String {
    let place = stretch(path, &[case], case);
    let mut lines = vec![
        format!("{}: {place}; {}", name(case.kind), detail(case)),
        format!("finding: {} (fathom explain {0})", case.kind.id()),
        match case.expected {
            0 => "expected: a whole block of an earlier run".to_owned(),
            version => format!("expected: version {version} of this run"),
        },
    ];
    lines.extend(case.found.map(|found| {
        let run = if found.own { "this run" } else { "another run" };
        format!(
            "header found: of {run}, version {}, written for offset {} by thread {}, issued {} ns after its run began",
            found.generation, found.place.0, found.thread, found.issued.0
        )
    }));
    lines.extend(case.read_by.map(|(thread, at)| {
        format!(
            "read by: thread {thread}, {} ns after the warm-up began",
            at.0
        )
    }));
    let readings = case.readings.iter();
    let readings: Vec<&str> = readings
        .map(|kind| kind.map_or("right", CorruptKind::id))
        .collect();
    lines.push(format!("further readings: {}", readings.join(", ")));
    lines.push(match case.bytes {
        Some(_) => {
            "bytes as they were read first: the file of this name that ends in .bin".to_owned()
        }
        None => "bytes: none were read, or they were not kept".to_owned(),
    });
    lines.join("\n") + "\n"
}

/// The first words of a sentence.
const fn name(kind: CorruptKind) -> &'static str {
    match kind {
        CorruptKind::Lost => "lost write",
        CorruptKind::StaleRead => "stale read",
        CorruptKind::Torn => "torn write",
        CorruptKind::Misdirected => "misdirected",
        CorruptKind::Duplicated => "duplicated",
        CorruptKind::Aliased => "addresses wrap around",
        CorruptKind::BitRot => "bit rot",
        CorruptKind::Zeroed => "zeroed",
        CorruptKind::Shifted => "shifted",
        CorruptKind::Foreign => "foreign data",
        CorruptKind::Future => "version from the future",
        CorruptKind::Unreadable => "unreadable",
        CorruptKind::NotDurable => "not durable",
    }
}

/// Where the first stretch is, and how long: `offset 1.5 GiB (0x60000000) of /dev/sdb, 8 KiB long`.
fn stretch(path: &str, cases: &[&CorruptBlock], first: &CorruptBlock) -> String {
    let mut end = first.offset.0 + BLOCK.0;
    for case in &cases[1..] {
        if case.target == first.target && case.offset.0 == end {
            end += BLOCK.0;
        }
    }
    let at = first.offset.0;
    let length = say::bytes(end - at);
    format!(
        "offset {at} (0x{at:x}, sector {}) of {path}, {length} long",
        at / 512
    )
}

/// What was found there, and what the further readings gave.
fn detail(case: &CorruptBlock) -> String {
    let expected = match case.expected {
        0 => "data of an earlier run".to_owned(),
        version => format!("version {version}"),
    };
    let found = match (case.kind, case.found) {
        (CorruptKind::NotDurable, None) => {
            format!("it contains no version; durable: {expected} or a newer one")
        }
        (CorruptKind::Unreadable, _) => format!("errno {}", case.errno.unwrap_or_default()),
        (CorruptKind::Torn, _) => {
            let others = case.other_sectors.count_ones();
            format!(
                "{others} of 8 sectors are of another write than the first; expected: {expected}"
            )
        }
        (CorruptKind::BitRot, _) if case.bits.is_some() => {
            let bits = case.bits.unwrap_or_else(|| unreachable!("just checked"));
            let count = say::counted(u64::from(bits.bits), "bit");
            format!("{count} differ, the first in byte {}", bits.first_byte)
        }
        (_, Some(found)) if found.place != case.offset => format!(
            "it contains version {} of offset {}, written by thread {}; expected: {expected}",
            found.generation, found.place.0, found.thread
        ),
        (_, Some(found)) if found.own => format!(
            "it contains version {}, written by thread {} at {}; expected: {expected}",
            found.generation,
            found.thread,
            say::time(found.issued.0 as f64)
        ),
        (_, Some(_)) if case.expected > 0 => {
            format!("it contains data of an earlier run; expected: {expected}")
        }
        _ => format!("expected: {expected}"),
    };
    let right = case.readings.iter().filter(|one| one.is_none()).count();
    format!(
        "{found}; {right} of {} further readings were right",
        case.readings.len()
    )
}

#[cfg(test)]
mod tests {
    use crate::findings::{FINDINGS, Severity, found};
    use crate::sample::Sample;
    use model::{
        Bytes, CorruptBlock, CorruptKind, FoundHeader, KindCount, Nanos, Verification, VerifyCounts,
    };

    fn case(kind: CorruptKind, offset: u64) -> CorruptBlock {
        CorruptBlock {
            kind,
            target: 0,
            offset: Bytes(offset),
            expected: 17,
            found: Some(FoundHeader {
                own: true,
                generation: 16,
                place: Bytes(offset),
                thread: 3,
                issued: Nanos::seconds(20),
            }),
            readings: vec![Some(kind), None],
            other_sectors: 0b1110_0000,
            bits: None,
            errno: None,
            read_by: Some((1, Nanos::seconds(31))),
            bytes: None,
        }
    }

    #[test]
    fn each_kind_is_an_error_of_its_own_with_count_and_places() {
        for kind in CorruptKind::ALL {
            assert!(FINDINGS.iter().any(|rule| rule.id.as_str() == kind.id()));
            let mut record = Sample::default().build();
            assert_eq!(found(&record, kind.id()), None);
            record.engine.verification = Some(Verification {
                reads: VerifyCounts {
                    corrupt: 3,
                    ..VerifyCounts::default()
                },
                kinds: vec![KindCount { kind, blocks: 3 }],
                cases: vec![case(kind, 8192), case(kind, 12288), case(kind, 65536)],
                ..Verification::default()
            });
            let finding = found(&record, kind.id()).unwrap();
            assert_eq!(finding.severity, Severity::Error);
            let values: Vec<f64> = finding.evidence.iter().map(|one| one.value).collect();
            assert_eq!(values, [3.0, 8192.0, 65536.0]);
            assert!(
                finding.sentence.contains("8 KiB long"),
                "{}",
                finding.sentence
            );
            for other in CorruptKind::ALL.iter().filter(|other| **other != kind) {
                assert_eq!(found(&record, other.id()), None);
            }
            assert_eq!(found(&record, "verified"), None);
        }
    }

    #[test]
    fn the_sentence_has_place_versions_and_readings() {
        let mut record = Sample::default().build();
        record.engine.verification = Some(Verification {
            kinds: vec![KindCount {
                kind: CorruptKind::Lost,
                blocks: 1,
            }],
            cases: vec![case(CorruptKind::Lost, 8192)],
            ..Verification::default()
        });
        let path = record.targets[0].path.display().to_string();
        assert_eq!(
            found(&record, "data-lost").unwrap().sentence,
            format!(
                "lost write: 1 block, the first at offset 8192 (0x2000, sector 16) of {path}, 4 KiB long; it contains \
                 version 16, written by thread 3 at 20 s; expected: version 17; 1 of 2 further readings were right"
            )
        );
    }
}
