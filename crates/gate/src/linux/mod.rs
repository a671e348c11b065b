//! What the gate asks of Linux.

mod at;
mod descriptor;
mod facts;
mod flags;
mod owner;

pub use at::{read_at, write_at};
pub use descriptor::Descriptor;
pub use facts::file_facts;
pub(crate) use flags::flags;
pub use owner::Owner;
