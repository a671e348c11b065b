//! A sweep that was begun before: which one it is, and what it has.

use super::asked::Asked;
use crate::args::SweepArgs;
use crate::commands::resumed::Wanted;
use crate::environment::{Environment, StorePlace};
use crate::keep;
use crate::kinds::stored::Kind;
use crate::subcommand::read_line;
use analysis::RankLabel;
use model::{CommandError, ResultRow};
use std::collections::HashMap;
use store::{SessionId, Store, StoredCell};
use sweep::Turn;

/// What a sweep that was begun before has.
pub(crate) struct Earlier {
    pub(crate) session: SessionId,
    pub(super) cells: HashMap<String, StoredCell>,
    pub(super) rows: HashMap<u32, ResultRow>,
}

impl Earlier {
    pub(super) fn read(store: &Store, session: SessionId) -> Result<Self, CommandError> {
        let cells = store.cells(session).map_err(CommandError::refused)?;
        let rows = store.rows(&[session]).map_err(CommandError::refused)?;
        Ok(Earlier {
            session,
            cells: cells
                .into_iter()
                .map(|cell| (cell.key.clone(), cell))
                .collect(),
            rows: rows.into_iter().map(|row| (row.number, row)).collect(),
        })
    }

    /// Returns how many ranks measured it, by the labels of its results.
    pub(super) fn ranks(&self) -> u32 {
        let ranks = self.rows.values().filter_map(|row| {
            let label = RankLabel::of(&row.label)?;
            label.rank.checked_add(1)
        });
        ranks.max().unwrap_or(1)
    }

    /// Whether this turn has a result.
    pub(crate) fn has(&self, asked: &Asked, turn: Turn) -> bool {
        let cell = self.cells.get(&asked.key(turn));
        cell.is_some_and(|cell| cell.missing.is_none())
    }
}

/// The session that these words name, and the words that it began with.
pub(crate) fn resumed(
    id: &str,
    args: &SweepArgs,
    kind: &'static Kind,
    environment: &Environment,
) -> Result<(SessionId, SweepArgs), CommandError> {
    let wanted = Wanted {
        kind,
        keep: &args.keep,
    };
    wanted.named(id, environment, |command| read_line("sweep", command).ok())
}

/// What is there already, without changing anything: for a look ahead.
pub(crate) fn look(
    place: Option<&StorePlace>,
    fingerprint: &str,
    wanted: Option<SessionId>,
    args: &SweepArgs,
) -> Result<Option<Earlier>, CommandError> {
    let Some(path) = place.map(StorePlace::path).filter(|path| path.exists()) else {
        return Ok(None);
    };
    let store = keep::opened(|report| Store::look_with(path, report))?;
    earlier(&store, fingerprint, wanted, args)
}

/// The sweep that is gone on with, if there is one.
pub(super) fn earlier(
    store: &Store,
    fingerprint: &str,
    wanted: Option<SessionId>,
    args: &SweepArgs,
) -> Result<Option<Earlier>, CommandError> {
    let found = match wanted {
        Some(session) => Some(session),
        None if args.matrix.new => None,
        None => store
            .find_sweep(fingerprint)
            .map_err(CommandError::refused)?,
    };
    found
        .map(|session| Earlier::read(store, session))
        .transpose()
}
