//! Names that fields had in earlier versions, or have in other tools: they are refused with the name of the field.

use super::{Column, columns};

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
