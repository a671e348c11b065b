//! The kernel's log while something runs: each record once, from now on.
//!
//! Source: the kernel's `Documentation/ABI/testing/dev-kmsg`. A read returns one record or none; where records were
//! overwritten before they were read, it fails once with EPIPE. Only the kernel's own lines are used, as any program with
//! the rights can write others. Their stamps are of the scheduler's clock, which is close to the monotonic one and is not
//! promised to be: the shortest time from a stamp to its arrival shows by how much they differ. Omitted: lines from before.

use super::Seen;
use super::kernel_lines::recognise;
use super::scope::Scope;
use crate::root::Root;
use model::Nanos;
use model::record::{EventSource, SystemEvent};
use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;

/// No record is longer. // CONSOLE_EXT_LOG_MAX of the kernel
const RECORD_BYTES: usize = 8192;
/// Read at once at most, so that a log that never ends does not stop the caller.
const RECORDS_MAX: usize = 1_000_000;
/// How far a stamp is off at least. The clocks were within 0.2 ms of each other where it was tried.
const STAMP_OFF: Nanos = Nanos::millis(1);

/// The log, open.
pub(super) struct KernelLog {
    file: File,
    text: Vec<u8>,
}

impl KernelLog {
    /// Opens the log behind its last record; or why that is not possible.
    pub(super) fn open(root: &Root) -> Result<Self, String> {
        let open = || {
            let mut options = OpenOptions::new();
            options.read(true).custom_flags(libc::O_NONBLOCK);
            let mut file = options.open(root.path("dev/kmsg"))?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(|error| model::errno_text(&error))?;
        let mut log = KernelLog {
            file,
            text: vec![0; RECORD_BYTES],
        };
        log.each(|_| ())?; // the first one may be old
        Ok(log)
    }

    /// Reads what came since, and adds what is about the target. `now` is of the monotonic clock.
    pub(super) fn look(&mut self, scope: &Scope, now: i64, seen: &mut Seen) {
        let lost = self.each(|record| note(record, scope, now, seen));
        let lost = lost.unwrap_or(0); // a log that cannot be read any more has no lines
        seen.events.kernel_log_lost = seen.events.kernel_log_lost.saturating_add(lost);
    }

    /// Passes on each record. Returns how many gaps there were.
    fn each(&mut self, mut each: impl FnMut(&str)) -> Result<u64, String> {
        let mut lost = 0;
        for _ in 0..RECORDS_MAX {
            match self.file.read(&mut self.text) {
                Ok(0) => break,
                Ok(length) => match str::from_utf8(&self.text[..length]) {
                    Ok(record) => each(record),
                    Err(_) => each(&String::from_utf8_lossy(&self.text[..length])),
                },
                Err(error) if error.raw_os_error() == Some(libc::EPIPE) => lost += 1,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.raw_os_error() == Some(libc::EINVAL) => lost += 1, // too long
                Err(error) => return Err(model::errno_text(&error)),
            }
        }
        Ok(lost)
    }
}

/// Adds the event of a record, where it is one.
pub(super) fn note(record: &str, scope: &Scope, now: i64, seen: &mut Seen) {
    let Some((stamp, line)) = parse(record) else {
        return;
    };
    let delay = now.saturating_sub(stamp);
    seen.least_delay = Some(seen.least_delay.map_or(delay, |least| least.min(delay)));
    let line = unescaped(line);
    // A device without a driver has an empty name in front of its own.
    let line = line.split('\n').next().unwrap_or_default().trim();
    let Some((kind, subject)) = recognise(line, scope) else {
        return;
    };
    seen.events.push(SystemEvent {
        at_ns: stamp,
        uncertainty: STAMP_OFF,
        source: EventSource::KernelLog,
        kind,
        subject: subject.to_owned(),
        text: SystemEvent::cut(line).to_owned(),
    });
}

/// `6,1234,5678901,-;text`: priority and facility, number, microseconds, flags. Lines behind it belong to it and begin with
/// a blank. `None` where the kernel did not write it.
fn parse(record: &str) -> Option<(i64, &str)> {
    let (head, text) = record.split_once(';')?;
    let mut fields = head.split(',');
    let priority: u32 = fields.next()?.parse().ok()?;
    let _number = fields.next()?;
    let stamp: i64 = fields.next()?.parse().ok()?;
    let is_kernel = priority >> 3 == 0;
    let line = text.split('\n').next().unwrap_or_default();
    is_kernel.then_some((stamp.saturating_mul(1000), line))
}

/// The log writes what is not printable as `\x0a`.
fn unescaped(line: &str) -> Cow<'_, str> {
    let Some((before, _)) = line.split_once("\\x") else {
        return Cow::Borrowed(line);
    };
    let mut bytes = before.as_bytes().to_vec();
    let mut rest = &line[before.len()..];
    while let Some(c) = rest.chars().next() {
        let code = rest.strip_prefix("\\x").and_then(|behind| behind.get(..2));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(code) => {
                bytes.push(code);
                rest = &rest[4..];
            }
            None => {
                bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}
