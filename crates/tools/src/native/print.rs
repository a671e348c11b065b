//! Timespan → the command line that repeats it.
//!
//! Every value is printed, defaults too: a default may change in a later version, a printed line must not.
//! Deliberately absent: quoting for a shell (the code that shows the line knows the shell), and consent to write:
//! to repeat a run, the user confirms again.

use super::build::{CACHE_MODES, build};
use super::{EngineText, PlaceText, Request, TimeText, VerifyText, WorkText, lines};
use model::{
    Access, CacheMode, Location, NullBehaviour, OnError, PermutedAccess, Ratio, Target, Timespan,
    WriteContent,
};
use std::path::PathBuf;

/// The words of the command line, program first; `None` for a timespan that `fathom run` cannot express: targets
/// that differ in their work, several simulated devices, a path given twice, a name that is not text, what only another
/// dialect can express.
pub fn print(span: &Timespan) -> Option<Vec<String>> {
    let request = restate(span)?;
    let mut words = vec!["fathom".to_owned(), "run".to_owned()];
    let Request {
        targets,
        work,
        place,
        verify,
        time,
        engine,
    } = request;
    print_work(work, &mut words);
    print_place(place, &mut words);
    print_verify(verify, &mut words);
    print_time(time, &mut words);
    print_engine(engine, &mut words);
    if targets.iter().any(|path| begins_with_dash(path)) {
        words.push("--".to_owned());
    }
    let names: Option<Vec<String>> = targets
        .into_iter()
        .map(|path| path.into_os_string().into_string().ok())
        .collect();
    words.extend(names?);
    Some(words)
}

/// The request that means this timespan, where there is one: it is read back before it is given out.
pub fn restate(span: &Timespan) -> Option<Request> {
    let first = span.targets.first()?;
    let null = match first.location {
        Location::Null(behaviour) => Some(behaviour),
        Location::Path(_) | Location::Simulated(_) => None,
    };
    let request = Request {
        targets: span
            .targets
            .iter()
            .filter_map(|target| match &target.location {
                Location::Path(path) => Some(path.clone()),
                Location::Null(_) => None,
                Location::Simulated(device) => Some(PathBuf::from(device.to_string())),
            })
            .collect(),
        work: restate_work(first)?,
        place: restate_place(first)?,
        verify: super::verify::restate(&first.verify),
        time: TimeText {
            duration: span.phases.measured.to_string(),
            warmup: span.phases.warmup.to_string(),
            cooldown: span.phases.cooldown.to_string(),
            interval: Some(span.interval.to_string()),
            rate: span.arrivals.map(|arrivals| arrivals.per_s.to_string()),
            arrivals: span
                .arrivals
                .map(|arrivals| arrivals.spacing.name().to_owned()),
        },
        engine: restate_engine(span, null),
    };
    let means = build(&request).ok()?.profile;
    (means.timespans.len() == 1 && means.timespans[0] == *span).then_some(request)
}

fn restate_work(target: &Target) -> Option<WorkText> {
    let workload = &target.workload;
    let share = |which: fn(Ratio, Ratio) -> Ratio| match target.content {
        WriteContent::Shaped { compress, dedupe } => Some(which(compress, dedupe).to_string()),
        _ => None,
    };
    Some(WorkText {
        block: match &workload.access {
            Access::Mixed(mixed) => lines::print(mixed),
            _ => workload.block.to_string(),
        },
        depth: workload.queue_depth.to_string(),
        threads: target.threads.to_string(),
        write: workload.write.to_string(),
        compress: share(|compress, _| compress),
        dedupe: share(|_, dedupe| dedupe),
        pattern: match workload.access {
            Access::Random | Access::Mixed(_) => "random".to_owned(),
            Access::Sequential => "sequential".to_owned(),
            Access::Permuted(PermutedAccess::Shared) => "permuted".to_owned(),
            Access::Skewed(skew) => skew.to_string(),
            Access::Permuted(PermutedAccess::Each)
            | Access::Diskspd(_)
            | Access::Stripe(_)
            | Access::Runs { .. }
            | Access::Recorded(_) => return None,
        },
    })
}

