//! The published limits of cloud disks and machines: `docs/caps.toml`, compiled in.
//!
//! A table of facts in TOML, which plans are written in, too. Deliberately absent: what follows from a
//! limit.

use model::Operation;
use toml::de::{DeTable, DeValue};

/// The table, as in the documentation.
const TABLE: &str = include_str!("../../../docs/caps.toml");

/// A limit that a provider publishes.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedCap {
    /// What has it: `Azure VM size Standard_B2ms`.
    pub name: String,
    /// IOPS, where it limits them. // finite, above 0
    pub per_s: Option<f64>,
    /// Bytes a second, where it limits them. // finite, above 0
    pub bytes_per_s: Option<f64>,
    /// The operation that it limits; none if both together, or if the page does not specify one.
    pub direction: Option<Operation>,
    /// It lasts only as long as credits do.
    pub burst: bool,
    /// It is of a network file system, and so never of a block device.
    pub network: bool,
}

/// Every published limit, in the order of the table. A row that is not whole would be omitted; a test keeps it from
/// being there.
pub fn published_caps() -> Vec<PublishedCap> {
    rows().into_iter().filter_map(|row| cap(&row)).collect()
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

fn cap(row: &[(String, String)]) -> Option<PublishedCap> {
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
    let cap = PublishedCap {
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
