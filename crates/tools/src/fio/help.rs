//! What `--cmdhelp` and `--enghelp` print: the options of jobs and the engines, in fio's order of a name and its text. Omitted: the
//! help of the command line (`usage`).

use super::table;
use std::fmt::Write as _;

/// The engines of fio that jobs may specify.
const ENGINES: &[&str] = &[
    "sync",
    "psync",
    "vsync",
    "pvsync",
    "pvsync2",
    "splice",
    "libaio",
    "posixaio",
    "io_uring",
    "io_uring_cmd",
    "mmap",
    "null",
];

/// Returns what `--cmdhelp` prints: one option by any of its names, or all of them without a name.
///
/// # Errors
/// There is no such option.
pub fn command_help(name: &str) -> Result<String, String> {
    let mut text = String::new();
    if name.is_empty() || name == "all" {
        for row in table::rows().filter(|row| row.fate() != "refused") {
            let _ = writeln!(text, "{:<24}: {}", row.names[0], row.linux);
        }
        return Ok(text);
    }
    let row = table::find(name).ok_or_else(|| format!("no such option: {name}"))?;
    let _ = writeln!(text, "{name:>20}: {}", row.linux);
    for alias in row.names.iter().filter(|alias| **alias != name) {
        let _ = writeln!(text, "{:>20}: {alias}", "alias");
    }
    let _ = writeln!(text, "{:>20}: {}", "here", row.fate());
    Ok(text)
}

/// Returns what `--enghelp` prints: the engines, or that there is one of this name.
///
/// # Errors
/// There is no such engine.
pub fn engine_help(name: &str) -> Result<String, String> {
    if name.is_empty() {
        let mut text = String::from("Available IO engines:\n");
        for engine in ENGINES {
            let _ = writeln!(text, "\t{engine}");
        }
        return Ok(text);
    }
    match ENGINES.contains(&name) {
        true => Ok(format!("{name} has no options of its own\n")),
        false => Err(format!("engine {name} is not available")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::tests::read;

    #[test]
    fn each_engine_of_the_list_is_accepted_and_others_are_refused() {
        for engine in ENGINES {
            let text = format!("[a]\nsize=4m\nfilename=/dev/ng0n1\nioengine={engine}\n");
            if let Err(why) = read(&text) {
                assert!(!why.contains("fathom moves blocks"), "{why}");
            }
            assert!(engine_help(engine).is_ok());
        }
        assert!(engine_help("rbd").is_err());
        let listed = engine_help("").unwrap();
        assert_eq!(listed.lines().count(), ENGINES.len() + 1);
        assert!(listed.starts_with("Available IO engines:\n\tsync\n"));
    }

    #[test]
    fn an_option_is_found_by_each_of_its_names() {
        let reported = |name| command_help(name).unwrap();
        assert!(reported("rw").contains("alias: readwrite\n"));
        assert!(reported("readwrite").contains("alias: rw\n"));
        assert!(reported("opendir").contains("here: refused"));
        assert!(reported("").contains("\nbs                      : "));
        assert!(command_help("nosuch").is_err());
    }
}
