//! A rate or pauses were requested: IOPS are those of the request, and no property of the device.
//!
//! Silent where the achieved rate is another than the requested one, which is then not what determines it, and where the text
//! does not contain the requested rate. Of runs of fathom `overload` reports where the device did not keep the rate.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::observed::Observed;
use crate::say;
use model::Operation;
use model::imported_evidence::{ImportedPace, RequestedRate};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("requested-rate"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "The load had a requested rate or pauses, so IOPS are what was requested and not what the device does.",
    method: "Imported runs whose text has the requested rate (DISKSPD: -g of each thread, times the threads): IOPS or bytes per second are 90% to 110% of it and fewer than 90% of the requested I/Os were in flight; 98% to 102% where these are not known. A rate of reads only is compared with runs that only read, one of writes with runs that only write. Or pauses between I/Os were requested (DISKSPD: -j).",
    evidence: &[
        "iops",
        "target_iops",
        "target_bytes_per_s",
        "in_flight_mean",
    ],
    source: "fio, HOWTO, I/O rate; DISKSPD, command line -g. An open load: Schroeder, Wierman and Harchol-Balter, NSDI 2006.",
    advice: "Compare the latency at this rate; repeat without the option for the device's maximum.",
    look: Look::Any(look),
};

/// A slower device does not reach the rate; a faster run did not have it.
const REACHED: std::ops::RangeInclusive<f64> = 0.9..=1.1;
/// Where the I/Os in flight are not known, a slower device may be this near, too.
const REACHED_ALONE: std::ops::RangeInclusive<f64> = 0.98..=1.02;
/// From this share of the requested I/Os in flight on the device has no idle time, so it sets the rate.
const FULL_MIN: f64 = 0.9;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let observed = seen.observed;
    let rate = observed.total.iops.filter(|rate| *rate > 0.0)?;
    let mut evidence = vec![("iops", rate)];
    let reached = |is: f64, requested: RequestedRate| {
        let share = is / requested.per_s;
        let full = observed.in_flight().zip(observed.load.requested_in_flight);
        let reached = match full.map(|(is, most)| is / most) {
            Some(full) => full < FULL_MIN && REACHED.contains(&share),
            None => REACHED_ALONE.contains(&share),
        };
        let fits = is_of(observed, requested) && reached;
        fits.then(|| say::percent(share))
    };
    let (sentence, option) = match seen.imported?.evidence.pace? {
        ImportedPace::Pauses => {
            let sentence = "pauses between I/Os were requested: IOPS include them, and are not the device's maximum";
            (sentence.to_owned(), "pauses")
        }
        ImportedPace::Ios(requested) => {
            evidence.push(("target_iops", requested.per_s));
            let share = reached(rate, requested)?;
            (
                sentence(&format!("{} IOPS", say::rate(rate)), &share),
                "rate",
            )
        }
        ImportedPace::Bytes(requested) => {
            evidence.push(("target_bytes_per_s", requested.per_s));
            let bytes = observed.total.bytes_per_s?;
            let share = reached(bytes, requested)?;
            let moved = format!("{} MiB/s", say::mib_per_s(bytes));
            (sentence(&moved, &share), "rate")
        }
    };
    evidence.extend(observed.in_flight().map(|is| ("in_flight_mean", is)));
    let advice = format!(
        "repeat without the {option}: more IOPS mean that this run did not reach the device's maximum"
    );
    Some(finding(
        RULE.id,
        Severity::Note,
        sentence,
        &evidence,
        &advice,
    ))
}

fn sentence(figure: &str, share: &str) -> String {
    format!("a rate was requested: {figure} are {share} of it, and not the device's maximum")
}

/// Returns whether all I/Os of the run are of the operation whose rate was requested.
fn is_of(observed: &Observed, requested: RequestedRate) -> bool {
    match requested.of {
        None => true,
        Some(Operation::Read) => observed.load.write_share == Some(0.0),
        Some(Operation::Write) => observed.load.write_share == Some(1.0),
    }
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::imported_evidence::{ImportedPace, RequestedRate};
    use model::{Operation, Ratio};

    #[test]
    fn a_requested_rate_is_named_if_it_was_reached_in_its_direction() {
        let of = |per_s, of, write_percent| {
            let mut run = imported();
            run.workload.write_percent = Some(write_percent);
            run.evidence.paced = true;
            run.evidence.pace = Some(ImportedPace::Ios(RequestedRate { per_s, of }));
            reported(&run, "requested-rate")
        };
        let found = of(20_600.0, None, Ratio::NONE).unwrap();
        let figures: Vec<f64> = found.evidence.iter().map(|one| one.value).collect();
        assert_eq!(figures[..2], [20_581.94, 20_600.0]);
        assert!(found.sentence.contains("99.9% of it"), "{}", found.sentence);
        assert!(of(20_600.0, Some(Operation::Read), Ratio::NONE).is_some());
        assert_eq!(
            of(25_000.0, None, Ratio::NONE),
            None,
            "the device was slower"
        );
        assert_eq!(of(10_000.0, None, Ratio::NONE), None, "it had no effect");
        assert_eq!(of(20_600.0, Some(Operation::Write), Ratio::NONE), None);
    }

    #[test]
    fn with_all_requested_ios_in_flight_the_device_sets_the_rate() {
        let mut run = imported();
        run.evidence.pace = Some(ImportedPace::Ios(RequestedRate {
            per_s: 20_600.0,
            of: None,
        }));
        let mean = |ns: f64| Some(model::Nanos(ns as u64));
        let full_ns = 64.0 / 20_581.94 * 1e9; // 4 for each of 16 threads
        run.figures.total.latency.mean = mean(0.95 * full_ns);
        assert_eq!(reported(&run, "requested-rate"), None);
        run.figures.total.latency.mean = mean(0.5 * full_ns);
        assert!(reported(&run, "requested-rate").is_some());
    }

    #[test]
    fn a_rate_that_is_not_known_is_not_named_and_pauses_are_no_rate() {
        let mut run = imported();
        assert_eq!(reported(&run, "requested-rate"), None);
        run.evidence.paced = true;
        assert_eq!(reported(&run, "requested-rate"), None);
        run.evidence.pace = Some(ImportedPace::Pauses);
        let found = reported(&run, "requested-rate").unwrap();
        assert!(found.sentence.starts_with("pauses"), "{}", found.sentence);
    }
}
