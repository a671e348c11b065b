//! What the gate asks of Linux.

pub(crate) mod accounts;
pub(crate) mod acl;
mod at;
pub(crate) mod database;
mod descriptor;
mod facts;
mod flags;
pub(crate) mod folder;
mod input;
mod lease;
mod length_limit;
pub(crate) mod mark;
pub(crate) mod name;
mod names;
mod owner;
mod pinned;
mod private_folders;
mod rights;
pub(crate) mod stream;
pub(crate) mod trust;
mod walk;

pub use at::{read_at, write_at};
pub use descriptor::{Descriptor, is_out_of_descriptors};
pub use facts::file_facts;
pub(crate) use input::{open_input, standard_input, wait_for_bytes};
pub use lease::{Lease, openers};
pub use length_limit::file_length_limit;
pub(crate) use mark::{MarkRead, read_mark, write_mark};
pub(crate) use names::{
    LIST_OPENERS, create_new, exchange, is_devices, is_link, keeps_all_names, lacks, look_up,
    may_add, names, open_to_read, remove_name, rename, sync_folder, take_free_name, try_lock,
};
pub use owner::Owner;
pub(crate) use pinned::{
    beginning, create, link_to, named, nameless, open_target, real_path, reopen, stale,
};
pub use private_folders::create_private_folders;
pub(crate) use rights::{Rights, make_private, mode_of};
pub(crate) use walk::name_of;
pub use walk::resolve;
