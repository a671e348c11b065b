//! Which devices are watched: those that were named, or every whole disk that counts its I/Os.
//!
//! Deliberately absent: patterns in names.

use model::BlockDevice;
use std::path::Path;

/// What was found for the words of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// In the order in which they were named; each once.
    pub devices: Vec<BlockDevice>,
    /// Words for which there is no device.
    pub unknown: Vec<String>,
}

/// `all` has every device of the machine with its path; a word is a path, a name in `/dev` or a kernel name.
pub fn choose(
    all: &[(BlockDevice, &Path)],
    words: &[String],
    real: &dyn Fn(&Path) -> Option<(u32, u32)>,
) -> Chosen {
    if words.is_empty() {
        let whole = all.iter().map(|(device, _)| device);
        let whole =
            whole.filter(|device| device.kind != "partition" && device.counted != Some(false));
        return Chosen {
            devices: whole.cloned().collect(),
            unknown: Vec::new(),
        };
    }
    let mut chosen = Chosen {
        devices: Vec::new(),
        unknown: Vec::new(),
    };
    for word in words {
        let number = real(Path::new(word));
        let found = all.iter().find(|(device, path)| {
            device.name == *word || *path == Path::new(word) || number == Some(device.number)
        });
        match found {
            Some((device, _)) if chosen.devices.iter().any(|one| one.name == device.name) => {}
            Some((device, _)) => chosen.devices.push(device.clone()),
            None => chosen.unknown.push(word.clone()),
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, kind: &str, minor: u32) -> BlockDevice {
        BlockDevice {
            name: name.to_owned(),
            kind: kind.to_owned(),
            number: (8, minor),
            ..BlockDevice::default()
        }
    }

    #[test]
    fn a_word_is_a_path_or_a_name_and_counts_once() {
        let all = [
            (device("sda", "disk", 0), Path::new("/dev/sda")),
            (device("sda1", "partition", 1), Path::new("/dev/sda1")),
        ];
        let names = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            let by_id = |path: &Path| (path == Path::new("/dev/disk/by-id/x")).then_some((8, 0));
            let chosen = choose(&all, &words, &by_id);
            let names: Vec<String> = chosen
                .devices
                .into_iter()
                .map(|device| device.name)
                .collect();
            (names.join(" "), chosen.unknown.join(" "))
        };
        let reported = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(names(&[]), reported("sda", ""));
        assert_eq!(
            names(&["/dev/sda1", "sda", "/dev/disk/by-id/x"]),
            reported("sda1 sda", "")
        );
        assert_eq!(names(&["sdb"]), reported("", "sdb"));
    }
}
