//! The list of what is in the database, one line a session.

use crate::paper::Paper;
use crate::table::{Cells, left};
use crate::text::{begin, printable, shorten, width};
use crate::time::minute;
use std::borrow::Cow;
use std::io::{self, Write};

/// The width from which device and answer are columns; on a narrower page the answer is a line of its own.
const ON_ONE_LINE: usize = 120;
/// The width below which the target is on a line of its own, too.
const TARGET_BELOW: usize = 60;
/// What stands before an answer on a line of its own.
const BELOW: &str = "     ";

/// One session as the list shows it.
#[derive(Clone, Debug)]
pub struct SessionLine {
    /// Its number: `12`.
    pub id: u64,
    /// `run`, `survey`, `sweep` or `import`.
    pub kind: String,
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
    /// Tags that a user gave it.
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
    if paper.width() < TARGET_BELOW {
        return write_narrow(sessions, paper, out);
    }
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
    let room = paper.room().saturating_sub(46 + device);
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
        cells.push(&session.kind);
        cells.push(result(session));
        cells.push(target);
        if wide {
            cells.push(&session.device);
            cells.push(&begin(&session.headline, answer_room));
        }
    }
    if wide {
        let shown: Vec<usize> = (0..columns.len()).collect();
        return cells.write(&shown, paper.room(), out);
    }
    below(&cells, sessions, paper, |_| None, out)
}

/// Writes the list with target and answer on lines of their own.
fn write_narrow(sessions: &[SessionLine], paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let columns = [left("id", 3), left("started", 16), left("result", 11)];
    let mut cells = Cells::new(&columns);
    for session in sessions {
        cells.push(&session.id.to_string());
        cells.push(&minute(session.started_utc_ns, &paper.zone));
        cells.push(result(session));
    }
    let what = |session: &SessionLine| {
        let text = format!("{} {}", session.kind, printable(&target(session)));
        Some(shorten(&text, paper.room().saturating_sub(width(BELOW))))
    };
    below(&cells, sessions, paper, what, out)
}

/// Writes the lines of the sessions, each with `what` and its answer below.
fn below(
    cells: &Cells<'_>,
    sessions: &[SessionLine],
    paper: &Paper,
    what: impl Fn(&SessionLine) -> Option<String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut lines = Vec::new();
    let shown: Vec<usize> = (0..cells.columns()).collect();
    cells.write(&shown, paper.room(), &mut lines)?;
    let lines = String::from_utf8_lossy(&lines);
    let room = paper.room().saturating_sub(width(BELOW));
    let each = std::iter::once(None).chain(sessions.iter().map(Some));
    for (line, session) in lines.lines().zip(each) {
        writeln!(out, "{line}")?;
        let answer = session.map(|session| begin(&session.headline, room));
        let below = [session.and_then(&what), answer];
        for text in below.iter().flatten().filter(|text| !text.is_empty()) {
            writeln!(out, "{BELOW}{text}")?;
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
