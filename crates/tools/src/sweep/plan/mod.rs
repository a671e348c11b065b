//! A plan: a TOML document that specifies what the options of a sweep do, and more.
//!
//! ```toml
//! target = "/data/fathom.dat"
//! create = "1G"
//! block = ["8K", "64K"]            # a field with several values is an axis
//! depth = "2..16"                  # so is one with a range
//!
//! [[group]]
//! name = "writes"
//! write = [25, 100]                # of this group only, or instead of the value above
//!
//! [[exclude]]
//! block = "64K"
//! depth = [8, 16]
//! ```
//!
//! Axes nest as they stand: the first is outermost. Read in this order: the plan as a whole (here), `groups` (its tables),
//! `text` (places and values). Deliberately absent: consent to write over data, and where results
//! are kept: a plan may come from another user, so the user who runs it specifies these.

mod groups;
mod text;

use super::course::CourseText;
use super::fields::{Kind, find};
use super::options::unknown;
use super::problem::{Problem, Refusal, did_you_mean, none_or_once};
use super::values::{VALUES_MAX, expand};
use super::{Axis, Base, Definition, Group, Line, field_names};
use crate::native::Request;
use crate::refusal::Problems;
use std::path::PathBuf;
use text::{Entry, Text, kind_of, scalar, texts};
use toml::de::{DeTable, DeValue};

/// Longest plan that is read, in bytes.
pub const PLAN_LENGTH_MAX: usize = 128 << 10;

/// Most targets of a plan.
const TARGETS_MAX: usize = 1000;

/// Of what is no TOML so much is reported: one slip may upset all that follows.
const SYNTAX_MAX: usize = 20;

const COURSE: [&str; 5] = ["order", "shuffle-seed", "repeat", "precision", "rest"];
const OTHERS: [&str; 6] = [
    "targets",
    "create",
    "from-diskspd",
    "axes",
    "group",
    "exclude",
];
const CONSENT: [&str; 4] = ["overwrite", "destroy", "store", "no-store"];

/// Reads a plan.
///
/// # Errors
/// Everything that is wrong, each with its line.
pub fn from_plan(text: &str) -> Result<Definition, Refusal> {
    let mut plan = Plan {
        text: Text::new(text),
        problems: Problems::default(),
        line: None,
    };
    let definition = plan.read();
    none_or_once(plan.problems)?;
    Ok(definition)
}

fn is_known(entry: &Entry<'_>) -> bool {
    let name = entry.name.as_str();
    find(name).is_some() || [&COURSE[..], &OTHERS, &CONSENT].concat().contains(&name)
}

struct Plan<'t> {
    text: Text<'t>,
    problems: Problems<Problem>,
    line: Option<Line>,
}

