//! What cannot be together in a request, from the command line and from XML; and what can, but is a trap.
//!
//! Only DISKSPD's own rules. What Linux cannot do is `build`'s business, and whether the machine can do it
//! `model::check`'s.

use super::distribution;
use super::problem::{Note, Problem, Refusal};
use super::profile::{Cache, Content, Distribution, Profile, Target, Throughput, TimeSpan};
use crate::refusal::{Once, Problems};
use std::collections::HashMap;

/// Most outstanding I/Os of a target and thread, or of a thread of a pool.
pub(super) const REQUESTS_MAX: u32 = 65_536;

/// What the profile is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be measured: names must be real and time must pass.
    Run,
    /// To be printed: templates may stay.
    Print,
}

/// Every rule that the profile breaks, or what is worth a word.
///
/// # Errors
/// All rules broken, each once a time span.
pub fn validate(profile: &Profile, purpose: Purpose) -> Result<Vec<Note>, Refusal> {
    let mut rules = Rules::default();
    if profile.time_spans.is_empty() {
        rules.break_in(
            "the profile",
            "there is no time span; a profile has at least one",
        );
    }
    for (place, span) in profile.time_spans.iter().enumerate() {
        let name = match profile.time_spans.len() {
            1 => "the request".to_owned(),
            _ => format!("time span {}", place + 1),
        };
        check_span(span, &name, purpose, &mut rules);
        check_queue(span, &name, &mut rules);
        for target in &span.targets {
            check_target(span, target, purpose, &mut rules);
        }
    }
    Refusal::none_or(rules.problems)?;
    rules.notes.dedup_by(|a, b| a.what == b.what);
    Ok(rules.notes)
}

#[derive(Default)]
struct Rules {
    problems: Problems<Problem>,
    reported: Once,
    notes: Vec<Note>,
}

impl Rules {
    /// Targets of a command line are all identical: each rule is reported for the first of them.
    fn break_in(&mut self, place: &str, why: impl Into<String>) {
        let why = why.into();
        if self.reported.is_new(&why) {
            self.problems.push(Problem::Rule {
                place: place.to_owned(),
                why,
            });
        }
    }

    fn unless(&mut self, wrong: bool, place: &str, why: &'static str) {
        if wrong {
            self.break_in(place, why);
        }
    }
}

fn check_span(span: &TimeSpan, name: &str, purpose: Purpose, rules: &mut Rules) {
    let run = purpose == Purpose::Run;
    rules.unless(
        span.targets.is_empty(),
        name,
        "there is no target; name at least one",
    );
    rules.unless(
        run && span.duration_s == 0,
        name,
        "nothing is measured in 0 s; specify -d with at least 1",
    );
    rules.unless(
        span.intervals.length_ms == 0,
        name,
        "an interval of 0 ms is empty; specify at least 1",
    );
    rules.unless(
        span.affinity.disabled && !span.affinity.processors.is_empty(),
        name,
        "-n takes threads off their processors and -a puts them there; use one",
    );
    rules.unless(
        span.affinity.disabled && span.affinity.order.is_given(),
        name,
        "-n takes threads off their processors and the letters of -a order them; use one",
    );
    let own = span.targets.iter().map(|target| target.threads).max();
    if let (pool @ 1.., Some(own @ 2..)) = (span.thread_count, own) {
        let why = format!(
            "-F{pool} is a number of threads for all targets and -t{own} one for each; use one of the two"
        );
        rules.break_in(name, why);
    }
    if span.request_count > 0 && span.thread_count == 0 {
        rules.notes.push(Note::new(
            "-O",
            "without -F it changes nothing; -o specifies the outstanding I/Os of a target",
        ));
    }
}

