//! `fathom devices`: what block devices there are, and who uses them.

use crate::args::DevicesArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::Form;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, report};
use host::Root;
use model::CommandError;

/// The row of `fathom devices`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<DevicesArgs>(
    "devices",
    Group::System,
    "List the block devices of this machine and who uses them",
    |words, environment| devices(&parsed(words)?, environment),
)
.often();

/// Lists them.
pub(crate) fn devices(
    args: &DevicesArgs,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let listed = host::devices(&Root::live());
    output::print(&report::devices(
        &listed,
        Form::of_list(args.json, environment),
    ))?;
    Ok(Ending::Good)
}
