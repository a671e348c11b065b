//! Attacks that once got through: a file for each row of the first list, named by its number; later ones are named by what is attacked.
//!
//! Elsewhere: hostile and damaged databases, kills and full disks (`store`, `tests/it`), names and owners of files (`gate`,
//! `database.rs` and `whole_file.rs`), a panic with I/O in flight (`engine`, `timespan/workers/tests.rs`), the handler of SIGBUS
//! (`engine`, `linux/mapping.rs`), short I/Os (`analysis`, `findings/short_io.rs`), H1 and much of C2 (`tools`,
//! `tests/imports/cost.rs`, and `analysis`, `findings/groups.rs`), H2 and more of I5 (`monitor`, `serve.rs`), H3 (`host`,
//! `look::tests`), more of I1, I2 and I3 (`views`, `rows/csv.rs`, and `model`, `text.rs`).

mod c1;
mod c2;
mod c3;
mod campaign;
mod channels;
mod d1;
mod d10;
mod d11;
mod d12;
mod d13;
mod d14;
mod d15;
mod d16;
mod d17;
mod d18;
mod d2;
mod d3;
mod d4;
mod d5;
mod d6;
mod d7;
mod d8;
mod d9;
mod folder_rights;
mod foreign_content;
mod fresh_eyes;
mod h4;
mod hidden_uses;
mod i1;
mod i2;
mod i3;
mod i4;
mod i5;
mod i6;
mod l2;
mod l3;
mod l4;
mod l6;
mod l7;
mod l8;
mod planted_outputs;
mod punched_holes;
mod races;
mod remote_messages;
mod served;
mod small_stack;
mod store_begun_twice;
mod store_moved;
mod tools;

use crate::bench::until;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The words of a run of a few milliseconds that is stored. Its time is simulated: a busy machine may let a thread wait for
/// longer than that, and then a run has no I/O.
const RUN: &str = "run sim:ssd -d 20ms --warmup 0s";

/// How many random attempts a race gets: a few, or as many as `full` where all of them are asked for.
#[allow(
    clippy::disallowed_methods,
    reason = "how long a test runs is not the program's business"
)]
fn attempts(full: u32) -> u32 {
    match std::env::var("FATHOM_ATTACK_RACES").as_deref() {
        Ok("full") => full,
        _ => 20.min(full),
    }
}

/// Whether system calls can be traced here, and the program stopped or killed at one of them.
fn traces() -> bool {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-o", "/dev/null", "true"]);
    strace.stdout(Stdio::null()).stderr(Stdio::null());
    strace.status().is_ok_and(|status| status.success())
}

/// Names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Waits until a run with the engine sync has read so much. Source: proc_pid_io(5).
fn wait_for_reads(child: &Child, bytes: u64) {
    wait_for(child, "rchar: ", bytes);
}

/// The same of what devices wrote for it.
fn wait_for_writes(child: &Child, bytes: u64) {
    wait_for(child, "write_bytes: ", bytes);
}

fn wait_for(child: &Child, count: &str, bytes: u64) {
    let path = format!("/proc/{}/io", child.id());
    until(|| {
        let text = std::fs::read_to_string(&path).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(count));
        line.unwrap().parse::<u64>().unwrap() > bytes
    });
}
