//! `fathom export`: results for other programs.

use super::rows::{Choice, open_store};
use crate::args::ExportArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::Form;
use crate::{output, report};
use gate::Replace;
use model::CommandError;
use std::io::IsTerminal;

/// Writes them to a new file, or to standard output.
pub(crate) fn export(args: &ExportArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let choice = Choice::read(&args.rows, args.columns.as_deref())?;
    let export = args.form.0;
    if !export.is_text && args.out.is_none() && std::io::stdout().is_terminal() {
        return Err(CommandError::refused(format!(
            "--{}: {} is no text for a terminal: add --out FILE, or send it on with >",
            export.name,
            export.about.replacen('A', "a", 1)
        )));
    }
    let store = open_store(&args.rows.store, environment)?;
    let columns = choice.named(Some(export)).unwrap_or_default();
    let (selection, ending) = choice.select(&store, columns)?;
    let rows = selection.rows().len();
    let bytes = report::rows(&selection, Some(export), Form::of_list(false, environment));
    match &args.out {
        Some(path) => {
            // Code that writes never guesses: an existing file stays.
            gate::write_output(path, &bytes, Replace::Nothing)
                .map_err(|error| crate::failure::of_output(&error))?;
            let results = if rows == 1 { "result" } else { "results" };
            output::tell(&format!("{}: {} {results}", path.display(), rows));
        }
        None => output::print(&bytes)?,
    }
    Ok(ending)
}
