//! fio's iolog, version 3: `TIME FILE ACTION [OFFSET LENGTH]`, TIME in microseconds since the start.
//!
//! `add`, `open` and `close` are read and have no effect. Names of files are labels; spaces in them are not supported,
//! because fio writes none.

use crate::error::Flaw;
use crate::event::Out;
use crate::parse::{scaled, whole, words};
use model::Nanos;
use model::trace::{TraceOperation, TraceRecord};

pub(crate) const HEAD: &[u8] = b"fio version 3 iolog";
const COLUMNS: &str = "must be: TIME FILE ACTION [OFFSET LENGTH]";

pub(crate) fn line(line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
    if line.starts_with(HEAD) || line.is_empty() {
        return Ok(());
    }
    let mut words = words(line);
    let mut word = || words.next().ok_or_else(|| Flaw::new(line, "line", COLUMNS));
    let (time, file, action) = (word()?, word()?, word()?);
    let at = Nanos(scaled(time, "TIME", 1000)?);
    let range = words
        .next()
        .map(|offset| (offset, words.next().unwrap_or_default()));
    record(at, file, action, range, out)
}

/// Adds the I/O of a line; the range is the text of its offset and length.
pub(crate) fn record(
    at: Nanos,
    file: &[u8],
    action: &[u8],
    range: Option<(&[u8], &[u8])>,
    out: &mut Out<'_>,
) -> Result<(), Flaw> {
    let operation = match action {
        b"read" => TraceOperation::Read,
        b"write" => TraceOperation::Write,
        b"trim" => TraceOperation::Discard,
        b"sync" | b"datasync" => TraceOperation::Flush,
        b"add" | b"open" | b"close" => return Ok(()),
        _ => {
            let accepted =
                "must be add, open, close, read, write, trim, sync, datasync, or wait in version 2";
            return Err(Flaw::new(action, "ACTION", accepted));
        }
    };
    let (offset, length) = match (operation, range) {
        (TraceOperation::Flush, _) => (0, 0),
        (_, Some((offset, length))) => (whole(offset, "OFFSET")?, whole(length, "LENGTH")?),
        (_, None) => return Err(Flaw::new(b"", "OFFSET", "must be a whole number of bytes")),
    };
    let record = TraceRecord {
        at,
        device: out.devices.number(file)?,
        operation,
        offset,
        length,
        ..TraceRecord::default()
    };
    out.whole(record)
}
