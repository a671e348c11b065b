//! `survey`: what `fathom survey` finds against the whole grid of `--exhaustive`: knee, peak and limit of every workload,
//! and the measured time that either took.
//!
//! Simulated devices first, in simulated time; with `--real` also a file on a real disk, a loop device under a
//! control group's limit, and a zram device, all created here and removed at the end; on these the loads also take
//! turns, for a real device is not repeatable. Read in this order: the table (here), `answer` (results of a survey),
//! `real`, `turns`. What is asked: the knee within one doubling, the peak within 3%, the same limit named, in at most a
//! tenth of the measured time. And rates that keep a latency against those that Erlang knows.

mod answer;
mod goal;
mod real;
mod turns;

use crate::child;
use crate::error::BenchError;
use crate::options::Options;
use crate::place::Shop;
use crate::table::short;
use answer::{Answer, Found};
use std::process::Command;

/// One target a line.
const DEVICES: &str = include_str!("devices.txt");
const PEAK_MAX: f64 = 0.03;
const TIME_MAX: f64 = 0.1;
/// One knee over another, within one doubling.
const KNEES: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// A target in both ways.
struct Case {
    title: String,
    adaptive: Answer,
    whole: Answer,
    /// Of a real one: its loads in turns.
    turns: Vec<turns::Told>,
}

pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let mut cases = Vec::new();
    let simulated = devices().filter(|_| options.wants("sim"));
    for line in simulated {
        let words: Vec<&str> = line.split_whitespace().collect();
        cases.push(Case {
            title: line.to_owned(),
            adaptive: surveyed(shop, &words, &[])?,
            whole: surveyed(shop, &words, &["--exhaustive"])?,
            turns: Vec::new(),
        });
    }
    let mut skipped = Vec::new();
    if options.real {
        real::add((shop, options), &mut cases, &mut skipped)?;
    }
    let met = cases.iter().filter(|case| case.is_met()).count();
    let mut lines = vec![format!(
        "survey: {met} of {} targets like the whole grid (knee within one doubling, peak within 3%, same limit named) in at \
         most a tenth of its measured time",
        cases.len()
    )];
    let real = cases.iter().filter(|case| !case.turns.is_empty());
    let (same, all) = real.fold((0, 0), |(same, all), case| {
        let met = case.turns.iter().all(turns::Told::is_met);
        (same + u32::from(met), all + 1)
    });
    if all > 0 {
        lines.push(format!(
            "in turns, {same} of {all} real targets have the survey's knee within one doubling, and its best load does what \
             the grid's best does, within 3%"
        ));
    }
    lines.extend(cases.iter().flat_map(Case::lines));
    lines.extend(skipped);
    if options.wants("sim") {
        lines.push(String::new());
        lines.extend(goal::run(shop)?);
    }
    Ok(lines)
}

fn devices() -> impl Iterator<Item = &'static str> {
    let lines = DEVICES.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.trim_start_matches('*').trim())
        .filter(|line| !line.is_empty())
}

/// The program's results for this target.
fn surveyed(shop: &Shop, words: &[&str], more: &[&str]) -> Result<Answer, BenchError> {
    let mut command = Command::new(&shop.fathom);
    command
        .args(["survey", "--json", "--no-store"])
        .args(words)
        .args(more);
    answered(&mut command, shop)
}

fn answered(command: &mut Command, shop: &Shop) -> Result<Answer, BenchError> {
    command.current_dir(shop.folder());
    let reported = child::run(command, &shop.stop)?.out;
    Answer::read(&reported).ok_or_else(|| BenchError::Unreadable {
        command: child::words(command),
        printed: reported.chars().take(200).collect(),
    })
}

impl Case {
    /// How the two found the same, by workload: the survey's before the grid's.
    fn pairs(&self) -> impl Iterator<Item = (&Found, &Found)> {
        let of = |name: &str| self.whole.found.iter().find(|found| found.workload == name);
        let found = self.adaptive.found.iter();
        found.filter_map(move |found| Some((found, of(&found.workload)?)))
    }

    fn time_share(&self) -> f64 {
        self.adaptive.measured_s / self.whole.measured_s.max(1e-9)
    }

    fn is_met(&self) -> bool {
        let all = self.adaptive.found.len() == self.whole.found.len();
        all && self.time_share() <= TIME_MAX && self.pairs().all(|(a, b)| a.faults(b).is_empty())
    }

    fn lines(&self) -> Vec<String> {
        let head = format!(
            "\n{}: measured {} s of {} s, {:.1}%{}",
            self.title,
            short(self.adaptive.measured_s),
            short(self.whole.measured_s),
            100.0 * self.time_share(),
            if self.is_met() { "" } else { "  <- NOT MET" }
        );
        let rows = self.pairs().map(|(a, b)| row(a, b));
        let turns = self.turns.iter().map(turns::Told::line);
        let head_of_turns = (!self.turns.is_empty()).then(|| {
            "  in turns: the survey's knee, the turns'; the survey's best over the grid's best"
                .to_owned()
        });
        let lines = std::iter::once(head).chain(rows);
        lines.chain(head_of_turns).chain(turns).collect()
    }
}

fn row(a: &Found, b: &Found) -> String {
    format!(
        "  {:<21} knee {:>4} {:>4}  peak {:>9.0} {:>9.0} {:>6.3}  {:<9} {:<9} {}",
        a.workload,
        a.knee,
        b.knee,
        a.peak,
        b.peak,
        a.peak / b.peak.max(1e-9),
        a.limit,
        b.limit,
        a.faults(b).join(", ")
    )
}

impl Found {
    /// What is not as it is asked, against the whole grid.
    fn faults(&self, whole: &Found) -> Vec<&'static str> {
        let knees = self.knee as f64 / whole.knee.max(1) as f64;
        let checks = [
            (KNEES.contains(&knees), "KNEE"),
            (
                (self.peak / whole.peak.max(1e-9) - 1.0).abs() <= PEAK_MAX,
                "PEAK",
            ),
            (self.limit == whole.limit, "LIMIT"),
        ];
        let wrong = checks.into_iter().filter(|(good, _)| !good);
        wrong.map(|(_, what)| what).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_twenty_devices() {
        assert_eq!(devices().count(), 20);
        assert!(devices().all(|line| line.starts_with("sim:")));
    }
}
