//! A swap of two names at every system call between the start of the program and its first write.
//!
//! Even if the names lead elsewhere by then, the file of another user keeps its bytes. A small tracer (`swap.c`) does the
//! swap. The usual tests do a share of the calls; `FATHOM_ATTACK_RACES=full` does all of them, and 10000 random ones.

use super::tools::{foreign, is_full, own_file};
use crate::bench::Bench;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

/// System calls of the usual share, of each way.
const SHARE: u64 = 8;

/// The tracer, built; `None` where there is no compiler, or nothing may be traced.
fn tracer(bench: &Bench) -> Option<PathBuf> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/attacks/swap.c");
    let program = bench.path("swap");
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-o"]).arg(&program).arg(source);
    let built = cc.status().is_ok_and(|status| status.success());
    let traced = built && swap(bench, (0, "0"), &["--version"]).is_some();
    if !traced {
        println!("skipped: no tracer can be built or run here");
    }
    traced.then_some(program)
}

/// What the tracer reported.
struct Traced {
    /// System calls up to the first that writes, that one included.
    calls: u64,
    swapped: bool,
    code: i32,
    /// Calls that took the name of the target.
    names: Vec<u64>,
}

fn swap(bench: &Bench, (at, way): (u64, &str), words: &[&str]) -> Option<Traced> {
    let mut command = bench.command_of(&bench.path("swap"), &[] as &[&str]);
    command.arg(at.to_string()).arg(way).args(["t", "u"]);
    command.arg(env!("CARGO_BIN_EXE_fathom")).args(words);
    let output = command.output().ok()?;
    let reported = String::from_utf8_lossy(&output.stdout);
    let mut last = reported.lines().last()?.split(' ').map(str::parse::<i64>);
    let mut next = || last.next()?.ok();
    Some(Traced {
        calls: u64::try_from(next()?).ok()?,
        swapped: next()? != 0,
        code: i32::try_from(next()?).ok()?,
        names: std::iter::from_fn(|| u64::try_from(next()?).ok()).collect(),
    })
}

/// The file of another user, wherever its name is by now.
struct Foreign {
    content: Vec<u8>,
    inode: u64,
}

impl Foreign {
    fn at(path: &Path) -> Foreign {
        let content = foreign(1 << 20);
        fs::write(path, &content).unwrap();
        let inode = fs::metadata(path).unwrap().ino();
        Foreign { content, inode }
    }

    /// Compares it with its earlier content, and puts it back under its name.
    fn check(&self, bench: &Bench, reported: &str) {
        let is_it =
            |name: &str| fs::metadata(bench.path(name)).is_ok_and(|at| at.ino() == self.inode);
        let name = ["t", "u"].into_iter().find(|name| is_it(name));
        let name = name.unwrap_or_else(|| panic!("{reported}: the file is gone"));
        let now = fs::read(bench.path(name)).unwrap();
        assert!(
            now == self.content,
            "{reported}: the file of another user was written"
        );
        if name == "t" {
            match bench.path("u").exists() {
                true => {
                    fs::rename(bench.path("u"), bench.path("own")).unwrap();
                    fs::rename(bench.path("t"), bench.path("u")).unwrap();
                    fs::rename(bench.path("own"), bench.path("t")).unwrap();
                }
                false => fs::rename(bench.path("t"), bench.path("u")).unwrap(),
            }
        }
    }
}

/// Swaps at each system call of a line, or at a share of them.
fn at_every_call(name: &str, words: &[&str], ways: &[&str], renew: &dyn Fn(&Bench)) {
    let bench = Bench::new();
    if tracer(&bench).is_none() {
        return;
    }
    let theirs = Foreign::at(&bench.path("u"));
    renew(&bench);
    let whole = swap(&bench, (0, "0"), words).unwrap();
    assert_ne!(whole.code, 2, "{name}: the line as such is good");
    let calls = whole.calls + whole.calls / 20; // threads do not always come in one order
    let step = if is_full() { 1 } else { (calls / SHARE).max(1) };
    let (mut tried, mut swapped) = (0, 0);
    for way in ways {
        for call in (1..=calls).step_by(usize::try_from(step).unwrap()) {
            renew(&bench);
            let traced = swap(&bench, (call, way), words).unwrap();
            theirs.check(&bench, &format!("{name}, {way} at call {call} of {calls}"));
            tried += 1;
            swapped += u64::from(traced.swapped);
        }
    }
    println!(
        "{name}: {tried} of {calls} calls in {} ways tried, {swapped} swapped, {tried} resisted",
        ways.len()
    );
    assert!(swapped > 0);
}

