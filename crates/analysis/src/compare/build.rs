//! Two sides → the report.

use super::answer::{answer, answer_of_cells};
use super::between::Between;
use super::change::{Change, OUTSIDE, level_of_family};
use super::compared::Compared;
use super::figure::{Figure, JudgedCell, of_cell, over};
use super::pair::{PLACE, Pair, Pairs, WORK, pairs, text};
use super::shared_limit::shared_limit;
use super::versions;
use super::workloads::{WORKLOAD, peaks};
use super::{
    BetweenRuns, CellChange, CellCounts, ChangeReport, CompareReport, Condition, Difference,
    Outcome, Side, SideReport, Unmatched,
};
use crate::columns::short;
use crate::verdict::Validity;
use crate::{FieldValue, say};
use model::{Origin, ResultRow};
use std::collections::BTreeMap;

/// So many values of a fact are reported.
const VALUES_MAX: usize = 3;

/// Compares B with A. Never fails: where they have nothing in common, `cells` is empty and the notes list what each
/// has.
pub fn compare_report(a: &Side, b: &Side, conditions: &[Condition]) -> CompareReport {
    compare_with_history(a, b, conditions, &[])
}

/// The same with earlier results, in the order in which they ran: those of the same work on the same target show how far one
/// run is from the next.
pub fn compare_with_history(
    a: &Side,
    b: &Side,
    conditions: &[Condition],
    history: &[ResultRow],
) -> CompareReport {
    let pairs = pairs(&a.results, &b.results);
    let peaks = peaks(&a.results, &b.results);
    let (figures, from) = figures_of(&pairs.cells, history);
    let overall = over(&figures);
    let differences = differences(&pairs);
    let blocks_differ = differences.iter().any(|one| one.what == "block_bytes");
    let main = if blocks_differ { "bytes_per_s" } else { "iops" };
    let with_figures = figures.iter().filter(|figures| !figures.is_empty()).count();
    let (judged, shared) = judged_all(&pairs.cells, figures, main);
    let (judged_peaks, shared_peaks) = judged_all(&peaks, figures_of(&peaks, history).0, main);
    let cell_counts = counts(&judged, main, shared);
    let (verdict, mut line) = match (judged_peaks.len(), with_figures) {
        (0, 0 | 1) => answer(&overall, main),
        (0, _) => answer_of_cells(&judged, main, shared, cell_counts, "cell"),
        _ => {
            let counts = counts(&judged_peaks, main, shared_peaks);
            answer_of_cells(&judged_peaks, main, shared_peaks, counts, "workload")
        }
    };
    let work: Vec<String> = differences
        .iter()
        .filter(|one| one.of_work)
        .map(in_words)
        .collect();
    if !work.is_empty() {
        line.push_str(&format!("; the work differs: {}", work.join(", ")));
    }
    if let Some(unsound) = unsound(&pairs) {
        line.push_str(&format!("; {unsound}"));
    }
    let most = judged.iter().filter_map(|cell| above(cell, main));
    let most = most.fold(None, |most: Option<f64>, one| {
        Some(most.map_or(one, |most| most.max(one)))
    });
    CompareReport {
        answer: line,
        verdict,
        no_difference_above_share: most,
        between_runs: from,
        a: side(a),
        b: side(b),
        overall: overall
            .iter()
            .map(|figure| change(figure, OUTSIDE))
            .collect(),
        cell_counts,
        workloads: changes(&peaks, &judged_peaks, shared_peaks),
        fields: pairs.fields.iter().map(|&field| field.to_owned()).collect(),
        differences,
        unmatched: Unmatched {
            only_a: names(&pairs.only_a),
            only_b: names(&pairs.only_b),
        },
        notes: notes(a, b, &pairs, from),
        conditions: conditions
            .iter()
            .map(|one| one.judge(&judged, &overall))
            .collect(),
        cells: changes(&pairs.cells, &judged, shared),
    }
}

