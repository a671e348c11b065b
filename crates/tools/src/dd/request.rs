//! A copy as dd, lmdd or sgp_dd requests it: what they have in common, and how each of them spells it.

use super::DdRequest;
use model::Bytes;
use model::record::copied::CopyTransfers;
use std::path::PathBuf;

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

impl CopyRequest {
    /// Both ends as the request names them: an end that reads or writes nothing has a path only for the checks.
    pub fn names(&self) -> [PathBuf; 2] {
        let work = self.transfers.as_ref();
        let ends = [
            (
                "if=",
                work.is_some_and(|work| work.no_input),
                &self.copy.input.path,
            ),
            (
                "of=",
                work.is_some_and(|work| work.no_output),
                &self.copy.output.path,
            ),
        ];
        ends.map(|(operand, is_none, path)| {
            let words = self.copy.operands.iter();
            let given = words.filter_map(|word| word.strip_prefix(operand)).next();
            match given {
                _ if !is_none => path.clone(),
                Some("") | None => PathBuf::from("internal"),
                Some(given) => PathBuf::from(given),
            }
        })
    }
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
