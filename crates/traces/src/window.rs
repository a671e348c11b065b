//! The part of a trace that is read: `10m..15m`, counted from its first I/O.
//!
//! Omitted: times of the day, which most formats do not have.

use model::Nanos;
use std::str::FromStr;

/// From a time, included, to a time, excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first time.
    pub from: Nanos,
    /// The time behind the last; `MAX` for the end of the trace.
    pub to: Nanos,
}

impl Default for Window {
    /// The whole trace.
    fn default() -> Window {
        Window {
            from: Nanos(0),
            to: Nanos::MAX,
        }
    }
}

const ACCEPTED: &str =
    "must be FROM..TO, times since the first I/O such as 10m..15m; either may be omitted";

impl FromStr for Window {
    type Err = String;

    fn from_str(text: &str) -> Result<Window, String> {
        let (from, to) = text.split_once("..").ok_or(ACCEPTED)?;
        let time = |text: &str, missing: Nanos| match text {
            "" => Ok(missing),
            text => text.parse().map_err(|_| ACCEPTED),
        };
        let whole = Window::default();
        let window = Window {
            from: time(from, whole.from)?,
            to: time(to, whole.to)?,
        };
        match window.from < window.to {
            true => Ok(window),
            false => Err("must end after it begins".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_two_times() {
        let window = |from, to| Ok(Window { from, to });
        assert_eq!(
            "10m..15m".parse(),
            window(Nanos::seconds(600), Nanos::seconds(900))
        );
        assert_eq!("..1s".parse(), window(Nanos(0), Nanos::seconds(1)));
        assert_eq!("1s..".parse(), window(Nanos::seconds(1), Nanos::MAX));
        for text in ["", "1s", "2s..1s", "1s..1s", "10..20", "1s...2s", "a..b"] {
            assert!(text.parse::<Window>().is_err(), "{text}");
        }
    }
}
