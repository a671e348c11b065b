//! A device that becomes another one between two runs of one session.

use super::tools::{Loop, foreign, is_full, tool};
use crate::bench::Bench;
use std::fs;
use std::thread;
use std::time::Duration;

const LINE: &str = "sweep --no-store -b 4K,8K,16K -w 100 -d 50ms --warmup 0s --rest 150ms";

/// `losetup -d`, and the same device over another file, in the rest between two cells.
#[test]
fn a_loop_device_is_not_given_another_file_between_two_cells() {
    let attempts = if is_full() { 1000 } else { 3 };
    let (mut tried, mut swapped) = (0, 0);
    for attempt in 0..attempts {
        let bench = Bench::new();
        let other = bench.path("other.img");
        fs::write(&other, foreign(32 << 20)).unwrap();
        let Some(device) = Loop::over_new(&bench.path("own.img"), &vec![0; 32 << 20]) else {
            return;
        };
        let mut running = bench.start(&format!("{LINE} --destroy {0} {0}", device.name()));
        let from_ms = 1 + attempt * 37 % 200;
        thread::sleep(Duration::from_millis(from_ms));
        tool("losetup", &["-d", device.name()]);
        while running.try_wait().unwrap().is_none() {
            let taken = tool("losetup", &[device.name(), other.to_str().unwrap()]);
            swapped += u32::from(taken && running.try_wait().unwrap().is_none());
            thread::sleep(Duration::from_millis(1));
        }
        tried += 1;
        assert_eq!(
            fs::read(&other).unwrap(),
            foreign(32 << 20),
            "attempt {attempt}"
        );
    }
    println!("D3: {tried} tried, {tried} resisted; {swapped} swapped while it ran");
}

/// While a session writes a device no process can mount it between two runs.
#[test]
fn a_device_cannot_be_mounted_between_two_cells() {
    let bench = Bench::new();
    let Some(device) = Loop::over_new(&bench.path("own.img"), &vec![0; 32 << 20]) else {
        return;
    };
    let mut running = bench.start(&format!("{LINE} --destroy {0} {0}", device.name()));
    let mut tried = 0;
    while running.try_wait().unwrap().is_none() && !is_free(device.name()) {
        tried += 1;
        thread::sleep(Duration::from_millis(1));
    }
    // Free only when all is written: the process is about to be gone.
    let image = fs::read(bench.path("own.img")).unwrap();
    running.wait().unwrap();
    assert!(tried > 0);
    assert!(fs::read(bench.path("own.img")).unwrap() == image);
}

/// Whether it can be opened exclusively, as a mount does.
fn is_free(device: &str) -> bool {
    use std::os::unix::fs::OpenOptionsExt;
    const O_EXCL: i32 = 0o200;
    let mut options = fs::OpenOptions::new();
    options.read(true).custom_flags(O_EXCL).open(device).is_ok()
}
