//! Figures of the shape of the code, each with a bound that only goes down: above it is a finding, below it the line
//! reports that the bound can be lowered.
//!
//! Counted are the program's crates, without tests. Omitted: the tools (`attack`, `bench`, `xtask`), and what the
//! figures should be, which is a decision.

use super::Finding;
use super::circles::circles;
use super::tokens::{inside, paths, split_at_commas, tokens};
use super::tree::{File, Rust, Tree};
use std::collections::BTreeMap;

/// A struct with more has several subjects.
const FIELDS_MAX: usize = 12;
/// A source file with fewer lines of code is rarely a subject of its own.
const LINES_MIN: usize = 50;

/// What is counted. The bound is the lowest figure that was reached.
struct Figure {
    name: &'static str,
    bound: usize,
    count: fn(&Tree) -> Count,
}

/// A figure and what it consists of.
enum Count {
    Places(Vec<String>),
    /// The figure is the largest crate's.
    Largest(BTreeMap<String, usize>),
    /// The figure is the sum of all crates.
    Sum(BTreeMap<String, usize>),
}

const FIGURES: &[Figure] = &[
    Figure {
        name: "circles between the files of a crate",
        bound: 6,
        count: |tree| Count::Places(circles(tree)),
    },
    Figure {
        name: "files in such circles",
        bound: 25,
        count: |tree| Count::Places(files_in_circles(tree)),
    },
    Figure {
        name: "structs with more than 12 named fields",
        bound: 18,
        count: |tree| Count::Places(in_files(tree, wide_structs)),
    },
    Figure {
        name: "functions with a tuple as a parameter",
        bound: 0,
        count: |tree| Count::Places(in_files(tree, tuple_functions)),
    },
    Figure {
        name: "source files with fewer than 50 lines of code",
        bound: 222,
        count: |tree| Count::Places(in_files(tree, few_lines)),
    },
    Figure {
        name: "names that one lib.rs re-exports",
        bound: 189,
        count: re_exports,
    },
    Figure {
        name: "lines of code, without comments, blanks and tests",
        bound: 173_196,
        count: lines_of_code,
    },
];

/// Prints a line for each figure, and the figure of each crate where it has one. Returns what is above its bound.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let measure = |figure: &Figure| {
        let count = (figure.count)(tree);
        println!("tidy: {}", figure.line(&count));
        figure.finding(&count)
    };
    FIGURES.iter().filter_map(measure).collect()
}

impl Figure {
    fn line(&self, count: &Count) -> String {
        let Figure { name, bound, .. } = self;
        let lower = if count.figure() < *bound {
            ", which can be lowered in xtask/src/tidy/figures.rs"
        } else {
            ""
        };
        let crates = match count {
            Count::Places(_) => String::new(),
            Count::Largest(_) | Count::Sum(_) => format!(": {}", count.parts().join(", ")),
        };
        format!("{} {name}{crates} (bound {bound}{lower})", count.figure())
    }

    fn finding(&self, count: &Count) -> Option<Finding> {
        let what = format!(
            "{} {}, above the bound {}:\n    {}",
            count.figure(),
            self.name,
            self.bound,
            count.parts().join("\n    ")
        );
        let remedy = "bring it back to the bound; compare with the list before the change";
        (count.figure() > self.bound)
            .then(|| Finding::new("xtask/src/tidy/figures.rs", 1, what, remedy))
    }
}

impl Count {
    fn figure(&self) -> usize {
        match self {
            Count::Places(places) => places.len(),
            Count::Largest(crates) => crates.values().copied().max().unwrap_or(0),
            Count::Sum(crates) => crates.values().sum(),
        }
    }

    fn parts(&self) -> Vec<String> {
        match self {
            Count::Places(places) => places.clone(),
            Count::Largest(crates) | Count::Sum(crates) => {
                let part = |(name, count): (&String, &usize)| format!("{name} {count}");
                crates.iter().map(part).collect()
            }
        }
    }
}

