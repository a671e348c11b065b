//! The tables of a plan: axes of a DISKSPD line, groups, exclusions.

use super::text::Entry;
use super::{Axis, Group, Plan, Problem};
use crate::sweep::values::VALUES_MAX;
use toml::de::{DeTable, DeValue};

impl Plan<'_> {
    pub(super) fn axes_table(&mut self, entry: &Entry<'_>) -> Vec<Axis> {
        let DeValue::Table(table) = entry.value else {
            self.refuse(
                entry,
                "this is a table: [axes], and below it a field and its values a line",
            );
            return Vec::new();
        };
        let entries = self.text.entries(table);
        self.fields(&entry.place, entries.iter())
    }

    /// The fields of a table, if they are not too many.
    fn fields<'a>(
        &mut self,
        place: &str,
        entries: impl Iterator<Item = &'a Entry<'a>> + Clone,
    ) -> Vec<Axis> {
        if entries.clone().nth(AXES_MAX).is_some() {
            self.problems.push(Problem::Contradiction {
                place: place.to_owned(),
                why: format!(
                    "it has more than {AXES_MAX} fields, which is all that a sweep varies"
                ),
            });
            return Vec::new();
        }
        entries
            .filter_map(|entry| self.axis(entry, false))
            .collect()
    }

    pub(super) fn groups(&mut self, entry: &Entry<'_>) -> Vec<Group> {
        let mut groups = Vec::new();
        for table in self.tables(
            entry,
            "groups are tables: [[group]], and below it a name and fields",
        ) {
            let entries = self.text.entries(table);
            let name = entries.iter().find(|entry| entry.name == "name");
            let name = match name {
                Some(name) => self.one(name).filter(|name| !name.is_empty()),
                None => None,
            };
            if name.is_none() {
                self.problems.push(Problem::Contradiction {
                    place: entry.place.clone(),
                    why: "a group has a name, by which its results are distinguished: name = \"…\""
                        .to_owned(),
                });
            }
            let fields = entries.iter().filter(|entry| entry.name != "name");
            let axes = self.fields(&entry.place, fields);
            groups.push(Group { name, axes });
        }
        groups
    }

    pub(super) fn exclusions(&mut self, entry: &Entry<'_>) -> Vec<Vec<Axis>> {
        let mut exclusions = Vec::new();
        let mut values = 0;
        let tables = self.tables(
            entry,
            "exclusions are tables: [[exclude]], and below it fields with values",
        );
        if tables.len() > EXCLUSIONS_MAX {
            self.problems.push(Problem::Contradiction {
                place: entry.place.clone(),
                why: format!("there are more than {EXCLUSIONS_MAX}: name several values in one"),
            });
            return exclusions;
        }
        for table in tables {
            let entries = self.text.entries(table);
            let fields = self.fields(&entry.place, entries.iter());
            if entries.is_empty() {
                self.problems.push(Problem::Contradiction {
                    place: entry.place.clone(),
                    why:
                        "it names no field, so it would omit everything: specify one, or remove it"
                            .to_owned(),
                });
            }
            values += fields.iter().map(|axis| axis.values.len()).sum::<usize>();
            if values > COPIES_MAX {
                self.problems.push(Problem::Contradiction {
                    place: entry.place.clone(),
                    why: format!("they name more than {COPIES_MAX} values: name fewer"),
                });
                return Vec::new();
            }
            exclusions.push(fields);
        }
        exclusions
    }

    fn tables<'a>(&mut self, entry: &Entry<'a>, accepted: &str) -> Vec<&'a DeTable<'a>> {
        let tables = match entry.value {
            DeValue::Array(items) => items
                .iter()
                .map(|item| match item.get_ref() {
                    DeValue::Table(table) => Some(table),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        tables.unwrap_or_else(|| {
            self.refuse(entry, accepted);
            Vec::new()
        })
    }
}

/// Most fields that are varied in a group or named in an exclusion.
const AXES_MAX: usize = 64;
/// Most exclusions: each is compared with each cell.
const EXCLUSIONS_MAX: usize = 256;
/// Most values of all groups together, with what they have in common in each.
pub(super) const COPIES_MAX: usize = 100_000;

/// Whether the groups have more cells than a sweep takes; reported before what they have in common is copied to each. A
/// group has at least as many cells as its longest axis has values.
pub(super) fn too_many(groups: &[Group], axes: &[Axis]) -> bool {
    let values = |axes: &[Axis]| axes.iter().map(|axis| 1 + axis.values.len()).sum::<usize>();
    let own: usize = groups.iter().map(|group| values(&group.axes)).sum();
    if groups.len() > VALUES_MAX || own + groups.len().saturating_mul(values(axes)) > COPIES_MAX {
        return true;
    }
    let cells = |group: &Group| {
        let common = axes
            .iter()
            .filter(|axis| group.axes.iter().all(|own| own.name != axis.name));
        let values = group
            .axes
            .iter()
            .chain(common)
            .map(|axis| axis.values.len());
        values.max().unwrap_or(1)
    };
    groups.iter().map(cells).sum::<usize>() > VALUES_MAX
}

/// A group has the plan's axes too, but for those that it specifies itself.
pub(super) fn inherit(group: &mut Group, axes: &[Axis]) {
    let own = |name: &str| group.axes.iter().find(|axis| axis.name == name).cloned();
    let above = axes
        .iter()
        .map(|axis| own(&axis.name).unwrap_or_else(|| axis.clone()));
    let mut all: Vec<Axis> = above.collect();
    let new = group
        .axes
        .iter()
        .filter(|axis| axes.iter().all(|other| other.name != axis.name));
    all.extend(new.cloned());
    group.axes = all;
}
