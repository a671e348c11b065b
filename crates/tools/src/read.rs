//! Reads one value after another and keeps every problem it meets, so that all are reported at once.
//!
//! Deliberately absent: ranges that depend on other values or on the machine.

use crate::problem::{Problem, Refusal};
use crate::refusal::Problems;
use model::{Location, SimulatedDevice, UnitError};
use std::path::Path;
use std::str::FromStr;

/// Collects problems while values are read. A value that cannot be read is replaced by a harmless one, which
/// is never used: [`Reader::finish`] gives nothing out once there is a problem.
#[derive(Debug, Default)]
pub struct Reader {
    problems: Problems<Problem>,
}

impl Reader {
    /// A size, time, percentage or engine.
    pub fn value<T: FromStr<Err = UnitError>>(
        &mut self,
        option: &'static str,
        text: &str,
    ) -> Option<T> {
        match text.parse() {
            Ok(value) => Some(value),
            Err(UnitError { read, accepted }) => {
                self.refuse(Problem::Value {
                    option,
                    read,
                    accepted,
                });
                None
            }
        }
    }

    /// A whole number in plain digits that fits `T`; `accepted` states in one sentence what it may be.
    pub fn number<T: FromStr>(
        &mut self,
        option: &'static str,
        text: &str,
        accepted: &'static str,
    ) -> Option<T> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let value = digits.then(|| text.parse().ok()).flatten();
        if value.is_none() {
            self.refuse(Problem::Value {
                option,
                read: text.to_owned(),
                accepted,
            });
        }
        value
    }

    /// One of a few words; `accepted` states in one sentence which.
    pub fn word<T: Clone>(
        &mut self,
        option: &'static str,
        text: &str,
        words: &[(&str, T)],
        accepted: &'static str,
    ) -> Option<T> {
        let value = words.iter().find(|(word, _)| *word == text);
        if value.is_none() {
            self.refuse(Problem::Value {
                option,
                read: text.to_owned(),
                accepted,
            });
        }
        value.map(|(_, value)| value.clone())
    }

    /// The name of a target: not empty, and text.
    pub fn target(&mut self, path: &Path) {
        if path.as_os_str().is_empty() {
            self.refuse(Problem::EmptyTarget);
        } else if path.to_str().is_none() {
            self.refuse(Problem::NameNotText {
                path: path.to_owned(),
            });
        }
    }

    /// What a target's name means: a simulated device, or a file or device. All that is wrong with it is kept.
    pub fn location(&mut self, name: &Path) -> Location {
        let word = name
            .to_str()
            .filter(|text| SimulatedDevice::is_meant_by(text));
        let Some(word) = word else {
            self.target(name);
            return Location::Path(name.to_owned());
        };
        match word.parse::<SimulatedDevice>() {
            Ok(device) => Location::Simulated(Box::new(device)),
            Err(error) => {
                let reported = error.problems().iter().cloned();
                self.problems
                    .extend(reported.map(|why| Problem::Simulated { why }));
                Location::Path(name.to_owned())
            }
        }
    }

    /// Keeps a problem that the caller found.
    pub fn refuse(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// The value, if nothing was wrong; everything that was wrong otherwise.
    pub fn finish<T>(self, value: T) -> Result<T, Refusal> {
        Refusal::none_or(self.problems).map(|()| value)
    }
}
