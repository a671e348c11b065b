//! Options → definition: `-b 8K,64K -o 2..16`, and `--axis FIELD=VALUES`.

use super::course::CourseText;
use super::fields::{FIELDS, find};
use super::problem::{Problem, Refusal, did_you_mean, none_or_once};
use super::values::{expand, is_several};
use super::{Axis, Base, Definition, Group, Line, field_names};
use crate::native::Request;
use crate::refusal::Problems;

/// Reads options with lists in them, or a DISKSPD line with axes in addition. Axes of `--axis` are outside, in the
/// order given; those of the options inside, in the order of the table of fields.
///
/// # Errors
/// Everything that is wrong with lists, ranges, names and the course. Single values are read with each cell.
pub fn from_options(
    request: &Request,
    line: Option<&str>,
    axes: &[String],
    course: &CourseText,
) -> Result<Definition, Refusal> {
    let mut problems = Problems::default();
    let (base, axes) = match line {
        Some(line) => from_line(line, axes, &mut problems),
        None => from_request(request, axes, &mut problems),
    };
    let course = course.read(&|name| format!("--{name}"), &mut problems);
    none_or_once(problems)?;
    Ok(Definition {
        base,
        groups: vec![Group { name: None, axes }],
        exclude: Vec::new(),
        course,
    })
}

fn from_request(
    request: &Request,
    axes: &[String],
    problems: &mut Problems<Problem>,
) -> (Base, Vec<Axis>) {
    let mut base = request.clone();
    let mut found = Vec::new();
    let usual = Request::default();
    for text in axes {
        let Some((name, values)) = named(text, problems) else {
            continue;
        };
        let Some(field) = find(name) else {
            problems.push(unknown("--axis", name));
            continue;
        };
        if (field.get)(request) != (field.get)(&usual) {
            problems.push(Problem::Contradiction {
                place: format!("--axis {name}"),
                why: format!(
                    "{} is specified too: specify all its values in one place",
                    field.option
                ),
            });
        }
        let place = format!("--axis {name}");
        let axis = Axis {
            name: field.name.to_owned(),
            values: expand(field.kind, &place, values, problems),
        };
        (field.set)(&mut base, axis.values.first().map_or("", String::as_str));
        found.push(axis);
    }
    for field in FIELDS {
        let Some(text) = (field.get)(request).filter(|text| is_several(field.kind, text)) else {
            continue;
        };
        let values = expand(field.kind, field.option, &text, problems);
        (field.set)(&mut base, values.first().map_or("", String::as_str));
        found.push(Axis {
            name: field.name.to_owned(),
            values,
        });
    }
    let create = request.place.create.as_deref().unwrap_or_default();
    if create.contains(',') || create.contains("..") {
        problems.push(Problem::Value {
            place: "--create".to_owned(),
            read: create.to_owned(),
            accepted: "must be one size, because the file is created once for the whole sweep; to vary the range \
                       specify --length with several"
                .to_owned(),
        });
    }
    (Base::Native(Box::new(base)), found)
}

fn from_line(line: &str, axes: &[String], problems: &mut Problems<Problem>) -> (Base, Vec<Axis>) {
    let line = Line::split(line, problems);
    let mut found = Vec::new();
    for text in axes {
        if let Some((name, values)) = named(text, problems) {
            found.push(line.axis(&format!("--axis {name}"), name, values, problems));
        }
    }
    (Base::Diskspd(line), found)
}

/// `o=2,4,8`.
fn named<'t>(text: &'t str, problems: &mut Problems<Problem>) -> Option<(&'t str, &'t str)> {
    let parts = text.split_once('=').filter(|(name, _)| !name.is_empty());
    if parts.is_none() {
        problems.push(Problem::Value {
            place: "--axis".to_owned(),
            read: text.to_owned(),
            accepted: "must be a field and its values: depth=1,2,4, or o=1,2,4 with a DISKSPD line"
                .to_owned(),
        });
    }
    parts
}

/// The error for a field that does not exist.
pub(super) fn unknown(place: &str, name: &str) -> Problem {
    let accepted: Vec<&str> = field_names().collect();
    Problem::UnknownField {
        place: place.to_owned(),
        read: name.to_owned(),
        hint: did_you_mean(&name.replace('_', "-"), field_names()),
        accepted: accepted.join(", "),
    }
}
