//! Results as rows, in each form; answers of the store's own language.

use super::{Form, written};
use analysis::columns::{Pivot, Selection};
use serde_json::{Map, Value, json};
use store::{Answer, Cell};
use views::{AnswerCell, AnswerTable};

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowsForm {
    Text,
    Csv,
    Json,
    Parquet,
}

impl RowsForm {
    /// As the options say.
    pub(crate) fn of(csv: bool, json: bool) -> RowsForm {
        match (csv, json) {
            (true, _) => RowsForm::Csv,
            (_, true) => RowsForm::Json,
            _ => RowsForm::Text,
        }
    }
}

/// Fields of results.
pub(crate) fn rows(selection: &Selection, rows: RowsForm, form: Form<'_>) -> Vec<u8> {
    written(|out| match rows {
        RowsForm::Text => views::rows_table(selection, &form.paper(), out),
        RowsForm::Csv => views::rows_csv(selection, out),
        RowsForm::Json => views::rows_json(selection, out),
        RowsForm::Parquet => views::rows_parquet(selection, out),
    })
}

/// One field by others.
pub(crate) fn pivot(pivot: &Pivot, form: Form<'_>) -> Vec<u8> {
    written(|out| views::pivot_table(pivot, &form.paper(), out))
}

/// All fields there are.
pub(crate) fn fields(form: Form<'_>) -> Vec<u8> {
    written(|out| views::fields_table(&form.paper(), out))
}

/// Sentences, each with what stands before it.
pub(crate) fn told(text: &[(&str, String)], form: Form<'_>) -> Vec<u8> {
    let paper = form.paper();
    let lines = text.iter();
    let mut lines = lines.flat_map(|(first, text)| views::wrapped(first, text, &paper));
    written(|out| lines.try_for_each(|line| writeln!(out, "{line}")))
}

/// What the store said to a question in SQL.
pub(crate) fn answer(answer: &Answer, rows: RowsForm, form: Form<'_>) -> Vec<u8> {
    if rows == RowsForm::Json {
        let objects = answer.rows.iter().map(|row| {
            let pairs = answer.columns.iter().cloned().zip(row.iter().map(plain));
            Value::Object(pairs.collect::<Map<_, _>>())
        });
        return super::document(&objects.collect::<Vec<_>>());
    }
    let cells = |row: &Vec<Cell>| row.iter().map(text).collect();
    let table = AnswerTable {
        columns: answer.columns.clone(),
        rows: answer.rows.iter().map(cells).collect(),
    };
    written(|out| match rows {
        RowsForm::Csv => views::answer_csv(&table, out),
        _ => views::answer_table(&table, &form.paper(), out),
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
