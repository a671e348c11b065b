//! Words that must not stand in the tree: it is built on any machine, from any registry, and names none.

use super::Finding;
use super::tree::{File, Tree};

/// The one registry that the lock file may name: cargo's own, which every machine redirects as it likes.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Hosts that packages come from. Written in two halves, so that this file does not find itself.
const HOSTS: &[(&str, &str)] = &[
    ("index.crates", ".io"),
    ("static.crates", ".io"),
    ("deb.debian", ".org"),
    ("registry.np", "mjs.org"),
    ("files.python", "hosted.org"),
    ("://local", "host"),
    ("://127.0", ".0.1"),
];
/// Settings with the origin of packages.
const SOURCES: &[&str] = &["[source.", "[registries", "replace-with", "registry-index"];
/// Folders of one machine or one person. `user`, or a single letter, is any user.
const FOLDERS: &[(&str, &str)] = &[
    ("/wo", "rk/"),
    ("/ho", "me/"),
    ("/ro", "ot/"),
    ("/Us", "ers/"),
];
const ANYBODY: &str = "user";
const PEOPLE: &str = "/home";
/// What stands outside of the tree.
const OUTSIDE: (&str, &str) = ("../sha", "red");

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files
        .iter()
        .filter(|file| !file.path.contains("/fixtures/"))
        .flat_map(|file| {
            file.lines()
                .filter_map(|(number, line)| look(file, number, line))
        })
        .collect()
}

fn look(file: &File, number: usize, line: &str) -> Option<Finding> {
    let finding = |what: String, remedy: &str| Some(Finding::new(&file.path, number, what, remedy));
    if file.path == "Cargo.lock" {
        let foreign = line.starts_with("source = ") && !line.contains(REGISTRY);
        return foreign.then(|| {
            Finding::new(
                &file.path,
                number,
                format!("a package from elsewhere: {line}"),
                "take it from cargo's own registry",
            )
        });
    }
    if let Some(host) = HOSTS
        .iter()
        .map(|(a, b)| format!("{a}{b}"))
        .find(|host| line.contains(host))
    {
        return finding(
            format!("`{host}`: where packages come from"),
            "each machine settles that by itself",
        );
    }
    let setting = SOURCES
        .iter()
        .find(|word| line.trim_start().starts_with(**word));
    if let Some(word) = setting.filter(|_| file.path.ends_with(".toml")) {
        return finding(
            format!("`{word}`: where packages come from"),
            "each machine settles that by itself",
        );
    }
    if let Some(folder) = FOLDERS
        .iter()
        .map(|(a, b)| format!("{a}{b}"))
        .find(|f| names(line, f))
    {
        return finding(
            format!("`{folder}`: a folder of one machine"),
            "use a relative or invented path",
        );
    }
    let outside = format!("{}{}", OUTSIDE.0, OUTSIDE.1);
    if line.contains(&outside) {
        return finding(
            format!("`{outside}`: not in this tree"),
            "repeat its content here",
        );
    }
    None
}

/// Whether an absolute path that begins with `folder` stands in the line.
fn names(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let inside = |c: char| c.is_alphanumeric() || "_-.}*/~".contains(c);
        let after = &line[at + folder.len()..];
        let name = after
            .split(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or_default();
        let anybody = name == ANYBODY || (name.len() == 1 && folder.starts_with(PEOPLE));
        !line[..at].ends_with(inside) && !anybody
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(path: &str, halves: &[&str]) -> usize {
        check(&Tree::of(&[(path, &halves.concat())])).len()
    }

    #[test]
    fn folders_of_one_machine_are_reported() {
        assert_eq!(reported("a.md", &["see /wo", "rk/a"]), 1);
        assert_eq!(reported("a.rs", &["\"/ho", "me/alice/a\""]), 1);
        assert_eq!(reported("a.rs", &["\"/ho", "me/user/a\""]), 0);
        assert_eq!(reported("a.rs", &["\"/ho", "me/a\""]), 0);
        assert_eq!(reported("a.rs", &["tests/ro", "ot/proc"]), 0);
    }

    #[test]
    fn places_of_packages_are_reported() {
        assert_eq!(reported(".cargo/config.toml", &["[source.crates-io]"]), 1);
        assert_eq!(reported("a.sh", &["curl https://index.crates", ".io"]), 1);
        assert_eq!(reported("Cargo.lock", &["source = \"", REGISTRY, "\""]), 0);
        assert_eq!(
            reported(
                "Cargo.lock",
                &["source = \"registry+https://example.org/index\""]
            ),
            1
        );
    }

    #[test]
    fn saved_trees_of_machines_keep_their_words() {
        assert_eq!(
            reported(
                "crates/host/tests/fixtures/a/mounts",
                &["x /ho", "me/alice y"]
            ),
            0
        );
    }
}
