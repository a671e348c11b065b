//! Takes a Rust file apart: code, the insides of string literals, and which lines are only built for tests.
//!
//! As much of the language as that needs, and no more: comments (nested ones too), strings (raw ones too),
//! character literals against lifetimes, and braces. A full parser would be a dependency of twenty.

use super::tree::{Rust, Text};

impl Rust {
    /// Splits a file. A file that cannot be Rust gives some result; rustc reports its errors.
    pub(super) fn split(path: &str, text: &str) -> Rust {
        let mut lexer = Lexer {
            rest: text.chars().collect(),
            at: 0,
            code: String::with_capacity(text.len()),
            literals: String::new(),
            strings: Vec::new(),
        };
        while lexer.at < lexer.rest.len() {
            lexer.step();
        }
        // `split`, not `lines`: what is left of a last line may be empty, and is a line all the same.
        let count = text.lines().count();
        let lines = |text: &str| -> Vec<String> {
            text.split('\n').take(count).map(str::to_owned).collect()
        };
        let (code, literals) = (lines(&lexer.code), lines(&lexer.literals));
        let test = if path.contains("/tests/") || path.ends_with("/tests.rs") {
            vec![true; code.len()]
        } else {
            test_lines(&code)
        };
        Rust {
            code,
            literals,
            test,
            strings: lexer.strings,
        }
    }
}

/// Takes a file apart, one character or literal a step. Line ends go to both sides, so that lines stay lines.
struct Lexer {
    rest: Vec<char>,
    at: usize,
    code: String,
    literals: String,
    strings: Vec<Text>,
}

impl Lexer {
    fn step(&mut self) {
        let previous = self.at.checked_sub(1).map(|at| self.rest[at]);
        let in_name = previous.is_some_and(|c| c.is_alphanumeric() || c == '_');
        match (self.peek(0), self.peek(1)) {
            ('/', '/') => self.skip_while(|lexer| lexer.peek(0) != '\n'),
            ('/', '*') => self.block_comment(),
            ('"', _) => self.string(),
            ('r', '"' | '#') if !in_name && self.opens_raw(1) => self.raw_string(1),
            ('b' | 'c', 'r') if !in_name && self.opens_raw(2) => self.raw_string(2),
            ('\'', '\\') => self.character(),
            ('\'', _) if self.peek(2) == '\'' => self.character(),
            _ => self.keep(),
        }
    }

    fn peek(&self, ahead: usize) -> char {
        self.rest.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn keep(&mut self) {
        let c = self.rest[self.at];
        self.code.push(c);
        if c == '\n' {
            self.literals.push('\n');
        }
        self.at += 1;
    }

    /// Passes over a character; only its line end is kept.
    fn drop_one(&mut self) {
        if self.peek(0) == '\n' {
            self.code.push('\n');
            self.literals.push('\n');
        }
        self.at += 1;
    }

    fn skip_while(&mut self, go_on: impl Fn(&Lexer) -> bool) {
        while self.at < self.rest.len() && go_on(self) {
            self.drop_one();
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        loop {
            match (self.peek(0), self.peek(1)) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ => {
                    self.drop_one();
                    if self.at >= self.rest.len() {
                        return;
                    }
                    continue;
                }
            }
            self.at += 2;
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        let (line, from) = (self.line(), self.literals.len());
        self.code.push('"');
        self.at += 1;
        while self.at < self.rest.len() && self.peek(0) != '"' {
            if self.peek(0) == '\\' {
                self.literals.push('\\');
                self.at += 1;
            }
            self.take_literal();
        }
        self.end_string(line, from);
        self.at += 1;
    }

    fn line(&self) -> usize {
        1 + self.code.matches('\n').count()
    }

    fn end_string(&mut self, line: usize, from: usize) {
        let text = self.literals[from..].to_owned();
        self.strings.push(Text { line, text });
        self.code.push('"');
    }

    /// Whether `#…#"` follows: a raw string, not a raw name such as `r#type`.
    fn opens_raw(&self, ahead: usize) -> bool {
        let hashes = (ahead..).take_while(|&at| self.peek(at) == '#').count();
        self.peek(ahead + hashes) == '"'
    }

    fn raw_string(&mut self, ahead: usize) {
        let (line, from) = (self.line(), self.literals.len());
        let hashes = (ahead..).take_while(|&at| self.peek(at) == '#').count();
        self.at += ahead + hashes + 1;
        let closes = |lexer: &Lexer| {
            lexer.peek(0) == '"' && (1..=hashes).all(|ahead| lexer.peek(ahead) == '#')
        };
        self.code.push('"');
        while self.at < self.rest.len() && !closes(self) {
            self.take_literal();
        }
        self.end_string(line, from);
        self.at += 1 + hashes;
    }

    fn take_literal(&mut self) {
        if self.at >= self.rest.len() {
            return;
        }
        let c = self.rest[self.at];
        self.literals.push(c);
        if c == '\n' {
            self.code.push('\n');
        }
        self.at += 1;
    }

    /// A character literal: nothing in it is code.
    fn character(&mut self) {
        self.at += if self.peek(1) == '\\' { 3 } else { 2 };
        self.skip_while(|lexer| lexer.peek(0) != '\'');
        self.at += 1;
    }
}

/// The lines of `#[cfg(test)] mod … { … }`.
fn test_lines(code: &[String]) -> Vec<bool> {
    let mut test = vec![false; code.len()];
    let mut at = 0;
    while at < code.len() {
        let opens = code[at].contains("#[cfg(test)]");
        let is_item = |line: &&String| !line.trim().is_empty() && !line.trim().starts_with("#[");
        let next = code[at + 1..].iter().find(is_item);
        let inline = next.is_some_and(|line| line.contains("mod ") && line.contains('{'));
        if !opens || !inline {
            at += 1;
            continue;
        }
        let mut depth = 0_i64;
        loop {
            test[at] = true;
            let opened = code[at].matches('{').count();
            let closed = code[at].matches('}').count();
            depth += i64::try_from(opened).unwrap_or(0) - i64::try_from(closed).unwrap_or(0);
            at += 1;
            if at >= code.len() || (closed > 0 && depth <= 0) {
                break;
            }
        }
    }
    test
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_no_code() {
        let text = "let a = \"x // y\"; // \"z\"\n/* one /* two */ \n still */ let b = r#\"q\"w\"#;\nfn c<'a>(d: &'a str) { '\"'; }";
        let split = Rust::split("a.rs", text);
        assert_eq!(
            split.code,
            [
                "let a = \"\"; ",
                "",
                " let b = \"\";",
                "fn c<'a>(d: &'a str) { ; }"
            ]
        );
        assert_eq!(split.literals, ["x // y", "", "q\"w", ""]);
        let strings: Vec<(usize, &str)> = split
            .strings
            .iter()
            .map(|one| (one.line, one.text.as_str()))
            .collect();
        assert_eq!(strings, [(1, "x // y"), (3, "q\"w")]);
    }

    #[test]
    fn lines_of_a_test_module_are_known() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n";
        let split = Rust::split("crates/a/src/lib.rs", text);
        assert_eq!(split.test, [false, true, true, true, true, false]);
        assert_eq!(
            Rust::split("crates/a/tests/it/main.rs", "fn a() {}").test,
            [true]
        );
    }
}