/// Two circles that become one are fewer circles, but not fewer files.
fn files_in_circles(tree: &Tree) -> Vec<String> {
    let circles = circles(tree);
    let files = circles.iter().flat_map(|circle| circle.split(' '));
    files.map(str::to_owned).collect()
}

/// Returns what `find` finds in each file, behind the file's path.
fn in_files(tree: &Tree, find: fn(&Rust) -> Vec<String>) -> Vec<String> {
    let of_file = |(_, file, rust): (&str, &File, &Rust)| {
        let found = find(rust).into_iter();
        let places: Vec<String> = found.map(|what| format!("{}: {what}", file.path)).collect();
        places
    };
    tree.sources().flat_map(of_file).collect()
}

fn wide_structs(rust: &Rust) -> Vec<String> {
    let tokens = tokens(rust);
    let mut found = Vec::new();
    for at in positions(&tokens, "struct") {
        let Some(length) = tokens[at..].iter().position(|t| ["{", ";"].contains(t)) else {
            continue;
        };
        // That of a tuple struct ends with `;`, which opens nothing.
        let fields = split_at_commas(inside(&tokens, at + length)).len();
        if tokens[at + length] == "{" && fields > FIELDS_MAX {
            found.push(format!("{} ({fields})", tokens[at + 1]));
        }
    }
    found
}

fn tuple_functions(rust: &Rust) -> Vec<String> {
    let tokens = tokens(rust);
    let takes_tuple = |&at: &usize| {
        let Some(open) = parameters(&tokens, at) else {
            return false;
        };
        let parameters = split_at_commas(inside(&tokens, open));
        parameters.into_iter().any(is_tuple)
    };
    let functions = positions(&tokens, "fn").filter(takes_tuple);
    functions.map(|at| tokens[at + 1].to_owned()).collect()
}

/// Returns where the parameters of a function open: behind its name and its generics. The type `fn(…)` has no name.
fn parameters(tokens: &[&str], function: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, token) in tokens.iter().enumerate().skip(function + 1) {
        match *token {
            "<" => depth += 1,
            ">" => depth -= 1,
            "(" if depth == 0 => return (at > function + 1).then_some(at),
            _ => {}
        }
    }
    None
}

/// Whether the type of a parameter is a tuple of several, or a reference to one.
fn is_tuple(parameter: &[&str]) -> bool {
    let mut depth = 0_i32;
    let colon = parameter.iter().position(|token| {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        depth == 0 && *token == ":"
    });
    let Some(mut kind) = colon.map(|at| &parameter[at + 1..]) else {
        return false; // `self`
    };
    loop {
        kind = match kind {
            ["&" | "mut", rest @ ..] | ["'", _, rest @ ..] => rest,
            _ => break,
        };
    }
    kind.first() == Some(&"(") && split_at_commas(inside(kind, 0)).len() > 1
}

fn few_lines(rust: &Rust) -> Vec<String> {
    let lines = lines(rust);
    let few = (1..LINES_MIN).contains(&lines);
    few.then(|| format!("{lines} lines")).into_iter().collect()
}

/// Lines that contain code or a part of a literal, without tests.
fn lines(rust: &Rust) -> usize {
    let texts = rust.code.iter().zip(&rust.literals).zip(&rust.test);
    let counts = texts.filter(|((code, literal), test)| {
        let is_blank = code.trim().is_empty() && literal.trim().is_empty();
        !is_blank && !**test
    });
    counts.count()
}

/// Counts the leaves of `pub use` in each `lib.rs`, a `*` as one.
fn re_exports(tree: &Tree) -> Count {
    let libraries = tree
        .sources()
        .filter(|(_, file, _)| file.path.ends_with("/src/lib.rs"));
    Count::Largest(by_crate(
        libraries.map(|(home, _, rust)| (home, re_exported(&tokens(rust)))),
    ))
}

