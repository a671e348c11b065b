//! `fathom list`: what was measured, newest first.

use crate::args::ListArgs;
use crate::environment::Environment;
use crate::failure::{Ending, Failure};
use crate::report::Form;
use crate::{keep, output, report};
use dialects::{Problem, Reader};
use store::Store;

const NUMBER_FORM: &str = "say how many sessions to list, a whole number from 1: 10";

/// Lists the sessions of the store.
pub(crate) fn list(args: &ListArgs, environment: &Environment) -> Result<Ending, Failure> {
    let mut reader = Reader::default();
    let limit = args
        .number
        .as_deref()
        .and_then(|text| reader.number("--number", text, NUMBER_FORM));
    if limit == Some(0) {
        reader.refuse(Problem::Value {
            option: "--number",
            read: "0".to_owned(),
            accepted: NUMBER_FORM,
        });
    }
    let limit = reader.finish(limit)?;
    let store = keep::look(args.store.as_ref(), environment)?;
    let sessions = match &store {
        Some(store) => store.sessions(limit).map_err(Failure::failed)?,
        None => Vec::new(),
    };
    let path = store.as_ref().map(Store::path);
    let form = Form::of_list(args.json, environment);
    output::print(&report::sessions(&sessions, path, form))?;
    Ok(Ending::Good)
}
