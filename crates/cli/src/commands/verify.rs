//! `fathom verify`: reads what fathom wrote and checks every block by its own header.
//!
//! Read in this order: the flow (here), `Request` (words and facts → a range), `Expectation` (a stored run). Nothing is
//! written to the target. Omitted: the comparison (`engine`), and what is damage (`analysis`).

use super::{VERSION, command_line, show};
use crate::args::VerifyArgs;
use crate::commands::{answer, ended};
use crate::environment::Environment;
use crate::evidence::Evidence;
use crate::failure::Ending;
use crate::journal_file::{Journal, Opened};
use crate::kinds::separate;
use crate::progress::Progress;
use crate::report::{FilesForm, Form};
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{keep, output, report, signals};
use analysis::say;
use engine::{RunError, Stop, VerifyJob};
use gate::{Access, Pins};
use host::Root;
use model::block_header::{BLOCK, BLOCK_BYTES, BlockHeader};
use model::errno_text;
use model::verified::{Durability, ExpectedRun, VerifyWork};
use model::{
    Bytes, CommandError, Content, FilesOutcome, FilesPlace, FilesRecord, FilesWork, Location,
    RunRecord, TargetFacts, TargetKind, invalid_value, shell_word,
};
use session::clock;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tools::Reader;

/// The row of `fathom verify`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<VerifyArgs>(
    "verify",
    Group::Measure,
    "Read a file or device that fathom wrote, and check every block",
    |words, environment| verify(&parsed(words)?, environment),
);

/// Places of durable writes that show whether a journal is of another run.
const SAMPLED: usize = 1024;
const MIB: f64 = 1_048_576.0;

/// Reads the target, stores what was found, prints it.
pub(crate) fn verify(args: &VerifyArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let root = Root::live();
    let request = Request::read(args, &root, environment)?;
    if args.dry_run {
        output::print(format!("{}\n", request.sentence()).as_bytes())?;
        return Ok(Ending::Good);
    }
    let evidence = Evidence::check(args.evidence.as_ref())?;
    let place = keep::place(&args.keep, environment)?;
    let store = keep::open(place.as_ref())?;
    let stop = Stop::new();
    signals::listen(&stop)?;
    let started_utc = clock::utc();
    output::tell(&request.forecast());
    let progress = Progress::of_filling(environment);
    let verified = engine::verify_target(&request.job(evidence.is_some()), &root, &progress, &stop);
    progress.finish();
    let (mut work, step, outcome) = verified?;
    if outcome == FilesOutcome::Complete && is_nothing_of_fathom(&work) {
        return Err(request.nothing());
    }
    work.expected = request.expected.clone();
    if let Some(journal) = &request.journal {
        let blocks = work.durability.take().unwrap_or_default().blocks;
        work.durability = Some(Durability {
            blocks,
            ..journal.facts()
        });
    }
    let name = request.facts.path.display().to_string();
    let new = session::new_session(separate::VERIFY.stored(), command_line(), name, started_utc);
    let journal = session::Journal::new(store.as_ref(), new);
    let ending = tell(&request, &work, &outcome);
    let names = [request.facts.path.display().to_string()];
    let kept = evidence.map_or(Ok(()), |evidence| evidence.write(&work.cases, &names));
    let record = FilesRecord {
        tool_version: VERSION.to_owned(),
        command: command_line(),
        started_utc,
        host: host::host_record(&root),
        place: request.place(),
        work: FilesWork::Verify(Box::new(work)),
        step,
        outcome: outcome.clone(),
    };
    journal.save_files(&record);
    let stored = answer::finish(&journal, ended::session_outcome(&outcome), None);
    let form = Form::of_session(args.json, &journal, &args.keep, environment);
    output::print(&report::files(&[record], FilesForm::Summary, form))?;
    Ok(stored.and(Ending::of(kept)).and(ending))
}

fn is_nothing_of_fathom(work: &VerifyWork) -> bool {
    work.blocks.whole + work.blocks.displaced + work.corrupt() == 0
}

/// A target that may be read, and which part of it.
struct Request {
    facts: TargetFacts,
    pins: Pins,
    range: Range<u64>,
    expected: Option<ExpectedRun>,
    journal: Option<Journal>,
}

