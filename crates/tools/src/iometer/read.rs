//! Text → [`Config`]: keys are lines that begin with `'`, values the lines below them.

use super::Problem;
use super::config::{Config, Cycling, Line, Manager, Spec, Worker};
use super::encoding::lines;
use super::version::{self, Age};
use std::collections::HashSet;

/// Most bytes of a file.
pub const ICF_MAX: u64 = 4 << 20;
/// Most access specifications, managers and workers each.
const PARTS_MAX: usize = 4096;
/// Most names of targets and access specifications of all workers together.
const NAMES_MAX: usize = 100_000;
/// Most problems that are reported.
const TOLD_MAX: usize = 50;

/// Reads a file.
///
/// # Errors
/// Everything that is wrong, each with its line.
pub fn read(text: &str) -> Result<Config, Vec<Problem>> {
    let first = lines(text).zip(1..).find(|(line, _)| !line.is_empty());
    if let Some((line, number)) = first
        && !line.starts_with("Version ")
    {
        let what = "this is no configuration of IOmeter, which begins with `Version 1.1.0`; its content is not printed";
        return Err(vec![Problem {
            line: number,
            what: what.to_owned(),
        }]);
    }
    let mut reader = Reader::default();
    let mut last = 0;
    for (line, number) in lines(text).zip(1..) {
        last = number;
        reader.line(line, number);
        if reader.version.foreign {
            return Err(reader.problems); // nothing below would be reported rightly
        }
        if reader.problems.len() >= TOLD_MAX {
            break;
        }
    }
    reader.end(last)
}

/// What the lines below a key are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Key {
    #[default]
    None,
    Skip,
    Description,
    RunTime,
    Ramp,
    Depths,
    TestType,
    SpecName,
    SpecLines,
    ManagerName,
    WorkerName,
    WorkerKind,
    Settings,
    Disk,
    Assigned,
    Target,
    TargetKind,
}

/// The section that is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    None,
    Setup,
    Display,
    Specs,
    Managers,
}

#[derive(Default)]
struct Reader {
    config: Config,
    part: Part,
    parts: Vec<Part>,
    key: Key,
    got: bool, // a value below the key
    fixed: bool,
    problems: Vec<Problem>,
    version: Versions,
    workers: usize,
    names: usize,
    spec_names: HashSet<String>,
}

/// The version of the file, from its lines `Version …`.
#[derive(Default)]
struct Versions {
    lines: usize,
    /// Sections of so old a file have no end; the next one begins instead.
    unended: bool,
    /// The lines of this version mean something else.
    foreign: bool,
}

const KEYS: &[(Part, &str, Key)] = &[
    (Part::Setup, "test description", Key::Description),
    (Part::Setup, "run time", Key::RunTime),
    (Part::Setup, "ramp up time", Key::Ramp),
    (Part::Setup, "queue depth cycling", Key::Depths),
    (Part::Setup, "test type", Key::TestType),
    (Part::Setup, "default ", Key::Skip),
    (Part::Setup, "record results", Key::Skip),
    (Part::Setup, "worker cycling", Key::Skip),
    (Part::Setup, "disk cycling", Key::Skip),
    (Part::Setup, "target cycling", Key::Skip),
    (Part::Specs, "access specification name", Key::SpecName),
    (Part::Specs, "size,", Key::SpecLines),
    (Part::Managers, "manager id", Key::ManagerName),
    (Part::Managers, "manager network address", Key::Skip),
    (Part::Managers, "worker type", Key::WorkerKind),
    (Part::Managers, "worker", Key::WorkerName),
    (Part::Managers, "default target settings", Key::None),
    (Part::Managers, "number of outstanding", Key::Settings),
    (Part::Managers, "disk maximum size", Key::Disk),
    (Part::Managers, "local network interface", Key::Skip),
    (Part::Managers, "vi outstanding", Key::Skip),
    (Part::Managers, "assigned access specs", Key::Assigned),
    (Part::Managers, "target assignments", Key::None),
    (Part::Managers, "target type", Key::TargetKind),
    (Part::Managers, "target manager", Key::Skip),
    (Part::Managers, "target", Key::Target),
];

