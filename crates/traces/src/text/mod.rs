//! The text formats, a file each: a function from a line to events.
//!
//! Omitted: the binary formats, which are next to this folder.

pub(crate) mod alibaba;
pub(crate) mod blkparse;
pub(crate) mod csv;
pub(crate) mod fio2;
pub(crate) mod fio3;
pub(crate) mod fiu;
pub(crate) mod kernel;
pub(crate) mod msps;
pub(crate) mod msr;
pub(crate) mod spc;
pub(crate) mod systor;
pub(crate) mod tencent;
