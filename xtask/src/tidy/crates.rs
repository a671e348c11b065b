//! Between the rooms: which may know which, and who may use what from outside.
//!
//! The manifests are read as text where cargo does not keep what we ask for (comments, `workspace = true`).

use super::Finding;
use super::tree::{File, Package, Tree};

const MANIFEST: &str = "Cargo.toml";

/// Each room, the rooms it may know, and why. An arrow that is not here is a decision with a page of its own.
const ARROWS: &[(&str, &[&str], &str)] = &[
    (
        "gate",
        &[],
        "opens for writing; what may be written is decided above it",
    ),
    (
        "attack",
        &[],
        "attacks the built program as another user or process does; knows nothing of its insides",
    ),
    ("model", &[], "the shared terms depend on no crate"),
    (
        "host",
        &["gate", "model"],
        "facts and counters are records; what is open is pinned by the gate",
    ),
    (
        "store",
        &["gate", "model"],
        "keeps records and derives nothing; its files are opened by the gate",
    ),
    (
        "analysis",
        &["model"],
        "records in, reports out; it does not know how they are shown",
    ),
    (
        "engine",
        &["gate", "host", "model"],
        "reads the machine's counters around what it measures; never prints",
    ),
    (
        "sweep",
        &["analysis", "model"],
        "reads the records before it chooses the next point",
    ),
    (
        "job",
        &["model"],
        "the ranks of a run on many hosts: messages and their order; what an order means is the session's",
    ),
    (
        "session",
        &["engine", "gate", "host", "job", "model", "store", "sweep"],
        "checks, runs and stores the runs of one command; never prints",
    ),
    ("views", &["analysis", "model"], "shows a report"),
    (
        "tools",
        &["analysis", "model", "views"],
        "other tools' requests and results, read and printed; their figures come from records",
    ),
    (
        "traces",
        &["gate", "model"],
        "reads and writes traces of I/Os as streams, which the gate opens",
    ),
    (
        "monitor",
        &["analysis", "host", "model"],
        "reads the counters again and again and shows them; knows no run and no engine",
    ),
    (
        "cli",
        &[
            "analysis", "attack", "engine", "gate", "host", "job", "model", "monitor", "session",
            "store", "sweep", "tools", "traces", "views",
        ],
        "the entry point: only here all crates meet",
    ),
    (
        "bench",
        &["analysis", "model", "store"],
        "runs the built program as a user would, next to others, times what turns records into reports, and fills databases",
    ),
    (
        "faultfs",
        &["engine", "model"],
        "serves the store of simulated devices as a file, so that its faults are below a real kernel",
    ),
    (
        "xtask",
        &[],
        "stands alone, so that it builds when a room does not",
    ),
];

/// Arrows between the packages of the workspace are those of the list.
pub(super) fn arrows(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &tree.packages {
        let Some((_, allowed, why)) = ARROWS.iter().find(|(room, ..)| *room == package.room) else {
            findings.push(Finding::new(
                &package.manifest,
                1,
                format!("the room `{}` is not in the list of arrows", package.room),
                "add it to ARCHITECTURE.md and to ARROWS in xtask/src/tidy/crates.rs",
            ));
            continue;
        };
        for need in &package.needs {
            let Some(room) = need.room.as_deref().filter(|room| !allowed.contains(room)) else {
                continue;
            };
            let line = line_of(tree, &package.manifest, &need.name);
            findings.push(Finding::new(
                &package.manifest,
                line,
                format!("the arrow {} → {room} is not allowed: {why}", package.room),
                "move what is needed down to a room that both may know, or pass it in from cli",
            ));
        }
    }
    findings
}

/// Every dependency from outside names its users and the reason, and no other crate uses it.
pub(super) fn owners(tree: &Tree) -> Vec<Finding> {
    let Some(manifest) = tree.file(MANIFEST) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for row in
        rows(manifest, "[workspace.dependencies]").filter(|row| !row.text.contains("path = "))
    {
        let mut tell = |path: &str, line: usize, what: String, remedy: &str| {
            findings.push(Finding::new(path, line, what, remedy));
        };
        let Some((owners, _)) = row
            .text
            .split_once('#')
            .and_then(|(_, why)| why.split_once(':'))
        else {
            let what = format!("`{}` has no owner and reason", row.name);
            tell(
                MANIFEST,
                row.line,
                what,
                "write behind it: # room: why we do not write it ourselves",
            );
            continue;
        };
        let owners: Vec<&str> = owners.split(',').map(str::trim).collect();
        let users: Vec<(&Package, bool)> = users(tree, row.name).collect();
        if users.is_empty() {
            tell(
                MANIFEST,
                row.line,
                format!("no crate uses `{}`", row.name),
                "take the line out",
            );
        }
        for (package, only_tests) in users {
            if !is_owner(&owners, &package.room, only_tests) {
                let line = line_of(tree, &package.manifest, row.name);
                let what = format!(
                    "`{}` belongs to {}, and {} uses it",
                    row.name,
                    owners.join(", "),
                    package.room
                );
                tell(
                    &package.manifest,
                    line,
                    what,
                    "ask its owner for what is needed, or name this room in Cargo.toml",
                );
            }
        }
    }
    findings
}

/// Tests may use every crate that the tree builds anyway; what is there for tests, only tests may use.
fn is_owner(owners: &[&str], room: &str, only_tests: bool) -> bool {
    only_tests || owners.contains(&room) || owners.contains(&"every room")
}

