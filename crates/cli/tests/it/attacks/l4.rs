//! What is compared with a device has to lie on it.

use super::tools::{Loop, tool};
use crate::bench::Bench;
use std::fs;

#[test]
fn a_folder_on_another_device_is_refused() {
    let bench = Bench::new();
    let Some(device) = Loop::over_new(&bench.path("disk.img"), &vec![0; 64 << 20]) else {
        return;
    };
    let here = bench.path(".");
    let layers = |folder: &str| {
        bench.line(&format!(
            "layers {} --mount {folder} --size 16M --rounds 2 --round-time 20ms --no-store",
            device.name()
        ))
    };
    let said = layers(here.to_str().unwrap());
    assert_eq!(said.code, Some(2), "{said:?}");
    let survey = format!(
        "survey --create --no-store --size 64M --compare-raw {} f",
        device.name()
    );
    let said = bench.line(&survey);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(!bench.path("f").exists());
    fs::create_dir(bench.path("mnt")).unwrap();
    let mnt = bench.path("mnt");
    let mounted = tool("mkfs.ext4", &["-q", "-F", device.name()])
        && tool("mount", &[device.name(), mnt.to_str().unwrap()]);
    if mounted {
        let said = layers("mnt");
        tool("umount", &[mnt.to_str().unwrap()]);
        assert_ne!(said.code, Some(2), "{said:?}");
    }
}
