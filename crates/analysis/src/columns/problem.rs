//! What is wrong with a filter or a list of fields. A name that fields had in earlier versions, or have in other tools, is refused
//! with the name of the field.

use super::{Column, columns};
use std::fmt;

/// What is wrong with a filter or a list of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A field that there is not.
    Field {
        /// As it was given.
        read: String,
        /// The fields with the most similar names, the most similar first.
        near: Vec<&'static str>,
        /// What a field that had this name is called now.
        renamed: Option<String>,
    },
    /// A value that the field does not take.
    Value {
        /// Which.
        field: &'static str,
        /// As it was given.
        read: String,
        /// One sentence on what is accepted.
        accepted: &'static str,
    },
    /// Not a filter.
    Syntax {
        /// Which character, from 1; 0 is the end.
        at: usize,
        /// What stands there.
        read: String,
        /// What would have been accepted.
        accepted: String,
    },
}

impl Problem {
    pub(super) fn field(read: &str) -> Problem {
        let given = read.to_ascii_lowercase();
        let near = columns().filter_map(|column| {
            let apart = distance(&given, column.name).min(distance(&given, column.short));
            let part = given.len() >= PART_MIN
                && (column.name.contains(&given) || given.contains(column.short));
            (apart <= APART_MAX || part).then_some((apart, column.name))
        });
        let mut near: Vec<(usize, &str)> = near.collect();
        near.sort_by_key(|(apart, _)| (*apart).min(APART_MAX + 1)); // stable: parts of names in the order of the table
        Problem::Field {
            read: read.to_owned(),
            near: near
                .into_iter()
                .take(NEAR_MAX)
                .map(|(_, name)| name)
                .collect(),
            renamed: renamed(read, |_| true),
        }
    }
}

/// Letters that may differ in a name that is meant.
const APART_MAX: usize = 2;
/// Shorter parts of a name are in many.
const PART_MIN: usize = 3;
/// Names that are suggested.
const NEAR_MAX: usize = 5;

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Field {
                read,
                renamed: Some(renamed),
                ..
            } => write!(f, "unknown field '{read}'; hint: {renamed}"),
            Problem::Field { read, near, .. } => {
                write!(f, "unknown field '{read}'")?;
                match near.as_slice() {
                    [] => {}
                    [one] => write!(f, ": did you mean '{one}'?")?,
                    several => write!(f, ": did you mean one of {}?", several.join(", "))?,
                }
                f.write_str("; hint: fathom table --fields lists all")
            }
            Problem::Value {
                field,
                read,
                accepted,
            } => f.write_str(&model::invalid_value(read, field, accepted)),
            Problem::Syntax {
                at: 0, accepted, ..
            } => write!(f, "at the end: {accepted}"),
            Problem::Syntax { at, read, accepted } => {
                write!(f, "at character {at}, '{read}': {accepted}")
            }
        }
    }
}

/// Letters to change, insert or omit. Source: Wagner and Fischer, J. ACM 21 (1974), "The string-to-string
/// correction problem".
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.chars().take(64).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, wanted) in other.iter().enumerate() {
            let change = diagonal + usize::from(letter != *wanted);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

/// Each with the fields that are meant.
const RENAMED: &[(&str, &[&str])] = &[
    ("rate", &["iops", "target_iops"]),
    ("rate_per_s", &["iops", "target_iops"]),
    ("ios_per_s", &["iops"]),
    ("throughput", &["bytes_per_s"]),
    ("bandwidth", &["bytes_per_s"]),
    ("bw", &["bytes_per_s"]),
    ("mib_per_s", &["bytes_per_s"]),
    ("mean", &["latency_mean_ns"]),
    ("min", &["latency_min_ns"]),
    ("max", &["latency_max_ns"]),
    ("iodepth", &["queue_depth"]),
    ("block_kib", &["block_bytes"]),
    ("size_gib", &["size_bytes"]),
    ("measured_s", &["measured_ns"]),
    ("result", &["id"]),
    ("tag", &["tags"]),
];
const SIDES: [&str; 2] = ["read_", "write_"];
/// Units that the database's views had.
const UNITS: [&str; 3] = ["_us", "_ms", "_s"];

/// Returns what a name that no field has is called now, for a hint. `is_meant` selects the fields that are possible.
pub fn renamed(name: &str, is_meant: impl Fn(&Column) -> bool) -> Option<String> {
    let given = name.to_ascii_lowercase();
    let side = SIDES.into_iter().find(|side| given.starts_with(side));
    let rest = &given[side.map_or(0, str::len)..];
    let unit = UNITS.iter().find_map(|unit| rest.strip_suffix(unit));
    let exact = RENAMED.iter().find(|(old, _)| *old == rest);
    let meant: Vec<String> = match (exact, unit) {
        (Some((_, new)), _) => new.iter().map(|new| (*new).to_owned()).collect(),
        (None, Some(plain)) => vec![format!("{plain}_ns")],
        (None, None) => return None,
    };
    let meant = meant
        .iter()
        .map(|one| side.unwrap_or_default().to_owned() + one);
    let field = |meant: String| columns().find(|column| column.name == meant && is_meant(column));
    let found: Vec<&Column> = meant.filter_map(field).collect();
    match found.as_slice() {
        [] => None,
        [one] => Some(format!("'{name}' is now '{}'", one.name)),
        several => {
            let each = several
                .iter()
                .map(|one| format!("'{}' ({})", one.name, one.about));
            let each: Vec<String> = each.collect();
            Some(format!("'{name}' is now {}", each.join(" or ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_name_leads_to_its_field_and_is_none_itself() {
        for (old, new) in [
            ("throughput", "'throughput' is now 'bytes_per_s'"),
            (
                "read_throughput",
                "'read_throughput' is now 'read_bytes_per_s'",
            ),
            ("Mean", "'Mean' is now 'latency_mean_ns'"),
            ("latency_p99_us", "'latency_p99_us' is now 'latency_p99_ns'"),
            ("write_iops", ""),
            ("write_size_gib", ""),
            ("nonsense_us", ""),
        ] {
            assert_eq!(renamed(old, |_| true).unwrap_or_default(), new, "{old}");
        }
        let both = renamed("rate", |_| true).unwrap();
        assert!(
            both.starts_with("'rate' is now 'iops' (IOPS) or 'target_iops' ("),
            "{both}"
        );
        for (old, new) in RENAMED {
            assert!(super::super::column(old).is_none(), "{old}");
            assert!(
                new.iter().all(|new| columns().any(|it| it.name == *new)),
                "{old}"
            );
        }
    }
}
