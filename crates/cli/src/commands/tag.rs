//! `fathom tag`: words for sessions and results.

use super::rows::{names, open_store, resolved};
use crate::args::TagArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::subcommand::{Group, Subcommand, parsed};
use model::CommandError;

/// The row of `fathom tag`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<TagArgs>(
    "tag",
    Group::Results,
    "Add tags to sessions and results, or remove them",
    |words, environment| tag(&parsed(words)?, environment),
);

/// Gives and takes words.
pub(crate) fn tag(args: &TagArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let names = names(&args.ids).map_err(CommandError::refused_for)?;
    let both = args.add.iter().find(|word| args.remove.contains(word));
    if let Some(word) = both {
        return Err(CommandError::refused(format!(
            "{word}: given and taken at once: specify --add or --remove for it"
        )));
    }
    let store = open_store(&args.store, environment)?;
    let names = resolved(&store, &names)?;
    store
        .tag(&names, &args.add, &args.remove)
        .map_err(CommandError::refused)?;
    Ok(Ending::Good)
}
