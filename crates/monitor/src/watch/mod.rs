//! The screen of `fathom watch`: what it shows (`model`), how keys and moments change it (`update`), how it looks (`draw`).
//!
//! Deliberately absent: taking readings, and waiting.

mod draw;
mod model;
mod update;

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;

pub use draw::draw;
pub use model::{Figure, Watch};
pub(crate) use update::leaves;
pub use update::{Next, press};
