//! A launcher that lets its processes use fewer cores than they have threads.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Severity, finding};
use crate::job::seen::{JobSeen, RankRow};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("bound-cores"),
    group: Group::Cpu,
    cause: Cause::Alone,
    limit: None,
    what: "The launcher of the job lets a rank use fewer cores than its host has.",
    method: "A rank may use fewer cores than its host has and fewer than its threads and the one that supervises them.",
    evidence: &["rank", "usable_cores", "cores", "threads"],
    source: "sched_getaffinity(2); mpirun(1): one or two processes of Open MPI are bound to one core each.",
    advice: "Start it with mpirun --bind-to none, mpiexec -bind-to none or srun --cpu-bind=none.",
    look: Look::Job(look),
};

fn look(seen: &JobSeen<'_>) -> Option<Finding> {
    let is_bound = |host: &&RankRow| {
        let usable = host.usable_cores;
        usable > 0 && usable < host.cores && usable < host.threads + 1
    };
    let host = seen.hosts.iter().find(is_bound)?;
    let usable = host.usable_cores;
    let sentence = format!(
        "the launcher binds: rank {} ({}) may use {usable} of {} cores for {}",
        host.rank,
        host.host,
        host.cores,
        say::counted(u64::from(host.threads), "thread")
    );
    let evidence = [
        ("rank", f64::from(host.rank)),
        ("usable_cores", f64::from(usable)),
        ("cores", f64::from(host.cores)),
        ("threads", f64::from(host.threads)),
    ];
    Some(finding(
        RULE.id,
        Severity::Warning,
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
    fn one_core_for_two_threads_is_bound_and_a_core_more_than_threads_is_not() {
        let with = |usable: u32| {
            let bend = |hosts: &mut [RankRow]| {
                (hosts[1].cores, hosts[1].usable_cores, hosts[1].threads) = (8, usable, 2);
            };
            job::with(&[1.0, 1.0], bend, look)
        };
        assert_eq!(with(1).unwrap().evidence[0].value, 1.0);
        assert_eq!((with(3), with(8)), (None, None));
    }
}
