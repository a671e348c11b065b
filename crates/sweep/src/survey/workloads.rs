//! What a survey measures: the seven workloads of a plain one, and those that a kind of program is known for.
//!
//! # Why these seven
//!
//! A person first looks for four numbers: the best random rate and the best bandwidth, for reads and for
//! writes (Seastar's iotune measures exactly these; CrystalDiskMark shows them as its rows). They are the 4K
//! random and the 1M sequential pairs. The other three are what databases do: 8K random with 30% writes is
//! the usual picture of transactions, 64K random reads are index and extent reads, and 512K sequential
//! reads are a table scan with read-ahead. Five block sizes also give the line "time = a + b × size" at
//! depth 1, which parts what positioning costs from what the link carries.
//!
//! # The sets
//!
//! Each names the program that does such I/O; docs/survey.md gives the sources. Deliberately absent: how deep and for how
//! long, which `climb` and `budget` find out.

use model::{Access, Bytes, Ratio};

/// What is done, at any load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurveyWorkload {
    /// As reports call it. No two of a survey are identical.
    pub name: String,
    /// Bytes of one I/O.
    pub block: Bytes,
    /// Share of I/Os that are writes.
    pub write: Ratio,
    /// Where the next I/O goes.
    pub access: Access,
}

/// A set of workloads under one name.
#[derive(Clone, Copy, Debug)]
pub struct WorkloadSet {
    /// What `--workload` takes.
    pub name: &'static str,
    /// Whose I/O it is, in one sentence.
    pub what: &'static str,
    rows: &'static [Row],
}

/// Name, KiB, percent of writes, access.
type Row = (&'static str, u64, u8, Access);

use Access::{Random, Sequential};

/// The plain survey, in the order in which reports show it.
const PLAIN: &[Row] = &[
    ("4K random read", 4, 0, Random),
    ("4K random write", 4, 100, Random),
    ("8K random 70/30", 8, 30, Random),
    ("64K random read", 64, 0, Random),
    ("512K sequential read", 512, 0, Sequential),
    ("1M sequential read", 1024, 0, Sequential),
    ("1M sequential write", 1024, 100, Sequential),
];

/// Every set, the plain one first.
pub const SETS: &[WorkloadSet] = &[
    WorkloadSet {
        name: "all",
        what: "the best rates and bandwidths, and what databases do",
        rows: PLAIN,
    },
    WorkloadSet {
        name: "oltp",
        what: "transactions: small random pages, seven reads to three writes, and the log next to them",
        rows: &[
            ("8K random 70/30", 8, 30, Random),
            ("8K random read", 8, 0, Random),
            ("8K random write", 8, 100, Random),
            ("8K sequential write", 8, 100, Sequential),
        ],
    },
    WorkloadSet {
        name: "olap",
        what: "scans of large tables: large sequential reads, one stream a file",
        rows: &[
            ("512K sequential read", 512, 0, Sequential),
            ("256K random read", 256, 0, Random),
            ("512K sequential write", 512, 100, Sequential),
        ],
    },
    WorkloadSet {
        name: "sql-log",
        what: "a transaction log: sequential writes from a sector to 60K, read back on recovery",
        rows: &[
            ("4K sequential write", 4, 100, Sequential),
            ("16K sequential write", 16, 100, Sequential),
            ("60K sequential write", 60, 100, Sequential),
            ("60K sequential read", 60, 0, Sequential),
        ],
    },
    WorkloadSet {
        name: "backup",
        what: "backup and restore: large sequential reads, and writes",
        rows: &[
            ("1M sequential read", 1024, 0, Sequential),
            ("1M sequential write", 1024, 100, Sequential),
        ],
    },
    WorkloadSet {
        name: "vdi",
        what: "virtual desktops: small random I/O, mostly writes once they have started, mostly reads while they do",
        rows: &[
            ("4K random 20/80", 4, 80, Random),
            ("4K random 80/20", 4, 20, Random),
            ("32K sequential read", 32, 0, Sequential),
        ],
    },
];

impl WorkloadSet {
    /// The set of this name.
    pub fn of(name: &str) -> Option<&'static WorkloadSet> {
        SETS.iter().find(|set| set.name == name)
    }

    /// Its workloads, in the order in which reports show them.
    pub fn workloads(&self) -> Vec<SurveyWorkload> {
        let workload = |(name, kib, write, access): &Row| SurveyWorkload {
            name: (*name).to_owned(),
            block: Bytes::kib(*kib),
            write: Ratio::percent(*write).expect("a percentage"),
            access: access.clone(),
        };
        self.rows.iter().map(workload).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_says_what_its_workload_does() {
        for set in SETS {
            for workload in set.workloads() {
                let way = if workload.access == Random {
                    "random"
                } else {
                    "sequential"
                };
                let kib = workload.block.0 / 1024;
                let size = if kib == 1024 {
                    "1M".to_owned()
                } else {
                    format!("{kib}K")
                };
                assert!(
                    workload.name.starts_with(&format!("{size} {way} ")),
                    "{}",
                    workload.name
                );
                let percent = workload.write.as_percent();
                let what = match percent {
                    0 => "read".to_owned(),
                    100 => "write".to_owned(),
                    _ => format!("{}/{percent}", 100 - percent),
                };
                assert!(workload.name.ends_with(&what), "{}", workload.name);
            }
        }
    }

    #[test]
    fn no_two_workloads_of_a_set_have_one_name() {
        for set in SETS {
            let mut names: Vec<String> = set.workloads().into_iter().map(|w| w.name).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), set.rows.len(), "{}", set.name);
        }
    }
}
