//! A copy of the tree with the examples of docs/adding.md added: clippy and rustdoc read the copy, so that the examples are
//! compiled and nothing is compiled twice for them.
//!
//! A block of code names the new file that it is, or the file and the line before which it is inserted. A file of the copy
//! is written only where its content changes, so that cargo compiles what changed. Omitted: files that git ignores, and
//! running the examples.

use crate::setup;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const GUIDES: [&str; 2] = ["docs/adding.md", "docs/adding-a-subcommand.md"];

/// Brings the copy up to date. Returns its folder.
pub(crate) fn copy(root: &Path) -> Result<PathBuf, String> {
    let mut files = files(root)?;
    for name in GUIDES {
        let guide = files.get(name).ok_or(format!("{name} is missing"))?;
        let guide = String::from_utf8_lossy(guide).into_owned();
        for (head, code) in blocks(&guide) {
            add(&mut files, head, code)?;
        }
    }
    let copy = setup::target(root).join("guide");
    for (name, content) in &files {
        let to = copy.join(name);
        if fs::read(&to).is_ok_and(|old| old == *content) {
            continue;
        }
        let folder = to.parent().expect("a file has a folder");
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&to, content));
        written.map_err(|why| format!("{}: {why}", to.display()))?;
    }
    remove_others(&copy, &copy, &files).map_err(|why| format!("{}: {why}", copy.display()))?;
    Ok(copy)
}

/// Reads the files of the tree that git does not ignore, by name.
fn files(root: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut git = Command::new("git");
    git.args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
    ]);
    let listed = git.current_dir(root).output();
    let listed = listed.map_err(|why| format!("git ls-files: {why}"))?;
    let names = String::from_utf8_lossy(&listed.stdout);
    let names = names.split('\0').filter(|name| root.join(name).is_file());
    let read = |name: &str| match fs::read(root.join(name)) {
        Ok(content) => Ok((name.to_owned(), content)),
        Err(why) => Err(format!("{name}: {why}")),
    };
    names.map(read).collect()
}

/// Removes what the tree no longer has.
fn remove_others(
    copy: &Path,
    folder: &Path,
    files: &BTreeMap<String, Vec<u8>>,
) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(copy, &path, files)?;
            continue;
        }
        let name = path.strip_prefix(copy).expect("it is below the copy");
        if !name.to_str().is_some_and(|name| files.contains_key(name)) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Returns the heads and texts of the blocks that name a file.
fn blocks(guide: &str) -> Vec<(&str, &str)> {
    let parts = guide.split("\n```rust ").skip(1);
    let block = |part: &'_ str| -> Option<(usize, usize)> {
        let head = part.find('\n')?;
        Some((head, part.find("\n```")?))
    };
    parts
        .filter_map(|part| {
            let (head, end) = block(part)?;
            Some((&part[..head], &part[head + 1..=end]))
        })
        .collect()
}

/// Adds a block: a new file, or lines of one.
fn add(files: &mut BTreeMap<String, Vec<u8>>, head: &str, code: &str) -> Result<(), String> {
    if let Some(name) = head.strip_prefix("file=") {
        files.insert(name.to_owned(), code.as_bytes().to_vec());
        return Ok(());
    }
    let parts = head
        .strip_prefix("insert=")
        .and_then(|head| head.split_once(" before=\""));
    let (name, line) = parts.ok_or_else(|| format!("`{head}` names no file and line"))?;
    let line = line.trim_end_matches('"');
    let text = files
        .get_mut(name)
        .ok_or_else(|| format!("no file {name}"))?;
    let old = String::from_utf8_lossy(text);
    let place = old.find(&format!("\n{line}\n"));
    let place = place.ok_or_else(|| format!("{name}: no line `{line}`"))? + 1;
    *text = format!("{}{code}{}", &old[..place], &old[place..]).into_bytes();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_its_head_and_its_lines() {
        let guide = "text\n```rust file=a.rs\nfn a() {}\n```\n\n```sh\nls\n```\n";
        assert_eq!(blocks(guide), [("file=a.rs", "fn a() {}\n")]);
    }

    #[test]
    fn lines_are_inserted_before_the_line_that_is_named() {
        let mut files = BTreeMap::from([("a.rs".to_owned(), b"1\n2\n3\n".to_vec())]);
        add(&mut files, "insert=a.rs before=\"2\"", "new\n").unwrap();
        assert_eq!(files["a.rs"], b"1\nnew\n2\n3\n");
        assert!(add(&mut files, "insert=a.rs before=\"4\"", "new\n").is_err());
        assert!(add(&mut files, "insert=b.rs before=\"2\"", "new\n").is_err());
    }
}
