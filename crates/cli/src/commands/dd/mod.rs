//! `fathom dd`, `fathom lmdd` and `fathom sgp_dd`: a copy in their operands, measured: percentiles of its reads and writes,
//! and what came from caches.
//!
//! Read in this order: the flow (here), `ends` (what may be read and written), `amount` (how far sgp_dd goes), `described` (the
//! dry run). The tools' own lines go to standard error, as they have them.

mod amount;
mod described;
mod ends;

use super::{VERSION, command_line};
use crate::args;
use crate::args::DdArgs;
use crate::commands::{answer, ended};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::kinds::separate;
use crate::report::{FilesForm, Form};
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{keep, output, report, signals};
use analysis::say::bytes;
use engine::{Copied, CopyError, CopyJob, Stop};
use host::Root;
use model::{
    Bytes, CommandError, CopyWork, FilesOutcome, FilesPlace, FilesRecord, FilesStep, FilesWork,
    HostRecord, Nanos,
};
use session::{Journal, clock};
use tools::dd::{CopyLines, CopyRequest, DdProblem, DdStatus};
use tools::sgp_dd::Moved;

/// The row of `fathom sgp_dd`.
pub(crate) static SGP_DD: Subcommand = Subcommand::new::<DdArgs>(
    "sgp_dd",
    Group::OtherTools,
    "Measure a copy as sgp_dd of sg3_utils does, with several threads",
    |words, environment| sgp_dd(&parsed(words)?, environment),
)
.after_help(|| args::files::SGP_DD_OPERANDS.into());

/// The row of `fathom lmdd`.
pub(crate) static LMDD: Subcommand = Subcommand::new::<DdArgs>(
    "lmdd",
    Group::OtherTools,
    "Measure a copy as lmdd of lmbench does: zeros, random places, direct I/O",
    |words, environment| lmdd(&parsed(words)?, environment),
)
.after_help(|| args::files::LMDD_OPERANDS.into());

/// The row of `fathom dd`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<DdArgs>(
    "dd",
    Group::OtherTools,
    "Measure a copy as dd does, with percentiles and the share that caches served",
    |words, environment| dd(&parsed(words)?, environment),
)
.after_help(|| args::files::OPERANDS.into());

/// In dd's operands.
pub(crate) fn dd(args: &DdArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let asked = tools::dd::read(&args.operands)
        .map_err(|problems| CommandError::refused_for(problems.iter().map(DdProblem::to_string)))?;
    copy(&asked.into(), args, environment)
}

/// In lmdd's operands.
pub(crate) fn lmdd(args: &DdArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let asked = tools::lmdd::read(&args.operands).map_err(CommandError::refused_for)?;
    copy(&asked, args, environment)
}

/// In sgp_dd's operands.
pub(crate) fn sgp_dd(args: &DdArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let block_of = |name: &str| host::block_of_generic(&Root::live(), name);
    let asked = tools::sgp_dd::read(&args.operands, &block_of);
    copy(
        &asked.map_err(CommandError::refused_for)?,
        args,
        environment,
    )
}

/// Copies, keeps the result, prints it.
fn copy(
    asked: &CopyRequest,
    args: &DdArgs,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let root = Root::live();
    let place = keep::place(&args.keep, environment)?;
    let stop = Stop::new();
    let store_path = place.as_ref().map(|place| place.path().as_path());
    let ends = ends::look(asked, &args.consent.consent(), store_path, &root)?;
    asked.notes.iter().for_each(|note| output::tell(note));
    if args.dry_run {
        output::print(described::job(&ends.job, asked.names()).as_bytes())?;
        return Ok(Ending::Good);
    }
    let store = keep::open(place.as_ref())?;
    signals::listen(&stop)?;
    ends.prove(&stop)?;

    let started_utc = clock::utc();
    let wanted = match asked.lines {
        CopyLines::Dd => asked.copy.status == DdStatus::Progress,
        CopyLines::Lmdd { .. } | CopyLines::SgpDd { .. } => environment.draws_progress,
    };
    let mut progress = Line::new(wanted);
    let copied = engine::copy(&ends.job, &root, &stop, &mut |bytes, elapsed| {
        progress.draw(bytes, elapsed);
    });
    progress.finish();
    let (copied, outcome) = copied.map_err(refused_or_failed)?;
    let whole = Whole {
        asked,
        host: host::host_record(&root),
        place: ends.place(asked),
        started_utc,
        copied: &copied,
        outcome: &outcome,
    };
    let records = whole.records();
    let target = args.operands.join(" ");
    let new = session::new_session(separate::DD.stored(), command_line(), target, started_utc);
    let journal = Journal::begin(store.as_ref(), new);
    records.iter().for_each(|record| journal.save_files(record));
    say_as_tool(&records, asked, ends.job.count_bytes);
    let ending = tell(&copied, &outcome, asked)
        .and(too_short(asked, &copied, &outcome, &ends.job))
        .and(answer::finish(
            &journal,
            ended::session_outcome(&outcome),
            None,
        ));
    let form = Form::of_session(args.json, &journal, &args.keep, environment);
    output::print(&report::files(&records, FilesForm::Summary, form))?;
    Ok(ending)
}

/// What could not be opened was not touched.
fn refused_or_failed(error: CopyError) -> CommandError {
    match error {
        CopyError::Skip { .. } => CommandError::failed(error),
        _ => CommandError::unfit([error.to_string()]),
    }
}

