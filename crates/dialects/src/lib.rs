//! Text ⇄ `Profile`: the only room that knows what options are called.
//!
//! A dialect is one folder or file with two functions. `build` turns a request, as typed, into a
//! [`model::Profile`] with notes, or into every problem at once; `print` turns a timespan back into the command
//! line that repeats it. The law between them: what `print` says, `build` reads as the same timespan.
//!
//! There are five: [`native`], spoken by `fathom run`, [`diskspd`], [`sqlio`], [`fio`] and [`iometer`], each spoken by the
//! command of its name. A request of the others holds things that only their own output needs, so each has its own form
//! in between. fio's job files are read and not printed; IOmeter's configurations are both. Which dialect is spoken is
//! chosen at the door, by the program's name or the first word.
//!
//! [`dd`] reads the operands of a copy, which is no profile: `fathom dd` measures it.
//!
//! [`sweep`] reads requests of which some fields take several values, in either dialect's words or as a plan in TOML.
//!
//! [`published_caps`] reads the table of limits that clouds publish.
//!
//! Deliberately absent: splitting the command line into options for the native dialect (the door does that),
//! the machine (whether a profile fits it is `model::check`'s business), and consent to write: a dialect
//! passes on the words that allow it, and decides nothing.

mod caps;
pub mod dd;
pub mod diskspd;
pub mod fio;
pub mod iometer;
pub mod native;
mod own_options;
mod page;
mod problem;
mod read;
pub mod refusal;
pub mod sqlio;
pub mod sweep;
mod workloads;

pub use caps::{PublishedCap, published_caps};
pub use own_options::OwnOptions;
pub use problem::{Note, Problem, Refusal};
pub use read::Reader;
pub use workloads::{FileWorkload, WORKLOADS_LENGTH_MAX, workloads_of};
