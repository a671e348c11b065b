//! Tools whose results are read and nothing else: a file each, with its row for [`crate::TOOLS`].
//!
//! Deliberately absent: their requests, and tools whose requests are read too, which are folders of their own.

pub(crate) mod crystaldiskmark;
pub(crate) mod hdparm;
pub(crate) mod ioping;
pub(crate) mod iozone;
pub(crate) mod sysbench;
