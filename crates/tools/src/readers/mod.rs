//! Tools whose results are read and nothing else: a file each, with its row for [`crate::TOOLS`].
//!
//! Deliberately absent: their requests, and tools whose requests are read too, which are folders of their own.

pub(crate) mod crystaldiskmark;
pub(crate) mod elbencho;
pub(crate) mod f3;
pub(crate) mod hdparm;
pub(crate) mod io500;
pub(crate) mod ioping;
pub(crate) mod iostat;
pub(crate) mod iozone;
pub(crate) mod kbench;
pub(crate) mod kubernetes_dbench;
pub(crate) mod kubestr;
pub(crate) mod mdtest;
pub(crate) mod pg_test_fsync;
pub(crate) mod rados_bench;
pub(crate) mod spdk_perf;
pub(crate) mod sysbench;
pub(crate) mod vdbench;
pub(crate) mod warp;
