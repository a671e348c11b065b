//! `fathom tag`: words for sessions and results.

use super::rows::{names, shelf};
use crate::args::TagArgs;
use crate::environment::Environment;
use crate::failure::{Ending, Failure};

/// Gives and takes words.
pub(crate) fn tag(args: &TagArgs, environment: &Environment) -> Result<Ending, Failure> {
    let names = names(&args.ids).map_err(Failure::refused_for)?;
    let both = args.add.iter().find(|word| args.remove.contains(word));
    if let Some(word) = both {
        return Err(Failure::refused(format!(
            "{word}: given and taken at once: say --add or --remove for it"
        )));
    }
    let store = shelf(&args.store, environment)?;
    store
        .tag(&names, &args.add, &args.remove)
        .map_err(Failure::refused)?;
    Ok(Ending::Good)
}
