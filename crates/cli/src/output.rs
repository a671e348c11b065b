//! What goes out: results to standard output, words to a person on standard error.
//!
//! Deliberately absent: what the results look like (`views`), and progress.

use crate::environment::{self, Environment};
use crate::signals;
use engine::Stop;
use model::CommandError;
use std::io::{self, ErrorKind, Write};
use std::process::{Command, Stdio};

/// Stands before every message.
const NAME: &str = "fathom: ";

/// Writes a whole result at once. A reader that went away (`| head -1`) is no error, and the exit code is that of a result
/// that was not written.
pub(crate) fn print(result: &[u8]) -> Result<(), CommandError> {
    if still_read(result)? {
        Ok(())
    } else {
        Err(CommandError::silent())
    }
}

/// Shows a text with the pager, where there is one, and prints it otherwise.
pub(crate) fn page(text: &[u8], environment: &Environment) -> Result<(), CommandError> {
    let mut words = environment
        .pager
        .iter()
        .flat_map(|pager| pager.split_whitespace());
    let Some(program) = words.next() else {
        return print(text);
    };
    signals::listen(&Stop::new())?; // Ctrl-C is for the pager, which uses the terminal
    let pager = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .spawn();
    let Ok(mut pager) = pager else {
        return print(text); // not installed
    };
    let input = pager.stdin.take();
    let _ = input.expect("piped above").write_all(text); // its user may end it before the end of the text
    match pager.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(CommandError::failed(format!(
            "the pager {program} failed: {status}; hint: PAGER=cat prints the text"
        ))),
        Err(error) => Err(CommandError::failed(model::errno_text(&error))),
    }
}

/// Prints a list of options, its lines no longer than the terminal.
pub(crate) fn print_usage(text: &str) -> Result<(), CommandError> {
    match environment::output_columns() {
        Some(columns) => print(views::folded_usage(text, columns).as_bytes()),
        None => print(text.as_bytes()),
    }
}

/// The same of a result that is written as it grows, because it would not fit into memory.
pub(crate) fn stream(
    view: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CommandError> {
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match written(view(&mut out).and_then(|()| out.flush()))? {
        true => Ok(()),
        false => Err(CommandError::silent()),
    }
}

/// Writes a part of a result that goes on. Returns whether there is still a reader.
pub(crate) fn still_read(part: &[u8]) -> Result<bool, CommandError> {
    let mut out = io::stdout().lock();
    written(out.write_all(part).and_then(|()| out.flush()))
}

/// The result of a write to standard output: whether there is still a reader.
pub(crate) fn written(outcome: io::Result<()>) -> Result<bool, CommandError> {
    match outcome {
        // The write went to the /dev/null that the runtime opened in its place.
        Ok(()) if host::output_was_closed() => {
            Err(CommandError::failed("standard output is closed"))
        }
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(CommandError::failed(format!(
            "standard output could not be written: {}",
            model::errno_text(&error)
        ))),
    }
}

/// Prints one message to the user, with the program's name before it. Names of files may contain anything, so what a
/// terminal would obey is escaped, line ends too. Without a reader nothing is printed.
pub(crate) fn tell(text: &str) {
    let mut err = io::stderr().lock();
    let text = views::printable(cut(text));
    let (text, remedy) = model::split_hint(&text);
    let columns = environment::message_columns();
    let remedy = remedy.map(|remedy| broken("hint: ", remedy, columns));
    let lines = broken(NAME, text, columns).into_iter();
    for line in lines.chain(remedy.into_iter().flatten()) {
        let _ = writeln!(err, "{line}");
    }
}

/// Prints a result where standard output has something else.
pub(crate) fn tell_result(result: &[u8]) {
    let _ = io::stderr().lock().write_all(result);
}

/// A line of another tool's, as that tool writes it: without the program's name.
pub(crate) fn tell_plain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", views::printable(line));
}

/// The same in place of the line before it.
pub(crate) fn draw_over(line: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "\r{}", views::printable(line)).and_then(|()| err.flush());
}

/// Returns the width at which messages are broken; `None` where it does not go to a terminal.
pub(crate) fn room() -> Option<usize> {
    environment::message_columns().map(|columns| columns.saturating_sub(NAME.len()).max(1))
}

/// The same with lines below it that only mean something as they stand, such as a mark under a place.
pub(crate) fn tell_with(text: &str, below: &[String]) {
    tell(text);
    let mut err = io::stderr().lock();
    for line in below {
        let _ = writeln!(
            err,
            "{:room$}{}",
            "",
            views::printable(line),
            room = NAME.len()
        );
    }
}

/// The first 8 KiB of a message: what was read of a hostile file may be repeated in it.
fn cut(text: &str) -> &str {
    const MESSAGE_MAX: usize = 8 << 10;
    &text[..text.floor_char_boundary(MESSAGE_MAX)]
}

/// The message as lines behind `front`: one, or on a terminal as many as it is wide for, broken at spaces, so that no word is cut.
fn broken(front: &str, text: &str, columns: Option<usize>) -> Vec<String> {
    let room = columns.map_or(usize::MAX, |columns| {
        columns.saturating_sub(front.len()).max(20)
    });
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for word in text.split(' ') {
        let width = word.chars().count();
        match lines.last_mut() {
            Some(line) if used + 1 + width <= room => {
                line.push(' ');
                line.push_str(word);
                used += 1 + width;
            }
            _ => {
                lines.push(word.to_owned());
                used = width;
            }
        }
    }
    let indent = " ".repeat(front.len());
    (0usize..)
        .zip(lines)
        .map(|(place, line)| format!("{}{line}", if place == 0 { front } else { &indent }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_but_on_a_terminal() {
        let text = "a word and a path: /a/very/long/path/that/is/wider";
        assert_eq!(broken(NAME, text, None), [format!("fathom: {text}")]);
        // Counting the line again at each word would take minutes.
        let blanks = " ".repeat(4 << 20);
        assert_eq!(
            broken(NAME, &blanks, None)[0].len(),
            NAME.len() + blanks.len()
        );
        assert_eq!(
            broken(NAME, text, Some(28)),
            [
                "fathom: a word and a path:",
                "        /a/very/long/path/that/is/wider"
            ]
        );
    }
}
