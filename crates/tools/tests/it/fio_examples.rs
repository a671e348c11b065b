//! fio's own examples: which of them are accepted, and why the others are not. The page has a row for each.
//!
//! The table is compared with the examples where a distribution's package puts them, or in the folder that `FIO_EXAMPLES`
//! names; `UPDATE_EXPECT=1` writes the rows of what is there. Versions of fio have different examples: a row is compared
//! with a file of the same length. Omitted: running them; they want devices, and time.

use crate::manual::{holds_table, table_of};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tools::fio::{Environment, There, build, parse};

/// Where Debian's package fio-examples puts them.
const FOLDER: &str = "/usr/share/doc/fio/examples";
const MARKS: (&str, &str) = (
    "<!-- fio examples: written from the files and the code -->\n",
    "<!-- end of fio examples -->\n",
);

#[allow(clippy::disallowed_methods, reason = "a test's own variables")]
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

/// Errors of a file: none if it is accepted. Devices are there and have 1 TiB, other files are not.
fn reason(name: &str, text: &str) -> Option<String> {
    let read = |path: &str| match path == name {
        true => Ok(text.to_owned()),
        false => Err("no such file".to_owned()),
    };
    let environment = Environment {
        read: &read,
        ..Environment::BARE
    };
    let found = |path: &Path| {
        let device = path.starts_with("/dev");
        device.then_some(There {
            bytes: 1 << 40,
            device,
            unfinished: false,
        })
    };
    let built = parse(&[name.to_owned()], &environment).and_then(|request| build(&request, &found));
    let refusal = built.err()?;
    let mut whys: Vec<String> = Vec::new();
    for problem in refusal.iter() {
        let why = format!("`{}`: {}", problem.what, problem.why);
        if !whys.contains(&why) {
            whys.push(why);
        }
    }
    let more = match whys.len() {
        1 => String::new(),
        count => format!(" ({} more)", count - 1),
    };
    Some(format!(
        "{}{more}",
        whys[0].replace('|', "\\|").replace("://", ":")
    ))
}

fn row(name: &str, text: &str) -> String {
    let (here, why) = match reason(name, text) {
        None => ("accepted", String::new()),
        Some(why) => ("refused", why),
    };
    format!("| {name} | {} | {here} | {why} |", text.len())
}

/// Name and length of a row.
fn key(row: &str) -> Option<(String, String)> {
    let mut fields = row.split(" | ");
    let name = fields.next()?.strip_prefix("| ")?.to_owned();
    Some((name, fields.next()?.to_owned()))
}

#[test]
fn the_page_of_fio_s_examples_says_which_are_accepted() {
    let folder = variable("FIO_EXAMPLES").unwrap_or_else(|| PathBuf::from(FOLDER));
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!(
            "skipped: {} has no examples (package fio-examples)",
            folder.display()
        );
        return;
    };
    let known = table_of("fio-examples", MARKS);
    let rows = known
        .lines()
        .filter_map(|row| Some((key(row)?, row.to_owned())));
    let known: BTreeMap<(String, String), String> = rows
        .filter(|((name, _), _)| name.ends_with(".fio"))
        .collect();
    let mut found = BTreeMap::new();
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".fio") {
            let row = row(&name, &std::fs::read_to_string(&path).unwrap());
            found.insert(key(&row).unwrap(), row);
        }
    }
    if variable("FIO_EXAMPLES").is_none() {
        let all = found.len();
        found.retain(|key, _| known.contains_key(key));
        if found.len() < all {
            println!(
                "skipped: {} examples are of another version of fio",
                all - found.len()
            );
        }
        let rest = known
            .into_iter()
            .filter(|(key, _)| !found.contains_key(key));
        found.extend(rest.collect::<Vec<_>>());
    }
    let accepted = found
        .values()
        .filter(|row| row.contains(" | accepted | "))
        .count();
    let mut table = format!("{accepted} of {} are accepted.\n\n", found.len());
    table.push_str("| file | bytes | here | first reason |\n|---|---|---|---|\n");
    for row in found.values() {
        let _ = writeln!(table, "{row}");
    }
    holds_table("fio-examples", MARKS, &table);
}
