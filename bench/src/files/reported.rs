//! Output of each of the two programs, figure by figure, in the order of `FIGURES`.

use serde_json::Value;

/// One figure that both know.
pub(super) struct Figure {
    /// As the table has it, with its unit.
    pub(super) name: &'static str,
    /// Its field of bonnie++'s line of format 1.98, counted from 0: KiB/s where it is a flow, else a second.
    field: usize,
    /// fathom's operation and order.
    row: (&'static str, &'static str),
    /// MiB/s; else thousands a second.
    flow: bool,
}

pub(super) const FIGURES: [Figure; 10] = [
    flow("write blocks, MiB/s", 11, "write blocks"),
    flow("rewrite blocks, MiB/s", 13, "rewrite blocks"),
    flow("read blocks, MiB/s", 17, "read blocks"),
    times("seek, k/s", 19, ("seek", "random")),
    times("create, sequential, k/s", 26, ("create", "sequential")),
    times("stat, sequential, k/s", 28, ("stat", "sequential")),
    times("delete, sequential, k/s", 30, ("delete", "sequential")),
    times("create, random, k/s", 32, ("create", "random")),
    times("stat, random, k/s", 34, ("stat", "random")),
    times("delete, random, k/s", 36, ("delete", "random")),
];

const fn flow(name: &'static str, field: usize, operation: &'static str) -> Figure {
    Figure {
        name,
        field,
        row: (operation, "sequential"),
        flow: true,
    }
}

const fn times(name: &'static str, field: usize, row: (&'static str, &'static str)) -> Figure {
    Figure {
        name,
        field,
        row,
        flow: false,
    }
}

/// A rate, and its interval where there is one, in the unit of its figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rate {
    pub(super) value: f64,
    pub(super) interval: Option<(f64, f64)>,
}

/// fathom's figures of one round; none where it did not measure.
pub(super) type Ours = Vec<Option<Rate>>;
/// bonnie++'s; none where it printed plus signs.
pub(super) type Theirs = Vec<Option<f64>>;

/// Reads fathom's document; `None` for something else.
pub(super) fn ours(document: &str) -> Option<Ours> {
    let document: Value = serde_json::from_str(document).ok()?;
    let rows = document["rows"].as_array()?;
    let read = |figure: &Figure| {
        let named = |row: &&Value| row["operation"] == figure.row.0 && row["order"] == figure.row.1;
        let row = rows.iter().find(named)?;
        let (rate, unit) = match figure.flow {
            true => (&row["bytes_per_s_estimate"], f64::from(1 << 20)),
            false => (&row["iops_estimate"], 1000.0),
        };
        let end = |name: &str| Some(rate[name].as_f64()? / unit);
        Some(Rate {
            value: end("value")?,
            interval: end("low").zip(end("high")),
        })
    };
    Some(FIGURES.iter().map(read).collect())
}

/// Reads the last line of what bonnie++ prints; `None` for something else.
pub(super) fn theirs(reported: &str) -> Option<Theirs> {
    let fields: Vec<&str> = reported.lines().last()?.split(',').collect();
    let read = |figure: &Figure| {
        let number: f64 = fields.get(figure.field)?.parse().ok()?;
        Some(number / if figure.flow { 1024.0 } else { 1000.0 })
    };
    let last = FIGURES.iter().map(|figure| figure.field).max()?;
    (fields.len() > last).then(|| FIGURES.iter().map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_found_by_its_operation_and_order_with_its_interval() {
        let reported = r#"{"rows": [
            {"operation": "create", "order": "random", "iops_estimate": {"value": 9000.0, "low": 8000.0, "high": 10000.0}},
            {"operation": "create", "order": "sequential", "iops_estimate": {"value": 5000.0, "low": null, "high": null}},
            {"operation": "read blocks", "order": "sequential", "iops_estimate": {"value": 2.0}, "bytes_per_s_estimate": {"value": 3145728.0}},
            {"operation": "stat", "order": "random", "iops_estimate": null}]}"#;
        let read = ours(reported).unwrap();
        let rate = |value, interval| Some(Rate { value, interval });
        assert_eq!(read[7], rate(9.0, Some((8.0, 10.0))));
        assert_eq!(read[4], rate(5.0, None));
        assert_eq!(read[2], rate(3.0, None));
        assert_eq!((read[8], read[0]), (None, None));
        assert_eq!(ours("+++"), None);
    }

    #[test]
    fn plus_signs_are_no_number() {
        let mut fields = vec!["+++++"; 50];
        fields[11] = "2048";
        fields[26] = "1500";
        let read = theirs(&format!("a table\n{}", fields.join(","))).unwrap();
        assert_eq!((read[0], read[1], read[4]), (Some(2.0), None, Some(1.5)));
        assert_eq!(theirs("nothing of the sort"), None);
    }
}
