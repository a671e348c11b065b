//! The words of `fathom pts` as values, or everything that is wrong with them at once; and with the target's facts what is
//! planned.

use crate::args::{PTS_WRITE, PtsArgs, PtsCourseArgs, PtsWorkArgs};
use crate::commands::resumed::target_identity;
use analysis::pts::{PtsContext, PtsDefinition, PtsLoad, PtsPartKind, PtsPurge, PtsTest};
use model::{
    Bytes, CommandError, EngineChoice, HostRecord, Location, Ratio, TargetFacts, TargetKind,
};
use sweep::{Pts, PtsRequest};
use tools::{Problem, Reader, native};

const ONLY_DIRTH: &str = "only dirth has this option: omit it; the other tests have the sizes and mixes of the specification";
const SEED_FORM: &str = "must be a whole number from 0 to 18446744073709551615";
const COUNT_FORM: &str = "must be a whole number from 1 to 1024";
const WRITE_FORM: &str = "must be a whole number of percent from 0 to 100";
const ROUNDS_FORM: &str = "must be a whole number from 5 to 100";
const SCALE_FORM: &str = "must be 1, or 1/N with N from 1 to 1000: 1/600";
const RANGE_FORM: &str = "must be a share of the target (75%) or a size (64G)";
const PURGE_FORM: &str =
    "must be done (the drive was purged before the test) or none; fathom purges no drive";
const COUNT_MAX: u32 = 1024;
/// Ranges are whole blocks of the largest size.
const UNIT: Bytes = Bytes::mib(1);
/// The smallest range: what the blocks in flight of all threads need at the most demand.
const RANGE_MIN: Bytes = Bytes::mib(64);
/// Files get no smaller I/Os, because each unit of them has a block header.
const FILE_BLOCK: Bytes = Bytes(4096);

/// What was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    pub(crate) test: PtsTest,
    pub(crate) location: Location,
    load: PtsLoad,
    range: Range,
    create: Option<Bytes>,
    pub(crate) purge: PtsPurge,
    pub(crate) scale_divisor: u32,
    seed: u64,
    engine: EngineChoice,
}

/// The part of the target that is used.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Range {
    Share(Ratio),
    Size(Bytes),
}

/// Refuses `--max-rounds` of a test that has no rounds.
fn needs_rounds(test: PtsTest, load: &PtsLoad, max_rounds: &str, reader: &mut Reader) {
    let definition = PtsDefinition::of(test, load);
    let mut parts = definition.parts.iter();
    if !parts.any(|part| part.kind == PtsPartKind::Rounds) {
        let why = "this test has no rounds: omit it";
        refuse("--max-rounds", max_rounds, why, reader);
    }
}

impl Asked {
    /// Reads all of it.
    pub(crate) fn read(args: &PtsArgs) -> Result<Asked, CommandError> {
        let PtsArgs {
            test,
            target,
            work,
            course,
            consent: _,
            keep: _,
            output: _,
        } = args;
        let PtsWorkArgs {
            threads,
            depth,
            range,
            create,
            block,
            write,
            engine,
            seed,
        } = work;
        let PtsCourseArgs {
            purge,
            max_rounds,
            scale,
            resume: _,
            new: _,
            dry_run: _,
        } = course;
        let mut reader = Reader::default();
        let test = reader.value("TEST", test.as_deref().unwrap_or_default());
        if test.is_some_and(|test| test != PtsTest::Dirth) {
            let options = [
                ("--block", block, native::BLOCK),
                ("--write", write, PTS_WRITE),
            ];
            for (option, value, _) in options.iter().filter(|(_, value, usual)| value != usual) {
                refuse(option, value, ONLY_DIRTH, &mut reader);
            }
        }
        let target = target.clone().unwrap_or_default();
        let location = reader.location(&target);
        let load = PtsLoad {
            threads: count("--threads", threads, &mut reader),
            depth: count("--depth", depth, &mut reader),
            block: reader.value("--block", block).unwrap_or(FILE_BLOCK),
            write: percent(write, &mut reader),
            block_least: Bytes(512),
            rounds_max: max_rounds
                .as_deref()
                .and_then(|text| rounds(text, &mut reader)),
        };
        if let (Some(text), Some(test)) = (max_rounds, test) {
            needs_rounds(test, &load, text, &mut reader);
        }
        let purges = [("done", PtsPurge::Done), ("none", PtsPurge::NotDone)];
        let asked = Asked {
            test: test.unwrap_or(PtsTest::Iops),
            location,
            load,
            range: read_range(range, &mut reader),
            create: create
                .as_deref()
                .and_then(|text| reader.value("--create", text)),
            purge: reader
                .word("--purge", purge, &purges, PURGE_FORM)
                .unwrap_or(PtsPurge::NotDone),
            scale_divisor: read_scale(scale, &mut reader),
            seed: reader.number("--seed", seed, SEED_FORM).unwrap_or_default(),
            engine: reader.value("--engine", engine).unwrap_or_default(),
        };
        Ok(reader.finish(asked)?)
    }

