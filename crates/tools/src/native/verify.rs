//! The options of verification: as typed, from there to the plan's words, and back.

use crate::problem::Problem;
use crate::read::Reader;
use model::read_back::{ReadBack, ReadBackDelay};
use model::{Bytes, Nanos, Ratio, Verify, VerifyLevel};

/// What `--verify` accepts, in a sentence.
const FORM: &str =
    "must be off, headers, full, or full with a share of the blocks of 1 to 100: full:50%";

/// What `--read-back` accepts, in a sentence.
const READ_BACK_FORM: &str = "must be a share of 1% to 100%, and a delay of at most 1h or 1048576 I/Os: 10%, 10%:after=5s, 100%:after=64";

/// Comparison of what is read with what was written, as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyText {
    /// `--verify`: `off`, `headers`, `full` or `full:50%`.
    pub verify: Option<String>,
    /// `--read-back`: `10%`, `10%:after=5s` or `10%:after=64`.
    pub read_back: Option<String>,
    /// `--no-end-pass`.
    pub no_end_pass: bool,
    /// `--verify-memory`: a size.
    pub memory: Option<String>,
    /// `--stop-on-corruption`.
    pub stop: bool,
}

/// Reads the options; those that change nothing without `--verify` are refused.
pub(super) fn read(text: &VerifyText, reader: &mut Reader) -> Verify {
    let VerifyText {
        verify,
        read_back,
        no_end_pass,
        memory,
        stop,
    } = text;
    let word = verify.as_deref().unwrap_or("off");
    let (level, bodies) = scope(word).unwrap_or_else(|| {
        reader.refuse(Problem::Value {
            option: "--verify",
            read: word.to_owned(),
            accepted: FORM,
        });
        (VerifyLevel::Full, Ratio::ALL)
    });
    let memory = memory
        .as_deref()
        .and_then(|text| reader.value::<Bytes>("--verify-memory", text));
    let asked_again = read_back.is_some();
    let read_back = read_back.as_deref().and_then(|text| {
        let read = read_again(text);
        if read.is_none() {
            reader.refuse(Problem::Value {
                option: "--read-back",
                read: text.to_owned(),
                accepted: READ_BACK_FORM,
            });
        }
        read
    });
    let further = [
        (asked_again, "--read-back"),
        (*no_end_pass, "--no-end-pass"),
        (memory.is_some(), "--verify-memory"),
        (*stop, "--stop-on-corruption"),
    ];
    for (_, option) in further
        .iter()
        .filter(|(asked, _)| *asked && level == VerifyLevel::Off)
    {
        reader.refuse(Problem::Contradiction {
            option,
            why: "nothing is verified: add --verify full, or omit it",
        });
    }
    Verify {
        level,
        bodies,
        end_pass: !no_end_pass,
        memory,
        stop: *stop,
        read_back,
        evidence: false,
    }
}

/// `10%:after=5s` as a share and a delay: a time, or a number of I/Os where it has no unit.
fn read_again(text: &str) -> Option<ReadBack> {
    let (share, after) = match text.split_once(':') {
        Some((share, after)) => (share, Some(after.strip_prefix("after=")?)),
        None => (text, None),
    };
    let share: Ratio = share.parse().ok()?;
    let after = match after {
        None => ReadBackDelay::Time(ReadBack::TIME),
        Some(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            let ios: u32 = text.parse().ok()?;
            ReadBackDelay::Ios(Some(ios).filter(|ios| *ios <= ReadBack::IOS_MAX)?)
        }
        Some(text) => {
            let time: Nanos = text.parse().ok()?;
            ReadBackDelay::Time(Some(time).filter(|time| *time <= ReadBack::TIME_MAX)?)
        }
    };
    (share != Ratio::NONE).then_some(ReadBack { share, after })
}

fn restate_again(read_back: ReadBack) -> String {
    let ReadBack { share, after } = read_back;
    match after {
        ReadBackDelay::Time(ReadBack::TIME) => format!("{share}%"),
        ReadBackDelay::Time(time) => format!("{share}%:after={time}"),
        ReadBackDelay::Ios(ios) => format!("{share}%:after={ios}"),
    }
}

