//! D2: `fathom files DIR` opened its files again by their paths for each step and followed links, so that the owner of
//! DIR had it rewrite and remove other files. The same for `fathom mdtest`.

use super::{attempts, traces};
use crate::bench::Bench;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

const NOBODY: u32 = 65534;
const WORK: &str = "files att --files 6 --file-size 100 --folders 2 --data 32K --block 8K --skip bytes --threads 1 \
                    --no-store";
/// Lines that work in a folder below `att`, and what the name of that folder begins with.
const LINES: [(&str, &str); 2] = [
    (WORK, ".fathom-files-"),
    (
        "mdtest -n 6 -w 200 -e 200 -y -d att --tasks 1 --no-store",
        "test-dir.",
    ),
];
/// What stops the program under strace: every call that a step or the removal makes.
const CALLS: &str = "open,openat,openat2,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,stat,lstat,\
                     newfstatat,statx,fchmod,chmod,link,linkat,pwrite64,ftruncate";

/// A folder of another user, and a folder of root's files under the names that fathom gives.
fn bench() -> Bench {
    let bench = Bench::new();
    fs::create_dir(bench.path("att")).unwrap();
    if chown(bench.path("att"), Some(NOBODY), Some(NOBODY)).is_err() {
        println!("skipped in part: only root can give a folder to another user");
    }
    fs::create_dir(bench.path("roots")).unwrap();
    bench.write("roots/large", 64 << 10);
    bench.write("roots/fathom.mark", 71);
    for folder in ["d0000000", "d0000001"] {
        fs::create_dir(bench.path("roots").join(folder)).unwrap();
        for file in 0..6 {
            for letter in ['f', 'r'] {
                bench.write(&format!("roots/{folder}/{letter}{file:09}"), 200);
            }
        }
    }
    for item in 0..6 {
        let tree = "roots/mdtest_tree.0";
        fs::create_dir_all(bench.path(&format!("{tree}/dir.mdtest.0.{item}"))).unwrap();
        bench.write(&format!("{tree}/file.mdtest.0.{item}"), 200);
    }
    bench
}

fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(content(&path)),
            false => drop(all.insert(path.clone(), fs::read(path).unwrap())),
        }
    }
    all
}

/// The attacker: the work folder moves away, and a link to root's folder takes its place; and back.
struct Swap {
    att: PathBuf,
    roots: PathBuf,
    /// What the name of the work folder begins with.
    start: &'static str,
    /// The work folder's name while it is away.
    away: Option<PathBuf>,
}

impl Swap {
    fn new(bench: &Bench, start: &'static str) -> Self {
        Swap {
            att: bench.path("att"),
            roots: bench.path("roots"),
            start,
            away: None,
        }
    }

    fn turn(&mut self) {
        let aside = self.att.join("aside");
        if let Some(work) = self.away.take() {
            let _ = fs::remove_file(&work);
            let _ = fs::rename(&aside, &work);
            return;
        }
        let entries = fs::read_dir(&self.att).unwrap().flatten();
        let mut paths = entries.map(|entry| entry.path());
        let Some(work) = paths.find(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with(self.start)
                && !path.is_symlink()
        }) else {
            return;
        };
        if fs::rename(&work, &aside).is_ok() {
            let _ = symlink(&self.roots, &work);
            self.away = Some(work);
        }
    }
}

#[test]
fn a_folder_that_is_swapped_again_and_again_leads_to_no_other_file() {
    let bench = bench();
    let before = content(&bench.path("roots"));
    for (attempt, (line, start)) in (0..attempts(1000)).zip(LINES.iter().cycle()) {
        let over = AtomicBool::new(false);
        let said = std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut swap = Swap::new(&bench, start);
                while !over.load(Ordering::Relaxed) {
                    swap.turn();
                }
            });
            let said = bench.line(line);
            over.store(true, Ordering::Relaxed);
            said
        });
        assert!(said.code.is_some(), "{said:?}");
        assert!(
            content(&bench.path("roots")) == before,
            "attempt {attempt}, {line}: {said:?}"
        );
        fs::remove_dir_all(bench.path("att")).unwrap();
        fs::create_dir(bench.path("att")).unwrap();
    }
}

