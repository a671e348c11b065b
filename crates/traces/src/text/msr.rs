//! MSR Cambridge: times in 100 ns since 1601, of the arrival; bytes; the response time in 100 ns.
//!
//! Source: the readme of SNIA IOTTA 388.

use crate::error::Flaw;
use crate::event::Out;
use crate::parse::{columns, header_is, read_or_write, scaled, whole};
use model::Nanos;
use model::trace::TraceRecord;

pub(crate) const HEAD: &str = "Timestamp,Hostname,DiskNumber";
const COLUMNS: &str = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";

pub(crate) fn line(line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
    if header_is(line, HEAD) {
        return Ok(());
    }
    let [time, host, disk, operation, offset, size, response] = columns::<7>(line, COLUMNS)?;
    whole(disk, "DiskNumber")?;
    // Host and disk stand side by side in the line.
    let label = &line[line.iter().position(|&byte| byte == b',').unwrap_or(0) + 1..];
    let label = &label[..host.len().min(label.len()) + 1 + disk.len()];
    let record = TraceRecord {
        at: Nanos(scaled(time, "Timestamp", 100)?),
        device: out.devices.number(label)?,
        operation: read_or_write(operation, "Type")?,
        offset: whole(offset, "Offset")?,
        length: whole(size, "Size")?,
        latency: Some(Nanos(scaled(response, "ResponseTime", 100)?)),
        ..TraceRecord::default()
    };
    out.whole(record)
}