fn users<'t>(tree: &'t Tree, name: &'t str) -> impl Iterator<Item = (&'t Package, bool)> {
    tree.packages.iter().filter_map(move |package| {
        let mut needs = package
            .needs
            .iter()
            .filter(|need| need.name == name)
            .peekable();
        needs.peek()?;
        Some((package, needs.all(|need| need.only_tests)))
    })
}

/// Versions stand once, in the workspace's table. A package with a workspace of its own, as the fuzzers are, cannot take
/// them from there.
pub(super) fn versions(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let manifests = tree
        .files
        .iter()
        .filter(|file| file.path.ends_with("/Cargo.toml"))
        .filter(|file| {
            file.lines()
                .all(|(_, text)| text.trim_end() != "[workspace]")
        });
    for file in manifests {
        let sections = [
            "[dependencies]",
            "[dev-dependencies]",
            "[build-dependencies]",
        ];
        for row in sections.iter().flat_map(|section| rows(file, section)) {
            let shared =
                row.text.contains(".workspace = true") || row.text.contains(" workspace = true");
            if !shared {
                findings.push(Finding::new(
                    &file.path,
                    row.line,
                    format!("`{}` has its own version or path", row.name),
                    "write NAME.workspace = true, with the version in the workspace's table",
                ));
            }
        }
    }
    findings
}

/// A line `name = …` or `name.workspace = …` of a manifest.
struct Row<'t> {
    name: &'t str,
    line: usize,
    text: &'t str,
}

fn rows<'t>(file: &'t File, section: &'t str) -> impl Iterator<Item = Row<'t>> {
    let mut inside = false;
    file.lines().filter_map(move |(line, text)| {
        if text.starts_with('[') {
            inside = text.trim_end() == section;
            return None;
        }
        let (name, _) = text.split_once([' ', '.', '='])?;
        (inside && !text.starts_with('#')).then_some(Row { name, line, text })
    })
}

fn line_of(tree: &Tree, path: &str, name: &str) -> usize {
    let named = |text: &str| {
        text.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with([' ', '.', '=']))
    };
    let file = tree.file(path);
    file.and_then(|file| file.lines().find(|(_, text)| named(text)))
        .map_or(1, |(line, _)| line)
}

#[cfg(test)]
mod tests {
    use super::super::tree::package;
    use super::*;

    /// A tree with one package, as cargo describes it.
    fn tree(table: &str, room: &str, needs: &str) -> Tree {
        let path = format!("crates/{room}/Cargo.toml");
        let document = format!(r#"{{"manifest_path":"/x/{path}","dependencies":[{needs}]}}"#);
        let mut tree = Tree::of(&[
            (MANIFEST, table),
            (&path, "[dependencies]\nserde.workspace = true\n"),
        ]);
        tree.packages
            .push(package(&serde_json::from_str(&document).unwrap()));
        tree
    }

    fn what(findings: Vec<Finding>) -> Vec<String> {
        findings.into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn an_arrow_that_points_up_is_reported() {
        let views = r#"{"name":"views","kind":null,"path":"/x/crates/views"}"#;
        let reported = what(arrows(&tree("", "engine", views)));
        assert_eq!(reported.len(), 1);
        assert!(
            reported[0].starts_with("the arrow engine → views is not allowed"),
            "{reported:?}"
        );
        assert!(arrows(&tree("", "cli", views)).is_empty());
        assert!(what(arrows(&tree("", "attic", "")))[0].contains("`attic` is not in the list"));
    }

    #[test]
    fn no_arrow_of_the_list_closes_a_circle() {
        for (at, (room, allowed, _)) in ARROWS.iter().enumerate() {
            let below: Vec<&str> = ARROWS[..at].iter().map(|row| row.0).collect();
            assert!(
                allowed.iter().all(|arrow| below.contains(arrow)),
                "{room} looks down only"
            );
        }
    }

    #[test]
    fn a_dependency_needs_an_owner_and_is_used_by_no_other() {
        let row = "[workspace.dependencies]\nserde = \"1\" # model: records become documents\n";
        let uses = r#"{"name":"serde","kind":null}"#;
        let tests = r#"{"name":"serde","kind":"dev"}"#;
        assert!(owners(&tree(row, "model", uses)).is_empty());
        assert!(owners(&tree(row, "views", tests)).is_empty());
        assert_eq!(
            what(owners(&tree(row, "views", uses))),
            ["`serde` belongs to model, and views uses it"]
        );
        assert_eq!(
            what(owners(&tree(row, "views", ""))),
            ["no crate uses `serde`"]
        );
        let bare = "[workspace.dependencies]\nserde = \"1\"\n";
        assert_eq!(
            what(owners(&tree(bare, "model", uses))),
            ["`serde` has no owner and reason"]
        );
    }

    #[test]
    fn versions_stand_once() {
        let good = "[dependencies]\nserde.workspace = true\nserde_json = { workspace = true }\n";
        assert!(versions(&Tree::of(&[("crates/a/Cargo.toml", good)])).is_empty());
        let bad = "[package]\nname = \"a\"\n[dev-dependencies]\nserde = \"1\"\n";
        assert_eq!(
            versions(&Tree::of(&[("crates/a/Cargo.toml", bad)])).len(),
            1
        );
        let apart = format!("{bad}\n[workspace]\n");
        assert!(versions(&Tree::of(&[("fuzz/Cargo.toml", &apart)])).is_empty());
    }
}
