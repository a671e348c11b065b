//! Reads `rows.txt`: which command lines run, how, and into which expected file their outputs go.
//!
//! Omitted: running them (`shards`).

/// How a line is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// On a terminal of 80 columns, and through a pipe.
    Both,
    /// On terminals of other widths.
    Widths,
    /// Through a pipe.
    Pipe,
    /// Through a pipe, shown as a digest.
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

/// A name of sessions, such as `{kind}`, and their numbers.
type Sessions<'t> = (&'t str, Vec<String>);

/// Reads the table; `{id}` becomes each of these sessions. Panics at a line that is none of its forms.
pub(crate) fn read(text: &str, sessions: &[u64]) -> (Vec<Row>, Vec<Omitted>) {
    let (mut rows, mut omitted) = (Vec::new(), Vec::new());
    let mut section = None;
    let all = sessions.iter().map(ToString::to_string).collect();
    let mut lists: Vec<Sessions<'_>> = vec![("{id}", all)];
    for line in text.lines().filter(|line| is_row(line)) {
        if let Some((name, list)) = line.split_once(" = ").filter(|_| line.starts_with('{')) {
            lists.push((name, list.split(' ').map(str::to_owned).collect()));
        } else if let Some(head) = line.strip_prefix('[') {
            section = Some(section_of(head).unwrap_or_else(|| panic!("rows.txt: {line}")));
        } else if let Some(rest) = line.strip_prefix("omitted fathom ") {
            let (command, reason) = rest.split_once(": ").expect("COMMAND: REASON");
            omitted.push(Omitted {
                command: command.to_owned(),
                reason: reason.to_owned(),
            });
        } else {
            let (file, how) = section.as_ref().expect("a section precedes its lines");
            rows.extend(expanded(file, *how, line, &lists));
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
        "both" => How::Both,
        "widths" => How::Widths,
        "pipe" => How::Pipe,
        "digest" => How::Digest,
        "changes" => How::Changes,
        _ => return None,
    };
    Some((file.to_owned(), how))
}

fn expanded(file: &str, how: How, line: &str, lists: &[Sessions<'_>]) -> Vec<Row> {
    let row = |name: &str, id: &str| Row {
        file: file.replace(name, &format!("{id:0>3}")),
        how,
        line: line.replace(name, id),
    };
    match lists.iter().find(|(name, _)| line.contains(name)) {
        Some((name, sessions)) => sessions.iter().map(|id| row(name, id)).collect(),
        None => vec![row("{id}", "")],
    }
}