    /// What is planned on the target as it is.
    pub(crate) fn planned(&self, facts: &TargetFacts) -> Result<Planned, CommandError> {
        let capacity = match (self.create, facts.kind) {
            (Some(create), TargetKind::Missing) => create,
            (Some(create), TargetKind::File) => create.max(facts.size),
            _ => facts.size,
        };
        let range = match self.range {
            Range::Share(share) => {
                let bytes = u128::from(capacity.0) * u128::from(share.as_percent()) / 100;
                Bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
            }
            Range::Size(size) => size,
        }
        .floor_to(UNIT);
        let path = facts.path.display();
        if facts.kind == TargetKind::Missing && self.create.is_none() {
            return Err(CommandError::refused(format!(
                "{path}: there is no such file or device; hint: --create SIZE creates a file"
            )));
        }
        if self.create.is_some() && facts.kind == TargetKind::BlockDevice
            || self.create.is_some() && matches!(self.location, Location::Simulated(_))
        {
            return Err(CommandError::refused(format!(
                "--create: {path} is no file: omit it, or specify a file"
            )));
        }
        let is_usable = matches!(self.location, Location::Simulated(_))
            || matches!(
                facts.kind,
                TargetKind::File
                    | TargetKind::Missing
                    | TargetKind::BlockDevice
                    | TargetKind::NvmeNamespace
            );
        if !is_usable {
            // What is wrong with it is what the check of every run reports.
            return Ok(Planned::of(self, facts, RANGE_MIN, RANGE_MIN));
        }
        if range > capacity {
            return Err(CommandError::refused(format!(
                "invalid value '{range}' for --range: must be at most {capacity}, the size of {path}"
            )));
        }
        if range < RANGE_MIN {
            return Err(CommandError::refused(format!(
                "{path}: a test of PTS needs a range of {RANGE_MIN} or more, and this is {range}"
            )));
        }
        let planned = Planned::of(self, facts, range, capacity);
        let least = planned.request.load.block_least;
        let block = self.load.block;
        if self.test == PtsTest::Dirth && (block < least || !block.is_multiple_of(least)) {
            return Err(CommandError::refused(format!(
                "invalid value '{block}' for --block: must be a multiple of {least}, the least that {path} can do"
            )));
        }
        Ok(planned)
    }
}

/// A test that can be run.
pub(crate) struct Planned {
    pub(crate) pts: Pts,
    pub(crate) context: PtsContext,
    pub(crate) create: Option<Bytes>,
    request: PtsRequest,
}

impl Planned {
    fn of(asked: &Asked, facts: &TargetFacts, range: Bytes, capacity: Bytes) -> Planned {
        let on_file = matches!(facts.kind, TargetKind::File | TargetKind::Missing);
        let least = match on_file {
            true => FILE_BLOCK,
            false => facts.direct_io.map_or(FILE_BLOCK, |direct| direct.offset),
        };
        let request = PtsRequest {
            test: asked.test,
            load: PtsLoad {
                block_least: least.max(Bytes(512)),
                ..asked.load
            },
            location: asked.location.clone(),
            range,
            create: asked.create.filter(|_| on_file),
            scale_divisor: asked.scale_divisor,
            seed: asked.seed,
            engine: asked.engine,
        };
        Planned {
            pts: Pts::new(request.clone()),
            context: PtsContext {
                purge: asked.purge,
                scale_divisor: asked.scale_divisor,
                range_bytes: range.0,
                capacity_bytes: capacity.0,
                interrupted: false,
                failure: None,
            },
            create: request.create.filter(|_| facts.kind == TargetKind::Missing),
            request,
        }
    }

