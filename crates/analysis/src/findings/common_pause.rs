//! Whether all hosts of a job paused at the same time, or only some of them: the storage that they share, or a path to it.
//!
//! Omitted: pauses themselves, which are `stall` and `failover` of each rank.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Severity, finding};
use crate::job::seen::{JobSeen, RankPause};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("common-pause"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "All hosts completed no I/O at the same time, or only some of them while the others went on.",
    method: "The longest pause of each rank, as of `failover` or else `stall`. Ranks paused together if these overlap; a host paused if all its ranks did. Their begins are known to one step of the time series. Reported for two hosts or more, if no rank has its longest pause at another time.",
    evidence: &["from_ns", "pause_ns", "spread_ns", "hosts", "hosts_all"],
    source: "fathom: the time series of all ranks from their common start on; the manual, chapter Many hosts.",
    advice: "Where all hosts paused, check the storage and the network that they share. Where some did, check their own paths, adapters and links.",
    look: Look::Job(look),
};

/// Hosts that are named in the sentence.
const NAMED_MAX: usize = 4;

fn look(seen: &JobSeen<'_>) -> Option<Finding> {
    let with_result = seen.hosts.iter().filter(|rank| rank.figures.is_some());
    let ranks: Vec<(&str, Option<RankPause>)> = with_result
        .map(|rank| (rank.host.as_str(), rank.pause()))
        .collect();
    let all = model::distinct(ranks.iter().map(|(host, _)| *host));
    let longest = ranks.iter().filter_map(|(_, pause)| *pause);
    let longest = longest.max_by_key(|pause| pause.length_ns)?;
    let meets = |pause: &Option<RankPause>| pause.is_some_and(|pause| pause.overlaps(longest));
    let paused: Vec<&str> = all
        .iter()
        .copied()
        .filter(|host| {
            let mut its = ranks.iter().filter(|(on, _)| on == host);
            its.all(|(_, pause)| meets(pause))
        })
        .collect();
    let elsewhere = |(_, pause): &(&str, Option<RankPause>)| pause.is_some() && !meets(pause);
    if all.len() < 2 || paused.is_empty() || ranks.iter().any(elsewhere) {
        return None;
    }
    let begins = ranks
        .iter()
        .map(|(_, pause)| pause)
        .filter(|one| meets(one));
    let begins: Vec<u64> = begins.flatten().map(|pause| pause.from_ns).collect();
    let spread_ns = begins.iter().max()? - begins.iter().min()?;
    let when = format!(
        "at {} for {}",
        say::time(longest.from_ns as f64),
        say::time(longest.length_ns as f64)
    );
    let sentence = match paused.len() == all.len() {
        true => format!(
            "all {} hosts paused {when}, within {} of one another: what they share",
            all.len(),
            say::time(spread_ns as f64)
        ),
        false => {
            let more = if paused.len() > NAMED_MAX {
                ", …"
            } else {
                ""
            };
            format!(
                "{} of {} hosts ({}{more}) paused {when}, the others did not: their own paths",
                paused.len(),
                all.len(),
                paused[..paused.len().min(NAMED_MAX)].join(", ")
            )
        }
    };
    let evidence = [
        ("from_ns", longest.from_ns as f64),
        ("pause_ns", longest.length_ns as f64),
        ("spread_ns", spread_ns as f64),
        ("hosts", paused.len() as f64),
        ("hosts_all", all.len() as f64),
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

    fn of(pauses: &[Option<(u64, u64)>], on: &[&str]) -> Option<Finding> {
        let bend = |hosts: &mut [crate::job::RankRow]| {
            for ((row, pause), host) in hosts.iter_mut().zip(pauses).zip(on) {
                row.host = (*host).to_owned();
                let pause = pause.map(|(from_ms, length_ms)| RankPause {
                    from_ns: from_ms * 1_000_000,
                    length_ns: length_ms * 1_000_000,
                });
                row.figures.as_mut().unwrap().pause = pause;
            }
        };
        job::with(&vec![100.0; pauses.len()], bend, look)
    }

    fn figure(found: &Finding, name: &str) -> f64 {
        let mut evidence = found.evidence.iter();
        evidence.find(|one| one.name == name).unwrap().value
    }

    #[test]
    fn a_pause_of_all_hosts_is_what_they_share_and_one_of_some_their_paths() {
        let at = |from| Some((from, 2040));
        let all = of(&[at(12_400), at(12_403), at(12_401)], &["a", "b", "c"]).unwrap();
        assert_eq!(
            (figure(&all, "hosts"), figure(&all, "spread_ns")),
            (3.0, 3e6)
        );
        let some = of(&[at(12_400), None, None], &["a", "b", "c"]).unwrap();
        assert_eq!(
            (figure(&some, "hosts"), figure(&some, "hosts_all")),
            (1.0, 3.0)
        );
        // Which hosts paused when the other one did is not known.
        assert_eq!(of(&[at(12_400), at(3_000)], &["a", "b"]), None);
    }

    #[test]
    fn nothing_is_said_of_one_host_of_no_pause_and_of_one_rank_of_a_host() {
        let at = Some((400, 300));
        assert_eq!(of(&[at, at], &["a", "a"]), None);
        assert_eq!(of(&[None, None], &["a", "b"]), None);
        assert_eq!(of(&[at, None, None], &["a", "a", "b"]), None);
    }
}
