//! What the formats have in common: the events that are found in a file, the labels of devices, and the traits of readers
//! and writers.
//!
//! Omitted: any format, and the order of events (`source`).

use crate::error::{Flaw, TraceError};
use crate::input::Input;
use crate::parse;
use model::Nanos;
use model::trace::{TraceOperation, TraceRecord};
use std::collections::HashMap;
use std::io;

/// So many devices may a trace have.
const DEVICES_MAX: usize = 1 << 16;

/// What happened to an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The record has all that is known of it.
    Whole,
    /// It arrived at the device's queue.
    Queued,
    /// It was sent to the device.
    Issued,
    /// It completed.
    Completed,
}

/// One event of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) record: TraceRecord,
    pub(crate) stage: Stage,
}

/// The labels of the devices, in the order of their first event.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    numbers: HashMap<Box<[u8]>, u16>,
    last: Option<(Box<[u8]>, u16)>,
    pub(crate) names: Vec<String>,
}

impl Devices {
    /// Returns the number of a device.
    pub(crate) fn number(&mut self, label: &[u8]) -> Result<u16, Flaw> {
        if let Some((last, number)) = &self.last
            && **last == *label
        {
            return Ok(*number);
        }
        let known = self.numbers.get(label).copied();
        let number = match known {
            Some(number) => number,
            None => self.add(label)?,
        };
        self.last = Some((label.into(), number));
        Ok(number)
    }

    fn add(&mut self, label: &[u8]) -> Result<u16, Flaw> {
        let number = self.names.len();
        let full = || Flaw::new(label, "device", "must be one of at most 65536 devices");
        if number >= DEVICES_MAX {
            return Err(full());
        }
        let number = u16::try_from(number).map_err(|_| full())?;
        // `8,0` and `8:0` are the same device; a comma would end a column of CSV.
        let name = model::printable(&String::from_utf8_lossy(label));
        self.names.push(name.replace(',', ":"));
        self.numbers.insert(label.into(), number);
        Ok(number)
    }
}

/// Where the reader of a format puts what it finds.
pub(crate) struct Out<'a> {
    pub(crate) events: &'a mut Vec<Event>,
    pub(crate) devices: &'a mut Devices,
    pub(crate) counts: &'a mut Counts,
}

/// What is counted instead of being an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Events that the recorder lost.
    pub lost: u64,
    /// I/Os without data.
    pub skipped: u64,
    /// The resolution of the trace that a file was converted from.
    pub resolution: Option<Nanos>,
}

impl Out<'_> {
    /// Adds an I/O of which all is known.
    pub(crate) fn whole(&mut self, record: TraceRecord) -> Result<(), Flaw> {
        self.event(record, Stage::Whole)
    }

    /// Adds an event.
    pub(crate) fn event(&mut self, mut record: TraceRecord, stage: Stage) -> Result<(), Flaw> {
        if record.operation == TraceOperation::Flush {
            (record.offset, record.length) = (0, 0);
        }
        parse::check_range(record.operation, record.offset, record.length)?;
        if record.operation.transfers() && record.length == 0 {
            self.counts.skipped += u64::from(stage != Stage::Completed);
            return Ok(());
        }
        self.events.push(Event { record, stage });
        Ok(())
    }
}

/// Reads the lines of a text format.
pub(crate) trait LineFormat: Send {
    /// Reads one line.
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw>;
}

impl<F: FnMut(&[u8], &mut Out<'_>) -> Result<(), Flaw> + Send> LineFormat for F {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
        self(line, out)
    }
}

/// Reads the frames of a binary format.
pub(crate) trait FrameFormat: Send {
    /// Reads one frame; false at the end of the file.
    fn frame(&mut self, input: &mut Input, out: &mut Out<'_>) -> Result<bool, TraceError>;
}

/// Reads a file of a format.
pub(crate) enum Decoder {
    Lines(Box<dyn LineFormat>),
    Frames(Box<dyn FrameFormat>),
}

/// Writes the records of a trace, in the order of their times.
pub trait Writer: Send {
    /// Writes a record; `devices` are the labels of all numbers so far.
    ///
    /// # Errors
    /// Those of the output.
    fn record(&mut self, record: &TraceRecord, devices: &[String]) -> io::Result<()>;

    /// Writes the end.
    ///
    /// # Errors
    /// Those of the output.
    fn finish(&mut self, devices: &[String], counts: Counts) -> io::Result<()>;
}
