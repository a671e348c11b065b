//! One or several files as one stream of records, in the order of their arrival, from time 0.
//!
//! Omitted: what a record is used for.

use crate::error::TraceError;
use crate::event::{Counts, Devices, Event};
use crate::formats::Format;
use crate::pairing::Pairing;
use crate::source::{self, Source};
use crate::window::Window;
use model::Nanos;
use model::trace::TraceRecord;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How a trace is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The name of the format, or `csv:` and the columns; without it, the first lines decide.
    pub format: Option<String>,
    /// The part that is read.
    pub window: Window,
    /// Ends the trace where it is, also where it has no I/O for long.
    pub stop: Option<Arc<AtomicBool>>,
}

/// A trace that is being read.
pub struct Trace {
    sources: Vec<Source>,
    next: Vec<Option<Event>>, // by source
    devices: Devices,
    pairing: Pairing,
    window: Window,
    origin: Option<Nanos>,
    ended: bool,
}

impl Trace {
    /// Opens the files of a trace; `-` is standard input.
    ///
    /// # Errors
    /// A file that cannot be read, or whose format is not known.
    pub fn open(paths: &[PathBuf], options: &Options) -> Result<Trace, TraceError> {
        let format = options.format.as_deref();
        let stop = options.stop.as_ref();
        let sources = paths.iter().map(|path| source::open(path, format, stop));
        Trace::of(sources.collect::<Result<_, _>>()?, options.window)
    }

    pub(crate) fn of(sources: Vec<Source>, window: Window) -> Result<Trace, TraceError> {
        let mut trace = Trace {
            next: Vec::new(),
            sources,
            devices: Devices::default(),
            pairing: Pairing::default(),
            window,
            origin: None,
            ended: false,
        };
        for source in &mut trace.sources {
            trace.next.push(source.next(&mut trace.devices)?);
        }
        Ok(trace)
    }

    /// Returns the format of the first file.
    pub fn format(&self) -> &'static Format {
        self.sources[0].format
    }

    /// Returns the labels of the devices that were found so far, by their numbers.
    pub fn devices(&self) -> &[String] {
        &self.devices.names
    }

    /// Returns what was lost or skipped so far.
    pub fn counts(&self) -> Counts {
        let all = self.sources.iter().map(Source::counts);
        all.fold(Counts::default(), |sum, one| Counts {
            lost: sum.lost + one.lost,
            skipped: sum.skipped + one.skipped,
            resolution: sum.resolution.max(one.resolution),
        })
    }

    /// Returns the smallest difference of time that the trace can express.
    pub fn resolution(&self) -> Nanos {
        let of_source = self.counts().resolution;
        of_source.unwrap_or(self.format().resolution)
    }

    /// Returns the next record; `None` at the end.
    ///
    /// # Errors
    /// What a file has where its format accepts something else.
    pub fn read(&mut self) -> Result<Option<TraceRecord>, TraceError> {
        loop {
            let Some(mut record) = self.pairing.next(self.ended) else {
                if self.ended {
                    return Ok(None);
                }
                match self.event()? {
                    Some(event) => self.pairing.take(event),
                    None => self.ended = true,
                }
                continue;
            };
            let origin = *self.origin.get_or_insert(record.at);
            record.at = record.at.minus(origin);
            if record.at >= self.window.to {
                return Ok(None);
            }
            if record.at >= self.window.from {
                record.at = record.at.minus(self.window.from);
                return Ok(Some(record));
            }
        }
    }

    /// Returns the earliest event of all files.
    fn event(&mut self) -> Result<Option<Event>, TraceError> {
        let heads = self.next.iter().enumerate();
        let heads = heads.filter_map(|(source, event)| Some((event.as_ref()?.record.at, source)));
        let Some((_, source)) = heads.min() else {
            return Ok(None);
        };
        let next = self.sources[source].next(&mut self.devices)?;
        Ok(std::mem::replace(&mut self.next[source], next))
    }
}

impl Iterator for Trace {
    type Item = Result<TraceRecord, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}
