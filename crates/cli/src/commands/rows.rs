//! Results as the database's commands choose them: named, filtered, sorted.

use crate::args::{RowsArgs, StoreArgs};
use crate::commands::ranks;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::{keep, output};
use analysis::columns::{
    Column, Filter, JUDGED, Problem, SelectedRow, Selection, SortKey, SortRank, Usual, columns,
    columns_of, sort_of, usual,
};
use model::{CommandError, Origin, ResultRow};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::str::FromStr;
use store::{Name, RunName, SessionId, Store, StoreError};
use views::Export;

/// Lines that a person reads, where nothing else is specified.
pub(super) const READ_MAX: usize = 1000;

/// Reads the words of `--where`.
type FilterReader = fn(&str) -> Result<Filter, Vec<Problem>>;

/// What was asked for, read and found good.
pub(crate) struct Choice {
    names: Vec<Name>,
    filter: Option<Filter>,
    sort: Vec<SortKey>,
    limit: Option<usize>,
    /// Of more rows, which no limit was specified for, the first ones are shown.
    shown_max: Option<usize>,
    /// The fields that were named, if any were.
    pub(crate) columns: Option<Vec<&'static Column>>,
}

impl Choice {
    /// Reads all of it; everything that is wrong is reported at once.
    pub(crate) fn read(
        args: &RowsArgs,
        columns: Option<&str>,
        filter_of: FilterReader,
    ) -> Result<Choice, CommandError> {
        let mut wrong = Vec::new();
        let mut tell = |option: &str, problems: Vec<Problem>| {
            wrong.extend(
                problems
                    .iter()
                    .map(|problem| format!("{option}: {problem}")),
            );
        };
        let filter = args.filter.as_deref().map(filter_of).transpose();
        let filter = filter.unwrap_or_else(|problems| {
            tell("--where", problems);
            None
        });
        let sort = args.sort.as_deref().map(sort_of).transpose();
        let sort = sort.unwrap_or_else(|problems| {
            tell("--sort", problems);
            None
        });
        let columns = columns.map(columns_of).transpose();
        let columns = columns.unwrap_or_else(|problems| {
            tell("--columns", problems);
            None
        });
        let names = names(&args.ids).unwrap_or_else(|problems| {
            wrong.extend(problems);
            Vec::new()
        });
        let limit = args.limit.as_deref().map(limit).transpose();
        let limit = limit.unwrap_or_else(|problem| {
            wrong.push(problem);
            None
        });
        if !wrong.is_empty() {
            return Err(CommandError::refused_for(wrong));
        }
        Ok(Choice {
            names,
            filter,
            sort: sort.unwrap_or_default(),
            limit,
            shown_max: None,
            columns,
        })
    }

    /// The same for a person, who reads so many lines at most: where no limit was specified, the rest is left for a program.
    pub(crate) fn for_reading(self) -> Choice {
        match self.limit {
            Some(_) => self,
            None => Choice {
                limit: Some(READ_MAX + 1),
                shown_max: Some(READ_MAX),
                ..self
            },
        }
    }

    /// The results that are meant. What is damaged is reported and omitted; then not all went well.
    pub(crate) fn find(&self, store: &Store) -> Result<(Vec<ResultRow>, Ending), CommandError> {
        let columns = self.columns.as_deref().unwrap_or_default();
        // Sorted in boxes: a row is too large to be moved often.
        let (rows, ending) = self.pick(store, columns, &|row| Box::new(row.clone()))?;
        Ok((rows.into_iter().map(|row| *row).collect(), ending))
    }

    /// The same, of each only these fields: many results need little memory.
    pub(crate) fn select(
        &self,
        store: &Store,
        columns: Vec<&'static Column>,
    ) -> Result<(Selection, Ending), CommandError> {
        let (rows, ending) = self.pick(store, &columns, &|row| SelectedRow::of(&columns, row))?;
        Ok((Selection::of_rows(columns, rows), ending))
    }

    /// The same, of each the fields that are usual for all of them.
    pub(crate) fn select_usual(&self, store: &Store) -> Result<(Selection, Ending), CommandError> {
        if self.limit.is_some() {
            // What is equal follows from the rows that stay.
            let (rows, ending) = self.find(store)?;
            return Ok((usual(&rows), ending));
        }
        let chosen = RefCell::new(Usual::default());
        let (order, ending) = self.pick(store, &[], &|row| chosen.borrow_mut().add(row))?;
        Ok((chosen.into_inner().select(&order), ending))
    }

    /// The names that were given.
    pub(crate) fn names(&self) -> &[Name] {
        &self.names
    }

