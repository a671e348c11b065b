//! Turns an output into lines that a person can compare: text as it is, JSON of more than a screen as one line per value.
//!
//! Digits beyond the eleventh are rounded off first, because a logarithm's last bit depends on the processor and its C library.
//! What is shortened keeps a digest of all that was there, layout included.

use serde_json::Value;

const SHORT: usize = 60; // lines; documents up to this many stay as they are
const ITEMS_MAX: usize = 6; // longer lists show their first two and their last items
const TEXT_MAX: usize = 400; // bytes of a text in a document
const DIGITS_MAX: usize = 11; // significant ones

/// The output as it stands in the expected file.
pub(crate) fn of(output: &str, digest_only: bool) -> String {
    let output = rounded(output);
    let document: Option<Value> = match output.starts_with(['{', '[']) {
        true => serde_json::from_str(&output).ok(),
        false => None,
    };
    match document {
        Some(document) if digest_only => top_level(&output, &document),
        Some(document) if output.lines().count() > SHORT || output.len() > 80 * SHORT => {
            let mut lines = vec![digest(&output)];
            flatten("", &document, &mut lines);
            lines.join("\n") + "\n"
        }
        _ => output,
    }
}

/// One line per value of the outermost object.
fn top_level(output: &str, document: &Value) -> String {
    let mut lines = vec![digest(output)];
    for (key, value) in document.as_object().into_iter().flatten() {
        let text = value.to_string();
        match text.len() < 100 {
            true => lines.push(format!("{key} = {text}")),
            false => lines.push(format!("{key}: {}", digest(&text))),
        }
    }
    lines.join("\n") + "\n"
}

fn flatten(path: &str, value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                let dot = if path.is_empty() { "" } else { "." };
                flatten(&format!("{path}{dot}{key}"), value, lines);
            }
        }
        Value::Array(list) if list.len() > ITEMS_MAX => {
            let whole = Value::Array(list.clone()).to_string();
            lines.push(format!("{path}: {} items, {}", list.len(), digest(&whole)));
            for number in [0, 1, list.len() - 1] {
                flatten(&format!("{path}[{number}]"), &list[number], lines);
            }
        }
        Value::Array(list) if list.iter().any(|item| item.is_object() || item.is_array()) => {
            for (number, item) in list.iter().enumerate() {
                flatten(&format!("{path}[{number}]"), item, lines);
            }
        }
        Value::String(text) if text.len() > TEXT_MAX => {
            lines.push(format!("{path}: {}", digest(text)));
        }
        value => lines.push(format!("{path} = {value}")),
    }
}

/// FNV-1a, 64 bits. Source: the Internet draft draft-eastlake-fnv.
fn digest(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    format!("{} bytes, digest {hash:016x}", text.len())
}

/// Rounds every decimal fraction that has more digits than are compared.
fn rounded(text: &str) -> String {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let length = rest[start..].find(|c| !is_number(c));
        let end = length.map_or(rest.len(), |length| start + length);
        out.push_str(&rest[..start]);
        out.push_str(&shorter(&rest[start..end]));
        rest = &rest[end..];
    }
    out + rest
}

fn shorter(number: &str) -> String {
    let digits = number.trim_start_matches(['0', '.']);
    let significant = digits.bytes().filter(u8::is_ascii_digit).count();
    let Some((whole, _)) = number.split_once('.') else {
        return number.to_owned();
    };
    match number.parse::<f64>() {
        Ok(value) if significant > DIGITS_MAX => {
            let whole = whole.trim_start_matches('0').len();
            let leading = number.len() - digits.len(); // `0.00` of 0.00123
            let zeros = if whole == 0 {
                leading.saturating_sub(2)
            } else {
                0
            };
            let decimals = (DIGITS_MAX + zeros).saturating_sub(whole).max(1);
            let text = format!("{value:.decimals$}");
            let text = text.trim_end_matches('0');
            match text.ends_with('.') {
                true => format!("{text}0"),
                false => text.to_owned(),
            }
        }
        _ => number.to_owned(),
    }
}

#[test]
fn only_digits_beyond_the_eleventh_are_rounded() {
    assert_eq!(rounded("a 0.1+1.25/x"), "a 0.1+1.25/x");
    assert_eq!(rounded("[6121.189923899905,2]"), "[6121.1899239,2]");
    assert_eq!(rounded("758973263.00001"), "758973263.0");
    assert_eq!(rounded("0.00012345678901234"), "0.00012345678901");
    assert_eq!(rounded("1795384747350074526"), "1795384747350074526");
    assert_eq!(rounded("2.0.17"), "2.0.17");
}

#[test]
fn long_lists_keep_their_ends_and_a_digest() {
    let list: Vec<u32> = (0..100).collect();
    let text = serde_json::to_string_pretty(&serde_json::json!({ "a": list })).unwrap();
    let lines = of(&text, false);
    let lines: Vec<&str> = lines.lines().skip(1).collect();
    assert!(lines[0].starts_with("a: 100 items, "), "{lines:?}");
    assert_eq!(lines[1..], ["a[0] = 0", "a[1] = 1", "a[99] = 99"]);
}