/// Starts the program so that it stops after each of its calls, until it is continued.
fn stepwise(bench: &Bench, line: &str) -> Child {
    let plain = bench.command(&[""; 0]);
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-o", "/dev/null", "-e"])
        .arg(format!("inject={CALLS}:signal=SIGSTOP:when=1+"))
        .arg(plain.get_program())
        .args(line.split_whitespace())
        .current_dir(bench.path("."))
        .env("FATHOM_STORE", bench.path("s.db"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    strace.spawn().unwrap()
}

/// The program below strace.
fn traced(strace: &Child) -> Option<u32> {
    let path = format!("/proc/{0}/task/{0}/children", strace.id());
    fs::read_to_string(path)
        .ok()?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

/// Whether every thread of it is stopped, and stays so: strace itself stops a thread for a moment at each call.
/// Source: proc_pid_stat(5).
fn is_stopped(program: u32) -> bool {
    let is_stopped = || {
        let Ok(threads) = fs::read_dir(format!("/proc/{program}/task")) else {
            return false;
        };
        let mut states = threads.flatten().map(|thread| {
            let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
            let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
            state.starts_with(['T', 't'])
        });
        states.all(|stopped| stopped)
    };
    (0..5).all(|_| {
        std::thread::yield_now();
        is_stopped()
    })
}

#[test]
fn a_swap_after_any_system_call_leads_to_no_other_file() {
    if !traces() {
        return println!("skipped: strace does not run here");
    }
    let bench = bench();
    let before = content(&bench.path("roots"));
    let some = [2, 6, 12, 20, 30, 60];
    let all: Vec<u32> = match attempts(u32::MAX) > 20 {
        true => (0..160).collect(),
        false => some.to_vec(),
    };
    for (line, start) in LINES {
        let swapped = all.iter().filter(|late| {
            let swapped = swap_after(&bench, (line, start), **late);
            assert!(
                content(&bench.path("roots")) == before,
                "{line}, swapped after stop {late}"
            );
            fs::remove_dir_all(bench.path("att")).unwrap();
            fs::create_dir(bench.path("att")).unwrap();
            swapped
        });
        let swapped = swapped.count();
        println!("D2: {line}: {} tried, {swapped} swapped", all.len());
        assert!(swapped > 3, "{line}: only {swapped} swaps");
    }
}

/// Runs a line, and swaps its work folder when the program has stopped so often since the folder is there. Returns
/// whether that was done.
fn swap_after(bench: &Bench, (line, start): (&str, &'static str), late: u32) -> bool {
    let mut strace = stepwise(bench, line);
    let mut swap = Swap::new(bench, start);
    let mut seen = 0; // stops since the work folder is there
    while strace.try_wait().unwrap().is_none() {
        let Some(program) = traced(&strace).filter(|program| is_stopped(*program)) else {
            std::thread::yield_now();
            continue;
        };
        seen += u32::from(fs::read_dir(&swap.att).unwrap().count() > 0);
        if seen > late && swap.away.is_none() {
            swap.turn();
        }
        let mut go = Command::new("kill");
        let _ = go
            .args(["-CONT", &program.to_string()])
            .stderr(Stdio::null())
            .status();
    }
    drop(strace.wait_with_output());
    swap.away.is_some()
}

#[test]
fn what_another_user_put_there_under_the_form_of_our_names_stays() {
    let bench = bench();
    let before = content(&bench.path("roots"));
    symlink(bench.path("roots"), bench.path("att/.fathom-files-1-0")).unwrap();
    let left = bench.path("att/.fathom-files-1-1");
    fs::create_dir(&left).unwrap();
    let text = "fathom files created this folder and everything in it. It may be removed.\n";
    fs::write(left.join("fathom.mark"), text).unwrap();
    symlink(bench.path("roots/d0000000"), left.join("d0000000")).unwrap();
    symlink(bench.path("roots/large"), left.join("large")).unwrap();
    bench.line(WORK).good();
    assert!(content(&bench.path("roots")) == before);
    assert!(left.join("fathom.mark").exists());
    let owned = bench.path("att/.fathom-files-1-2");
    fs::create_dir(&owned).unwrap();
    fs::write(owned.join("fathom.mark"), text).unwrap();
    if chown(&owned, Some(NOBODY), Some(NOBODY)).is_err() {
        return println!("skipped in part: only root can give a folder to another user");
    }
    bench.line(WORK).good();
    assert!(owned.join("fathom.mark").exists());
}
