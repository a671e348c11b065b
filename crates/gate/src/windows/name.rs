//! One component of a path.

use std::ffi::{OsStr, OsString};
use std::io;

/// Names that Windows takes for devices, in any folder and with any extension.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// Why a name is refused.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message describes each variant")]
pub(crate) enum BadName {
    #[error(
        "'{0}' has half a character (a lone surrogate), which no text can have; hint: rename the file"
    )]
    HalfCharacter(String),
    #[error(
        "Windows drops the dot or space at the end of '{0}', so another file would be used; hint: omit it"
    )]
    DroppedEnd(String),
    #[error(
        "'{0}' is the name of a data stream of a file; hint: specify the file itself, without ':'"
    )]
    Stream(String),
    #[error("Windows takes '{0}' for a device; hint: specify another name")]
    Device(String),
    #[error("'{0}' is not one component of a path")]
    Component(String),
}

impl From<BadName> for io::Error {
    fn from(why: BadName) -> Self {
        io::Error::new(io::ErrorKind::InvalidInput, why)
    }
}

/// One component of a path: neither empty nor `.` nor `..`, without separators, and one that Windows does not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(OsString);

impl Name {
    /// Checks it. Text is UTF-8.
    ///
    /// # Errors
    /// `InvalidInput` for anything that is not one component, or that Windows would change.
    pub fn new(text: impl Into<Vec<u8>>) -> io::Result<Name> {
        let text = String::from_utf8(text.into()).map_err(|_| io::ErrorKind::InvalidInput)?;
        Name::of(OsStr::new(&text))
    }

    /// The same for text of the system.
    pub(crate) fn of(text: &OsStr) -> io::Result<Name> {
        check(text)?;
        Ok(Name(text.to_owned()))
    }

    /// A stream that was opened as such. // one of `walk::STREAMS`
    pub(super) fn of_stream(text: &OsStr) -> Name {
        Name(text.to_owned())
    }

    /// For messages and comparisons.
    pub fn as_os_str(&self) -> &OsStr {
        &self.0
    }
}

/// Whether one component names the file that it shows. Source: "Naming Files, Paths, and Namespaces" of Microsoft.
pub(super) fn check(name: &OsStr) -> Result<(), BadName> {
    let shown = || name.to_string_lossy().into_owned();
    let Some(text) = name.to_str() else {
        return Err(BadName::HalfCharacter(shown()));
    };
    if matches!(text, "" | "." | "..") || text.contains(['/', '\\', '\0']) {
        Err(BadName::Component(shown()))
    } else if text.ends_with(['.', ' ']) {
        Err(BadName::DroppedEnd(shown()))
    } else if text.contains(':') {
        Err(BadName::Stream(shown()))
    } else if is_device(text) {
        Err(BadName::Device(shown()))
    } else {
        Ok(())
    }
}

/// Whether Windows, at least before Windows 11, takes the name for a device.
pub(super) fn is_device(name: &str) -> bool {
    let base = name.split('.').next().unwrap_or_default().trim_end();
    let is_port = || {
        let mut characters = base.chars();
        let number = characters.next_back();
        let ports = ["COM", "LPT"];
        let is_number = number.is_some_and(|digit| "123456789¹²³".contains(digit));
        let kind = characters.as_str();
        is_number && ports.iter().any(|port| port.eq_ignore_ascii_case(kind))
    };
    DEVICES
        .iter()
        .any(|device| device.eq_ignore_ascii_case(base))
        || is_port()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::windows::ffi::OsStringExt;

    #[test]
    fn a_name_is_one_component_that_windows_does_not_change() {
        for bad in [
            "", ".", "..", "a/b", "a\\b", "a\0b", "t.dat.", "t ", "...", "t:s", "C:", "con", "NUL",
            "nul.txt", "Com1", "lpt9.x", "COM²", "aux .dat",
        ] {
            assert!(Name::new(bad).is_err(), "{bad}");
        }
        for good in [
            "t.dat", " t", ".t", "com", "com10", "COM0", "console", "nu l",
        ] {
            assert!(Name::new(good).is_ok(), "{good}");
        }
        let half = OsString::from_wide(&[0x61, 0xd800]);
        assert!(Name::of(&half).is_err());
    }
}
