//! Wall clocks of hosts that are a second or more apart: the result is right, and log files do not fit it.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Severity, finding};
use crate::job::seen::{JobSeen, RankRow};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("clock-offset"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "The wall clocks of two hosts are a second or more apart.",
    method: "Each rank reads its wall clock when its files are ready. Starts and windows do not depend on it: they are on the monotonic clock of rank 0.",
    evidence: &["rank", "ahead_ns"],
    source: "clock_gettime(2), CLOCK_REALTIME.",
    advice: "Synchronize the clocks (chrony, NTP) before you compare the result with log files of that host.",
    look: Look::Job(look),
};

/// Ranks get ready within parts of a second of each other.
const AHEAD_NS_MIN: u64 = 1_000_000_000;

fn look(seen: &JobSeen<'_>) -> Option<Finding> {
    let ahead = |host: &&RankRow| {
        host.clock
            .map_or(0, |clock| clock.wall_clock_ahead_ns.unsigned_abs())
    };
    let widest = seen.hosts.iter().max_by_key(ahead)?;
    let by = ahead(&widest);
    if by < AHEAD_NS_MIN {
        return None;
    }
    let ahead_ns = widest.clock.map_or(0, |clock| clock.wall_clock_ahead_ns);
    let behind = ahead_ns < 0;
    let sentence = format!(
        "the wall clock of rank {} ({}) is {} {} that of rank 0",
        widest.rank,
        widest.host,
        say::time(by as f64),
        if behind { "behind" } else { "ahead of" }
    );
    let evidence = [
        ("rank", f64::from(widest.rank)),
        ("ahead_ns", ahead_ns as f64),
    ];
    Some(finding(
        RULE.id,
        Severity::Note,
        sentence,
        &evidence,
        RULE.advice,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::test::job;

    #[test]
    fn a_second_is_reported_and_less_is_not() {
        let with = |ahead: i64| {
            job::with(
                &[1.0, 1.0],
                |hosts| hosts[1].clock.as_mut().unwrap().wall_clock_ahead_ns = ahead,
                look,
            )
        };
        assert_eq!(with(999_999_999), None);
        assert_eq!(with(-2_000_000_000).unwrap().evidence[1].value, -2e9);
    }
}
