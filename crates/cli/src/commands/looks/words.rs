//! What stands against a look, where the words of `fathom run` name options that a look does not have.

use model::Problem;

/// The problem, with what can be done about it here.
pub(super) fn of(problem: &Problem) -> String {
    match problem {
        Problem::Missing { path } => format!(
            "{}: there is nothing under this name: check the spelling (fathom devices lists the devices), or make the file \
             first with fathom run --create",
            path.display()
        ),
        Problem::NoDirectIo { path, file_system } => format!(
            "{}: the file system{} takes no unbuffered I/O (O_DIRECT), so nothing of it can be told apart from memory: name \
             a target on another file system",
            path.display(),
            file_system
                .as_deref()
                .map_or_else(String::new, |kind| format!(" {kind}"))
        ),
        other => other.to_string(),
    }
}