/// The figures of each cell, and from where it is known how far one run is from the next.
fn figures_of(cells: &[Pair<'_>], history: &[ResultRow]) -> (Vec<Vec<Figure>>, BetweenRuns) {
    let mut from = None;
    let figures = cells.iter().map(|cell| {
        let between = Between::of(&cell.a, &cell.b, history);
        from = from.max(Some(between.from));
        of_cell(cell, &between)
    });
    (figures.collect(), from.unwrap_or(BetweenRuns::Unknown))
}

/// Judges cells, and returns the level at which a change is significant in so many of them.
fn judged_all(cells: &[Pair<'_>], figures: Vec<Vec<Figure>>, main: &str) -> (Vec<JudgedCell>, f64) {
    let shared = level_of_family(&family(&figures, main));
    let cells = cells.iter().zip(figures);
    let cells = cells.map(|(pair, figures)| judged(pair, figures));
    (cells.collect(), shared)
}

fn changes(cells: &[Pair<'_>], judged: &[JudgedCell], outside: f64) -> Vec<CellChange> {
    let cells = cells.iter().zip(judged);
    cells
        .map(|(pair, judged)| cell(pair, judged, outside))
        .collect()
}

/// One figure of every cell that has it.
fn family(cells: &[Vec<Figure>], metric: &str) -> Vec<Change> {
    let of = |figures: &Vec<Figure>| {
        let mut figures = figures.iter();
        figures.find(|figure| figure.metric.name == metric)?.change
    };
    cells.iter().filter_map(of).collect()
}

/// The largest change that the interval of a cell without a difference contains.
fn above(cell: &JudgedCell, main: &str) -> Option<f64> {
    let mut figures = cell.figures.iter();
    let change = figures.find(|figure| figure.metric.name == main)?.change?;
    let is_none = change.outcome(OUTSIDE, true) == Outcome::NoDifference;
    change.at_most(OUTSIDE).filter(|_| is_none)
}

fn names(results: &[&Compared]) -> Vec<String> {
    results.iter().map(|one| one.row.name()).collect()
}

fn judged(pair: &Pair<'_>, figures: Vec<Figure>) -> JudgedCell {
    let both = [("A", &pair.a), ("B", &pair.b)];
    let doubt = both.into_iter().find_map(|(side, results)| {
        let worst = results.iter().max_by_key(|one| one.validity)?;
        let word = worst
            .validity
            .filter(|validity| *validity >= Validity::Caution)?
            .word();
        let why = worst.reason.as_deref().unwrap_or_default();
        Some(format!("{side} is {word}: {why}"))
    });
    JudgedCell {
        name: name(pair),
        figures,
        doubt,
        is_void: is_void(pair),
    }
}

/// Whether a side does not measure what was requested. Where both have a cause in common, the same limit or one busy processor,
/// they are still compared with each other.
fn is_void(pair: &Pair<'_>) -> bool {
    let both = [&pair.a, &pair.b];
    let invalid = |one: &&Compared| one.validity == Some(Validity::Invalid);
    let [a, b] = both.map(|side| {
        let invalid = side.iter().copied().filter(invalid);
        invalid.flat_map(|one| &one.causes).collect::<Vec<_>>()
    });
    let any = both
        .iter()
        .any(|side| side.iter().copied().any(|one| invalid(&one)));
    any && !a.iter().any(|cause| b.contains(cause))
}

fn name(pair: &Pair<'_>) -> String {
    let values: Vec<String> = pair
        .values
        .iter()
        .map(|(field, value)| match *field {
            WORKLOAD => value.clone(),
            field => format!("{}={value}", short(field)),
        })
        .collect();
    values.join(" ")
}

fn side(side: &Side) -> SideReport {
    let rows = side.results.iter().map(|one| &one.row);
    let mut parts: Vec<String> = Vec::new();
    for field in ["kind", "tool", "host", "target"] {
        let mut known: Vec<String> = Vec::new();
        for value in rows.clone().filter_map(|row| text(row, field)) {
            if !known.contains(&value) {
                known.push(value);
            }
        }
        parts.extend(listed(&known));
    }
    if let [one] = side.results.as_slice()
        && !one.row.label.is_empty()
    {
        parts.push(one.row.label.clone());
    }
    SideReport {
        name: side.name.clone(),
        results: side.results.len() as u64,
        what: parts.join(", "),
    }
}

fn change(figure: &Figure, outside: f64) -> ChangeReport {
    ChangeReport {
        metric: figure.metric.name.to_owned(),
        short: figure.metric.short(),
        a: figure.a,
        b: figure.b,
        ratio: figure.change.map(|change| change.ratio()),
        differs: figure.change.and_then(|change| change.differs(outside)),
        outcome: outcome(figure, outside),
        at_most_share: figure.change.and_then(|change| change.at_most(OUTSIDE)),
        minimum_detectable_share: figure
            .change
            .and_then(|change| change.minimum_detectable_share()),
        cannot: figure.cannot.clone(),
        cells: figure.cells,
    }
}

fn outcome(figure: &Figure, outside: f64) -> Outcome {
    let more_is_better = figure.metric.more_is_better();
    match figure.change {
        Some(change) => change.outcome(outside, more_is_better),
        None if figure.a > 0.0 && more_is_better => Outcome::Slower, // it fell to 0
        None => Outcome::Inconclusive,
    }
}

fn cell(pair: &Pair<'_>, judged: &JudgedCell, outside: f64) -> CellChange {
    let names = |results: &[&Compared]| results.iter().map(|one| one.row.name()).collect();
    let reason = |(side, results): (&str, &Vec<&Compared>)| {
        let all = results.iter().all(|one| one.row.origin == Origin::Missing);
        let first = results.first().filter(|_| all)?;
        Some(format!(
            "{side} has none: {}",
            first.row.reason.clone().unwrap_or_default()
        ))
    };
    CellChange {
        values: pair
            .values
            .iter()
            .map(|(field, value)| FieldValue {
                field: (*field).to_owned(),
                value: value.clone(),
            })
            .collect(),
        a: names(&pair.a),
        b: names(&pair.b),
        doubt: judged.doubt.clone(),
        changes: judged
            .figures
            .iter()
            .map(|figure| change(figure, outside))
            .collect(),
        missing: [("A", &pair.a), ("B", &pair.b)]
            .into_iter()
            .find_map(reason),
    }
}

fn counts(cells: &[JudgedCell], main: &str, outside: f64) -> CellCounts {
    let mut counts = CellCounts {
        paired: cells.len() as u64,
        ..CellCounts::default()
    };
    for JudgedCell { figures, .. } in cells {
        let mine = figures.iter().find(|figure| figure.metric.name == main);
        let outcome = mine.map_or(Outcome::Inconclusive, |figure| outcome(figure, outside));
        *match outcome {
            Outcome::Faster => &mut counts.faster,
            Outcome::Slower => &mut counts.slower,
            Outcome::NoDifference => &mut counts.no_difference,
            Outcome::Inconclusive => &mut counts.inconclusive,
        } += 1;
    }
    counts
}

/// What is not the same throughout both sides and distinguishes no cells; of the results that were compared.
fn differences(pairs: &Pairs<'_>) -> Vec<Difference> {
    let sides: [Vec<&Compared>; 2] = [
        pairs
            .cells
            .iter()
            .flat_map(|cell| cell.a.iter().copied())
            .filter(present)
            .collect(),
        pairs
            .cells
            .iter()
            .flat_map(|cell| cell.b.iter().copied())
            .filter(present)
            .collect(),
    ];
    let fields = WORK.iter().chain(&PLACE).chain(&["tool_version"]);
    let fields =
        fields.filter(|field| !pairs.fields.contains(field) && **field != "random_percent");
    let mut found: Vec<Difference> = fields
        .filter_map(|field| {
            let [a, b] =
                [0, 1].map(|at| values(sides[at].iter().filter_map(|one| text(&one.row, field))));
            difference(field, &a, &b, WORK.contains(field))
        })
        .collect();
    found.extend(durations(&sides));
    let facts = sides.iter().flatten().flat_map(|one| &one.facts);
    let names: Vec<&'static str> = model::distinct(facts.map(|(name, _)| *name));
    let reported: Vec<String> = found.iter().map(|one| one.what.clone()).collect();
    let already = |name: &&str| {
        reported.iter().any(|what| what == name)
            || (*name == "fathom" && reported.iter().any(|w| w == "tool_version"))
    };
    found.extend(
        names
            .into_iter()
            .filter(|name| !already(name))
            .filter_map(|name| {
                let of = |side: &Vec<&Compared>| {
                    let facts = side
                        .iter()
                        .flat_map(|one| &one.facts)
                        .filter(|(fact, _)| *fact == name);
                    values(facts.map(|(_, value)| value.clone()))
                };
                difference(name, &of(&sides[0]), &of(&sides[1]), false)
            }),
    );
    found.sort_by_key(|one| !one.of_work); // stable
    found
}

fn present(one: &&Compared) -> bool {
    one.row.origin != Origin::Missing
}

/// How long was counted, where that is more than a twentieth apart.
fn durations(sides: &[Vec<&Compared>; 2]) -> Option<Difference> {
    let mean = |side: &Vec<&Compared>| {
        let known: Vec<f64> = side
            .iter()
            .filter_map(|one| Some(one.row.measured?.0 as f64))
            .collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    let (a, b) = (mean(&sides[0])?, mean(&sides[1])?);
    let apart = (a / b).max(b / a) > 1.05;
    apart.then(|| Difference {
        what: "measured time".to_owned(),
        a: say::time(a.round()),
        b: say::time(b.round()),
        of_work: false,
    })
}

/// Each once, in order.
fn values(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = all.collect();
    found.sort();
    found.dedup();
    found
}

/// None where they are identical, and if one side does not report it.
fn difference(what: &str, a: &[String], b: &[String], of_work: bool) -> Option<Difference> {
    let (of_a, of_b) = (listed(a)?, listed(b)?);
    (a != b).then_some(Difference {
        what: what.to_owned(),
        a: of_a,
        b: of_b,
        of_work,
    })
}

fn listed(values: &[String]) -> Option<String> {
    let more = values.len().saturating_sub(VALUES_MAX);
    let shown = values[..values.len() - more].join(" and ");
    match (values.len(), more) {
        (0, _) => None,
        (_, 0) => Some(shown),
        _ => Some(format!("{shown} and {more} more")),
    }
}

fn in_words(one: &Difference) -> String {
    format!("{} {} in A, {} in B", one.words(), one.a, one.b)
}

/// What may not be used as it is: the worst verdict of each side, with the first result that has it.
fn unsound(pairs: &Pairs<'_>) -> Option<String> {
    let of = |name: &str, results: Vec<&Compared>| {
        let worst = results.iter().filter_map(|one| one.validity).max();
        let worst = worst.filter(|validity| *validity >= Validity::Caution)?;
        let mut mine = results.iter().filter(|one| one.validity == Some(worst));
        let first = mine.next()?;
        let more = mine.count();
        let why = first.reason.clone().unwrap_or_default();
        let word = worst.word();
        Some(match results.len() {
            1 => format!("{name} is {word}: {why}"),
            all => format!(
                "{name} has {} of {all} results {word}, first {}: {why}",
                more + 1,
                first.row.name()
            ),
        })
    };
    let a = pairs.cells.iter().flat_map(|cell| cell.a.iter().copied());
    let b = pairs.cells.iter().flat_map(|cell| cell.b.iter().copied());
    let (a, b): (Vec<_>, Vec<_>) = (a.collect(), b.collect());
    if let ([one], [other]) = (a.as_slice(), b.as_slice())
        && one.validity == other.validity
        && one
            .causes
            .first()
            .is_some_and(|cause| other.causes.first() == Some(cause))
    {
        let word = one
            .validity
            .filter(|validity| *validity >= Validity::Caution)?
            .word();
        let why = one.reason.clone().unwrap_or_default();
        return Some(format!("both are {word} for one cause: {why}"));
    }
    let both = [of("A", a), of("B", b)];
    let both: Vec<String> = both.into_iter().flatten().collect();
    (!both.is_empty()).then(|| format!("but {}", both.join("; ")))
}

/// Two results that read the same blocks: a cache may have what the first one read.
fn equal_seeds(pairs: &Pairs<'_>) -> Option<String> {
    let mut found = pairs.cells.iter().filter_map(|cell| {
        let mut of_seed: BTreeMap<(u64, Option<String>), String> = BTreeMap::new();
        cell.a.iter().chain(&cell.b).find_map(|one| {
            let (seed, name) = (one.seed?, one.row.name());
            let first = of_seed.entry((seed, text(&one.row, "target")));
            let first = first.or_insert_with(|| name.clone());
            (*first != name).then(|| (first.clone(), name, seed))
        })
    });
    let (one, other, seed) = found.next()?;
    let more = found.count();
    let more = if more > 0 {
        format!(", and {more} more pairs")
    } else {
        String::new()
    };
    Some(format!(
        "{one} and {other} have the same seed {seed} on one target{more}: they used the same blocks, which a cache may \
         contain; hint: repeat without --seed"
    ))
}

fn notes(a: &Side, b: &Side, pairs: &Pairs<'_>, from: BetweenRuns) -> Vec<String> {
    let mut notes = pairs.notes.clone();
    notes.extend(equal_seeds(pairs));
    notes.extend(versions::notes(&a.results, &b.results));
    match from {
        BetweenRuns::Repeats => {}
        _ if pairs.cells.is_empty() => {}
        BetweenRuns::History => notes.push(
            "how far one run is from the next is that of earlier results of the same work on this target".to_owned(),
        ),
        BetweenRuns::Unknown => notes.push(
            "how far one run is from the next is not known: the intervals are of these runs only; hint: repeat both".to_owned(),
        ),
    }
    notes.extend(shared_limit(pairs));
    if pairs.cells.is_empty() {
        let has = |side: &Side| {
            let all = |field| {
                let of = side.results.iter().filter_map(|one| text(&one.row, field));
                listed(&values(of)).map(|listed| format!("{field} {listed}"))
            };
            let parts: Vec<String> = WORK.iter().filter_map(|field| all(field)).collect();
            parts.join(", ")
        };
        notes.push(format!("A has {}", has(a)));
        notes.push(format!("B has {}", has(b)));
    }
    for (side, alone) in [("A", &pairs.only_a), ("B", &pairs.only_b)] {
        if let Some(first) = alone.first().filter(|_| !pairs.cells.is_empty()) {
            let label = if first.row.label.is_empty() {
                String::new()
            } else {
                format!(" ({})", first.row.label)
            };
            notes.push(format!(
                "only in {side}: {}, first {}{label}",
                say::counted(alone.len() as u64, "result"),
                first.row.name()
            ));
        }
    }
    for (name, side) in [("A", a), ("B", b)] {
        let imported = side
            .results
            .iter()
            .any(|one| one.row.origin == Origin::Imported);
        if imported {
            notes.push(format!(
                "{name} was imported: of its machine, mount and device nothing is known"
            ));
        }
    }
    notes
}
