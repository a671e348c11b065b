//! Text taken apart at signs that do not stand in quotation marks or brackets.

/// Pieces of a text between a sign, where it is outside of quotation marks and brackets.
pub(super) fn split<'t>(text: &'t str, sign: &str) -> Vec<&'t str> {
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut at = 0;
    let mut state = State::default();
    while at < text.len() {
        let rest = &text[at..];
        if state.is_outside() && rest.starts_with(sign) {
            pieces.push(&text[from..at]);
            at += sign.len();
            from = at;
            continue;
        }
        let letter = rest.chars().next().unwrap_or_default();
        state.take(letter);
        at += letter.len_utf8().max(1);
    }
    pieces.push(&text[from..]);
    pieces
}

/// Words between blanks, quotation marks kept.
pub(super) fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut from = None;
    let mut state = State::default();
    for (at, letter) in text.char_indices() {
        if state.is_outside() && letter.is_whitespace() {
            words.extend(from.take().map(|from: usize| &text[from..at]));
            continue;
        }
        from.get_or_insert(at);
        state.take(letter);
    }
    words.extend(from.map(|from| &text[from..]));
    words
}

/// Where in a text a reader is.
#[derive(Default)]
pub(super) struct State {
    quote: Option<char>,
    depth: i32,
}

impl State {
    pub(super) fn is_outside(&self) -> bool {
        self.quote.is_none() && self.depth <= 0
    }

    pub(super) fn take(&mut self, letter: char) {
        match (self.quote, letter) {
            (Some(open), _) if open == letter => self.quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => self.quote = Some(letter),
            (None, '(') => self.depth += 1,
            (None, ')') => self.depth -= 1,
            (None, _) => {}
        }
    }
}

/// The text without quotation marks around it.
pub(super) fn unquoted(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '\''] {
        let inner = text
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner;
        }
    }
    text
}

/// A text without the case of a prefix.
pub(super) fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let head = text.get(..word.len())?;
    let rest = &text[word.len()..];
    let ends = rest
        .chars()
        .next()
        .is_none_or(|letter| !letter.is_alphanumeric() && letter != '-');
    (head.eq_ignore_ascii_case(word) && ends).then_some(rest)
}
