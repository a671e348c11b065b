//! The published limits of cloud disks and machines: `docs/caps.toml`, compiled in.
//!
//! A table of facts in TOML, which plans are written in, too. Deliberately absent: what follows from a
//! limit.

use analysis::CloudCap;
use model::Operation;
use std::sync::{Arc, LazyLock};
use toml::de::{DeTable, DeValue};

/// The table, as in the documentation.
const TABLE: &str = include_str!("../../../docs/caps.toml");

/// Every published limit, in the order of the table. A row that is not whole would be omitted; a test keeps it from
/// being there. The table is read once.
pub fn published_caps() -> Arc<[CloudCap]> {
    static CAPS: LazyLock<Arc<[CloudCap]>> =
        LazyLock::new(|| rows().iter().filter_map(|row| cap(row)).collect());
    Arc::clone(&CAPS)
}

/// Fields of each row, as text.
fn rows() -> Vec<Vec<(String, String)>> {
    let Ok(table) = DeTable::parse(TABLE) else {
        return Vec::new();
    };
    let Some(DeValue::Array(rows)) = table.get_ref().get("cap").map(|value| value.get_ref()) else {
        return Vec::new();
    };
    let fields = |row: &DeValue<'_>| {
        let DeValue::Table(row) = row else {
            return Vec::new();
        };
        let text = |value: &DeValue<'_>| match value {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(is) => is.to_string(),
            _ => String::new(),
        };
        row.iter()
            .map(|(name, value)| (name.get_ref().to_string(), text(value.get_ref())))
            .collect()
    };
    rows.iter().map(|row| fields(row.get_ref())).collect()
}

fn cap(row: &[(String, String)]) -> Option<CloudCap> {
    const MIB: f64 = 1_048_576.0;
    let text = |name: &str| Some(&row.iter().find(|(field, _)| field == name)?.1);
    let direction = match text("direction").map(String::as_str) {
        None | Some("both") => None,
        Some("read") => Some(Operation::Read),
        Some("write") => Some(Operation::Write),
        Some(_) => return None,
    };
    let network = match text("kind").map(String::as_str) {
        None => false,
        Some("nfs") => true,
        Some(_) => return None,
    };
    let number = |name: &str, scale: f64| {
        let value = text(name)?.parse::<f64>().ok()? * scale;
        (value.is_finite() && value > 0.0).then_some(value)
    };
    let cap = CloudCap {
        name: text("name").filter(|name| !name.is_empty())?.clone(),
        per_s: number("iops", 1.0),
        bytes_per_s: number("mib_per_s", MIB).or_else(|| number("mb_per_s", 1e6)),
        direction,
        burst: text("burst").is_some_and(|burst| burst == "true"),
        network,
    };
    (cap.per_s.is_some() || cap.bytes_per_s.is_some()).then_some(cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_whole_and_names_its_source() {
        let rows = rows();
        assert!(rows.len() > 10);
        for row in &rows {
            assert!(cap(row).is_some(), "{row:?}");
            for (name, text) in row {
                let known = [
                    "name",
                    "iops",
                    "mib_per_s",
                    "mb_per_s",
                    "direction",
                    "burst",
                    "kind",
                    "stated",
                    "source",
                    "read",
                ];
                assert!(
                    known.contains(&name.as_str()) && !text.is_empty(),
                    "{row:?}"
                );
            }
            for must in ["source", "read"] {
                assert!(row.iter().any(|(name, _)| name == must), "{row:?}");
            }
        }
        assert_eq!(published_caps().len(), rows.len());
    }

    #[test]
    fn the_cap_of_the_fourth_seed_is_there() {
        let caps = published_caps();
        let size = caps
            .iter()
            .find(|cap| cap.name.ends_with("Standard_B2ms"))
            .unwrap();
        assert_eq!((size.per_s, size.bytes_per_s), (Some(1920.0), Some(22.5e6)));
    }
}
