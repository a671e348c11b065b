//! The results of other tools in their own layouts, as expected text.

#![allow(clippy::unwrap_used, reason = "all of this binary is tests")]

mod diskspd;
mod sqlio;
