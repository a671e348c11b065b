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
        entries
            .iter()
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
                    why: "a group has a name, by which its results are told apart: name = \"…\""
                        .to_owned(),
                });
            }
            let fields = entries.iter().filter(|entry| entry.name != "name");
            let axes = fields.filter_map(|entry| self.axis(entry, false)).collect();
            groups.push(Group { name, axes });
        }
        groups
    }

    pub(super) fn exclusions(&mut self, entry: &Entry<'_>) -> Vec<Vec<Axis>> {
        let mut exclusions = Vec::new();
        for table in self.tables(
            entry,
            "exclusions are tables: [[exclude]], and below it fields with values",
        ) {
            let entries = self.text.entries(table);
            let fields: Vec<Axis> = entries
                .iter()
                .filter_map(|entry| self.axis(entry, false))
                .collect();
            if entries.is_empty() {
                self.problems.push(Problem::Contradiction {
                    place: entry.place.clone(),
                    why: "it names no field, so it would leave out everything: name one, or leave it out".to_owned(),
                });
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

/// Whether the groups have more cells than a sweep takes; said before what they have in common is copied to each. A group
/// has at least as many cells as its longest axis has values.
pub(super) fn too_many(groups: &[Group], axes: &[Axis]) -> bool {
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

/// A group has the plan's axes too, but for those that it says itself.
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
