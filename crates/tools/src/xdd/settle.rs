//! What of a request contradicts itself, and what cannot be done here: all of it at once.

use super::request::{Pick, Request, XddTarget};

/// Threads of a target at most.
const DEPTH_MAX: u64 = 1024;
/// Bytes of a request at most.
const REQUEST_MAX: u64 = 1 << 30;
const PASSES_MAX: u64 = 100_000;

pub(super) fn check(request: &mut Request, problems: &mut Vec<String>) {
    if request.targets.is_empty() && !problems.iter().any(|why| why.starts_with("-target")) {
        problems.push("-target: no target is named: specify a file or device".to_owned());
    }
    if request.passes > PASSES_MAX {
        problems.push(format!("-passes: must be at most {PASSES_MAX}"));
    }
    if request.run_time_ns.is_some() && request.passes > 1 {
        let note =
            "-passes: it has no effect, because -runtime repeats passes until its end, as in xdd";
        request.notes.push(note.to_owned());
    }
    if request.own.no_store && request.own.store.is_some() {
        problems.push("--no-store: it contradicts --store: specify one of them".to_owned());
    }
    let mut pairs = request.targets.windows(2);
    if pairs.any(|two| two[0].walk.seed != two[1].walk.seed) {
        problems.push("-seek: seed: all targets have one seed here: specify it for all".to_owned());
    }
    for (number, target) in request.targets.iter().enumerate() {
        of_target(number, target, problems);
        notes(number, target, &mut request.notes);
    }
    let folders = |target: &XddTarget| target.path();
    let mut paths: Vec<_> = request.targets.iter().map(folders).collect();
    paths.sort();
    let twice = paths.windows(2).any(|two| two[0] == two[1]);
    let writes = request.targets.iter().any(XddTarget::is_written);
    if twice && writes && request.target_blocks == 0 {
        let note =
            "several targets are one file, and write to the same blocks; hint: -targetoffset";
        request.notes.push(note.to_owned());
    }
}

fn of_target(number: usize, target: &XddTarget, problems: &mut Vec<String>) {
    let size = target.request_bytes();
    let all = target.pass_bytes();
    let mut report = |option: &str, why: String| {
        problems.push(format!("{option}: target {number}: {why}"));
    };
    if all == 0 {
        report(
            "-numreqs",
            "its amount is missing: specify -numreqs, -bytes, -kbytes or -mbytes".to_owned(),
        );
    }
    if size > REQUEST_MAX {
        report(
            "-reqsize",
            format!("a request has {size} bytes: must be at most {REQUEST_MAX}"),
        );
        return;
    }
    if target.depth > DEPTH_MAX {
        report("-queuedepth", format!("must be at most {DEPTH_MAX}"));
    }
    if !all.is_multiple_of(size) {
        report(
            "-bytes",
            format!("{all} bytes are no multiple of the {size} bytes of a request: specify one"),
        );
    } else if !(all / size).is_multiple_of(target.threads()) {
        report(
            "-queuedepth",
            format!(
                "{} requests cannot be divided equally among {} threads: specify a multiple",
                all / size,
                target.threads()
            ),
        );
    }
    if target.walk.pick == Pick::Random && target.walk.range_kib.saturating_mul(1024) < size {
        report("-seek", "its range is smaller than a request".to_owned());
    }
}

fn notes(number: usize, target: &XddTarget, notes: &mut Vec<String>) {
    let requests = target.pass_bytes() / target.request_bytes().max(1);
    let reported = [
        (
            target.depth > requests && requests > 0,
            "-queuedepth: more than it has requests: one thread for each, as in xdd",
        ),
        (
            target.walk.pick == Pick::Random
                && target.walk.start_blocks + target.walk.pass_blocks > 0,
            "-startoffset, -passoffset: random offsets begin at 0, as in xdd",
        ),
        (
            target.writes.flush_every > 0 && !target.is_written(),
            "-flushwrite: nothing is written",
        ),
        (
            target.writes.sync && !target.is_written(),
            "-syncwrite: nothing is written",
        ),
    ];
    let noted = reported.into_iter().filter(|(is_noted, _)| *is_noted);
    notes.extend(noted.map(|(_, why)| format!("target {number}: {why}")));
}
