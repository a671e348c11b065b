//! Values separated by commas, in columns that the user names: `time=µs,-,op,offset=sectors,length=bytes`.
//!
//! fathom's own CSV has such columns in its first line. A first line that begins with a letter is a header and is ignored.

use crate::error::{Flaw, TraceError};
use crate::event::{LineFormat, Out};
use crate::parse::{digits, read_or_write, scaled, seconds, thread};
use model::Nanos;
use model::trace::{TraceFlags, TraceOperation, TraceRecord};

/// The first line of fathom's own CSV.
pub(crate) const HEAD: &str = "time_ns,device,op,offset,length,flags,thread,latency_ns";
const OWN: &str = "time=ns,device,op,offset=bytes,length=bytes,flags,thread,latency=ns";
const ACCEPTED: &str = "must be columns separated by commas: time, offset and length, each with =UNIT, then op, device, \
                        thread, flags, latency=UNIT, or - for one to ignore; times in s, ms, us or ns, others in bytes \
                        or sectors";

/// What a column has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Ignored,
    Time(u64),
    Operation,
    Offset(u64),
    Length(u64),
    Device,
    Thread,
    Flags,
    Latency(u64),
}

/// The columns of a file.
pub(crate) struct Reader {
    columns: Vec<Column>,
    begun: bool,
}

impl Reader {
    /// Returns the reader of fathom's own CSV.
    pub(crate) fn own() -> Reader {
        Reader::of(OWN).expect("the columns are correct")
    }

    /// Reads the names of the columns.
    pub(crate) fn of(text: &str) -> Result<Reader, TraceError> {
        let columns: Option<Vec<Column>> = text.split(',').map(column).collect();
        let has = |columns: &[Column]| {
            let count = |is: fn(&Column) -> bool| columns.iter().filter(|one| is(one)).count();
            count(|one| matches!(one, Column::Time(_))) == 1
                && count(|one| matches!(one, Column::Offset(_))) == 1
                && count(|one| matches!(one, Column::Length(_))) == 1
        };
        match columns.filter(|columns| has(columns)) {
            Some(columns) => Ok(Reader {
                columns,
                begun: false,
            }),
            None => Err(TraceError::Request(model::invalid_value(
                &format!("csv:{text}"),
                "--format",
                ACCEPTED,
            ))),
        }
    }
}

fn column(text: &str) -> Option<Column> {
    let (name, unit) = text.split_once('=').unwrap_or((text, ""));
    let time = || match unit {
        "s" => Some(1_000_000_000),
        "ms" => Some(1_000_000),
        "us" | "µs" => Some(1_000),
        "ns" => Some(1),
        _ => None,
    };
    let size = || match unit {
        "bytes" => Some(1),
        "sectors" => Some(512),
        _ => None,
    };
    match name {
        "time" => time().map(Column::Time),
        "offset" => size().map(Column::Offset),
        "length" => size().map(Column::Length),
        "latency" => time().map(Column::Latency),
        _ if !unit.is_empty() => None,
        "-" => Some(Column::Ignored),
        "op" => Some(Column::Operation),
        "device" => Some(Column::Device),
        "thread" => Some(Column::Thread),
        "flags" => Some(Column::Flags),
        _ => None,
    }
}

impl LineFormat for Reader {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> Result<(), Flaw> {
        let header = !self.begun && line.first().is_some_and(u8::is_ascii_alphabetic);
        self.begun = true;
        if header || line.is_empty() {
            return Ok(());
        }
        let mut record = TraceRecord::default();
        let mut device: &[u8] = b"0";
        let mut fields = line.split(|&byte| byte == b',');
        for &column in &self.columns {
            let Some(field) = fields.next().map(<[u8]>::trim_ascii) else {
                let accepted = format!("must have {} columns", self.columns.len());
                return Err(Flaw::new(line, "line", &accepted));
            };
            match column {
                Column::Ignored => {}
                Column::Time(unit) => record.at = time(field, "time", unit)?,
                Column::Offset(unit) => record.offset = scaled(field, "offset", unit)?,
                Column::Length(unit) => record.length = scaled(field, "length", unit)?,
                Column::Operation => record.operation = operation(field)?,
                Column::Device => device = field,
                Column::Thread => record.thread = thread(field, "thread")?,
                Column::Flags => record.flags = flags(field)?,
                Column::Latency(_) if field.is_empty() => {}
                Column::Latency(unit) => record.latency = Some(time(field, "latency", unit)?),
            }
        }
        record.device = out.devices.number(device)?;
        out.whole(record)
    }
}

/// Reads a time; seconds may have decimals.
fn time(field: &[u8], name: &str, unit: u64) -> Result<Nanos, Flaw> {
    match unit {
        1_000_000_000 if digits(field).is_none() => seconds(field, name),
        _ => scaled(field, name, unit).map(Nanos),
    }
}

fn operation(field: &[u8]) -> Result<TraceOperation, Flaw> {
    match field {
        b"discard" | b"D" | b"d" | b"trim" => Ok(TraceOperation::Discard),
        b"flush" | b"F" | b"f" | b"sync" => Ok(TraceOperation::Flush),
        _ => read_or_write(field, "op"),
    }
}

fn flags(field: &[u8]) -> Result<TraceFlags, Flaw> {
    field
        .iter()
        .try_fold(TraceFlags::default(), |flags, &byte| {
            let known = TraceFlags::ALL
                .iter()
                .find(|(letter, _)| *letter == char::from(byte));
            match known {
                Some((_, flag)) => Ok(flags.with(*flag)),
                None => Err(Flaw::new(
                    field,
                    "flags",
                    "must be letters of S, F, M and A",
                )),
            }
        })
}
