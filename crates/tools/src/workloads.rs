//! A file of workloads for a survey: what a program of one's own does, in TOML.
//!
//! ```toml
//! [[workload]]
//! block = "16K"
//! pattern = "random"      # or sequential
//! write = "30"            # percent of writes; 0 by default
//! name = "mail store"     # by default: 16K random 70/30
//! ```
//!
//! Every line that is wrong is reported at once. Deliberately absent: depths, threads and times, which a survey finds out.

use model::{Access, BLOCK_MAX, BLOCK_MIN, Bytes, Ratio};
use std::str::FromStr;
use toml::de::{DeTable, DeValue};

/// Longest file that is read, in bytes.
pub const WORKLOADS_LENGTH_MAX: usize = 64 << 10;
/// Most workloads of one file.
const WORKLOADS_MAX: usize = 32;
const NAME_MAX: usize = 40;
const BLOCK_FORM: &str = "must be a multiple of 512 bytes up to 1G: 4K, 64K and 1M are usual";
const FIELDS: &str = "block, pattern, write and name";

/// One workload of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileWorkload {
    /// As it is called in the file, or what it does in words.
    pub name: String,
    /// Bytes of one I/O.
    pub block: Bytes,
    /// Share of I/Os that are writes.
    pub write: Ratio,
    /// Where the next I/O goes.
    pub access: Access,
}

/// Reads a file of workloads.
///
/// # Errors
/// Everything that is wrong, each in a sentence with its line.
pub fn workloads_of(text: &str) -> Result<Vec<FileWorkload>, Vec<String>> {
    if text.len() > WORKLOADS_LENGTH_MAX {
        return Err(vec![format!(
            "it is longer than {WORKLOADS_LENGTH_MAX} bytes"
        )]);
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let reported = errors.iter().take(20).map(|error| {
            let line = line_of(text, error.span().unwrap_or_default().start);
            format!("line {line}: {}", error.message())
        });
        return Err(reported.collect());
    }
    let mut reading = Reading {
        text,
        problems: Vec::new(),
    };
    let read = reading.all(table.get_ref());
    if reading.problems.is_empty() {
        return Ok(read);
    }
    let mut problems = reading.problems;
    problems.sort_by_key(|(line, _)| *line); // stable: the order of the fields within a line
    let reported = problems.into_iter().map(|(line, what)| match line {
        OF_ALL => what,
        line => format!("line {line}: {what}"),
    });
    Err(reported.collect())
}

/// In the place of a line: of the file as a whole. It comes last.
const OF_ALL: usize = usize::MAX;

struct Reading<'t> {
    text: &'t str,
    /// Each with its line.
    problems: Vec<(usize, String)>,
}

impl Reading<'_> {
    fn wrong(&mut self, at: usize, what: &str) {
        let line = line_of(self.text, at);
        self.problems.push((line, what.to_owned()));
    }

    fn wrong_of_all(&mut self, what: String) {
        self.problems.push((OF_ALL, what));
    }

    fn all(&mut self, table: &DeTable<'_>) -> Vec<FileWorkload> {
        let mut read: Vec<(usize, FileWorkload)> = Vec::new();
        if !table.is_empty() && !table.keys().any(|name| name.get_ref() == "workload") {
            // Whose file this is, and who reads the message, is unknown.
            let first = table.keys().map(|name| name.span().start).min();
            let what = "no [[workload]] in it: this is no file of workloads, and its content is not printed";
            self.wrong(first.unwrap_or_default(), what);
            return Vec::new();
        }
        for (name, value) in table {
            let at = name.span().start;
            match (name.get_ref().as_ref(), value.get_ref()) {
                ("workload", DeValue::Array(items)) => {
                    for item in items {
                        match item.get_ref() {
                            DeValue::Table(table) => {
                                let at = item.span().start;
                                read.extend(self.one(table, at).map(|one| (at, one)));
                            }
                            _ => {
                                self.wrong(
                                    item.span().start,
                                    "read no table: specify [[workload]]",
                                );
                            }
                        }
                    }
                }
                (other, _) => {
                    let what = format!(
                        "unknown name '{other}': the file has [[workload]] tables, and nothing else"
                    );
                    self.wrong(at, &what);
                }
            }
        }
        if read.is_empty() && self.problems.is_empty() {
            self.wrong_of_all(
                "it names no workload: specify [[workload]], and block = \"8K\" below it"
                    .to_owned(),
            );
        }
        if read.len() > WORKLOADS_MAX {
            self.wrong_of_all(format!(
                "{} workloads; a survey takes up to {WORKLOADS_MAX}",
                read.len()
            ));
        }
        self.names_apart(&read);
        read.into_iter().map(|(_, one)| one).collect()
    }

    fn names_apart(&mut self, read: &[(usize, FileWorkload)]) {
        for (place, (at, one)) in read.iter().enumerate() {
            if read[..place]
                .iter()
                .any(|(_, other)| other.name == one.name)
            {
                let what = format!("`{}`: two workloads are called so: rename one", one.name);
                self.wrong(*at, &what);
            }
        }
    }

    fn one(&mut self, table: &DeTable<'_>, at: usize) -> Option<FileWorkload> {
        let before = self.problems.len();
        let (mut block, mut access, mut write, mut name) = (None, None, Ratio::NONE, None);
        for (field, value) in table {
            let place = field.span().start;
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
                _ => {
                    let read = self.text.get(value.span()).unwrap_or_default();
                    let read: String = read.chars().take(NAME_MAX).collect();
                    let what = format!(
                        "invalid value '{read}' for {}: must be a text in quotes, or a whole number",
                        field.get_ref()
                    );
                    self.wrong(place, &what);
                    continue;
                }
            };
            match field.get_ref().as_ref() {
                "block" => block = self.block(place, &text),
                "write" => write = self.value(place, "write", &text).unwrap_or(Ratio::NONE),
                "pattern" => access = self.pattern(place, &text),
                "name" => name = self.name(place, text),
                other => self.wrong(
                    place,
                    &format!("unknown name '{other}': a workload has {FIELDS}"),
                ),
            }
        }
        if self.problems.len() > before {
            return None;
        }
        let (Some(block), Some(access)) = (block, access) else {
            self.wrong(
                at,
                "a workload needs block and pattern: block = \"8K\", pattern = \"random\"",
            );
            return None;
        };
        let name = name.unwrap_or_else(|| in_words(block, &access, write));
        Some(FileWorkload {
            name,
            block,
            write,
            access,
        })
    }

    fn value<T: FromStr<Err = model::UnitError>>(
        &mut self,
        at: usize,
        field: &str,
        text: &str,
    ) -> Option<T> {
        text.parse()
            .map_err(|error: model::UnitError| {
                self.wrong(
                    at,
                    &format!(
                        "invalid value '{}' for {field}: {}",
                        error.read, error.accepted
                    ),
                );
            })
            .ok()
    }

    fn block(&mut self, at: usize, text: &str) -> Option<Bytes> {
        let block = self.value::<Bytes>(at, "block", text)?;
        let fits = block.is_multiple_of(BLOCK_MIN) && (BLOCK_MIN..=BLOCK_MAX).contains(&block);
        if !fits {
            let what = format!("invalid value '{text}' for block: {BLOCK_FORM}");
            self.wrong(at, &what);
        }
        fits.then_some(block)
    }

    fn pattern(&mut self, at: usize, text: &str) -> Option<Access> {
        match text {
            "random" => Some(Access::Random),
            "sequential" => Some(Access::Sequential),
            other => {
                self.wrong(
                    at,
                    &format!("invalid value '{other}' for pattern: must be random or sequential"),
                );
                None
            }
        }
    }

    fn name(&mut self, at: usize, text: String) -> Option<String> {
        let plain = !text.trim().is_empty() && !text.chars().any(char::is_control);
        if !plain || text.chars().count() > NAME_MAX {
            let what =
                format!("name: read {text:?}; a name has 1 to {NAME_MAX} printable characters");
            self.wrong(at, &what);
            return None;
        }
        Some(text)
    }
}