/// How I/Os are submitted and their completions taken.
fn check_queue(span: &TimeSpan, name: &str, rules: &mut Rules) {
    rules.unless(
        span.request_count > REQUESTS_MAX,
        name,
        "-O is at most 65536 outstanding I/Os of a thread",
    );
    rules.unless(
        span.ring.is_some() && span.completion_routines,
        name,
        "-u submits through a ring, which has no completion routines; omit -x, or omit -u",
    );
    let mut ways = HashMap::new();
    let mut paths = span
        .targets
        .iter()
        .map(|target| (target.path.as_str(), target.bypass));
    if let Some((path, _)) = paths.find(|(path, way)| *ways.entry(*path).or_insert(*way) != *way) {
        let why = "this target is bypassed in different ways; specify one BypassIO for all targets of a name";
        rules.break_in(path, why);
    }
    if span.completions_max.is_none() {
        return;
    }
    rules.unless(
        span.completion_routines,
        name,
        "-oc limits what is taken from a completion port, and -x uses none; omit one",
    );
    let all_mapped = span.targets.iter().all(|target| target.mapped.is_some());
    rules.unless(
        all_mapped && !span.targets.is_empty(),
        name,
        "-oc limits how many completions are taken at once, and mapped I/O (-Sm) has none; omit one",
    );
}

fn check_target(span: &TimeSpan, target: &Target, purpose: Purpose, rules: &mut Rules) {
    let place = target.path.as_str();
    if purpose == Purpose::Run {
        rules.unless(
            place.is_empty(),
            "a target",
            "read an empty name; specify a file or a device",
        );
        rules.unless(
            place.starts_with('*'),
            place,
            "this is a template; specify the target on the command line, or print the profile with -Rp (a file of \
            this name is ./*name)",
        );
    }
    check_numbers(target, rules);
    check_access(span, target, rules);
    check_cache(span, target, rules);
    check_bypass(target, rules);
    check_pace(span, target, rules);
    check_pool(span, target, rules);
}

fn check_numbers(target: &Target, rules: &mut Rules) {
    let place = target.path.as_str();
    let Target {
        block_bytes,
        base_bytes,
        max_bytes,
        ..
    } = *target;
    rules.unless(
        block_bytes == 0,
        place,
        "a block of 0 bytes moves nothing; specify -b with at least 1",
    );
    rules.unless(
        target.request_count == 0,
        place,
        "0 outstanding I/Os move nothing; specify -o with at least 1",
    );
    rules.unless(
        target.request_count > REQUESTS_MAX,
        place,
        "-o is at most 65536 outstanding I/Os",
    );
    rules.unless(
        target.threads == 0,
        place,
        "0 threads move nothing; specify -t with at least 1",
    );
    rules.unless(target.write_percent > 100, place, "must be at most 100 %");
    rules.unless(
        target.random_percent > 100,
        place,
        "a share of random I/O is at most 100 %",
    );
    rules.unless(
        !(1..=3).contains(&target.io_priority),
        place,
        "an I/O priority is 1 (very low), 2 (low) or 3 (normal)",
    );
    if max_bytes != 0 && max_bytes <= base_bytes {
        let why = format!(
            "the end (-f, or the length of -B: {max_bytes}) is not behind the base (-B: {base_bytes}); both are counted in bytes \
             from the start of the target"
        );
        rules.break_in(place, why);
    }
    if let Content::Source { bytes, .. } = target.content
        && bytes < u64::from(block_bytes)
    {
        let why = format!(
            "the buffer of -Z has {bytes} bytes and a block {block_bytes}; it has at least a block. -Z alone writes zeros, -Zr new \
             random data"
        );
        rules.break_in(place, why);
    }
}

fn check_access(span: &TimeSpan, target: &Target, rules: &mut Rules) {
    let place = target.path.as_str();
    let stride = target.thread_stride_bytes > 0;
    let spread = target.distribution != Distribution::Uniform;
    if target.random_percent > 0 {
        rules.unless(
            stride,
            place,
            "-T spreads sequential threads, and this is random I/O; omit one",
        );
        rules.unless(
            target.interlocked,
            place,
            "-si is sequential and -r random; use one",
        );
        rules.unless(
            target.parallel_async,
            place,
            "-p walks sequences, and this is random I/O; omit one",
        );
        if let Some(why) = distribution::problem(&target.distribution, target.block_bytes) {
            rules.break_in(place, why);
        }
        return;
    }
    let several = span.thread_count > 1 || target.threads > 1;
    rules.unless(
        spread,
        place,
        "-rd distributes random I/O, and this is sequential; add -r or -rs",
    );
    rules.unless(
        target.interlocked && stride,
        place,
        "-si shares one position and -T gives each thread its own; use one",
    );
    rules.unless(
        target.interlocked && target.parallel_async,
        place,
        "-si shares one position and -p has one for each I/O; use one",
    );
    rules.unless(
        !target.interlocked && !several && stride,
        place,
        "-T is the distance between threads, and there is one thread; add -t, or omit it",
    );
    if target.parallel_async && target.request_count == 1 {
        rules.notes.push(Note::new(
            place,
            "-p changes nothing with one outstanding I/O",
        ));
    }
    if target.interlocked && !several {
        rules
            .notes
            .push(Note::new(place, "-si changes nothing with one thread"));
    }
    if !target.interlocked && several && !stride {
        rules.notes.push(Note::new(
            place,
            "each thread reads or writes the same blocks in sequence, so the whole is not sequential; consider -si",
        ));
    }
}

