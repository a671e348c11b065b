//! dd copied from the kernel's random numbers, which take processor time: the copy is no faster than they are generated.
//!
//! Omitted: copies from one disk to another, of which dd does not print who was slower.

use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::say;
use model::ImportFormat;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("source-bound"),
    group: Group::Cpu,
    cause: Cause::Processor,
    limit: None,
    what: "The data came from /dev/urandom or /dev/random, whose speed may have been the limit.",
    method: "dd's command line reads /dev/urandom or /dev/random, and the copy was slower than 700 MB/s, more than one core makes.",
    evidence: &["bytes_per_s"],
    source: "random(4); the kernel's drivers/char/random.c: ChaCha20 in the reading process since 4.8, SHA-1 before.",
    advice: "Write incompressible data that exists already, or use a generator such as fathom or fio.",
    look: Look::Any(look),
};

const GENERATED_BYTES_PER_S_MAX: f64 = 700e6;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen
        .imported
        .filter(|run| run.format == ImportFormat::DdText)?;
    let mut words = run.command.as_deref()?.split_whitespace();
    let is_random = |word: &str| ["if=/dev/urandom", "if=/dev/random"].contains(&word);
    let source = words
        .find(|word| is_random(word))?
        .trim_start_matches("if=");
    let moved = seen.observed.total.bytes_per_s;
    let moved = moved.filter(|moved| *moved < GENERATED_BYTES_PER_S_MAX)?;
    let sentence = format!(
        "the data came from {source}, which one core makes at a few hundred MB/s or less: {} MiB/s may be its speed",
        say::mib_per_s(moved)
    );
    let advice = "time dd from the same source to /dev/null: the same speed means that the source was the limit";
    let reported = finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &[("bytes_per_s", moved)],
        advice,
    );
    Some(reported.sure(Confidence::Medium))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::ImportFormat;

    #[test]
    fn a_copy_of_random_numbers_is_doubted_and_one_of_a_file_is_not() {
        let mut run = imported();
        run.format = ImportFormat::DdText;
        run.figures.total.bytes_per_s = Some(12.6e6);
        for (source, is_reported) in [("/dev/urandom", true), ("/data/random", false)] {
            run.command = Some(format!("dd if={source} of=/data/t bs=1M"));
            let found = reported(&run, "source-bound");
            assert_eq!(found.is_some(), is_reported, "{source}");
        }
    }
}
