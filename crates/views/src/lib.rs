//! Report → bytes: what a person reads in a terminal, and what a program reads as JSON.
//!
//! No arithmetic but formatting: every number that is shown stands in the report. Start with `paper` (how
//! wide, which zone, what at the foot), then `summary` (one run) and `survey`; `number`, `text` and `table`
//! are what they are made of. `diskspd` speaks that tool's own layouts. Deliberately absent: terminals, colours,
//! and where bytes go; a view writes to what it is given.

mod devices;
mod diskspd;
mod foot;
mod json;
mod number;
mod paper;
mod sessions;
mod summary;
mod survey;
mod table;
mod text;
mod time;

pub use devices::{DeviceLine, write_devices};
pub use diskspd::{DiskspdResults, diskspd_text, diskspd_xml};
pub use json::{run_json, schemas, survey_json};
pub use paper::{Paper, Stored};
pub use sessions::{SessionLine, write_sessions};
pub use summary::run_summary;
pub use survey::survey_summary;
pub use text::printable;
pub use time::{Zone, local_stamp, write_time};