/// The name leads to the file of another user, then to fathom's own, then back: each change right before a call that
/// takes the name, in all pairs. What lies between two such calls cannot make a difference.
#[test]
fn no_two_uses_of_the_name_are_paired_with_different_files() {
    let bench = Bench::new();
    if tracer(&bench).is_none() {
        return;
    }
    let words: Vec<&str> = "run --no-store -w 100 -d 10ms --warmup 0s t"
        .split(' ')
        .collect();
    let theirs = Foreign::at(&bench.path("u"));
    own(&bench);
    let names = swap(&bench, (0, "0"), &words).unwrap().names;
    let mut tried = 0;
    for (place, first) in names.iter().enumerate() {
        for second in &names[place + 1..] {
            exchange(&bench); // begins with the file of another user
            let length = (second - first).to_string();
            swap(&bench, (*first, &length), &words).unwrap();
            theirs.check(&bench, &format!("swapped at {first} and {second}"));
            own(&bench);
            tried += 1;
        }
    }
    println!(
        "D1: the name is taken {} times; {tried} pairs tried, {tried} resisted",
        names.len()
    );
    assert!(!names.is_empty());
}

/// Makes fathom's own file again where it is not whole any more.
fn own(bench: &Bench) {
    if !fs::metadata(bench.path("t")).is_ok_and(|there| there.len() == 1 << 20) {
        own_file(bench, "t");
    }
}

#[test]
fn run_writes_only_what_it_proved() {
    let words: Vec<&str> = "run --no-store -w 100 -d 10ms --warmup 0s t"
        .split(' ')
        .collect();
    at_every_call("run", &words, &["0", "1"], &own);
}

#[test]
fn create_completes_only_what_it_checked() {
    let words: Vec<&str> = "run --no-store --create 2M -w 100 -d 10ms --warmup 0s t"
        .split(' ')
        .collect();
    at_every_call("create (more)", &words, &["0", "1"], &|bench| {
        let _ = fs::remove_file(bench.path("t"));
        own(bench);
    });
}

#[test]
fn create_makes_only_a_new_file() {
    let words: Vec<&str> = "run --no-store --create 1M -w 100 -d 10ms --warmup 0s t"
        .split(' ')
        .collect();
    at_every_call("create (new)", &words, &["move"], &|bench| {
        let _ = fs::remove_file(bench.path("t"));
    });
}

#[test]
fn dd_writes_only_what_it_proved() {
    let words: Vec<&str> = "dd if=/dev/zero of=t bs=64k count=16 --no-store"
        .split(' ')
        .collect();
    at_every_call("dd", &words, &["0", "1"], &own);
}

#[test]
fn xdd_writes_only_what_it_proved() {
    let words: Vec<&str> = "xdd -op write -target t -reqsize 4 -numreqs 16 --no-store"
        .split(' ')
        .collect();
    at_every_call("xdd", &words, &["0", "1"], &own);
}

#[test]
fn ior_writes_only_what_it_proved() {
    let words: Vec<&str> = "ior -w -k -b 64k -t 4k -o t --no-store"
        .split(' ')
        .collect();
    at_every_call("ior", &words, &["0", "1"], &own);
}

/// Names that flip all the time while the program runs.
#[test]
fn names_that_flip_at_random_lead_to_nothing_else() {
    let attempts = if is_full() { 10_000 } else { 30 };
    let bench = Bench::new();
    let theirs = Foreign::at(&bench.path("u"));
    own(&bench);
    let (mut tried, mut ran) = (0, 0);
    for attempt in 0..attempts {
        let words = [
            "run",
            "--no-store",
            "-w",
            "100",
            "-d",
            "10ms",
            "--warmup",
            "0s",
            "t",
        ];
        let mut running = bench.command(&words).spawn_quietly();
        let mut pause = attempt * 7919 % 2000;
        while running.try_wait().unwrap().is_none() {
            exchange(&bench);
            thread::sleep(Duration::from_micros(pause));
            pause = (pause * 31 + 17) % 2000;
        }
        ran += u32::from(running.wait().unwrap().success());
        tried += 1;
        theirs.check(&bench, &format!("attempt {attempt}"));
        own(&bench);
    }
    println!(
        "D1: {tried} random attempts tried, {tried} resisted; {ran} of the runs wrote their own file"
    );
}

/// Without a moment in which one of the names is free, as far as renames go.
fn exchange(bench: &Bench) {
    let (t, u, away) = (bench.path("t"), bench.path("u"), bench.path("away"));
    let _ = fs::rename(&t, &away);
    let _ = fs::rename(&u, &t);
    let _ = fs::rename(&away, &u);
}

trait Quietly {
    fn spawn_quietly(&mut self) -> std::process::Child;
}

impl Quietly for Command {
    fn spawn_quietly(&mut self) -> std::process::Child {
        use std::process::Stdio;
        self.stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }
}
