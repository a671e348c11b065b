//! Options → definition: `-b 8K,64K -o 2..16`, and `--axis FIELD=VALUES`.

use super::course::CourseText;
use super::fields::{FIELDS, find};
use super::problem::{Problem, Refusal, did_you_mean, none_or_once};
use super::values::{expand, is_several};
use super::{Axis, Base, Definition, Group, Line, field_names};
use crate::native::Request;
use crate::refusal::Problems;

/// What varies besides the lists in options.
#[derive(Clone, Copy, Debug, Default)]
pub struct Varied<'a> {
    /// `--axis`: a field and its values.
    pub axes: &'a [String],
    /// `--pairs`: threads and outstanding I/Os that belong together, `1x240,4x60`.
    pub pairs: Option<&'a str>,
}

/// Reads options with lists in them, or a DISKSPD line with axes in addition. Axes of `--axis` are outside, in the
/// order given; those of the options inside, in the order of the table of fields.
///
/// # Errors
/// Everything that is wrong with lists, ranges, names and the course. Single values are read with each cell.
pub fn from_options(
    request: &Request,
    line: Option<&str>,
    varied: Varied<'_>,
    course: &CourseText,
) -> Result<Definition, Refusal> {
    let mut problems = Problems::default();
    let names = if line.is_some() {
        ["t", "o"]
    } else {
        ["threads", "depth"]
    };
    let (base, axes) = match line {
        Some(line) => from_line(line, varied.axes, &mut problems),
        None => from_request(request, varied.axes, &mut problems),
    };
    let groups = match varied.pairs {
        Some(pairs) => {
            refuse_beside_pairs(request, line.is_some(), &axes, names, &mut problems);
            groups_of_pairs(pairs, &axes, names, &mut problems)
        }
        None => vec![Group { name: None, axes }],
    };
    let course = course.read(&|name| format!("--{name}"), &mut problems);
    none_or_once(problems)?;
    Ok(Definition {
        base,
        groups,
        exclude: Vec::new(),
        course,
        notes: Vec::new(),
    })
}

/// One group of cells for each pair, with all other axes in it.
fn groups_of_pairs(
    text: &str,
    axes: &[Axis],
    [threads, depth]: [&str; 2],
    problems: &mut Problems<Problem>,
) -> Vec<Group> {
    let mut groups = Vec::new();
    for item in text.split(',').map(str::trim) {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let value = digits.then(|| text.parse::<u32>().ok()).flatten();
            value.filter(|value| *value > 0)
        };
        let halves = item.split_once(['x', '×']);
        let pair = halves.and_then(|(a, b)| Some((number(a.trim())?, number(b.trim())?)));
        let Some((count, outstanding)) = pair else {
            problems.push(Problem::Value {
                place: "--pairs".to_owned(),
                read: item.to_owned(),
                accepted: "must be threads x outstanding I/Os per thread, as in 1x240,4x60,12x20"
                    .to_owned(),
            });
            continue;
        };
        let axis = |name: &str, value: u32| Axis {
            name: name.to_owned(),
            values: vec![value.to_string()],
        };
        let own = [axis(threads, count), axis(depth, outstanding)];
        groups.push(Group {
            name: None,
            axes: own.into_iter().chain(axes.iter().cloned()).collect(),
        });
    }
    groups
}

fn refuse_beside_pairs(
    request: &Request,
    is_line: bool,
    axes: &[Axis],
    [threads, depth]: [&str; 2],
    problems: &mut Problems<Problem>,
) {
    let usual = Request::default();
    let work = (&request.work, &usual.work);
    let of_axes = |name: &str| axes.iter().any(|axis| axis.name == name);
    let given = [
        (threads, !is_line && work.0.threads != work.1.threads),
        (depth, !is_line && work.0.depth != work.1.depth),
    ];
    for (name, is_given) in given {
        if is_given || of_axes(name) {
            problems.push(Problem::Contradiction {
                place: "--pairs".to_owned(),
                why: format!("{name} is specified too: specify all its values in one place"),
            });
        }
    }
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
