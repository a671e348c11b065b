//! The options of verification: as typed, from there to the plan's words, and back.

use crate::problem::Problem;
use crate::read::Reader;
use model::{Bytes, Ratio, Verify, VerifyLevel};

/// What `--verify` accepts, in a sentence.
const FORM: &str =
    "must be off, headers, full, or full with a share of the blocks of 1 to 100: full:50%";

/// Comparison of what is read with what was written, as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyText {
    /// `--verify`: `off`, `headers`, `full` or `full:50%`.
    pub verify: Option<String>,
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
    let further = [
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
        evidence: false,
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
        evidence: _, // where it goes is not part of the work
    } = *verify;
    VerifyText {
        verify: match level {
            VerifyLevel::Off => None,
            VerifyLevel::Headers => Some("headers".to_owned()),
            VerifyLevel::Full if bodies == Ratio::ALL => Some("full".to_owned()),
            VerifyLevel::Full => Some(format!("full:{bodies}%")),
        },
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
            ..VerifyText::default()
        };
        let mut reader = Reader::default();
        read(&text, &mut reader);
        assert_eq!(reader.finish(()).unwrap_err().iter().count(), 3);
    }
}
