//! Turns an output into lines that a person can compare: text as it is, JSON of more than a screen in lines that are full.
//!
//! Digits beyond the eleventh are rounded off first, because a logarithm's last bit depends on the processor and its C library.
//! What is shortened keeps a digest of all that was there.

use crate::json_lines::json_lines;
use serde_json::Value;

const SHORT: usize = 60; // lines; documents up to this many stay as they are
const COLUMNS: usize = 140; // of the lines of longer ones
const ITEMS_MAX: usize = 6; // longer lists show their first two and their last items
const TEXT_MAX: usize = 400; // bytes of a text in a document
const DIGITS_MAX: usize = 11; // significant ones

/// The output as it stands in the expected file; behind a document may be its messages.
pub(crate) fn of(output: &str) -> String {
    let output = rounded(output);
    let is_long = output.lines().count() > SHORT || output.len() > 80 * SHORT;
    if !is_long || !output.starts_with(['{', '[']) {
        return output;
    }
    let mut values = serde_json::Deserializer::from_str(&output).into_iter::<Value>();
    match values.next() {
        Some(Ok(mut document)) => {
            let rest = output[values.byte_offset()..].trim_start_matches('\n');
            shorten(&mut document);
            json_lines(&document, COLUMNS) + "\n" + rest
        }
        _ => output,
    }
}

/// Puts a digest in place of what is long.
fn shorten(value: &mut Value) {
    match value {
        Value::Object(map) => map.values_mut().for_each(shorten),
        Value::Array(list) => {
            if list.len() > ITEMS_MAX {
                let whole = Value::Array(list.clone()).to_string();
                let cut = format!("… {} items, {}", list.len(), digest(&whole));
                list.splice(2..list.len() - 1, [Value::from(cut)]);
            }
            list.iter_mut().for_each(shorten);
        }
        Value::String(text) if text.len() > TEXT_MAX => *text = digest(text),
        _ => {}
    }
}

/// FNV-1a, 64 bits. Source: the Internet draft draft-eastlake-fnv.
pub(crate) fn digest(text: &str) -> String {
    let text = rounded(text);
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
    let of = |list: &[u32]| {
        let text = serde_json::to_string_pretty(&serde_json::json!({ "a": list })).unwrap();
        of(&text)
    };
    let list: Vec<u32> = (0..100).collect();
    let lines = of(&list);
    assert!(lines.starts_with("{\"a\":[0,1,\"… 100 items, "), "{lines}");
    assert!(lines.ends_with("\",99]}\n"), "{lines}");
    let mut other = list.clone();
    other[50] += 1;
    assert_ne!(of(&other), lines);
}
