//! Traces that are written while their I/Os happen: those of a device that is observed, and those of a run.
//!
//! A trace gets its name when it is whole; it replaces no file. Omitted: formats (`traces`), and which I/Os there are.

use crate::failure::{self, Ending};
use analysis::say;
use engine::io_log::IoLogSink;
use gate::NewOutput;
use model::trace::TraceRecord;
use model::{CommandError, Nanos};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use traces::{Counts, Writer, writer_named};

/// A trace that is written.
pub(crate) struct KeptTrace {
    path: PathBuf,
    file: NewOutput,
    writer: Box<dyn Writer>,
}

impl KeptTrace {
    /// Begins a file of one of the formats that are written.
    ///
    /// # Errors
    /// A name that exists; those of the folder.
    pub(crate) fn create(path: &Path, format: &str) -> Result<KeptTrace, CommandError> {
        let file = NewOutput::create(path).map_err(|error| failure::of_output(&error))?;
        let format = writer_named(format).expect("a format of this name is written");
        let begun = file.file().and_then(|out| {
            (format.begin)(Box::new(BufWriter::with_capacity(1 << 20, out)), Nanos(1))
        });
        Ok(KeptTrace {
            writer: begun.map_err(|error| not_written(path, &error))?,
            path: path.to_owned(),
            file,
        })
    }

    /// Adds an I/O.
    ///
    /// # Errors
    /// Those of the file.
    pub(crate) fn add(
        &mut self,
        record: &TraceRecord,
        devices: &[String],
    ) -> Result<(), CommandError> {
        let added = self.writer.record(record, devices);
        added.map_err(|error| not_written(&self.path, &error))
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// Those of the file; a name that was taken meanwhile.
    pub(crate) fn finish(mut self, devices: &[String], counts: Counts) -> Result<(), CommandError> {
        let ended = self.writer.finish(devices, counts);
        ended.map_err(|error| not_written(&self.path, &error))?;
        self.file
            .publish()
            .map_err(|error| failure::of_output(&error))
    }
}

fn not_written(path: &Path, error: &io::Error) -> CommandError {
    let why = model::errno_text(error);
    CommandError::failed(format!("{}: cannot be written: {why}", path.display()))
}

/// The trace that one run keeps of its I/Os on some of its targets.
pub(crate) struct RunTrace {
    trace: Option<KeptTrace>, // until it fails
    devices: Vec<String>,
    device_of: Vec<Option<u16>>, // by target of the plan
    missing: u64,
    failed: Option<CommandError>,
}

impl RunTrace {
    /// Begins one; `names` are those that the targets of the plan have in the trace, none for a target without a part in it.
    ///
    /// # Errors
    /// As [`KeptTrace::create`].
    pub(crate) fn create(
        path: &Path,
        format: &str,
        names: &[Option<String>],
    ) -> Result<RunTrace, CommandError> {
        let mut devices: Vec<String> = names.iter().flatten().cloned().collect();
        devices.sort();
        devices.dedup();
        let number = |name: &String| devices.binary_search(name).ok();
        let device_of = names.iter().map(|name| {
            let number = name.as_ref().and_then(number);
            number.map(|number| number as u16) // the check allows fewer targets
        });
        Ok(RunTrace {
            trace: Some(KeptTrace::create(path, format)?),
            device_of: device_of.collect(),
            devices,
            missing: 0,
            failed: None,
        })
    }

    fn add(&mut self, record: &TraceRecord) {
        let device = self.device_of.get(usize::from(record.device));
        let Some(device) = device.copied().flatten() else {
            return;
        };
        let record = TraceRecord { device, ..*record };
        let Some(trace) = &mut self.trace else {
            self.missing += 1;
            return;
        };
        if let Err(error) = trace.add(&record, &self.devices) {
            self.failed = Some(error);
            self.missing += 1;
            self.trace = None;
        }
    }

    fn finish(self) -> Ending {
        let ended = match (self.trace, self.failed) {
            (Some(trace), _) => trace.finish(&self.devices, Counts::default()),
            (None, Some(error)) => Err(CommandError::failed(format!(
                "{error}; the trace is not kept: {} of the run would be missing",
                say::counted(self.missing, "I/O")
            ))),
            (None, None) => Ok(()),
        };
        Ending::of(ended)
    }
}

/// The traces that a run keeps.
#[derive(Clone, Default)]
pub(crate) struct RunTraces(Arc<Mutex<Vec<RunTrace>>>);

impl RunTraces {
    /// Those of one run.
    pub(crate) fn new(traces: Vec<RunTrace>) -> RunTraces {
        RunTraces(Arc::new(Mutex::new(traces)))
    }

    /// Returns what the engine passes the I/Os to, if any are kept.
    pub(crate) fn sink(&self) -> Option<IoLogSink> {
        let traces = Arc::clone(&self.0);
        let none = traces
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty();
        let receive = move |records: &[TraceRecord]| {
            let mut traces = traces.lock().unwrap_or_else(PoisonError::into_inner);
            for trace in traces.iter_mut() {
                records.iter().for_each(|record| trace.add(record));
            }
        };
        (!none).then(|| IoLogSink::new(receive))
    }

    /// Ends all of them; one that could not be written is reported.
    pub(crate) fn finish(&self) -> Ending {
        let traces = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let ended = traces.into_iter().map(RunTrace::finish);
        ended.fold(Ending::Good, Ending::and)
    }
}
