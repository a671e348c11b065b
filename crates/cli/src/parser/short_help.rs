//! The help of the program and its commands: all commands in groups, and for `-h` what most people use.

use crate::environment;
use crate::registry::COMMANDS;
use crate::subcommand::Group;
use clap::Command;
use std::ffi::OsString;
use views::{Paper, wrapped};

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
    let template = template(is_short, columns.min(COLUMNS_MAX));
    let command = command.help_template(template);
    match asked {
        true => COMMANDS
            .iter()
            .fold(command, |command, row| match row.often_options.is_empty() {
                true => command,
                false => command
                    .mut_subcommand(row.name, |one| shortened(one, row.name, row.often_options)),
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

fn template(is_short: bool, columns: usize) -> String {
    let paper = Paper {
        columns: Some(columns),
        ..Paper::default()
    };
    let mut text = "{about}\n\n{usage-heading} {usage}\n".to_owned();
    for group in Group::ALL {
        let rows = COMMANDS.iter().filter(|row| row.group == group);
        let rows = rows.filter(|row| row.often || !is_short);
        text.push_str(&format!(
            "\n\u{1b}[1m\u{1b}[4m{}:\u{1b}[0m\n",
            group.heading()
        ));
        for row in rows {
            let name = row.name;
            // What stands behind a semicolon is for those who read all.
            let about = match is_short {
                true => row.about.split("; ").next().unwrap_or_default(),
                false => row.about,
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
    use crate::parser::program;

    #[test]
    fn every_option_of_the_short_help_exists() {
        let program = program();
        for row in COMMANDS {
            let command = program.find_subcommand(row.name).unwrap();
            let mut ids = command.get_arguments().map(|arg| arg.get_id().as_str());
            let ids: Vec<&str> = ids.by_ref().collect();
            for id in row.often_options {
                assert!(ids.contains(id), "{} {id}", row.name);
            }
        }
    }
}
