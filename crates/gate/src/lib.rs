//! Opens files and devices for writing, and what a person named as input. No other crate opens for writing: `cargo xtask tidy` fails on a call that opens, renames
//! or removes a file elsewhere.
//!
//! A path is resolved once, component by component ([`resolve`]). What it leads to is pinned by a descriptor, and
//! everything that follows (facts, proof, lock, the descriptor that writes) is taken from that descriptor, so that a
//! name which changes meanwhile leads nowhere else. Omitted: what may be written (`model::check`) and what a target
//! contains (`host`).

mod access;
mod database;
mod errno_text;
mod file_facts;
mod input;
mod lock;
mod mark;
mod openers;
mod output;
mod output_error;
mod part;
mod pin;
mod pins;
mod resolved;
mod side_files;
mod use_of_names;
mod whole_file;

#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod system;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod system;

pub use access::Access;
pub use database::{DatabaseRefusal, check_database_name};
pub(crate) use errno_text::errno_text;
pub use file_facts::{FileFacts, NodeKind};
pub use input::{Input, WhileWaiting, while_input_waits};
pub use lock::FileLock;
pub use openers::Openers;
pub use output::{
    Existing, NewOutput, OutputError, Replace, check_output, check_output_in, create_new,
    open_growing, write_output, write_output_in, write_private_output,
};
pub use pin::{Pin, is_changed};
pub use pins::Pins;
pub use resolved::{ForeignName, Resolved};
pub use side_files::{SIDE_FILES, side_of};
pub use system::database::{DatabasePlace, database};
pub use system::folder::Folder;
pub use system::name::Name;
pub use system::stream::standard_output;
pub use system::trust::Distrust;
pub use system::{
    Descriptor, Lease, Owner, create_private_folders, file_facts, file_length_limit,
    is_out_of_descriptors, openers, read_at, resolve, write_at,
};
pub use use_of_names::{Kind, Use};
pub use whole_file::PartFile;
