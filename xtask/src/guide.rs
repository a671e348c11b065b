//! `cargo xtask guide`: the examples of docs/adding.md, added to a copy of the tree and compiled.
//!
//! A block of code names the new file that it is, or the file and the line before which it is inserted. What is not tracked
//! by git is not copied. Omitted: running the examples.

use std::fs;
use std::path::Path;
use std::process::Command;

const GUIDE: &str = "docs/adding.md";
/// Below the folder of builds, so that the crates of others are not compiled again.
const COPY: &str = "target/guide";

/// Returns whether the tree with all examples compiles.
pub(crate) fn compiles(root: &Path) -> bool {
    match copy_with_examples(root) {
        Ok(count) => println!("guide: {count} blocks of {GUIDE} added in {COPY}"),
        Err(why) => {
            eprintln!("guide: {why}");
            return false;
        }
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--quiet", "--package", "fathom", "--bins"]);
    cargo.current_dir(root.join(COPY));
    cargo.env("CARGO_TARGET_DIR", root.join("target"));
    cargo.status().is_ok_and(|status| status.success())
}

fn copy_with_examples(root: &Path) -> Result<usize, String> {
    let copy = root.join(COPY);
    let _ = fs::remove_dir_all(&copy); // there may be none
    let mut git = Command::new("git");
    let listed = git.args(["ls-files", "-z"]).current_dir(root).output();
    let listed = listed.map_err(|why| format!("git ls-files: {why}"))?;
    let names = String::from_utf8_lossy(&listed.stdout);
    for name in names.split('\0').filter(|name| root.join(name).is_file()) {
        let to = copy.join(name);
        let parent = to.parent().expect("a tracked file has a folder");
        let copied = fs::create_dir_all(parent).and_then(|()| fs::copy(root.join(name), &to));
        copied.map_err(|why| format!("{name}: {why}"))?;
    }
    rename_packages(&copy.join("Cargo.toml"))?;
    let guide = fs::read_to_string(root.join(GUIDE)).map_err(|why| format!("{GUIDE}: {why}"))?;
    let blocks = blocks(&guide);
    for (head, code) in &blocks {
        add(&copy, head, code)?;
    }
    Ok(blocks.len())
}

/// Gives the packages of the copy a version of their own. Cargo distinguishes packages of one target folder by name,
/// version and path below the workspace, so it would take what was compiled from the copy for the tree's.
fn rename_packages(manifest: &Path) -> Result<(), String> {
    const VERSION: &str = "\nversion = \"";
    let text = fs::read_to_string(manifest).map_err(|why| format!("Cargo.toml: {why}"))?;
    let renamed = text.replacen(VERSION, &format!("{VERSION}0.0.0-guide."), 1);
    if renamed == text {
        return Err("Cargo.toml: no version of the workspace".to_owned());
    }
    fs::write(manifest, renamed).map_err(|why| format!("Cargo.toml: {why}"))
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

fn add(copy: &Path, head: &str, code: &str) -> Result<(), String> {
    if let Some(name) = head.strip_prefix("file=") {
        return fs::write(copy.join(name), code).map_err(|why| format!("{name}: {why}"));
    }
    let parts = head
        .strip_prefix("insert=")
        .and_then(|head| head.split_once(" before=\""));
    let (name, line) = parts.ok_or_else(|| format!("{GUIDE}: `{head}` names no file and line"))?;
    let line = line.trim_end_matches('"');
    let path = copy.join(name);
    let text = fs::read_to_string(&path).map_err(|why| format!("{name}: {why}"))?;
    let place = text.find(&format!("\n{line}\n"));
    let place = place.ok_or_else(|| format!("{name}: no line `{line}`"))? + 1;
    let all = format!("{}{code}{}", &text[..place], &text[place..]);
    fs::write(&path, all).map_err(|why| format!("{name}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::blocks;

    #[test]
    fn a_block_has_its_head_and_its_lines() {
        let guide = "text\n```rust file=a.rs\nfn a() {}\n```\n\n```sh\nls\n```\n";
        assert_eq!(blocks(guide), [("file=a.rs", "fn a() {}\n")]);
    }
}
