//! A JSON value as lines that a person can compare: what fits a line is on one.
//!
//! Omitted: documents that commands print (`json`), which have a line per value.

use serde_json::Value;

/// Returns the value as lines of at most so many columns, where a single text or number is not longer. Members and items that
/// are short share lines, brackets have none of their own.
pub(crate) fn json_lines(value: &Value, columns: usize) -> String {
    let mut out = String::new();
    put(value, 0, columns, &mut out);
    out
}

/// Adds a value that begins in this column.
fn put(value: &Value, column: usize, columns: usize, out: &mut String) {
    let whole = value.to_string();
    let (open, close, items): (_, _, Vec<(String, &Value)>) = match value {
        Value::Object(map) if column + width(&whole) > columns => {
            let key = |name: &String| format!("{}:", Value::from(name.as_str()));
            let items = map.iter().map(|(name, item)| (key(name), item));
            ('{', '}', items.collect())
        }
        Value::Array(list) if column + width(&whole) > columns => {
            let items = list.iter().map(|item| (String::new(), item));
            ('[', ']', items.collect())
        }
        _ => return out.push_str(&whole),
    };
    out.push(open);
    let inner = column + 1;
    let mut used = inner;
    for (place, (key, item)) in items.iter().enumerate() {
        let wide = width(key) + width(&item.to_string()) + 2; // and what is behind it
        let fits = inner + wide <= columns;
        if place > 0 {
            out.push(',');
            if fits && used + 1 + wide <= columns {
                out.push(' ');
                used += 1;
            } else {
                out.push('\n');
                out.push_str(&" ".repeat(inner));
                used = inner;
            }
        }
        out.push_str(key);
        // What follows a value of several lines begins a line of its own; so do its own lines, under it.
        put(
            item,
            if fits { 0 } else { inner },
            if fits { usize::MAX } else { columns },
            out,
        );
        used = if fits { used + wide } else { columns };
    }
    out.push(close);
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_fits_a_line_is_on_one() {
        let value =
            json!({ "a": 1, "b": [1, 2], "list": [{ "long": "x".repeat(12) }, 2, 3], "z": null });
        assert_eq!(json_lines(&value, 80), value.to_string());
        let lines = json_lines(&value, 20);
        let expected = [
            "{\"a\":1, \"b\":[1,2],",
            " \"list\":[{\"long\":\"xxxxxxxxxxxx\"},",
            "  2, 3],",
            " \"z\":null}",
        ];
        assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
        assert_eq!(serde_json::from_str::<Value>(&lines).unwrap(), value);
    }
}
