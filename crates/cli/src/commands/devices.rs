//! `fathom devices`: what block devices there are, and who uses them.

use crate::args::DevicesArgs;
use crate::environment::Environment;
use crate::failure::{Ending, Failure};
use crate::report::Form;
use crate::{output, report};
use host::Root;

/// Lists them.
pub(crate) fn devices(args: &DevicesArgs, environment: &Environment) -> Result<Ending, Failure> {
    let listed = host::devices(&Root::live());
    output::print(&report::devices(
        &listed,
        Form::of_list(args.json, environment),
    ))?;
    Ok(Ending::Good)
}
