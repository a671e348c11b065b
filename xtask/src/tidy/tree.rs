//! The tree as the checks see it: every text file, the Rust files split into code and the rest, and the
//! packages as cargo knows them. Read once; the checks themselves touch no disk.

use serde_json::Value;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

/// Files larger than this are data, not text that a person wrote.
const TEXT_MAX_BYTES: u64 = 1 << 20;

/// Everything that the checks read.
#[derive(Default)]
pub(super) struct Tree {
    pub(super) files: Vec<File>,
    pub(super) packages: Vec<Package>,
}

/// A file of the tree.
pub(super) struct File {
    pub(super) path: String, // from the root, with `/`
    pub(super) text: String, // empty for data
    /// Split, for Rust.
    pub(super) rust: Option<Rust>,
}

/// A Rust file by what its words are. Each has as many lines as the file.
pub(super) struct Rust {
    pub(super) code: Vec<String>, // without comments and the insides of literals
    pub(super) literals: Vec<String>, // the insides of string literals alone
    pub(super) test: Vec<bool>,   // whether a line is only built for tests
    pub(super) strings: Vec<Text>, // each string literal by itself
}

/// A string literal as it is written, escapes included.
pub(super) struct Text {
    pub(super) line: usize, // where it begins, from 1
    pub(super) text: String,
}

/// A package of the workspace.
pub(super) struct Package {
    pub(super) room: String, // its folder: `engine`, `cli`, `xtask`
    pub(super) manifest: String,
    pub(super) needs: Vec<Need>,
}

/// A line of a package's dependencies.
pub(super) struct Need {
    pub(super) name: String,
    pub(super) room: Option<String>, // for packages of this workspace
    pub(super) only_tests: bool,
}

impl Tree {
    /// Reads the tree below `root`.
    pub(super) fn read(root: &Path) -> io::Result<Tree> {
        let mut files = Vec::new();
        walk(root, "", &mut files)?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Tree {
            files,
            packages: packages(root)?,
        })
    }

    /// A tree of these files, for tests.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Tree {
        let file = |&(path, text): &(&str, &str)| File::new(path.to_owned(), text.to_owned());
        Tree {
            files: files.iter().map(file).collect(),
            packages: Vec::new(),
        }
    }

    pub(super) fn rust(&self) -> impl Iterator<Item = (&File, &Rust)> {
        self.files
            .iter()
            .filter_map(|file| Some((file, file.rust.as_ref()?)))
    }

    /// Returns the files of the program's crates that are not built for tests alone, each with its crate's folder.
    pub(super) fn sources(&self) -> impl Iterator<Item = (&str, &File, &Rust)> {
        let for_tests: Vec<String> = self
            .rust()
            .flat_map(|(file, rust)| test_modules(&file.path, rust))
            .collect();
        self.rust().filter_map(move |(file, rust)| {
            let (home, _) = file.path.split_once("/src/")?;
            let module = file.path.trim_end_matches(".rs");
            let for_test = |test: &String| {
                let rest = module.strip_prefix(test.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let counted = home.starts_with("crates/") && !for_tests.iter().any(for_test);
            counted.then_some((home, file, rust))
        })
    }

    pub(super) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }
}

impl File {
    fn new(path: String, text: String) -> File {
        let rust = path.ends_with(".rs").then(|| Rust::split(&path, &text));
        File { path, text, rust }
    }

    /// Lines with their numbers, from 1.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(at, line)| (at + 1, line))
    }
}

/// Returns the paths, without `.rs`, of the modules that a file declares below `#[cfg(test)]`.
fn test_modules(path: &str, rust: &Rust) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = match name {
        "lib.rs" | "main.rs" | "mod.rs" => folder,
        _ => path.trim_end_matches(".rs"),
    };
    let lines = rust.code.iter().map(|line| line.trim());
    let below = lines
        .clone()
        .zip(lines.skip(1))
        .filter(|(line, _)| *line == "#[cfg(test)]");
    below
        .filter_map(|(_, line)| line.strip_suffix(';')?.rsplit_once("mod "))
        .map(|(_, module)| format!("{folder}/{module}"))
        .collect()
}

fn walk(root: &Path, below: &str, files: &mut Vec<File>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() {
            name.clone()
        } else {
            format!("{below}/{name}")
        };
        let kind = entry.file_type()?;
        if is_made(below, &name) {
            continue;
        }
        if kind.is_dir() {
            walk(root, &path, files)?;
        } else if kind.is_file() {
            files.push(File::new(path, text_of(&entry)?));
        }
    }
    Ok(())
}

/// What tools and the program leave behind; the same that `.gitignore` names.
fn is_made(below: &str, name: &str) -> bool {
    let database = [".db", ".db-wal", ".db-shm"]
        .iter()
        .any(|end| name.ends_with(end));
    let top = below.is_empty() && ["target", ".git", "fathom.dat"].contains(&name);
    let packages = name == "node_modules"; // what npm brings
    top || packages || (database && !below.contains("fixtures"))
}

fn text_of(entry: &fs::DirEntry) -> io::Result<String> {
    if entry.metadata()?.len() > TEXT_MAX_BYTES {
        return Ok(String::new());
    }
    Ok(String::from_utf8(fs::read(entry.path())?).unwrap_or_default())
}

fn packages(root: &Path) -> io::Result<Vec<Package>> {
    let said = Command::new("cargo")
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(root)
        .output()?;
    if !said.status.success() {
        let why = String::from_utf8_lossy(&said.stderr).into_owned();
        return Err(io::Error::other(format!("cargo metadata: {why}")));
    }
    let document: Value = serde_json::from_slice(&said.stdout)?;
    Ok(list(&document["packages"]).map(package).collect())
}

pub(super) fn package(document: &Value) -> Package {
    let manifest = Path::new(document["manifest_path"].as_str().unwrap_or_default());
    let room = folder_name(manifest.parent());
    let inside = match room.as_str() {
        "bench" | "xtask" => room.clone(),
        _ => format!("crates/{room}"),
    };
    let need = |need: &Value| Need {
        name: need["name"].as_str().unwrap_or_default().to_owned(),
        room: need["path"]
            .as_str()
            .map(|path| folder_name(Some(Path::new(path)))),
        only_tests: need["kind"] == "dev",
    };
    Package {
        manifest: format!("{inside}/Cargo.toml"),
        needs: list(&document["dependencies"]).map(need).collect(),
        room,
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn folder_name(path: Option<&Path>) -> String {
    path.and_then(Path::file_name)
        .and_then(OsStr::to_str)
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_those_of_the_programs_crates_without_modules_for_tests() {
        let tree = Tree::of(&[
            (
                "crates/x/src/lib.rs",
                "mod a;\n#[cfg(test)]\npub(crate) mod fake;\n",
            ),
            ("crates/x/src/a.rs", "#[cfg(test)]\nmod law;\n"),
            ("crates/x/src/a/law.rs", ""),
            ("crates/x/src/fake/mod.rs", ""),
            ("crates/x/src/fakes.rs", ""),
            ("crates/x/tests/it/main.rs", ""),
            ("xtask/src/main.rs", ""),
        ]);
        let paths: Vec<&str> = tree
            .sources()
            .map(|(_, file, _)| file.path.as_str())
            .collect();
        let expected = ["lib", "a", "fakes"].map(|name| format!("crates/x/src/{name}.rs"));
        assert_eq!(paths, expected);
    }
}
