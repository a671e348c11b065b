//! Traces of block I/Os, as other programs recorded them: read, described, cut and written.
//!
//! A trace is a stream: memory does not depend on its length. Files become events by a row of [`FORMATS`] each
//! (`source`), the events of several files become one stream in the order of time, events of the same I/O become one
//! [`TraceRecord`](model::trace::TraceRecord) (`pairing`), and [`Trace`] returns these one by one. [`describe`] summarizes them,
//! [`Window`] cuts, and [`WRITERS`] has the formats that are written. Omitted: opening files for writing (`gate`), issuing
//! the I/Os (`engine`), and any content of an I/O.

mod blktrace;
mod depends;
mod describe;
mod drawn;
mod error;
mod event;
mod fidelity;
mod fit;
mod footprint;
mod formats;
mod input;
mod iotrace;
mod learn;
mod observed;
mod pairing;
mod parse;
mod profile;
mod replay;
mod source;
mod text;
pub mod trace;
mod unpack;
mod vscsi;
mod window;
mod write;

pub use describe::{Description, describe};
pub use drawn::Drawn;
pub use error::{Place, TraceError};
pub use event::Counts;
pub use event::Writer;
pub use fidelity::{Properties, fidelity};
pub use fit::{Fit, Placement, Room};
pub use formats::{FORMATS, Format, format_named};
pub use learn::Learner;
pub use observed::Observed;
pub use profile::{
    ArrivalRule, FlushPer, FlushRule, LearnedFrom, LearnedProfile, LearnedWorkload, PROFILE_MAX,
    PlaceClass, Places, ProfileError, Side,
};
pub use replay::{Passed, Route, RoutedIo, SPEED_ONE, Scan, Selection, Share};
pub use trace::{Options, Trace};
pub use window::Window;
pub use write::{WRITERS, WriterFormat, writer_named};
