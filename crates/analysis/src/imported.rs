//! The report of a run that another tool measured: its figures as printed, and what they give away of themselves.
//!
//! Little is known of such a run, so there is no verdict: only rules whose facts the text holds look at it, and they
//! keep silent where a fact is missing. Deliberately absent: everything that needs the device's counters, the
//! histogram or the time series.

use crate::findings::{Finding, FindingRank, finding};
use crate::say::{digits, percent, time};
use model::{CacheMode, ImportFormat, ImportedRun, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The report of an imported run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedReport {
    /// Whose figures these are: `as printed by diskspd 2.0.17`.
    pub printed_by: String,
    /// What the figures give away, the heaviest first.
    pub findings: Vec<Finding>,
    /// The run; quantiles are in 0…1.
    #[serde(flatten)]
    pub run: ImportedRun,
}

/// Each rule, in the order of the report.
const RULES: [fn(&ImportedRun) -> Option<Finding>; 6] = [
    nothing_measured,
    more_than_in_flight,
    does_not_add_up,
    coarse_latency,
    page_cache,
    less_than_in_flight,
];

/// The report of one imported run.
pub fn imported_report(run: &ImportedRun) -> ImportedReport {
    let mut findings: Vec<Finding> = RULES.iter().filter_map(|rule| rule(run)).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.rank));
    ImportedReport {
        printed_by: printed_by(run),
        findings,
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

fn nothing_measured(run: &ImportedRun) -> Option<Finding> {
    let total = &run.figures.total;
    let nothing = total.ios == Some(0) || (total.ios.is_none() && total.ios_per_s == Some(0.0));
    nothing.then(|| {
        finding(
            "nothing-measured",
            FindingRank::Critical,
            "not one I/O was counted".to_owned(),
            &[],
            "look for errors in the text, and measure again",
        )
    })
}

/// Mean number in flight, and how many were asked. Source: Little, "A Proof for the Queuing Formula L = λW", Operations
/// Research 9 (1961): their mean number is their rate times their mean time.
fn in_flight(run: &ImportedRun) -> Option<(f64, f64)> {
    let total = &run.figures.total;
    let mean = total.latency.mean?;
    let work = &run.workload;
    let asked = f64::from(work.queue_depth?) * f64::from(work.threads?);
    // With several targets, a depth may be each target's own.
    let one_target = work.targets.len() <= 1;
    // Whole milliseconds say nothing of what is below one.
    let fine = total
        .latency
        .resolution
        .is_some_and(|step| step < Nanos::millis(1));
    (one_target && fine && asked > 0.0).then_some((total.ios_per_s? * mean.as_seconds(), asked))
}

/// More than a twentieth above what was asked cannot be: neither rounding nor the edges of the window explain it.
fn more_than_in_flight(run: &ImportedRun) -> Option<Finding> {
    const ABOVE: f64 = 1.05;
    let (mean, asked) = in_flight(run)?;
    (mean > asked * ABOVE).then(|| {
        finding(
            "in-flight",
            FindingRank::Warning,
            format!(
                "rate times mean latency gives {} I/Os in flight, but only {} were asked for",
                digits(mean),
                digits(asked)
            ),
            &[("in_flight_mean", mean), ("in_flight_asked", asked)],
            "the figures are not of one run, or threads and depth are read wrongly: look at the text",
        )
    })
}

/// Below four fifths the queue was not kept filled.
fn less_than_in_flight(run: &ImportedRun) -> Option<Finding> {
    const BELOW: f64 = 0.8;
    let (mean, asked) = in_flight(run)?;
    (mean > 0.0 && mean < asked * BELOW).then(|| {
        finding(
            "in-flight",
            FindingRank::Info,
            format!(
                "{} I/Os were in flight on average, of {} that were asked for",
                digits(mean),
                digits(asked)
            ),
            &[("in_flight_mean", mean), ("in_flight_asked", asked)],
            "the tool did not keep the queue filled: a limit, pauses, or too little processor",
        )
    })
}

/// Two decimals of a rate, and of the seconds, are a hundredth at worst in a run of a second; 3 % is beyond that.
fn does_not_add_up(run: &ImportedRun) -> Option<Finding> {
    const APART: f64 = 0.03;
    let total = &run.figures.total;
    let (ios, printed, time) = (total.ios?, total.ios_per_s?, run.measured?);
    // One fifth of what is printed as a decimal would be more than the rounding allows.
    if time < Nanos::seconds(1) || printed < 10.0 {
        return None;
    }
    let counted = ios as f64 / time.as_seconds();
    let apart = (counted - printed).abs() / printed;
    (apart > APART).then(|| {
        finding(
            "does-not-add-up",
            FindingRank::Warning,
            format!(
                "the printed rate and the printed count over the printed time are {} apart",
                percent(apart)
            ),
            &[("printed_per_s", printed), ("counted_per_s", counted)],
            "the text may be pieces of two runs: look at it",
        )
    })
}

/// SQLIO cuts latencies to whole milliseconds.
fn coarse_latency(run: &ImportedRun) -> Option<Finding> {
    let latency = &run.figures.total.latency;
    let (mean, step) = (latency.mean?, latency.resolution?);
    let coarse = step >= Nanos::millis(1) && mean.0 < 10 * step.0;
    coarse.then(|| {
        finding(
            "coarse-latency",
            FindingRank::Warning,
            format!(
                "latencies are whole steps of {}, so a mean of {} may be anything up to {}",
                time(step.0 as f64),
                time(mean.0 as f64),
                time(mean.plus(step).0 as f64)
            ),
            &[("mean_ns", mean.0 as f64), ("step_ns", step.0 as f64)],
            "do not compare such latencies with finer ones",
        )
    })
}

fn page_cache(run: &ImportedRun) -> Option<Finding> {
    let cached = run.workload.cache == Some(CacheMode::Cached);
    let durable = run.workload.write_through == Some(true);
    (cached && !durable).then(|| {
        finding(
            "page-cache",
            FindingRank::Warning,
            "it ran through the system's file cache, so memory may have answered instead of the disk".to_owned(),
            &[],
            "compare it only with runs through a cache; measure past it for the disk",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::imported_report;
    use model::{CacheMode, ImportFormat, ImportedFigures, ImportedRun, ImportedWorkload, Nanos};

    /// The run of the first seed.
    fn sample() -> ImportedRun {
        let mut run = ImportedRun {
            format: ImportFormat::DiskspdText,
            tool_version: Some("2.0.17".to_owned()),
            source: "a.txt".to_owned(),
            place: 1,
            line: 1,
            started_utc: None,
            host: None,
            command: None,
            name: None,
            workload: ImportedWorkload {
                queue_depth: Some(4),
                threads: Some(16),
                cache: Some(CacheMode::Unbuffered),
                ..ImportedWorkload::default()
            },
            measured: Some(Nanos::seconds(120)),
            figures: ImportedFigures::default(),
            cpu: None,
            rows: Vec::new(),
            notes: Vec::new(),
            text: String::new(),
        };
        let total = &mut run.figures.total;
        (total.ios, total.ios_per_s) = (Some(2_469_840), Some(20_581.94));
        total.latency.mean = Some(Nanos::micros(3106));
        total.latency.resolution = Some(Nanos::micros(1));
        run
    }

    fn found(run: &ImportedRun) -> Vec<String> {
        let report = imported_report(run);
        report
            .findings
            .into_iter()
            .map(|finding| finding.sentence)
            .collect()
    }

    #[test]
    fn a_sound_run_gives_no_finding_and_says_who_printed_it() {
        assert_eq!(found(&sample()), Vec::<String>::new());
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
        assert!(
            found(&run)[0].contains("gives 63.9 I/Os in flight, but only 32.0"),
            "{:?}",
            found(&run)
        );
        run.workload.queue_depth = Some(8);
        assert!(found(&run)[0].starts_with("63.9 I/Os were in flight on average"));
        let mut run = sample();
        run.figures.total.ios = Some(2_000_000);
        assert!(found(&run)[0].contains("apart"));
        run.figures.total.ios = Some(0);
        assert_eq!(found(&run)[0], "not one I/O was counted");
        let mut run = sample();
        run.figures.total.latency.resolution = Some(Nanos::millis(1));
        run.figures.total.latency.mean = Some(Nanos::millis(3));
        assert!(
            found(&run)[0].contains("a mean of 3 ms may be anything up to 4 ms"),
            "{:?}",
            found(&run)
        );
        let mut run = sample();
        run.workload.cache = Some(CacheMode::Cached);
        assert!(found(&run)[0].contains("memory may have answered"));
    }
}
