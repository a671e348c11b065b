//! `cargo xtask tidy`: the rules of the house that no other tool checks, each finding with its remedy.
//!
//! A check is a function from the tree to findings and one row in [`CHECKS`]. Deliberately absent: what
//! clippy and rustfmt check already, and any opinion on code that needs more than its words.

mod circles;
mod crates;
mod figures;
mod fixtures;
mod lexer;
mod origins;
mod prose;
mod rust;
mod sentences;
mod system;
mod tokens;
mod tree;
mod unsafety;
mod vocabulary;
mod writes;

use std::fmt;
use std::path::Path;
use tree::Tree;

/// Something that is against a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    path: String, // from the root of the tree
    line: usize,  // from 1
    what: String,
    remedy: String,
}

type Check = fn(&Tree) -> Vec<Finding>;

const CHECKS: &[Check] = &[
    crates::arrows,
    crates::owners,
    crates::versions,
    rust::heads,
    rust::lengths,
    rust::leftovers,
    unsafety::check,
    system::check,
    origins::check,
    writes::check,
    fixtures::check,
    prose::links,
    prose::mentions,
    prose::book,
    prose::changelog,
    vocabulary::check,
    sentences::check,
    sentences::pages,
    figures::check,
];

/// Whether nothing was found.
pub(crate) fn run(root: &Path) -> bool {
    let tree = match Tree::read(root) {
        Ok(tree) => tree,
        Err(error) => {
            eprintln!("tidy: {error}");
            return false;
        }
    };
    let mut findings: Vec<Finding> = CHECKS.iter().flat_map(|check| check(&tree)).collect();
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    println!(
        "tidy: {} files, {} findings",
        tree.files.len(),
        findings.len()
    );
    findings.is_empty()
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding {
            path: path.to_owned(),
            line,
            what: what.into(),
            remedy: remedy.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: {}\n    {}",
            self.path, self.line, self.what, self.remedy
        )
    }
}
