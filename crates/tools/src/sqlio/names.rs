//! Names of files: what `-d` and `-R` make of letters, and names that mean something on Windows only.
//!
//! Whether a name is there, and what it is, are the machine's business.

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

/// Why a name means nothing here and how Linux spells it, if it is one of Windows.
pub(super) fn foreign(name: &str) -> Option<String> {
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
    let number = !front.is_empty() && front.bytes().all(|byte| byte.is_ascii_digit());
    if number && tail.is_empty() {
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
    use super::foreign;

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
            let reported = foreign(name).unwrap_or_default();
            assert!(reported.contains(words), "{name}: {reported}");
        }
        for name in ["f", "./D:", "/dev/sdb", "ab:c", "1:x", ":", "a\\b"] {
            assert_eq!(foreign(name), None, "{name}");
        }
    }
}
