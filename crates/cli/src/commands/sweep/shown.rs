//! A sweep from the store, as it was printed when it ended.
//!
//! The command line is read again for the fields and the cells that were still to come; where that cannot be done any
//! more (its plan has gone, another version wrote it), cells go by the labels that they were kept under.

use super::asked::Asked;
use super::ranks;
use super::stored::{cells_of, judge, order_name};
use crate::kinds::page;
use crate::kinds::stored::{Hints, Kind, Stored, nothing_below};
use crate::report::{self, Form};
use crate::subcommand::read_line;
use analysis::page::PageBuilder;
use analysis::{RankLabel, SweepCell, SweepContext, SweepResult, SweepRun, sweep_report_knowing};
use model::{CommandError, ResultRow};
use std::collections::HashMap;
use store::{SessionId, SessionOutcome, SessionSummary, Store, StoreError};
use sweep::Turn;

/// The row of `fathom sweep`.
pub(crate) static KIND: Kind = Kind {
    word: "sweep",
    described: "a sweep",
    hints: Hints::All,
    can_resume: true,
    // Its runs are read one after another: all at once they may not fit into memory.
    show: |stored, form| page(stored.store, stored.summary, form).map_err(CommandError::refused),
    add_to_page,
    below_run: nothing_below,
};

fn page(store: &Store, summary: &SessionSummary, form: Form<'_>) -> Result<Vec<u8>, StoreError> {
    let session = summary.id;
    let mut runs: Vec<(String, SweepRun)> = Vec::new();
    for row in store.rows(&[session])? {
        if ranks::is_part(&row) {
            continue;
        }
        if let Some((label, run)) = of_ranks(store, session, &row) {
            runs.push((label, run));
            continue;
        }
        let (label, stored) = (row.label.clone(), Some(row.number));
        let result = match row.reason.clone() {
            Some(reason) => Err(reason),
            None => Ok(SweepResult {
                corrupt: false, // its record was not read
                ranks: None,
                row,
                validity: None,
                reasons: Vec::new(),
            }),
        };
        let mut run = SweepRun { stored, result };
        judge(store, session, &mut run);
        runs.push((label, run));
    }
    let (cells, context) = put_together(summary, runs);
    Ok(report::sweep(&cells, &context, form))
}

/// The run of all ranks of a cell, by the line of rank 0; `None` of any other line.
fn of_ranks(store: &Store, session: SessionId, row: &ResultRow) -> Option<(String, SweepRun)> {
    let label = RankLabel::of(&row.label).filter(|_| row.reason.is_none())?;
    let result = ranks::merged(store, session, row)?;
    let stored = Some(row.number);
    Some((label.cell.to_owned(), SweepRun { stored, result }))
}

/// The cells of a sweep from its runs and their labels, and their context.
fn put_together(
    summary: &SessionSummary,
    runs: Vec<(String, SweepRun)>,
) -> (Vec<SweepCell>, SweepContext) {
    let asked = asked_again(&summary.command).filter(|asked| knows(asked, &runs));
    let mut context = SweepContext {
        interrupted: matches!(summary.outcome, Some(SessionOutcome::Interrupted) | None),
        target: summary.target.clone(),
        started_utc_ns: Some(summary.started_utc.0),
        tool_version: summary.tool_version.clone(),
        command: summary.command.clone(),
        ..SweepContext::default()
    };
    let cells = match asked {
        Some(asked) => {
            context.axes = asked
                .grid
                .varied()
                .iter()
                .map(|&name| name.to_owned())
                .collect();
            context.cells_planned = Some(asked.cells.len() as u64);
            context.order = Some(order_name(&asked).to_owned());
            context.rest_ns = Some(asked.rest.0);
            sorted(&asked, runs)
        }
        None => by_label(runs),
    };
    (cells, context)
}

fn asked_again(command: &[String]) -> Option<Asked> {
    Asked::read(&read_line("sweep", command).ok()?).ok()
}

/// Whether every run that was kept is one of this sweep's.
fn knows(asked: &Asked, runs: &[(String, SweepRun)]) -> bool {
    let turns = turns_by_label(asked);
    runs.iter().all(|(label, _)| turns.contains_key(label))
}

fn turns_by_label(asked: &Asked) -> HashMap<String, Turn> {
    let turns = asked.turns();
    turns
        .into_iter()
        .map(|turn| (asked.label(turn), turn))
        .collect()
}

fn sorted(asked: &Asked, runs: Vec<(String, SweepRun)>) -> Vec<SweepCell> {
    let turns = turns_by_label(asked);
    let mut cells: Vec<Vec<(u32, SweepRun)>> = vec![Vec::new(); asked.cells.len()];
    for (label, run) in runs {
        let turn = turns[&label];
        cells[turn.cell].push((turn.repetition, run));
    }
    for cell in &mut cells {
        cell.sort_by_key(|(repetition, _)| *repetition);
    }
    cells_of(asked, &cells)
}

fn by_label(runs: Vec<(String, SweepRun)>) -> Vec<SweepCell> {
    let cell = |(number, (label, run)): (u64, (String, SweepRun))| SweepCell {
        number,
        group: Some(label),
        values: Vec::new(),
        runs: vec![run],
    };
    (1u64..).zip(runs).map(cell).collect()
}

fn add_to_page(
    stored: &Stored<'_>,
    rows: Vec<ResultRow>,
    builder: &mut PageBuilder,
) -> Result<(), CommandError> {
    let mut runs: Vec<(String, SweepRun)> = Vec::new();
    for row in rows {
        page::result(stored.store, row, false, builder, &mut |row, record| {
            let of_ranks = of_ranks(stored.store, stored.id(), row).filter(|_| record.is_ok());
            match of_ranks {
                _ if ranks::is_part(row) => {} // the line of rank 0 brings it
                Some(run) => runs.push(run),
                None => {
                    let run = SweepRun {
                        stored: Some(row.number),
                        result: record.map(|record| SweepResult::of(record, stored.known)),
                    };
                    runs.push((row.label.clone(), run));
                }
            }
        });
    }
    let (cells, context) = put_together(stored.summary, runs);
    for cell in &cells {
        let gaps = cell.runs.iter().filter(|run| run.result.is_err());
        gaps.filter_map(|run| run.stored)
            .for_each(|number| builder.asked(number, &cell.values));
    }
    builder.sweep(sweep_report_knowing(&cells, &context, stored.known));
    Ok(())
}
