//! The parameter file: `path threads [mask [size in MB]]` a line, comments behind `#`.
//!
//! Every line that is wrong is reported, with its number and without its content: the file may be none of parameters, and one that
//! only the user who runs fathom can read. A name with blanks stands in quotation marks. Deliberately
//! absent: reading the file, and what it makes of the rest of the command line (`finish`).

use super::profile::Line;
use super::{COUNT_MAX, Problem, command};

/// More bytes than this are no parameter file.
pub const PARAMS_MAX: u64 = 1 << 20;

/// Most problems that are reported of one file.
const TOLD_MAX: usize = 20;

const FORM: &str = "a line is: FILE THREADS [MASK [SIZE IN MB]], as in /data/test.dat 2 0x0 1024";

/// The lines of a parameter file of this name.
///
/// # Errors
/// Everything that is wrong with it, each with the number of its line.
pub fn read_params(file: &str, text: &str) -> Result<Vec<Line>, Vec<Problem>> {
    let mut lines = Vec::new();
    let mut problems = Vec::new();
    let mut more = 0;
    if text.len() as u64 > PARAMS_MAX {
        let why =
            "it is longer than 1 MiB; a parameter file has a line for each of at most 256 files";
        return Err(vec![rule(file.to_owned(), why.to_owned())]);
    }
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        match read_line(line) {
            Ok(Some(line)) => lines.push(line),
            Ok(None) => {}
            Err(reported) => {
                let place = format!("{file} line {number}");
                let reported: Vec<Problem> = reported
                    .into_iter()
                    .map(|why| rule(place.clone(), why))
                    .collect();
                more += (problems.len() + reported.len()).saturating_sub(TOLD_MAX);
                problems.extend(reported);
                problems.truncate(TOLD_MAX);
            }
        }
    }
    if lines.is_empty() && problems.is_empty() {
        problems.push(rule(file.to_owned(), format!("it names no file; {FORM}")));
    }
    if more > 0 {
        problems.push(rule(file.to_owned(), format!("{more} more; {FORM}")));
    }
    match problems.is_empty() {
        true => Ok(lines),
        false => Err(problems),
    }
}

fn rule(place: String, why: String) -> Problem {
    Problem::Rule { place, why }
}

/// `None` for an empty line; otherwise everything that is wrong with it.
fn read_line(line: &str) -> Result<Option<Line>, Vec<String>> {
    let fields = fields(line)?;
    let [name, rest @ ..] = fields.as_slice() else {
        return Ok(None);
    };
    let [threads, rest @ ..] = rest else {
        return Err(vec![format!("a name and nothing behind it; {FORM}")]);
    };
    let mut reported = Vec::new();
    let mut read = |found: Option<u64>, what: String| {
        if found.is_none() {
            reported.push(what);
        }
        found.unwrap_or_default()
    };
    let count = command::number(threads).filter(|count| (1..=u64::from(COUNT_MAX)).contains(count));
    let threads = read(
        count,
        format!("invalid value for threads: must be a whole number from 1 to {COUNT_MAX}"),
    );
    let mask = rest.first().map_or(0, |text| {
        read(
            command::mask(text),
            "invalid value for mask: must be a mask, decimal or behind 0x, of at most 64 bits; 0x0 for none".to_owned(),
        )
    });
    let size = rest.get(1).map(|text| {
        let mib = command::number(text).filter(|mib| (1..=u64::from(u32::MAX)).contains(mib));
        read(
            mib,
            format!(
                "invalid value for size: must be whole MB from 1 to {}, without a unit",
                u32::MAX
            ),
        )
    });
    if let [_, _, more @ ..] = rest
        && !more.is_empty()
    {
        let what = format!("more behind the size; {FORM}");
        read(None, what);
    }
    if !reported.is_empty() {
        return Err(reported);
    }
    Ok(Some(Line {
        name: name.clone(),
        threads: threads as u32,
        mask,
        size_mib: size.map(|mib| mib as u32),
    }))
}

/// Split at blanks, up to a field that begins with `#`. A quotation mark at the front of a name keeps its blanks.
fn fields(line: &str) -> Result<Vec<String>, Vec<String>> {
    let mut fields = Vec::new();
    let mut rest = line.trim();
    if let Some(quoted) = rest.strip_prefix('"') {
        let Some((name, behind)) = quoted.split_once('"') else {
            let why = "the quotation mark at the front of the name has no other: close it";
            return Err(vec![why.to_owned()]);
        };
        if name.is_empty() {
            return Err(vec![format!(
                "read no name between quotation marks; {FORM}"
            )]);
        }
        fields.push(name.to_owned());
        rest = behind;
    }
    let words = rest.split_whitespace();
    fields.extend(
        words
            .take_while(|word| !word.starts_with('#'))
            .map(str::to_owned),
    );
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(text: &str) -> String {
        let problems = read_params("p", text).unwrap_err();
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        lines.join("\n")
    }

    #[test]
    fn all_that_is_wrong_is_reported_with_its_line() {
        let text = "a 0 x 0\n# fine\nb\nc 1 0x0 10 20\n\"d 1\n";
        assert_eq!(
            reported(text),
            "p line 1: invalid value for threads: must be a whole number from 1 to 256\np line 1: invalid value for mask: must be a \
            mask, decimal or behind 0x, of at most 64 bits; 0x0 for none\np line 1: invalid value for size: must be whole MB \
            from 1 to 4294967295, without a unit\np line 3: a name and nothing behind it; a line is: FILE THREADS \
            [MASK [SIZE IN MB]], as in /data/test.dat 2 0x0 1024\np line 4: more behind the size; a line is: \
            FILE THREADS [MASK [SIZE IN MB]], as in /data/test.dat 2 0x0 1024\np line 5: the quotation mark at the \
            front of the name has no other: close it"
        );
        assert!(reported("# x\n\n").contains("names no file"));
        assert!(reported(&"x\n".repeat(50)).contains("30 more"));
        assert!(reported(&"#".repeat(2 << 20)).contains("1 MiB"));
    }

    #[test]
    fn lines_end_as_on_windows_and_names_may_have_blanks() {
        let lines = read_params("p", "\u{feff}\"a b.dat\" 2\r\nc 1 5 7 # the third\r\n").unwrap();
        assert_eq!((lines[0].name.as_str(), lines[0].threads), ("a b.dat", 2));
        assert_eq!((lines[0].mask, lines[0].size_mib), (0, None));
        assert_eq!((lines[1].mask, lines[1].size_mib), (5, Some(7)));
    }
}
