//! The kernel's block events as perf script, ftrace and trace-cmd print them.
//!
//! `command tid [cpu] seconds: block:block_bio_queue: maj,min RWBS sector + n [command]`, and the same for
//! `block_rq_issue`, `block_rq_complete` and `block_bio_complete`. ftrace and trace-cmd print `command-tid [cpu] flags
//! seconds:`. Events of other kinds are ignored; lost ones are counted.

use crate::error::Flaw;
use crate::event::{Out, Stage};
use crate::parse::{digits, flush_of, rwbs, scaled, seconds, words};
use memchr::memmem;
use model::trace::TraceRecord;

const EVENTS: [(&[u8], Stage); 4] = [
    (b"block_bio_queue: ", Stage::Queued),
    (b"block_rq_issue: ", Stage::Issued),
    (b"block_rq_complete: ", Stage::Completed),
    (b"block_bio_complete: ", Stage::Completed),
];
const COLUMNS: &str = "must be: command tid [cpu] seconds: event: maj,min RWBS … sector + sectors";

/// Returns whether the text has block events.
pub(crate) fn begins(head: &[u8]) -> bool {
    let named = EVENTS
        .iter()
        .any(|(name, _)| memmem::find(head, name).is_some());
    named && memchr::memchr(0, head).is_none()
}

pub(crate) fn line(line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
    let found = EVENTS.iter().find_map(|(name, stage)| {
        memmem::find(line, name).map(|at| (at, &line[at + name.len()..], *stage))
    });
    let Some((at, event, stage)) = found else {
        out.counts.lost += lost(line);
        return Ok(());
    };
    let wrong = || Flaw::new(line, "line", COLUMNS);
    let (time, thread) = before(&line[..at]).ok_or_else(wrong)?;
    let mut fields = words(event);
    let device = fields.next().ok_or_else(wrong)?;
    let letters = fields.next().ok_or_else(wrong)?;
    let Some((operation, flags)) = rwbs(letters)? else {
        out.counts.skipped += u64::from(stage == Stage::Queued);
        return Ok(());
    };
    let (sector, sectors) = range(fields).ok_or_else(wrong)?;
    let length = scaled(sectors, "sectors", 512)?;
    let operation = flush_of(operation, letters, length);
    let record = TraceRecord {
        at: seconds(time, "time")?,
        device: out.devices.number(device)?,
        thread,
        operation,
        flags,
        // A flush has the sector -1 or 0.
        offset: if length == 0 {
            0
        } else {
            scaled(sector, "sector", 512)?
        },
        length,
        latency: None,
    };
    out.event(record, stage)
}

/// Returns the time and the thread, which are before the event.
fn before(text: &[u8]) -> Option<(&[u8], u32)> {
    let text = text.trim_ascii_end();
    let text = text
        .strip_suffix(b"block:")
        .unwrap_or(text)
        .trim_ascii_end();
    let text = text.strip_suffix(b":")?;
    let start = memchr::memrchr2(b' ', b'\t', text).map_or(0, |at| at + 1);
    let (front, time) = text.split_at(start);
    // The command may contain anything, so that the CPU is found from the back.
    let cpu = memchr::memrchr(b'[', front).unwrap_or(front.len());
    let issuer = front[..cpu].trim_ascii_end();
    let issuer = match issuer.last() {
        Some(b')') => issuer[..memchr::memrchr(b'(', issuer)?].trim_ascii_end(), // the process, as ftrace prints it
        _ => issuer,
    };
    let start = memchr::memrchr3(b' ', b'-', b'/', issuer).map_or(0, |at| at + 1);
    let thread = digits(&issuer[start..]).and_then(|number| u32::try_from(number).ok())?;
    Some((time, thread))
}

/// Returns the words around the plus sign.
fn range<'a>(words: impl Iterator<Item = &'a [u8]>) -> Option<(&'a [u8], &'a [u8])> {
    let (mut last, mut plus) = (None, false);
    for word in words {
        if plus {
            return Some((last?, word));
        }
        plus = word == b"+";
        if !plus {
            last = Some(word);
        }
    }
    None
}

/// Returns how many events a line reports as lost: `CPU:1 [LOST 12 EVENTS]`, or `LOST 12 events!`.
fn lost(line: &[u8]) -> u64 {
    let Some(at) = memmem::find(line, b"LOST ") else {
        return 0;
    };
    let mut after = words(&line[at + 5..]);
    let number = after.next().and_then(digits);
    let events = after
        .next()
        .is_some_and(|word| word.to_ascii_lowercase().starts_with(b"events"));
    number.filter(|_| events).unwrap_or(0)
}
