//! A bandwidth limit (QoS) determines the result.

use super::device_port;
use super::qos_limit::{EVIDENCE, cap, distance_reported, limited};
use super::qos_shape::Held;
use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Seen, finding};
use crate::LimitKind;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("bandwidth-limit"),
    group: Group::Limit,
    cause: Cause::Cap,
    limit: Some(LimitKind::Cap),
    what: "A bandwidth limit (QoS) below the device's own maximum determines the result.",
    method: "As for `iops-limit`. A run with blocks of 64 KiB or more reaches a bandwidth limit first. Its limit is reported as one, unless a known limit indicates otherwise. Sessions: sequential reads and writes of one target are within 15% of each other. Both are at what one slow port moves in practice: USB 2.0, SATA 3 Gbit/s, 5 Gbit/s, one lane. Nothing was 3% faster. Up to 315 MB/s it needs random reads of 2000 IOPS, as no rotating disk has; below 60 MB/s it is a note without them. One imported run on /dev/sd*, I/Os of 128 KiB or more that reached the disk, at the rate of USB 2.0: a note.",
    evidence: EVIDENCE,
    source: "As for `iops-limit`; the manual, chapter Device classes, has the source of each port.",
    advice: "Larger blocks and deeper queues only add latency. Request a higher limit, or compare with the limit instead of the disk; specify it with --cap-mibs.",
    look: Look::Both(look, device_port::of_session),
};

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let cap = cap(seen)
        .or_else(|| device_port::alone(seen))
        .filter(|cap| cap.held == Held::Bandwidth)?;
    let (what, _, bytes) = limited(seen, &cap)?;
    let bytes = bytes?;
    let may_be = match cap.confidence {
        Confidence::Low => "may be limited to",
        Confidence::Medium | Confidence::High => "limited to",
    };
    let mut evidence = vec![("bytes_per_s", bytes)];
    evidence.extend(cap.evidence);
    let sentence = format!(
        "bandwidth {may_be} {what}: {}{}",
        cap.why,
        distance_reported(seen.known, Held::Bandwidth, bytes)
    );
    let advice = "repeat with blocks of a quarter of the size: the same MiB/s indicate a bandwidth limit or a link, the same IOPS an IOPS limit";
    Some(finding(RULE.id, cap.severity, sentence, &evidence, advice).sure(cap.confidence))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported, reported_knowing};
    use crate::known::Known;
    use model::Bytes;

    #[test]
    fn a_bandwidth_at_the_cap_that_a_person_named_is_reported() {
        let mut run = imported();
        run.workload.block = Some(Bytes::kib(64));
        run.figures.total.bytes_per_s = Some(1286.37 * 1_048_576.0);
        run.figures.total.ios_per_s = None; // as hdparm, which prints no IOPS
        assert_eq!(reported(&run, "bandwidth-limit"), None);
        let known = Known {
            cap_bytes_per_s: Some(1280.0 * 1_048_576.0),
            ..Known::default()
        };
        assert_eq!(
            reported_knowing(&run, &known, "bandwidth-limit")
                .unwrap()
                .sentence,
            "bandwidth limited to 1286 MiB/s: that is 0.5% above the specified limit of 1280 MiB/s"
        );
        assert_eq!(reported_knowing(&run, &known, "iops-limit"), None);
    }
}
