//! A copy as dd, lmdd or sgp_dd requests it: what they have in common, and how each of them spells it.

use super::DdRequest;
use model::Bytes;
use model::record::copied::CopyTransfers;

/// What was asked, by one of these tools.
#[derive(Clone, Debug)]
pub struct CopyRequest {
    /// Ends, amounts and flags.
    pub copy: DdRequest,
    /// Transfers with places of their own; `None` of dd.
    pub transfers: Option<CopyTransfers>,
    /// The lines on standard error.
    pub lines: CopyLines,
    /// How problems with the ends are spelled.
    pub spelling: CopySpelling,
    /// What changes nothing, and why.
    pub notes: Vec<String>,
}

/// Whose lines are printed on standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyLines {
    /// Those of dd.
    Dd,
    /// That of lmdd.
    Lmdd {
        /// `print=`.
        print: Option<u64>,
        /// `label=`.
        label: String,
    },
    /// Those of sgp_dd.
    SgpDd {
        /// `bs=`.
        block: Bytes,
        /// `time=1`.
        time: bool,
    },
}

/// Operands as a tool spells them.
#[derive(Clone, Copy, Debug)]
pub struct CopySpelling {
    /// Its name.
    pub tool: &'static str,
    /// Direct reads.
    pub input_direct: &'static str,
    /// Direct writes.
    pub output_direct: &'static str,
    /// The output must not be there; empty where it has none.
    pub must_be_new: &'static str,
    /// The output must be there; empty where it has none.
    pub must_be_there: &'static str,
}

impl From<DdRequest> for CopyRequest {
    fn from(copy: DdRequest) -> Self {
        CopyRequest {
            copy,
            transfers: None,
            lines: CopyLines::Dd,
            spelling: CopySpelling {
                tool: "dd",
                input_direct: "iflag=direct",
                output_direct: "oflag=direct",
                must_be_new: "conv=excl",
                must_be_there: "conv=nocreat",
            },
            notes: Vec::new(),
        }
    }
}
