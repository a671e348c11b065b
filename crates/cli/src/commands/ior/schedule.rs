//! Which phase of a test is next: all phases of each repetition, test after test.
//!
//! Reads of a repetition end where its writes ended, because a deadline may have ended these. Deliberately absent: what a
//! phase does (`tools::ior`).

use crate::commands::dialect::{
    look, number_file, number_of, records_of, results_of_ranks, tell_trouble, write_whole,
};
use crate::output;
use analysis::job::job_phase;
use analysis::{PAGE_CACHE, Severity, run_report};
use model::{CommandError, Outcome, RunRecord};
use session::{Admission, Hosts, Ran, Schedule, Step, clock};
use std::rc::Rc;
use tools::ior::{self, IorRun, Phase, Test};

/// A phase of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    test: usize,
    repetition: u64,
    phase: Phase,
}

/// By test.
#[derive(Default)]
struct TimeLimit {
    began: Option<(usize, u64)>,
    late: Option<usize>,
}

/// The option with the file of how far the writes came.
pub(super) const STATUS: &str = "stoneWallingStatusFile";

/// How much each task wrote in an earlier call, where the test only reads and names the file that has it.
pub(super) fn written_before(test: &Test) -> Result<Option<u64>, CommandError> {
    let path = test.course.status.as_deref();
    let Some(path) = path.filter(|_| test.actions.write == 0) else {
        return Ok(None);
    };
    let transfer = test.layout.transfer.max(1);
    let number_max = test.layout.of_task() / transfer;
    let number = number_of(
        &number_file(STATUS, path),
        number_max,
        "stoneWallingWearOut",
    )?;
    Ok(Some(number * transfer))
}

/// All phases of a request.
pub(super) struct Phases<'a> {
    tests: &'a [Test],
    gate: &'a Admission<'a>,
    /// The processes that are its tasks, where a launcher started them.
    hosts: Option<&'a Rc<Hosts>>,
    /// What is left, the next last.
    left: Vec<Place>,
    current: Option<Place>,
    /// How much each task wrote in the repetition that goes on.
    written: Option<u64>,
    /// What -T needs: when the first phase of a test began, and the last test whose time was over.
    time: TimeLimit,
    /// By test.
    pub(super) runs: Vec<Vec<IorRun>>,
    /// When each test began, in nanoseconds since 1970.
    pub(super) times: Vec<u64>,
    /// Of all processes.
    pub(super) records: Vec<RunRecord>,
    /// The phases that were run, each with the place of its records.
    ran: Vec<(Place, std::ops::Range<usize>)>,
    /// A process has no record of a phase.
    lacks: bool,
}

impl<'a> Phases<'a> {
    pub(super) fn new(
        tests: &'a [Test],
        gate: &'a Admission<'a>,
        hosts: Option<&'a Rc<Hosts>>,
    ) -> Self {
        let places = tests.iter().enumerate().flat_map(|(number, test)| {
            (0..test.course.repetitions).flat_map(move |repetition| {
                let phases = test.phases().into_iter();
                phases.map(move |phase| Place {
                    test: number,
                    repetition,
                    phase,
                })
            })
        });
        let mut left: Vec<Place> = places.collect();
        left.reverse();
        Phases {
            tests,
            gate,
            hosts,
            left,
            current: None,
            written: None,
            time: TimeLimit::default(),
            runs: vec![Vec::new(); tests.len()],
            times: vec![clock::utc().0; tests.len()],
            records: Vec::new(),
            ran: Vec::new(),
            lacks: false,
        }
    }

    /// Whether there is a record of all processes for each phase that was run.
    pub(super) fn is_whole(&self) -> bool {
        !self.records.is_empty() && !self.lacks
    }

    /// How many records are to come.
    pub(super) fn count(&self) -> usize {
        let records = |place: &Place| match self.hosts {
            Some(_) => self.tests[place.test].task_count() as usize,
            None => 1,
        };
        self.left.iter().map(records).sum()
    }

    /// Whether the time of its test is over.
    fn is_late(&mut self, place: Place) -> bool {
        let now = clock::utc().0;
        let began = match self.time.began {
            Some((test, began)) if test == place.test => began,
            _ => {
                self.time.began = Some((place.test, now));
                self.times[place.test] = now;
                now
            }
        };
        let limit = self.tests[place.test].course.max_minutes;
        limit > 0 && now.saturating_sub(began) >= limit.saturating_mul(60_000_000_000)
    }

