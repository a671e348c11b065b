//! Stored notes in the words of lists, pages and refusals. Omitted: setting them (`note`).

use crate::args::COMMENT;
use model::Note;

/// A session of imported results has no goal that all of them are judged by.
pub(crate) const ONE_RESULT: &str = "--goal is for one imported result";

/// Returns the comment among notes.
pub(crate) fn comment_of(notes: &[Note]) -> Option<&str> {
    let comment = notes.iter().find(|note| note.field == COMMENT)?;
    Some(&comment.value)
}

/// Returns the notes as sentences of the HTML report.
pub(crate) fn sentences(notes: &[Note]) -> Vec<String> {
    let (comments, hints): (Vec<&Note>, Vec<&Note>) =
        notes.iter().partition(|note| note.field == COMMENT);
    let hints: Vec<String> = (hints.iter())
        .map(|note| format!("--{} {}", note.field, note.value))
        .collect();
    let hints =
        (!hints.is_empty()).then(|| format!("judged with these hints: {}", hints.join(" ")));
    let comments = comments
        .iter()
        .map(|note| format!("comment: {}", note.value));
    hints.into_iter().chain(comments).collect()
}