const PARTS: &[(&str, Part)] = &[
    ("test setup", Part::Setup),
    ("results display", Part::Display),
    ("access specifications", Part::Specs),
    ("manager list", Part::Managers),
];

impl Reader {
    fn refuse(&mut self, line: usize, what: impl Into<String>) {
        self.problems.push(Problem {
            line,
            what: what.into(),
        });
    }

    fn line(&mut self, line: &str, number: usize) {
        if let Some(comment) = line.strip_prefix('\'') {
            return self.comment(comment.trim(), number);
        }
        if line.is_empty() && self.key != Key::Description {
            return;
        }
        if let Some(version) = line
            .strip_prefix("Version ")
            .filter(|_| self.part == Part::None)
        {
            self.version.lines += 1;
            if self.version.lines == 1 {
                self.version(version.trim(), number);
            }
            return;
        }
        if self.version.lines == 0 {
            self.version.lines = 1;
            return self.refuse(number, "this is no configuration of IOmeter's: one begins with `Version 1.1.0` or an earlier date");
        }
        self.value(line, number);
    }

    fn version(&mut self, text: &str, number: usize) {
        text.clone_into(&mut self.config.version);
        match version::age(text) {
            Ok(Age::Usual) => {}
            Ok(Age::Unended) => self.version.unended = true,
            Err(why) => {
                self.version.foreign = true;
                self.refuse(number, format!("read version {}; {why}", short(text)));
            }
        }
    }

    fn comment(&mut self, comment: &str, number: usize) {
        let lower = comment.to_ascii_lowercase();
        let name = lower.trim_end_matches(['=', ' ']);
        if self.version.unended && PARTS.iter().any(|(part, _)| *part == name) {
            self.part = Part::None;
        }
        if self.part == Part::None {
            match PARTS.iter().find(|(part, _)| *part == name) {
                Some((_, part)) if self.parts.contains(part) => {
                    self.refuse(
                        number,
                        format!("a second section {}: a file has one", short(comment)),
                    );
                    self.part = *part;
                }
                Some((_, part)) => {
                    self.part = *part;
                    self.parts.push(*part);
                }
                None => self.refuse(
                    number,
                    format!(
                        "unknown section ''{}': must be one, such as 'TEST SETUP",
                        short(comment)
                    ),
                ),
            }
            self.key = Key::None;
            return;
        }
        if let Some(ended) = lower.strip_prefix("end ") {
            if PARTS
                .iter()
                .any(|(part, which)| *part == ended.trim() && *which == self.part)
            {
                self.part = Part::None;
            }
            self.key = Key::None;
            return;
        }
        if self.part == Part::Display || is_head(&lower) {
            return; // the names of columns
        }
        let row = KEYS
            .iter()
            .find(|(part, start, _)| *part == self.part && lower.starts_with(start));
        match row {
            Some((_, _, key)) => {
                (self.key, self.got) = (*key, false);
                if *key == Key::Settings {
                    self.fixed = lower.contains("fixed seed");
                }
            }
            None => self.refuse(number, format!("unknown key ''{}'", short(comment))),
        }
    }

    fn value(&mut self, line: &str, number: usize) {
        if self.part == Part::Display {
            return;
        }
        let again = matches!(self.key, Key::SpecLines | Key::Assigned | Key::Skip);
        if self.got && !again {
            return self.refuse(
                number,
                format!(
                    "invalid value '{}': must be a key, which begins with `'`",
                    short(line)
                ),
            );
        }
        self.got = true;
        let reported = match self.key {
            Key::Skip => Ok(()),
            Key::None => Err("a value without a key above it".to_owned()),
            Key::Description => {
                line.clone_into(&mut self.config.description);
                Ok(())
            }
            Key::RunTime | Key::Ramp | Key::Depths | Key::TestType => self.setup(line),
            Key::SpecName | Key::SpecLines => self.spec(line, number),
            Key::ManagerName | Key::WorkerName => self.begin(line, number),
            _ => self.worker(line),
        };
        if let Err(why) = reported {
            self.refuse(number, format!("invalid value '{}': {why}", short(line)));
        }
    }

