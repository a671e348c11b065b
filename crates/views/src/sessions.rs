//! The list of what is in the database, one line a session.

use crate::number::count;
use crate::paper::Paper;
use crate::table::{Cells, left, right};
use crate::text::{printable, shorten};
use crate::time::minute;
use std::borrow::Cow;
use std::io::{self, Write};

/// One session as the list shows it.
#[derive(Clone, Debug)]
pub struct SessionLine {
    /// Its number: `12`.
    pub id: u64,
    /// `run`, `survey`, `sweep` or `import`.
    pub kind: &'static str,
    /// `complete`, `interrupted`, `failed`, or what a session that never ended is called.
    pub outcome: &'static str,
    /// Wall clock at its start: nanoseconds since 1970 in UTC.
    pub started_utc_ns: u64,
    /// Runs stored in it.
    pub runs: u64,
    /// What was measured.
    pub target: String,
    /// Words that a person gave it.
    pub tags: Vec<String>,
    /// What a person wrote of it.
    pub comment: Option<String>,
}

/// Writes the list as it is given; one sentence where it is empty.
pub fn write_sessions(
    sessions: &[SessionLine],
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    if sessions.is_empty() {
        return writeln!(
            out,
            "nothing is stored yet; `fathom survey` measures and stores"
        );
    }
    let columns = [
        left("id", 3),
        left("started", 16),
        left("what", 6),
        left("ended", 11),
        right("runs", 4),
        left("target", 6),
    ];
    let room = paper.width().saturating_sub(55);
    let mut cells = Cells::new(&columns);
    for session in sessions {
        cells.push(&session.id.to_string());
        cells.push(&minute(session.started_utc_ns, &paper.zone));
        cells.push(session.kind);
        cells.push(session.outcome);
        cells.push(&count(session.runs));
        cells.push(&shorten(&printable(&target(session)), room));
    }
    cells.write(&[0, 1, 2, 3, 4, 5], paper.width(), out)
}

/// The target, and behind it tags and comment.
fn target(session: &SessionLine) -> Cow<'_, str> {
    if session.tags.is_empty() && session.comment.is_none() {
        return Cow::Borrowed(&session.target);
    }
    let tags = session.tags.iter().map(|tag| format!(" [{tag}]"));
    let comment = session.comment.iter().map(|comment| format!(": {comment}"));
    let behind = tags.chain(comment);
    Cow::Owned(session.target.clone() + &behind.collect::<String>())
}
