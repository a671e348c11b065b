//! SYSTOR '17: seconds since 1970 with decimals, the response time in seconds, bytes.
//!
//! Source: the readme of SNIA IOTTA 4928.

use crate::error::Flaw;
use crate::event::Out;
use crate::parse::{columns, header_is, read_or_write, seconds, whole};
use model::trace::TraceRecord;

pub(crate) const HEAD: &str = "Timestamp,Response,IOType";
const COLUMNS: &str = "Timestamp,Response,IOType,LUN,Offset,Size";

pub(crate) fn line(line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
    if header_is(line, HEAD) {
        return Ok(());
    }
    let [time, response, operation, lun, offset, size] = columns::<6>(line, COLUMNS)?;
    let latency = match response {
        b"" => None, // the set has some without
        response => Some(seconds(response, "Response")?),
    };
    let record = TraceRecord {
        at: seconds(time, "Timestamp")?,
        device: out.devices.number(lun)?,
        operation: read_or_write(operation, "IOType")?,
        offset: whole(offset, "Offset")?,
        length: whole(size, "Size")?,
        latency,
        ..TraceRecord::default()
    };
    out.whole(record)
}
