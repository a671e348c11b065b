//! On which cores threads run, and how that is expressed.

use super::core_order::CoreOrder;
use crate::UnitError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// More than any kernel is built for.
const CORES_MAX: u32 = 8192;

/// On which cores the threads run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// Where the system puts them.
    #[default]
    Free,
    /// Each on one of the cores that this process may use, in ascending order, round robin.
    RoundRobin,
    /// Each on a physical core of its own as long as there are any, those on the memory node of its device first.
    Near,
    /// Each on one of these, round robin. // never empty; each may be used by this process
    Cores(Vec<u32>),
    /// Each on any of the cores of its own list, the lists round robin; an empty list leaves it to the system. Called
    /// elsewhere: affinity masks. // never empty; each core may be used by this process
    Masks(Vec<Vec<u32>>),
    /// Each on one of these, round robin in an order by hardware threads, groups and classes of cores.
    Ordered(CoreOrder),
}

/// The words that mean one thing.
const WORDS: [(&str, Placement); 3] = [
    ("free", Placement::Free),
    ("near", Placement::Near),
    ("in-turn", Placement::RoundRobin),
];

impl FromStr for Placement {
    type Err = UnitError;

    /// A word, or a list: `0-3,8`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some((_, placement)) = WORDS.iter().find(|(word, _)| *word == text) {
            return Ok(placement.clone());
        }
        cores(text).map(Placement::Cores).ok_or_else(|| UnitError {
            read: text.to_owned(),
            accepted: "must be free (the system places threads), near (a core per thread, near its device), in-turn (all allowed cores, in order), or a list: 0-3,8",
        })
    }
}

fn cores(list: &str) -> Option<Vec<u32>> {
    let mut cores = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse::<u32>().ok()).flatten()
        };
        let (first, last) = (number(first)?, number(last)?);
        if first > last || last >= CORES_MAX || cores.len() > CORES_MAX as usize {
            return None;
        }
        cores.extend(first..=last);
    }
    Some(cores)
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = WORDS.iter().find(|(_, placement)| placement == self);
        match (word, self) {
            (None, Placement::Cores(cores)) => {
                let each: Vec<String> = cores.iter().map(u32::to_string).collect();
                f.write_str(&each.join(","))
            }
            (None, Placement::Masks(lists)) => {
                let one = |cores: &Vec<u32>| {
                    let each: Vec<String> = cores.iter().map(u32::to_string).collect();
                    each.join("+")
                };
                f.write_str(&lists.iter().map(one).collect::<Vec<_>>().join(","))
            }
            (None, Placement::Ordered(order)) => order.fmt(f),
            (word, _) => f.write_str(word.expect("every other placement has a word").0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_lists_are_read_and_written() {
        for (text, written) in [
            ("free", "free"),
            ("near", "near"),
            ("in-turn", "in-turn"),
            ("0-2,7", "0,1,2,7"),
            ("5", "5"),
        ] {
            let placement: Placement = text.parse().unwrap();
            assert_eq!(placement.to_string(), written);
            assert_eq!(written.parse(), Ok(placement));
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in ["", "a", "3-1", "1,", "-1", "0-99999999", "+1", "1 2"] {
            let reported = text.parse::<Placement>().unwrap_err();
            assert!(reported.accepted.contains("0-3,8"), "{text}");
        }
    }
}
