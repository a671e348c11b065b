//! Names of files: what `-d` and `-R` make of letters, names that mean something on one system only, and the paths that they
//! lead to.
//!
//! Whether a name is there, and what it is, are the machine's business.

use crate::names::{self, Names};
use std::path::PathBuf;

/// `-RDE1`: `D:`, `E:`, `1:`.
pub(super) fn raw(list: &str) -> Vec<String> {
    list.chars().map(|one| format!("{one}:")).collect()
}

/// `-dDE \test`: `D:\test`, `E:\test`.
pub(super) fn on_drives(letters: &str, file: &str) -> Vec<String> {
    letters
        .chars()
        .map(|letter| format!("{letter}:{file}"))
        .collect()
}

/// The path that a name leads to: of `1:` and `X:` on Windows the device's.
pub(super) fn path(name: &str, on: Names) -> PathBuf {
    if on == Names::Linux {
        return PathBuf::from(name);
    }
    let number = name.strip_suffix(':').filter(|number| is_number(number));
    let device = number.map(names::disk).or_else(|| names::volume(name));
    PathBuf::from(device.unwrap_or_else(|| name.to_owned()))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Why a name means nothing on this system and how that spells it, if it is one of another.
pub(super) fn foreign(name: &str, on: Names) -> Option<String> {
    match on {
        Names::Linux => of_windows(name),
        Names::Windows => names::of_linux(name),
    }
}

fn of_windows(name: &str) -> Option<String> {
    if name.starts_with(r"\\") {
        return Some(
            "this is a share or a device of Windows; on Linux name a file where the share is mounted, as in \
             /mnt/share/test.dat"
                .to_owned(),
        );
    }
    if let Some(tail) = name.strip_prefix('\\') {
        let tail = tail.replace('\\', "/");
        return Some(format!(
            "this is a path of Windows; on Linux write /{tail}, or ./{name} for a file of this name"
        ));
    }
    let (front, tail) = name.split_once(':')?;
    if is_number(front) && tail.is_empty() {
        return Some(format!(
            "this is the whole of physical disk {front}; on Linux specify the device, as in /dev/sdb or /dev/nvme0n1 \
            (`fathom devices` lists them), or write ./{name} for a file of this name"
        ));
    }
    let &[letter] = front.as_bytes() else {
        return None;
    };
    if !letter.is_ascii_alphabetic() {
        return None;
    }
    if tail.is_empty() {
        return Some(format!(
            "this is a drive of Windows; on Linux specify the partition, as in /dev/sdb1 (`fathom devices` lists \
            them), or write ./{name} for a file of this name"
        ));
    }
    let tail = tail.replace('\\', "/");
    let tail = tail.trim_start_matches('/');
    let drive = letter.to_ascii_lowercase() as char;
    Some(format!(
        "this is a file on a drive of Windows; on Linux write where it is mounted, as in /mnt/{drive}/{tail}, or ./{name} for \
         a file of this name"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_windows_get_the_spelling_of_linux() {
        for (name, words) in [
            (r"D:\test", "/mnt/d/test"),
            ("E:Testfile.dat", "/mnt/e/Testfile.dat"),
            ("F:", "/dev/sdb1"),
            ("12:", "physical disk 12"),
            (r"\test", "on Linux write /test"),
            (r"\\server\share\f", "share is mounted"),
        ] {
            let reported = foreign(name, Names::Linux).unwrap_or_default();
            assert!(reported.contains(words), "{name}: {reported}");
            assert_eq!(foreign(name, Names::Windows), None, "{name}");
        }
        let on_windows = |name| path(name, Names::Windows);
        assert_eq!(on_windows("12:"), PathBuf::from(r"\\.\PhysicalDrive12"));
        assert_eq!(on_windows("F:"), PathBuf::from(r"\\.\F:"));
        assert_eq!(on_windows("E:a.dat"), PathBuf::from("E:a.dat"));
        for name in ["f", "./D:", "/dev/sdb", "ab:c", "1:x", ":", "a\\b"] {
            assert_eq!(foreign(name, Names::Linux), None, "{name}");
        }
    }
}