impl Plan<'_> {
    fn read(&mut self) -> Definition {
        let nothing = Definition {
            base: Base::Native(Box::default()),
            groups: Vec::new(),
            exclude: Vec::new(),
            course: CourseText::default().read(&|name| name.to_owned(), &mut Problems::default()),
            notes: Vec::new(),
        };
        if self.text.whole.len() > PLAN_LENGTH_MAX {
            self.problems.push(Problem::Syntax {
                place: "the plan".to_owned(),
                what: format!("it is longer than {PLAN_LENGTH_MAX} bytes"),
            });
            return nothing;
        }
        let (table, errors) = DeTable::parse_recoverable(self.text.whole);
        for error in errors.into_iter().take(SYNTAX_MAX) {
            let place = self.text.place(error.span().unwrap_or_default());
            let what = error.message().to_owned();
            self.problems.push(Problem::Syntax { place, what });
        }
        if !self.problems.is_empty() {
            return nothing;
        }
        let table = table.into_inner();
        self.read_table(&table, nothing)
    }

    /// Returns `nothing` for a table that is no plan: it may be in a file that only the user who runs fathom can read.
    fn read_table(&mut self, table: &DeTable<'_>, nothing: Definition) -> Definition {
        let entries = self.text.entries(table);
        if let Some(first) = entries.first()
            && !entries.iter().any(is_known)
        {
            let line = first.place.split_once(": ").map_or("", |(line, _)| line);
            self.problems.push(Problem::Contradiction {
                place: line.to_owned(),
                why: "this is no plan, which has fields such as `targets` and `block`; its content is not printed"
                    .to_owned(),
            });
            return nothing;
        }
        let mut request = Request::default();
        let mut course = CourseText::default();
        let mut axes = Vec::new();
        let mut tables: Vec<&Entry> = Vec::new();
        let line = entries.iter().find(|entry| entry.name == "from-diskspd");
        self.line = line.and_then(|entry| {
            let text = self.one(entry)?;
            Some(Line::split(&text, &mut self.problems))
        });
        for entry in &entries {
            match entry.name.as_str() {
                "from-diskspd" => {}
                "axes" | "group" | "exclude" => tables.push(entry),
                "targets" | "create" => self.read_single(entry, &mut request),
                name if COURSE.contains(&name) => self.read_course(entry, &mut course),
                _ => axes.extend(self.axis(entry, true)),
            }
        }
        let mut groups = Vec::new();
        let mut exclude = Vec::new();
        for entry in tables {
            match entry.name.as_str() {
                "axes" => axes.extend(self.axes_table(entry)),
                "group" => groups.extend(self.groups(entry)),
                _ => exclude.extend(self.exclusions(entry)),
            }
        }
        let base = match self.line.take() {
            Some(line) => Base::Diskspd(line),
            None => Base::Native(Box::new(settle(&mut request, &mut axes, &groups))),
        };
        if groups.is_empty() {
            groups.push(Group { name: None, axes });
        } else if groups::too_many(&groups, &axes) {
            self.problems.push(Problem::Contradiction {
                place: "[[group]]".to_owned(),
                why: format!(
                    "the groups have more than {VALUES_MAX} cells together, the most that a sweep accepts, or more than \
                     {} values",
                    groups::COPIES_MAX
                ),
            });
        } else {
            groups
                .iter_mut()
                .for_each(|group| groups::inherit(group, &axes));
        }
        let course = course.read(&|name| name.to_owned(), &mut self.problems);
        Definition {
            base,
            groups,
            exclude,
            course,
            notes: Vec::new(),
        }
    }

    fn refuse(&mut self, entry: &Entry<'_>, accepted: &str) {
        self.problems.push(Problem::Value {
            place: entry.place.clone(),
            read: kind_of(entry.value).to_owned(),
            accepted: accepted.to_owned(),
        });
    }

    /// One text, number or word.
    fn one(&mut self, entry: &Entry<'_>) -> Option<String> {
        let text = scalar(entry.value);
        if text.is_none() {
            self.refuse(entry, "this takes one value");
        }
        text
    }

    fn read_single(&mut self, entry: &Entry<'_>, request: &mut Request) {
        if self.line.is_some() {
            self.problems.push(Problem::Contradiction {
                place: entry.place.clone(),
                why: "this belongs to the DISKSPD line: specify it there".to_owned(),
            });
            return;
        }
        if entry.name == "create" {
            request.place.create = self.one(entry);
            return;
        }
        let names = match entry.value {
            DeValue::Array(items) => items.iter().map(|item| scalar(item.get_ref())).collect(),
            other => scalar(other).map(|one| vec![one]),
        };
        match names {
            Some(names) if names.len() > TARGETS_MAX => {
                self.problems.push(Problem::Contradiction {
                    place: entry.place.clone(),
                    why: format!("it names more than {TARGETS_MAX} targets, which each combination uses again"),
                });
            }
            Some(names) => request.targets = names.into_iter().map(PathBuf::from).collect(),
            None => self.refuse(
                entry,
                "this is a list of names, used together; to vary them use target",
            ),
        }
    }

    fn read_course(&mut self, entry: &Entry<'_>, course: &mut CourseText) {
        let text = self.one(entry);
        let field = match entry.name.as_str() {
            "order" => &mut course.order,
            "shuffle-seed" => &mut course.shuffle_seed,
            "repeat" => &mut course.repeat,
            "precision" => &mut course.precision,
            _ => &mut course.rest,
        };
        *field = text;
    }

    /// A field with its values; `top` means that it is at the top of the plan.
    fn axis(&mut self, entry: &Entry<'_>, top: bool) -> Option<Axis> {
        let known = match &self.line {
            None => find(&entry.name).map(|field| (field.name, field.kind)),
            Some(_) if top => None,
            Some(_) => Some(("", Kind::Word)),
        };
        let Some((name, kind)) = known else {
            self.problems.push(self.unknown(entry, top));
            return None;
        };
        let Some(texts) = texts(entry.value) else {
            self.refuse(
                entry,
                "must be a text, a number, true or false, or a list of these",
            );
            return None;
        };
        let text = texts.join(",");
        if texts.is_empty() {
            // The matrix reports what is wrong with an axis without values.
            let name = if name.is_empty() {
                entry.name.as_str()
            } else {
                name
            };
            return Some(Axis {
                name: name.to_owned(),
                values: Vec::new(),
            });
        }
        Some(match self.line.take() {
            Some(line) => {
                let axis = line.axis(&entry.place, entry.raw, &text, &mut self.problems);
                self.line = Some(line);
                axis
            }
            None => Axis {
                name: name.to_owned(),
                values: expand(kind, &entry.place, &text, &mut self.problems),
            },
        })
    }

    fn unknown(&self, entry: &Entry<'_>, top: bool) -> Problem {
        let place = entry.place.clone();
        if CONSENT.contains(&entry.name.as_str()) {
            return Problem::Contradiction {
                place,
                why: format!(
                    "this is consent, which a plan cannot contain: specify --{} on the command line",
                    entry.name
                ),
            };
        }
        if self.line.is_some() {
            return Problem::Contradiction {
                place,
                why: "with from_diskspd the switches are varied under [axes], by their letters: o = [2, 4]".to_owned(),
            };
        }
        if !top {
            return unknown(&place, &entry.name);
        }
        let all = || field_names().chain(COURSE).chain(OTHERS);
        let names: Vec<&str> = all().collect();
        Problem::UnknownField {
            place,
            read: entry.name.clone(),
            hint: did_you_mean(&entry.name, all()),
            accepted: names.join(", "),
        }
    }
}

/// Fields with one value for all groups are no axes: they are specified once, in the request.
fn settle(request: &mut Request, axes: &mut Vec<Axis>, groups: &[Group]) -> Request {
    let in_groups = |name: &str| {
        let mut all = groups.iter().flat_map(|group| &group.axes);
        all.any(|axis| axis.name == name)
    };
    axes.retain(|axis| {
        let single = axis.values.len() == 1 && !in_groups(&axis.name);
        if single && let Some(field) = find(&axis.name) {
            (field.set)(request, &axis.values[0]);
        }
        !single
    });
    request.clone()
}
