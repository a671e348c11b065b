//! The list of what is in the database, one line a session.

use crate::paper::Paper;
use crate::table::{Cells, left};
use crate::text::{begin, printable, shorten, width};
use crate::time::minute;
use std::borrow::Cow;
use std::io::{self, Write};

/// The width from which device and answer are columns; on a narrower page the answer is a line of its own.
const ON_ONE_LINE: usize = 120;
/// What stands before an answer on a line of its own.
const BELOW: &str = "     ";

/// One session as the list shows it.
#[derive(Clone, Debug)]
pub struct SessionLine {
    /// Its number: `12`.
    pub id: u64,
    /// `run`, `survey`, `sweep` or `import`.
    pub kind: &'static str,
    /// `complete`, `interrupted`, `failed`, or what a session that never ended is called.
    pub outcome: &'static str,
    /// `VALID`, `CAUTION`, `INVALID`, `NOT CHECKED`; empty where it is not known.
    pub validity: String,
    /// The most important figures, in a sentence; empty where they are not known.
    pub headline: String,
    /// The device below the target; empty where it is not known.
    pub device: String,
    /// Wall clock at its start: nanoseconds since 1970 in UTC.
    pub started_utc_ns: u64,
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
    let wide = paper.width() >= ON_ONE_LINE;
    let mut columns = vec![
        left("id", 3),
        left("started", 16),
        left("what", 6),
        left("result", 11),
        left("target", 6),
    ];
    if wide {
        columns.extend([left("device", 6), left("answer", 6)]);
    }
    let device = sessions.iter().map(|session| width(&session.device)).max();
    let device = device.filter(|_| wide).map_or(0, |room| room.max(6) + 2);
    let room = paper.width().saturating_sub(46 + device);
    let target_room = if wide { room / 2 } else { room };
    let targets = sessions.iter().map(|session| {
        let target = printable(&target(session));
        shorten(&target, target_room.max(6))
    });
    let targets: Vec<String> = targets.collect();
    let longest = targets.iter().map(|target| width(target)).max();
    let answer_room = room.saturating_sub(longest.unwrap_or(0).max(6) + 2);
    let mut cells = Cells::new(&columns);
    for (session, target) in sessions.iter().zip(&targets) {
        cells.push(&session.id.to_string());
        cells.push(&minute(session.started_utc_ns, &paper.zone));
        cells.push(session.kind);
        cells.push(result(session));
        cells.push(target);
        if wide {
            cells.push(&session.device);
            cells.push(&begin(&session.headline, answer_room));
        }
    }
    let shown: Vec<usize> = (0..columns.len()).collect();
    if wide {
        return cells.write(&shown, paper.width(), out);
    }
    let mut lines = Vec::new();
    cells.write(&shown, paper.width(), &mut lines)?;
    below(&String::from_utf8_lossy(&lines), sessions, paper, out)
}

/// Writes the lines of the sessions, each with its answer below.
fn below(
    lines: &str,
    sessions: &[SessionLine],
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    let head = std::iter::once("");
    let answers = sessions.iter().map(|session| session.headline.as_str());
    for (line, answer) in lines.lines().zip(head.chain(answers)) {
        writeln!(out, "{line}")?;
        if !answer.is_empty() {
            let room = paper.width().saturating_sub(width(BELOW));
            writeln!(out, "{BELOW}{}", begin(answer, room))?;
        }
    }
    Ok(())
}

/// Its verdict, unless it did not end as planned.
fn result(session: &SessionLine) -> &str {
    match session.outcome {
        "complete" if !session.validity.is_empty() => &session.validity,
        outcome => outcome,
    }
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
