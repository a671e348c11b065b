//! `fathom list`: what was measured, newest first.

use crate::args::ListArgs;
use crate::environment::Environment;
use crate::failure::{Ending, Failure};
use crate::{keep, output, report};
use dialects::Reader;

const NUMBER_FORM: &str = "say how many sessions to list, a whole number: 10";

/// Lists the sessions of the store.
pub(crate) fn list(args: &ListArgs, environment: &Environment) -> Result<Ending, Failure> {
    let mut reader = Reader::default();
    let limit = args
        .number
        .as_deref()
        .and_then(|text| reader.number("--number", text, NUMBER_FORM));
    let limit = reader.finish(limit)?;
    let sessions = match keep::look(args.store.as_ref(), environment)? {
        Some(store) => store.sessions(limit).map_err(Failure::failed)?,
        None => Vec::new(),
    };
    output::print(&report::sessions(&sessions))?;
    Ok(Ending::Good)
}
