//! Opens files and devices for writing, and what a person named as input. No other crate opens for writing: `cargo xtask tidy` fails on a call that opens, renames
//! or removes a file elsewhere.
//!
//! A path is resolved once, component by component ([`resolve`]). What it leads to is pinned by a descriptor, and
//! everything that follows (facts, proof, lock, the descriptor that writes) is taken from that descriptor, so that a
//! name which changes meanwhile leads nowhere else. Omitted: what may be written (`model::check`) and what a target
//! contains (`host`).

mod access;
mod file_facts;
mod input;
mod lock;
mod mark;
mod output;
mod output_error;
mod pins;
mod side_files;
mod whole_file;

#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod system;

pub use access::Access;
pub use file_facts::{FileFacts, NodeKind};
pub use input::{Input, WhileWaiting, while_input_waits};
pub use lock::FileLock;
pub use output::{
    Existing, NewOutput, OutputError, Replace, check_output, check_output_in, create_new,
    open_growing, write_output, write_output_in, write_private_output,
};
pub use pins::Pins;
pub use side_files::{SIDE_FILES, create_private_folders, side_of};
pub use system::database::{DatabasePlace, DatabaseRefusal, check_database_name, database};
pub use system::folder::{Folder, Kind, Name, Use};
pub use system::lease::{Lease, Openers, openers};
pub use system::pin::{Pin, is_changed};
pub use system::stream::standard_output;
pub use system::trust::Distrust;
pub use system::walk::{ForeignName, Resolved, resolve};
pub use system::{Descriptor, Owner, file_facts, read_at, write_at};
pub use whole_file::{PartFile, file_length_limit};
