//! CloudPhysics' vscsi traces: records of 32 bytes (version 1) or 40 (version 2), little-endian.
//!
//! Version 1: u32 serial, u32 length, u32 segments, u16 command, u16 version, u64 block, u64 µs. Version 2: u16 command,
//! u16 version, u32 serial, u32 length, u32 segments, u64 block, u64 µs, u64 response time in µs. The upper byte of
//! `version` is 1 or 2; lengths are bytes, blocks 512 bytes. Source: the reader of libCacheSim.

use crate::error::{Flaw, TraceError};
use crate::event::{FrameFormat, Out};
use crate::input::Input;
use model::Nanos;
use model::trace::{TraceOperation, TraceRecord};

/// SCSI commands that transfer data: READ and WRITE of 6, 10, 12 and 16 bytes.
const READS: [u16; 4] = [0x08, 0x28, 0xa8, 0x88];
const WRITES: [u16; 4] = [0x0a, 0x2a, 0xaa, 0x8a];

/// Returns whether these bytes begin with a record of either version.
pub(crate) fn begins(head: &[u8]) -> bool {
    version(head).is_some()
}

fn version(head: &[u8]) -> Option<Version> {
    let word = |at: usize| Some(u16::from_le_bytes(*head.get(at..)?.first_chunk()?));
    let is = |at: usize, version: u16| {
        let command = word(at)?;
        let known = READS.contains(&command) || WRITES.contains(&command);
        Some(known && word(at + 2)? >> 8 == version)
    };
    match (is(12, 1), is(0, 2)) {
        (Some(true), _) => Some(Version::One),
        (_, Some(true)) => Some(Version::Two),
        _ => None,
    }
}

#[derive(Clone, Copy)]
enum Version {
    One,
    Two,
}

/// The version of the file, which its first record decides.
#[derive(Default)]
pub(crate) struct Reader {
    version: Option<Version>,
}

impl FrameFormat for Reader {
    fn frame(&mut self, input: &mut Input, out: &mut Out<'_>) -> Result<bool, TraceError> {
        if self.version.is_none() {
            self.version = version(input.head()?);
        }
        let Some(version) = self.version else {
            let flaw = "the first record has neither version: must be 1 or 2".to_owned();
            return Err(input.flawed(&Flaw(flaw)));
        };
        let mut bytes = [0; 40];
        let (size, command, length, block) = match version {
            Version::One => (32, 12, 4, 16),
            Version::Two => (40, 0, 8, 16),
        };
        if !input.frame(&mut bytes[..size], "vscsi record")? {
            return Ok(false);
        }
        let u64_at = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().expect("inside"));
        let command = u16::from_le_bytes([bytes[command], bytes[command + 1]]);
        let length = u32::from_le_bytes(*bytes[length..].first_chunk().expect("inside"));
        let operation = match command {
            read if READS.contains(&read) => TraceOperation::Read,
            write if WRITES.contains(&write) => TraceOperation::Write,
            _ => {
                out.counts.skipped += 1;
                return Ok(true);
            }
        };
        let large = || {
            input.flawed(&Flaw(
                "the block or the time is above 2^64 - 1 bytes or ns: must be below".to_owned(),
            ))
        };
        let scaled = |number: u64, unit: u64| number.checked_mul(unit).ok_or_else(large);
        let latency = match version {
            Version::One => None,
            Version::Two => Some(Nanos(scaled(u64_at(32), 1000)?)),
        };
        let record = TraceRecord {
            at: Nanos(scaled(u64_at(24), 1000)?),
            offset: scaled(u64_at(block), 512)?,
            length: u64::from(length),
            latency,
            operation,
            device: 0,
            ..TraceRecord::default()
        };
        let device = out.devices.number(b"0");
        let added = device.and_then(|device| out.whole(TraceRecord { device, ..record }));
        added.map_err(|flaw| input.flawed(&flaw))?;
        Ok(true)
    }
}