/// As the survey's own workloads are called.
fn in_words(block: Bytes, access: &Access, write: Ratio) -> String {
    let way = match access {
        Access::Random => "random",
        _ => "sequential",
    };
    let what = match write.as_percent() {
        0 => "read".to_owned(),
        100 => "write".to_owned(),
        percent => format!("{}/{percent}", 100 - percent),
    };
    format!("{block} {way} {what}")
}

/// The line on which a byte stands, from 1.
fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().iter().take(at);
    before.filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_its_workloads_or_says_what_they_do() {
        let text = "[[workload]]\nblock = \"16K\"\npattern = \"random\"\nwrite = 30\n\n\
                    [[workload]]\nblock = \"1M\"\npattern = \"sequential\"\nname = \"dump\"\n";
        let read = workloads_of(text).unwrap();
        let names: Vec<&str> = read.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["16K random 70/30", "dump"]);
        assert_eq!(read[1].write, Ratio::NONE);
    }

    #[test]
    fn all_that_is_wrong_is_reported_with_its_line() {
        let text = "depth = 3\n[[workload]]\nblock = \"8X\"\npattern = \"wild\"\nsize = 3\n\
                    [[workload]]\npattern = \"random\"\n";
        let reported = workloads_of(text).unwrap_err().join("\n");
        for part in [
            "line 1: unknown name 'depth'",
            "line 3: invalid value '8X' for block",
            "line 4: invalid value 'wild' for pattern",
            "line 5: unknown name 'size': a workload has",
            "line 6: a workload needs block and pattern",
        ] {
            assert!(reported.contains(part), "{part} in {reported}");
        }
        assert!(reported.lines().is_sorted(), "{reported}");
        let odd = "[[workload]]\nblock = 513\nwrite = 30.5\npattern = \"random\"\n\
                   [[workload]]\nblock = \"2G\"\npattern = \"random\"\n";
        let reported = workloads_of(odd).unwrap_err();
        assert_eq!(
            reported,
            [
                "line 2: invalid value '513' for block: must be a multiple of 512 bytes up to 1G: 4K, 64K and 1M are \
                usual",
                "line 3: invalid value '30.5' for write: must be a text in quotes, or a whole number",
                "line 6: invalid value '2G' for block: must be a multiple of 512 bytes up to 1G: 4K, 64K and 1M are \
                usual",
            ]
        );
        assert!(workloads_of("").unwrap_err()[0].contains("names no workload"));
        assert!(workloads_of("[[workload").is_err());
    }

    #[test]
    fn two_workloads_of_one_name_are_reported() {
        let one = "[[workload]]\nblock = \"8K\"\npattern = \"random\"\n";
        let reported = workloads_of(&one.repeat(2)).unwrap_err();
        assert_eq!(
            reported,
            ["line 4: `8K random read`: two workloads are called so: rename one"]
        );
    }
}
