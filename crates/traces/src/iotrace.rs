//! fathom's own format of traces, `.iotrace`: 6 to 14 bytes per I/O, written and read as a stream.
//!
//! The line `fathom iotrace 1`, then blocks: a letter, the length of the payload (u32), the payload, and the CRC-32C of
//! all three (u32, little-endian). `H` comes first: the resolution of the source. `B` has up to 65536 records: new labels
//! of devices, then the columns time, offset, length, marks, device, thread and latency, as varints; times, offsets and
//! threads as differences. `E` comes last: the number of records, and what the source had lost or skipped. A file without
//! it was cut. Omitted: an index, because a trace is read from its beginning.

use crate::error::{Flaw, TraceError};
use crate::event::{Counts, FrameFormat, Out, Stage, Writer};
use crate::input::Input;
use model::Nanos;
use model::trace::{TraceFlags, TraceOperation, TraceRecord};
use std::io::{self, Write};

const MAGIC: &[u8] = b"fathom iotrace 1\n";
/// Records of a block.
const RECORDS: usize = 65_536;
/// A payload has at most so many bytes: the columns of all records, and labels.
const PAYLOAD_MAX: usize = 16 << 20;
const HEAD: u8 = b'H';
const BLOCK: u8 = b'B';
const END: u8 = b'E';

