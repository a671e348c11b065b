//! Watching: what a machine's devices do now, on a screen, as lines, or for a collector.
//!
//! ```text
//!  host ─▶ Sampler ─▶ Moment ─▶ watch (screen) · plain and json (lines) · metrics (text) ─▶ serve (HTTP)
//! the engine's updates ─▶ live (screen)
//! ```
//!
//! A screen is three things apart: what it shows (`model`), how that changes (`update`) and how it looks (`draw`), so that
//! tests press keys and check the screen without a terminal. Deliberately absent: clocks and the environment, which are
//! arguments; starting or stopping a measurement; what the figures mean.

mod choice;
mod history;
mod json;
mod keys;
pub mod live;
mod metrics;
mod moment;
mod plain;
mod sampler;
mod serve;
mod style;
mod terminal;
pub mod watch;

pub use choice::{Chosen, choose};
pub use json::json_line;
pub use keys::{Input, key_or_size};
pub use metrics::{CONTENT_TYPE, metrics_text};
pub use moment::{DeviceMoment, Machine, Moment, ProcessMoment};
pub use plain::{plain_head, plain_lines};
pub use sampler::{Asked, Sampler};
pub use serve::{Server, address};
pub use style::Palette;
pub use terminal::{Screen, screen};

/// How time passes: nanoseconds since some moment.
pub type Clock = dyn Fn() -> model::Nanos + Send + Sync;
