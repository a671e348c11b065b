//! The options of fio's that fathom refuses, each with the reason and the nearest thing. Those that it accepts are in `table`.

use super::row::{Fate, Row};

const fn refuse(names: &'static [&'static str], linux: &'static str) -> Row {
    Row {
        names,
        linux,
        fate: Fate::Refuse,
    }
}

pub(super) const REFUSED: &[Row] = &[
    refuse(
        &["rw_sequencer"],
        "a step or a count between places: omit it",
    ),
    refuse(
        &["bs_is_seq_rand"],
        "a size for sequential and one for random I/O: specify each in a job of its own, by bs",
    ),
    refuse(&["opendir"], "specify the files by filename"),
    refuse(
        &["exec_prerun", "exec_postrun"],
        "fathom starts no programs: put them around its call",
    ),
    refuse(
        &["ioscheduler"],
        "fathom does not change the system: set the scheduler of the device first",
    ),
    refuse(
        &[
            "nice",
            "priohint",
            "cmdprio_class",
            "cmdprio_hint",
            "cmdprio",
            "cmdprio_bssplit",
            "cmdprio_split",
        ],
        "start fathom under nice or ionice; one job has I/Os of one priority only",
    ),
    refuse(
        &[
            "cgroup",
            "cgroup_nodelete",
            "cgroup_weight",
            "uid",
            "gid",
            "numa_cpu_nodes",
            "cpumode",
            "cpuload",
            "cpuchunks",
            "noreport",
        ],
        "start fathom in such a group, as such a user, under numactl or taskset; cpus_allowed places threads",
    ),
    refuse(
        &["dedupe_working_set_percentage", "dedupe_global"],
        "written data is random, zeros, or shaped by buffer_compress_percentage and dedupe_percentage",
    ),
    refuse(
        &[
            "fdp",
            "fdp_pli",
            "plid_select",
            "plids",
            "dp_scheme",
            "dataplacement",
        ],
        "fathom gives hints by the pattern alone",
    ),
    refuse(
        &[
            "profile",
            "latency_log",
            "block_error_percentiles",
            "skip_bad",
            "sprandom",
            "spr_op",
            "spr_num_regions",
            "random_sequence_stride",
            "num_range",
            "pi_act",
            "pi_chk",
            "apptag",
            "apptag_mask",
            "md_per_io_size",
            "write_mode",
            "verify_mode_fua",
            "deac",
            "pool",
            "port",
            "hostname",
            "protocol",
            "interface",
            "pingpong",
            "listen",
            "clustername",
            "rbdname",
            "clientname",
            "sg_write_mode",
            "stonewall_group",
            "donorname",
            "inplace",
        ],
        "this belongs to what fathom does not measure: blocks of files and devices are what it has",
    ),
];
