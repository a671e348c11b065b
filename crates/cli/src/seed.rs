//! The seed of a run that specifies none: drawn, so that two runs read different blocks and are independent.
//!
//! A cache has what the run before read, so that a run with the same offsets measures the cache. The seed is stored with the
//! run, and `--seed` repeats it. A simulated device has no cache that outlives a run, and its figures are those of its seed:
//! there the seed is 0, so that the same line prints the same figures. Omitted: other tools' command lines, whose seed is
//! the original's.

use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use tools::native;

/// Returns the words of a command with the seed that was drawn for it, so that they repeat it: its runs have seeds that are
/// derived from this one.
pub(crate) fn recorded(mut words: Vec<String>, command: &str, seed: Option<&str>) -> Vec<String> {
    let is_there = |word: &String| word == "--seed" || word.starts_with("--seed=");
    let seed = seed.filter(|seed| *seed != native::SEED && !words.iter().any(is_there));
    let place = words.iter().position(|word| word == command);
    if let (Some(seed), Some(place)) = (seed, place) {
        let at = place + 1;
        words.splice(at..at, ["--seed".to_owned(), seed.to_owned()]);
    }
    words
}

/// Returns the seed of a request as text: the one that was given, else one that its targets need.
pub(crate) fn chosen<'a>(
    given: Option<&str>,
    targets: impl IntoIterator<Item = &'a Path>,
) -> String {
    if let Some(given) = given {
        return given.to_owned();
    }
    let mut targets = targets.into_iter().peekable();
    let simulated = |target: &Path| target.to_string_lossy().starts_with("sim:");
    match targets.peek().is_some() && targets.all(simulated) {
        true => native::SEED.to_owned(),
        false => drawn().to_string(),
    }
}

/// Draws a seed that is short enough to be typed. Cells, repeats and ranks add to it.
fn drawn() -> u64 {
    RandomState::new().hash_one(std::process::id()) >> u32::BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(given: Option<&str>, targets: &[&str]) -> String {
        chosen(given, targets.iter().map(Path::new))
    }

    #[test]
    fn a_seed_is_drawn_where_none_is_given_and_a_target_is_real() {
        let seeds: Vec<String> = (0..4).map(|_| of(None, &["/dev/x", "sim:ssd"])).collect();
        assert!(seeds.windows(2).any(|two| two[0] != two[1]), "{seeds:?}");
        assert!(seeds.iter().all(|seed| seed.parse::<u32>().is_ok()));
        assert_eq!(of(Some("7"), &["/dev/x"]), "7");
        assert_eq!(of(None, &["sim:ssd", "sim:hdd"]), "0");
    }

    #[test]
    fn the_words_of_a_command_repeat_it() {
        let words =
            |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
        let seeded = |line: &str, seed| recorded(words(line), "survey", Some(seed)).join(" ");
        let line = "fathom survey -- -f";
        assert_eq!(seeded(line, "7"), "fathom survey --seed 7 -- -f");
        assert_eq!(seeded(line, "0"), line);
        assert_eq!(
            seeded("fathom survey --seed=7 f", "7"),
            "fathom survey --seed=7 f"
        );
    }
}
