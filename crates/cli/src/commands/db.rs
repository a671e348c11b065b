//! `fathom db`: looking after the file that keeps the results.

use super::rows::shelf;
use crate::args::{BackupArgs, DbArgs, DbCommand, SqlArgs, StoreArgs};
use crate::environment::Environment;
use crate::failure::{Ending, Failure};
use crate::report::{Form, RowsForm};
use crate::{keep, output, report};

/// One of its parts.
pub(crate) fn db(args: &DbArgs, environment: &Environment) -> Result<Ending, Failure> {
    match &args.command {
        DbCommand::Path(args) => path(args, environment),
        DbCommand::Check(args) => check(args, environment),
        DbCommand::Backup(args) => backup(args, environment),
        DbCommand::Sql(args) => sql(args, environment),
    }
}

/// Where it lies, or would.
fn path(args: &StoreArgs, environment: &Environment) -> Result<Ending, Failure> {
    let place = environment.store_place(args.store.as_ref());
    let place = place.ok_or_else(|| Failure::refused(keep::NOWHERE_TO_LOOK))?;
    let path = place.path();
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    output::print(format!("{}\n", whole.display()).as_bytes())?;
    if !path.exists() {
        output::tell("nothing is kept there yet");
    }
    Ok(Ending::Good)
}

fn check(args: &StoreArgs, environment: &Environment) -> Result<Ending, Failure> {
    let store = shelf(args, environment)?;
    let check = store.check().map_err(Failure::failed)?;
    let path = store.path().display();
    let form = Form::of_list(false, environment);
    let print = |text: &[(&str, String)]| output::print(&report::told(text, form));
    let many =
        |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let counts = format!(
        "{} and {}",
        many(check.sessions, "session"),
        many(check.results, "result")
    );
    if check.findings.is_empty() {
        print(&[("", format!("{path}: {counts}, all whole"))])?;
        return Ok(Ending::Good);
    }
    let mut page = vec![("", format!("{path}: damaged; {counts} can be read"))];
    page.extend(check.findings.into_iter().map(|finding| ("  ", finding)));
    let last = "nothing was changed; what can be read can still be shown and exported";
    page.push(("", last.to_owned()));
    print(&page)?;
    Ok(Ending::Wrong)
}

fn backup(args: &BackupArgs, environment: &Environment) -> Result<Ending, Failure> {
    let store = shelf(&args.store, environment)?;
    store.backup(&args.to).map_err(Failure::failed)?;
    output::tell(&format!("{}: a whole copy", args.to.display()));
    Ok(Ending::Good)
}

fn sql(args: &SqlArgs, environment: &Environment) -> Result<Ending, Failure> {
    let store = shelf(&args.store, environment)?;
    let answer = store.ask(&args.sql).map_err(Failure::refused)?;
    let form = Form::of_list(args.json, environment);
    output::print(&report::answer(
        &answer,
        RowsForm::of(args.csv, args.json),
        form,
    ))?;
    Ok(Ending::Good)
}
