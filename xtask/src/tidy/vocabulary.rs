//! Finds the words that docs/words.toml replaces: in strings and comments of Rust and TypeScript, and in Markdown.
//!
//! A word has a bound (`left`, 0 by default) that only goes down. Omitted: names in the code and in the braces of
//! a format string, uses that are broken over two lines, and files with an `[[allow]]` entry for the word.

use super::Finding;
use super::tree::{File, Tree};

const TABLE: &str = "docs/words.toml";

/// `[[word]]`, with the line of its heading.
#[derive(Default)]
struct Word {
    line: usize,
    not: String, // in small letters
    instead: String,
    left: usize,
}

/// `[[allow]]`: a file where a word is right, with the line of its heading.
#[derive(Default)]
struct Allowed {
    line: usize,
    word: String,
    file: String,
    why: String,
}

/// Returns a finding for each use of a word above its bound, for each bound that can be lowered, and for each entry of
/// the table that is incomplete or has no effect.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(table) = tree.file(TABLE) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let (words, allowed) = entries(table, &mut findings);
    let mut effective = vec![false; allowed.len()];
    let mut left = 0;
    for word in &words {
        let mut uses = Vec::new();
        for file in &tree.files {
            let here = lines_with(file, &word.not);
            let allow = |one: &Allowed| one.word == word.not && one.file == file.path;
            match allowed.iter().position(allow) {
                Some(at) => effective[at] |= !here.is_empty(),
                None => uses.extend(here.into_iter().map(|line| (&file.path, line))),
            }
        }
        left += uses.len();
        findings.extend(word.findings(&uses));
    }
    for (one, _) in allowed.iter().zip(effective).filter(|(_, used)| !used) {
        let what = format!("`{}` is not used in {}", one.word, one.file);
        findings.push(Finding::new(TABLE, one.line, what, "delete this entry"));
    }
    println!(
        "tidy: {left} uses of the {} words that {TABLE} replaces",
        words.len()
    );
    findings
}

impl Word {
    fn findings(&self, uses: &[(&String, usize)]) -> Vec<Finding> {
        let Word { not, left, .. } = self;
        if uses.len() < *left {
            let what = format!("`{not}` is used {} times, its bound is {left}", uses.len());
            let remedy = format!("lower the bound: left = {}", uses.len());
            return vec![Finding::new(TABLE, self.line, what, remedy)];
        }
        let uses = if uses.len() > *left { uses } else { &[] };
        let finding = |(path, line): &(&String, usize)| {
            let bound = match left {
                0 => String::new(),
                _ => format!(" ({} uses, its bound is {left})", uses.len()),
            };
            let remedy = format!("use: {}", self.instead);
            Finding::new(path, *line, format!("the word `{not}`{bound}"), remedy)
        };
        uses.iter().map(finding).collect()
    }
}

fn entries(table: &File, findings: &mut Vec<Finding>) -> (Vec<Word>, Vec<Allowed>) {
    let (mut words, mut allowed): (Vec<Word>, Vec<Allowed>) = (Vec::new(), Vec::new());
    let mut in_words = false;
    for (number, line) in table.lines() {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let is_read = match (text, text.split_once(" = ")) {
            ("[[word]]", _) => {
                words.push(Word {
                    line: number,
                    ..Word::default()
                });
                in_words = true;
                true
            }
            ("[[allow]]", _) => {
                allowed.push(Allowed {
                    line: number,
                    ..Allowed::default()
                });
                in_words = false;
                true
            }
            (_, Some((key, value))) if in_words => {
                words.last_mut().is_some_and(|word| word.set(key, value))
            }
            (_, Some((key, value))) => allowed.last_mut().is_some_and(|one| one.set(key, value)),
            _ => false,
        };
        if !is_read {
            let remedy =
                "write `key = value` of [[word]] (not, use, left) or [[allow]] (word, file, why)";
            findings.push(Finding::new(
                TABLE,
                number,
                format!("cannot read `{text}`"),
                remedy,
            ));
        }
    }
    let incomplete = words
        .iter()
        .filter(|word| word.not.is_empty() || word.instead.is_empty());
    let incomplete = incomplete.map(|word| word.line).chain(
        allowed
            .iter()
            .filter(|one| one.word.is_empty() || one.file.is_empty() || one.why.is_empty())
            .map(|one| one.line),
    );
    findings.extend(incomplete.map(|line| {
        let remedy = "a [[word]] has `not` and `use`, an [[allow]] has `word`, `file` and `why`";
        Finding::new(TABLE, line, "an entry without all of its keys", remedy)
    }));
    (words, allowed)
}

impl Word {
    /// Returns whether the key and its value were understood.
    fn set(&mut self, key: &str, value: &str) -> bool {
        match (key, quoted(value), value.parse()) {
            ("not", Some(text), _) => self.not = text.to_lowercase(),
            ("use", Some(text), _) => text.clone_into(&mut self.instead),
            ("left", _, Ok(left)) => self.left = left,
            _ => return false,
        }
        true
    }
}

impl Allowed {
    /// Returns whether the key and its value were understood.
    fn set(&mut self, key: &str, value: &str) -> bool {
        match (key, quoted(value)) {
            ("word", Some(text)) => self.word = text.to_lowercase(),
            ("file", Some(text)) => text.clone_into(&mut self.file),
            ("why", Some(text)) => text.clone_into(&mut self.why),
            _ => return false,
        }
        true
    }
}

fn quoted(value: &str) -> Option<&str> {
    value.strip_prefix('"')?.strip_suffix('"')
}