    /// Reports the first phase that is omitted, and how many are.
    fn tell_late(&mut self, place: Place) {
        if self.time.late.replace(place.test) == Some(place.test) {
            return;
        }
        let others = self.left.iter().rev();
        let others = others.take_while(|other| other.test == place.test).count();
        let more = match others {
            0 => String::new(),
            1 => " and 1 more phase".to_owned(),
            others => format!(" and {others} more phases"),
        };
        output::tell(&format!(
            "{}{more}: omitted, because the {} min of -T are over",
            self.label(place),
            self.tests[place.test].course.max_minutes
        ));
    }

    /// The records of all processes, and whether one of them failed; what went wrong is reported. None where one has none, so
    /// that nothing is known of all together.
    fn of_all(&self, own: RunRecord, label: &str) -> Option<(Vec<RunRecord>, bool)> {
        let Some(hosts) = self.hosts else {
            tell_trouble(&own);
            let failed = matches!(own.outcome, Outcome::Failed(_));
            return Some((vec![own], failed));
        };
        let records = records_of(&results_of_ranks(hosts, label)?);
        let failed = |record: &RunRecord| matches!(record.outcome, Outcome::Failed(_));
        let failed = records.iter().any(failed);
        Some((records, failed))
    }

    /// Reports phases whose I/Os did not reach a device: of each test and kind the first of them.
    pub(super) fn tell_cached(&self) {
        let mut reported: Vec<(usize, Phase)> = Vec::new();
        for (place, records) in &self.ran {
            let kind = (place.test, place.phase);
            if reported.contains(&kind) {
                continue;
            }
            let mut found = self.records[records.clone()].iter().filter_map(cached);
            if let Some(sentence) = found.next() {
                output::tell(&format!("warning: {}: {sentence}", self.label(*place)));
                reported.push(kind);
            }
        }
    }

    fn label(&self, place: Place) -> String {
        let name = match place.phase {
            Phase::Write => "write",
            Phase::CheckWrite => "check of writes",
            Phase::Read => "read",
        };
        match self.tests.len() {
            1 => format!("{name} {}", place.repetition),
            _ => format!("test {}, {name} {}", place.test, place.repetition),
        }
    }
}

/// What served the I/Os of a record instead of the device, and what to do; none where nothing did.
fn cached(record: &RunRecord) -> Option<String> {
    let mut findings = run_report(record).findings.into_iter();
    let found = findings.find(|one| one.id == PAGE_CACHE && one.severity > Severity::Note)?;
    Some(format!("{}; {}", found.sentence, found.advice))
}

impl Schedule for Phases<'_> {
    fn next(&mut self) -> Result<Option<Step>, CommandError> {
        while let Some(place) = self.left.pop() {
            let test = &self.tests[place.test];
            if self.is_late(place) {
                self.tell_late(place);
                continue;
            }
            let last = self.current.replace(place);
            let same = last
                .is_some_and(|last| (last.test, last.repetition) == (place.test, place.repetition));
            if !same {
                self.written = written_before(test)?;
            }
            if place.phase != Phase::Write && self.written == Some(0) {
                output::tell(&format!(
                    "{}: omitted, because a task wrote nothing before its deadline",
                    self.label(place)
                ));
                continue;
            }
            let found = |path: &std::path::Path| look(self.gate, path);
            let span = ior::timespan(test, place.phase, place.repetition, &found, self.written);
            let label = self.label(place);
            return Ok(Some(match self.hosts {
                Some(_) => Step::of_tasks(label, span, test.shift(place.phase)),
                None => Step::new(label, span),
            }));
        }
        Ok(None)
    }

    fn take(&mut self, _step: Step, ran: Ran) -> bool {
        let (Ok(record), Some(place)) = (ran.outcome, self.current) else {
            return false;
        };
        let label = self.label(place);
        let Some((records, mut failed)) = self.of_all(record, &label) else {
            self.lacks = true;
            return false;
        };
        let figures = job_phase(&records.iter().collect::<Vec<_>>());
        let transfer = self.tests[place.test].layout.transfer.max(1);
        if place.phase == Phase::Write {
            self.written = Some(figures.least_of_task / transfer * transfer);
            let status = self.tests[place.test].course.status.as_deref();
            if let Some((path, met)) = status.zip(figures.met) {
                let number = (met.most.0 / transfer).to_string();
                failed |= !write_whole(&number_file(STATUS, path), number.as_bytes());
            }
        }
        self.runs[place.test].push(IorRun {
            phase: place.phase,
            repetition: place.repetition,
            figures,
        });
        let at_limit = |record: &RunRecord| record.phases.measured_to >= ior::PHASE_TIME_MAX;
        if records.iter().any(at_limit) {
            failed = true;
            output::tell(&format!(
                "{label}: ended after 6 h, before its amount was moved: specify a smaller -b or -s, or a deadline (-D)"
            ));
        }
        let from = self.records.len();
        self.records.extend(records);
        self.ran.push((place, from..self.records.len()));
        !failed
    }
}
