//! The report of a run that another tool measured: its figures as printed, and what they give away of themselves.
//!
//! Little is known of such a run: only rules whose facts the text contains use it, and they keep silent where a fact is
//! missing. Where the text contains too little, it is not checked. Deliberately absent: everything that needs the
//! device's counters, the histogram or the time series.

use crate::checks::Checks;
use crate::findings::{Finding, Seen, commit_of, findings};
use crate::goal_check::{GoalReport, judge};
use crate::known::Known;
use crate::observed::Observed;
use crate::verdict::Verdict;
use model::{ImportFormat, ImportedRun, ResultRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The report of an imported run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedReport {
    /// Whether the figures may be used, with the reasons.
    pub verdict: Verdict,
    /// Source of these figures: `as printed by diskspd 2.0.17`.
    pub printed_by: String,
    /// Findings on the figures, by severity.
    pub findings: Vec<Finding>,
    /// Goals of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<GoalReport>,
    /// The run; quantiles are in 0…1.
    #[serde(flatten)]
    pub run: ImportedRun,
}

impl ImportedReport {
    /// Returns the latency of a commit, where it is the answer and not that of the write.
    pub fn commit(&self) -> Option<String> {
        let mean = self.run.figures.total.latency.mean;
        commit_of(&self.findings, mean.map(|mean| mean.0 as f64))
    }
}

/// The report of one imported run.
pub fn imported_report(run: &ImportedRun) -> ImportedReport {
    imported_report_knowing(run, &Known::default())
}

/// The same, with the user's hints on the target.
pub fn imported_report_knowing(run: &ImportedRun, known: &Known) -> ImportedReport {
    let observed = Observed::of_imported(run);
    let findings = findings(&Seen {
        observed: &observed,
        own: None,
        imported: Some(run),
        known,
    });
    let total = &run.figures.total;
    let has_rate = total.ios_per_s.is_some() || total.bytes_per_s.is_some();
    ImportedReport {
        verdict: Verdict::of_printed(&findings, Checks::of_imported(run, &observed), has_rate),
        printed_by: printed_by(run),
        findings,
        goals: match known.goals.is_empty() {
            true => Vec::new(),
            false => judge(known, &[(String::new(), Some(ResultRow::of_imported(run)))]),
        },
        run: run.clone(),
    }
}

fn printed_by(run: &ImportedRun) -> String {
    let tool = run.format.tool();
    let version = run.tool_version.as_deref().unwrap_or_default();
    let version = version.trim_start_matches(tool).trim_start_matches('-');
    let around = match run.format {
        ImportFormat::ScriptLines => " in the words of a script",
        _ => "",
    };
    match version {
        "" => format!("as printed by {tool}, version unknown{around}"),
        version => format!("as printed by {tool} {version}{around}"),
    }
}

#[cfg(test)]
mod tests {
    use super::imported_report;
    use crate::findings::test::imported as sample;
    use model::{CacheMode, ImportFormat, ImportedRun, Nanos};

    /// The ids, in order.
    fn found(run: &ImportedRun) -> Vec<&'static str> {
        let findings = imported_report(run).findings;
        findings.iter().map(|finding| finding.id.as_str()).collect()
    }

    #[test]
    fn a_sound_run_says_that_its_queue_was_full_and_who_printed_it() {
        assert_eq!(found(&sample()), ["saturated"]);
        assert_eq!(
            imported_report(&sample()).printed_by,
            "as printed by diskspd 2.0.17"
        );
        let mut run = sample();
        run.format = ImportFormat::FioJson;
        run.tool_version = Some("fio-3.33".to_owned());
        assert_eq!(imported_report(&run).printed_by, "as printed by fio 3.33");
        run.tool_version = None;
        assert_eq!(
            imported_report(&run).printed_by,
            "as printed by fio, version unknown"
        );
    }

    #[test]
    fn each_rule_speaks_where_its_facts_are_there() {
        let mut run = sample();
        run.workload.queue_depth = Some(2);
        assert_eq!(found(&run)[0], "queue-not-full");
        run.workload.queue_depth = Some(8);
        assert_eq!(found(&run)[0], "queue-not-full");
        let mut run = sample();
        run.figures.total.ios = Some(2_000_000);
        assert_eq!(found(&run)[0], "inconsistent-figures");
        run.figures.total.ios = Some(0);
        assert_eq!(found(&run)[0], "no-io");
        let mut run = sample();
        run.figures.total.latency.resolution = Some(Nanos::millis(1));
        run.figures.total.latency.mean = Some(Nanos::millis(3));
        assert_eq!(found(&run)[0], "latency-resolution");
        let mut run = sample();
        run.workload.cache = Some(CacheMode::Cached);
        assert_eq!(found(&run)[0], "page-cache");
    }
}
