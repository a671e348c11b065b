//! `fathom table`: results of any session, filtered, sorted, laid out.

use super::rows::{Choice, open_store};
use crate::args::TableArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::kinds::filter_of;
use crate::report::Form;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, report};
use analysis::columns::{Column, Filter, Selection, best, columns_of, pivot, usual};
use model::CommandError;

/// The row of `fathom table`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<TableArgs>(
    "table",
    Group::Results,
    "Filter, sort and lay out results of any session",
    |words, environment| table(&parsed(words)?, environment),
);

/// Default layout.
const SHOWN: &str = "iops";

/// Prints the table.
pub(crate) fn table(args: &TableArgs, environment: &Environment) -> Result<Ending, CommandError> {
    if args.fields {
        let form = Form::of_list(false, environment);
        output::print(&report::fields(form))?;
        return Ok(Ending::Good);
    }
    let choice = Choice::read(&args.rows, args.columns.as_deref(), filter_of)?;
    let grid = args.by.as_deref().map(|by| grid(by, args)).transpose()?;
    let condition = args.best.as_deref().map(condition).transpose()?;
    let store = open_store(&args.rows.store, environment)?;
    let form = Form::of_list(args.json, environment);
    let shown = report::export_of(args.csv, args.json);
    if grid.is_none() && condition.is_none() {
        let choice = match shown {
            Some(_) => choice,
            None => choice.for_reading(),
        };
        let (selection, ending) = match choice.named(shown) {
            Some(columns) => choice.select(&store, columns)?,
            None => choice.select_usual(&store)?,
        };
        output::print(&report::rows(&selection, shown, form))?;
        return Ok(ending);
    }
    let (rows, ending) = choice.find(&store)?;
    let best = condition.map(|condition| best(&rows, &condition));
    let rows = best.as_ref().map_or(rows, |best| best.rows.clone());
    let page = match grid {
        Some(Grid { show, down, across }) => report::pivot(&pivot(&rows, show, down, across), form),
        None => {
            let columns = choice.named(shown);
            let selection = columns.map_or_else(|| usual(&rows), |all| Selection::of(all, &rows));
            report::rows(&selection, shown, form)
        }
    };
    match best {
        Some(best) if !args.csv && !args.json => {
            let mut answer = format!("{}\n", best.sentence).into_bytes();
            if !best.rows.is_empty() {
                answer.extend(page);
            }
            output::print(&answer)?;
        }
        _ => output::print(&page)?,
    }
    Ok(ending)
}

fn condition(text: &str) -> Result<Filter, CommandError> {
    filter_of(text).map_err(|problems| {
        CommandError::refused_for(problems.iter().map(|problem| format!("--best: {problem}")))
    })
}

struct Grid {
    show: &'static Column,
    down: &'static Column,
    across: Option<&'static Column>,
}

fn grid(by: &str, args: &TableArgs) -> Result<Grid, CommandError> {
    let mut wrong = Vec::new();
    let mut fields = |option: &str, text: &str| {
        columns_of(text).unwrap_or_else(|problems| {
            wrong.extend(
                problems
                    .iter()
                    .map(|problem| format!("{option}: {problem}")),
            );
            Vec::new()
        })
    };
    let by_fields = fields("--by", by);
    let shown = args.show.as_deref().unwrap_or(SHOWN);
    let show = fields("--show", shown);
    if wrong.is_empty() && by_fields.len() > 2 {
        wrong.push(format!(
            "invalid value '{by}' for --by: must be one field, or two: rows first, as in block,threads"
        ));
    }
    if wrong.is_empty() && show.len() != 1 {
        wrong.push(format!(
            "invalid value '{shown}' for --show: must be one field: iops"
        ));
    }
    if !wrong.is_empty() {
        return Err(CommandError::refused_for(wrong));
    }
    Ok(Grid {
        show: show[0],
        down: by_fields[0],
        across: by_fields.get(1).copied(),
    })
}
