//! A script as statements and blocks, each with its line. Comments are omitted.

/// A statement, or a block with what stands before it.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Statement { number: usize, text: String },
    Block { head: String, body: Vec<Node> },
}

/// Deepest nesting that is followed.
const DEPTH_MAX: usize = 32;

pub(super) fn nodes(text: &str) -> Vec<Node> {
    let letters: Vec<char> = text.replace("\r\n", "\n").chars().collect();
    let mut reader = Reader {
        letters: &letters,
        at: 0,
        number: 1,
    };
    reader.nodes(0)
}

struct Reader<'t> {
    letters: &'t [char],
    at: usize,
    number: usize,
}

/// A statement as it grows.
#[derive(Default)]
struct Pending {
    text: String,
    number: usize,
    depth: usize,
}

impl Pending {
    fn push(&mut self, letter: char, number: usize) {
        if self.text.trim().is_empty() && !letter.is_whitespace() {
            self.text.clear();
            self.number = number;
        }
        self.text.push(letter);
    }

    fn take(&mut self, nodes: &mut Vec<Node>) {
        let text = std::mem::take(&mut self.text);
        self.depth = 0;
        if !text.trim().is_empty() {
            let text = text.trim().to_owned();
            let number = self.number;
            nodes.push(Node::Statement { number, text });
        }
    }
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> char {
        self.letters.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.letters.get(self.at).copied()?;
        self.at += 1;
        self.number += usize::from(letter == '\n');
        Some(letter)
    }

    /// Up to the end of the text, or of the block that is open.
    fn nodes(&mut self, level: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut pending = Pending::default();
        while let Some(letter) = self.next() {
            let number = self.number;
            match letter {
                '`' if self.peek(0) == '\n' => {
                    self.next();
                    pending.push(' ', number);
                }
                '`' => {
                    pending.push(letter, number);
                    if let Some(escaped) = self.next() {
                        pending.push(escaped, number);
                    }
                }
                '<' if self.peek(0) == '#' => self.skip_to("#>"),
                '#' if !pending.text.ends_with(|letter: char| {
                    letter.is_alphanumeric() || letter == '"' || letter == '\''
                }) =>
                {
                    while self.peek(0) != '\n' && self.next().is_some() {}
                }
                '@' if matches!(self.peek(0), '"' | '\'') => self.here_string(&mut pending),
                '@' if self.peek(0) == '{' => {
                    pending.push(letter, number);
                    self.table(&mut pending);
                }
                '"' | '\'' => self.quoted(letter, &mut pending),
                '(' | '[' => {
                    pending.depth += 1;
                    pending.push(letter, number);
                }
                ')' | ']' => {
                    pending.depth = pending.depth.saturating_sub(1);
                    pending.push(letter, number);
                }
                '{' if pending.text.ends_with('$') => {
                    pending.push(letter, number);
                    while let Some(letter) = self.next() {
                        pending.push(letter, number);
                        if letter == '}' {
                            break;
                        }
                    }
                }
                '{' if pending.depth == 0 && level < DEPTH_MAX => {
                    let head = std::mem::take(&mut pending.text).trim().to_owned();
                    let body = self.nodes(level + 1);
                    nodes.push(Node::Block { head, body });
                }
                '}' if pending.depth == 0 => {
                    pending.take(&mut nodes);
                    if level > 0 {
                        return nodes;
                    }
                }
                ';' if pending.depth == 0 => pending.take(&mut nodes),
                '\n' if pending.depth == 0 && !self.goes_on(&pending.text) => {
                    pending.take(&mut nodes);
                }
                letter => pending.push(letter, number),
            }
        }
        pending.take(&mut nodes);
        nodes
    }

    /// Whether a statement continues on the next line: after a pipe or a comma, or where a block is to begin.
    fn goes_on(&self, text: &str) -> bool {
        let text = text.trim_end();
        if text.ends_with(['|', ',', '=', '+']) {
            return true;
        }
        let lower = text.trim_start().to_ascii_lowercase();
        let opens = [
            "foreach", "for", "if", "while", "function", "else", "elseif", "do", "try", "catch",
            "finally",
        ];
        let head = lower.split([' ', '(']).next().unwrap_or_default();
        let piped = lower.ends_with("| %") || lower.ends_with("foreach-object");
        let rest = self.letters[self.at.min(self.letters.len())..].iter();
        let next = rest.copied().find(|letter| !letter.is_whitespace());
        next == Some('{') && (opens.contains(&head) || piped)
    }

    fn skip_to(&mut self, end: &str) {
        let end: Vec<char> = end.chars().collect();
        while self.next().is_some() {
            if self.letters[..self.at].ends_with(&end) {
                return;
            }
        }
    }

    fn quoted(&mut self, quote: char, pending: &mut Pending) {
        let number = self.number;
        pending.push(quote, number);
        while let Some(letter) = self.next() {
            pending.push(letter, number);
            if letter == '`' && quote == '"' {
                pending.text.extend(self.next());
            } else if letter == quote {
                return;
            }
        }
    }

    /// `@"` … `"@` as an ordinary string.
    fn here_string(&mut self, pending: &mut Pending) {
        let quote = self.next().unwrap_or('"');
        let number = self.number;
        while self.peek(0) != '\n' && self.next().is_some() {}
        self.next();
        let mut text = String::new();
        while self.at < self.letters.len() {
            let at_line_start = text.is_empty() || text.ends_with('\n');
            if at_line_start && self.peek(0) == quote && self.peek(1) == '@' {
                self.next();
                self.next();
                break;
            }
            text.extend(self.next());
        }
        pending.push(quote, number);
        let other = if quote == '"' { '\'' } else { '"' };
        pending.text.extend(
            text.trim_end()
                .chars()
                .map(|letter| if letter == quote { other } else { letter }),
        );
        pending.text.push(quote);
    }

    /// `@{ … }` as it is.
    fn table(&mut self, pending: &mut Pending) {
        let mut depth = 0;
        while let Some(letter) = self.next() {
            pending.text.push(letter);
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }
}
