//! `fathom explain`: what an id means. Reads nothing but its own table.

use crate::args::ExplainArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::Form;
use crate::{output, report};
use analysis::explanations;
use model::CommandError;

/// A name that is less similar is no slip of the fingers. // in [0, 1]
const SIMILAR_MIN: f64 = 0.6;

/// Explains one id, or lists all.
pub(crate) fn explain(
    args: &ExplainArgs,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let mut all = explanations();
    let is_list = args.id.is_empty();
    if !is_list {
        let id = args.id.join("-").to_lowercase();
        if all.iter().all(|one| one.id != id) {
            let ids: Vec<&str> = all.iter().map(|one| one.id).collect();
            return Err(CommandError::refused(unknown(
                &args.id.join(" "),
                &id,
                &ids,
            )));
        }
        all.retain(|one| one.id == id);
    }
    let form = Form::of_list(args.json, environment);
    output::print(&report::explanations(&all, is_list, form))?;
    Ok(Ending::Good)
}

fn unknown(read: &str, id: &str, ids: &[&str]) -> String {
    let similar = ids
        .iter()
        .map(|known| (strsim::jaro_winkler(id, known), known));
    let nearest = similar.max_by(|one, other| one.0.total_cmp(&other.0));
    let hint = match nearest.filter(|(similar, _)| *similar >= SIMILAR_MIN) {
        Some((_, known)) => format!("fathom explain {known}"),
        None => "fathom explain lists all ids".to_owned(),
    };
    format!(
        "{}; hint: {hint}",
        model::invalid_value(read, "ID", "no id has this name")
    )
}
