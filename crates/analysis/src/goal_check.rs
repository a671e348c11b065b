//! What a result is to reach: `p99 < 5ms`, `iops > 10k where write=0`.
//!
//! A goal is a filter as `fathom table --where` has it, over at least one measured figure, and may name the results that
//! it is for. Every result that it is for has to reach it: of a survey the best load of each workload, as its table has it,
//! of a sweep every run. Omitted: changes against another result, which is `fathom compare --fail-if`.

use crate::columns::{COLUMNS, Column, Filter, Unit, Value, column};
use crate::known::Known;
use crate::say;
use model::ResultRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Groups of fields that are asked and not measured.
const NOT_MEASURED: usize = 2;
const SCOPE: &str = " where ";

/// A goal and whether it is met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GoalReport {
    /// As it was given.
    pub goal: String,
    /// Whether every result that it is for reaches it, of at least one.
    pub met: bool,
    /// The figure, or how many of how many results miss it.
    pub sentence: String,
}

/// A goal that was read.
struct Wanted {
    filter: Filter,
    scope: Option<Filter>,
    figures: Vec<&'static Column>,
}

/// Returns what is wrong with a goal; nothing where it can be judged.
pub fn problems_of_goal(text: &str) -> Vec<String> {
    read(text).err().unwrap_or_default()
}

fn read(text: &str) -> Result<Wanted, Vec<String>> {
    let (filter, scope) = match text.split_once(SCOPE) {
        Some((filter, scope)) => (filter, Some(scope)),
        None => (text, None),
    };
    let said = |problems: Vec<_>| -> Vec<String> {
        let problems = problems.iter().map(ToString::to_string);
        problems.collect()
    };
    let wanted = Wanted {
        figures: figures_in(filter),
        filter: Filter::read(filter).map_err(said)?,
        scope: scope.map(Filter::read).transpose().map_err(said)?,
    };
    match wanted.figures.is_empty() {
        true => Err(vec![
            "must compare a measured figure, as iops, bytes_per_s or p99: 'p99 < 5ms'".to_owned(),
        ]),
        false => Ok(wanted),
    }
}

/// The measured fields that a filter names.
fn figures_in(filter: &str) -> Vec<&'static Column> {
    let measured = |name: &&Column| {
        let mut groups = COLUMNS.iter().skip(NOT_MEASURED);
        groups.any(|(_, group)| group.iter().any(|column| column.name == name.name))
    };
    let words = filter.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
    let mut figures: Vec<&Column> = words.filter_map(column).filter(measured).collect();
    figures.dedup_by_key(|column| column.name);
    figures
}

/// Judges each goal by these results, each with its name; one without figures misses every goal.
pub(crate) fn judge(known: &Known, results: &[(String, Option<ResultRow>)]) -> Vec<GoalReport> {
    let goal = |text: &String| {
        let (met, sentence) = match read(text) {
            Ok(wanted) => wanted.judge(results),
            Err(problems) => (false, problems.join("; ")),
        };
        GoalReport {
            goal: text.clone(),
            met,
            sentence,
        }
    };
    known.goals.iter().map(goal).collect()
}

impl Wanted {
    fn judge(&self, results: &[(String, Option<ResultRow>)]) -> (bool, String) {
        let is_meant = |row: &ResultRow| self.scope.as_ref().is_none_or(|scope| scope.fits(row));
        let meant = results
            .iter()
            .filter(|(_, row)| row.as_ref().is_none_or(is_meant));
        let meant: Vec<&(String, Option<ResultRow>)> = meant.collect();
        let fits = |row: &Option<ResultRow>| row.as_ref().is_some_and(|row| self.filter.fits(row));
        let missed: Vec<_> = meant.iter().filter(|(_, row)| !fits(row)).collect();
        let sentence = match (meant.as_slice(), missed.first()) {
            ([], _) => "no result to judge it by".to_owned(),
            ([(_, row)], _) => self.figures_of(row.as_ref()),
            (all, None) => format!("all {} results", all.len()),
            (all, Some((name, row))) => format!(
                "{} of {} results, first {name}: {}",
                missed.len(),
                all.len(),
                self.figures_of(row.as_ref())
            ),
        };
        (!meant.is_empty() && missed.is_empty(), sentence)
    }

    /// `p99 775 µs, iops 50.1k`.
    fn figures_of(&self, row: Option<&ResultRow>) -> String {
        let Some(row) = row else {
            return "not measured".to_owned();
        };
        let figures = self.figures.iter().map(|column| {
            let name = column.short.replace("latency_p", "p");
            format!("{name} {}", shown(&(column.read)(row), column.unit))
        });
        figures.collect::<Vec<_>>().join(", ")
    }
}

fn shown(value: &Value, unit: Unit) -> String {
    let Some(number) = value.number() else {
        return "not known".to_owned();
    };
    match unit {
        Unit::Time => say::time(number),
        Unit::Rate => say::rate(number),
        Unit::SizePerSecond => format!("{} MiB/s", say::mib_per_s(number)),
        _ => say::digits(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    fn judged(goal: &str, rows: &[(&str, Option<u32>)]) -> GoalReport {
        let known = Known {
            goals: vec![goal.to_owned()],
            ..Known::default()
        };
        let row = |depth: u32| {
            let sample = Sample {
                depth,
                ..Sample::default()
            };
            ResultRow::of_record(&sample.build())
        };
        let rows: Vec<_> = rows
            .iter()
            .map(|(name, depth)| ((*name).to_owned(), depth.map(row)))
            .collect();
        judge(&known, &rows).remove(0)
    }

    #[test]
    fn a_goal_is_met_where_every_result_that_it_is_for_reaches_it() {
        let met = judged("iops > 1", &[("a", Some(1))]);
        assert!(met.met && met.sentence.starts_with("iops "), "{met:?}");
        let missed = judged("iops > 900M", &[("a", Some(1)), ("b", Some(2))]);
        assert!(
            !missed.met
                && missed
                    .sentence
                    .starts_with("2 of 2 results, first a: iops "),
            "{missed:?}"
        );
        let scoped = judged(
            "iops > 1 where queue_depth=2",
            &[("a", Some(1)), ("b", Some(2))],
        );
        assert!(scoped.met);
        assert!(
            !judged("iops > 1 where queue_depth=7", &[("a", Some(1))]).met,
            "of no result"
        );
        assert!(
            !judged("iops > 1", &[("a", Some(1)), ("b", None)]).met,
            "a gap"
        );
    }

    #[test]
    fn a_goal_that_compares_nothing_measured_is_refused() {
        assert_eq!(
            problems_of_goal("p99 < 5ms and iops >= 10k"),
            Vec::<String>::new()
        );
        for text in [
            "queue_depth = 4",
            "target_iops > 10k",
            "rate > 10k",
            "p99",
            "p99 < fast",
            "",
            "nonsense > 4",
        ] {
            assert!(!problems_of_goal(text).is_empty(), "{text}");
        }
    }
}
