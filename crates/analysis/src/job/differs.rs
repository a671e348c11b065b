//! Facts of the hosts of a job that one host has and most others have not.

use super::seen::Difference;
use model::RunRecord;

type Fact = fn(&RunRecord) -> Option<String>;

/// What is compared. Free memory and names are every host's own.
const FACTS: [(&str, Fact); 11] = [
    ("fathom", |record| Some(record.tool_version.clone())),
    ("kernel", |record| Some(record.host.kernel.clone())),
    ("CPU", |record| record.host.cpu_model.clone()),
    ("cores", |record| Some(record.host.cpus.len().to_string())),
    ("usable cores", |record| {
        Some(record.engine.rank()?.usable_cores.to_string())
    }),
    ("memory", |record| Some(record.host.ram.to_string())),
    ("target size", |record| {
        Some(record.targets.first()?.size.to_string())
    }),
    ("file system", |record| {
        Some(record.targets.first()?.file_system.as_ref()?.kind.clone())
    }),
    ("mount options", |record| {
        Some(
            record
                .targets
                .first()?
                .file_system
                .as_ref()?
                .options
                .clone(),
        )
    }),
    ("device", |record| {
        record.targets.first()?.chain.last()?.model.clone()
    }),
    ("I/O scheduler", |record| {
        record.targets.first()?.chain.last()?.scheduler.clone()
    }),
];

/// Compares all facts of all ranks. Where no value is that of more than half of them, no rank differs from most.
pub(super) fn differences(records: &[&RunRecord]) -> Vec<Difference> {
    let mut found = Vec::new();
    for (name, fact) in FACTS {
        let values: Vec<Option<String>> = records.iter().map(|record| fact(record)).collect();
        let count = |value: &Option<String>| values.iter().filter(|other| *other == value).count();
        let Some(usual) = values
            .iter()
            .max_by_key(|value| count(value))
            .filter(|value| 2 * count(value) > values.len())
        else {
            continue;
        };
        let word = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
        let others = records
            .iter()
            .zip(&values)
            .filter(|(_, value)| *value != usual);
        found.extend(others.map(|(record, value)| Difference {
            rank: record.engine.rank().map_or(0, |rank| rank.rank),
            fact: name,
            value: word(value),
            usual: word(usual),
        }));
    }
    found
}