    fn setup(&mut self, line: &str) -> Result<(), String> {
        const WORDS: usize = 4;
        let words: Vec<&str> = line.split_whitespace().take(WORDS + 1).collect();
        let config = &mut self.config;
        match (self.key, words.as_slice()) {
            (Key::RunTime, [hours, minutes, seconds]) => {
                let [hours, minutes, seconds] =
                    [hours, minutes, seconds].map(|text| whole(text, 1 << 20));
                config.run_s = hours? * 3600 + minutes? * 60 + seconds?;
            }
            (Key::Ramp, [seconds]) => config.ramp_s = whole(seconds, 1 << 30)?,
            (Key::Depths, [start, end, step, kind]) => {
                let number = |text: &str| whole(text, 1 << 20).map(|number| number as u32);
                config.depths = Cycling {
                    start: number(start)?,
                    end: number(end)?,
                    step: number(step)?,
                    exponential: match *kind {
                        "EXPONENTIAL" => true,
                        "LINEAR" => false,
                        _ => return Err("must be LINEAR or EXPONENTIAL".to_owned()),
                    },
                };
            }
            (Key::TestType, [word]) => (*word).clone_into(&mut config.test_type),
            (Key::RunTime, _) => {
                return Err("the run time is hours, minutes and seconds".to_owned());
            }
            (Key::Depths, _) => {
                return Err("cycling is start, end, step and LINEAR or EXPONENTIAL".to_owned());
            }
            _ => return Err("must be one word".to_owned()),
        }
        Ok(())
    }

    fn spec(&mut self, line: &str, number: usize) -> Result<(), String> {
        if self.key == Key::SpecName {
            let (name, assignment) = line.rsplit_once(',').unwrap_or((line, "NONE"));
            let name = name.trim().to_owned();
            if self.config.specs.len() == PARTS_MAX {
                return Err(format!("more than {PARTS_MAX} access specifications"));
            }
            if !self.spec_names.insert(name.clone()) {
                return Err("a second access specification of this name".to_owned());
            }
            self.config.specs.push(Spec {
                name,
                assignment: assignment.trim().to_owned(),
                lines: Vec::new(),
                at: number,
            });
            return Ok(());
        }
        let spec = self
            .config
            .specs
            .last_mut()
            .ok_or("a line before the name of its access specification")?;
        if spec.lines.len() == model::LINES_MAX {
            return Err(format!("more than {} lines", model::LINES_MAX));
        }
        const CELLS: usize = 8;
        let cells: Vec<&str> = line
            .trim_end_matches(',')
            .splitn(CELLS + 1, ',')
            .map(str::trim)
            .collect();
        let [size, of_size, reads, random, delay, burst, align, reply] = cells[..] else {
            return Err(
                "a line is size, % of size, % reads, % random, delay, burst, align, reply"
                    .to_owned(),
            );
        };
        let percent = |text| whole(text, 100);
        spec.lines.push(Line {
            size: whole(size, 1 << 40)?,
            of_size: percent(of_size)? as u32,
            reads: percent(reads)? as u8,
            random: percent(random)? as u8,
            delay_ms: whole(delay, 1 << 40)?,
            burst: whole(burst, u64::from(u32::MAX))? as u32,
            align: whole(align, 1 << 40)?,
            reply: whole(reply, 1 << 40)?,
        });
        Ok(())
    }

