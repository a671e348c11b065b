//! A timespan of fathom's own → a configuration of IOmeter's, if IOmeter can express it.

use super::config::{Config, Cycling, Line, Manager, Spec, Worker};
use model::{Access, Bytes, CacheMode, MixedLine, Pacing, Ratio, Target, Timespan};

const SECTOR: u64 = 512;

/// The configuration, with one worker for each thread.
///
/// # Errors
/// What IOmeter cannot express, each in a sentence.
pub fn restate(span: &Timespan) -> Result<Config, Vec<String>> {
    let mut reported = Vec::new();
    if span.arrivals.is_some() {
        reported.push("a rate: IOmeter has none; a burst with a delay is the nearest".to_owned());
    }
    if span.pool.is_some() {
        reported.push("a pool of threads: IOmeter's workers have targets of their own".to_owned());
    }
    if span.phases.cooldown.0 > 0 {
        reported.push("a cool-down: IOmeter has none".to_owned());
    }
    let mut config = Config {
        version: "1.1.0".to_owned(),
        description: "written by fathom".to_owned(),
        run_s: seconds("the duration", span.phases.measured.0, &mut reported),
        ramp_s: seconds("the warm-up", span.phases.warmup.0, &mut reported),
        depths: Cycling::default(),
        test_type: "NORMAL".to_owned(),
        specs: Vec::new(),
        managers: Vec::new(),
    };
    let mut workers = Vec::new();
    if span.targets.iter().any(|target| !target.active.is_always()) {
        reported.push("a part of the time: IOmeter's workers begin and end together".to_owned());
    }
    for target in &span.targets {
        add(
            target,
            span.seed,
            &mut config.specs,
            &mut workers,
            &mut reported,
        );
    }
    config.managers.push(Manager {
        name: "MANAGER".to_owned(),
        workers,
    });
    match reported.is_empty() {
        true => Ok(config),
        false => Err(reported),
    }
}

fn seconds(what: &str, ns: u64, reported: &mut Vec<String>) -> u64 {
    const SECOND: u64 = 1_000_000_000;
    if !ns.is_multiple_of(SECOND) {
        reported.push(format!("{what}: IOmeter counts in whole seconds"));
    }
    ns / SECOND
}

fn add(
    target: &Target,
    seed: u64,
    specs: &mut Vec<Spec>,
    workers: &mut Vec<Worker>,
    reported: &mut Vec<String>,
) {
    let Some(path) = target.location.path() else {
        return reported.push("the null target: IOmeter needs a disk".to_owned());
    };
    if target.cache == CacheMode::Cached || target.mapped.is_some() {
        reported.push("I/O through the system's cache: IOmeter goes past it".to_owned());
    }
    if target.write_through {
        reported.push("write-through: IOmeter has no such switch".to_owned());
    }
    if !target.base.0.is_multiple_of(SECTOR) {
        reported.push("a base that is no multiple of 512 bytes".to_owned());
    }
    let lines = match lines(target) {
        Ok(lines) => lines,
        Err(why) => return reported.push(why),
    };
    let known = specs
        .iter()
        .find(|spec| spec.lines == lines)
        .map(|spec| spec.name.clone());
    let name = known.unwrap_or_else(|| {
        let name = format!("fathom {}", specs.len() + 1);
        specs.push(Spec {
            name: name.clone(),
            assignment: "NONE".to_owned(),
            lines,
            at: 0,
        });
        name
    });
    let length = target.length.or(target
        .create
        .map(|size| Bytes(size.0.saturating_sub(target.base.0))));
    for _ in 0..target.threads {
        workers.push(Worker {
            name: format!("Worker {}", workers.len() + 1),
            kind: "DISK".to_owned(),
            outstanding: target.workload.queue_depth.0,
            sectors: length.map_or(0, |length| length.0 / SECTOR),
            start: target.base.0 / SECTOR,
            pattern: Some(2),
            seed: (seed > 0).then_some(seed),
            specs: vec![name.clone()],
            targets: vec![path.display().to_string()],
            at: 0,
        });
    }
}

fn lines(target: &Target) -> Result<Vec<Line>, String> {
    let workload = &target.workload;
    let (burst, pause) = match target.pacing {
        Pacing::Free => (1, 0),
        Pacing::Bursts { ios, pause } => (ios, pause.0),
        Pacing::Rate { .. } | Pacing::Ios { .. } => {
            return Err("a rate: IOmeter has bursts with delays".to_owned());
        }
    };
    let plain = |random: Ratio, align: Bytes| {
        vec![MixedLine {
            write: workload.write,
            random,
            align,
            burst,
            pause: model::Nanos(pause),
            ..MixedLine::new(workload.block)
        }]
    };
    let lines = match &workload.access {
        Access::Random => plain(Ratio::ALL, workload.block),
        Access::Sequential => plain(Ratio::NONE, workload.block),
        Access::Mixed(mixed) => mixed.lines.clone(),
        Access::Skewed(_) => {
            return Err("some blocks more often: IOmeter draws each as often".to_owned());
        }
        Access::Permuted(_) => {
            return Err("each block once: IOmeter draws each place".to_owned());
        }
        Access::Stripe(_) => {
            return Err("a stripe: IOmeter is sequential, random or both".to_owned());
        }
        Access::Runs { .. } => {
            return Err("runs of blocks: IOmeter is sequential, random or both".to_owned());
        }
        Access::Recorded(_) => {
            return Err("a trace: IOmeter draws its I/Os".to_owned());
        }
        Access::Diskspd(_) => {
            return Err("a walk of DISKSPD's: IOmeter is sequential, random or both".to_owned());
        }
    };
    let all: u64 = lines.iter().map(|line| u64::from(line.share)).sum();
    lines
        .iter()
        .map(|line| {
            let share = u64::from(line.share) * 100;
            if !share.is_multiple_of(all) {
                return Err("shares that are no whole percents: IOmeter has whole ones".to_owned());
            }
            if !line.pause.0.is_multiple_of(1_000_000) {
                return Err("a pause that is no whole number of milliseconds".to_owned());
            }
            Ok(Line {
                size: line.block.0,
                of_size: (share / all) as u32,
                reads: 100 - line.write.as_percent(),
                random: line.random.as_percent(),
                delay_ms: line.pause.0 / 1_000_000,
                burst: line.burst,
                align: line.align.0,
                reply: 0,
            })
        })
        .collect()
}
