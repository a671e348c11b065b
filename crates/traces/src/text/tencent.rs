//! Tencent CBS: whole seconds since 1970; sectors of 512 bytes.
//!
//! I/Os of the same second stay in the order of the file and have the same time: nothing below 1 s is recorded. Source:
//! the readme of SNIA IOTTA's Tencent set.

use crate::error::Flaw;
use crate::event::Out;
use crate::parse::{columns, header_is, scaled};
use model::Nanos;
use model::trace::{TraceOperation, TraceRecord};

pub(crate) const HEAD: &str = "Timestamp,Offset,Size,IOType";
const COLUMNS: &str = "Timestamp,Offset,Size,IOType,VolumeID";

pub(crate) fn line(line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
    if header_is(line, HEAD) {
        return Ok(());
    }
    let [time, offset, size, operation, volume] = columns::<5>(line, COLUMNS)?;
    let operation = match operation {
        b"0" => TraceOperation::Read,
        b"1" => TraceOperation::Write,
        _ => {
            return Err(Flaw::new(
                operation,
                "IOType",
                "must be 0 (read) or 1 (write)",
            ));
        }
    };
    let record = TraceRecord {
        at: Nanos(scaled(time, "Timestamp", 1_000_000_000)?),
        device: out.devices.number(volume)?,
        operation,
        offset: scaled(offset, "Offset", 512)?,
        length: scaled(size, "Size", 512)?,
        ..TraceRecord::default()
    };
    out.whole(record)
}