fn restate_place(target: &Target) -> Option<PlaceText> {
    let cache: CacheMode = target.cache;
    let every = |data_only: bool| {
        let asked = target.fsync.every > 0 && target.fsync.data_only == data_only;
        asked.then(|| target.fsync.every.to_string())
    };
    let word = CACHE_MODES.iter().find(|(_, mode)| *mode == cache)?.0;
    Some(PlaceText {
        base: target.base.to_string(),
        length: target.length.map(|length| length.to_string()),
        create: target.create.map(|size| size.to_string()),
        cache: word.to_owned(),
        drop_cache: target.drop_cache,
        write_through: target.write_through,
        fsync: every(false),
        fdatasync: every(true),
        end_fsync: target.fsync.at_end,
    })
}

fn restate_engine(span: &Timespan, null: Option<NullBehaviour>) -> EngineText {
    EngineText {
        engine: span.engine.to_string(),
        poll: span.polling.completions,
        sqpoll: span.polling.submissions,
        cores: span.placement.to_string(),
        seed: Some(span.seed.to_string()),
        continue_on_error: span.on_error == OnError::Continue,
        null_size: null.map(|null| null.size.to_string()),
        null_delay: null.map(|null| null.delay.to_string()),
        null_error_every: null.map(|null| null.error_every.to_string()),
    }
}

fn print_work(text: WorkText, words: &mut Vec<String>) {
    let WorkText {
        block,
        depth,
        threads,
        write,
        pattern,
        compress,
        dedupe,
    } = text;
    option("-b", Some(block), words);
    option("-o", Some(depth), words);
    option("-t", Some(threads), words);
    option("-w", Some(write), words);
    option("--pattern", Some(pattern), words);
    option("--compress", compress, words);
    option("--dedupe", dedupe, words);
}

fn print_place(text: PlaceText, words: &mut Vec<String>) {
    let PlaceText {
        base,
        length,
        create,
        cache,
        drop_cache,
        write_through,
        fsync,
        fdatasync,
        end_fsync,
    } = text;
    option("--base", Some(base), words);
    option("--length", length, words);
    option("--create", create, words);
    option("--cache", Some(cache), words);
    flag("--drop-cache", drop_cache, words);
    flag("--write-through", write_through, words);
    option("--fsync", fsync, words);
    option("--fdatasync", fdatasync, words);
    flag("--end-fsync", end_fsync, words);
}

fn print_verify(text: VerifyText, words: &mut Vec<String>) {
    let VerifyText {
        verify,
        read_back,
        no_end_pass,
        memory,
        stop,
    } = text;
    option("--verify", verify, words);
    option("--read-back", read_back, words);
    flag("--no-end-pass", no_end_pass, words);
    option("--verify-memory", memory, words);
    flag("--stop-on-corruption", stop, words);
}

fn print_time(text: TimeText, words: &mut Vec<String>) {
    let TimeText {
        duration,
        warmup,
        cooldown,
        interval,
        rate,
        arrivals,
    } = text;
    option("-d", Some(duration), words);
    option("--warmup", Some(warmup), words);
    option("--cooldown", Some(cooldown), words);
    option("--interval", interval, words);
    option("--rate", rate, words);
    option("--arrivals", arrivals, words);
}

fn print_engine(text: EngineText, words: &mut Vec<String>) {
    let EngineText {
        engine,
        poll,
        sqpoll,
        cores,
        seed,
        continue_on_error,
        null_size,
        null_delay,
        null_error_every,
    } = text;
    option("--engine", Some(engine), words);
    flag("--poll", poll, words);
    flag("--sqpoll", sqpoll, words);
    option("--cores", Some(cores), words);
    option("--seed", seed, words);
    flag("--continue-on-error", continue_on_error, words);
    option("--null-size", null_size, words);
    option("--null-delay", null_delay, words);
    option("--null-error-every", null_error_every, words);
}

fn option(name: &str, value: Option<String>, words: &mut Vec<String>) {
    if let Some(value) = value {
        words.extend([name.to_owned(), value]);
    }
}

fn flag(name: &str, said: bool, words: &mut Vec<String>) {
    if said {
        words.push(name.to_owned());
    }
}

fn begins_with_dash(path: &std::path::Path) -> bool {
    path.as_os_str().as_encoded_bytes().first() == Some(&b'-')
}
