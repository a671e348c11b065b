//! A job in simulated time: all ranks in one thread, deaths at every step, ten thousand ranks.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers stumble with their test, and figures are printed"
)]

mod laws;
mod threads;
mod world;
