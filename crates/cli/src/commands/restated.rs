//! The command that repeats a stored run, and the request that it came from.

use host::identity_at;
use model::{
    Allocation, BeyondEnd, Bytes, Location, Nanos, RunRecord, Target, TargetFacts, TargetKind,
    Timespan, shell_word,
};
use tools::native::{self, Request, TimeText};

/// The same line bare, as a POSIX shell reads it; `None` if our options cannot express the run.
pub(crate) fn command_of(record: &RunRecord) -> Option<String> {
    let words = native::restate(&as_asked(record)).and_then(|request| {
        let span = as_asked(record);
        let unsaid = Request {
            time: TimeText {
                interval: None,
                ..request.time.clone()
            },
            ..request
        };
        let built = native::build(&unsaid).ok()?.profile;
        let words = native::print(&span)?;
        let usual_interval = built.timespans == [span];
        Some(without_usual(words, usual_interval))
    })?;
    let words: Vec<String> = words.iter().map(shell_word).collect();
    Some(words.join(" "))
}

/// Omits an option with its default value.
fn without_usual(words: Vec<String>, usual_interval: bool) -> Vec<String> {
    const USUAL: [(&str, &str); 15] = [
        ("-b", native::BLOCK),
        ("-o", native::DEPTH),
        ("-t", native::THREADS),
        ("-w", native::WRITE),
        ("--pattern", native::PATTERN),
        ("--base", native::BASE),
        ("--cache", native::CACHE),
        ("-d", native::DURATION),
        ("--warmup", native::WARMUP),
        ("--cooldown", native::COOLDOWN),
        ("--engine", native::ENGINE),
        ("--seed", native::SEED),
        ("--null-size", native::NULL_SIZE),
        ("--null-delay", native::NULL_DELAY),
        ("--null-error-every", native::NULL_ERROR_EVERY),
    ];
    let mut kept: Vec<String> = Vec::new();
    let mut rest = words.into_iter().peekable();
    while let Some(word) = rest.next() {
        let usual = |value: &String| {
            let default = USUAL.contains(&(word.as_str(), value.as_str()));
            default || (word == "--interval" && usual_interval)
        };
        // What follows this word is a name, in any form.
        if word == "--" {
            kept.push(word);
            kept.extend(rest);
            break;
        }
        if rest.next_if(usual).is_none() {
            kept.push(word);
        }
    }
    kept
}

/// The request that this run came from, as far as it still matters: its files are there.
pub(crate) fn as_asked(record: &RunRecord) -> Timespan {
    let plan = &record.plan;
    let targets = plan.targets.iter().zip(&record.targets);
    let targets = targets.map(|(planned, facts)| {
        let to_the_end = Bytes(facts.size.0.saturating_sub(planned.base.0));
        let whole = to_the_end.floor_to(planned.workload.block) == planned.length;
        Target {
            location: absolute(&planned.location, facts),
            base: planned.base,
            length: (!whole).then_some(planned.length),
            create: None,
            create_exactly: false,
            allocation: Allocation::default(),
            cache: planned.cache,
            fsync: planned.fsync,
            drop_cache: planned.drop_cache,
            drop_cache_every: planned.drop_cache_every,
            write_through: planned.write_through,
            beyond_end: BeyondEnd::default(),
            mapped: planned.mapped,
            engine: planned.engine,
            content: planned.content.clone(),
            pacing: planned.pacing,
            bounds: planned.bounds,
            zones: planned.zones,
            active: planned.active,
            priority: planned.priority,
            hint: planned.hint,
            large_pages: planned.large_pages,
            weight: planned.weight,
            pool_threads: planned.pool_threads.clone(),
            verify: planned.verify,
            amount: planned.amount,
            threads: planned.threads,
            workload: planned.workload.clone(),
        }
    });
    Timespan {
        start_delay: Nanos(0),
        end_with_first: plan.end_with_first,
        phases: plan.phases,
        interval: plan.interval,
        seed: plan.seed,
        engine: plan.engine,
        on_error: plan.on_error,
        pool: plan.pool,
        placement: plan.placement.clone(),
        arrivals: plan.arrivals,
        polling: plan.polling,
        queueing: plan.queueing,
        targets: targets.collect(),
    }
}

/// A name that was given from the folder of the run means another file in the folder of the caller: it stays as it was
/// given unless it still leads to what was measured.
fn absolute(location: &Location, measured: &TargetFacts) -> Location {
    match location {
        Location::Path(path) => {
            let there = || identity_at(path).ok();
            let another = measured.kind == TargetKind::File && there() != measured.identity;
            Location::Path(match another {
                true => path.clone(),
                false => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
            })
        }
        Location::Null(_) | Location::Simulated(_) => location.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_usual_is_not_said() {
        let words =
            |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
        let line =
            "fathom run -b 4K -o 8 -d 10s --interval 100ms --write-through --seed 0 -- -b 4K";
        assert_eq!(
            without_usual(words(line), false),
            words("fathom run -o 8 --interval 100ms --write-through -- -b 4K")
        );
        assert_eq!(
            without_usual(words("fathom run --interval 1s f"), true),
            words("fathom run f")
        );
    }

    #[test]
    fn a_name_that_leads_elsewhere_by_now_stays_as_it_was_given() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, "x").unwrap();
        let mut facts = host::target_facts(&host::Root::live(), &path);
        assert_eq!(facts.kind, TargetKind::File);
        let given = Location::Path("f".into());
        assert_eq!(absolute(&given, &facts), given, "no such file here");
        let whole = Location::Path(path);
        assert_eq!(absolute(&whole, &facts), whole);
        facts.kind = TargetKind::Missing; // the run created it
        assert!(matches!(absolute(&given, &facts), Location::Path(path) if path.is_absolute()));
    }
}
