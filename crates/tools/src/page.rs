//! Lines of help: words broken at blanks, and a switch with its description next to it.
//!
//! Deliberately absent: their content, which the tables of the dialects have.

use std::fmt::Write;

/// As wide as the narrowest terminal that is met, less the last column.
pub(crate) const COLUMNS: usize = 79;

/// Where the words about a switch begin.
const INDENT: usize = 26;

/// The text as a paragraph.
pub(crate) fn paragraph(page: &mut String, text: &str) {
    for line in lines_of(text, COLUMNS) {
        writeln!(page, "{line}").expect("a String takes it");
    }
}

/// A switch in this form, and what it asks for. Marks of the manual are omitted.
pub(crate) fn entry(page: &mut String, form: &str, doc: &str) {
    let doc = doc.replace('`', "");
    let mut lines = lines_of(&doc, COLUMNS - INDENT).into_iter();
    let about = match form.len() + 4 > INDENT {
        true => String::new(), // the form has a line of its own
        false => lines.next().unwrap_or_default(),
    };
    let head = format!("  {form:<room$}{about}", room = INDENT - 2);
    writeln!(page, "{}", head.trim_end()).expect("a String takes it");
    for line in lines {
        writeln!(page, "{:INDENT$}{line}", "").expect("a String takes it");
    }
}

/// Broken at blanks.
fn lines_of(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("begins with one line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= columns {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// A switch as it is written, with its argument.
pub(crate) fn form(name: &str, long: bool, argument: &str) -> String {
    match (long, argument) {
        (true, "") => format!("--{name}"),
        (true, argument) => format!("--{name} {argument}"),
        (false, "") => format!("-{name}"),
        (false, argument) => format!("-{name}<{argument}>"),
    }
}
