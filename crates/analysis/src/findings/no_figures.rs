//! Another tool printed no figure: the result is unknown, not zero.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Seen, Several, Severity, finding};
use crate::observed::Observed;
use crate::say;
use model::ImportFormat;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("no-figures"),
    group: Group::Samples,
    cause: Cause::Alone,
    limit: None,
    what: "The tool printed no figure: the result is unknown, not zero.",
    method: "An imported run without count, rate, bytes and latency. bonnie++ prints `+++++` for tests shorter than half a second.",
    evidence: &["runs_without_figures"],
    source: "bonnie++(8).",
    advice: "Increase the work until it takes seconds: more files with bonnie++'s -n.",
    look: Look::Both(look, look_at_all),
};

const ADVICE: &str = "increase the work until it takes seconds: with bonnie++ more files (-n)";

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen.imported?;
    if !is_empty(seen.observed) {
        return None;
    }
    let why = match run.format {
        ImportFormat::BonnieText => ": too short to be timed (+++++)",
        _ => ": the text contains no figure",
    };
    let what = run.name.as_deref().unwrap_or("this run");
    Some(finding(
        RULE.id,
        Severity::Warning,
        format!("{what}: not measured{why}"),
        &[],
        ADVICE,
    ))
}

fn look_at_all(several: &Several<'_>) -> Option<Finding> {
    let empty = several.runs.iter().filter(|run| is_empty(run)).count();
    (empty > 0).then(|| {
        finding(
            RULE.id,
            Severity::Warning,
            format!(
                "{} of {} not measured: too short to time, or no figure in the text; the result is unknown, not zero",
                say::count(empty as u64),
                say::counted(several.runs.len() as u64, "run")
            ),
            &[("runs_without_figures", empty as f64)],
            ADVICE,
        )
    })
}

fn is_empty(run: &Observed) -> bool {
    let total = &run.total;
    let figures = [total.iops, total.bytes_per_s, total.mean_ns, total.max_ns];
    total.ios.is_none() && figures.iter().all(Option::is_none)
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported, several};
    use crate::known::Known;
    use crate::observed::Observed;
    use model::{ImportFormat, ImportedFigures};

    #[test]
    fn what_was_not_timed_is_said_to_be_not_measured() {
        let mut run = imported();
        assert_eq!(reported(&run, "no-figures"), None);
        run.figures = ImportedFigures::default();
        run.format = ImportFormat::BonnieText;
        run.name = Some("sequential creates".to_owned());
        assert_eq!(
            reported(&run, "no-figures").unwrap().sentence,
            "sequential creates: not measured: too short to be timed (+++++)"
        );
        let all = [
            Observed::of_imported(&run),
            Observed::of_imported(&imported()),
        ];
        let reported = several(&all, &Known::default(), "no-figures")
            .unwrap()
            .sentence;
        assert!(
            reported.starts_with("1 of 2 runs not measured"),
            "{reported}"
        );
    }
}
