//! `fathom report ID…`: a page of results, one file that opens anywhere.
//!
//! Read in this order: the flow (here), `place` (how the file is placed
//! where it was asked for, whole or not at all), `history` (all sessions).

mod history;
mod place;

use super::VERSION;
use super::rows::{name_of, open_store};
use crate::args::{LAST, ReportArgs};
use crate::commands::answer::add_part;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, report};
use analysis::page::{PageBuilder, PageDocument};
use model::CommandError;
pub(crate) use place::{Replace, why_never_replaced};
use session::clock;
use std::path::Path;
use store::{RunName, Store};

/// The row of `fathom report`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<ReportArgs>(
    "report",
    Group::Results,
    "Write an HTML report: one file with verdict, charts, tables and the data",
    |words, environment| report(&parsed(words)?, environment),
)
.often();

/// How long the document of a page may become: with the script of the page it stays below 2 MB, which every mailbox takes.
const DOCUMENT_BYTES_MAX: usize = 1_400_000;

/// Where a page goes unless a file is specified.
const PAGE: &str = "report.html";

/// What was written.
#[derive(Debug)]
pub(crate) struct Written {
    /// How long the file is.
    pub(crate) bytes: u64,
    /// First line of each part.
    pub(crate) headlines: Vec<String>,
}

/// Writes the page, or prints its data.
pub(crate) fn report(args: &ReportArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let store = open_store(&args.store, environment)?;
    let replace = match args.force {
        true => Replace::Anything,
        false => Replace::Pages,
    };
    if args.all {
        return history::history(args, &store, replace, environment);
    }
    let out = args.out.as_deref().unwrap_or(Path::new(PAGE));
    let place = (!args.json).then_some((out, replace));
    let names = asked(args, &store, place)?;
    if args.json {
        output::print(&report::page_document(&document_of(&store, &names)?))?;
        return Ok(Ending::Good);
    }
    let written = write_page(&store, &names, out, replace)?;
    output::print(&report::page_written(
        out,
        written.bytes,
        &written.headlines,
        report::Form::of_list(false, environment),
    ))?;
    Ok(Ending::Good)
}

/// The names, if they are all there and a page may come to lie where it is to; everything that is wrong otherwise.
fn asked(
    args: &ReportArgs,
    store: &Store,
    place: Option<(&Path, Replace)>,
) -> Result<Vec<RunName>, CommandError> {
    let (mut known, mut wrong) = (Vec::new(), Vec::new());
    let newest = [LAST.to_owned()];
    let ids = match args.ids.is_empty() {
        true => &newest[..],
        false => &args.ids,
    };
    for id in ids {
        match name_of(store, id) {
            Ok(one) => {
                wrong.extend(not_there(store, &[one]));
                known.push(one);
            }
            Err(reported) => wrong.push(reported.to_string()),
        }
    }
    let allowed = place.map(|(to, replace)| place::allowed(to, replace));
    wrong.extend(allowed.and_then(Result::err).map(|why| why.to_string()));
    match wrong.is_empty() {
        true => Ok(known),
        false => Err(CommandError::refused_for(wrong)),
    }
}

/// Of these names, those that are not in the database, each in a sentence.
fn not_there(store: &Store, names: &[RunName]) -> Vec<String> {
    let each = names.iter();
    each.filter_map(|name| Some(store.count(&[*name]).err()?.to_string()))
        .collect()
}

/// Writes a page of these results; what is at its place is replaced only if `replace` allows it. For every command that
/// ends with a page.
///
/// # Errors
///
/// A name that is not in the database, a place that may not be written, a disk without room: nothing is left there then.
pub(crate) fn write_page(
    store: &Store,
    names: &[RunName],
    to: &Path,
    replace: Replace,
) -> Result<Written, CommandError> {
    place::allowed(to, replace)?;
    let document = document_of(store, names)?;
    let bytes = report::page(&document);
    place::put(to, &bytes, replace)?;
    Ok(Written {
        bytes: bytes.len() as u64,
        headlines: document
            .parts
            .iter()
            .map(|part| part.verdict.headline.clone())
            .collect(),
    })
}

/// Before long work: whether a page of fathom's may come to lie there.
pub(crate) fn may_write(to: &Path) -> Result<(), CommandError> {
    place::allowed(to, Replace::Pages)
}

/// Each name once, in the order given; all that are not there are reported at once.
fn document_of(store: &Store, names: &[RunName]) -> Result<PageDocument, CommandError> {
    let unknown = not_there(store, names);
    if !unknown.is_empty() {
        return Err(CommandError::refused_for(unknown));
    }
    let mut page = PageBuilder::new(clock::utc().0, VERSION, names.len() > 1);
    for (place, name) in names.iter().enumerate() {
        if !names[..place].contains(name) {
            add_part(store, *name, &mut page)?;
        }
    }
    Ok(page.finish(DOCUMENT_BYTES_MAX))
}
