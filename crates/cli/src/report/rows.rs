//! Results as rows, in each form; answers of the store's own language.

use super::{Form, written};
use analysis::columns::{Pivot, Selection};
use serde_json::{Map, Value, json};
use store::{Answer, Cell};
use views::{AnswerCell, AnswerTable, Export};

/// Returns the form that the options ask for; `None` is the table for people.
pub(crate) fn export_of(csv: bool, json: bool) -> Option<&'static Export> {
    match (csv, json) {
        (true, _) => views::export("csv"),
        (_, true) => views::export("json"),
        _ => None,
    }
}

/// Fields of results.
pub(crate) fn rows(
    selection: &Selection,
    export: Option<&'static Export>,
    form: Form<'_>,
) -> Vec<u8> {
    match export {
        Some(export) => written(|out| (export.write)(selection, out)),
        None => form.written(|out| views::rows_table(selection, &form.paper(), out)),
    }
}

/// One field by others.
pub(crate) fn pivot(pivot: &Pivot, form: Form<'_>) -> Vec<u8> {
    form.written(|out| views::pivot_table(pivot, &form.paper(), out))
}

/// All fields there are.
pub(crate) fn fields(form: Form<'_>) -> Vec<u8> {
    written(|out| views::fields_table(&form.paper(), out))
}

/// Sentences, each with what stands before it.
pub(crate) fn reported<S: AsRef<str>>(text: &[(S, String)], form: Form<'_>) -> Vec<u8> {
    let paper = form.paper();
    let lines = text.iter();
    let mut lines = lines.flat_map(|(first, text)| views::wrapped(first.as_ref(), text, &paper));
    form.written(|out| lines.try_for_each(|line| writeln!(out, "{line}")))
}

/// The store's answer to an SQL query.
pub(crate) fn answer(answer: &Answer, csv: bool, form: Form<'_>) -> Vec<u8> {
    if form.json {
        let objects = answer.rows.iter().map(|row| {
            let pairs = answer.columns.iter().cloned().zip(row.iter().map(plain));
            Value::Object(pairs.collect::<Map<_, _>>())
        });
        let rows: Vec<_> = objects.collect();
        return written(|out| views::pretty_json(&rows, out));
    }
    let cells = |row: &Vec<Cell>| row.iter().map(text).collect();
    let table = AnswerTable {
        columns: answer.columns.clone(),
        rows: answer.rows.iter().map(cells).collect(),
    };
    written(|out| match csv {
        true => views::answer_csv(&table, out),
        false => views::answer_table(&table, &form.paper(), out),
    })
}

fn plain(cell: &Cell) -> Value {
    match cell {
        Cell::Nothing => Value::Null,
        Cell::Whole(number) => json!(number),
        Cell::Real(number) => json!(number),
        Cell::Text(text) => json!(text),
        Cell::Blob(blob) => json!(hex(blob)),
    }
}

fn text(cell: &Cell) -> AnswerCell {
    match cell {
        Cell::Nothing => AnswerCell::Nothing,
        Cell::Whole(number) => AnswerCell::Figure(number.to_string()),
        Cell::Real(number) => AnswerCell::Figure(number.to_string()),
        Cell::Text(text) => AnswerCell::Words(text.clone()),
        Cell::Blob(blob) => AnswerCell::Words(hex(blob)),
    }
}

fn hex(blob: &[u8]) -> String {
    blob.iter().map(|byte| format!("{byte:02x}")).collect()
}
