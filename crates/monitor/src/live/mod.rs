//! The screen of `--live`: what runs now, its rate and latencies, the device's own counters and the cores, all moving.
//!
//! It receives the engine's progress as [`Update`]s; it reads the counters itself, on its own thread, four times a
//! second. Nothing here is on the path of an I/O. Deliberately absent: the engine, results, and stopping a run, which is a
//! word to the caller that requested the screen.

mod draw;
mod model;
mod thread;

#[cfg(test)]
mod tests;

pub use model::Update;
pub use thread::{Live, Wanted};
