//! `fathom sweep --script`: the same matrix for elsewhere. Nothing on this machine is looked at but the plan.

use super::asked;
use crate::args::SweepArgs;
use crate::failure::Ending;
use crate::{output, report};
use model::{CommandError, Nanos};
use session::clock;
use std::collections::HashSet;
use sweep::{Order, Turn};
use tools::refusal::PROBLEMS_MAX;
use tools::sweep::{self as words, Definition, ScriptCell};
use views::{Script, ScriptLine, Shell};

/// Axes that may change within a group of lines.
const WITHIN_GROUP: usize = 2;
/// Most words of all command lines together.
const WORDS_MAX: usize = 1_000_000;

/// Whose commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    Diskspd,
    Fathom,
}

/// Prints it.
pub(crate) fn print(args: &SweepArgs, shell: &str) -> Result<Ending, CommandError> {
    let mut problems = Vec::new();
    let row = Shell::ALL.iter().find(|(name, _)| *name == shell);
    if row.is_none() {
        problems.push(format!(
            "invalid value '{shell}' for --script: must be bat, ps1 or sh"
        ));
    }
    let tool = match args.script.tool.as_deref() {
        None | Some("diskspd") => Tool::Diskspd,
        Some("fathom") => Tool::Fathom,
        Some(other) => {
            problems.push(format!(
                "invalid value '{other}' for --for: must be diskspd or fathom"
            ));
            Tool::Fathom
        }
    };
    if args.course.has_precision() {
        problems.push(
            "--precision: a script cannot see when a cell has been repeated often enough: specify --repeat with one \
            number"
                .to_owned(),
        );
    }
    let Some((_, shell)) = row.filter(|_| problems.is_empty()) else {
        return Err(CommandError::refused_for(problems));
    };
    let script = script(args, *shell, tool)?;
    output::print(&report::script(&script))?;
    Ok(Ending::Good)
}

/// A combination with its context.
struct Row {
    /// What stays the same within a group of lines: everything but the innermost axes.
    outer: (usize, Vec<String>),
    cell: ScriptCell,
}

fn script(args: &SweepArgs, shell: Shell, tool: Tool) -> Result<Script, CommandError> {
    let definition = asked::define(args)?;
    let course = definition.course;
    let passes = (1..=course.repeat.most).map(|repetition| rows(&definition, repetition));
    let passes: Vec<Vec<Row>> = passes.collect::<Result<_, _>>()?;
    let count = passes.first().map_or(0, Vec::len);
    let row_of = |turn: &Turn| &passes[turn.repetition as usize - 1][turn.cell];
    let order = course.order.map_or(Order::Given, asked::order_of);
    let turns = sweep::turns(count, course.repeat.most, order, course.shuffle_seed);
    let mut lines: Vec<ScriptLine> = Vec::new();
    let mut problems: Vec<String> = Vec::new();
    let mut load = Nanos(0);
    for (place, turn) in turns.iter().enumerate() {
        let row = row_of(turn);
        let before = place
            .checked_sub(1)
            .map(|before| &row_of(&turns[before]).outer);
        load = load.plus(row.cell.load);
        match words(&row.cell, shell, tool) {
            Ok(words) => lines.push(ScriptLine {
                words,
                begins_group: order == Order::Given && before != Some(&row.outer),
            }),
            Err(problem) if problems.contains(&problem) => {}
            Err(problem) => problems.push(problem),
        }
    }
    asked::refuse(problems)?;
    let rests = course
        .rest
        .0
        .saturating_mul(turns.len().saturating_sub(1) as u64);
    Ok(Script {
        shell,
        lines,
        run_time_ns: load.0.saturating_add(rests),
        rest_ns: course.rest.0,
        results: format!("{}_output.txt", report::today(clock::utc())),
    })
}

/// The combinations as one pass runs them. A repeat has another seed.
fn rows(definition: &Definition, repetition: u32) -> Result<Vec<Row>, CommandError> {
    let grid = asked::grid_of(definition);
    let combined = grid
        .cells()
        .map_err(|problems| CommandError::refused_for(problems.iter().map(ToString::to_string)))?;
    let mut rows = Vec::new();
    let mut problems: Vec<String> = Vec::new();
    let mut reported = HashSet::new();
    let mut words = 0;
    let first = u64::from(repetition - 1) * combined.len() as u64;
    for (place, cell) in (first..).zip(combined) {
        let axes = grid.groups[cell.group].axes.iter();
        let names = axes.map(|axis| axis.name.clone());
        let values: Vec<(String, String)> = names.zip(cell.values.iter().cloned()).collect();
        let outer = cell.values.len().saturating_sub(WITHIN_GROUP);
        match words::script_cell(&definition.base, &values, place) {
            Ok(built) => {
                words += built.fathom.len();
                rows.push(Row {
                    outer: (cell.group, cell.values[..outer].to_vec()),
                    cell: built,
                });
            }
            Err(refusal) => {
                problems.extend(
                    refusal
                        .messages()
                        .filter(|text| reported.insert(text.clone())),
                );
            }
        }
        if words > WORDS_MAX {
            problems.push(format!(
                "the command lines have more than {WORDS_MAX} words together: use fewer values or fewer targets"
            ));
        }
        if words > WORDS_MAX || problems.len() >= PROBLEMS_MAX {
            break; // further combinations would be equal
        }
    }
    asked::refuse(problems).map(|()| rows)
}

fn words(cell: &ScriptCell, shell: Shell, tool: Tool) -> Result<Vec<String>, String> {
    let program = match shell {
        Shell::Bat | Shell::Ps1 => "diskspd.exe",
        Shell::Sh => "diskspd",
    };
    match tool {
        Tool::Fathom => Ok(cell.fathom.clone()),
        Tool::Diskspd => {
            let arguments = cell.diskspd.clone()?;
            Ok(std::iter::once(program.to_owned())
                .chain(arguments)
                .collect())
        }
    }
}
