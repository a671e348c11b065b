//! Names of targets in requests of tools of Windows: which path they lead to on the system that runs them, and why a path of the
//! other system leads nowhere. Whether a name is there, and what it is, are the machine's business.

/// The system whose names are paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// Linux: what is a drive or share of Windows has to be spelled as it is mounted.
    Linux,
    /// Windows: its tools' names are its own.
    Windows,
}

impl Names {
    /// Of the system that this program was built for.
    pub(crate) fn own() -> Names {
        match std::env::consts::OS {
            "windows" => Names::Windows,
            _ => Names::Linux,
        }
    }
}

/// The path of a whole disk of Windows, by its number.
pub(crate) fn disk(number: &str) -> String {
    format!(r"\\.\PhysicalDrive{number}")
}

/// The path of a whole volume of Windows: `\\.\X:` of `X:`. None of any other name.
pub(crate) fn volume(name: &str) -> Option<String> {
    let is_drive = matches!(name.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic());
    is_drive.then(|| format!(r"\\.\{name}"))
}

/// Why a path of Linux means nothing on Windows and how that spells it, if it is one.
pub(crate) fn of_linux(path: &str) -> Option<String> {
    if path.starts_with("/dev/") {
        return Some(
            "this is a device of Linux; on Windows specify the drive by its number or letter, as in #1 or X: (`fathom \
             devices` lists them)"
                .to_owned(),
        );
    }
    let rest = path.strip_prefix("/mnt/")?;
    let (drive, tail) = rest.split_once('/').unwrap_or((rest, ""));
    let [letter] = drive.as_bytes() else {
        return Some(
            "this is a path of Linux; on Windows write the drive and its folders, as in D:\\test.dat"
                .to_owned(),
        );
    };
    let letter = letter.to_ascii_uppercase() as char;
    let tail = tail.replace('/', "\\");
    Some(format!(
        "this is a path of Linux; on Windows write {letter}:\\{tail}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_linux_get_the_spelling_of_windows() {
        let cases = [
            ("/dev/sdb", "drive by its number"),
            ("/mnt/d/a/b.dat", r"write D:\a\b.dat"),
            ("/mnt/share/test.dat", r"D:\test.dat"),
        ];
        for (path, words) in cases {
            let reported = of_linux(path).unwrap_or_default();
            assert!(reported.contains(words), "{path}: {reported}");
        }
        for path in ["/test.dat", r"D:\dev\a", "dev/sdb", r"\mnt\d\a"] {
            assert_eq!(of_linux(path), None, "{path}");
        }
        assert_eq!(volume("x:").as_deref(), Some(r"\\.\x:"));
        assert_eq!(volume("x:a"), None);
        assert_eq!(disk("2"), r"\\.\PhysicalDrive2");
    }
}
