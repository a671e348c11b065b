//! One file of a trace as a stream of events in the order of time.
//!
//! A file may be out of order by a bounded time: events wait until a later one is so much later. Beyond that the file and
//! the line are named. Omitted: which events belong to the same I/O (`pairing`).

use crate::error::{Flaw, TraceError};
use crate::event::{Counts, Decoder, Devices, Event, LineFormat, Out};
use crate::formats::{FORMATS, Format, format_named};
use crate::input::Input;
use crate::text::csv;
use model::Nanos;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// So many events of a file wait at most.
const WAITING_MAX: usize = 1 << 18;
/// One file.
pub(crate) struct Source {
    input: Input,
    pub(crate) format: &'static Format,
    decoder: Decoder,
    waiting: BinaryHeap<Waiting>, // where times may be out of order
    ready: VecDeque<Event>,       // where they may not
    found: Vec<Event>,
    counts: Counts,
    newest: Nanos,
    returned: Nanos,
    number: u64,
    ended: bool,
    /// Its first lines, or an event of it, are of the format: what is in it may be printed.
    is_proven: bool,
}

struct Waiting {
    number: u64,
    event: Event,
}

impl Source {
    pub(crate) fn new(input: Input, format: &'static Format, decoder: Decoder) -> Source {
        Source {
            input,
            format,
            decoder,
            waiting: BinaryHeap::new(),
            ready: VecDeque::new(),
            found: Vec::new(),
            counts: Counts::default(),
            newest: Nanos(0),
            returned: Nanos(0),
            number: 0,
            ended: false,
            is_proven: false,
        }
    }

    /// Returns the next event in the order of time; events of the same time stay in the order of the file.
    pub(crate) fn next(&mut self, devices: &mut Devices) -> Result<Option<Event>, TraceError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            if let Some(first) = self.waiting.peek() {
                let at = first.event.record.at;
                let old = at.plus(self.format.disorder) <= self.newest;
                if old || self.ended || self.waiting.len() > WAITING_MAX {
                    self.returned = at;
                    return Ok(self.waiting.pop().map(|first| first.event));
                }
            } else if self.ended {
                return Ok(None);
            }
            self.ended = match self.read(devices) {
                Err(TraceError::Stopped) => true,
                more => !more?,
            };
        }
    }

    /// Returns what was counted so far.
    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    fn flawed(&self, flaw: Flaw) -> TraceError {
        let flaw = match self.is_proven {
            true => flaw,
            false => withheld(self.format),
        };
        self.input.flawed(&flaw)
    }

    /// Reads one line or frame; false at the end of the file.
    fn read(&mut self, devices: &mut Devices) -> Result<bool, TraceError> {
        let mut out = Out {
            events: &mut self.found,
            devices,
            counts: &mut self.counts,
        };
        let more = match &mut self.decoder {
            Decoder::Frames(frames) => frames.frame(&mut self.input, &mut out)?,
            Decoder::Lines(lines) => {
                let flaw = match self.input.line()? {
                    None => return Ok(false),
                    Some(line) => lines.line(line, &mut out).err(),
                };
                if let Some(flaw) = flaw {
                    return Err(self.flawed(flaw));
                }
                true
            }
        };
        self.is_proven |= !self.found.is_empty();
        for event in self.found.drain(..) {
            let at = event.record.at;
            if at < self.returned {
                let read = format!("{}", at.as_seconds());
                let late = self.returned.minus(at).as_seconds();
                let accepted = format!(
                    "must be at most {} s before that of an earlier record; it is {late} s before",
                    self.format.disorder.as_seconds()
                );
                let flaw = Flaw::new(read.as_bytes(), "time (s)", &accepted);
                return Err(self.input.flawed(&flaw));
            }
            self.newest = self.newest.max(at);
            if self.format.disorder.0 == 0 {
                self.returned = at;
                self.ready.push_back(event);
                continue;
            }
            self.waiting.push(Waiting {
                number: self.number,
                event,
            });
            self.number += 1;
        }
        Ok(more)
    }
}

/// Opens a file in the format that is requested, or that its first lines decide.
pub(crate) fn open(
    path: &Path,
    requested: Option<&str>,
    stop: Option<&Arc<AtomicBool>>,
) -> Result<Source, TraceError> {
    let input = Input::open(path, stop)?;
    source(input, requested)
}

/// As [`open`], for bytes that are already open.
pub(crate) fn source(mut input: Input, requested: Option<&str>) -> Result<Source, TraceError> {
    if let Some(text) = requested {
        return requested_source(input, text);
    }
    let head = input.head()?;
    let Some(format) = FORMATS.iter().find(|format| (format.begins)(head)) else {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let flaw = Flaw(format!(
            "unknown format, and its content is not printed: must begin as one of the formats {} does; \
             hint: --format csv:COLUMNS describes any other text",
            names.join(", ")
        ));
        return Err(input.flawed(&flaw));
    };
    let mut source = Source::new(input, format, (format.decoder)());
    source.is_proven = true;
    Ok(source)
}

fn requested_source(mut input: Input, text: &str) -> Result<Source, TraceError> {
    if let Some(columns) = text.strip_prefix("csv:") {
        let reader: Box<dyn LineFormat> = Box::new(csv::Reader::of(columns)?);
        let format = format_named("csv").expect("the table has it");
        return Ok(Source::new(input, format, Decoder::Lines(reader)));
    }
    let Some(format) = format_named(text) else {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let accepted = format!("must be {} or csv:COLUMNS", names.join(", "));
        return Err(TraceError::Request(model::invalid_value(
            text, "--format", &accepted,
        )));
    };
    let is_proven = (format.begins)(input.head()?);
    let decoder = (format.decoder)();
    if !is_proven && matches!(decoder, Decoder::Frames(_)) {
        return Err(input.flawed(&withheld(format)));
    }
    let mut source = Source::new(input, format, decoder);
    source.is_proven = is_proven;
    Ok(source)
}

/// A file whose format was specified may be no trace at all, and one that only the user who runs fathom can read.
fn withheld(format: &Format) -> Flaw {
    let name = format.name;
    Flaw(format!(
        "this is not of the format {name}, and its content is not printed"
    ))
}

impl Ord for Waiting {
    /// The earliest is the greatest: a heap returns the greatest first.
    fn cmp(&self, other: &Waiting) -> Ordering {
        let key = |one: &Waiting| (one.event.record.at, one.number);
        key(other).cmp(&key(self))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}
