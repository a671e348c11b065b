//! The lines of a mixed workload as one text: `4K:60,64K:40`, or `4K:70:write=0,64K:30:write=100:random=0`.
//!
//! Lines are joined by `,` or by `+`, which a sweep needs because there a comma stands between values. Each is a size, its
//! share where it is not 1, and what it has of its own. Omitted: what is in range, which `model::check` checks.

use crate::problem::Problem;
use crate::read::Reader;
use model::{Bytes, MixedAccess, MixedLine, RangePart};
use std::str::FromStr;

const FORM: &str = "must be mix components such as 4K:60,64K:40: a size, its share, and after further colons \
                   write=PERCENT, random=PERCENT, align=SIZE, burst=COUNT, pause=TIME or in=PERCENT-PERCENT (of the range), each once";

/// Whether the text is more than one size.
pub(super) fn is_mixed(text: &str) -> bool {
    text.contains([',', '+', ':'])
}

/// Reads all lines; `usual` is the share of writes and of random I/Os if a line does not specify it.
pub(super) fn read(
    option: &'static str,
    text: &str,
    usual: &MixedLine,
    reader: &mut Reader,
) -> Vec<MixedLine> {
    let mut lines = Vec::new();
    for item in text.split([',', '+']).map(str::trim) {
        match line(item, usual) {
            Some(line) => lines.push(line),
            None => reader.refuse(Problem::Value {
                option,
                read: item.to_owned(),
                accepted: FORM,
            }),
        }
    }
    lines
}

fn line(item: &str, usual: &MixedLine) -> Option<MixedLine> {
    let mut parts = item.split(':').map(str::trim);
    let block: Bytes = value(parts.next()?)?;
    let mut line = MixedLine {
        block,
        align: block,
        ..*usual
    };
    let mut seen: Vec<&str> = Vec::new();
    for part in parts {
        let (key, text) = part.split_once('=').unwrap_or(("share", part));
        if seen.contains(&key) {
            return None;
        }
        seen.push(key);
        match key {
            "share" => line.share = count(text.strip_suffix('%').unwrap_or(text))?,
            "write" => line.write = value(text)?,
            "random" => line.random = value(text)?,
            "align" => line.align = value(text)?,
            "burst" => line.burst = count(text)?,
            "pause" => line.pause = value(text)?,
            "in" => line.part = part_of(text)?,
            _ => return None,
        }
    }
    Some(line)
}

/// Reads `0%-5%`.
fn part_of(text: &str) -> Option<RangePart> {
    let (from, to) = text.split_once('-')?;
    Some(RangePart {
        from: value(from)?,
        to: value(to)?,
    })
}

fn value<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn count(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// The text that [`read`] reads as the same lines.
pub(super) fn print(mixed: &MixedAccess) -> String {
    let texts: Vec<String> = mixed.lines.iter().map(print_line).collect();
    texts.join(",")
}

fn print_line(line: &MixedLine) -> String {
    let MixedLine {
        share,
        block,
        write,
        random,
        align,
        burst,
        pause,
        part,
    } = line;
    let mut text = format!("{block}:{share}:write={write}:random={random}");
    if align != block {
        text.push_str(&format!(":align={align}"));
    }
    if *burst != 1 {
        text.push_str(&format!(":burst={burst}"));
    }
    if pause.0 > 0 {
        text.push_str(&format!(":pause={pause}"));
    }
    if !part.is_whole() {
        text.push_str(&format!(":in={}-{}", part.from, part.to));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;
    use model::Ratio;

    fn lines(text: &str) -> Result<Vec<MixedLine>, usize> {
        let mut reader = Reader::default();
        let lines = read("--block", text, &MixedLine::new(Bytes(1)), &mut reader);
        reader
            .finish(lines)
            .map_err(|refusal| refusal.iter().count())
    }

    #[test]
    fn a_line_is_a_size_a_share_and_what_it_has_of_its_own() {
        let read = lines("4K:60,64K:40%:write=100:random=0:align=4K:burst=8:pause=10ms:in=5%-20%")
            .unwrap();
        let small = MixedLine {
            share: 60,
            ..MixedLine::new(Bytes::kib(4))
        };
        let large = MixedLine {
            share: 40,
            block: Bytes::kib(64),
            write: Ratio::ALL,
            random: Ratio::NONE,
            align: Bytes::kib(4),
            burst: 8,
            pause: Nanos::millis(10),
            part: RangePart {
                from: Ratio::percent(5).unwrap(),
                to: Ratio::percent(20).unwrap(),
            },
        };
        assert_eq!(read, [small, large]);
        assert_eq!(lines("4K:60+64K:40").unwrap().len(), 2);
        assert_eq!(lines("4K:random=70").unwrap()[0].random.as_percent(), 70);
    }

    #[test]
    fn what_is_printed_is_read_as_the_same_lines() {
        let text =
            "4K:60:write=0%:random=100%,64K:40:write=30%:random=0%:align=512:burst=2:pause=5ms";
        let read = lines(text).unwrap();
        let printed = print(&MixedAccess {
            skew: None,
            once: false,
            lines: read.clone(),
        });
        assert_eq!(lines(&printed).unwrap(), read);
    }

    #[test]
    fn every_line_that_cannot_be_read_is_reported() {
        for wrong in [
            "4K:",
            "4K:60:60",
            "4K:x=1",
            ":60",
            "4K:write=101",
            "4K:60:burst=-1",
            "4K::60",
        ] {
            assert_eq!(lines(wrong), Err(1), "{wrong}");
        }
        assert_eq!(lines("4K:60,,x"), Err(2));
    }
}
