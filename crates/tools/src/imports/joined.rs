//! Text whose lines a mail, a page or a source broke or packed → lines as tools print them.
//!
//! A mail encodes `=` as `=3D` and ends a broken line with `=`; others break lines at 72 or 80 columns; a program has its text as
//! `"…\r\n" +`. Each is undone only where its marks are certain: a broken line is one that no tool begins so. Omitted: tables
//! broken between their columns, which the readers of tables know.

use memchr::memmem;
use std::borrow::Cow;

/// Undoes what encodes whole lines. The second value counts lines that were joined or split.
pub(super) fn decoded(text: Cow<'_, str>) -> (Cow<'_, str>, usize) {
    let bytes = text.as_bytes();
    if is_quoted_printable(bytes) {
        return quoted_printable(&text);
    }
    if is_source(&text) {
        return out_of_source(&text);
    }
    (text, 0)
}

/// Returns whether each `=` begins a code or ends a line, and some are codes of `=` itself.
fn is_quoted_printable(bytes: &[u8]) -> bool {
    const CODES_MIN: usize = 3;
    let codes = memmem::find_iter(bytes, b"=3D").take(CODES_MIN);
    let is_code = |at: usize| {
        let is_hex = |byte: &u8| byte.is_ascii_digit() || (b'A'..=b'F').contains(byte);
        match bytes.get(at + 1..) {
            None | Some([] | [b'\r' | b'\n', ..]) => true,
            Some([a, b, ..]) => is_hex(a) && is_hex(b),
            Some(_) => false,
        }
    };
    codes.count() == CODES_MIN && memchr::memchr_iter(b'=', bytes).all(is_code)
}

/// `=3D` and `=` at the end of a line, of mails. Source: RFC 2045, section 6.7.
fn quoted_printable<'t>(text: &str) -> (Cow<'t, str>, usize) {
    let mut plain: Vec<u8> = Vec::with_capacity(text.len());
    let mut joined = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let is_soft = body.ends_with('=') && body.len() < line.len();
        let mut rest = body.strip_suffix('=').filter(|_| is_soft).unwrap_or(body);
        while let Some((before, behind)) = rest.split_once('=') {
            plain.extend(before.as_bytes());
            let code = behind.get(..2);
            match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
                Some(byte) => {
                    plain.push(byte);
                    rest = &behind[2..];
                }
                None => {
                    plain.push(b'=');
                    rest = behind;
                }
            }
        }
        plain.extend(rest.as_bytes());
        match is_soft {
            true => joined += 1,
            false => plain.extend(&line.as_bytes()[body.len()..]),
        }
    }
    let plain = String::from_utf8_lossy(&plain).into_owned();
    (Cow::Owned(plain), joined.max(1))
}

/// Returns whether several lines are strings of a program, with their line ends as `\n`. A document that begins with a brace has such
/// strings itself.
fn is_source(text: &str) -> bool {
    const LINES_MIN: usize = 3;
    if memmem::find(text.as_bytes(), b"\\n\"").is_none()
        || text.trim_start().starts_with(['{', '['])
    {
        return false;
    }
    let packed = text.lines().filter(|line| line.contains("\\n\""));
    packed.take(LINES_MIN).count() == LINES_MIN
}

fn out_of_source<'t>(text: &str) -> (Cow<'t, str>, usize) {
    let mut plain = String::with_capacity(text.len());
    let mut split = 0;
    for line in text.split_inclusive('\n') {
        let string = line
            .split_once('"')
            .and_then(|(_, rest)| rest.rsplit_once('"'));
        match string.filter(|_| line.contains("\\n")) {
            Some((string, _)) => {
                let string = string.replace("\\r\\n", "\n").replace("\\n", "\n");
                plain.push_str(&string.replace("\\t", "\t"));
                split += 1;
            }
            None => plain.push_str(line),
        }
    }
    (Cow::Owned(plain), split)
}

/// Joins lines that were broken within a figure's line. The second value counts them.
pub(super) fn joined(text: Cow<'_, str>) -> (Cow<'_, str>, usize) {
    let mut last = "";
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let is_broken = lines.any(|line| is_rest(std::mem::replace(&mut last, line), line.trim()));
    if !is_broken {
        return (text, 0);
    }
    let mut plain = String::with_capacity(text.len());
    let (mut joined, mut last_at) = (0, 0);
    for line in text.split_inclusive('\n') {
        let body = line.trim();
        if body.is_empty() {
            plain.push_str(line);
        } else if is_rest(plain[last_at..].trim_end(), body) {
            plain.truncate(plain.trim_end().len());
            plain.push(' ');
            plain.push_str(line.trim_start());
            joined += 1;
        } else {
            last_at = plain.len();
            plain.push_str(line);
        }
    }
    (Cow::Owned(plain), joined)
}

/// Longest line that another one is joined to.
const LENGTH_MAX: usize = 400;

