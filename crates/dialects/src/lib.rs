//! Text ⇄ `Profile`: the only room that knows what options are called.
//!
//! A dialect is one folder or file with two functions. `build` turns a request, as typed, into a
//! [`model::Profile`] with notes, or into every problem at once; `print` turns a timespan back into the command
//! line that repeats it. The law between them: what `print` says, `build` reads as the same timespan.
//!
//! Today there is one dialect, [`native`], spoken by `fathom run`. The dialects of other tools come as files
//! beside it. The second one brings the table `DIALECTS` (name, the program names it answers to, `build`,
//! `print`), chosen by the program's name or the first word; a table of one row would choose nothing.
//!
//! Deliberately absent: splitting the command line into options (the door does that for the native dialect),
//! the machine (whether a profile fits it is `model::check`'s business), and consent to write: no dialect
//! can say that data may be lost.

pub mod native;
mod problem;
mod read;

pub use problem::{Note, Problem, Refusal};
pub use read::Reader;
