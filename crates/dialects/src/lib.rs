//! Text ⇄ `Profile`: the only room that knows what options are called.
//!
//! A dialect is one folder or file with two functions. `build` turns a request, as typed, into a
//! [`model::Profile`] with notes, or into every problem at once; `print` turns a timespan back into the command
//! line that repeats it. The law between them: what `print` says, `build` reads as the same timespan.
//!
//! There are two: [`native`], spoken by `fathom run`, and [`diskspd`], spoken by `fathom diskspd`. A request of
//! DISKSPD holds things that only its own output needs, so it has its own profile in between. Which dialect is spoken
//! is chosen at the door, by the program's name or the first word.
//!
//! Deliberately absent: splitting the command line into options for the native dialect (the door does that),
//! the machine (whether a profile fits it is `model::check`'s business), and consent to write: a dialect
//! passes on the words that allow it, and decides nothing.

pub mod diskspd;
pub mod native;
mod problem;
mod read;

pub use problem::{Note, Problem, Refusal};
pub use read::Reader;
