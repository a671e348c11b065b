//! What verification found, with the units in the names: the part of a report that JSON and the HTML report show.
//!
//! Omitted: what it means (`findings/corrupt_data`, `findings/verified`).

use model::read_back::{ReadBack, ReadBackCounts, ReadBackDelay};
use model::verified::DurableCounts;
use model::{CorruptBlock, CorruptKind, KindCount, Nanos, Verification, VerifyCounts, VerifyLevel};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Result of the verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerificationReport {
    /// Compared part of a block.
    pub level: VerifyLevel,
    /// Share of the blocks whose body was compared in the run, in percent; all are in the pass.
    pub bodies_percent: u8,
    /// Blocks that were written.
    pub written_blocks: u64,
    /// Writes that waited for another write of the same place.
    pub deferred_writes: u64,
    /// Blocks that the run's reads returned.
    pub reads: VerifyCounts,
    /// Writes that were read again while the run continued; none where that was not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_back: Option<ReadBackReport>,
    /// The pass over the whole range after the run; none where there was none.
    pub pass: Option<PassReport>,
    /// Corrupt blocks of each kind.
    pub kinds: Vec<KindReport>,
    /// The first corrupt blocks, at most 64.
    pub cases: Vec<CaseReport>,
    /// Content of the journal of durable writes; none without a journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<JournalReport>,
    /// Content that was there after a simulated power cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durable: Option<DurableReport>,
}

/// Writes that were read again while the run continued. These reads are in no rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadBackReport {
    /// Share of the writes, in percent.
    pub share_percent: u8,
    /// Time from a write to its second reading, in nanoseconds; null where it is a number of I/Os.
    pub after_ns: Option<u64>,
    /// Further I/Os of the thread between the two; null where it is a time.
    pub after_ios: Option<u32>,
    /// Their blocks.
    pub blocks: VerifyCounts,
    /// Writes of the share that were not read again, because too many waited.
    pub skipped_writes: u64,
    /// Writes that still waited when their thread ended.
    pub left_writes: u64,
}

impl ReadBackReport {
    fn of(request: ReadBack, counts: &ReadBackCounts) -> ReadBackReport {
        let (after_ns, after_ios) = match request.after {
            ReadBackDelay::Time(time) => (Some(time.0), None),
            ReadBackDelay::Ios(ios) => (None, Some(ios)),
        };
        ReadBackReport {
            share_percent: request.share.as_percent(),
            after_ns,
            after_ios,
            blocks: counts.blocks,
            skipped_writes: counts.skipped,
            left_writes: counts.left,
        }
    }
}

/// Content of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JournalReport {
    /// Writes, one for each grain.
    pub writes: u64,
    /// Flushes that returned well, one for each thread and target that they cover.
    pub flushes: u64,
    /// Bytes.
    pub bytes: u64,
    /// How long all threads waited for room in it, in nanoseconds.
    pub waited_ns: u64,
    /// CPU time of its writer, in nanoseconds.
    pub cpu_ns: Option<u64>,
    /// Why it ended before the run.
    pub failed: Option<String>,
}

/// Blocks that a journal promises, by what was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DurableReport {
    /// Blocks that have to be there.
    pub promised_blocks: u64,
    /// With the durable version or a newer one.
    pub found_blocks: u64,
    /// Of these with a newer one.
    pub newer_blocks: u64,
    /// With an older version, or without any.
    pub lost_blocks: u64,
    /// With parts of several versions, none of which is proven to be older.
    pub interrupted_blocks: u64,
    /// With data of a run that was not there before.
    pub replaced_blocks: u64,
    /// When the latest promised write that was found was complete, in nanoseconds since its run began.
    pub last_found_ns: u64,
    /// The same of the earliest promised write that is lost; none where none is.
    pub first_lost_ns: Option<u64>,
    /// The same of the latest.
    pub last_lost_ns: Option<u64>,
    /// A write is lost that was durable before another one that is there.
    pub out_of_order: bool,
}

/// A pass over the whole range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PassReport {
    /// Its blocks.
    pub counts: VerifyCounts,
    /// To be read, in bytes.
    pub total_bytes: u64,
    /// Read, in bytes: less where it was interrupted.
    pub done_bytes: u64,
    /// How long it took, in nanoseconds.
    pub took_ns: u64,
}

/// Corrupt blocks of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KindReport {
    /// Which.
    pub kind: CorruptKind,
    /// The finding that explains it.
    pub finding: String,
    /// Blocks.
    pub blocks: u64,
}

