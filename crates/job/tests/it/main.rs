//! A job in simulated time: all ranks in one thread, deaths at every step, ten thousand ranks.

mod laws;
mod threads;
mod world;
