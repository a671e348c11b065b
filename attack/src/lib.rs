//! Attacks the built program for a given time and prints how many attempts it withstood.
//!
//! An attempt is drawn by seed: a kind from `KINDS`, then foreign data, a target, a command and a moment. It is
//! resisted when every foreign byte is unchanged, no run that was reported as stored is missing, and the program
//! neither hung, crashed nor took more memory than its bound. Each attempt can be repeated alone by its kind and
//! number. Omitted: the list of known attacks, which are tests of the program (`crates/cli/tests/it/attacks`).

#![allow(clippy::print_stdout, reason = "a campaign reports to the terminal")]

mod corruptions;
mod device_races;
mod dice;
mod folder_races;
mod foreign;
mod hostile;
mod kills;
mod name_races;
mod outputs;
mod program;
mod ranks;
mod surroundings;
mod victims;

use dice::Dice;
use program::Program;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One way to attack: a file of this folder and a row of [`KINDS`].
struct Kind {
    name: &'static str,
    /// Attempts of this kind for each round of all kinds.
    weight: u32,
    attempt: fn(&Program, &mut Dice) -> Result<Outcome, AttackError>,
}

const KINDS: &[Kind] = &[
    kind("foreign", 4, foreign::attempt),
    kind("outputs", 3, outputs::attempt),
    kind("name-races", 2, name_races::attempt),
    kind("folder-races", 1, folder_races::attempt),
    kind("device-races", 1, device_races::attempt),
    kind("kills", 2, kills::attempt),
    kind("corruptions", 2, corruptions::attempt),
    kind("hostile", 4, hostile::attempt),
    kind("surroundings", 4, surroundings::attempt),
    kind("ranks", 2, ranks::attempt),
];

const fn kind(
    name: &'static str,
    weight: u32,
    attempt: fn(&Program, &mut Dice) -> Result<Outcome, AttackError>,
) -> Kind {
    Kind {
        name,
        weight,
        attempt,
    }
}

/// How an attempt ended.
enum Outcome {
    Held,
    /// What was damaged or went wrong, with the command.
    Broken(String),
    /// This machine lacks something that the attempt needs.
    Skipped(String),
}

/// The campaign itself failed; the program under attack is not to blame.
#[derive(Debug, thiserror::Error)]
pub enum AttackError {
    /// A template could not be created.
    #[error("{0}")]
    Setup(String),
    /// A system call of the campaign failed.
    #[error("{0}")]
    System(#[from] std::io::Error),
}

impl From<rustix::io::Errno> for AttackError {
    fn from(error: rustix::io::Errno) -> Self {
        AttackError::System(error.into())
    }
}

/// Counts of one kind.
#[derive(Default)]
struct Count {
    tried: u64,
    held: u64,
    skipped: u64,
    reason: Option<String>, // of the last skip
    broken: Vec<String>,
}

/// What to attack and for how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program under attack.
    pub program: PathBuf,
    /// For how long attempts are begun.
    pub time: Duration,
    /// Same seed, same attempts.
    pub seed: u64,
    /// Attempts at the same time. // in [1, 16]
    pub jobs: u32,
    /// One kind alone, by its name.
    pub only: Option<String>,
    /// The attempt with this number alone.
    pub case: Option<u64>,
}

/// The names of the kinds.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.name)
}

/// Runs a campaign and prints its counts; returns whether every attempt was resisted.
///
/// # Errors
/// The program cannot be started, or the templates of the attempts cannot be created.
pub fn campaign(options: &Options) -> Result<bool, AttackError> {
    let program = Program::prepare(&options.program)?;
    let counts: Mutex<BTreeMap<&'static str, Count>> = Mutex::default();
    let next = AtomicU64::new(0);
    let begun = now();
    println!("attack: seed {}", options.seed);
    std::thread::scope(|scope| {
        let work = || {
            while options.case.is_none() && begun.elapsed() < options.time {
                let number = next.fetch_add(1, Ordering::Relaxed);
                attempt(&program, options, pick(options, number), number, &counts);
            }
        };
        let workers: Vec<_> = (0..options.jobs).map(|_| scope.spawn(work)).collect();
        drop(workers);
    });
    if let Some(number) = options.case {
        attempt(&program, options, pick(options, number), number, &counts);
    }
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(report(&counts, begun.elapsed()))
}

/// The kind of the attempt with this number: kinds follow each other by weight.
fn pick(options: &Options, number: u64) -> &'static Kind {
    let allowed = |kind: &&Kind| options.only.as_deref().is_none_or(|only| only == kind.name);
    let weighted: Vec<&Kind> = KINDS
        .iter()
        .filter(allowed)
        .flat_map(|kind| std::iter::repeat_n(kind, kind.weight as usize))
        .collect();
    weighted[(number % weighted.len() as u64) as usize]
}

fn attempt(
    program: &Program,
    options: &Options,
    kind: &'static Kind,
    number: u64,
    counts: &Mutex<BTreeMap<&'static str, Count>>,
) {
    let mut dice = Dice::new(options.seed, number);
    let outcome = (kind.attempt)(program, &mut dice);
    let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
    let count = counts.entry(kind.name).or_default();
    match outcome {
        Ok(Outcome::Held) => {
            count.tried += 1;
            count.held += 1;
        }
        Ok(Outcome::Skipped(reason)) => {
            count.skipped += 1;
            count.reason = Some(reason);
        }
        Ok(Outcome::Broken(what)) => {
            count.tried += 1;
            let only = options.only.as_ref().map(|only| format!(" --only {only}"));
            let only = only.unwrap_or_default();
            println!(
                "BROKEN {}: {what}\n  again: cargo xtask attack --seed {}{only} --case {number}",
                kind.name, options.seed
            );
            count.broken.push(what);
        }
        Err(error) => {
            count.skipped += 1;
            count.reason = Some(error.to_string());
        }
    }
}

fn report(counts: &BTreeMap<&'static str, Count>, took: Duration) -> bool {
    let mut all = (0, 0);
    for (name, count) in counts {
        let skipped = match (&count.reason, count.skipped) {
            (Some(reason), 1..) => format!(", {} skipped ({reason})", count.skipped),
            _ => String::new(),
        };
        println!(
            "attack: {name}: {} tried, {} resisted{skipped}",
            count.tried, count.held
        );
        all.0 += count.tried;
        all.1 += count.held;
    }
    println!(
        "attack: {} tried, {} resisted in {} s",
        all.0,
        all.1,
        took.as_secs()
    );
    all.0 > 0 && all.0 == all.1
}

/// The clock that limits the campaign and its attempts.
#[allow(clippy::disallowed_methods, reason = "a limit, not a measurement")]
fn now() -> Instant {
    Instant::now()
}