/// Returns whether a line goes on where the one before was broken.
fn is_rest(last: &str, line: &str) -> bool {
    const UNITS: [&str; 6] = ["MB/s", "MB/sec", "kB/s", "KB/s", "GB/s", "GB/sec"];
    let last = last.trim_end();
    if last.is_empty() || line.is_empty() || last.len() > LENGTH_MAX {
        return false;
    }
    if UNITS.contains(&line) {
        let of_rate = last.contains("seconds =") || last.contains(" copied, ");
        return of_rate && last.ends_with(|c: char| c.is_ascii_digit());
    }
    if last.ends_with(',') && last.contains(" copied") {
        return line.starts_with(|c: char| c.is_ascii_digit()) && line.ends_with("/s");
    }
    let summary = || {
        let last = last.trim_start();
        last.starts_with("READ: ") || last.starts_with("WRITE: ")
    };
    if line.starts_with('(') {
        return summary() && !last.contains("run=");
    }
    const MARKS: [&str; 8] = [
        "th=[",
        "min=",
        "bw=",
        "usr=",
        "=0.0%",
        "total=",
        "ios=",
        "percentile=",
    ];
    let breaks = last.ends_with([',', '[']) && MARKS.iter().any(|mark| last.contains(mark));
    breaks && is_middle(line)
}

/// Returns whether a line of fio's begins in the middle: no line of it begins so.
fn is_middle(line: &str) -> bool {
    const KEYS: [&str; 20] = [
        "stdev=",
        "samples=",
        "avg=",
        "max=",
        "per=",
        "io=",
        "run=",
        "mint=",
        "maxt=",
        "minf=",
        "majf=",
        "ctx=",
        "sys=",
        "merge=",
        "ticks=",
        "in_queue=",
        "util=",
        "depth=",
        "percentile=",
        "dropped=",
    ];
    let number = line.trim_start_matches(['>', '=']);
    let digits = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_number = digits.len() < number.len();
    KEYS.iter().any(|key| line.starts_with(key))
        || is_number
            && (digits.starts_with("th=[") || digits.starts_with("=") || digits.starts_with(']'))
}

#[cfg(test)]
mod tests {
    use super::{decoded, joined};
    use std::borrow::Cow;

    #[test]
    fn what_mails_and_programs_encode_is_undone() {
        for (pasted, printed) in [
            ("a: iops=3D5, =\nbw=3D7, x=3D1\n", "a: iops=5, bw=7, x=1\n"),
            (
                "s = \"A: 1\\r\\n\" +\n\"  B: 2\\r\\n\" +\n\"C\\tD\\n\";\n",
                "A: 1\n  B: 2\nC\tD\n",
            ),
        ] {
            assert_eq!(decoded(Cow::Borrowed(pasted)).0, printed, "{pasted:?}");
        }
        for text in [
            "iops=5, =\nx\n",
            "http://a/?b=3Dc=3Dd=3De and iops=25, x=y\n",
            "{\"a\": \"x\\n\",\n\"b\": \"x\\n\",\n\"c\": \"x\\n\"}\n",
            "D:\\new\\nodes\\net\n",
        ] {
            assert_eq!(decoded(Cow::Borrowed(text)), (Cow::Borrowed(text), 0));
        }
    }

    #[test]
    fn lines_broken_at_the_edge_are_joined_and_others_are_not() {
        for (pasted, printed) in [
            (
                " bw (KiB/s): min= 1, max=9, \nstdev=1.5, samples=2\n",
                " bw (KiB/s): min= 1, max=9, stdev=1.5, samples=2\n",
            ),
            (
                "| 90.00th=[ 4], 95.00th=[\n5932],\n| 99.00th=[ 7]\n",
                "| 90.00th=[ 4], 95.00th=[ 5932],\n| 99.00th=[ 7]\n",
            ),
            (
                "IO depths : 1=0.1%, 2=0.0%,\n\n>=64=0.0%\n",
                "IO depths : 1=0.1%, 2=0.0%, >=64=0.0%\n",
            ),
            (
                "READ: bw=1MiB/s (1MB/s), 1MiB/s-1MiB/s \n(1MB/s-1MB/s), io=1\n",
                "READ: bw=1MiB/s (1MB/s), 1MiB/s-1MiB/s (1MB/s-1MB/s), io=1\n",
            ),
            (
                " Timing buffered disk reads: 64 MB in 3.05 seconds = 20.98\nMB/sec\n",
                " Timing buffered disk reads: 64 MB in 3.05 seconds = 20.98 MB/sec\n",
            ),
            (
                "512 bytes (512 B) copied, 0.1 s,\n5.1 kB/s\n",
                "512 bytes (512 B) copied, 0.1 s, 5.1 kB/s\n",
            ),
        ] {
            assert_eq!(joined(Cow::Borrowed(pasted)).0, printed, "{pasted:?}");
        }
        for text in [
            "| 90.00th=[ 4],\n| 99.00th=[ 7]\n",
            "\"iops\" : 5,\n\"bw\" : 7\n",
            "a,b,\n1,2\n",
            "total: 5 = 20\nMB/s\n",
        ] {
            assert_eq!(
                joined(Cow::Borrowed(text)),
                (Cow::Borrowed(text), 0),
                "{text:?}"
            );
        }
    }
}