impl Request {
    fn read(
        args: &VerifyArgs,
        root: &Root,
        environment: &Environment,
    ) -> Result<Request, CommandError> {
        let path = path_of(&args.target)?;
        let asked = args.range.as_deref().map(range_of).transpose()?;
        let pins = Pins::default();
        let facts = host::pinned_facts(root, &pins, &path);
        let run = match &args.run {
            Some(name) => Some(Expectation::read(name, &facts, args, environment)?),
            None => None,
        };
        refuse_kind(&facts)?;
        refuse_use(&facts, &pins)?;
        let journal = args.journal.as_ref().map(|path| Opened::open(path, &facts));
        let journal = journal.transpose()?;
        let size = facts.size.0;
        let whole = 0..u64::MAX;
        let of_run = run.as_ref().map(|run| run.range.clone());
        let of_journal = journal.as_ref().map(Opened::range);
        let range = asked.clone().or(of_run).or(of_journal).unwrap_or(whole);
        let range = range.start..range.end.min(size);
        if range.is_empty() {
            let (path, size) = (path.display(), facts.size);
            return Err(CommandError::refused(format!(
                "{path}: it ends at {size}, before byte {}, where reading was to begin",
                range.start
            )));
        }
        let host = host::host_record(root);
        let promised = |journal: Opened| journal.promised(range.clone(), &host);
        let journal = journal.map(promised).transpose()?;
        if let Some(journal) = &journal {
            journal.tell(clock::utc());
            refuse_other_run(journal, &facts, &pins)?;
        }
        let request = Request {
            facts,
            pins,
            range,
            expected: run.map(|run| run.expected),
            journal,
        };
        // A sample shows what a file or device contains; a part that was asked for may be another.
        let seems_empty = matches!(
            request.facts.content,
            Content::Empty | Content::Unproven | Content::Foreign
        );
        match seems_empty && asked.is_none() && request.expected.is_none() {
            true => Err(request.nothing()),
            false => Ok(request),
        }
    }

    fn job(&self, evidence: bool) -> VerifyJob {
        let device = self.facts.chain.first();
        VerifyJob {
            path: self.facts.path.clone(),
            pins: self.pins.clone(),
            device: device.map(|device| device.name.clone()),
            from: Bytes(self.range.start),
            to: Bytes(self.range.end),
            evidence,
            promised: self
                .journal
                .as_ref()
                .map(|journal| Arc::clone(&journal.promised)),
        }
    }

    fn place(&self) -> FilesPlace {
        FilesPlace {
            paths: vec![self.facts.path.clone()],
            file_system: self.facts.file_system.clone(),
            chain: self.facts.chain.clone(),
            hosts: Vec::new(),
        }
    }

    fn sentence(&self) -> String {
        format!(
            "{}: would read {} from byte {} to {} and write nothing",
            self.facts.path.display(),
            say::bytes(self.range.end - self.range.start),
            self.range.start,
            self.range.end
        )
    }

    /// Reports how much is read, and how long that may take.
    fn forecast(&self) -> String {
        let length = self.range.end - self.range.start;
        format!(
            "reading {} of {}: {} at 100 MiB/s, {} at 1 GiB/s",
            say::bytes(length),
            self.facts.path.display(),
            say::time(length as f64 / (100.0 * MIB) * 1e9),
            say::time(length as f64 / (1024.0 * MIB) * 1e9),
        )
    }

    fn journal_words(&self) -> String {
        let path = self.journal.as_ref().map(|journal| journal.facts().journal);
        path.map_or_else(String::new, |path| {
            format!(" --journal {}", shell_word(&path))
        })
    }

    fn nothing(&self) -> CommandError {
        CommandError::refused(format!(
            "{}: no block of it has a block header of fathom, so there is nothing to verify; hint: --range reads any part",
            self.facts.path.display()
        ))
    }
}

/// A file or device; simulated devices keep no data.
fn path_of(target: &Path) -> Result<std::path::PathBuf, CommandError> {
    let mut reader = Reader::default();
    let location = reader.location(target);
    match reader.finish(location)? {
        Location::Path(path) => Ok(path),
        Location::Null(_) | Location::Simulated(_) => Err(CommandError::refused(format!(
            "{}: a simulated device has no data after its run; add --verify full to fathom run",
            target.display()
        ))),
    }
}

fn range_of(text: &str) -> Result<Range<u64>, CommandError> {
    let refused = || {
        CommandError::refused(invalid_value(
            text,
            "--range",
            "must be FROM..TO in multiples of 4096 bytes, as 1G..3G, 512M.. or ..4096",
        ))
    };
    let (from, to) = text.split_once("..").ok_or_else(refused)?;
    let bytes = |text: &str, missing: u64| match text {
        "" => Ok(missing),
        text => text.parse().map(|Bytes(at)| at).map_err(|_| refused()),
    };
    let range = bytes(from, 0)?..bytes(to, u64::MAX)?;
    let whole = |at: u64| at.is_multiple_of(BLOCK.0);
    match range.start < range.end
        && whole(range.start)
        && (whole(range.end) || range.end == u64::MAX)
    {
        true => Ok(range),
        false => Err(refused()),
    }
}

fn refuse_kind(facts: &TargetFacts) -> Result<(), CommandError> {
    let why = match facts.kind {
        TargetKind::File | TargetKind::BlockDevice => return Ok(()),
        TargetKind::Missing | TargetKind::MissingFolder => {
            "there is no such file: check the spelling"
        }
        TargetKind::Folder => "this is a folder: specify a file in it",
        TargetKind::Forbidden => "you may not read it: ask for access, or run as root",
        TargetKind::NvmeNamespace => "this accepts commands, not bytes: specify its block device",
        _ => "this is neither a file nor a block device",
    };
    let path = facts.path.display();
    Err(CommandError::refused(format!("{path}: {why}")))
}

