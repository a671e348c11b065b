//! What lines of xdd mean, and how its lines are printed. Numbers are those of the cases of xdd's dialect.

use super::*;
use crate::fio::There;
use model::{
    Access, Allocation, Bytes, CacheMode, Nanos, Pacing, Ratio, Sequence, Target, WriteContent,
};

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn asked(line: &str) -> Request {
    let read = read(&words(line)).unwrap_or_else(|why| panic!("{line}: {why:?}"));
    read.unwrap()
}

fn refused(line: &str) -> Vec<String> {
    read(&words(line)).unwrap_err()
}

/// The targets of the first pass, with nothing under their names.
fn targets(line: &str) -> Vec<Target> {
    timespan(&asked(line), 0, None, &|_| None).targets
}

fn only(line: &str) -> Target {
    let mut all = targets(line);
    assert_eq!(all.len(), 1, "{line}");
    all.remove(0)
}

fn random_share(target: &Target) -> Ratio {
    let Access::Diskspd(access) = &target.workload.access else {
        panic!("{target:?}");
    };
    let (align, sequence) = match access.random {
        Ratio::NONE => (target.workload.block, Sequence::Interlocked),
        _ => (Bytes(1024), Sequence::PerThread),
    };
    assert_eq!((access.align, access.sequence), (align, sequence));
    access.random
}

#[test]
fn x49_one_thread_writes_zeros_into_a_file_that_grows() {
    let target = only("-op write -target f -reqsize 1024 -numreqs 10");
    assert_eq!(target.workload.block, Bytes::mib(1));
    assert_eq!((target.threads, target.amount), (1, Some(Bytes::mib(10))));
    assert_eq!(target.create, Some(Bytes::mib(10)));
    assert_eq!(target.allocation, Allocation::Growing);
    assert_eq!(target.content, WriteContent::Zero);
    assert_eq!(target.workload.write, Ratio::ALL);
    assert_eq!(random_share(&target), Ratio::NONE);
    assert_eq!(target.cache, CacheMode::Cached);
}

#[test]
fn x50_two_targets_have_four_threads_each_on_one_pointer() {
    let both = targets("-op read -targets 2 a b -qd 4 -mbytes 64");
    assert_eq!(both.len(), 2);
    for target in both {
        assert_eq!((target.threads, target.amount), (4, Some(Bytes::mib(16))));
        assert_eq!(target.workload.block, Bytes::kib(128));
        assert_eq!(target.length, Some(Bytes::mib(64)));
        assert_eq!((target.create, target.workload.write), (None, Ratio::NONE));
    }
    assert_eq!(targets("-targets -3 a -mbytes 1").len(), 3);
}

#[test]
fn x51_an_amount_is_needed() {
    let problems = refused("-op read -target f");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].starts_with("-numreqs: target 0: "),
        "{problems:?}"
    );
}

#[test]
fn x52_shares_of_reads_and_random_offsets_in_a_range() {
    let target = only("-rwratio 70 -seek random -seek range 4096 -target f -mbytes 1");
    assert_eq!(target.workload.write, Ratio::percent(30).unwrap());
    assert_eq!(
        (target.length, random_share(&target)),
        (Some(Bytes::mib(4)), Ratio::ALL)
    );
}

#[test]
fn x53_what_xdd_does_and_fathom_does_not_is_refused_by_name() {
    for option in [
        "-e2e issource",
        "-sgio",
        "-lockstep 0 1 op 8 op 1 wait complete",
        "-verify contents",
        "-interactive",
        "-createnewfiles",
        "-heartbeat 1",
        "-seek load list",
        "-op noop",
        "-nonsense 4",
        "word",
    ] {
        let problems = refused(&format!("{option} -target f -mbytes 1"));
        assert_eq!(problems.len(), 1, "{option}: {problems:?}");
        let name = option.split(' ').next().unwrap();
        assert!(
            problems[0].starts_with(&format!("{name}: ")),
            "{problems:?}"
        );
    }
    let all = refused("-sgio -qd 0 -bytes x -rwratio 33.3 -target 3");
    assert_eq!(all.len(), 5, "{all:?}"); // and the amount
}