/// One corrupt block, of 4096 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseReport {
    /// What is wrong with it.
    pub kind: CorruptKind,
    /// Which target, by its number from 0.
    pub target: u32,
    /// From the start of the target, in bytes.
    pub offset_bytes: u64,
    /// Version that was expected; 0 for data of an earlier run.
    pub expected_version: u16,
    /// The header that was found, where one is whole.
    pub found: Option<FoundReport>,
    /// Results of two further reads that bypassed the page cache; null if they were correct.
    pub readings: Vec<Option<CorruptKind>>,
    /// Numbers of the sectors that are of another write than the header; of a torn block.
    pub other_sectors: Vec<u8>,
    /// Bits that differ from a later reading that is right.
    pub different_bits: Option<u32>,
    /// Errno of a block that cannot be read.
    pub errno: Option<i32>,
    /// Who read it; none in a pass.
    pub read_by: Option<ReaderReport>,
    /// The block as it was read, in hexadecimal, where it begins with a block header; of the first 16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
}

/// A header that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FoundReport {
    /// Whether it is of this run.
    pub own: bool,
    /// Its version.
    pub version: u16,
    /// The place that it was written for, in bytes from the start of the target.
    pub offset_bytes: u64,
    /// The thread that wrote it.
    pub thread: u32,
    /// When, in nanoseconds on its run's clock.
    pub issued_ns: u64,
}

/// Who read a corrupt block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReaderReport {
    /// The thread.
    pub thread: u32,
    /// When, in nanoseconds since the start of the warm-up.
    pub at_ns: u64,
}

impl VerificationReport {
    /// Of a record.
    pub(crate) fn of(verification: &Verification) -> VerificationReport {
        VerificationReport {
            level: verification.request.level,
            bodies_percent: verification.request.bodies.as_percent(),
            written_blocks: verification.written,
            deferred_writes: verification.deferred,
            reads: verification.reads,
            read_back: verification
                .request
                .read_back
                .zip(verification.read_back.as_ref())
                .map(|(request, counts)| ReadBackReport::of(request, counts)),
            pass: verification.pass.map(|pass| PassReport {
                counts: pass.counts,
                total_bytes: pass.total.0,
                done_bytes: pass.done.0,
                took_ns: pass.took.0,
            }),
            kinds: verification.kinds.iter().map(KindReport::of).collect(),
            cases: verification.cases.iter().map(CaseReport::of).collect(),
            journal: verification.journal.as_ref().map(|journal| JournalReport {
                writes: journal.writes,
                flushes: journal.flushes,
                bytes: journal.bytes.0,
                waited_ns: journal.waited.0,
                cpu_ns: journal.cpu.map(|cpu| cpu.0),
                failed: journal.failed.clone(),
            }),
            durable: verification.durable.as_ref().map(DurableReport::of),
        }
    }
}

impl DurableReport {
    pub(crate) fn of(blocks: &DurableCounts) -> DurableReport {
        let lost = |moment: Nanos| (blocks.lost > 0).then_some(moment.0);
        DurableReport {
            promised_blocks: blocks.promised,
            found_blocks: blocks.found,
            newer_blocks: blocks.newer,
            lost_blocks: blocks.lost,
            interrupted_blocks: blocks.interrupted,
            replaced_blocks: blocks.replaced,
            last_found_ns: blocks.last_found.0,
            first_lost_ns: lost(blocks.first_lost),
            last_lost_ns: lost(blocks.last_lost),
            out_of_order: blocks.is_out_of_order(),
        }
    }
}

impl KindReport {
    pub(crate) fn of(count: &KindCount) -> KindReport {
        KindReport {
            kind: count.kind,
            finding: count.kind.id().to_owned(),
            blocks: count.blocks,
        }
    }
}

impl CaseReport {
    pub(crate) fn of(case: &CorruptBlock) -> CaseReport {
        let sectors = (0..8u8).filter(|sector| case.other_sectors >> sector & 1 == 1);
        CaseReport {
            kind: case.kind,
            target: case.target,
            offset_bytes: case.offset.0,
            expected_version: case.expected,
            found: case.found.map(|found| FoundReport {
                own: found.own,
                version: found.generation,
                offset_bytes: found.place.0,
                thread: found.thread,
                issued_ns: found.issued.0,
            }),
            readings: case.readings.clone(),
            other_sectors: sectors.collect(),
            different_bits: case.bits.map(|bits| bits.bits),
            errno: case.errno,
            read_by: case.read_by.map(|(thread, at)| ReaderReport {
                thread,
                at_ns: at.0,
            }),
            bytes: case.bytes.clone(),
        }
    }
}