    fn begin(&mut self, line: &str, number: usize) -> Result<(), String> {
        if self.key == Key::ManagerName {
            let (_, name) = line
                .split_once(',')
                .ok_or("must be a number, a comma and a name")?;
            if self.config.managers.len() == PARTS_MAX {
                return Err(format!("more than {PARTS_MAX} managers"));
            }
            self.config.managers.push(Manager {
                name: name.trim().to_owned(),
                workers: Vec::new(),
            });
            return Ok(());
        }
        let manager = self
            .config
            .managers
            .last_mut()
            .ok_or("a worker before any manager")?;
        if self.workers == PARTS_MAX {
            return Err(format!("more than {PARTS_MAX} workers"));
        }
        self.workers += 1;
        manager.workers.push(Worker {
            name: line.to_owned(),
            outstanding: 1,
            at: number,
            ..Worker::default()
        });
        Ok(())
    }

    fn worker(&mut self, line: &str) -> Result<(), String> {
        let worker = self
            .config
            .managers
            .last_mut()
            .and_then(|manager| manager.workers.last_mut());
        let worker = worker.ok_or("this belongs to a worker, and there is none above")?;
        const CELLS_USED: usize = 5;
        let cells: Vec<&str> = line.splitn(CELLS_USED + 1, ',').map(str::trim).collect();
        if matches!(self.key, Key::Assigned | Key::Target) {
            self.names += 1;
            if self.names > NAMES_MAX {
                return Err(format!(
                    "more than {NAMES_MAX} targets and access specifications"
                ));
            }
        }
        match self.key {
            Key::WorkerKind => line.clone_into(&mut worker.kind),
            Key::Settings => {
                worker.outstanding = whole(cells[0], 1 << 20)? as u32;
                if self.fixed && matches!(cells.get(3), Some(&("ENABLED" | "1"))) {
                    worker.seed = Some(whole(cells.get(4).unwrap_or(&"0"), u64::MAX)?);
                }
            }
            Key::Disk => {
                worker.sectors = whole(cells[0], u64::MAX >> 9)?;
                worker.start = whole(
                    cells.get(1).ok_or("must be a size and a starting sector")?,
                    u64::MAX >> 9,
                )?;
                worker.pattern = cells
                    .get(2)
                    .map(|text| whole(text, 2))
                    .transpose()?
                    .map(|pattern| pattern as u32);
            }
            Key::Assigned if worker.specs.len() < PARTS_MAX => worker.specs.push(line.to_owned()),
            Key::Target if worker.targets.len() < PARTS_MAX => worker.targets.push(line.to_owned()),
            Key::TargetKind => {
                if !line.eq_ignore_ascii_case("DISK") {
                    return Err(
                        "only targets of the type DISK are measured: remove this one".to_owned(),
                    );
                }
            }
            _ => return Err(format!("more than {PARTS_MAX} of these")),
        }
        Ok(())
    }

    fn end(mut self, last: usize) -> Result<Config, Vec<Problem>> {
        if self.version.lines == 0 && self.problems.is_empty() {
            self.refuse(last.max(1), "the file is empty");
        } else if self.part != Part::None && !self.version.unended && self.problems.len() < TOLD_MAX
        {
            self.refuse(last, "the file ends within a section, so it is cut short");
        }
        for spec in &self.config.specs {
            let sum: u64 = spec.lines.iter().map(|line| u64::from(line.of_size)).sum();
            if sum != 100 {
                self.problems.push(Problem {
                    line: spec.at,
                    what: format!(
                        "[{}]: the percentages of its lines add up to {sum}, not to 100",
                        short(&spec.name)
                    ),
                });
            }
        }
        match self.problems.is_empty() {
            true => Ok(self.config),
            false => Err(self.problems),
        }
    }
}

/// The line of a comment that names columns.
fn is_head(lower: &str) -> bool {
    let mut words = lower.split_whitespace();
    matches!(words.next(), Some("start" | "hours"))
}

fn whole(text: &str, most: u64) -> Result<u64, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.then(|| text.parse().ok()).flatten();
    number
        .filter(|number| *number <= most)
        .ok_or_else(|| format!("`{}` is to be a whole number up to {most}", short(text)))
}

fn short(text: &str) -> String {
    const SHOWN_MAX: usize = 60;
    let mut short: String = text.trim().chars().take(SHOWN_MAX).collect();
    if short.len() < text.trim().len() {
        short.push('…');
    }
    short
}