    /// What distinguishes this test from others: the request, the machine, and a device by what it is, never by its name.
    pub(crate) fn fingerprint(&self, host: &HostRecord, facts: &TargetFacts) -> String {
        let request = &self.request;
        let target = target_identity(&request.location, facts);
        let asked = format!(
            "{:?} {:?} {:?} {} {:?} {} {} {}",
            self.context.purge,
            request.test,
            request.load,
            request.range,
            request.create,
            request.scale_divisor,
            request.seed,
            request.engine
        );
        sweep::key(&["pts", &host.hostname, &target, &asked])
    }
}

fn count(option: &'static str, text: &str, reader: &mut Reader) -> u32 {
    let read: Option<u32> = reader.number(option, text, COUNT_FORM);
    if read.is_some_and(|count| !(1..=COUNT_MAX).contains(&count)) {
        refuse(option, text, COUNT_FORM, reader);
    }
    read.unwrap_or(1)
}

fn percent(text: &str, reader: &mut Reader) -> Ratio {
    let read: Option<u8> = reader.number("--write", text, WRITE_FORM);
    let ratio = read.and_then(Ratio::percent);
    if read.is_some() && ratio.is_none() {
        refuse("--write", text, WRITE_FORM, reader);
    }
    ratio.unwrap_or(Ratio::ALL)
}

fn rounds(text: &str, reader: &mut Reader) -> Option<u32> {
    let read: Option<u32> = reader.number("--max-rounds", text, ROUNDS_FORM);
    if read.is_some_and(|rounds| !(5..=100).contains(&rounds)) {
        refuse("--max-rounds", text, ROUNDS_FORM, reader);
    }
    read
}

fn read_range(text: &str, reader: &mut Reader) -> Range {
    if let Some(share) = text.strip_suffix('%') {
        let share: Option<u8> = share.parse().ok().filter(|share| (1..=100).contains(share));
        if let Some(share) = share.and_then(Ratio::percent) {
            return Range::Share(share);
        }
    } else if let Ok(size) = text.parse::<Bytes>() {
        return Range::Size(size);
    }
    refuse("--range", text, RANGE_FORM, reader);
    Range::Share(Ratio::ALL)
}

/// `1` or `1/600`, as what times are divided by.
fn read_scale(text: &str, reader: &mut Reader) -> u32 {
    let divisor = match text {
        "1" => Some(1),
        _ => text.strip_prefix("1/").and_then(|text| text.parse().ok()),
    };
    match divisor.filter(|divisor| (1..=1000).contains(divisor)) {
        Some(divisor) => divisor,
        None => {
            refuse("--scale", text, SCALE_FORM, reader);
            1
        }
    }
}

fn refuse(option: &'static str, read: &str, accepted: &'static str, reader: &mut Reader) {
    reader.refuse(Problem::Value {
        option,
        read: read.to_owned(),
        accepted,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_one_or_one_part_in_so_many() {
        let read = |text: &str| {
            let mut reader = Reader::default();
            let divisor = read_scale(text, &mut reader);
            reader.finish(divisor).ok()
        };
        assert_eq!(
            (read("1"), read("1/600"), read("1/1")),
            (Some(1), Some(600), Some(1))
        );
        for text in ["", "0", "2", "1/0", "1/1001", "1/x", "0.5", "600"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_range_is_a_share_or_a_size() {
        let read = |text: &str| {
            let mut reader = Reader::default();
            let range = read_range(text, &mut reader);
            reader.finish(range).ok()
        };
        assert_eq!(read("100%"), Some(Range::Share(Ratio::ALL)));
        assert_eq!(read("64G"), Some(Range::Size(Bytes::gib(64))));
        for text in ["0%", "101%", "x", "-1%"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
