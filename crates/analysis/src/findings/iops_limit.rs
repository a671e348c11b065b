//! An IOPS limit (QoS) determines the result.

use super::equal_sides;
use super::qos_limit::{EVIDENCE, cap, distance_reported, limited};
use super::qos_shape::Held;
use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Seen, Several, finding};
use crate::LimitKind;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("iops-limit"),
    group: Group::Limit,
    cause: Cause::Cap,
    limit: Some(LimitKind::Cap),
    what: "An IOPS limit (QoS) below the device's own maximum determines the result.",
    method: "Full queue of four or more, no thread of fathom that was ready without a processor for 20% of its time, and one of these. IOPS within 3% of a specified limit. The device had few I/Os while most waited above it, with IOPS that vary by 5% or less. IOPS that vary by 2% or less, while the latencies vary by 30% to 300%; the variation is below three quarters of what these latencies give. Paced: 16 or more in flight, windows within 0.5% or half an I/O. p1 to p95 of the latency are within 10% of each other (runs of fathom: 15%); a round figure is mentioned. In slices: mean latency four times the median, half of all waiting in I/Os of nearly one length of 5 ms or more, windows within 5%. Of imported runs the slowest window does not count; imported runs without windows: a tenth of the I/Os within 15% of one length of 20 ms or more. Imported runs of several jobs with 16 or more in flight: p1 to p95 within 2%. A published limit does not apply where its other column is exceeded, nor beyond 400000 IOPS. In a mix of which one side takes four times as long as the other or longer, the limit is of that side. High confidence only at a specified limit: whether IOPS or bytes are limited shows a second block size. The last two only if the generator was not CPU-bound; flat windows only if not several jobs, each busy for 30% of a core, used one together. Eight windows or more are needed, five near a known limit. Imported runs with 4 to 15 in flight, low confidence: windows within 0.5%, p1 to p95 within 15%, and a published limit within 1%. Flat windows alone are a note; within 2.5% of a published limit they are a warning. Sessions: reads and writes of one load are within 1.5% of each other; within 0.5% where windows or percentiles are known and 16 or more were in flight. Both are within 2.5% of one published limit (3% of a specified one), and no run is 5% faster. Sequential I/O at 20 to 315 MB/s on a disk that may rotate is a note, as a platter is as even; of low confidence in runs of fathom and near a published limit. The lower bound is of the inner tracks of old disks, the upper one above the data sheets of all disks with one actuator.",
    evidence: EVIDENCE,
    source: "Renewal counting: n I/Os with a coefficient of variation c vary by c/√n; the kernel's Documentation/block/stat.rst; the providers' pages, listed with each limit in the manual, chapter Published limits.",
    advice: "A deeper queue only adds latency. Request a higher limit, or compare with the limit instead of the disk; specify it with --cap-iops.",
    look: Look::Both(look, of_session),
};

