//! What the gate asks of Linux.

pub(crate) mod accounts;
pub(crate) mod acl;
mod at;
pub(crate) mod database;
mod descriptor;
mod facts;
mod flags;
pub(crate) mod folder;
pub(crate) mod lease;
mod owner;
pub(crate) mod part;
pub(crate) mod pin;
pub(crate) mod stream;
pub(crate) mod trust;
pub(crate) mod walk;

pub use at::{read_at, write_at};
pub use descriptor::Descriptor;
pub use facts::file_facts;
pub(crate) use flags::flags;
pub use owner::Owner;
