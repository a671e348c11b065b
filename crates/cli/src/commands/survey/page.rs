//! Where the page goes that every survey leaves behind, for later readers. Omitted: writing it.

use std::path::{Path, PathBuf};
use store::RunName;
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

    /// Returns the file of the session's page.
    pub(super) fn path(&self, name: RunName) -> Option<PathBuf> {
        match self {
            PagePlace::Nowhere => None,
            PagePlace::Usual => Some(PathBuf::from(format!("fathom-survey-{name}.html"))),
            PagePlace::File(path) => Some(path.clone()),
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
