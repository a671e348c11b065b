//! `-a`, `-B`, `-f`, `-Z`: switches with a small language of their own.

use super::{Command, Word};
use crate::diskspd::Problem;
use crate::diskspd::profile::Content;

/// `-a`, `-ag`, `-a0,1,g1,2`.
pub(in crate::diskspd) fn affinity(command: &mut Command, word: &Word) -> Result<(), Problem> {
    if matches!(word.value, "" | "g") {
        return Ok(());
    }
    let processors = processors(word.value).map_err(|(at, why)| Problem::Processors {
        token: word.token.clone(),
        at: "-a".len() + at,
        why,
    })?;
    command.own.span.affinity.processors.extend(processors);
    Ok(())
}

/// The list, or the place and the reason why it is none. Stricter than the original, which glues digits together over
/// a `g` and reads a missing number as 0.
fn processors(list: &str) -> Result<Vec<(u16, u8)>, (usize, &'static str)> {
    let mut processors = Vec::new();
    let mut group = 0;
    let mut group_open = false;
    let mut at = 0;
    for item in list.split(',') {
        let name = item.strip_prefix('g');
        let digits = name.unwrap_or(item);
        let first = at + item.len() - digits.len();
        if let Some(stranger) = digits.find(|c: char| !c.is_ascii_digit()) {
            let before = digits[..stranger].chars().count();
            return Err((
                first + before,
                "must be processors and groups with commas between, as in -a0,1,g1,0",
            ));
        }
        if digits.is_empty() {
            return Err((first, "a number is missing here"));
        }
        if name.is_some() {
            group = digits
                .parse()
                .map_err(|_| (first, "must be from 0 to 65535"))?;
            group_open = true;
        } else {
            let cpu = digits.parse();
            let cpu = cpu.map_err(|_| {
                (
                    first,
                    "must be from 0 to 255 within its group of 64; processor 300 is g4,44",
                )
            })?;
            processors.push((group, cpu));
            group_open = false;
        }
        at += item.len() + 1;
    }
    if group_open {
        return Err((
            list.len(),
            "must be followed by its processors, as in -ag1,0",
        ));
    }
    Ok(processors)
}

/// `-B<base>[:<length>]`.
pub(in crate::diskspd) fn base(command: &mut Command, word: &Word) -> Result<(), Problem> {
    if command.own.base_given {
        return Err(word.clash("the base is given already; give it once"));
    }
    let (base, length) = match word.value.split_once(':') {
        Some((base, length)) => (base, Some(length)),
        None => (word.value, None),
    };
    let base = command.size(word, base)?;
    if let Some(length) = length {
        let length = command.size(word, length)?;
        if command.own.target.max_bytes != 0 {
            return Err(word.clash("the end is given already, by -f; give it once"));
        }
        let end = base.checked_add(length).filter(|end| *end != base);
        command.own.target.max_bytes = end.ok_or_else(|| {
            word.value("base and length together are above the base and below 2^64")
        })?;
    }
    command.own.target.base_bytes = base;
    command.own.base_given = true;
    Ok(())
}

/// `-f<size>`, or `-f` with letters of `rst`.
pub(in crate::diskspd) fn max_or_hints(command: &mut Command, word: &Word) -> Result<(), Problem> {
    let target = &mut command.own.target;
    if word.value.starts_with(|c: char| c.is_ascii_digit()) {
        if target.max_bytes != 0 {
            return Err(word.clash("the end is given already, by -f or -B; give it once"));
        }
        command.own.target.max_bytes = command.size(word, word.value)?;
        return Ok(());
    }
    const FORM: &str = "must be a size as in -f4G, or letters of r (random access), s (sequential scan), t \
                       (temporary file)";
    if word.value.is_empty() {
        return Err(word.value(FORM));
    }
    for letter in word.value.chars() {
        match letter {
            'r' => target.random_access_hint = true,
            's' => target.sequential_scan_hint = true,
            't' => target.temporary_hint = true,
            _ => return Err(word.value(FORM)),
        }
    }
    Ok(())
}

/// `-Z`, `-Zr`, `-Z<size>[,<file>]`.
pub(in crate::diskspd) fn content(command: &mut Command, word: &Word) -> Result<(), Problem> {
    match word.value {
        "" => command.own.target.content = Content::Zero,
        "r" => command.own.span.random_write_data = true,
        value => {
            let (size, file) = match value.split_once(',') {
                Some((size, file)) => (size, Some(file.to_owned())),
                None => (value, None),
            };
            let bytes = command.size(word, size)?;
            if bytes == 0 || file.as_deref() == Some("") {
                return Err(word.value(
                    "must be -Z (zeros), -Zr (random at every write), or -Z<size>[,<file>] with a \
                                      size above 0",
                ));
            }
            command.own.target.content = Content::Source { bytes, file };
        }
    }
    Ok(())
}