    /// The fields that are shown: those that were named; a program gets all there are.
    pub(crate) fn named(&self, export: Option<&Export>) -> Option<Vec<&'static Column>> {
        let all = || export.is_some().then(|| columns().collect());
        self.columns.clone().or_else(all)
    }

    /// Whether verdicts that are not stored are computed: a table that a person did not ask for them shows what is stored.
    fn asks_verdicts(&self, columns: &[&'static Column]) -> bool {
        let selected = columns.iter().any(|it| JUDGED.contains(&it.name));
        let filter = self.filter.as_ref().is_some_and(|it| it.is_of(&JUDGED));
        selected || filter || self.sort.iter().any(|key| key.is_of(&JUDGED))
    }

    fn pick<T>(
        &self,
        store: &Store,
        columns: &[&'static Column],
        pick: &dyn Fn(&ResultRow) -> T,
    ) -> Result<(Vec<T>, Ending), CommandError> {
        let mut kept = Kept {
            rows: Vec::new(),
            last: None,
        };
        let judge = self.asks_verdicts(columns);
        let mut keep = |row: &ResultRow| {
            let missing = judge && row.verdict.is_none() && row.origin != Origin::Missing;
            match missing.then(|| ranks::verdict_of(store, row)).flatten() {
                None => self.keep(row, pick, &mut kept),
                judged => {
                    let mut row = row.clone();
                    row.verdict = judged;
                    self.keep(&row, pick, &mut kept)
                }
            }
        };
        let ending = if self.names.is_empty() {
            let damaged = store.each_row(&mut keep).map_err(CommandError::refused)?;
            reported(store, &damaged)
        } else {
            let mut rows = named(store, &resolved(store, &self.names)?)?.into_iter();
            let _ = rows.try_for_each(|row| keep(&row));
            Ending::Good
        };
        self.cut(&mut kept);
        if let Some(most) = self.shown_max.filter(|most| kept.rows.len() > *most) {
            kept.rows.truncate(most);
            output::tell(&format!(
                "{most} results are shown, and there are more; hint: --limit N, --csv"
            ));
        }
        let rows = kept.rows.into_iter().map(|(_, row)| row);
        Ok((rows.collect(), ending))
    }

    /// Keeps a row that fits and, where there is a limit, may be among the first ones: no more than twice these need
    /// memory. Breaks where no row behind it can be.
    fn keep<'a, T>(
        &'a self,
        row: &ResultRow,
        pick: &dyn Fn(&ResultRow) -> T,
        kept: &mut Kept<'a, T>,
    ) -> ControlFlow<()> {
        let filter = self.filter.as_ref();
        if filter.is_some_and(|filter| !filter.fits(row)) {
            return ControlFlow::Continue(());
        }
        let rank = SortRank::of(row, &self.sort);
        if kept.last.as_ref().is_none_or(|last| rank < *last) {
            kept.rows.push((rank, pick(row)));
        }
        let limit = self.limit.unwrap_or(usize::MAX);
        if self.sort.is_empty() && kept.rows.len() >= limit {
            return ControlFlow::Break(());
        }
        if kept.rows.len() >= limit.saturating_mul(2) {
            self.cut(kept);
        }
        ControlFlow::Continue(())
    }

    fn cut<'a, T>(&'a self, kept: &mut Kept<'a, T>) {
        kept.rows.sort_by(|(one, _), (other, _)| one.cmp(other)); // rows that are identical keep their order
        if let Some(limit) = self.limit {
            kept.rows.truncate(limit);
            let last = kept.rows.get(limit - 1); // a limit is 1 or more
            kept.last = last.map(|(rank, _)| rank.clone());
        }
    }
}

/// The rows that are meant, as far as they were seen.
struct Kept<'a, T> {
    rows: Vec<(SortRank<'a>, T)>,
    /// Of the last row within the limit: a row that does not stand before it is not meant.
    last: Option<SortRank<'a>>,
}

fn limit(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| {
        format!("invalid value '{text}' for --limit: must be a whole number of results from 1: 10")
    })
}

/// Returns what the names mean in this store.
pub(crate) fn resolved(store: &Store, names: &[Name]) -> Result<Vec<RunName>, CommandError> {
    let all = names.iter().map(|name| store.resolve(*name));
    all.collect::<Result<_, _>>().map_err(CommandError::refused)
}

/// Returns what one name means in this store.
pub(crate) fn name_of(store: &Store, text: &str) -> Result<RunName, CommandError> {
    let name = text.parse().map_err(CommandError::refused)?;
    store.resolve(name).map_err(CommandError::refused)
}

/// The names as a person gives them: [`Name`], or [`RunName`] where `last` is none.
pub(crate) fn names<N: FromStr<Err = StoreError>>(ids: &[String]) -> Result<Vec<N>, Vec<String>> {
    let (mut names, mut wrong) = (Vec::new(), Vec::new());
    for id in ids {
        match id.parse() {
            Ok(name) => names.push(name),
            Err(error) => wrong.push(StoreError::to_string(&error)),
        }
    }
    if wrong.is_empty() {
        Ok(names)
    } else {
        Err(wrong)
    }
}

/// The store that is named, which has to be there.
pub(crate) fn open_store(
    args: &StoreArgs,
    environment: &Environment,
) -> Result<Store, CommandError> {
    let store = keep::look(args.store.as_ref(), environment)?;
    store.ok_or_else(|| {
        CommandError::refused(
            "nothing is stored yet: measure something first (fathom survey), or fathom import FILE",
        )
    })
}

/// Reports what could not be read.
pub(crate) fn reported(store: &Store, damaged: &[String]) -> Ending {
    for what in damaged {
        output::tell(&format!("{}: omitted: {what}", store.path().display()));
    }
    if damaged.is_empty() {
        return Ending::Good;
    }
    output::tell("the store is damaged: nothing in it was changed; fathom db check reports more");
    Ending::Wrong
}

fn named(store: &Store, names: &[RunName]) -> Result<Vec<ResultRow>, CommandError> {
    let mut rows: Vec<ResultRow> = Vec::new();
    for name in names {
        store.count(&[*name]).map_err(CommandError::refused)?; // or lists the existing ones
        let found = store
            .judged_rows(name.session)
            .map_err(CommandError::refused)?;
        rows.extend(
            found
                .into_iter()
                .filter(|row| name.run.is_none_or(|number| number == row.number)),
        );
    }
    let mut seen = std::collections::BTreeSet::new();
    rows.retain(|row| seen.insert((row.session, row.number)));
    Ok(rows)
}

/// Sessions in which some result is meant.
pub(crate) fn sessions_of(names: &[RunName]) -> Vec<SessionId> {
    let mut sessions: Vec<SessionId> = names.iter().map(|name| name.session).collect();
    sessions.sort_unstable();
    sessions.dedup();
    sessions
}
