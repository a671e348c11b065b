//! blktrace's binary records, of one CPU or put together by `blkparse -d`, in either byte order.
//!
//! 48 bytes each, then as many as the record specifies, which are skipped. Source: blktrace_api.h of the kernel.

use crate::error::{Flaw, TraceError};
use crate::event::{FrameFormat, Out, Stage};
use crate::input::Input;
use model::Nanos;
use model::trace::{TraceFlags, TraceOperation, TraceRecord};

/// The magic without its lowest byte, which is the version.
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;
const BYTES: usize = 48;

const QUEUE: u32 = 1;
const ISSUE: u32 = 7;
const COMPLETE: u32 = 8;

/// Bits of the upper half of `action`.
const WRITE: u32 = 1 << 1;
const FLUSH: u32 = 1 << 2;
const SYNC: u32 = 1 << 3;
const PASSTHROUGH: u32 = 1 << 9;
const NOTIFY: u32 = 1 << 10;
const AHEAD: u32 = 1 << 11;
const META: u32 = 1 << 12;
const DISCARD: u32 = 1 << 13;
const FUA: u32 = 1 << 15;

/// Returns whether these bytes begin with a record.
pub(crate) fn begins(head: &[u8]) -> bool {
    let Some(magic) = head.first_chunk::<4>() else {
        return false;
    };
    is_magic(u32::from_le_bytes(*magic)) || is_magic(u32::from_be_bytes(*magic))
}

fn is_magic(magic: u32) -> bool {
    magic & !0xff == MAGIC
}

pub(crate) struct Reader;

/// The bytes of a record, and their order.
struct Frame {
    bytes: [u8; BYTES],
    big: bool,
}

impl Frame {
    fn u16(&self, at: usize) -> u16 {
        let bytes = [self.bytes[at], self.bytes[at + 1]];
        if self.big {
            u16::from_be_bytes(bytes)
        } else {
            u16::from_le_bytes(bytes)
        }
    }

    fn u32(&self, at: usize) -> u32 {
        let bytes = *self.bytes[at..].first_chunk().expect("inside the record");
        if self.big {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        }
    }

    fn u64(&self, at: usize) -> u64 {
        let bytes = *self.bytes[at..].first_chunk().expect("inside the record");
        if self.big {
            u64::from_be_bytes(bytes)
        } else {
            u64::from_le_bytes(bytes)
        }
    }
}

impl FrameFormat for Reader {
    fn frame(&mut self, input: &mut Input, out: &mut Out<'_>) -> Result<bool, TraceError> {
        let mut frame = Frame {
            bytes: [0; BYTES],
            big: false,
        };
        if !input.frame(&mut frame.bytes, "blktrace record")? {
            return Ok(false);
        }
        frame.big = !is_magic(frame.u32(0));
        let magic = frame.u32(0);
        if !is_magic(magic) || magic & 0xff != VERSION {
            let read = format!("{magic:#010x}");
            let accepted = "must be 0x65617407 (version 7), in either byte order";
            return Err(input.flawed(&Flaw::new(read.as_bytes(), "magic", accepted)));
        }
        skip(input, usize::from(frame.u16(46)))?;
        event(&frame, out).map_err(|flaw| input.flawed(&flaw))?;
        Ok(true)
    }
}

/// Skips the data behind a record.
fn skip(input: &mut Input, mut left: usize) -> Result<(), TraceError> {
    let mut data = [0; 512];
    while left > 0 {
        let part = left.min(data.len());
        if !input.frame(&mut data[..part], "blktrace record's data")? {
            let flaw =
                format!("the file ends {left} bytes before the end of a record: must be whole");
            return Err(input.flawed(&Flaw(flaw)));
        }
        left -= part;
    }
    Ok(())
}

fn event(frame: &Frame, out: &mut Out<'_>) -> Result<(), Flaw> {
    let action = frame.u32(28);
    let bits = action >> 16;
    let stage = match action & 0xffff {
        QUEUE => Stage::Queued,
        ISSUE => Stage::Issued,
        COMPLETE => Stage::Completed,
        _ => return Ok(()),
    };
    if bits & NOTIFY != 0 {
        return Ok(());
    }
    if bits & PASSTHROUGH != 0 {
        out.counts.skipped += u64::from(stage == Stage::Issued);
        return Ok(());
    }
    let length = u64::from(frame.u32(24));
    let operation = match bits {
        bits if bits & DISCARD != 0 => TraceOperation::Discard,
        bits if bits & FLUSH != 0 && length == 0 => TraceOperation::Flush,
        bits if bits & WRITE != 0 => TraceOperation::Write,
        _ => TraceOperation::Read,
    };
    let marks = [
        (SYNC, TraceFlags::SYNC),
        (FUA, TraceFlags::FUA),
        (META, TraceFlags::META),
        (AHEAD, TraceFlags::AHEAD),
    ];
    let flags = marks.iter().filter(|(bit, _)| bits & bit != 0);
    let flags = flags.fold(TraceFlags::default(), |flags, (_, flag)| flags.with(*flag));
    let device = frame.u32(36);
    let label = format!("{},{}", device >> 20, device & 0xf_ffff);
    let sector = frame.u64(16);
    let too_far = || {
        Flaw::new(
            sector.to_string().as_bytes(),
            "sector",
            "must be below 2^54",
        )
    };
    let flush = operation == TraceOperation::Flush;
    let record = TraceRecord {
        at: Nanos(frame.u64(8)),
        offset: if flush {
            0
        } else {
            sector.checked_mul(512).ok_or_else(too_far)?
        },
        length,
        latency: None,
        thread: frame.u32(32),
        device: out.devices.number(label.as_bytes())?,
        operation,
        flags,
    };
    out.event(record, stage)
}
