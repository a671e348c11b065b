//! `fathom devices`: what block devices there are, and who uses them.

use crate::args::DevicesArgs;
use crate::failure::{Ending, Failure};
use crate::{output, report};
use host::Root;

/// Lists them.
pub(crate) fn devices(args: &DevicesArgs) -> Result<Ending, Failure> {
    let listed = host::devices(&Root::live());
    output::print(&report::devices(&listed, args.json))?;
    Ok(Ending::Good)
}
