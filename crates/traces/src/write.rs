//! The formats that are written: a row each.
//!
//! Omitted: opening the file, which is the gate's.

use crate::event::{Counts, Writer};
use crate::iotrace;
use crate::text::{csv, fio3};
use model::Nanos;
use model::trace::{TraceFlags, TraceOperation, TraceRecord};
use std::io::{self, Write};

/// One format that is written.
pub struct WriterFormat {
    /// As options name it.
    pub name: &'static str,
    /// The ending of its files.
    pub ending: &'static str,
    /// Begins a trace of this resolution.
    #[allow(clippy::type_complexity)] // used once
    pub begin: fn(Box<dyn Write + Send>, Nanos) -> io::Result<Box<dyn Writer>>,
}

/// Every format that is written.
pub const WRITERS: &[WriterFormat] = &[
    WriterFormat {
        name: "iotrace",
        ending: "iotrace",
        begin: |out, resolution| Ok(Box::new(iotrace::Output::new(out, resolution)?)),
    },
    WriterFormat {
        name: "fio3",
        ending: "iolog",
        begin: |mut out, _| {
            out.write_all(fio3::HEAD)?;
            out.write_all(b"\n")?;
            Ok(Box::new(Fio {
                out,
                opened: 0,
                last: 0,
            }))
        },
    },
    WriterFormat {
        name: "csv",
        ending: "csv",
        begin: |mut out, _| {
            writeln!(out, "{}", csv::HEAD)?;
            Ok(Box::new(Csv { out }))
        },
    },
];

/// Returns the format of this name.
pub fn writer_named(name: &str) -> Option<&'static WriterFormat> {
    WRITERS.iter().find(|format| format.name == name)
}

/// Writes fio's iolog, version 3, in whole microseconds.
struct Fio {
    out: Box<dyn Write + Send>,
    opened: usize, // devices
    last: u64,     // µs
}

impl Writer for Fio {
    fn record(&mut self, record: &TraceRecord, devices: &[String]) -> io::Result<()> {
        let at = record.at.0 / 1000;
        self.open(at, devices)?;
        self.last = at;
        let action = match record.operation {
            TraceOperation::Read => "read",
            TraceOperation::Write => "write",
            TraceOperation::Discard => "trim",
            TraceOperation::Flush => "sync",
        };
        let file = file_name(&devices[usize::from(record.device)]);
        writeln!(
            self.out,
            "{at} {file} {action} {} {}",
            record.offset, record.length
        )
    }

    fn finish(&mut self, devices: &[String], _counts: Counts) -> io::Result<()> {
        self.open(self.last, devices)?;
        for device in devices {
            writeln!(self.out, "{} {} close", self.last, file_name(device))?;
        }
        self.out.flush()
    }
}

impl Fio {
    /// Adds and opens the files that are new.
    fn open(&mut self, at: u64, devices: &[String]) -> io::Result<()> {
        while self.opened < devices.len() {
            let file = file_name(&devices[self.opened]);
            writeln!(self.out, "{at} {file} add\n{at} {file} open")?;
            self.opened += 1;
        }
        Ok(())
    }
}

/// Returns a label without blanks, at which fio would split it.
fn file_name(label: &str) -> String {
    label.replace(char::is_whitespace, "_")
}

/// Writes fathom's own CSV.
struct Csv {
    out: Box<dyn Write + Send>,
}

impl Writer for Csv {
    fn record(&mut self, record: &TraceRecord, devices: &[String]) -> io::Result<()> {
        let marks = TraceFlags::ALL
            .iter()
            .filter(|(_, flag)| record.flags.has(*flag));
        let marks: String = marks.map(|(letter, _)| letter).collect();
        let latency = record.latency.map(|latency| latency.0.to_string());
        writeln!(
            self.out,
            "{},{},{},{},{},{marks},{},{}",
            record.at.0,
            devices[usize::from(record.device)],
            record.operation.name(),
            record.offset,
            record.length,
            record.thread,
            latency.unwrap_or_default(),
        )
    }

    fn finish(&mut self, _devices: &[String], _counts: Counts) -> io::Result<()> {
        self.out.flush()
    }
}
