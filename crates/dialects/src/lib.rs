//! Text ⇄ `Profile`: the only room that knows what options are called.
//!
//! A dialect is one folder or file with two functions. `build` turns a request, as typed, into a
//! [`model::Profile`] with notes, or into every problem at once; `print` turns a timespan back into the command
//! line that repeats it. The law between them: what `print` says, `build` reads as the same timespan.
//!
//! There are three: [`native`], spoken by `fathom run`, [`diskspd`], spoken by `fathom diskspd`, and [`sqlio`], spoken by
//! `fathom sqlio`. A request of the last two holds things that only their own output needs, so each has its own profile
//! in between. Which dialect is spoken is chosen at the door, by the program's name or the first word.
//!
//! [`sweep`] reads requests of which some fields take several values, in either dialect's words or as a plan in TOML.
//!
//! Deliberately absent: splitting the command line into options for the native dialect (the door does that),
//! the machine (whether a profile fits it is `model::check`'s business), and consent to write: a dialect
//! passes on the words that allow it, and decides nothing.

pub mod diskspd;
pub mod native;
mod page;
mod problem;
mod read;
pub mod sqlio;
pub mod sweep;

pub use problem::{Note, Problem, Refusal};
pub use read::Reader;
