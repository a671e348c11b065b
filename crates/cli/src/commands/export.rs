//! `fathom export`: results for other programs.

use super::rows::{Choice, shelf};
use crate::args::ExportArgs;
use crate::environment::Environment;
use crate::failure::{Ending, Failure};
use crate::report::{Form, RowsForm};
use crate::{output, report};
use analysis::columns::{Selection, columns};
use std::fs::OpenOptions;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

/// Writes them to a new file, or to standard output.
pub(crate) fn export(args: &ExportArgs, environment: &Environment) -> Result<Ending, Failure> {
    let choice = Choice::read(&args.rows, args.columns.as_deref())?;
    if args.form.parquet && args.out.is_none() && std::io::stdout().is_terminal() {
        return Err(Failure::refused(
            "--parquet: a Parquet file is no text for a terminal: add --out FILE, or send it on with >",
        ));
    }
    let store = shelf(&args.rows.store, environment)?;
    let (rows, ending) = choice.find(&store)?;
    let fields = choice.columns.unwrap_or_else(|| columns().collect());
    let form = match args.form.parquet {
        true => RowsForm::Parquet,
        false => RowsForm::of(args.form.csv, args.form.json),
    };
    let bytes = report::rows(
        &Selection::of(fields, &rows),
        form,
        Form::of_list(false, environment),
    );
    match &args.out {
        Some(path) => {
            write_new(path, &bytes)?;
            let results = if rows.len() == 1 { "result" } else { "results" };
            output::tell(&format!("{}: {} {results}", path.display(), rows.len()));
        }
        None => output::print(&bytes)?,
    }
    Ok(ending)
}

/// Whatever writes never guesses: what is there stays.
fn write_new(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = file.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::refused(format!(
            "{}: this is there already, and was left as it is: name a new file",
            path.display()
        )),
        _ => Failure::refused(format!(
            "{}: the file could not be made: {}",
            path.display(),
            output::errno_text(&error)
        )),
    })?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(|error| {
        let _ = std::fs::remove_file(path); // half a file would look like a whole one
        Failure::failed(format!(
            "{}: the results could not be written: {}; nothing was left there",
            path.display(),
            output::errno_text(&error)
        ))
    })
}
