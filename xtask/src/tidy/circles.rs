//! Circles between the files of a crate: files of which each refers to the others, directly or through others.
//!
//! A reference is a path that begins with `crate::` or `super::`, in a `use` or elsewhere. Omitted: what a file takes
//! from its own submodules by their names, tests, and names that a module only passes on: they refer to that module.

use super::tokens::{paths, tokens};
use super::tree::{Rust, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// A module of a crate, from its root: `["check", "safety"]`.
type Module = Vec<String>;

/// Returns a line for each circle: its crate's files, in order.
pub(super) fn circles(tree: &Tree) -> Vec<String> {
    let mut crates: BTreeMap<&str, BTreeMap<Module, (&str, &Rust)>> = BTreeMap::new();
    for (home, file, rust) in tree.sources() {
        let modules = crates.entry(home).or_default();
        modules.insert(module(home, &file.path), (&file.path, rust));
    }
    crates.values().flat_map(of_crate).collect()
}

fn of_crate(modules: &BTreeMap<Module, (&str, &Rust)>) -> Vec<String> {
    let files: Vec<&str> = modules.values().map(|(path, _)| *path).collect();
    let index: BTreeMap<&[String], usize> = modules.keys().map(Vec::as_slice).zip(0..).collect();
    let references: Vec<BTreeSet<usize>> = modules
        .iter()
        .map(|(module, (_, rust))| references(module, rust, &index))
        .collect();
    let reached: Vec<BTreeSet<usize>> = (0..files.len())
        .map(|file| reached(file, &references))
        .collect();
    let circle = |file: usize| -> BTreeSet<usize> {
        let back = |other: &usize| reached[*other].contains(&file);
        reached[file].iter().copied().filter(back).collect()
    };
    let circles: BTreeSet<BTreeSet<usize>> = (0..files.len()).map(circle).collect();
    let names = |circle: &BTreeSet<usize>| -> Vec<&str> {
        circle.iter().map(|file| files[*file]).collect()
    };
    let several = circles.iter().filter(|circle| circle.len() > 1);
    several.map(|circle| names(circle).join(" ")).collect()
}

/// Returns the module that a file below `src` is.
fn module(home: &str, path: &str) -> Module {
    let inner = path[home.len()..].trim_start_matches("/src/");
    let names = inner.trim_end_matches(".rs").split('/');
    let mut module: Module = names.map(str::to_owned).collect();
    if let Some("lib" | "main" | "mod") = module.last().map(String::as_str) {
        module.pop();
    }
    module
}

/// Returns the files to which the paths of a file lead: each the nearest module that is a file.
fn references(module: &Module, rust: &Rust, index: &BTreeMap<&[String], usize>) -> BTreeSet<usize> {
    let tokens = tokens(rust);
    let mut found = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        let starts = ["crate", "super"].contains(token)
            && tokens.get(at + 1) == Some(&"::")
            && (at == 0 || tokens[at - 1] != "::");
        if !starts {
            continue;
        }
        for path in paths(&tokens[at..]) {
            let absolute = absolute(module, &path);
            let nearest = (0..=absolute.len())
                .rev()
                .find_map(|length| index.get(&absolute[..length]));
            found.extend(nearest);
        }
    }
    found
}

fn absolute(module: &Module, path: &[&str]) -> Module {
    let mut absolute = module.clone();
    for name in path {
        match *name {
            "crate" => absolute.clear(),
            "super" => drop(absolute.pop()),
            "self" => {}
            name => absolute.push(name.to_owned()),
        }
    }
    absolute
}

/// Returns the files to which a file refers, directly or through others, and itself.
fn reached(from: usize, references: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let mut reached = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        open.extend(
            references[file]
                .iter()
                .filter(|next| reached.insert(**next)),
        );
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_refer_to_each_other_are_one_circle() {
        let found = circles(&Tree::of(&[
            ("crates/x/src/lib.rs", "mod a; mod b; mod c;"),
            ("crates/x/src/a.rs", "use crate::b::inner::B;"),
            ("crates/x/src/b/mod.rs", "use super::{c::C, d};"),
            ("crates/x/src/b/inner.rs", "fn f() { super::g(); }"),
            ("crates/x/src/c.rs", "use crate::a::A;"),
        ]));
        let files = ["a", "b/mod", "b/inner", "c"].map(|name| format!("crates/x/src/{name}.rs"));
        assert_eq!(found.len(), 1);
        assert!(
            files.iter().all(|file| found[0].contains(file)),
            "{found:?}"
        );
        assert!(!found[0].contains("lib.rs"), "{found:?}");
    }

    #[test]
    fn a_reference_down_in_tests_or_in_another_crate_is_no_circle() {
        let found = circles(&Tree::of(&[
            ("crates/x/src/a.rs", "use crate::b::B;\n"),
            (
                "crates/x/src/b.rs",
                "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n",
            ),
            ("crates/y/src/b.rs", "use crate::a::A;"),
        ]));
        assert!(found.is_empty(), "{found:?}");
    }
}
