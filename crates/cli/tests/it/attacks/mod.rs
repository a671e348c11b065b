//! Attacks that once got through, a file for each row of the list, named by its number.

mod d10;
mod d11;
mod d2;
mod d9;
mod i6;

use std::process::{Command, Stdio};

/// How many random attempts a race gets: a few, or as many as `full` where all of them are asked for.
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
