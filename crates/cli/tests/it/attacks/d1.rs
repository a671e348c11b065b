//! A name that leads to one file when it is checked and to another one when it is written.

use super::tools::{foreign, own_file};
use crate::bench::Bench;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};

/// A link in a folder of another user: its owner decides what would be written.
#[test]
fn a_link_that_another_user_placed_is_read_but_not_written() {
    let bench = Bench::new();
    let folder = bench.path("theirs");
    fs::create_dir(&folder).unwrap();
    own_file(&bench, "own");
    let before = fs::read(bench.path("own")).unwrap();
    symlink(bench.path("own"), folder.join("link")).unwrap();
    let line = "run --no-store -d 500ms --warmup 0s theirs/link";
    bench.line(&format!("{line} -w 100")).good();
    let changed = fs::read(bench.path("own")).unwrap();
    assert_ne!(before, changed, "in a folder of one's own it is written");
    let foreign_folder = || match chown(&folder, Some(65534), Some(65534)) {
        Ok(()) => true,
        Err(_) => fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).is_ok(),
    };
    assert!(foreign_folder());
    bench.line(line).good();
    let said = bench.line(&format!("{line} -w 100 --overwrite"));
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("readlink -f"), "{said:?}");
    let created = bench.line("dd if=/dev/zero of=theirs/link bs=4k count=1 --overwrite");
    assert_eq!(created.code, Some(2), "{created:?}");
    assert_eq!(fs::read(bench.path("own")).unwrap(), changed);
}

/// The file is replaced while it is proven; what is written is what was proven.
#[test]
fn a_file_that_takes_the_name_later_is_not_written() {
    let bench = Bench::new();
    own_file(&bench, "t");
    fs::write(bench.path("u"), foreign(1 << 20)).unwrap();
    let words = "sweep --no-store -b 4K,8K -w 100 -d 100ms --warmup 0s --rest 300ms t";
    let mut running = bench.start(words);
    fs::rename(bench.path("t"), bench.path("away")).unwrap();
    fs::rename(bench.path("u"), bench.path("t")).unwrap();
    running.wait().unwrap();
    assert_eq!(fs::read(bench.path("t")).unwrap(), foreign(1 << 20));
}
