//! Alibaba 2020: bytes, and microseconds since 1970.
//!
//! Source: github.com/alibaba/block-traces.

use crate::error::Flaw;
use crate::event::Out;
use crate::parse::{columns, header_is, read_or_write, scaled, whole};
use model::Nanos;
use model::trace::TraceRecord;

pub(crate) const HEAD: &str = "device_id,opcode,offset";
const COLUMNS: &str = "device_id,opcode,offset,length,timestamp";

pub(crate) fn line(line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
    if header_is(line, HEAD) {
        return Ok(());
    }
    let [device, operation, offset, length, time] = columns::<5>(line, COLUMNS)?;
    whole(device, "device_id")?;
    let record = TraceRecord {
        at: Nanos(scaled(time, "timestamp", 1000)?),
        device: out.devices.number(device)?,
        operation: read_or_write(operation, "opcode")?,
        offset: whole(offset, "offset")?,
        length: whole(length, "length")?,
        ..TraceRecord::default()
    };
    out.whole(record)
}
