//! Root may do everything, so what others may not do is tested as another user.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread;

/// Number of the user and group nobody.
const NOBODY: u32 = 65534;

/// For a test that found itself with too many rights: this very program is started again as the user nobody, for this one
/// test, which has to pass.
pub(crate) fn let_nobody_do(test: &str) {
    let me = fs::metadata("/proc/self").unwrap().uid();
    if me != 0 {
        eprintln!("skipped: this user (number {me}) has rights as if it were root");
        return;
    }
    // Where the build lies no other user may go, so all of it happens in a folder of that user.
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("it");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    let mut command = Command::new(&program);
    command
        .args(["--exact", test])
        .current_dir(folder.path())
        .env("TMPDIR", folder.path())
        .uid(NOBODY)
        .gid(NOBODY);
    // A child that another test starts meanwhile has the copy open for writing until its own exec.
    let done = loop {
        match command.output() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::yield_now(),
            done => break done.unwrap(),
        }
    };
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(
        done.status.success() && said.contains("1 passed"),
        "{done:?}"
    );
}