/// What others write while it is read would be taken for damage.
fn refuse_use(facts: &TargetFacts, pins: &Pins) -> Result<(), CommandError> {
    let path = &facts.path;
    let uses = facts.claims.iter().filter(|claim| claim.in_use());
    let uses: Vec<String> = uses.map(ToString::to_string).collect();
    if !uses.is_empty() {
        return Err(CommandError::refused(format!(
            "{}: in use, so its content may change while it is read: {}",
            path.display(),
            uses.join(", ")
        )));
    }
    let pin = pins.pin(path);
    let claimed = pin.and_then(|pin| pins.claim(&pin).map(|()| pins.lock(&pin, false)));
    match claimed {
        Ok(true) => Ok(()),
        Ok(false) => Err(RunError::locked(path).into()),
        Err(error) => Err(CommandError::refused(format!(
            "{}: cannot be opened for exclusive use: {}",
            path.display(),
            errno_text(&error)
        ))),
    }
}

/// A journal of another run promises nothing here: no block of its run is at a sample of the places that it promises, and the target is
/// not the file or device that the run wrote.
fn refuse_other_run(
    journal: &Journal,
    facts: &TargetFacts,
    pins: &Pins,
) -> Result<(), CommandError> {
    let places = journal.promised.sample(SAMPLED);
    let is_same = journal.identity().is_some() && journal.identity() == facts.identity;
    if places.is_empty() || is_same {
        return Ok(());
    }
    let pin = pins.pin(&facts.path);
    let Ok(mut file) = pin.and_then(|pin| pin.reopen(Access::READ)) else {
        return Ok(()); // what cannot be read is found when all of it is
    };
    let mut is_of_run = |at: &u64| {
        let mut block = [0; BLOCK_BYTES];
        let found = file.seek(SeekFrom::Start(*at)).is_ok();
        found
            && file.read_exact(&mut block).is_ok()
            && BlockHeader::of(&block).is_some_and(|header| {
                header.run == journal.header_run() && header.block * BLOCK.0 == *at
            })
    };
    match places.iter().any(&mut is_of_run) {
        true => Ok(()),
        false => Err(CommandError::refused(format!(
            "--journal {}: {} has no block of its run at {} places of durable writes, and is not the file or device of that run: it is the journal of another run",
            journal.facts().journal.display(),
            facts.path.display(),
            places.len()
        ))),
    }
}

/// A stored run that wrote the target.
struct Expectation {
    expected: ExpectedRun,
    range: Range<u64>,
}

impl Expectation {
    fn read(
        name: &str,
        facts: &TargetFacts,
        args: &VerifyArgs,
        environment: &Environment,
    ) -> Result<Expectation, CommandError> {
        let record = show::run_named(name, args.keep.store.as_ref(), environment)?;
        let refused = |why: String| CommandError::refused(format!("--run {name}: {why}"));
        let same = |one: &TargetFacts| {
            std::path::absolute(&one.path).ok() == std::path::absolute(&facts.path).ok()
                || one.identity.is_some() && one.identity == facts.identity
        };
        let number = record
            .targets
            .iter()
            .position(same)
            .ok_or_else(|| refused(format!("it did not measure {}", facts.path.display())))?;
        let header_run = record.engine.header_run.ok_or_else(|| {
            refused("its record has no number of block headers: it wrote no blocks with headers, or is older".to_owned())
        })?;
        let target = &record.plan.targets[number];
        Ok(Expectation {
            expected: ExpectedRun {
                name: name.to_owned(),
                header_run,
                left: left_by(&record),
            },
            range: target.base.0..target.base.0 + target.length.0,
        })
    }
}

/// Blocks of a run that its own pass found, where the pass read all of its only target.
fn left_by(record: &RunRecord) -> Option<u64> {
    let pass = record.engine.verification.as_ref()?.pass?;
    let is_whole = pass.done == pass.total && record.plan.targets.len() == 1;
    is_whole.then_some(pass.counts.right)
}

/// Reports what a program that reads only the exit code and standard error needs.
fn tell(request: &Request, work: &VerifyWork, outcome: &FilesOutcome) -> Ending {
    let ended = match outcome {
        FilesOutcome::Complete => Ending::Good,
        FilesOutcome::Interrupted => {
            let at = work.from.0 + work.done.0.div_euclid(BLOCK.0) * BLOCK.0;
            let to = match request.range.end == request.facts.size.0 {
                true => String::new(),
                false => request.range.end.to_string(),
            };
            output::tell(&format!(
                "interrupted at byte {at}; to continue there: fathom verify {} --range {at}..{to}{}",
                shell_word(&request.facts.path),
                request.journal_words()
            ));
            Ending::Wrong
        }
        FilesOutcome::Failed(why) => {
            output::tell(why);
            Ending::Wrong
        }
    };
    ended.and(Ending::of_data(work.corrupt() > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_may_lack_either_end_and_consists_of_whole_blocks() {
        assert_eq!(range_of("4K..1M"), Ok(4096..1 << 20));
        assert_eq!(range_of("..8192"), Ok(0..8192));
        assert_eq!(range_of("1M.."), Ok(1 << 20..u64::MAX));
        for text in [
            "", "5", "1M..4K", "4K..4K", "100..", "..100", "x..", "-4K..",
        ] {
            assert!(range_of(text).is_err(), "{text}");
        }
    }
}
