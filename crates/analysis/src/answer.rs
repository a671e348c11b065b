//! The answer of a report in lines, which is read before anything else.
//!
//! Deliberately absent: whether it may be used, which is the verdict's, and the layout, which is `views`'s.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One line: what was measured, and its figures with their units.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// `4 KiB random`.
    pub name: String,
    /// `read 11.3k IOPS (QD1)`.
    pub figures: Vec<String>,
}

impl Answer {
    /// Joins the figures that are known; none without any.
    pub(crate) fn of(
        name: &str,
        figures: impl IntoIterator<Item = Option<String>>,
    ) -> Option<Answer> {
        let figures: Vec<String> = figures.into_iter().flatten().collect();
        (!figures.is_empty()).then(|| Answer {
            name: name.to_owned(),
            figures,
        })
    }

    /// Writes the line as a sentence: `4 KiB random: read 11.3k IOPS (QD1)`.
    pub fn sentence(&self) -> String {
        format!("{}: {}", self.name, self.figures.join(", "))
    }
}
