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
    /// By file; those without are read once, as they are.
    pub rounds: Vec<FileRounds>,
    /// The part that is read.
    pub window: Window,
    /// Ends the trace where it is, also where it has no I/O for long.
    pub stop: Option<Arc<AtomicBool>>,
}

/// How often and how fast a file of a trace is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRounds {
    /// Its times are multiplied by this, in percent.
    pub percent: u32,
    /// So often, each time behind the last. // above 0
    pub count: u32,
}

/// A file with rounds.
struct Repeated {
    path: PathBuf,
    rounds: FileRounds,
    begun: u64, // ns, of this round
    last: u64,  // ns, in the file
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
    options: Options,
    repeated: Vec<Repeated>, // by source
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
        let mut trace = Trace::new(sources.collect::<Result<_, _>>()?, options.window);
        trace.options = options.clone();
        let files = paths.iter().zip(&options.rounds);
        let files = files.map(|(path, rounds)| Repeated {
            path: path.clone(),
            rounds: *rounds,
            begun: 0,
            last: 0,
        });
        trace.repeated = files.collect();
        trace.begin()
    }

    fn new(sources: Vec<Source>, window: Window) -> Trace {
        Trace {
            next: Vec::new(),
            sources,
            devices: Devices::default(),
            pairing: Pairing::default(),
            window,
            origin: None,
            ended: false,
            options: Options::default(),
            repeated: Vec::new(),
        }
    }

    fn begin(mut self) -> Result<Trace, TraceError> {
        for source in 0..self.sources.len() {
            let first = self.next_of(source)?;
            self.next.push(first);
        }
        Ok(self)
    }

    /// Returns the next event of a file, in all of its rounds.
    fn next_of(&mut self, number: usize) -> Result<Option<Event>, TraceError> {
        let mut event = self.sources[number].next(&mut self.devices)?;
        let Some(file) = self.repeated.get_mut(number) else {
            return Ok(event);
        };
        if event.is_none() && file.rounds.count > 1 {
            file.rounds.count -= 1;
            (file.begun, file.last) = (file.begun.saturating_add(file.last), 0);
            let format = self.options.format.as_deref();
            self.sources[number] = source::open(&file.path, format, self.options.stop.as_ref())?;
            event = self.sources[number].next(&mut self.devices)?;
        }
        if let Some(event) = &mut event {
            let at = &mut event.record.at.0;
            file.last = file.last.max(*at);
            let scaled = u128::from(file.begun.saturating_add(*at));
            let scaled = scaled * u128::from(file.rounds.percent) / 100;
            *at = u64::try_from(scaled).unwrap_or(u64::MAX);
        }
        Ok(event)
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
        let next = self.next_of(source)?;
        Ok(std::mem::replace(&mut self.next[source], next))
    }
}

impl Iterator for Trace {
    type Item = Result<TraceRecord, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}