fn of_session(several: &Several<'_>) -> Option<Finding> {
    equal_sides::limit(several, RULE.id)
}

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let cap = cap(seen).filter(|cap| cap.held == Held::Rate)?;
    let (what, rate, _) = limited(seen, &cap)?;
    let rate = rate?;
    let may_be = match cap.confidence {
        Confidence::Low => "may be limited to",
        Confidence::Medium | Confidence::High => "limited to",
    };
    let mut evidence = vec![("iops", rate)];
    evidence.extend(cap.evidence);
    let sentence = format!(
        "{may_be} {what}: {}{}",
        cap.why,
        distance_reported(seen.known, Held::Rate, rate)
    );
    let advice = "repeat with blocks of four times the size: the same IOPS indicate an IOPS limit, the same MiB/s a bandwidth limit or a link; compare with the limit, not with the disk";
    Some(finding(RULE.id, cap.severity, sentence, &evidence, advice).sure(cap.confidence))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported, reported_knowing};
    use crate::findings::{Confidence, Severity};
    use crate::known::{CloudCap, Known};
    use model::{ImportedRun, Nanos};

    /// The run of the fourth seed.
    fn run() -> ImportedRun {
        let mut run = imported();
        (run.workload.threads, run.workload.queue_depth) = (Some(2), Some(32));
        let total = &mut run.figures.total;
        (total.ios, total.ios_per_s) = (Some(234_408), Some(1953.30));
        total.bytes_per_s = Some(1953.30 * 4096.0);
        total.ios_per_s_sd = Some(17.72);
        total.latency.mean = Some(Nanos::micros(32_763));
        total.latency.sd = Some(Nanos::micros(20_994));
        run
    }

    #[test]
    fn a_flat_rate_with_wide_latencies_is_a_hint_and_a_published_cap_makes_it_more() {
        let hint = reported(&run(), "iops-limit").unwrap();
        assert_eq!(
            (hint.severity, hint.confidence),
            (Severity::Note, Confidence::Low)
        );
        let known = Known {
            caps: vec![CloudCap {
                name: "Azure VM size Standard_B2ms".to_owned(),
                per_s: Some(1920.0),
                bytes_per_s: None,
                direction: None,
                burst: false,
                network: false,
            }]
            .into(),
            ..Known::default()
        };
        let finding = reported_knowing(&run(), &known, "iops-limit").unwrap();
        assert_eq!(finding.severity, Severity::Warning);
        assert_eq!(
            finding.sentence,
            "limited to 1953 IOPS: IOPS vary by 0.91% while latencies vary by 64.1%, as behind a QoS limit; 1.7% \
             above the published limit of Azure VM size Standard_B2ms, 1920 IOPS"
        );
    }

    #[test]
    fn a_cap_that_a_person_named_needs_no_shape() {
        let mut run = run();
        run.figures.total.ios_per_s_sd = None;
        assert_eq!(reported(&run, "iops-limit"), None);
        let known = Known {
            cap_per_s: Some(2000.0),
            ..Known::default()
        };
        let finding = reported_knowing(&run, &known, "iops-limit").unwrap();
        assert_eq!(
            finding.sentence,
            "limited to 1953 IOPS: that is 2.3% below the specified limit of 2000 IOPS"
        );
        assert_eq!(finding.confidence, Confidence::High);
    }

    #[test]
    fn a_rate_that_varies_as_chance_has_it_and_even_latencies_are_no_limiter() {
        let mut lively = run();
        lively.figures.total.ios_per_s_sd = Some(60.0);
        assert_eq!(reported(&lively, "iops-limit"), None);
        let mut even = run();
        even.figures.total.latency.sd = Some(Nanos::micros(3000));
        assert_eq!(reported(&even, "iops-limit"), None);
        let mut shallow = run();
        shallow.workload.queue_depth = Some(320);
        assert_eq!(
            reported(&shallow, "iops-limit"),
            None,
            "the queue was not full"
        );
    }

    /// Four jobs of 1 MiB writes to zram on two cores: 49% of a core each.
    #[test]
    fn jobs_that_take_turns_on_cores_are_no_limiter() {
        let mut run = run();
        run.format = model::ImportFormat::FioJson;
        run.evidence.total.windows = Some(100);
        let of = |run: &mut ImportedRun, kernel| {
            run.cpu = Some(model::ImportedCpu {
                user_percent: Some(1.0),
                kernel_percent: Some(kernel),
                ..model::ImportedCpu::default()
            });
            reported(run, "iops-limit").is_some()
        };
        assert!(of(&mut run, 10.0));
        run.workload.threads = Some(4);
        run.workload.queue_depth = Some(16);
        assert!(of(&mut run, 10.0));
        assert!(!of(&mut run, 48.0));
    }

    #[test]
    fn fewer_than_eight_windows_show_no_flat_rate() {
        let mut run = run();
        run.format = model::ImportFormat::FioJson;
        for (windows, is_reported) in [
            (None, false),
            (Some(1), false),
            (Some(15), false),
            (Some(16), true),
        ] {
            run.evidence.total.windows = windows;
            run.figures.total.ios_per_s_sd = Some(0.0);
            // Of two jobs: eight windows each.
            assert_eq!(
                reported(&run, "iops-limit").is_some(),
                is_reported,
                "{windows:?}"
            );
        }
    }

    #[test]
    fn a_job_of_a_job_file_has_one_thread_where_its_figures_fit_one() {
        let mut run = run();
        run.format = model::ImportFormat::FioJson;
        run.evidence.total.windows = Some(240);
        (run.workload.threads, run.workload.queue_depth) = (None, Some(64));
        assert!(reported(&run, "iops-limit").is_some());
        run.workload.queue_depth = Some(16);
        assert_eq!(reported(&run, "iops-limit"), None, "a group of four jobs");
    }
}