/// Returns the line of each use in text: in Rust and TypeScript strings and comments, in Markdown everything.
fn lines_with(file: &File, word: &str) -> Vec<usize> {
    let is_typescript = file.path.ends_with(".ts");
    if file.rust.is_none() && !is_typescript && !file.path.ends_with(".md") {
        return Vec::new();
    }
    let typescript = is_typescript.then(|| typescript_code(&file.text));
    let code = file.rust.as_ref().map(|rust| &rust.code);
    let code = code.or(typescript.as_ref());
    let uses = |(number, line): (usize, &str)| {
        let names = code.map_or("", |code| &code[number - 1]);
        let count = matches(line, word).saturating_sub(matches(names, word));
        std::iter::repeat_n(number, count)
    };
    file.lines().flat_map(uses).collect()
}

/// Returns the lines without comments and the text of literals; what a template has in braces is code.
fn typescript_code(text: &str) -> Vec<String> {
    let (mut code, mut open) = (String::new(), Vec::new());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        match (open.last().copied(), c) {
            (Some('/'), '\n') | (Some('"'), '"') | (Some('`'), '`') => drop(open.pop()),
            (Some('*'), '*') if next == Some('/') => drop(open.pop()),
            (Some('`'), '$') if next == Some('{') => {
                code.push(' ');
                open.extend(rest.next());
            }
            (Some('"' | '`'), '\\') => drop(rest.next()),
            (Some('/' | '*' | '"' | '`'), _) => {}
            (_, '"' | '`') => open.push(c),
            (_, '/') if matches!(next, Some('/' | '*')) => open.extend(next),
            (Some('{'), '}') => drop(open.pop()),
            (Some('{'), '{') => open.push('{'),
            _ if c != '\n' => code.push(c),
            _ => {}
        }
        if c == '\n' {
            code.push(c);
        }
    }
    code.split('\n').map(str::to_owned).collect()
}

/// Counts the places where the whole word is, but for names in the braces of a format string.
fn matches(line: &str, word: &str) -> usize {
    let line = line.to_lowercase();
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    let places = line.match_indices(word);
    places
        .map(|(at, _)| (&line[..at], &line[at + word.len()..]))
        .filter(|(before, after)| !before.ends_with(is_inside) && !after.starts_with(is_inside))
        .filter(|(before, after)| !(before.ends_with('{') && after.starts_with(['}', ':'])))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: &str = "[[word]]\nnot = \"told\"\nuse = \"reported\"\n";
    const SOURCE: (&str, &str) = (
        "crates/a/src/lib.rs",
        "/// Told, retold.\nfn told() { print(\"is told\", \"{told} {told:?}\") }\n",
    );
    const PAGE: (&str, &str) = ("docs/a.md", "# A\nNobody was told.\n");

    fn found(table: &str) -> Vec<String> {
        let found = check(&Tree::of(&[(TABLE, table), SOURCE, PAGE]));
        found.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn each_use_in_text_is_found_with_its_replacement_and_names_are_not() {
        let expected = [
            "crates/a/src/lib.rs:1: the word `told`\n    use: reported",
            "crates/a/src/lib.rs:2: the word `told`\n    use: reported",
            "docs/a.md:2: the word `told`\n    use: reported",
        ];
        assert_eq!(found(WORD), expected);
    }

    #[test]
    fn uses_within_the_bound_pass_and_a_bound_that_can_be_lowered_is_found() {
        assert!(found(&format!("{WORD}left = 3\n")).is_empty());
        let above = found(&format!("{WORD}left = 2\n"));
        assert_eq!(above.len(), 3);
        assert!(above[0].contains("(3 uses, its bound is 2)"), "{above:?}");
        let below = found(&format!("# head\n{WORD}left = 4\n"));
        let expected = "docs/words.toml:2: `told` is used 3 times, its bound is 4\n    lower the bound: left = 3";
        assert_eq!(below, [expected]);
    }

    #[test]
    fn names_in_typescript_are_no_use_and_its_comments_and_literals_are() {
        let text = "// told\nconst told = { a: { told } };\nconst b = `${told(\"x\")} \\` is told` + told; /* told */ told();\n\"told\"\n";
        let tree = Tree::of(&[(TABLE, WORD), ("report-ui/src/a.ts", text)]);
        let lines: Vec<usize> = check(&tree).iter().map(|found| found.line).collect();
        assert_eq!(lines, [1, 3, 3, 4]);
    }

    #[test]
    fn an_allowed_file_passes_and_an_entry_without_effect_is_found() {
        let allow = |file: &str| {
            format!(
                "{WORD}left = 2\n[[allow]]\nword = \"told\"\nfile = \"{file}\"\nwhy = \"quotes it\"\n"
            )
        };
        assert!(found(&allow("docs/a.md")).is_empty());
        let idle = found(&allow("docs/b.md"));
        assert!(
            idle.last()
                .is_some_and(|one| one.contains("delete this entry")),
            "{idle:?}"
        );
    }

    #[test]
    fn an_entry_that_is_incomplete_or_misspelt_is_found() {
        let found =
            found("[[word]]\nnot = \"retold\"\nuse = \"x\"\nleft = 0\n[[word]]\nnott = \"x\"\n");
        assert!(
            found.iter().any(|one| one.contains("cannot read `nott")),
            "{found:?}"
        );
        assert!(
            found
                .iter()
                .any(|one| one.contains("docs/words.toml:5: an entry without")),
            "{found:?}"
        );
    }
}
