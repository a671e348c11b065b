//! SPC trace file format 1.0.1: blocks of 512 bytes, bytes, seconds with decimals; further fields are ignored.
//!
//! Omitted: a header with another block size.

use crate::error::Flaw;
use crate::event::Out;
use crate::parse::{columns, header_is, read_or_write, scaled, seconds, whole};
use model::trace::TraceRecord;

pub(crate) const HEAD: &str = "ASU,LBA,Size";
const COLUMNS: &str = "ASU,LBA,Size,Opcode,Timestamp";

pub(crate) fn line(line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
    if header_is(line, HEAD) {
        return Ok(());
    }
    let [unit, block, size, operation, time] = columns::<5>(line, COLUMNS)?;
    whole(unit, "ASU")?;
    let record = TraceRecord {
        at: seconds(time, "Timestamp")?,
        device: out.devices.number(unit)?,
        operation: read_or_write(operation, "Opcode")?,
        offset: scaled(block, "LBA", 512)?,
        length: whole(size, "Size")?,
        ..TraceRecord::default()
    };
    out.whole(record)
}
