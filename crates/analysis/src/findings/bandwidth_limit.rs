//! Something lets so many bytes a second through and no more.

use super::qos_limit::{EVIDENCE, Held, cap, distance_told};
use super::{Cause, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::LimitKind;
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("bandwidth-limit"),
    group: Group::Limit,
    cause: Cause::Cap,
    limit: Some(LimitKind::Cap),
    what: "A bandwidth limit (QoS) below the device's own maximum determines the result.",
    method: "As for `iops-limit`; one run with blocks of 64 KiB or more meets a limit of bytes first, so there it is taken for one, unless a cap that is known says otherwise.",
    evidence: EVIDENCE,
    source: "As for `iops-limit`.",
    advice: "Larger blocks and deeper queues only add latency. Ask for a higher limit, or compare with the limit instead of with the disk; name it with --cap-mibs.",
    look: Look::Any(look),
};

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let cap = cap(seen).filter(|cap| cap.held == Held::Bandwidth)?;
    let bytes = seen.observed.total.bytes_per_s?;
    let held = match cap.severity {
        Severity::Note => "may be held",
        _ => "is held",
    };
    let mut evidence = vec![("bytes_per_s", bytes)];
    evidence.extend(cap.evidence);
    let sentence = format!(
        "the bandwidth {held} at {} MiB/s: {}{}",
        say::mib_per_s(bytes),
        cap.why,
        distance_told(seen.known, Held::Bandwidth, bytes)
    );
    let advice = "repeat it with blocks of a quarter of the size: the same MiB/s are a bandwidth limit or a link, the same IOPS an IOPS limit";
    Some(finding(RULE.id, cap.severity, sentence, &evidence, advice).sure(cap.confidence))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, told, told_knowing};
    use crate::known::Known;
    use model::Bytes;

    #[test]
    fn a_bandwidth_at_the_cap_that_a_person_named_is_told() {
        let mut run = imported();
        run.workload.block = Some(Bytes::kib(64));
        run.figures.total.bytes_per_s = Some(1286.37 * 1_048_576.0);
        assert_eq!(told(&run, "bandwidth-limit"), None);
        let known = Known {
            cap_bytes_per_s: Some(1280.0 * 1_048_576.0),
            ..Known::default()
        };
        assert_eq!(
            told_knowing(&run, &known, "bandwidth-limit")
                .unwrap()
                .sentence,
            "the bandwidth is held at 1286 MiB/s: that is 0.5% above the cap of 1280 MiB/s that you named"
        );
        assert_eq!(told_knowing(&run, &known, "iops-limit"), None);
    }
}
