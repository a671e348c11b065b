//! A matrix of workloads: axes, named groups of them, and combinations that are omitted.
//!
//! Values are text in the words of the dialect that they came from: this crate does not read them, it only combines
//! them. The last axis of a group changes fastest. Deliberately absent: what a value means (`dialects`), in which order
//! cells run (`order`), and running them.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

/// Most cells of one sweep. At a second each that is most of three hours; a matrix beyond it is more likely a slip than
/// a plan, and every cell is checked against the machine before the first one runs.
pub const CELLS_MAX: u64 = 10_000;

/// One field and the values that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The field.
    pub name: String,
    /// In the order given. // never empty once checked, each once
    pub values: Vec<String>,
}

/// Axes that are combined with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What a person calls it; `None` where there is only one.
    pub name: Option<String>,
    /// Outermost first.
    pub axes: Vec<Axis>,
}

/// A combination that is omitted: a cell that has one of the values of every field named here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// Fields with their values. // never empty once checked
    pub fields: Vec<Axis>,
}

/// The whole matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// One after another. // at least one
    pub groups: Vec<Group>,
    /// From all groups.
    pub exclusions: Vec<Exclusion>,
}

/// One combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Place of its group.
    pub group: usize,
    /// One value for each axis of that group, in their order.
    pub values: Vec<String>,
}

/// What stands against a matrix.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum GridProblem {
    /// Nothing to go through.
    #[error("{axis}: it has no value: give it at least one, or omit it")]
    EmptyAxis {
        /// Which.
        axis: String,
    },
    /// The same cell would run twice.
    #[error(
        "{axis}: {value} is given twice: give each value once, and specify how often all is repeated with --repeat"
    )]
    ValueTwice {
        /// Which.
        axis: String,
        /// As it was read.
        value: String,
    },
    /// Two axes of one name.
    #[error("{axis}: given twice: give all its values at once")]
    AxisTwice {
        /// Which.
        axis: String,
    },
    /// Two groups of one name.
    #[error(
        "group {name}: there are two of this name: results are distinguished by it, so give each its own"
    )]
    GroupTwice {
        /// Which.
        name: String,
    },
    /// No group, or an empty one among several.
    #[error("there is nothing to combine: give at least one field several values, as -o 1,2,4")]
    Nothing,
    /// More cells than any user waits for.
    #[error(
        "{cells} combinations: at most {CELLS_MAX} are accepted: give fewer values, or make several sweeps of it"
    )]
    TooMany {
        /// How many.
        cells: u64,
    },
    /// An exclusion that names a field which no group goes through.
    #[error(
        "exclude {exclusion}: no field {axis} is varied here, so it cannot be compared: name only varied fields"
    )]
    ExcludedFieldUnknown {
        /// In words.
        exclusion: String,
        /// The field.
        axis: String,
    },
    /// An exclusion that leaves nothing out.
    #[error(
        "exclude {exclusion}: no combination is like this, so it leaves nothing out: compare its values with those of the axes"
    )]
    ExcludesNothing {
        /// In words.
        exclusion: String,
    },
    /// All is omitted.
    #[error(
        "all {cells} combinations are excluded, so nothing is left to run: omit one of the exclusions"
    )]
    AllExcluded {
        /// How many there were.
        cells: u64,
    },
}

