//! A printed table of processors with some of them only, averaged over all of them.
//!
//! Usage and idle time of a counted processor make 100%. Where their averages make less, the rest of the processors
//! stand in the average with zeros.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("cpu-stats-incomplete"),
    group: Group::Cpu,
    cause: Cause::Alone,
    limit: None,
    what: "The tool counted some of the processors and averaged over all of them.",
    method: "Average usage and average idle time add up to less than 98%. Their sum is the share of processors counted; usage divided by it is the load of these.",
    evidence: &[
        "printed_usage_percent",
        "printed_idle_percent",
        "usage_of_counted_share",
        "factor",
    ],
    source: "Arithmetic on the printed table; DISKSPD before 2.1 sees one processor group only.",
    advice: "Use the load of the counted processors; the load of the others is unknown.",
    look: Look::Any(look),
};

const SUM_MAX: f64 = 98.0;
const SUM_MIN: f64 = 0.5;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let cpu = seen.observed.printed.cpu?;
    let (usage, idle) = (cpu.usage_percent?, cpu.idle_percent?);
    let sum = usage + idle;
    if !sum.is_finite() || !(SUM_MIN..SUM_MAX).contains(&sum) || usage < 0.0 || idle < 0.0 {
        return None;
    }
    let really = usage / sum;
    let times = 100.0 / sum;
    let who = match cpu.processors {
        Some(all) => {
            let counted = (f64::from(all) * sum / 100.0).round();
            format!(
                "only {} of {} processors were counted",
                say::digits(counted.max(1.0)),
                all
            )
        }
        None => format!(
            "only {} of the processors were counted",
            say::percent(sum / 100.0)
        ),
    };
    Some(finding(
        RULE.id,
        Severity::Note,
        format!(
            "{}: their load was {}, and the printed average of {usage}% is wrong by a factor of {}",
            who.replace(".00 of", " of"),
            say::percent(really),
            say::digits(times)
        ),
        &[
            ("printed_usage_percent", usage),
            ("printed_idle_percent", idle),
            ("usage_of_counted_share", really),
            ("factor", times),
        ],
        "use the load of the counted processors; the load of the others is unknown",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::ImportedCpu;

    #[test]
    fn an_average_over_processors_that_were_not_counted_is_reported() {
        let mut run = imported();
        assert_eq!(reported(&run, "cpu-stats-incomplete"), None);
        let mut cpu = ImportedCpu {
            processors: Some(32),
            usage_percent: Some(2.49),
            idle_percent: Some(22.51),
            ..ImportedCpu::default()
        };
        run.cpu = Some(cpu);
        assert_eq!(
            reported(&run, "cpu-stats-incomplete").unwrap().sentence,
            "only 8 of 32 processors were counted: their load was 9.96%, and the printed average of 2.49% is wrong by \
             a factor of 4.00"
        );
        cpu.idle_percent = Some(97.51);
        run.cpu = Some(cpu);
        assert_eq!(reported(&run, "cpu-stats-incomplete"), None);
    }

    #[test]
    fn two_percent_may_be_missing_by_rounding() {
        for (idle, is_reported) in [(94.5, true), (96.5, false)] {
            let mut run = imported();
            run.cpu = Some(ImportedCpu {
                processors: Some(32),
                usage_percent: Some(2.0),
                idle_percent: Some(idle),
                ..ImportedCpu::default()
            });
            assert_eq!(
                reported(&run, "cpu-stats-incomplete").is_some(),
                is_reported,
                "{idle} idle"
            );
        }
    }
}
