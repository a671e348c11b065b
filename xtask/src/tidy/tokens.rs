//! Takes the code of a Rust file apart further: into tokens, and the paths and trees of `use` among them.
//!
//! Only what is not built for tests. Omitted: what a name means; macros are read as the tokens that they are.

use super::tree::Rust;

/// Signs of two characters that are one token, so that the `>` of an arrow closes nothing.
const PAIRS: [&str; 3] = ["::", "->", "=>"];

/// Returns names and signs, in order.
pub(super) fn tokens(rust: &Rust) -> Vec<&str> {
    let lines = rust.code.iter().zip(&rust.test);
    lines
        .filter(|(_, test)| !**test)
        .flat_map(|(line, _)| of_line(line))
        .collect()
}

fn of_line(line: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let in_name = |c: char| c.is_alphanumeric() || c == '_';
        let length = if in_name(first) {
            rest.find(|c| !in_name(c)).unwrap_or(rest.len())
        } else if PAIRS.iter().any(|pair| rest.starts_with(pair)) {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// Returns what stands between the bracket at `open` and the one that closes it.
pub(super) fn inside<'a, 't>(tokens: &'t [&'a str], open: usize) -> &'t [&'a str] {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return &tokens[open + 1..at.max(open + 1)];
        }
    }
    &tokens[open + 1..]
}

/// Splits at the commas that are in no bracket, angle brackets included. Empty parts are omitted.
pub(super) fn split_at_commas<'a, 't>(tokens: &'t [&'a str]) -> Vec<&'t [&'a str]> {
    let mut depth = 0_i32;
    let comma = |token: &&str| {
        match *token {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth -= 1,
            _ => {}
        }
        depth == 0 && *token == ","
    };
    let parts = tokens.split(comma);
    parts.filter(|part| !part.is_empty()).collect()
}

/// Returns the paths that begin at the start of `tokens`: one, or one for each leaf of a tree in braces.
pub(super) fn paths<'a>(tokens: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut path = Vec::new();
    let mut at = 0;
    loop {
        match tokens.get(at) {
            Some(&"{") => {
                let branches = split_at_commas(inside(tokens, at));
                let leaves = branches.into_iter().flat_map(paths);
                return leaves.map(|leaf| [&path[..], &leaf].concat()).collect();
            }
            Some(name) => path.push(*name),
            None => {}
        }
        if tokens.get(at + 1) != Some(&"::") {
            return vec![path];
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_signs_and_arrows_are_tokens_and_tests_are_not() {
        let text = "fn a(b: &'s B::C) -> D {}\n#[cfg(test)]\nmod tests {\n    fn e() {}\n}\n";
        assert_eq!(
            tokens(&Rust::split("a.rs", text)).join(" "),
            "fn a ( b : & ' s B :: C ) -> D { }"
        );
    }

    #[test]
    fn a_tree_of_use_has_a_path_for_each_leaf() {
        let rust = Rust::split("a.rs", "use crate::{a::{B, c::D as E}, f::*, self};");
        let found: Vec<String> = paths(&tokens(&rust)[1..])
            .iter()
            .map(|path| path.join("::"))
            .collect();
        assert_eq!(
            found,
            [
                "crate::a::B",
                "crate::a::c::D",
                "crate::f::*",
                "crate::self"
            ]
        );
    }
}
