//! FIU: `ns pid process lba size W|R major minor MD5`, separated by blanks; lba and size in 512 bytes.
//!
//! Source: the readme of the IODedup and SRCMap sets. The digest of the content is ignored.

use crate::error::Flaw;
use crate::event::Out;
use crate::parse::{header_is, read_or_write, scaled, thread, whole, words};
use model::Nanos;
use model::trace::TraceRecord;

pub(crate) const HEAD: &str = "ts pid process lba";
const COLUMNS: &str = "must be: ns pid process lba size W|R major minor [MD5]";

pub(crate) fn line(line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
    if header_is(line, HEAD) {
        return Ok(());
    }
    let mut words = words(line);
    let mut word = || words.next().ok_or_else(|| Flaw::new(line, "line", COLUMNS));
    let (time, process, _name, block, size, operation) =
        (word()?, word()?, word()?, word()?, word()?, word()?);
    let (major, minor) = (word()?, word()?);
    let label = [major, b",", minor].concat();
    let record = TraceRecord {
        at: Nanos(whole(time, "ns")?),
        device: out.devices.number(&label)?,
        thread: thread(process, "pid")?,
        operation: read_or_write(operation, "operation")?,
        offset: scaled(block, "lba", 512)?,
        length: scaled(size, "size", 512)?,
        ..TraceRecord::default()
    };
    out.whole(record)
}
