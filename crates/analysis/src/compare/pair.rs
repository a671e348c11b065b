//! Which results of both sides are of the same work.
//!
//! A field distinguishes cells if it varies within one side; a field that is the same throughout A and the same throughout
//! B does not, and is reported as a difference instead. So two runs are compared of any kind, and of a sweep only
//! those that the other side has too. What is the same in all of these is a repeat. Deliberately absent: figures.

use super::compared::Compared;
use crate::columns::{Unit, Value, column};
use crate::say;
use model::{Origin, ResultRow};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// What was asked: never taken for repeats of each other.
pub(super) const WORK: [&str; 9] = [
    "block_bytes",
    "queue_depth",
    "threads",
    "write_percent",
    "pattern",
    "random_percent",
    "cache",
    "write_through",
    "target_iops",
];
/// Where and by what: distinguishes cells only where both sides have the same of it.
pub(super) const PLACE: [&str; 5] = ["size_bytes", "engine", "target", "tool", "host"];
/// What a sweep varied other than the fields of a line.
const LABEL: &str = "label";

/// One cell of both.
#[derive(Clone, Debug)]
pub(super) struct Pair<'a> {
    pub(super) values: Vec<(&'static str, String)>,
    pub(super) a: Vec<&'a Compared>,
    pub(super) b: Vec<&'a Compared>,
}

/// What belongs together, and what does not.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs<'a> {
    /// The fields that distinguish cells.
    pub(super) fields: Vec<&'static str>,
    pub(super) cells: Vec<Pair<'a>>,
    pub(super) only_a: Vec<&'a Compared>,
    pub(super) only_b: Vec<&'a Compared>,
    /// What a person should know of it.
    pub(super) notes: Vec<String>,
}

/// Puts them together, in the order of what distinguishes them.
pub(super) fn pairs<'a>(a: &'a [Compared], b: &'a [Compared]) -> Pairs<'a> {
    let mut fields = fields(a, b);
    if unclear(&grouped(a, &fields), LABEL) || unclear(&grouped(b, &fields), LABEL) {
        let shared = |side: &[Compared]| side.iter().map(label).collect::<BTreeSet<_>>();
        if !shared(a).is_disjoint(&shared(b)) {
            fields.push(LABEL);
        }
    }
    let mut pairs = Pairs {
        fields,
        ..Pairs::default()
    };
    let (mut left, mut right) = (grouped(a, &pairs.fields), grouped(b, &pairs.fields));
    adopt_missing(a, b, &mut left, &mut right);
    for (values, of_a) in left {
        let at = right.iter().position(|(other, _)| *other == values);
        match at.map(|at| right.remove(at).1) {
            Some(of_b) => pairs.cells.push(Pair {
                values: pairs.fields.iter().copied().zip(values).collect(),
                a: of_a,
                b: of_b,
            }),
            None => pairs.only_a.extend(of_a),
        }
    }
    pairs
        .only_b
        .extend(right.into_iter().flat_map(|(_, of_b)| of_b));
    drop_unclear(&mut pairs);
    let fields = pairs.fields.clone();
    pairs.cells.sort_by(|one, other| order(&fields, one, other)); // stable: else as in A
    pairs
}

/// Numbers by size, words as in a dictionary; cells without a result on either side last.
fn order(fields: &[&str], one: &Pair<'_>, other: &Pair<'_>) -> Ordering {
    fn row<'a>(pair: &Pair<'a>) -> Option<&'a ResultRow> {
        let mut results = pair.a.iter().chain(&pair.b);
        results
            .find(|one| one.row.origin != Origin::Missing)
            .map(|one| &one.row)
    }
    let (Some(one), Some(other)) = (row(one), row(other)) else {
        return Ordering::Equal;
    };
    let orders = fields.iter().filter_map(|field| column(field));
    let mut orders = orders.map(|field| (field.read)(one).order(&(field.read)(other)));
    orders
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

type Groups<'a> = Vec<(Vec<String>, Vec<&'a Compared>)>;

/// The fields that vary within a side and are known on both.
fn fields(a: &[Compared], b: &[Compared]) -> Vec<&'static str> {
    let known = |side: &[Compared], field: &str| {
        let rows = side.iter().filter(|one| one.row.origin != Origin::Missing);
        rows.filter_map(|one| text(&one.row, field))
            .collect::<BTreeSet<String>>()
    };
    let mut found = Vec::new();
    for field in WORK {
        let (left, right) = (known(a, field), known(b, field));
        if (left.len() > 1 || right.len() > 1) && !left.is_empty() && !right.is_empty() {
            found.push(field);
        }
    }
    for field in PLACE {
        let (left, right) = (known(a, field), known(b, field));
        // What follows from the other fields, as the whole blocks of a range do, distinguishes nothing.
        let splits = || unclear(&grouped(a, &found), field) || unclear(&grouped(b, &found), field);
        if left.len() > 1 && right.len() > 1 && !left.is_disjoint(&right) && splits() {
            found.push(field);
        }
    }
    found
}