fn re_exported(tokens: &[&str]) -> usize {
    let public = positions(tokens, "use").filter(|at| *at > 0 && tokens[at - 1] == "pub");
    public.map(|at| paths(&tokens[at + 1..]).len()).sum()
}

fn lines_of_code(tree: &Tree) -> Count {
    Count::Sum(by_crate(
        tree.sources().map(|(home, _, rust)| (home, lines(rust))),
    ))
}

fn by_crate<'a>(counts: impl Iterator<Item = (&'a str, usize)>) -> BTreeMap<String, usize> {
    let mut crates = BTreeMap::new();
    for (home, count) in counts {
        *crates
            .entry(home.trim_start_matches("crates/").to_owned())
            .or_default() += count;
    }
    crates
}

fn positions<'t>(tokens: &'t [&str], word: &'t str) -> impl Iterator<Item = usize> + 't {
    (0..tokens.len()).filter(move |at| tokens[*at] == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rust(text: &str) -> Rust {
        Rust::split("crates/x/src/a.rs", text)
    }

    #[test]
    fn named_fields_are_counted_and_those_of_tuple_structs_are_not() {
        let fields: String = (0..13)
            .map(|n| format!("#[a(b, c)] f{n}: M<K, (V, V)>, "))
            .collect();
        let wide = format!("pub struct Wide<T> where T: Fn(u8) {{ {fields} }}\nstruct Unit;");
        let fits =
            "struct Fits { a: u8 }\nstruct T(A, B, C, D, E, F, G, H, I, J, K, L, M);\nfn f() {}";
        assert_eq!(wide_structs(&rust(&wide)), ["Wide (13)"]);
        assert!(wide_structs(&rust(fits)).is_empty());
    }

    #[test]
    fn tuples_as_parameters_are_found_and_other_tuples_are_not() {
        let text = "fn a((b, c): (B, C)) {}\nfn d<F: Fn(A) -> B>(&self, e: &'a mut (u8, u8), f: F) {}\n\
                    fn g(h: &[(u8, u8)], i: fn(A, B), j: ()) -> (u8, u8) {}\nfn k(S { l, m: (n, o) }: S) {}";
        assert_eq!(tuple_functions(&rust(text)), ["a", "d"]);
    }

    #[test]
    fn lines_of_code_are_without_comments_blanks_and_tests() {
        let text = "//! Head.\n\nfn a() -> &str { // why\n    \"b\n    c\"\n}\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(lines(&rust(text)), 4);
        assert_eq!(few_lines(&rust(text)), ["4 lines"]);
        assert!(few_lines(&rust(&"a();\n".repeat(50))).is_empty());
        assert!(few_lines(&rust("//! Only a head.")).is_empty());
    }

    #[test]
    fn re_exports_are_the_names_of_the_crate_with_the_most() {
        let count = re_exports(&Tree::of(&[
            (
                "crates/x/src/lib.rs",
                "pub use a::{B, c::{D, E}};\npub use f::G as H;\nuse i::J;",
            ),
            ("crates/y/src/lib.rs", "pub use a::*;\npub(crate) use b::C;"),
            ("crates/y/src/a.rs", "pub use d::{E, F, G, H, I};"),
        ]));
        assert_eq!(count.parts(), ["x 4", "y 1"]);
        assert_eq!(count.figure(), 4);
    }

    #[test]
    fn a_figure_above_its_bound_is_a_finding_and_one_below_asks_to_lower_it() {
        let figure = |bound| Figure {
            name: "things",
            bound,
            count: |_| Count::Places(Vec::new()),
        };
        let two = Count::Places(vec!["a".to_owned(), "b".to_owned()]);
        assert!(
            figure(1)
                .finding(&two)
                .is_some_and(|f| f.what.contains("\n    b"))
        );
        assert!(figure(2).finding(&two).is_none() && !figure(2).line(&two).contains("lowered"));
        assert!(figure(3).line(&two).contains("lowered"));
    }
}
