//! All that is wrong with a request, told at once.

use std::fmt;

/// Everything that is wrong with the text of a request, in the order found. // never empty
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal<P>(Vec<P>);

impl<P> Refusal<P> {
    /// `Ok` when there are no problems.
    ///
    /// # Errors
    /// All of them.
    pub fn none_or(problems: Vec<P>) -> Result<(), Refusal<P>> {
        if problems.is_empty() {
            Ok(())
        } else {
            Err(Refusal(problems))
        }
    }

    /// Each, in the order found.
    pub fn iter(&self) -> impl Iterator<Item = &P> {
        self.0.iter()
    }
}

impl<P> From<P> for Refusal<P> {
    fn from(problem: P) -> Self {
        Refusal(vec![problem])
    }
}

/// A line a problem.
impl<P: fmt::Display> fmt::Display for Refusal<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl<P: fmt::Debug + fmt::Display> std::error::Error for Refusal<P> {}