impl Grid {
    /// All cells as given, or everything that stands against them.
    ///
    /// # Errors
    /// See [`GridProblem`].
    pub fn cells(&self) -> Result<Vec<Cell>, Vec<GridProblem>> {
        let mut problems = Vec::new();
        self.check_names(&mut problems);
        let count = self.groups.iter().map(Group::product);
        let count = count.fold(0, u64::saturating_add);
        if count > CELLS_MAX {
            problems.push(GridProblem::TooMany { cells: count });
        }
        if self.groups.is_empty() {
            problems.push(GridProblem::Nothing);
        }
        self.check_exclusions(&mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        self.combined(count)
    }

    fn check_names(&self, problems: &mut Vec<GridProblem>) {
        let mut times: HashMap<&str, u32> = HashMap::new();
        for group in &self.groups {
            if let Some(name) = &group.name
                && *times
                    .entry(name)
                    .and_modify(|times| *times += 1)
                    .or_default()
                    == 1
            {
                problems.push(GridProblem::GroupTwice { name: name.clone() });
            }
            check_axes(&group.axes, problems);
        }
        for exclusion in &self.exclusions {
            check_axes(&exclusion.fields, problems);
        }
        // Groups share axes, and what is wrong with one is reported once.
        let mut reported: HashSet<GridProblem> = HashSet::new();
        problems.retain(|problem| reported.insert(problem.clone()));
    }

    fn check_exclusions(&self, problems: &mut Vec<GridProblem>) {
        let axes = self.groups.iter().flat_map(|group| &group.axes);
        let names: HashSet<&str> = axes.map(|axis| axis.name.as_str()).collect();
        for exclusion in &self.exclusions {
            for field in &exclusion.fields {
                if !names.contains(field.name.as_str()) {
                    problems.push(GridProblem::ExcludedFieldUnknown {
                        exclusion: exclusion.words(),
                        axis: field.name.clone(),
                    });
                }
            }
        }
    }

    fn combined(&self, count: u64) -> Result<Vec<Cell>, Vec<GridProblem>> {
        let mut cells = Vec::new();
        let mut hits = vec![false; self.exclusions.len()];
        let exclusions: Vec<Fields> = self.exclusions.iter().map(Exclusion::by_name).collect();
        for (place, group) in self.groups.iter().enumerate() {
            for number in 0..group.product() {
                let values = group.values_of(number);
                let mut excluded = false;
                for (exclusion, hit) in exclusions.iter().zip(&mut hits) {
                    let matches = matches(exclusion, group, &values);
                    *hit |= matches;
                    excluded |= matches;
                }
                if !excluded {
                    cells.push(Cell {
                        group: place,
                        values,
                    });
                }
            }
        }
        let idle = self.exclusions.iter().zip(&hits).filter(|(_, hit)| !**hit);
        let mut problems: Vec<GridProblem> = idle
            .map(|(exclusion, _)| GridProblem::ExcludesNothing {
                exclusion: exclusion.words(),
            })
            .collect();
        if cells.is_empty() {
            problems.push(GridProblem::AllExcluded { cells: count });
        }
        if problems.is_empty() {
            Ok(cells)
        } else {
            Err(problems)
        }
    }

    /// The names of the axes that take more than one value, over all groups, in the order in which they are met first:
    /// what distinguishes cells.
    pub fn varied(&self) -> Vec<&str> {
        let mut known = HashSet::new();
        let axes = self.groups.iter().flat_map(|group| &group.axes);
        axes.map(|axis| axis.name.as_str())
            .filter(|name| known.insert(*name) && self.varies(name))
            .collect()
    }

    /// Whether a field takes several values, or groups do not agree on it.
    fn varies(&self, name: &str) -> bool {
        let values = |group: usize| {
            let mut axes = self.groups[group].axes.iter();
            axes.find(|axis| axis.name == name).map(|axis| &axis.values)
        };
        let first = values(0);
        (0..self.groups.len()).any(|group| {
            let values = values(group);
            values != first || values.is_some_and(|values| values.len() > 1)
        })
    }

    /// What a cell goes by: its group and the values that distinguish it, which are those of the fields of
    /// [`Grid::varied`].
    pub fn label(&self, cell: &Cell, varied: &[&str]) -> String {
        let group = &self.groups[cell.group];
        let values: Vec<String> = group
            .axes
            .iter()
            .zip(&cell.values)
            .filter(|(axis, _)| varied.contains(&axis.name.as_str()))
            .map(|(axis, value)| format!("{}={value}", axis.name))
            .collect();
        match (&group.name, values.is_empty()) {
            (Some(name), true) => name.clone(),
            (Some(name), false) => format!("{name}: {}", values.join(" ")),
            (None, true) => "the only cell".to_owned(),
            (None, false) => values.join(" "),
        }
    }
}

impl Group {
    /// How many combinations it has.
    fn product(&self) -> u64 {
        let sizes = self.axes.iter().map(|axis| axis.values.len() as u64);
        sizes.fold(1, u64::saturating_mul)
    }

    /// Of one combination: its number written in the mixed radix of the axes. // number below the product
    fn values_of(&self, number: u64) -> Vec<String> {
        let mut rest = number;
        let mut values: Vec<String> = self
            .axes
            .iter()
            .rev()
            .map(|axis| {
                let size = axis.values.len() as u64;
                let value = axis.values[(rest % size) as usize].clone();
                rest /= size;
                value
            })
            .collect();
        values.reverse();
        values
    }
}

impl Exclusion {
    fn by_name(&self) -> Fields<'_> {
        let fields = self.fields.iter();
        fields
            .map(|field| (field.name.as_str(), field.values.iter().cloned().collect()))
            .collect()
    }

    fn words(&self) -> String {
        let field = |field: &Axis| format!("{}={}", field.name, field.values.join(","));
        let words: Vec<String> = self.fields.iter().map(field).collect();
        words.join(" ")
    }
}

/// The fields of an exclusion with their values, for looking them up.
type Fields<'e> = Vec<(&'e str, HashSet<String>)>;

/// A field that the group does not have does not match.
fn matches(exclusion: &Fields<'_>, group: &Group, values: &[String]) -> bool {
    exclusion.iter().all(|(name, wanted)| {
        let mut axes = group.axes.iter().zip(values);
        axes.any(|(axis, value)| axis.name == *name && wanted.contains(value))
    })
}

fn check_axes(axes: &[Axis], problems: &mut Vec<GridProblem>) {
    for (place, axis) in axes.iter().enumerate() {
        let name = || axis.name.clone();
        if axes[..place].iter().any(|other| other.name == axis.name) {
            problems.push(GridProblem::AxisTwice { axis: name() });
        }
        if axis.values.is_empty() {
            problems.push(GridProblem::EmptyAxis { axis: name() });
        }
        let mut known = HashSet::new();
        for value in &axis.values {
            if !known.insert(value) {
                let value = value.clone();
                problems.push(GridProblem::ValueTwice {
                    axis: name(),
                    value,
                });
            }
        }
    }
}
