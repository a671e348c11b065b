//! The name of a rule, as a type: findings are compared with rules, never with words.
//!
//! Omitted: the text of a rule (`FINDINGS`).

use super::FINDINGS;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A rule's name for good, such as `iops-limit`: a rule of this program has it, so it can be compared only with those.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct RuleId(&'static str);

impl RuleId {
    /// Names a rule, once, in its own file.
    pub(super) const fn new(name: &'static str) -> RuleId {
        RuleId(name)
    }

    /// As documents and messages write it.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}

/// Errors: no rule has this name.
impl<'de> Deserialize<'de> for RuleId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RuleId, D::Error> {
        let name = String::deserialize(deserializer)?;
        let rule = FINDINGS.iter().find(|rule| rule.id.as_str() == name);
        rule.map(|rule| rule.id)
            .ok_or_else(|| serde::de::Error::custom(format!("no rule is called {name}")))
    }
}
