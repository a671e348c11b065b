//! The page that every survey leaves behind, for later readers.
//!
//! It is generated from the results database, as by `fathom report`. A page that cannot be written takes nothing from
//! the survey: the results are in the database, so it is reported and the survey has succeeded all the same.

use crate::commands::report::{Replace, write_page};
use crate::output;
use analysis::say;
use model::CommandError;
use session::Journal;
use std::path::{Path, PathBuf};
use store::Store;
use tools::{Problem, Reader};

/// The word for none.
const NONE: &str = "none";

/// Where the page goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PagePlace {
    /// `fathom-survey-ID.html` in the current folder.
    Usual,
    /// There.
    File(PathBuf),
    /// Nowhere.
    Nowhere,
}

impl PagePlace {
    /// `word` as it was typed; `keeps` is whether there is a results database to generate it from.
    pub(crate) fn read(word: Option<&Path>, keeps: bool, reader: &mut Reader) -> PagePlace {
        match word {
            Some(word) if word == Path::new(NONE) => PagePlace::Nowhere,
            Some(_) if !keeps => {
                reader.refuse(Problem::Contradiction {
                    option: "--page",
                    why: "a report is written from stored results, and --no-store stores none: omit one",
                });
                PagePlace::Nowhere
            }
            Some(word) => PagePlace::File(word.to_owned()),
            None if keeps => PagePlace::Usual,
            None => PagePlace::Nowhere,
        }
    }

    /// Before anything is measured: whether a place that was named may be written at all.
    pub(crate) fn check(&self) -> Result<(), CommandError> {
        match self {
            PagePlace::File(path) => crate::commands::report::may_write(path),
            PagePlace::Usual | PagePlace::Nowhere => Ok(()),
        }
    }

    /// Writes it, and reports where it is or why it is missing. Returns the file that was written.
    pub(super) fn write(
        &self,
        store: Option<&Store>,
        journal: &Journal<&Store>,
    ) -> Option<PathBuf> {
        let (store, name) = (store?, journal.name()?);
        let path = match self {
            PagePlace::Nowhere => return None,
            PagePlace::Usual => PathBuf::from(format!("fathom-survey-{name}.html")),
            PagePlace::File(path) => path.clone(),
        };
        match write_page(store, &[name], &path, Replace::Pages) {
            Ok(written) => {
                output::tell(&format!(
                    "HTML report: {} ({})",
                    path.display(),
                    say::bytes(written.bytes)
                ));
                Some(path)
            }
            Err(failure) => {
                output::tell(&format!("note: the page is not there: {failure}"));
                output::tell(&format!(
                    "the survey itself is stored: fathom report {name} -o FILE writes its page elsewhere"
                ));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_needs_a_database() {
        let mut reader = Reader::default();
        let of = |word: Option<&str>, keeps, reader: &mut Reader| {
            PagePlace::read(word.map(Path::new), keeps, reader)
        };
        assert_eq!(of(None, true, &mut reader), PagePlace::Usual);
        assert_eq!(of(None, false, &mut reader), PagePlace::Nowhere);
        assert_eq!(of(Some("none"), true, &mut reader), PagePlace::Nowhere);
        assert_eq!(
            of(Some("p.html"), true, &mut reader),
            PagePlace::File("p.html".into())
        );
        assert!(reader.finish(()).is_ok());
        let mut reader = Reader::default();
        of(Some("p.html"), false, &mut reader);
        assert!(reader.finish(()).is_err());
    }
}
