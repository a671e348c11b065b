//! Devices and the words that allow writing them. As root, on loop devices that the test makes itself.

use crate::bench::Bench;
use std::path::Path;
use std::process::Command;

const SHORT: &str = "-d 300ms --warmup 0s";

/// A device over a file of the bench; gone with the value.
struct Loop {
    name: String,
}

impl Loop {
    /// `None`, with the reason said, where that cannot be done.
    fn new(bench: &Bench) -> Option<Self> {
        let image = bench.path("image");
        std::fs::File::create(&image)
            .unwrap()
            .set_len(128 << 20)
            .unwrap();
        let made = Command::new("losetup")
            .args(["--find", "--show"])
            .arg(&image)
            .output();
        let name = match made {
            Ok(output) if output.status.success() => String::from_utf8(output.stdout).unwrap(),
            _ => {
                eprintln!("skipped: a loop device needs root, losetup and a free one");
                return None;
            }
        };
        let name = name.trim().to_owned();
        assert!(name.starts_with("/dev/loop"), "{name}");
        Some(Loop { name })
    }

    /// `false`, with the reason said, where that cannot be done.
    fn format(&self) -> bool {
        let made = Command::new("mkfs.ext4")
            .args(["-q", "-F", &self.name])
            .status();
        let done = made.is_ok_and(|status| status.success());
        if !done {
            eprintln!("skipped: no mkfs.ext4 here");
        }
        done
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let status = Command::new("losetup")
            .args(["--detach", &self.name])
            .status();
        assert!(status.unwrap().success());
    }
}

#[test]
fn a_device_that_holds_something_is_written_only_with_its_name_said() {
    let bench = Bench::new();
    let Some(device) = Loop::new(&bench) else {
        return;
    };
    let name = &device.name;
    bench.line(&format!("run {SHORT} -w 100 {name}")).good(); // it is empty
    if !device.format() {
        return;
    }
    bench.line(&format!("run {SHORT} {name}")).good(); // reads need no word
    let words = format!("To allow it, add: --destroy {name}");
    for line in [
        format!("run {SHORT} -w 1 {name}"),
        format!("run {SHORT} -w 1 --overwrite {name}"),
        format!("survey {name}"),
    ] {
        let said = bench.line(&line);
        said.refused(&words);
        said.refused("ext4 file system");
    }
    bench
        .line(&format!("survey --rm --destroy {name} {name}"))
        .refused("a device cannot be removed");
    bench
        .line(&format!("run --create 1M --destroy {name} {name}"))
        .refused("leave --create out");
    bench
        .line(&format!("run {SHORT} -w 100 --destroy {name} {name}"))
        .good();
}

#[test]
fn a_device_in_use_is_not_written_whatever_is_said() {
    let bench = Bench::new();
    let Some(device) = Loop::new(&bench).filter(Loop::format) else {
        return;
    };
    let at = bench.path("mnt");
    std::fs::create_dir(&at).unwrap();
    assert!(mount(&device.name, &at));
    let line = format!("run {SHORT} -w 100 --destroy {0} {0}", device.name);
    let said = bench.line(&line);
    let listed = bench.line("devices").good();
    assert!(Command::new("umount").arg(&at).status().unwrap().success());
    said.refused("in use, so it is not written");
    said.refused("umount");
    let kernel_name = device.name.trim_start_matches("/dev/");
    assert!(listed.out.contains(kernel_name), "{listed:?}");
}

fn mount(device: &str, at: &Path) -> bool {
    let status = Command::new("mount").arg(device).arg(at).status();
    status.is_ok_and(|status| status.success())
}
