//! The options of a campaign.

use attack::Options;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const USAGE: &str = "\
attack PROGRAM [--minutes N] [--seed N] [--jobs N] [--only KIND] [--case N]
  --minutes N   for how long attempts are begun, 30 unless specified
  --seed N      same seed, same attempts; from the clock unless specified
  --jobs N      attempts at the same time, 2 unless specified
  --only KIND   one kind alone
  --case N      the attempt with this number alone";

/// Reads the words after the program's name; the error names the wrong word.
pub(crate) fn read(words: &[String]) -> Result<Options, String> {
    let mut words = words.iter();
    let program = words.next().ok_or("missing PROGRAM")?;
    let mut options = Options {
        program: PathBuf::from(program),
        time: Duration::from_secs(30 * 60),
        seed: seed_of_clock(),
        jobs: 2,
        only: None,
        case: None,
    };
    while let Some(option) = words.next() {
        let value = words.next().ok_or(format!("missing value for {option}"))?;
        let number = || {
            let invalid = format!("invalid value '{value}' for {option}: must be a whole number");
            value.parse::<u64>().map_err(|_| invalid)
        };
        match option.as_str() {
            "--minutes" => options.time = Duration::from_secs(number()? * 60),
            "--seconds" => options.time = Duration::from_secs(number()?),
            "--seed" => options.seed = number()?,
            "--jobs" => options.jobs = number()?.clamp(1, 16) as u32,
            "--only" => options.only = Some(kind(value)?),
            "--case" => options.case = Some(number()?),
            _ => return Err(format!("unknown option '{option}'")),
        }
    }
    Ok(options)
}

fn kind(name: &str) -> Result<String, String> {
    let names: Vec<&str> = attack::kinds().collect();
    match names.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(format!(
            "invalid value '{name}' for --only: must be one of {}",
            names.join(", ")
        )),
    }
}

#[allow(clippy::disallowed_methods, reason = "any number will do")]
fn seed_of_clock() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |now| now.as_nanos() as u64 % 1_000_000_007)
}
