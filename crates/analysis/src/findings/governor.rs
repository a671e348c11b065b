//! A CPU governor that reduces the frequency: short latencies include the time to raise it again.
//!
//! A note where a governor other than `performance` decides. More where I/Os took less than 100 µs on average and the
//! governor is one that stays low: at a quarter of the clock the tool's and the kernel's own part, some microseconds,
//! is four times as long.

use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("governor"),
    group: Group::Cpu,
    cause: Cause::Alone,
    limit: None,
    what: "The CPU governor reduces the frequency of the processors, which lengthens short latencies.",
    method: "A usable core has another governor than `performance`, and the mean latency is below 1 ms: a note; with \
             `powersave` or `conservative` and below 100 µs a warning. Not applied on the null engine.",
    evidence: &["mean_ns"],
    source: "The kernel's Documentation/admin-guide/pm/cpufreq.rst.",
    advice: "Measure with the governor `performance`.",
    look: Look::Own(look),
};

const SHORT_NS: f64 = 1e6;
const VERY_SHORT_NS: f64 = 1e5;

fn look(own: &Own<'_>) -> Option<Finding> {
    let mut governors = own
        .record
        .host
        .cpus
        .iter()
        .filter_map(|cpu| cpu.governor.as_deref());
    let governor = governors.find(|governor| *governor != "performance")?;
    let mean = own.total.latency.mean_ns()?;
    if mean >= SHORT_NS || own.record.engine.backend == "null" {
        return None;
    }
    let low = matches!(governor, "powersave" | "conservative") && mean < VERY_SHORT_NS;
    let severity = if low {
        Severity::Warning
    } else {
        Severity::Note
    };
    let sentence = format!(
        "CPU governor {governor}: a reduced frequency may account for part of the mean latency of {}",
        say::time(mean)
    );
    let advice = "for the test: cpupower frequency-set -g performance";
    Some(finding(RULE.id, severity, sentence, &[("mean_ns", mean)], advice).sure(Confidence::Low))
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{Nanos, RunRecord};

    fn with(governor: Option<&str>, latency: Nanos) -> RunRecord {
        let sample = Sample {
            latency: Some(latency),
            ..Sample::default()
        };
        let mut record = sample.build();
        for cpu in &mut record.host.cpus {
            cpu.governor = governor.map(str::to_owned);
        }
        record
    }

    #[test]
    fn a_saving_governor_is_reported_where_it_shows() {
        let short = Nanos::micros(60);
        let reported = found(&with(Some("powersave"), short), "governor").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        let reported = found(&with(Some("schedutil"), short), "governor").unwrap();
        assert_eq!(reported.severity, Severity::Note);
        assert_eq!(found(&with(Some("performance"), short), "governor"), None);
        assert_eq!(found(&with(None, short), "governor"), None);
        assert_eq!(
            found(&with(Some("powersave"), Nanos::millis(5)), "governor"),
            None
        );
    }

    #[test]
    fn short_is_below_a_millisecond_and_very_short_below_a_tenth_of_one() {
        let severity = |micros| {
            let record = with(Some("powersave"), Nanos::micros(micros));
            found(&record, "governor").map(|finding| finding.severity)
        };
        assert_eq!(severity(90), Some(Severity::Warning));
        assert_eq!(severity(120), Some(Severity::Note));
        assert_eq!(severity(900), Some(Severity::Note));
        assert_eq!(severity(1200), None);
    }
}
