//! fio's iolog, version 2: `FILE ACTION [OFFSET LENGTH]`, and `FILE wait µs 0` between them.
//!
//! A wait counts from the wait before, so that the times are the sums of the waits (fio's HOWTO, "Trace file format v2").
//! fio ignores waits below 100 µs; here they count.

use super::fio3;
use crate::error::Flaw;
use crate::event::{LineFormat, Out};
use crate::parse::{scaled, words};
use model::Nanos;

pub(crate) const HEAD: &[u8] = b"fio version 2 iolog";
const COLUMNS: &str = "must be: FILE ACTION [OFFSET LENGTH]";

/// The sum of the waits so far.
#[derive(Default)]
pub(crate) struct Reader {
    at: Nanos,
}

impl LineFormat for Reader {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
        if line.starts_with(HEAD) || line.is_empty() {
            return Ok(());
        }
        let mut words = words(line);
        let mut word = || words.next().ok_or_else(|| Flaw::new(line, "line", COLUMNS));
        let (file, action) = (word()?, word()?);
        let first = words.next();
        if action == b"wait" {
            let wait = scaled(first.unwrap_or_default(), "wait (µs)", 1000)?;
            self.at = self.at.plus(Nanos(wait));
            return Ok(());
        }
        let range = first.map(|offset| (offset, words.next().unwrap_or_default()));
        fio3::record(self.at, file, action, range, out)
    }
}
