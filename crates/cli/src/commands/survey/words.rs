//! What stands against a survey, in words that name its own options. A target that is gone or another one was so after the
//! survey began: before that it was looked at, or made.
//!
//! Deliberately absent: everything that reads well as the checker says it.

use model::Problem;

/// A problem in the words of a survey.
pub(super) fn of_survey(problem: &Problem) -> String {
    match problem {
        Problem::Missing { path } => format!(
            "{}: it is gone: somebody removed or renamed it while it was surveyed",
            path.display()
        ),
        Problem::RangeBeyondEnd { path, .. } | Problem::BaseBeyondEnd { path, .. } => format!(
            "{}: it is no longer as large as it was: somebody cut or replaced it while it was surveyed",
            path.display()
        ),
        Problem::NotWritable { .. } | Problem::DeviceNotWritable { .. } => {
            let told = problem.to_string();
            told.replace("read only (write 0)", "say --read-only")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_name_options_that_a_survey_has() {
        let path = || "f".into();
        let gone = of_survey(&Problem::Missing { path: path() });
        assert!(!gone.contains("--create"), "{gone}");
        let told = of_survey(&Problem::NotWritable {
            path: path(),
            file_system: None,
            obstacle: None,
        });
        assert!(
            told.contains("say --read-only") && !told.contains("write 0"),
            "{told}"
        );
    }
}
