//! blkparse's text in its default form: `maj,min cpu sequence seconds pid action rwbs sector + sectors [command]`.
//!
//! Q, D and C events are read, others are ignored, and so is the summary at the end. A line without a sector is a flush.

use crate::error::Flaw;
use crate::event::{LineFormat, Out, Stage};
use crate::parse::{digits, flush_of, rwbs, scaled, seconds, thread, whole, words};
use model::trace::{TraceOperation, TraceRecord};

const COLUMNS: &str =
    "must be: maj,min cpu sequence seconds pid action rwbs sector + sectors [command]";

/// Whether the summary has begun.
#[derive(Default)]
pub(crate) struct Reader {
    summary: bool,
}

/// Returns whether the first line is one of blkparse.
pub(crate) fn begins(head: &[u8]) -> bool {
    let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut words = words(first);
    let numbers = |text: &[u8], mark: u8| {
        let mut parts = text.splitn(2, |&byte| byte == mark);
        let mut number = || parts.next().and_then(digits).is_some();
        number() && number()
    };
    words.next().is_some_and(|device| numbers(device, b','))
        && words.next().and_then(digits).is_some()
        && words.next().and_then(digits).is_some()
        && words.next().is_some_and(|time| numbers(time, b'.'))
        && words.next().and_then(digits).is_some()
        && words.next().is_some_and(|action| action.len() <= 2)
}

impl LineFormat for Reader {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
        let line = line.trim_ascii();
        self.summary |= line.starts_with(b"CPU") || line.starts_with(b"Total (");
        if self.summary || line.is_empty() {
            return Ok(());
        }
        let mut words = words(line);
        let mut word = || words.next().ok_or_else(|| Flaw::new(line, "line", COLUMNS));
        let (device, cpu, sequence) = (word()?, word()?, word()?);
        let (time, process, action) = (word()?, word()?, word()?);
        whole(cpu, "cpu")?;
        whole(sequence, "sequence")?;
        let stage = match action {
            b"Q" => Stage::Queued,
            b"D" => Stage::Issued,
            b"C" => Stage::Completed,
            _ => return Ok(()),
        };
        let letters = word()?;
        let Some((operation, flags)) = rwbs(letters)? else {
            out.counts.skipped += u64::from(stage == Stage::Queued);
            return Ok(());
        };
        let rest = (words.next(), words.next(), words.next());
        let (operation, offset, length) = match rest {
            (Some(sector), Some(b"+"), Some(sectors)) => {
                let length = scaled(sectors, "sectors", 512)?;
                let operation = flush_of(operation, letters, length);
                (operation, scaled(sector, "sector", 512)?, length)
            }
            _ => (TraceOperation::Flush, 0, 0),
        };
        let record = TraceRecord {
            at: seconds(time, "time")?,
            device: out.devices.number(device)?,
            thread: thread(process, "pid")?,
            operation,
            flags,
            offset,
            length,
            latency: None,
        };
        out.event(record, stage)
    }
}
