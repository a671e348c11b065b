//! What ranks answer, and whether that lets the run begin.

use super::keys::TargetKey;
use crate::journal::VERSION;
use model::{CommandError, JobLayout};
use serde::{Deserialize, Serialize};

/// Who a rank is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hello {
    /// Name of its host.
    pub(super) host: String,
    /// Version of fathom.
    pub(super) version: String,
}

impl Hello {
    pub(super) fn of(host: &str) -> Hello {
        Hello {
            host: host.to_owned(),
            version: VERSION.to_owned(),
        }
    }
}

/// Whether a rank can run a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Agreed {
    /// Of each target.
    pub(super) keys: Vec<TargetKey>,
    /// Why not; empty where it can.
    pub(super) problems: Vec<String>,
    /// It is the machine that does not fit.
    pub(super) unfit: bool,
}

/// Whether the files of a rank are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Prepared {
    pub(super) problem: Option<String>,
}

/// Whether a rank can begin at the agreed moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Ready {
    /// Nanoseconds from when it heard of the moment to the moment.
    Slack(i64),
    /// Its clock was not compared with that of rank 0.
    NoClock,
    /// It cannot begin.
    Failed(String),
}

/// Refuses ranks of different versions, all of them by name.
pub(super) fn same_version(hellos: &[(u32, Hello)]) -> Result<(), CommandError> {
    if hellos
        .iter()
        .all(|(_, hello)| hello.version == hellos[0].1.version)
    {
        return Ok(());
    }
    let named = hellos
        .iter()
        .map(|(rank, hello)| format!("rank {rank} ({}) has {}", hello.host, hello.version));
    let named: Vec<String> = named.collect();
    Err(CommandError::refused(format!(
        "the versions of fathom differ: {}; hint: install one version on all hosts",
        named.join(", ")
    )))
}

/// Most problems of one rank that are printed.
const PROBLEMS_MAX: usize = 100;

/// Refuses what any rank refuses, each problem once with its ranks; and targets that are not as the layout needs them.
pub(super) fn agreed(
    answers: &[(u32, Agreed)],
    names: &[String],
    layout: JobLayout,
) -> Result<(), CommandError> {
    let mut found: Vec<(String, Vec<u32>)> = Vec::new();
    for (rank, answer) in answers {
        for problem in answer.problems.iter().take(PROBLEMS_MAX) {
            match found.iter_mut().find(|(known, _)| known == problem) {
                Some((_, ranks)) => ranks.push(*rank),
                None => found.push((problem.clone(), vec![*rank])),
            }
        }
        let more = answer.problems.len().saturating_sub(PROBLEMS_MAX);
        if more > 0 {
            found.push((format!("and {more} problems more"), vec![*rank]));
        }
    }
    if !found.is_empty() {
        let messages =
            found
                .into_iter()
                .map(|(problem, ranks)| match ranks.len() == answers.len() {
                    true => problem,
                    false => format!("{}: {problem}", who(&ranks, names)),
                });
        let refused = answers
            .iter()
            .filter(|(_, answer)| !answer.problems.is_empty());
        return Err(match refused.clone().all(|(_, answer)| answer.unfit) {
            true => CommandError::unfit(messages),
            false => CommandError::refused_for(messages),
        });
    }
    let problems = match layout {
        JobLayout::Own => twice(answers, names),
        JobLayout::Segments | JobLayout::All | JobLayout::Interleaved => apart(answers, names),
    };
    match problems.is_empty() {
        true => Ok(()),
        false => Err(CommandError::refused_for(problems)),
    }
}

/// Targets that two ranks would measure, each as its own.
fn twice(answers: &[(u32, Agreed)], names: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    for (place, (rank, answer)) in answers.iter().enumerate() {
        for key in &answer.keys {
            let same =
                |(_, other): &&(u32, Agreed)| other.keys.iter().any(|known| known.is_same(key));
            if let Some((other, _)) = answers[..place].iter().find(same) {
                problems.push(format!(
                    "{}: {} use one target, and each would measure it as its own; hint: add {{rank}} to its name, or \
                     --layout segments or all",
                    key.path,
                    who(&[*other, *rank], names)
                ));
            }
        }
    }
    problems.truncate(8);
    problems
}

/// Targets that are to be one for all ranks, and are not.
fn apart(answers: &[(u32, Agreed)], names: &[String]) -> Vec<String> {
    let Some((first, rest)) = answers.split_first() else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    for (rank, answer) in rest {
        let pairs = first.1.keys.iter().zip(&answer.keys);
        for (mine, its) in pairs.filter(|(mine, its)| !mine.is_same(its)) {
            problems.push(format!(
                "{}: not one target on all hosts: {} has {}, {} has {}",
                mine.path,
                who(&[first.0], names),
                mine.what(),
                who(&[*rank], names),
                its.what()
            ));
        }
    }
    problems
}

