//! Every golden file and every fixture is named by a test; one that is not has outlived it.

use super::Finding;
use super::tree::Tree;
use std::collections::BTreeSet;

/// Folders below `tests/` whose files are compared with or read.
const FOLDERS: &[&str] = &["/golden/", "/fixtures/"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for file in tree
        .files
        .iter()
        .filter(|file| file.path.contains("/tests/"))
    {
        let Some((package, name, path)) = entry(&file.path) else {
            continue;
        };
        if seen.insert(path) && !is_named(tree, package, name) {
            findings.push(Finding::new(
                path,
                1,
                "no test names this",
                "delete it, or name it in the test that reads it",
            ));
        }
    }
    findings
}

/// The package, the first name below the folder (a file or a whole saved tree), and the path of that.
fn entry(path: &str) -> Option<(&str, &str, &str)> {
    let (package, _) = path.split_once("/tests/")?;
    let folder = FOLDERS.iter().find(|folder| path.contains(**folder))?;
    let start = path.find(folder)? + folder.len();
    let name = path[start..].split('/').next()?;
    Some((package, name, &path[..start + name.len()]))
}

/// A test may build the name from its stem.
fn is_named(tree: &Tree, package: &str, name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let inside = format!("{package}/");
    tree.rust()
        .filter(|(file, _)| file.path.starts_with(&inside))
        .any(|(_, rust)| rust.literals.iter().any(|line| line.contains(stem)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixture_without_a_test_is_reported_once() {
        let tree = Tree::of(&[
            (
                "crates/a/tests/it/main.rs",
                "let a = tree(\"laptop\");\nlet b = \"golden/run.txt\";",
            ),
            ("crates/a/tests/fixtures/laptop/proc/stat", ""),
            ("crates/a/tests/fixtures/server/proc/stat", ""),
            ("crates/a/tests/fixtures/server/proc/mounts", ""),
            ("crates/a/tests/it/golden/run.txt", ""),
        ]);
        let found: Vec<_> = check(&tree)
            .into_iter()
            .map(|finding| finding.path)
            .collect();
        assert_eq!(found, ["crates/a/tests/fixtures/server"]);
    }
}
