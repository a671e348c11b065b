//! Microsoft production servers, Exchange, TPC-C and TPC-E: the text of xperf.
//!
//! A header section, then lines of which `DiskRead`, `DiskWrite` and `DiskFlush` are read. TimeStamp is the completion, in
//! µs: an I/O is issued ElapsedTime before it. Other lines are ignored. Source: the readmes of the sets of SNIA IOTTA.

use crate::error::Flaw;
use crate::event::{LineFormat, Out};
use crate::parse::{columns, hexadecimal, scaled, thread, whole};
use model::Nanos;
use model::trace::{TraceOperation, TraceRecord};

pub(crate) const HEAD: &[u8] = b"BeginHeader";
const COLUMNS: &str =
    "TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum";
const FLUSH: &str = "TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ElapsedTime, DiskNum";

/// Whether the header section has ended.
#[derive(Default)]
pub(crate) struct Reader {
    body: bool,
}

impl LineFormat for Reader {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
        let line = line.trim_ascii();
        if !self.body {
            self.body = line == b"EndHeader";
            return Ok(());
        }
        let kind = line.split(|&byte| byte == b',').next().unwrap_or_default();
        match kind.trim_ascii() {
            b"DiskRead" => transfer(TraceOperation::Read, line, out),
            b"DiskWrite" => transfer(TraceOperation::Write, line, out),
            b"DiskFlush" => flush(line, out),
            _ => Ok(()),
        }
    }
}

fn transfer(operation: TraceOperation, line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
    let fields = columns::<9>(line, COLUMNS)?;
    let [_, time, _process, issuer, _irp, offset, size, elapsed, disk] = fields;
    let latency = Nanos(scaled(elapsed, "ElapsedTime", 1000)?);
    let record = TraceRecord {
        at: issued(time, latency)?,
        device: out.devices.number(disk)?,
        thread: thread(issuer, "ThreadID")?,
        operation,
        offset: hexadecimal(offset, "ByteOffset")?,
        length: hexadecimal(size, "IOSize")?,
        latency: Some(latency),
        ..TraceRecord::default()
    };
    out.whole(record)
}

fn flush(line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
    let [_, time, _process, issuer, _irp, elapsed, disk] = columns::<7>(line, FLUSH)?;
    let latency = Nanos(scaled(elapsed, "ElapsedTime", 1000)?);
    whole(disk, "DiskNum")?;
    let record = TraceRecord {
        at: issued(time, latency)?,
        device: out.devices.number(disk)?,
        thread: thread(issuer, "ThreadID")?,
        operation: TraceOperation::Flush,
        latency: Some(latency),
        ..TraceRecord::default()
    };
    out.whole(record)
}

/// Returns when an I/O was issued that took so long; one that began before the recording began at 0.
fn issued(time: &[u8], latency: Nanos) -> Result<Nanos, Flaw> {
    Ok(Nanos(scaled(time, "TimeStamp", 1000)?).minus(latency))
}
