//! `fathom trace`: what a trace contains; a part of it; the same in another format.
//!
//! Omitted: issuing its I/Os (`replay`).

use crate::args;
use crate::args::{TraceArgs, TraceInputArgs};
use crate::environment::Environment;
use crate::failure::{self, Ending};
use crate::report::Form;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, report, signals};
use engine::Stop;
use gate::NewOutput;
use model::{CommandError, invalid_value};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use traces::{Description, Options, Trace, TraceError, WriterFormat};

/// The row of `fathom trace`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<TraceArgs>(
    "trace",
    Group::Measure,
    "Describe, cut or convert a trace of block I/Os: blktrace, perf, fio's iologs, \
     published traces",
    |words, environment| trace(&parsed(words)?, environment),
)
.after_help(|| args::trace::formats().into());

/// I/Os between two checks of the stop word, and between two lines of progress.
const CHECK_EVERY: u64 = 1 << 18;

/// Describes a trace, or converts it.
pub(crate) fn trace(args: &TraceArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let writer = args.convert.as_deref().map(writer_of).transpose()?;
    let stop = Stop::new();
    let interrupt = signals::listen(&stop)?;
    let mut trace = open(&args.input, Some(&stop))?;
    let mut pace = Pace::new(&stop, environment);
    match writer {
        None => {
            let summary = describe(&mut trace, &mut pace)?;
            let name = name_of(&args.input);
            let form = Form::of_list(args.json, environment);
            output::print(&report::trace(&name, &summary, form))?;
            if interrupt.asked() {
                output::tell("interrupted: the summary is that of the trace until there");
            }
            Ok(Ending::Good)
        }
        Some(format) => {
            convert(&mut trace, format, args.out.as_deref(), &mut pace)?;
            if interrupt.asked() {
                output::tell("interrupted: the trace that was written ends there");
                return Ok(Ending::Wrong);
            }
            Ok(Ending::Good)
        }
    }
}

/// Opens the trace that the options name. `stop` ends it where it is, also where it has no I/O for long.
pub(crate) fn open(input: &TraceInputArgs, stop: Option<&Stop>) -> Result<Trace, CommandError> {
    let window = match input.window.as_deref() {
        None => traces::Window::default(),
        Some(text) => text
            .parse()
            .map_err(|why: String| CommandError::refused(invalid_value(text, "--window", &why)))?,
    };
    let options = Options {
        format: input.format.clone(),
        rounds: input.rounds.clone(),
        window,
        stop: stop.map(Stop::flag),
    };
    Trace::open(&input.files, &options).map_err(of_trace)
}

/// A trace that cannot be read is a refusal: nothing was written.
pub(crate) fn of_trace(error: TraceError) -> CommandError {
    if let TraceError::Stopped = error {
        return CommandError::failed(error);
    }
    CommandError::refused(match error {
        TraceError::Io { path, error } => {
            format!(
                "{}: cannot be read: {}",
                path.display(),
                model::errno_text(&error)
            )
        }
        other => other.to_string(),
    })
}

fn name_of(input: &TraceInputArgs) -> String {
    match input.files.as_slice() {
        [one] if one == Path::new("-") => "standard input".to_owned(),
        [one] => one.display().to_string(),
        several => format!("{} files", several.len()),
    }
}

fn writer_of(name: &str) -> Result<&'static WriterFormat, CommandError> {
    traces::writer_named(name).ok_or_else(|| {
        let names: Vec<&str> = traces::WRITERS.iter().map(|format| format.name).collect();
        let accepted = format!("must be {}", names.join(", "));
        CommandError::refused(invalid_value(name, "--convert", &accepted))
    })
}

/// Checks for the stop word now and then, and draws how far the reading is.
pub(super) struct Pace<'a> {
    stop: &'a Stop,
    draws: bool,
    ios: u64,
}

impl<'a> Pace<'a> {
    pub(super) fn new(stop: &'a Stop, environment: &Environment) -> Pace<'a> {
        Pace {
            stop,
            draws: environment.draws_progress,
            ios: 0,
        }
    }

    pub(super) fn stop(&self) -> &'a Stop {
        self.stop
    }

    /// Counts an I/O. Returns whether reading continues.
    pub(super) fn goes_on(&mut self) -> bool {
        self.ios += 1;
        if !self.ios.is_multiple_of(CHECK_EVERY) {
            return true;
        }
        if self.draws {
            output::draw_over(&format!(
                "{} I/Os read ",
                analysis::say::rate(self.ios as f64)
            ));
        }
        !self.stop.asked()
    }

    /// Removes the line of progress.
    pub(super) fn end(&self) {
        if self.draws && self.ios >= CHECK_EVERY {
            output::draw_over(&format!("{:40}\r", ""));
        }
    }
}

fn describe(
    trace: &mut Trace,
    pace: &mut Pace<'_>,
) -> Result<model::trace::TraceSummary, CommandError> {
    let mut description = Description::default();
    while let Some(record) = trace.read().map_err(of_trace)? {
        description.take(&record);
        if !pace.goes_on() {
            break;
        }
    }
    pace.end();
    description.summary(trace).map_err(of_trace)
}

/// Writes the trace to a new file, or to standard output.
fn convert(
    trace: &mut Trace,
    format: &WriterFormat,
    out: Option<&Path>,
    pace: &mut Pace<'_>,
) -> Result<(), CommandError> {
    let Some(path) = out else {
        if format.name == "iotrace" && io::stdout().is_terminal() {
            return Err(CommandError::refused(
                "--convert iotrace: it is no text for a terminal; hint: add --out FILE",
            ));
        }
        return match write(trace, format, Box::new(io::stdout()), pace) {
            Err(Failed::Output(error)) => match output::written(Err(error))? {
                true => Ok(()),
                false => Err(CommandError::silent()),
            },
            Err(Failed::Trace(error)) => Err(of_trace(error)),
            Ok(()) => output::written(Ok(())).map(drop),
        };
    };
    let file = NewOutput::create(path).map_err(|error| failure::of_output(&error))?;
    let failed = |error: io::Error| {
        let why = model::errno_text(&error);
        CommandError::failed(format!("{}: cannot be written: {why}", path.display()))
    };
    let out = file.file().map_err(failed)?;
    write(trace, format, Box::new(out), pace).map_err(|error| match error {
        Failed::Output(error) => failed(error),
        Failed::Trace(error) => of_trace(error),
    })?;
    file.publish().map_err(|error| failure::of_output(&error))?;
    output::tell(&format!("{}: {} I/Os", path.display(), pace.ios));
    Ok(())
}

enum Failed {
    Output(io::Error),
    Trace(TraceError),
}

fn write(
    trace: &mut Trace,
    format: &WriterFormat,
    out: Box<dyn Write + Send>,
    pace: &mut Pace<'_>,
) -> Result<(), Failed> {
    // Its resolution is known once the first I/O is read.
    let mut next = trace.read().map_err(Failed::Trace)?;
    let out = Box::new(BufWriter::with_capacity(1 << 20, out));
    let mut writer = (format.begin)(out, trace.resolution()).map_err(Failed::Output)?;
    while let Some(record) = next {
        let written = writer.record(&record, trace.devices());
        written.map_err(Failed::Output)?;
        if !pace.goes_on() {
            break;
        }
        next = trace.read().map_err(Failed::Trace)?;
    }
    pace.end();
    let ended = writer.finish(trace.devices(), trace.counts());
    ended.map_err(Failed::Output)
}