fn check_cache(span: &TimeSpan, target: &Target, rules: &mut Rules) {
    let place = target.path.as_str();
    let mapped = target.mapped.is_some();
    rules.unless(
        mapped && target.cache == Cache::Unbuffered,
        place,
        "mapped I/O (-Sm) goes through the system's cache; omit -Su, -Sh and -h",
    );
    rules.unless(
        mapped && span.completion_routines,
        place,
        "mapped I/O (-Sm) has no completions; leave -x out",
    );
    rules.unless(
        mapped && span.ring.is_some(),
        place,
        "mapped I/O (-Sm) is not submitted; omit -u",
    );
}

fn check_bypass(target: &Target, rules: &mut Rules) {
    let place = target.path.as_str();
    if target.bypass.is_none() {
        return;
    }
    rules.unless(
        target.mapped.is_some(),
        place,
        "-Sy and -SY bypass filters of reads, and mapped I/O (-Sm) reads pages; omit one",
    );
    rules.unless(
        target.cache != Cache::Unbuffered && target.mapped.is_none(),
        place,
        "-Sy and -SY need unbuffered I/O; add u to -S",
    );
    rules.unless(
        target.write_percent > 0,
        place,
        "-Sy and -SY are for reads, and this writes; omit -w, or omit the letter y",
    );
}

fn check_pace(span: &TimeSpan, target: &Target, rules: &mut Rules) {
    let place = target.path.as_str();
    let limited = target.throughput != Throughput::Free;
    rules.unless(
        limited && span.completion_routines,
        place,
        "-g cannot limit the rate with -x; omit one",
    );
    let Target {
        burst_ios,
        think_ms,
        ..
    } = *target;
    if (burst_ios == 0) != (think_ms == 0) {
        let why = format!(
            "a burst (-i: {burst_ios} I/Os) and the pause after it (-j: {think_ms} ms) belong together; specify both \
            above 0"
        );
        rules.break_in(place, why);
    }
}

fn check_pool(span: &TimeSpan, target: &Target, rules: &mut Rules) {
    let place = target.path.as_str();
    if span.thread_count == 0 || span.request_count == 0 {
        let lists = !target.thread_targets.is_empty();
        rules.unless(
            lists,
            place,
            "ThreadTargets needs a pool: ThreadCount and RequestCount above 0",
        );
        return;
    }
    let limited = target.throughput != Throughput::Free;
    rules.unless(
        limited,
        place,
        "-g limits the rate of each thread, and -F with -O share all I/Os; omit one",
    );
    rules.unless(
        target.think_ms > 0,
        place,
        "-i and -j pause a thread, and -F with -O share all I/Os; omit one",
    );
    rules.unless(
        target.parallel_async,
        place,
        "-p walks a sequence for each I/O, and -F with -O share all I/Os; omit one",
    );
    rules.unless(
        target.weight == 0,
        place,
        "a weight of 0 gives the target no I/O; specify at least 1",
    );
    let count = span.thread_count;
    if let Some((thread, _)) = target
        .thread_targets
        .iter()
        .find(|(thread, _)| *thread >= count)
    {
        rules.break_in(
            place,
            format!(
                "ThreadTarget names thread {thread}; the pool has threads 0 to {}",
                count - 1
            ),
        );
    }
}
