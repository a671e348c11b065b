//! The help of the program and its commands: all commands in groups, and for `-h` what most people use.

use crate::environment;
use clap::Command;
use std::ffi::OsString;
use views::{Paper, wrapped};

/// Commands under one heading. The first `often` of them are in the short help.
struct Group {
    heading: &'static str,
    often: usize,
    names: &'static [&'static str],
}

const fn group(heading: &'static str, often: usize, names: &'static [&'static str]) -> Group {
    Group {
        heading,
        often,
        names,
    }
}

const GROUPS: [Group; 5] = [
    group(
        "Measure",
        6,
        &[
            "survey", "run", "sweep", "quick", "check", "watch", "layers", "files", "verify",
            "pts", "trace", "replay", "learn", "fidelity",
        ],
    ),
    group(
        "Command lines and results of other tools",
        2,
        &[
            "fio", "import", "diskspd", "sqlio", "iometer", "ior", "mdtest", "xdd", "dd", "lmdd",
            "sgp_dd",
        ],
    ),
    group(
        "Results",
        4,
        &[
            "list", "show", "compare", "report", "table", "export", "baseline", "tag", "note",
            "delete", "db",
        ],
    ),
    group("Understand", 1, &["explain"]),
    group("System", 1, &["devices", "completions", "man"]),
];

/// Options of a command that are in its short help.
const OFTEN: [(&str, &[&str]); 3] = [
    (
        "run",
        &[
            "block",
            "depth",
            "threads",
            "write",
            "pattern",
            "duration",
            "create",
            "cache",
            "rate",
            "engine",
            "overwrite",
            "json",
        ],
    ),
    (
        "survey",
        &[
            "create",
            "size",
            "budget",
            "workload",
            "read_only",
            "p99",
            "precision",
            "rm",
            "resume",
            "page",
            "overwrite",
            "json",
        ],
    ),
    (
        "sweep",
        &[
            "block",
            "depth",
            "threads",
            "write",
            "pattern",
            "duration",
            "create",
            "repeat",
            "resume",
            "dry_run",
            "overwrite",
            "json",
        ],
    ),
];

/// Most columns of the help.
const COLUMNS_MAX: usize = 100;
/// Columns of a command's name and the gap behind it.
const NAME: usize = 13;

/// Lays out the help, where the line asks for it: all of it, or for `-h` and a line without words what most people use.
pub(super) fn laid_out(command: Command, line: &[OsString]) -> Command {
    let asked = line.iter().any(|word| word == "-h");
    let is_short = line.len() < 2 || asked;
    if !is_short && line.iter().all(|word| word != "--help") {
        return command;
    }
    let columns = environment::output_columns().unwrap_or(COLUMNS_MAX);
    let template = template(&command, is_short, columns.min(COLUMNS_MAX));
    let command = command.help_template(template);
    match asked {
        true => OFTEN.iter().fold(command, |command, (name, often)| {
            command.mut_subcommand(name, |one| shortened(one, name, often))
        }),
        false => command,
    }
}

fn shortened(command: Command, name: &str, often: &[&str]) -> Command {
    let command = command.mut_args(|arg| {
        let is_often = arg.is_positional() || often.contains(&arg.get_id().as_str());
        arg.hide_short_help(!is_often)
    });
    command.after_help(format!("`fathom {name} --help` prints all options."))
}

fn template(command: &Command, is_short: bool, columns: usize) -> String {
    let paper = Paper {
        columns: Some(columns),
        ..Paper::default()
    };
    let mut text = "{about}\n\n{usage-heading} {usage}\n".to_owned();
    for group in &GROUPS {
        let names = match is_short {
            true => &group.names[..group.often],
            false => group.names,
        };
        text.push_str(&format!(
            "\n\u{1b}[1m\u{1b}[4m{}:\u{1b}[0m\n",
            group.heading
        ));
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            // What stands behind a semicolon is for those who read all.
            let about = match is_short {
                true => about.split("; ").next().unwrap_or_default(),
                false => &about,
            };
            for line in wrapped(&format!("  {name:<NAME$}"), about, &paper) {
                text.push_str(&line);
                text.push('\n');
            }
        }
    }
    match is_short {
        true => {
            text + "\n`fathom --help` lists all commands, `fathom help COMMAND` the options of one."
        }
        false => text + "\n\u{1b}[1m\u{1b}[4mOptions:\u{1b}[0m\n{options}{after-help}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory;

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        let mut all: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|group| group.names)
            .copied()
            .collect();
        all.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(all, grouped);
    }

    #[test]
    fn every_option_of_the_short_help_exists() {
        for (name, often) in OFTEN {
            let command = Cli::command();
            let command = command.find_subcommand(name).unwrap();
            let ids: Vec<&str> = command
                .get_arguments()
                .map(|arg| arg.get_id().as_str())
                .collect();
            for id in often {
                assert!(ids.contains(id), "{name} {id}");
            }
        }
    }
}
