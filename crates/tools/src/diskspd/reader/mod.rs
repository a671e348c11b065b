//! What DISKSPD prints as text, every layout from 2.0.11 on, and pieces of it as people paste them.
//!
//! Read in this order: `wrap` (console lines that were broken at the window's edge, joined again), `walk` (line by
//! line: which part of the output it belongs to), `request` (the input parameters), `table` (Total, Read and Write IO),
//! `chart` (percentiles), `posted` (the command line, where the parameters were not posted), `finish` (what was found → runs, or what is missing). Which version prints so is at the end of this file.
//! The layouts are those of the specification's sections 3 and 9. Deliberately absent: the command line's meaning (it
//! is kept as printed), and the sums over several time spans, which are derived.

mod chart;
mod finish;
mod posted;
mod request;
mod table;
mod walk;
mod wrap;

use crate::imports::section::{Found, Section, Start};

pub(super) use finish::defaults_of_2_3;
pub(crate) use walk::busier;

/// The line that every version prints first; the other three begin what people paste without it.
pub(crate) fn begins(line: &str, _text: &str) -> Start {
    const PARTS: [&str; 3] = [
        "Input parameters:",
        "Results for timespan ",
        "actual test time:",
    ];
    if line.starts_with("Command Line:") {
        Start::Here
    } else if PARTS.iter().any(|part| line.starts_with(part))
        || line.trim_end() == "Total IO"
        || is_table(line)
        || line.starts_with("%-ile |")
    {
        Start::Orphan
    } else {
        Start::No
    }
}

/// The head of a table: `thread |       bytes     |     I/Os     |    MiB/s   | …`.
fn is_table(line: &str) -> bool {
    let mut names = line.split('|').map(str::trim);
    names.next() == Some("thread") && names.next() == Some("bytes")
}

/// One run a time span that has results.
pub(crate) fn read(section: &Section, found: &mut Found) {
    let mut walk = walk::Walk::new(section.text.len());
    walk.posted = posted::last_of(section.before()).map(str::to_owned);
    for line in wrap::whole_lines(section) {
        walk.line(&line);
    }
    finish::finish(section, walk, found);
}

/// What was seen of the marks by which versions differ: the specification's section 9, from the newest mark to the oldest.
#[derive(Clone, Copy, Debug, Default)]
struct Layout {
    seen: usize,
}

/// A piece of a line, and the first version that prints it; the newest first.
const MARKS: [(&str, &str); 8] = [
    ("buffer separation: ", "2.3"),
    ("effective affinity (", "2.3"),
    ("heterogeneous cores:", "2.2"),
    ("operations per thread:", "2.1"),
    ("System information:", "2.0.21"),
    ("MiB/s", "2.0.18"),
    ("writethrough o", "2.0.17"),
    ("read/write ratio:", "2.0.16"),
];
/// The mark of the results alone, which no later version lacks.
const UNIT_ONLY: usize = 5;
const GATHERING: &str = "gathering IOPS at intervals";

impl Layout {
    fn line(&mut self, line: &str) {
        for (number, (mark, _)) in MARKS.iter().enumerate() {
            if line.contains(mark) {
                self.seen |= 1 << number;
            }
        }
        if line.contains(GATHERING) {
            self.seen |= 1 << (MARKS.len() - 1);
        }
    }

    /// The oldest version that prints all of it. `None` where only numbers were pasted; 2.0.15 represents it and older.
    fn version(self, has_parameters: bool) -> Option<&'static str> {
        let newest = (0..MARKS.len()).find(|number| self.seen & (1 << number) != 0);
        match newest {
            // The results alone distinguish no more than this.
            Some(UNIT_ONLY) if !has_parameters => None,
            Some(number) => Some(MARKS[number].1),
            None => has_parameters.then_some("2.0.15"),
        }
    }
}
