//! Reads `rows.txt`: which command lines run, how, and into which expected file their outputs go.
//!
//! Omitted: running them (`shards`).

/// How a line is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// On terminals of several widths, and through a pipe.
    Widths,
    /// Through a pipe.
    Pipe,
    /// Through a pipe, shown as a digest per top-level value.
    Digest,
    /// Through a pipe, in order, on a database of its own.
    Changes,
}

/// One command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) file: String, // below `expected/`, without `.txt`
    pub(crate) how: How,
    pub(crate) line: String, // of sh
}

/// A command without rows, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Omitted {
    pub(crate) command: String,
    pub(crate) reason: String,
}

/// Reads the table; `{id}` becomes each of these sessions. Panics at a line that is none of its forms.
pub(crate) fn read(text: &str, sessions: &[u64]) -> (Vec<Row>, Vec<Omitted>) {
    let (mut rows, mut omitted) = (Vec::new(), Vec::new());
    let mut section = None;
    for line in text.lines().filter(|line| is_row(line)) {
        if let Some(head) = line.strip_prefix('[') {
            section = Some(section_of(head).unwrap_or_else(|| panic!("rows.txt: {line}")));
        } else if let Some(rest) = line.strip_prefix("omitted fathom ") {
            let (command, reason) = rest.split_once(": ").expect("COMMAND: REASON");
            omitted.push(Omitted {
                command: command.to_owned(),
                reason: reason.to_owned(),
            });
        } else {
            let (file, how) = section.as_ref().expect("a section precedes its lines");
            rows.extend(expanded(file, *how, line, sessions));
        }
    }
    (rows, omitted)
}

fn is_row(line: &str) -> bool {
    !line.is_empty() && !line.starts_with('#')
}

fn section_of(head: &str) -> Option<(String, How)> {
    let (file, how) = head.strip_suffix(']')?.split_once(' ')?;
    let how = match how {
        "widths" => How::Widths,
        "pipe" => How::Pipe,
        "digest" => How::Digest,
        "changes" => How::Changes,
        _ => return None,
    };
    Some((file.to_owned(), how))
}

fn expanded(file: &str, how: How, line: &str, sessions: &[u64]) -> Vec<Row> {
    let row = |id: &str| Row {
        file: file.replace("{id}", &format!("{id:0>3}")),
        how,
        line: line.replace("{id}", id),
    };
    match file.contains("{id}") {
        true => sessions.iter().map(|id| row(&id.to_string())).collect(),
        false => vec![row("")],
    }
}