/// A copy with the content of its record.
struct Whole<'a> {
    asked: &'a CopyRequest,
    host: HostRecord,
    place: FilesPlace,
    started_utc: Nanos,
    copied: &'a Copied,
    outcome: &'a FilesOutcome,
}

impl Whole<'_> {
    fn records(&self) -> Vec<FilesRecord> {
        let steps = [&self.copied.read, &self.copied.write];
        steps.map(|step| self.record(step)).to_vec()
    }

    fn record(&self, step: &FilesStep) -> FilesRecord {
        FilesRecord {
            tool_version: VERSION.to_owned(),
            command: command_line(),
            started_utc: self.started_utc,
            host: self.host.clone(),
            place: self.place.clone(),
            work: FilesWork::Copy(CopyWork {
                input_block: self.asked.copy.input.block,
                output_block: self.asked.copy.output.block,
                operands: self.asked.copy.operands.clone(),
                records_in: self.copied.records_in,
                records_out: self.copied.records_out,
                copied: self.copied.bytes,
                elapsed: self.copied.elapsed,
                transfers: self.asked.transfers.clone(),
            }),
            step: step.clone(),
            outcome: self.outcome.clone(),
        }
    }
}

/// Prints the lines that scripts read. `wanted` is how much was to be copied.
fn say_as_tool(records: &[FilesRecord], asked: &CopyRequest, wanted: Option<Bytes>) {
    let lines = match &asked.lines {
        CopyLines::Dd => return say_as_dd(records, asked.copy.status),
        CopyLines::Lmdd { print, label } => {
            report::copy_digest(records).map(|copy| tools::lmdd::copy_lines(&copy, *print, label))
        }
        CopyLines::SgpDd { block, time } => report::copy_digest(records).map(|copy| {
            let moved = Moved {
                block: *block,
                wanted: wanted.unwrap_or_default(),
                read: records
                    .first()
                    .map(|record| record.step.bytes())
                    .unwrap_or_default(),
                written: Bytes(copy.copied_bytes),
                elapsed_ns: copy.elapsed_ns,
            };
            tools::sgp_dd::copy_lines(&moved, *time)
        }),
    };
    let lines = lines.unwrap_or_default();
    lines.iter().for_each(|line| output::tell_plain(line));
}

fn say_as_dd(records: &[FilesRecord], status: DdStatus) {
    let (counts, transfer) = match status {
        DdStatus::All | DdStatus::Progress => (true, true),
        DdStatus::NoTransfer => (true, false),
        DdStatus::None => (false, false),
    };
    let lines = report::copy_lines(records, counts, transfer);
    lines.iter().for_each(|line| output::tell_plain(line));
}

/// A copy that failed or is short, as sgp_dd exits. // sg3_utils(8), exit status 99: another error
const SGP_DD_FAILED: Ending = Ending::Code(99);

fn tell(copied: &Copied, outcome: &FilesOutcome, asked: &CopyRequest) -> Ending {
    copied.skipped.iter().for_each(|why| output::tell(why));
    match outcome {
        FilesOutcome::Complete if copied.skipped.is_empty() => return Ending::Good,
        FilesOutcome::Complete => {}
        FilesOutcome::Interrupted => {
            output::tell("interrupted: the result covers what was copied until then");
        }
        FilesOutcome::Failed(why) => {
            output::tell(why);
            if matches!(asked.lines, CopyLines::SgpDd { .. }) {
                return SGP_DD_FAILED;
            }
        }
    }
    Ending::Wrong
}

/// Reports a source that ended before the request did. It is an error of sgp_dd; lmdd exits with 0, and at random places it
/// ends at the first one behind the end.
fn too_short(
    asked: &CopyRequest,
    copied: &Copied,
    outcome: &FilesOutcome,
    job: &CopyJob,
) -> Ending {
    let Some(work) = &job.transfers else {
        return Ending::Good;
    };
    let by_count = job
        .count
        .map(|count| count.saturating_mul(job.input.block.0));
    let wanted = job.count_bytes.map(|bytes| bytes.0).or(by_count);
    let is_short = wanted.map_or(work.random.is_some() || copied.bytes.0 == 0, |wanted| {
        copied.bytes.0 < wanted
    });
    if !copied.source_ended || !is_short || *outcome != FilesOutcome::Complete {
        return Ending::Good;
    }
    let at = match work.random {
        Some(_) => "a random place (rand=, start=) is behind the end of the source: the copy ended",
        None => "the source ended",
    };
    let of = wanted.map(|wanted| format!(" of {}", bytes(wanted)));
    let of = of.unwrap_or_default();
    output::tell(&format!("{at} after {}{of}", bytes(copied.bytes.0)));
    match asked.lines {
        CopyLines::SgpDd { .. } => SGP_DD_FAILED,
        CopyLines::Dd | CopyLines::Lmdd { .. } => Ending::Good,
    }
}

/// A line that is drawn over itself, as dd's status=progress does; dd ends it when the copy is over.
struct Line {
    wanted: bool,
    drawn: bool,
}

impl Line {
    fn new(wanted: bool) -> Self {
        Line {
            wanted,
            drawn: false,
        }
    }

    fn draw(&mut self, bytes: Bytes, elapsed: Nanos) {
        if self.wanted {
            self.drawn = true;
            output::draw_over(&report::copy_progress(bytes, elapsed));
        }
    }

    fn finish(&self) {
        if self.drawn {
            output::tell_plain("");
        }
    }
}
