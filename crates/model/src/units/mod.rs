//! Sizes and times with their unit in the type, and their text.
//!
//! Inside, everything is whole bytes and whole nanoseconds. Text is read here because every dialect
//! shares the arithmetic; how numbers are *shown* to a person is `views::number`'s business alone, so
//! `Display` prints the shortest exact form that `FromStr` reads back (a law that is tested).

mod share;
mod size;
mod time;

pub use share::Ratio;
pub use size::Bytes;
pub use time::Nanos;

/// Text that is not a size, a time or a percentage, with what would have been.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid value '{read}': {accepted}")]
pub struct UnitError {
    /// The text as it was given.
    pub read: String,
    /// One sentence on what is accepted here.
    pub accepted: &'static str,
}

impl UnitError {
    /// Returns the message with the option that the text was given for.
    pub fn of(&self, option: &str) -> String {
        crate::invalid_value(&self.read, option, self.accepted)
    }
}

fn error(read: &str, accepted: &'static str) -> UnitError {
    UnitError {
        read: read.to_owned(),
        accepted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_text_makes_the_parsers_panic(text in ".*") {
            let _ = (text.parse::<Bytes>(), text.parse::<Nanos>(), text.parse::<Ratio>());
        }
    }
}
