//! Rows as one JSON list of objects; the keys are the headings, and every key is in every object.

use super::Export;
use crate::json_text::Escaped;
use crate::time::utc_text;
use analysis::columns::{Column, Selection, SelectionRow, Unit, Value};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::io::{self, Write};

pub(super) const EXPORT: Export = Export {
    name: "json",
    about: "One JSON list",
    is_text: true,
    write: rows_json,
};

/// Writes the list, one object a line, ending in a newline.
fn rows_json(selection: &Selection, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"[")?;
    for (place, row) in selection.rows().enumerate() {
        out.write_all(if place == 0 { b"\n" } else { b",\n" })?;
        let object = Object {
            columns: &selection.columns,
            row,
        };
        serde_json::to_writer(Escaped(out), &object)?;
    }
    out.write_all(b"\n]\n")
}

struct Object<'a> {
    columns: &'a [&'static Column],
    row: SelectionRow<'a>,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.columns.len()))?;
        for (column, value) in self.columns.iter().zip(self.row.values()) {
            let key = column.name;
            match value {
                Value::Nothing => map.serialize_entry(key, &())?,
                Value::Name(session, number) => {
                    map.serialize_entry(key, &format!("{session}.{number}"))?;
                }
                Value::Text(text) => map.serialize_entry(key, text)?,
                Value::Tags(tags) => map.serialize_entry(key, tags)?,
                Value::Whole(ns) if column.unit == Unit::Moment => {
                    map.serialize_entry(key, &utc_text(*ns))?;
                }
                Value::Whole(number) => map.serialize_entry(key, number)?,
                Value::Real(number) => map.serialize_entry(key, number)?,
                Value::Truth(is) => map.serialize_entry(key, is)?,
            }
        }
        map.end()
    }
}