#[test]
fn options_are_for_all_targets_or_for_one_and_the_last_one_counts() {
    let both = targets(
        "-op target 1 write -targets 2 a b -mbytes 1 -bytes target 0 131072 -qd 2 -qd target 0 1",
    );
    assert_eq!(
        [both[0].workload.write, both[1].workload.write],
        [Ratio::NONE, Ratio::ALL]
    );
    assert_eq!([both[0].threads, both[1].threads], [1, 2]);
    assert_eq!(
        [both[0].length, both[1].length],
        [Some(Bytes::kib(128)), Some(Bytes::mib(1))]
    );
    let refused = refused("-target a -mbytes 1 -op target 1 write");
    assert_eq!(refused, ["-op: target 1: there are 1, counted from 0"]);
    let seeds = super::read(&words("-targets 2 a b -mbytes 1 -seek target 1 seed 5")).unwrap_err();
    assert!(seeds[0].starts_with("-seek: seed: "), "{seeds:?}");
    assert_eq!(
        timespan(
            &asked("-targets 2 a b -mbytes 1 -seek seed 5"),
            0,
            None,
            &|_| None
        )
        .seed,
        5
    );
}

#[test]
fn what_threads_do_is_divided_equally_or_refused() {
    let problems = refused("-target f -numreqs 10 -qd 4");
    assert!(
        problems[0].starts_with("-queuedepth: target 0: 10 requests"),
        "{problems:?}"
    );
    let problems = refused("-target f -bytes 1000");
    assert!(
        problems[0].starts_with("-bytes: target 0: 1000 bytes"),
        "{problems:?}"
    );
    let few = asked("-target f -numreqs 2 -qd 8");
    assert_eq!((few.targets[0].threads(), few.notes.len()), (2, 1));
}

#[test]
fn passes_offsets_limits_and_rates() {
    let request = asked(
        "-op write -targets 2 a b -numreqs 8 -reqsize 4 -qd 2 -passes 3 -passoffset 100 -startoffset 10 -targetoffset 1000 \
         -timelimit 2 -startdelay .5 -throttle ops 100 -passdelay 1 -syncwrite -flushwrite 3 -dio -datapattern hex a1B2",
    );
    let span = timespan(&request, 2, Some(Nanos::seconds(1)), &|_| None);
    assert_eq!(span.start_delay, Nanos::seconds(1));
    let [first, second] = &span.targets[..] else {
        panic!("{span:?}");
    };
    assert_eq!(first.base, Bytes::kib(210));
    assert_eq!(second.base, Bytes::kib(1210));
    assert_eq!(first.create, Some(Bytes::kib(242)));
    assert_eq!(first.active.after, Nanos::millis(500));
    assert_eq!(first.active.length, Some(Nanos::seconds(1)));
    assert_eq!(
        first.pacing,
        Pacing::Rate {
            bytes_per_s: 204_800
        }
    );
    assert_eq!(first.content, WriteContent::Repeated(vec![0xA1, 0xB2]));
    assert!(first.write_through && first.fsync.every == 3);
    assert_eq!(first.cache, CacheMode::Unbuffered);
    let there = |_: &std::path::Path| {
        Some(There {
            bytes: 1 << 20,
            device: false,
            unfinished: false,
        })
    };
    let span = timespan(&request, 0, None, &there);
    assert_eq!(
        [span.targets[0].create, span.targets[1].create],
        [None, Some(Bytes::kib(1042))]
    );
    assert_eq!(span.start_delay, Nanos(0));
}

#[test]
fn the_help_fits_a_narrow_terminal_and_names_are_distinct() {
    for line in usage("fathom xdd").lines() {
        assert!(line.chars().count() < 80, "{line}");
    }
    let table = option_table();
    let forms: Vec<&str> = table.lines().skip(2).collect();
    let mut names: Vec<&str> = forms
        .iter()
        .filter_map(|line| line.split('`').nth(1)?.split(' ').next())
        .collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    assert_eq!(
        read(&words("-target f -help")).map(|read| read.is_none()),
        Ok(true)
    );
}