/// Refuses where the files of any rank are not there.
pub(super) fn all_prepared(
    answers: &[(u32, Prepared)],
    names: &[String],
) -> Result<(), CommandError> {
    let failed = answers.iter().filter_map(|(rank, answer)| {
        let problem = answer.problem.as_ref()?;
        Some(format!("{}: {problem}", who(&[*rank], names)))
    });
    let failed: Vec<String> = failed.collect();
    match failed.is_empty() {
        true => Ok(()),
        false => Err(CommandError::failed(failed.join("; "))),
    }
}

/// Whether all ranks heard of the moment before it.
pub(super) fn all_in_time(
    answers: &[(u32, Ready)],
    names: &[String],
) -> Result<bool, CommandError> {
    let failed = answers.iter().filter_map(|(rank, answer)| match answer {
        Ready::Failed(why) => Some(format!("{}: {why}", who(&[*rank], names))),
        Ready::Slack(_) | Ready::NoClock => None,
    });
    let failed: Vec<String> = failed.collect();
    if !failed.is_empty() {
        return Err(CommandError::failed(failed.join("; ")));
    }
    Ok(answers
        .iter()
        .all(|(_, answer)| matches!(answer, Ready::Slack(slack) if *slack >= 0)))
}

/// Ranks with their hosts: `rank 3 (n3)`, `ranks 0, 2 (n0, n2)`.
fn who(ranks: &[u32], names: &[String]) -> String {
    let numbers: Vec<String> = ranks.iter().map(u32::to_string).collect();
    let mut hosts: Vec<&str> = ranks
        .iter()
        .filter_map(|rank| names.get(*rank as usize))
        .map(String::as_str)
        .collect();
    hosts.dedup();
    let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
    match hosts.is_empty() {
        true => format!("{noun} {}", numbers.join(", ")),
        false => format!("{noun} {} ({})", numbers.join(", "), hosts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: &str) -> TargetKey {
        TargetKey {
            path: "f".to_owned(),
            id: Some(id.to_owned()),
        }
    }

    fn answer(rank: u32, problem: Option<&str>, id: &str) -> (u32, Agreed) {
        let problems = problem.map(str::to_owned).into_iter().collect();
        (
            rank,
            Agreed {
                keys: vec![key(id)],
                problems,
                unfit: false,
            },
        )
    }

    fn names() -> Vec<String> {
        ["n0", "n1", "n2"].map(str::to_owned).to_vec()
    }

    #[test]
    fn what_all_refuse_is_reported_once_and_what_some_refuse_with_their_hosts() {
        let all = [
            answer(0, Some("bad block"), "a"),
            answer(1, Some("bad block"), "b"),
        ];
        let error = agreed(&all, &names(), JobLayout::Own).unwrap_err();
        assert_eq!(error.messages(), ["bad block"]);
        let some = [
            answer(0, None, "a"),
            answer(1, Some("read-only"), "b"),
            answer(2, Some("read-only"), "c"),
        ];
        let error = agreed(&some, &names(), JobLayout::Own).unwrap_err();
        assert_eq!(error.messages(), ["ranks 1, 2 (n1, n2): read-only"]);
    }

    #[test]
    fn own_targets_have_to_differ_and_shared_ones_have_to_be_one() {
        let same = [answer(0, None, "a"), answer(1, None, "a")];
        let differ = [answer(0, None, "a"), answer(1, None, "b")];
        assert!(agreed(&same, &names(), JobLayout::Own).is_err());
        assert!(agreed(&differ, &names(), JobLayout::Own).is_ok());
        assert!(agreed(&same, &names(), JobLayout::Segments).is_ok());
        assert!(agreed(&differ, &names(), JobLayout::All).is_err());
    }

    #[test]
    fn a_moment_that_has_passed_somewhere_is_put_off() {
        let slack = |slack| (0, Ready::Slack(slack));
        assert_eq!(all_in_time(&[slack(0), slack(5)], &names()), Ok(true));
        assert_eq!(all_in_time(&[slack(0), slack(-1)], &names()), Ok(false));
        assert_eq!(all_in_time(&[(0, Ready::NoClock)], &names()), Ok(false));
        assert!(all_in_time(&[(1, Ready::Failed("no memory".to_owned()))], &names()).is_err());
    }

    #[test]
    fn two_versions_are_refused_with_all_hosts() {
        let mut hellos = vec![(0, Hello::of("n0")), (1, Hello::of("n1"))];
        assert!(same_version(&hellos).is_ok());
        hellos[1].1.version = "9.9".to_owned();
        let error = same_version(&hellos).unwrap_err();
        assert!(
            error.messages()[0].contains("rank 1 (n1) has 9.9"),
            "{error}"
        );
    }
}
