//! `cargo xtask licenses`: the notices of the libraries that are linked into the program, as one committed file.
//!
//! Which they are comes from `cargo metadata`, their texts from the sources that cargo has fetched. A text that several
//! have is there once, without regard to its line breaks; what stands before the permission in a text of MIT is each
//! one's own. The libraries of the report's page follow. Deliberately absent: what may be linked (`deny.toml`), and macros, which leave nothing of themselves.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the notices are; the program has them by `include_str!`.
const NOTICES: &str = "crates/cli/assets/third-party.txt";
/// Those of the libraries in the page of `fathom report`, which the page contains, too.
const PAGE: &str = "report-ui/src/licences.txt";
/// For which the program is built; others link no more.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";
/// Where the part of a text of MIT begins that all have.
const PERMISSION: &str = "Permission is hereby granted";
const SQLITE: &str = "SQLite is built from the sources in libsqlite3-sys; its authors have dedicated it to the public \
                      domain.";

/// A library.
struct Linked {
    name: String,
    version: String,
    license: String,
    folder: PathBuf,
}

/// Rewrites the file. Whether that was possible.
pub(crate) fn write(root: &Path) -> bool {
    let notices = linked(root).and_then(|all| Ok(notices(&all) + &of_the_page(root)?));
    let written = notices.and_then(|text| {
        std::fs::write(root.join(NOTICES), text).map_err(|error| error.to_string())
    });
    if let Err(why) = &written {
        eprintln!("licenses: {NOTICES}: {why}");
    }
    written.is_ok()
}

/// Whether the file names the libraries of today with their versions.
pub(crate) fn are_current(root: &Path) -> bool {
    let text = std::fs::read_to_string(root.join(NOTICES)).unwrap_or_default();
    let all = match linked(root) {
        Ok(all) => all,
        Err(why) => {
            eprintln!("licenses: {why}");
            return false;
        }
    };
    let page = of_the_page(root).unwrap_or_default();
    let current = text.starts_with(&list(&all)) && text.ends_with(&page) && !page.is_empty();
    if !current {
        eprintln!(
            "licenses: {NOTICES} is of other versions than Cargo.lock or {PAGE}: run cargo xtask licenses"
        );
    }
    current
}

fn of_the_page(root: &Path) -> Result<String, String> {
    let text =
        std::fs::read_to_string(root.join(PAGE)).map_err(|error| format!("{PAGE}: {error}"))?;
    let rule = "-".repeat(78);
    Ok(format!(
        "\n{rule}\nThe page of `fathom report`\n\n{}\n",
        text.trim()
    ))
}

/// What is linked into the program, by name.
fn linked(root: &Path) -> Result<Vec<Linked>, String> {
    let said = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--filter-platform", PLATFORM])
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo could not be started: {error}"))?;
    let all: Value = serde_json::from_slice(&said.stdout)
        .map_err(|error| format!("cargo metadata cannot be read: {error}"))?;
    let by_id = |list: &Value| -> BTreeMap<String, Value> {
        let list = list.as_array().cloned().unwrap_or_default();
        let id = |one: &Value| one["id"].as_str().unwrap_or_default().to_owned();
        list.into_iter().map(|one| (id(&one), one)).collect()
    };
    let (packages, nodes) = (by_id(&all["packages"]), by_id(&all["resolve"]["nodes"]));
    let program = packages.iter().find(|(_, one)| one["name"] == "fathom");
    let mut next = vec![program.ok_or("there is no package `fathom`")?.0.clone()];
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(id) = next.pop() {
        if !seen.insert(id.clone()) {
            continue;
        }
        let package = &packages[&id];
        if is_macro(package) {
            continue;
        }
        found.extend((!package["source"].is_null()).then(|| library(package)));
        let needs = nodes[&id]["deps"].as_array().cloned().unwrap_or_default();
        let is_linked = |need: &Value| {
            let kinds = need["dep_kinds"].as_array();
            kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
        };
        let ids = needs.iter().filter(|need| is_linked(need));
        next.extend(ids.filter_map(|need| need["pkg"].as_str().map(str::to_owned)));
    }
    found.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(found)
}

fn is_macro(package: &Value) -> bool {
    let targets = package["targets"].as_array();
    targets.is_some_and(|targets| targets.iter().any(|one| one["kind"][0] == "proc-macro"))
}

fn library(package: &Value) -> Linked {
    let text = |name: &str| package[name].as_str().unwrap_or_default().to_owned();
    let manifest = PathBuf::from(text("manifest_path"));
    Linked {
        name: text("name"),
        version: text("version"),
        license: text("license"),
        folder: manifest.parent().map(Path::to_path_buf).unwrap_or_default(),
    }
}

/// `rusqlite 0.41.1 (MIT)`, a line each.
fn list(all: &[Linked]) -> String {
    let mut text = "fathom contains these libraries:\n\n".to_owned();
    for one in all {
        let _ = writeln!(text, "{} {} ({})", one.name, one.version, one.license);
    }
    text
}

fn notices(all: &[Linked]) -> String {
    let mut text = format!("{}\n{SQLITE}\n", list(all));
    // By the part that is the same: whose it is with what is their own, and how it is written.
    let mut texts: BTreeMap<String, (Vec<String>, String)> = BTreeMap::new();
    for one in all {
        let name = format!("{} {}", one.name, one.version);
        for license in chosen(&one.folder) {
            let at = license
                .find(PERMISSION)
                .filter(|at| *at < 2000)
                .unwrap_or(0);
            let (own, common) = license.split_at(at);
            let key: String = common.split_whitespace().collect::<Vec<_>>().join(" ");
            let entry = texts
                .entry(key)
                .or_insert_with(|| (Vec::new(), common.trim().to_owned()));
            entry.0.push(whose(&name, own));
        }
    }
    let mut texts: Vec<(Vec<String>, String)> = texts.into_values().collect();
    texts.sort();
    for (names, common) in texts {
        let _ = write!(
            text,
            "\n{}\n{}\n\n{common}\n",
            "-".repeat(78),
            names.join("\n")
        );
    }
    text
}

/// The name, and the lines that are its own.
fn whose(name: &str, own: &str) -> String {
    let lines = own.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    match lines.is_empty() {
        true => name.to_owned(),
        false => format!("{name}: {}", lines.join("; ")),
    }
}

/// The texts in the package: that of MIT where there is one, because one of several licences may be chosen.
fn chosen(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_text = |name: &String| {
        let name = name.to_ascii_uppercase();
        let starts = [
            "LICENSE",
            "LICENCE",
            "COPYING",
            "NOTICE",
            "UNLICENSE",
            "COPYRIGHT",
        ];
        starts.iter().any(|start| name.starts_with(start))
    };
    let mut names: Vec<String> = names.filter(is_text).collect();
    names.sort();
    if names
        .iter()
        .any(|name| name.to_ascii_uppercase().contains("MIT"))
    {
        names.retain(|name| {
            let name = name.to_ascii_uppercase();
            !name.contains("APACHE")
                && !name.starts_with("UNLICENSE")
                && !name.contains("BSL")
                && !name.contains("BOOST")
        });
    }
    let texts = names
        .iter()
        .map(|name| std::fs::read_to_string(folder.join(name)));
    texts
        .filter_map(Result::ok)
        .map(|text| text.replace("\r\n", "\n"))
        .collect()
}
