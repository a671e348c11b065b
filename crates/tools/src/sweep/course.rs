//! In which order cells run, how often, and with which pause: the same words in options and in plans.

use super::problem::Problem;
use crate::refusal::Problems;
use model::{Nanos, Ratio};

/// How cells follow each other. What each means stands in `sweep`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As the matrix gives them, each with its repetitions at once.
    Given,
    /// Pass by pass, each in an order drawn from the seed.
    Shuffled,
    /// Pass by pass, each as the matrix gives it.
    Interleaved,
}

impl Order {
    /// Every order with its name, as help lists them.
    pub const ALL: [(&'static str, Order); 3] = [
        ("given", Order::Given),
        ("shuffled", Order::Shuffled),
        ("interleaved", Order::Interleaved),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let row = Order::ALL.iter().find(|(_, order)| *order == self);
        row.expect("every order has its row in ALL").0
    }
}

/// How often each cell runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// At least. // in [1, 1000]
    pub least: u32,
    /// At most. // at least `least`
    pub most: u32,
    /// Until half the interval of the mean rate is at most this share of it. // 1% to 100%; with it `least` is at least 3
    pub precision: Option<Ratio>,
}

/// The course, as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CourseText {
    /// `--order`.
    pub order: Option<String>,
    /// `--shuffle-seed`.
    pub shuffle_seed: Option<String>,
    /// `--repeat`.
    pub repeat: Option<String>,
    /// `--precision`.
    pub precision: Option<String>,
    /// `--rest`.
    pub rest: Option<String>,
}

/// The course of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Course {
    /// How cells follow each other; `None` by default: measuring shuffles, a script keeps the order given.
    pub order: Option<Order>,
    /// Of the shuffling.
    pub shuffle_seed: u64,
    /// How often each cell runs.
    pub repeat: Repeat,
    /// Pause between a cell and the next.
    pub rest: Nanos,
}

const ORDER_FORM: &str = "must be given, shuffled or interleaved";
const REPEAT_FORM: &str = "must be the number of runs of each cell, 1 to 1000, or with --precision at least and at most: 3..10";
const PRECISION_FORM: &str = "must be a percentage from 1 to 100: 5%";
const SEED_FORM: &str = "must be a whole number from 0 to 18446744073709551615";
/// Fewest runs whose interval is worth looking at: of two it is twelve times as wide as they are apart.
const LEAST_FOR_PRECISION: u32 = 3;
const MOST_FOR_PRECISION: u32 = 10;
const REPEAT_MAX: u32 = 1000;

impl CourseText {
    /// Reads all of it; `place` returns how a field is written there.
    pub(super) fn read(
        &self,
        place: &dyn Fn(&str) -> String,
        problems: &mut Problems<Problem>,
    ) -> Course {
        let CourseText {
            order,
            shuffle_seed,
            repeat,
            precision,
            rest,
        } = self;
        let order = order.as_deref().and_then(|text| {
            let row = Order::ALL.iter().find(|(name, _)| *name == text);
            reported(
                row.map(|(_, order)| *order),
                place("order"),
                text,
                ORDER_FORM,
                problems,
            )
        });
        let shuffle_seed = shuffle_seed.as_deref().map(|text| {
            reported(
                whole(text),
                place("shuffle-seed"),
                text,
                SEED_FORM,
                problems,
            )
            .unwrap_or_default()
        });
        if shuffle_seed.is_some() && order.is_some_and(|order| order != Order::Shuffled) {
            problems.push(Problem::Contradiction {
                place: place("shuffle-seed"),
                why: "nothing is shuffled in this order: omit it, or specify the order shuffled"
                    .to_owned(),
            });
        }
        let rest = rest.as_deref().map(|text| {
            let read = text.parse::<Nanos>();
            let accepted = read.as_ref().err().map_or("", |error| error.accepted);
            reported(
                read.as_ref().ok().copied(),
                place("rest"),
                text,
                accepted,
                problems,
            )
            .unwrap_or_default()
        });
        Course {
            order,
            shuffle_seed: shuffle_seed.unwrap_or_default(),
            repeat: read_repeat(repeat.as_deref(), precision.as_deref(), place, problems),
            rest: rest.unwrap_or_default(),
        }
    }
}

fn read_repeat(
    repeat: Option<&str>,
    precision: Option<&str>,
    place: &dyn Fn(&str) -> String,
    problems: &mut Problems<Problem>,
) -> Repeat {
    let precision = precision.and_then(|text| {
        let read = text
            .parse::<Ratio>()
            .ok()
            .filter(|share| share.as_percent() > 0);
        reported(read, place("precision"), text, PRECISION_FORM, problems)
    });
    let usual = match precision {
        Some(_) => (LEAST_FOR_PRECISION, MOST_FOR_PRECISION),
        None => (1, 1),
    };
    let counts = repeat.and_then(|text| {
        reported(
            read_counts(text),
            place("repeat"),
            text,
            REPEAT_FORM,
            problems,
        )
    });
    let (least, most) = counts.unwrap_or(usual);
    let why = match precision {
        None if least < most => {
            "how often within these bounds is decided by a precision: add --precision 5%, or specify one number"
        }
        Some(_) if least < LEAST_FOR_PRECISION || least == most => {
            "with a precision a cell runs at least 3 times and at most some times more: specify --repeat 3..10"
        }
        _ => {
            return Repeat {
                least,
                most,
                precision,
            };
        }
    };
    problems.push(Problem::Contradiction {
        place: place("repeat"),
        why: why.to_owned(),
    });
    Repeat {
        least,
        most,
        precision,
    }
}

fn read_counts(text: &str) -> Option<(u32, u32)> {
    let count = |text: &str| {
        let number = u32::try_from(whole(text)?).ok()?;
        (1..=REPEAT_MAX).contains(&number).then_some(number)
    };
    let (least, most) = match text.split_once("..") {
        Some((least, most)) => (count(least)?, count(most)?),
        None => (count(text)?, count(text)?),
    };
    (least <= most).then_some((least, most))
}

fn whole(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

fn reported<T>(
    value: Option<T>,
    place: String,
    read: &str,
    accepted: &str,
    problems: &mut Problems<Problem>,
) -> Option<T> {
    if value.is_none() {
        problems.push(Problem::Value {
            place,
            read: read.to_owned(),
            accepted: accepted.to_owned(),
        });
    }
    value
}
