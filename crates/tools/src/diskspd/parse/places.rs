//! `-a`, `-B`, `-f`, `-Z`: switches with a small language of their own.

use super::{Command, Word};
use crate::diskspd::Problem;
use crate::diskspd::affinity::Processors;
use crate::diskspd::profile::Content;
use model::EfficiencyOrder;

/// `-a`, `-ag`, `-a0-3,6,g1,2`, `-ag1`, and the letters of an order.
pub(in crate::diskspd) fn affinity(command: &mut Command, word: &Word) -> Result<(), Problem> {
    match word.value.as_bytes() {
        [] | [b'g'] => return Ok(()),
        [b'u', ..] => return unordered(command, word),
        [b'c' | b's' | b'p' | b'P' | b'e' | b'E', ..] => return order(command, word),
        _ => {}
    }
    let processors = processors(word.value).map_err(|(at, why)| Problem::Processors {
        token: word.token.clone(),
        at: "-a".len() + at,
        why,
    })?;
    command.own.span.affinity.processors.extend(processors);
    Ok(())
}

const ONE_ORDER: &str =
    "an order by efficiency class is specified already; specify one of -ap, -aP, -ae, -aE, -aup";

/// `-aup`.
fn unordered(command: &mut Command, word: &Word) -> Result<(), Problem> {
    if word.value != "up" {
        return Err(word.value("must be up after -a: no order by efficiency class"));
    }
    set_efficiency(command, word, EfficiencyOrder::Unordered)
}

/// `-acsE`: each letter at most with those of other kinds.
fn order(command: &mut Command, word: &Word) -> Result<(), Problem> {
    let mut efficiency = None;
    for (at, letter) in word.value.chars().enumerate() {
        let class = match letter {
            'c' => {
                command.own.span.affinity.order.core_first = true;
                continue;
            }
            's' => {
                command.own.span.affinity.order.span_groups = true;
                continue;
            }
            'p' => EfficiencyOrder::PerformanceFirst,
            'P' => EfficiencyOrder::FillPerformance,
            'e' => EfficiencyOrder::EfficientFirst,
            'E' => EfficiencyOrder::FillEfficient,
            _ => {
                return Err(Problem::Processors {
                    token: word.token.clone(),
                    at: "-a".len() + at,
                    why: "must be letters of c, s and one of p, P, e, E, as in -acsE",
                });
            }
        };
        if efficiency.replace(class).is_some() {
            return Err(word.clash(ONE_ORDER));
        }
    }
    match efficiency {
        Some(class) => set_efficiency(command, word, class),
        None => Ok(()),
    }
}

fn set_efficiency(
    command: &mut Command,
    word: &Word,
    class: EfficiencyOrder,
) -> Result<(), Problem> {
    let order = &mut command.own.span.affinity.order.efficiency;
    match order.replace(class) {
        None => Ok(()),
        Some(_) => Err(word.clash(ONE_ORDER)),
    }
}

/// The place and the reason of what cannot be read.
type Misread = (usize, &'static str);

/// The list, or the place and the reason why it is none. Stricter than 2.2, which glues digits together over a `g` and
/// reads a missing number as 0.
fn processors(list: &str) -> Result<Vec<Processors>, Misread> {
    let mut processors = Vec::new();
    let mut group = 0;
    let mut group_open = false;
    let mut at = 0;
    for item in list.split(',') {
        let name = item.strip_prefix('g');
        let digits = name.unwrap_or(item);
        let first = at + item.len() - digits.len();
        if name.is_some() {
            group = number(digits, first, "must be from 0 to 65535")?;
            group_open = true;
        } else {
            let (from, to) = span_of(digits, first)?;
            processors.extend((from..=to).map(|cpu| Processors::One { group, cpu }));
            group_open = false;
        }
        at += item.len() + 1;
    }
    if group_open && list.contains(',') {
        return Err((
            list.len(),
            "must be followed by its processors, as in -ag1,0; all of a group is a switch of its own, as in -ag1",
        ));
    }
    if group_open {
        processors.push(Processors::Group { group });
    }
    Ok(processors)
}

/// `7` or `4-7`.
fn span_of(item: &str, at: usize) -> Result<(u8, u8), Misread> {
    const CPU: &str = "must be from 0 to 255 within its group of 64; processor 300 is g4,44";
    const LAST: &str = "must be from the number before the dash to 63; processor 70 is g1,6";
    let Some((from, to)) = item.split_once('-') else {
        let cpu = number(item, at, CPU)?;
        return Ok((cpu, cpu));
    };
    let to_at = at + from.len() + 1;
    let (from, to) = (number::<u8>(from, at, CPU)?, number::<u8>(to, to_at, LAST)?);
    match (from..64).contains(&to) {
        true => Ok((from, to)),
        false => Err((to_at, LAST)),
    }
}

fn number<T: std::str::FromStr>(
    digits: &str,
    at: usize,
    accepted: &'static str,
) -> Result<T, Misread> {
    if let Some(stranger) = digits.find(|c: char| !c.is_ascii_digit()) {
        let before = digits[..stranger].chars().count();
        return Err((
            at + before,
            "must be processors and groups with commas between, as in -a0,1,g1,0-3",
        ));
    }
    if digits.is_empty() {
        return Err((at, "a number is missing here"));
    }
    digits.parse().map_err(|_| (at, accepted))
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
    const PATH: &str = "-f is the end of the part that is used; a target stands without a switch at the end of the line";
    if word.value.is_empty() {
        return Err(word.value(FORM));
    }
    if word.value.contains(['\\', '/', ':', '.']) {
        return Err(word.value(PATH));
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
