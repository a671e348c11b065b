//! The words at the head of a part: its verdict in a line, and three sentences: what was found, what bounds it, how sure
//! that is.
//!
//! A survey and a sweep bring their own answer; that of a single result is composed here. Deliberately absent: any
//! judgement that the reports of the cells do not contain.

use super::curves::Seen;
use super::{PageCounts, PageFinding, PagePart, PanelItem};
use crate::RankLabel;
use crate::findings::commit_answer;
use crate::say;
use crate::verdict::Validity;

/// How many cells of a part there are of each kind. The ranks of a cell on many hosts are one cell, that of rank 0.
pub(super) fn counts(cells: &[Seen<'_>], planned: Option<u64>, part: usize) -> PageCounts {
    let mut counts = PageCounts {
        planned,
        ..PageCounts::default()
    };
    let mut seen_before = std::collections::HashSet::new();
    for seen in cells.iter().filter(|seen| seen.cell.part == part) {
        let rank = RankLabel::of(&seen.row.label).map(|label| label.rank);
        if seen.row.key.is_none() && rank.is_some_and(|rank| rank > 0) {
            continue;
        }
        if seen.cell.failed {
            counts.failed += 1;
            continue;
        }
        counts.done += 1;
        if seen.row.outcome.as_deref() == Some("interrupted") {
            counts.interrupted += 1;
        }
        match seen.cell.validity {
            Some(Validity::Valid) => counts.valid += 1,
            Some(Validity::Caution | Validity::NotChecked) => counts.caution += 1,
            Some(Validity::Invalid) => counts.invalid += 1,
            None => {}
        }
        let request = seen.row.key.clone().unwrap_or_else(|| seen.cell.id.clone());
        if !seen_before.insert(request) {
            counts.repeated += 1;
        }
    }
    counts
}

/// Completes the verdict of a part from its cells.
pub(super) fn complete(part: &mut PagePart, own: &[&Seen<'_>], findings: &[PageFinding]) {
    part.verdict.validity = part.verdict.validity.or_else(|| validity(part.counts, own));
    let answer = part.verdict.sentences.first().cloned();
    let answer = answer.or_else(|| match own {
        [one] if !one.cell.failed => {
            let figures = figures(one);
            match commit(one, findings) {
                Some(commit) => figures.map(|figures| format!("{commit}; {figures}")),
                None => figures,
            }
        }
        _ => best(part),
    });
    if part.verdict.headline.is_empty() {
        let (share, cause) = cause(part, own, answer.as_deref());
        part.verdict.headline = match part.verdict.validity {
            Some(validity) => format!("{}{share}: {cause}", validity.word()),
            None => cause.clone(),
        };
        part.verdict.cause = format!("{cause}{share}");
    }
    let bound = part
        .verdict
        .sentences
        .get(1)
        .cloned()
        .or_else(|| bound(part));
    let sentences = [answer, bound, Some(sureness(part, own))];
    part.verdict.sentences = sentences
        .into_iter()
        .flatten()
        .map(|sentence| as_sentence(&sentence))
        .collect();
}

/// The worst verdict of all, the best of some: as of the rows of a survey.
fn validity(counts: PageCounts, own: &[&Seen<'_>]) -> Option<Validity> {
    let judged = counts.valid + counts.caution + counts.invalid;
    if judged == 0 && counts.failed == 0 {
        return None;
    }
    if let [one] = own
        && one.cell.validity == Some(Validity::NotChecked)
    {
        return one.cell.validity;
    }
    if counts.valid + counts.caution == 0 {
        return (judged > 0 || own.iter().all(|seen| seen.cell.failed))
            .then_some(Validity::Invalid);
    }
    let doubted = counts.caution + counts.invalid + counts.failed > 0;
    Some(if doubted {
        Validity::Caution
    } else {
        Validity::Valid
    })
}

/// How many cells it is of, where not of all, and the cause.
fn cause(part: &PagePart, own: &[&Seen<'_>], answer: Option<&str>) -> (String, String) {
    let what = match own {
        [] => {
            let why = "no result: nothing was measured, or all was deleted";
            return (String::new(), why.to_owned());
        }
        [one] => one.cell.reasons.first().cloned(),
        _ => part
            .verdict
            .validity
            .and_then(|worst| first_reason(own, worst)),
    };
    let what = what.as_deref().or(answer).unwrap_or("no cell may be used");
    let PageCounts {
        done,
        failed,
        valid,
        ..
    } = part.counts;
    let share = match own {
        [_] => String::new(),
        _ if valid == done + failed => String::new(),
        _ => format!(
            " ({} of {} cells)",
            say::count(done + failed - valid),
            say::count(done + failed)
        ),
    };
    (share, what.to_owned())
}

/// The strongest cause in the first result that is as bad as all together, and which result that is.
fn first_reason(own: &[&Seen<'_>], worst: Validity) -> Option<String> {
    if !matches!(worst, Validity::Caution | Validity::Invalid) {
        return None;
    }
    // Too little to check a result by counts as CAUTION of all together.
    let is_worst = |validity: Option<Validity>| {
        validity == Some(worst)
            || worst == Validity::Caution && validity == Some(Validity::NotChecked)
    };
    let mut of_worst = own.iter().filter(|seen| is_worst(seen.cell.validity));
    of_worst.find_map(|seen| {
        let reason = seen.cell.reasons.first()?;
        Some(format!("{reason} ({}: {})", seen.cell.id, seen.workload()))
    })
}

/// The latency of a commit, where it is the answer and not that of the write.
fn commit(seen: &Seen<'_>, findings: &[PageFinding]) -> Option<String> {
    let mean = seen.row.total.latency.mean.map(|mean| mean.0 as f64);
    let mut own = findings
        .iter()
        .filter(|one| one.cells.contains(&seen.place));
    own.find_map(|found| commit_answer(found.id, &found.evidence, mean))
}

/// `20.6k IOPS and 80.4 MiB/s; half of all I/Os within 46 µs, 99% within 90 µs`.
fn figures(seen: &Seen<'_>) -> Option<String> {
    let rate = seen.cell.iops_estimate?;
    let latency = &seen.row.total.latency;
    let mut text = format!(
        "{} IOPS and {} MiB/s, {}",
        say::rate(rate.value),
        say::mib_per_s(seen.bytes_per_s()),
        seen.workload()
    );
    let within = [(0.5, "half of them"), (0.99, "99%")];
    let within = within.iter().filter_map(|(quantile, words)| {
        let time = latency.at(*quantile)?;
        Some(format!("{words} within {}", say::time(time.0 as f64)))
    });
    let within: Vec<String> = within.collect();
    if !within.is_empty() {
        text.push_str("; ");
        text.push_str(&within.join(", "));
    }
    Some(text)
}

/// From the panel, for sessions that bring no answer of their own.
fn best(part: &PagePart) -> Option<String> {
    let find = |id: &str| part.panel.iter().find(|item| item.id == id);
    let rate = find("peak_rate")?;
    let bytes = find("peak_bytes")?;
    Some(format!(
        "up to {} IOPS ({}) and {} MiB/s ({})",
        say::rate(rate.estimate?.value),
        rate.note,
        say::mib_per_s(bytes.estimate?.value),
        bytes.note
    ))
}

/// What bounds it, as far as the cells show it.
fn bound(part: &PagePart) -> Option<String> {
    let find = |id: &str| part.panel.iter().find(|item| item.id == id);
    let limit = find("limit").and_then(|item: &PanelItem| {
        let what = item.text.as_ref()?;
        let of = match what.contains(", ") {
            true => " (differs by workload)",
            false => "",
        };
        Some(format!("limited by {what}{of}: {}", item.note))
    });
    let knee = find("knee").and_then(|item| match item.estimate {
        Some(knee) => Some(format!(
            "more than {} in flight cost latency and bring little: the knee is at {}",
            say::counted(knee.value.round() as u64, "I/O"),
            item.note
        )),
        None => item
            .note
            .strip_prefix("not reached: ")
            .map(|why| format!("no knee was reached: {why}")),
    });
    limit.or(knee)
}

fn sureness(part: &PagePart, own: &[&Seen<'_>]) -> String {
    let counts = part.counts;
    match own {
        [] => "there is nothing to be sure of".to_owned(),
        [one] if one.cell.validity == Some(Validity::Valid) => {
            "no finding objects to this result".to_owned()
        }
        [one] => match one.cell.reasons.as_slice() {
            [] => "the source does not show how reliable these figures are".to_owned(),
            [_] => "no other finding objects to it".to_owned(),
            [_, others @ ..] => format!("also: {}", others.join("; ")), // the first stands in the headline
        },
        _ if counts.valid + counts.caution + counts.invalid == 0 && counts.failed == 0 => {
            "the source does not show how reliable these figures are".to_owned()
        }
        _ => {
            let kinds = [
                (counts.valid, "valid"),
                (counts.caution, "CAUTION"),
                (counts.invalid, "invalid"),
                (counts.failed, "without a result"),
            ];
            let kinds: Vec<String> = kinds
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| format!("{} {word}", say::count(*count)))
                .collect();
            let all = say::counted(counts.done + counts.failed, "cell");
            format!("of {all} {}", kinds.join(", "))
        }
    }
}

/// With a capital and a full stop.
fn as_sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{}{}{end}", first.unwrap_or_default(), letters.as_str())
}

/// `fathom survey of /data/fathom.dat`; `12, 13 and 14 side by side`.
pub(super) fn title(parts: &[PagePart]) -> String {
    match parts {
        [] => "nothing".to_owned(),
        [one] => match one.target.as_str() {
            "" => format!("{} {}", one.kind, one.name),
            target => format!("{} {} of {target}", one.kind, one.name),
        },
        [before @ .., last] => {
            let names: Vec<&str> = before.iter().map(|part| part.name.as_str()).collect();
            format!("{} and {} side by side", names.join(", "), last.name)
        }
    }
}