/// By their values of the fields, in the order met. Results that are missing have no fields.
fn grouped<'a>(side: &'a [Compared], fields: &[&str]) -> Groups<'a> {
    let mut places: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut groups: Groups<'a> = Vec::new();
    for one in side.iter().filter(|one| one.row.origin != Origin::Missing) {
        let value = |field: &&str| match *field {
            LABEL => label(one),
            field => text(&one.row, field).unwrap_or_else(|| "-".to_owned()),
        };
        let values: Vec<String> = fields.iter().map(value).collect();
        let place = *places.entry(values.clone()).or_insert(groups.len());
        if place == groups.len() {
            groups.push((values, Vec::new()));
        }
        groups[place].1.push(one);
    }
    groups
}

/// A cell without a result goes where results of the same label are, on either side; else to no cell.
fn adopt_missing<'a>(
    a: &'a [Compared],
    b: &'a [Compared],
    left: &mut Groups<'a>,
    right: &mut Groups<'a>,
) {
    for (side, own_is_left) in [(a, true), (b, false)] {
        for one in side.iter().filter(|one| one.row.origin == Origin::Missing) {
            let same = |groups: &Groups<'a>| {
                let of_label = |(_, group): &&(Vec<String>, Vec<&Compared>)| {
                    group.iter().any(|other| label(other) == label(one))
                };
                groups
                    .iter()
                    .find(of_label)
                    .map(|(values, _)| values.clone())
            };
            let values = same(left).or_else(|| same(right));
            let values = values.unwrap_or_else(|| vec![one.row.name()]);
            let own = if own_is_left { &mut *left } else { &mut *right };
            match own.iter_mut().find(|(known, _)| *known == values) {
                Some((_, group)) => group.push(one),
                None => own.push((values, vec![one])),
            }
        }
    }
}

fn unclear(groups: &Groups<'_>, field: &str) -> bool {
    groups
        .iter()
        .any(|(_, group)| differing(group, field).is_some())
}

/// Two results of a group that differ in a field.
fn differing<'a>(group: &[&'a Compared], field: &str) -> Option<(&'a Compared, &'a Compared)> {
    let of = |one: &Compared| match field {
        LABEL if one.row.kind == "sweep" => Some(label(one)),
        LABEL => None,
        field => text(&one.row, field),
    };
    let some = || group.iter().filter(|one| one.row.origin != Origin::Missing);
    let first = some().find(|one| of(one).is_some())?;
    let other = some().find(|one| of(one).is_some_and(|value| Some(value) != of(first)))?;
    Some((*first, *other))
}

/// What would be taken for repeats and is none.
fn drop_unclear(pairs: &mut Pairs<'_>) {
    let mut reported: BTreeSet<&str> = BTreeSet::new();
    let fields = WORK.into_iter().chain([LABEL]);
    let fields: Vec<&str> = fields
        .filter(|field| !pairs.fields.contains(field))
        .collect();
    let notes = &mut pairs.notes;
    pairs.cells.retain(|cell| {
        for field in &fields {
            for (side, other, group) in [("A", "B", &cell.a), ("B", "A", &cell.b)] {
                let Some((one, two)) = differing(group, field) else { continue };
                if reported.insert(field) {
                    notes.push(format!(
                        "omitted: {} and {} of {side} differ in {field}, which {other} does not distinguish: specify the results \
                         that are meant",
                        one.row.name(), two.row.name()
                    ));
                }
                return false;
            }
        }
        true
    });
    for field in PLACE
        .into_iter()
        .filter(|field| !pairs.fields.contains(field))
    {
        for (side, of) in [("A", true), ("B", false)] {
            let found = pairs
                .cells
                .iter()
                .find_map(|cell| differing(if of { &cell.a } else { &cell.b }, field));
            if let Some((one, two)) = found {
                notes.push(format!(
                    "{} and {} of {side} are taken for repeats, though they differ in {field}",
                    one.row.name(),
                    two.row.name()
                ));
            }
        }
    }
}

/// What a result is called, without which repeat it is.
pub(super) fn label(one: &Compared) -> String {
    let label = &one.row.label;
    match label.rsplit_once(" #") {
        Some((cell, repeat)) if repeat.bytes().all(|byte| byte.is_ascii_digit()) => cell.to_owned(),
        _ => label.clone(),
    }
}

/// A field of a row in words; none where it is not known.
pub(super) fn text(row: &ResultRow, field: &str) -> Option<String> {
    let column = column(field)?;
    Some(match ((column.read)(row), column.unit) {
        (Value::Nothing, _) => return None,
        (Value::Whole(bytes), Unit::Size) => say::bytes(bytes),
        (Value::Whole(percent), Unit::Percent) => format!("{percent}%"),
        (Value::Whole(number), _) => number.to_string(),
        (Value::Real(number), _) => say::rate(number),
        (Value::Truth(is), _) => if is { "yes" } else { "no" }.to_owned(),
        (Value::Text(text), _) => text.into(),
        (Value::Tags(tags), _) => tags.join(" "),
        (Value::Name(session, number), _) => format!("{session}.{number}"),
    })
}
