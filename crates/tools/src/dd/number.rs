//! Numbers of dd: digits, suffixes, and products of them.

/// A number with its suffixes, `None` where it cannot be read or does not fit; and whether it ends in `B`, which makes a
/// count of it one of bytes. Products are joined by `x`: `2x80x512`. Source: the manual, "dd invocation", Block size.
pub(super) fn number(text: &str) -> Option<(u64, bool)> {
    // The manual warns of 0x10, which looks like sixteen and is nothing: here it is refused.
    if text.starts_with("0x") {
        return None;
    }
    let mut product = 1u64;
    for (place, factor) in text.split('x').enumerate() {
        let one = one(factor).or_else(|| suffix(factor).filter(|_| place > 0));
        product = product.checked_mul(one?)?;
    }
    Some((product, text.ends_with('B')))
}

/// The number alone, for tools that spell theirs as dd does.
pub(crate) fn dd_number(text: &str) -> Option<u64> {
    number(text).map(|(value, _)| value)
}

/// `2xM` is two times `M`.
fn suffix(text: &str) -> Option<u64> {
    (!text.is_empty()).then(|| factor(text)).flatten()
}

fn one(text: &str) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    digits.parse::<u64>().ok()?.checked_mul(factor(suffix)?)
}

/// What a suffix multiplies by.
fn factor(suffix: &str) -> Option<u64> {
    const LETTERS: [(char, u32); 6] = [('K', 1), ('M', 2), ('G', 3), ('T', 4), ('P', 5), ('E', 6)];
    match suffix {
        "" | "c" | "B" => return Some(1),
        "w" => return Some(2),
        "b" => return Some(512),
        _ => {}
    }
    let mut letters = suffix.chars();
    let first = letters.next()?;
    let first = if first == 'k' { 'K' } else { first };
    let (_, power) = LETTERS.iter().find(|(letter, _)| *letter == first)?;
    let base: u64 = match letters.as_str() {
        "" | "iB" => 1024,
        "B" => 1000,
        _ => return None,
    };
    base.checked_pow(*power)
}