/// Returns whether a file that begins so is one.
pub(crate) fn begins(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// Writes a trace.
pub(crate) struct Output<W> {
    out: W,
    records: Vec<TraceRecord>,
    labels: usize, // of devices that were written
    total: u64,
    last: Last,
}

/// What the differences of the next record count from.
#[derive(Clone, Copy, Default)]
struct Last {
    at: u64,
    offset: u64,
    thread: u32,
}

impl<W: Write> Output<W> {
    pub(crate) fn new(mut out: W, resolution: Nanos) -> io::Result<Output<W>> {
        out.write_all(MAGIC)?;
        let mut head = Vec::new();
        put(&mut head, resolution.0);
        block(&mut out, HEAD, &head)?;
        Ok(Output {
            out,
            records: Vec::with_capacity(RECORDS),
            labels: 0,
            total: 0,
            last: Last::default(),
        })
    }

    fn flush(&mut self, devices: &[String]) -> io::Result<()> {
        if self.records.is_empty() {
            return Ok(());
        }
        let records = &self.records;
        let mut payload = Vec::with_capacity(records.len() * 14);
        put(&mut payload, records.len() as u64);
        put(&mut payload, (devices.len() - self.labels) as u64);
        for label in &devices[self.labels..] {
            put(&mut payload, label.len() as u64);
            payload.extend(label.as_bytes());
        }
        self.labels = devices.len();
        let fine = |one: &TraceRecord| !(one.offset | one.length).is_multiple_of(512);
        let shift = if records.iter().any(fine) { 0 } else { 9 };
        payload.push(shift);
        let mut last = self.last;
        for one in records {
            put(&mut payload, one.at.0 - last.at);
            last.at = one.at.0;
        }
        for one in records {
            put(
                &mut payload,
                zigzag((one.offset >> shift) as i64 - (last.offset >> shift) as i64),
            );
            last.offset = one.offset;
        }
        records
            .iter()
            .for_each(|one| put(&mut payload, one.length >> shift));
        payload.extend(
            records
                .iter()
                .map(|one| one.operation as u8 | one.flags.0 << 2),
        );
        records
            .iter()
            .for_each(|one| put(&mut payload, u64::from(one.device)));
        for one in records {
            put(
                &mut payload,
                zigzag(i64::from(one.thread) - i64::from(last.thread)),
            );
            last.thread = one.thread;
        }
        let latency =
            |one: &TraceRecord| one.latency.map_or(0, |latency| latency.0.saturating_add(1));
        records
            .iter()
            .for_each(|one| put(&mut payload, latency(one)));
        self.last = last;
        self.total += records.len() as u64;
        self.records.clear();
        block(&mut self.out, BLOCK, &payload)
    }
}

impl<W: Write + Send> Writer for Output<W> {
    fn record(&mut self, record: &TraceRecord, devices: &[String]) -> io::Result<()> {
        self.records.push(*record);
        match self.records.len() {
            RECORDS => self.flush(devices),
            _ => Ok(()),
        }
    }

    fn finish(&mut self, devices: &[String], counts: Counts) -> io::Result<()> {
        self.flush(devices)?;
        let mut end = Vec::new();
        [self.total, counts.lost, counts.skipped]
            .iter()
            .for_each(|&number| put(&mut end, number));
        block(&mut self.out, END, &end)?;
        self.out.flush()
    }
}

fn block(out: &mut impl Write, kind: u8, payload: &[u8]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(payload.len() + 9);
    bytes.push(kind);
    bytes.extend((payload.len() as u32).to_le_bytes());
    bytes.extend(payload);
    let sum = crc_fast::crc32_iscsi(&bytes);
    bytes.extend(sum.to_le_bytes());
    out.write_all(&bytes)
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

const fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

const fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Reads a trace.
#[derive(Default)]
pub(crate) struct Reader {
    begun: bool,
    ended: bool,
    labels: Vec<u16>, // the numbers of its devices
    total: u64,
    last: Last,
}

impl FrameFormat for Reader {
    fn frame(&mut self, input: &mut Input, out: &mut Out<'_>) -> Result<bool, TraceError> {
        if !self.begun {
            let mut magic = [0; MAGIC.len()];
            if !input.frame(&mut magic, "first line")? || magic != *MAGIC {
                return Err(input.flawed(&Flaw::new(
                    &magic,
                    "first line",
                    "must be 'fathom iotrace 1'",
                )));
            }
            self.begun = true;
        }
        let mut head = [0; 5];
        if !input.frame(&mut head, "block")? {
            return match self.ended {
                true => Ok(false),
                false => Err(input.flawed(&Flaw(
                    "the file ends without its last block: it was cut, and must be whole"
                        .to_owned(),
                ))),
            };
        }
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if self.ended || length > PAYLOAD_MAX {
            let accepted = "must be at most 16777216 bytes, and the last block the last";
            return Err(input.flawed(&Flaw::new(length.to_string().as_bytes(), "block", accepted)));
        }
        let mut bytes = vec![0; 5 + length + 4];
        bytes[..5].copy_from_slice(&head);
        let whole = input.frame(&mut bytes[5..], "block")?;
        let (data, sum) = bytes.split_at(5 + length);
        if !whole || crc_fast::crc32_iscsi(data).to_le_bytes() != *sum {
            return Err(input.flawed(&Flaw(
                "the checksum of the block differs: must be unchanged".to_owned(),
            )));
        }
        let read = self.block(head[0], &data[5..], out);
        read.map_err(|flaw| input.flawed(&flaw))?;
        Ok(true)
    }
}

impl Reader {
    fn block(&mut self, kind: u8, payload: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
        let mut payload = Payload(payload);
        match kind {
            HEAD => {
                out.counts.resolution = Some(Nanos(payload.number()?));
                Ok(())
            }
            BLOCK => self.records(&mut payload, out),
            END => {
                self.ended = true;
                let total = payload.number()?;
                out.counts.lost += payload.number()?;
                out.counts.skipped += payload.number()?;
                match total == self.total {
                    true => Ok(()),
                    false => Err(Flaw::new(
                        total.to_string().as_bytes(),
                        "number of records",
                        "must be that of the blocks",
                    )),
                }
            }
            _ => Err(Flaw::new(&[kind], "block", "must be H, B or E")),
        }
    }

    fn records(&mut self, payload: &mut Payload<'_>, out: &mut Out<'_>) -> Result<(), Flaw> {
        let count = payload.number()? as usize;
        if count > RECORDS {
            return Err(Flaw::new(
                count.to_string().as_bytes(),
                "records of a block",
                "must be at most 65536",
            ));
        }
        for _ in 0..payload.number()? {
            let length = payload.number()?;
            let label = payload.bytes(length)?;
            self.labels.push(out.devices.number(label)?);
        }
        let shift = payload.bytes(1)?[0];
        if shift > 9 {
            return Err(Flaw::new(
                shift.to_string().as_bytes(),
                "unit",
                "must be 2^0 to 2^9 bytes",
            ));
        }
        let mut records = vec![TraceRecord::default(); count];
        self.places(&mut records, shift, payload)?;
        for one in &mut records {
            let marks = payload.bytes(1)?[0];
            one.operation = TraceOperation::ALL[usize::from(marks & 3)].1;
            one.flags = TraceFlags(marks >> 2 & 0xf);
        }
        for one in &mut records {
            let device = self.labels.get(payload.number()? as usize);
            one.device = *device.ok_or_else(Payload::flaw)?;
        }
        for one in &mut records {
            let thread = i64::from(self.last.thread).wrapping_add(unzigzag(payload.number()?));
            one.thread = u32::try_from(thread).map_err(|_| Payload::flaw())?;
            self.last.thread = one.thread;
        }
        for one in &mut records {
            one.latency = payload.number()?.checked_sub(1).map(Nanos);
        }
        self.total += count as u64;
        records
            .into_iter()
            .try_for_each(|record| out.event(record, Stage::Whole))
    }

    /// Reads times, offsets and lengths.
    fn places(
        &mut self,
        records: &mut [TraceRecord],
        shift: u8,
        payload: &mut Payload<'_>,
    ) -> Result<(), Flaw> {
        for one in &mut *records {
            let at = self.last.at.checked_add(payload.number()?);
            self.last.at = at.ok_or_else(Payload::flaw)?;
            one.at = Nanos(self.last.at);
        }
        let mut offset = (self.last.offset >> shift) as i64;
        for one in &mut *records {
            offset = offset.wrapping_add(unzigzag(payload.number()?));
            let scaled = u64::try_from(offset)
                .ok()
                .filter(|offset| offset >> (63 - shift) == 0);
            one.offset = scaled.ok_or_else(Payload::flaw)? << shift;
            self.last.offset = one.offset;
        }
        for one in records {
            let length = payload.number()?;
            let fits = length >> (63 - shift) == 0;
            one.length = fits.then_some(length << shift).ok_or_else(Payload::flaw)?;
        }
        Ok(())
    }
}

/// What is left of a payload.
struct Payload<'a>(&'a [u8]);

impl<'a> Payload<'a> {
    fn flaw() -> Flaw {
        Flaw(
            "the block has a value out of range, or ends before its columns: must be whole"
                .to_owned(),
        )
    }

    fn bytes(&mut self, length: u64) -> Result<&'a [u8], Flaw> {
        let split = usize::try_from(length)
            .ok()
            .and_then(|length| self.0.split_at_checked(length));
        let (bytes, rest) = split.ok_or_else(Payload::flaw)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<u64, Flaw> {
        let mut number = 0u64;
        for (at, &byte) in self.0.iter().enumerate().take(10) {
            let bits = u64::from(byte & 0x7f);
            if at == 9 && byte > 1 {
                break;
            }
            number |= bits << (7 * at);
            if byte < 0x80 {
                self.0 = &self.0[at + 1..];
                return Ok(number);
            }
        }
        Err(Payload::flaw())
    }
}
