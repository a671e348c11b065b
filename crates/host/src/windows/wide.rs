//! Text as the system's calls take and return it: UTF-16 with a zero behind it. Omitted: the calls.

use std::ffi::{OsStr, OsString};
use std::os::windows::ffi::{OsStrExt, OsStringExt};

/// Returns the text with a zero behind it.
pub(super) fn wide(text: impl AsRef<OsStr>) -> Vec<u16> {
    text.as_ref().encode_wide().chain([0]).collect()
}

/// Returns the text up to the first zero.
pub(super) fn text(wide: &[u16]) -> OsString {
    let end = wide.iter().position(|&unit| unit == 0);
    OsString::from_wide(&wide[..end.unwrap_or(wide.len())])
}

/// Returns texts that each end with a zero; an empty one ends the list.
pub(super) fn list(wide: &[u16]) -> Vec<OsString> {
    let texts = wide.split(|&unit| unit == 0);
    let texts = texts.take_while(|text| !text.is_empty());
    texts.map(OsString::from_wide).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_at_their_zero_and_lists_at_an_empty_text() {
        let both = [wide("C:\\"), wide("D:\\"), vec![0, 7]].concat();
        assert_eq!(text(&both), "C:\\");
        assert_eq!(list(&both), ["C:\\", "D:\\"]);
        assert!(list(&[0, 0]).is_empty());
    }
}
