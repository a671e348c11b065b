//! What is true of every input: a record or a refusal with a place, never a panic, and what is written is read back.

use crate::{Files, options, read, written};
use model::Nanos;
use model::trace::{TraceFlags, TraceOperation, TraceRecord};
use proptest::prelude::*;
use traces::{FORMATS, Trace, TraceError, Window};

/// Gap, offset and length; operation, marks, device and thread; latency.
type Drawn = ((u64, u64, u64), (usize, u8, u16, u32), Option<u64>);

fn records() -> impl Strategy<Value = Vec<TraceRecord>> {
    let one = (
        (0u64..5_000_000, 0u64..1 << 40, 1u64..1 << 20),
        (0usize..4, 0u8..16, 0u16..3, any::<u32>()),
        proptest::option::of(0u64..1 << 40),
    );
    proptest::collection::vec(one, 1..300).prop_map(|all| {
        let mut at = 0;
        let record =
            |((gap, offset, length), (operation, flags, device, thread), latency): Drawn| {
                at += gap;
                let operation = TraceOperation::ALL[operation].1;
                let flush = operation == TraceOperation::Flush;
                TraceRecord {
                    at: Nanos(at),
                    offset: if flush { 0 } else { offset },
                    length: if flush { 0 } else { length },
                    operation,
                    flags: TraceFlags(flags),
                    device,
                    thread,
                    latency: latency.map(Nanos),
                }
            };
        let mut all: Vec<TraceRecord> = all.into_iter().map(record).collect();
        let first = all[0].at;
        all.iter_mut().for_each(|one| one.at = one.at.minus(first));
        all
    })
}

fn labels() -> Vec<String> {
    ["8:0", "b", "c d"].map(str::to_owned).to_vec()
}

/// The records with labels instead of numbers.
fn labelled(records: &[TraceRecord], devices: &[String]) -> Vec<(TraceRecord, String)> {
    let one = |record: &TraceRecord| {
        let label = devices[usize::from(record.device)].clone();
        (
            TraceRecord {
                device: 0,
                ..*record
            },
            label,
        )
    };
    records.iter().map(one).collect()
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(records in records()) {
        for format in ["iotrace", "csv"] {
            let found = read(written(format, &records, &labels()), None).unwrap();
            prop_assert_eq!(found.format, format);
            prop_assert_eq!(labelled(&found.records, &found.devices), labelled(&records, &labels()));
        }
    }

    #[test]
    fn an_iolog_keeps_order_places_and_microseconds(records in records()) {
        let found = read(written("fio3", &records, &labels()), None).unwrap();
        let plain = |one: &TraceRecord| (one.offset, one.length, one.operation);
        let kept: Vec<_> = found.records.iter().map(plain).collect();
        prop_assert_eq!(kept, records.iter().map(plain).collect::<Vec<_>>());
        for (found, written) in found.records.iter().zip(&records) {
            prop_assert_eq!(found.at.0, written.at.0 / 1000 * 1000);
        }
    }

    #[test]
    fn a_trace_that_is_cut_gives_its_first_records_or_a_refusal(records in records(), cut in 0.0..1.0f64) {
        for format in ["iotrace", "csv", "fio3"] {
            let bytes = written(format, &records, &labels());
            let cut = (bytes.len() as f64 * cut) as usize;
            match read(&bytes[..cut], None) {
                // A line that was cut may be a shorter number, so that only what is before it is compared.
                Ok(found) => prop_assert!(format != "iotrace" && found.records.len() <= records.len()),
                Err(error) => prop_assert!(matches!(error, TraceError::Content { .. }), "{}", error),
            }
        }
    }

    #[test]
    fn a_changed_byte_of_an_iotrace_is_found(records in records(), at in any::<prop::sample::Index>(), bit in 0u32..8) {
        let mut bytes = written("iotrace", &records, &labels());
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        prop_assert!(read(&bytes, Some("iotrace")).is_err());
    }

    #[test]
    fn what_is_learned_of_any_records_is_a_profile(records in records()) {
        let one = |record: &TraceRecord| TraceRecord { device: 0, ..*record };
        let records: Vec<TraceRecord> = records.iter().map(one).collect();
        let files = Files::new();
        let path = files.add("t", written("iotrace", &records, &labels()));
        crate::fuzz::laws::records(&path, None);
    }

    #[test]
    fn any_bytes_are_records_or_a_refusal(bytes in proptest::collection::vec(any::<u8>(), 0..2000), format in 0..FORMATS.len()) {
        drop(read(&bytes, None));
        drop(read(&bytes, Some(FORMATS[format].name)));
    }

    #[test]
    fn any_lines_are_records_or_a_refusal(text in "([0-9RWDFSCQ,.+: ]{0,40}(block_rq_issue: )?\n){0,20}", format in 0..FORMATS.len()) {
        drop(read(&text, Some(FORMATS[format].name)));
    }

    #[test]
    fn times_ascend_whatever_the_order_of_the_lines(times in proptest::collection::vec(0u64..3_000_000, 1..200)) {
        let text: String = times.iter().map(|time| format!("1,R,0,512,{time}\n")).collect();
        let files = Files::new();
        let path = files.add("t", text);
        let found: Result<Vec<TraceRecord>, TraceError> = Trace::open(&[path], &options(None)).unwrap().collect();
        // Sorted, if no line is more than a second behind an earlier one.
        let mut newest = 0;
        let disorder = times.iter().map(|&time| { newest = newest.max(time); newest - time }).max().unwrap();
        if let Ok(records) = &found {
            prop_assert_eq!(records.len(), times.len());
            prop_assert!(records.is_sorted_by_key(|record| record.at));
        }
        prop_assert!(found.is_ok() || disorder > 1_000_000);
    }

    #[test]
    fn windows_part_a_trace(records in records(), cut in 1u64..1_000_000_000) {
        let files = Files::new();
        let path = files.add("t", written("iotrace", &records, &labels()));
        let part = |from, to| {
            let options = traces::Options { window: Window { from, to }, ..options(None) };
            let part: Vec<TraceRecord> = Trace::open(std::slice::from_ref(&path), &options).unwrap().map(Result::unwrap).collect();
            part
        };
        let (first, second) = (part(Nanos(0), Nanos(cut)), part(Nanos(cut), Nanos::MAX));
        let again = second.into_iter().map(|one| TraceRecord { at: one.at.plus(Nanos(cut)), ..one });
        let joined: Vec<u64> = first.into_iter().chain(again).map(|one| one.at.0).collect();
        prop_assert_eq!(joined, records.iter().map(|one| one.at.0).collect::<Vec<_>>());
    }
}