/// `full:50%` as a level and a share of bodies.
fn scope(text: &str) -> Option<(VerifyLevel, Ratio)> {
    match text {
        "off" => Some((VerifyLevel::Off, Ratio::ALL)),
        "headers" => Some((VerifyLevel::Headers, Ratio::ALL)),
        "full" => Some((VerifyLevel::Full, Ratio::ALL)),
        _ => {
            let share: Ratio = text.strip_prefix("full:")?.parse().ok()?;
            (share != Ratio::NONE).then_some((VerifyLevel::Full, share))
        }
    }
}

/// The options that mean this.
pub(super) fn restate(verify: &Verify) -> VerifyText {
    let Verify {
        level,
        bodies,
        end_pass,
        memory,
        stop,
        read_back,
        evidence: _, // where it goes is not part of the work
    } = *verify;
    VerifyText {
        verify: match level {
            VerifyLevel::Off => None,
            VerifyLevel::Headers => Some("headers".to_owned()),
            VerifyLevel::Full if bodies == Ratio::ALL => Some("full".to_owned()),
            VerifyLevel::Full => Some(format!("full:{bodies}%")),
        },
        read_back: read_back.map(restate_again),
        no_end_pass: !end_pass,
        memory: memory.map(|memory| memory.to_string()),
        stop,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read_and_restated_and_others_are_refused() {
        for (word, level, bodies) in [
            ("headers", VerifyLevel::Headers, 100),
            ("full", VerifyLevel::Full, 100),
            ("full:50%", VerifyLevel::Full, 50),
        ] {
            let text = VerifyText {
                verify: Some(word.to_owned()),
                read_back: None,
                no_end_pass: true,
                memory: Some("1M".to_owned()),
                stop: true,
            };
            let mut reader = Reader::default();
            let read = read(&text, &mut reader);
            reader.finish(()).unwrap();
            assert_eq!((read.level, read.bodies.as_percent()), (level, bodies));
            assert_eq!(read.memory, Some(Bytes::mib(1)));
            assert_eq!(restate(&read), text);
        }
        for word in ["", "on", "full:", "full:0%", "full:101%", "FULL"] {
            assert_eq!(scope(word), None, "{word}");
        }
    }

    #[test]
    fn options_without_effect_are_refused() {
        let text = VerifyText {
            no_end_pass: true,
            memory: Some("1G".to_owned()),
            stop: true,
            read_back: Some("10%".to_owned()),
            ..VerifyText::default()
        };
        let mut reader = Reader::default();
        read(&text, &mut reader);
        assert_eq!(reader.finish(()).unwrap_err().iter().count(), 4);
    }

    #[test]
    fn a_share_that_is_read_again_has_a_time_or_a_number_of_ios() {
        let of = |percent, after| ReadBack {
            share: Ratio::percent(percent).unwrap(),
            after,
        };
        let cases = [
            ("10%", of(10, ReadBackDelay::Time(Nanos::seconds(1)))),
            (
                "100%:after=50ms",
                of(100, ReadBackDelay::Time(Nanos::millis(50))),
            ),
            ("1%:after=0s", of(1, ReadBackDelay::Time(Nanos(0)))),
            ("100%:after=0", of(100, ReadBackDelay::Ios(0))),
            ("5%:after=1048576", of(5, ReadBackDelay::Ios(1 << 20))),
        ];
        for (text, meant) in cases {
            assert_eq!(read_again(text), Some(meant), "{text}");
            assert_eq!(restate_again(meant), text);
        }
        for text in [
            "",
            "0%",
            "101%",
            "10%:",
            "10%:after",
            "10%:after=",
            "10%:after=1.5",
            "10%:after=-1",
            "10%:after=1048577",
            "10%:after=2h",
            "10%:1s",
            "after=1s",
            "10%:after=99999999999999999999",
            "all",
        ] {
            assert_eq!(read_again(text), None, "{text}");
        }
    }
}
