//! Which phase of a test is next: all phases of each repetition, test after test.
//!
//! Reads of a repetition end where its writes ended, because a deadline may have ended these. Deliberately absent: what a
//! phase does (`tools::ior`).

use crate::commands::dialect::{look, tell_trouble};
use crate::output;
use model::{CommandError, Outcome, RunRecord};
use session::{Admission, Ran, Schedule, Step, clock};
use tools::ior::{self, IorRun, Phase, Test};

/// A phase of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    test: usize,
    repetition: u64,
    phase: Phase,
}

/// All phases of a request.
pub(super) struct Phases<'a> {
    tests: &'a [Test],
    gate: &'a Admission<'a>,
    /// What is left, the next last.
    left: Vec<Place>,
    current: Option<Place>,
    /// How much each task wrote in the repetition that goes on.
    written: Option<u64>,
    /// When the first phase of a test began.
    began: Option<(usize, u64)>,
    /// The last test whose time was over.
    late: Option<usize>,
    /// By test.
    pub(super) runs: Vec<Vec<IorRun>>,
    /// When each test began, in nanoseconds since 1970.
    pub(super) times: Vec<u64>,
    pub(super) records: Vec<RunRecord>,
}

impl<'a> Phases<'a> {
    pub(super) fn new(tests: &'a [Test], gate: &'a Admission<'a>) -> Self {
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
            left,
            current: None,
            written: None,
            began: None,
            late: None,
            runs: vec![Vec::new(); tests.len()],
            times: vec![clock::utc().0; tests.len()],
            records: Vec::new(),
        }
    }

    /// How many phases are left.
    pub(super) fn count(&self) -> usize {
        self.left.len()
    }

    /// Whether the time of its test is over.
    fn is_late(&mut self, place: Place) -> bool {
        let now = clock::utc().0;
        let began = match self.began {
            Some((test, began)) if test == place.test => began,
            _ => {
                self.began = Some((place.test, now));
                self.times[place.test] = now;
                now
            }
        };
        let limit = self.tests[place.test].course.max_minutes;
        limit > 0 && now.saturating_sub(began) >= limit.saturating_mul(60_000_000_000)
    }

    /// Reports the first phase that is omitted, and how many are.
    fn tell_late(&mut self, place: Place) {
        if self.late.replace(place.test) == Some(place.test) {
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
                self.written = None;
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
            return Ok(Some(Step::new(self.label(place), span)));
        }
        Ok(None)
    }

    fn take(&mut self, _step: Step, ran: Ran) -> bool {
        let (Ok(record), Some(place)) = (ran.outcome, self.current) else {
            return false;
        };
        tell_trouble(&record);
        let figures = ior::ior_figures(&record);
        let transfer = self.tests[place.test].layout.transfer.max(1);
        if place.phase == Phase::Write {
            self.written = Some(figures.least_of_task / transfer * transfer);
        }
        self.runs[place.test].push(IorRun {
            phase: place.phase,
            repetition: place.repetition,
            figures,
        });
        let is_cut = record.phases.measured_to >= ior::PHASE_TIME_MAX;
        if is_cut {
            let label = self.label(place);
            output::tell(&format!(
                "{label}: ended after 6 h, before its amount was moved: specify a smaller -b or -s, or a deadline (-D)"
            ));
        }
        let failed = is_cut || matches!(record.outcome, Outcome::Failed(_));
        self.records.push(record);
        !failed
    }
}
