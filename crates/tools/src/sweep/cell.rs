//! One combination → a timespan, with the words that ask for it alone.

use super::fields::find;
use super::foreign::diskspd_words;
use super::problem::{Problem, Refusal, none_or_once};
use super::{Base, Line};
use crate::diskspd::{self, Action, Extra};
use crate::native::{self, Request};
use model::{Nanos, Profile, Timespan};

/// A combination that can be asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltCell {
    /// What is run.
    pub timespan: Timespan,
    /// The command line that runs it alone, program first.
    pub words: Vec<String>,
    /// What was accepted and changes nothing.
    pub notes: Vec<String>,
}

/// Builds a cell from its fields and values. `place` is its place in the matrix, from 0: cells of options
/// draw from different seeds, so that none finds in a cache what the one before it read. A DISKSPD line keeps its seed.
///
/// # Errors
/// Everything that is wrong with this combination.
pub fn build_cell(
    base: &Base,
    values: &[(String, String)],
    place: u64,
    environment: &diskspd::Environment<'_>,
) -> Result<BuiltCell, Refusal> {
    match base {
        Base::Native(request) => of_request(request, values, place),
        Base::Diskspd(line) => of_line(line, values, environment),
        Base::Script(lines) => of_line(chosen(lines, values), &[], environment),
    }
}

/// The line of a script that a cell is.
fn chosen<'a>(lines: &'a [Line], values: &[(String, String)]) -> &'a Line {
    let place = values.iter().find(|(name, _)| name == "line");
    let place = place.and_then(|(_, value)| value.parse::<usize>().ok());
    let line = place.and_then(|place| lines.get(place.checked_sub(1)?));
    line.expect("the values of the field are the places of lines")
}

fn of_request(
    request: &Request,
    values: &[(String, String)],
    place: u64,
) -> Result<BuiltCell, Refusal> {
    let mut request = request.clone();
    for (name, value) in values {
        let field = find(name).expect("names were looked up when the axes were read");
        (field.set)(&mut request, value);
    }
    let built = native::build(&request)
        .map_err(|refusal| refused(refusal.iter().cloned().map(Problem::Native).collect()))?;
    let mut timespan = only(built.profile);
    if !values.iter().any(|(name, _)| name == "seed") {
        timespan.seed = timespan.seed.wrapping_add(place);
    }
    let words = native::print(&timespan).expect("fathom's own options can be expressed in them");
    let of_defaults = |option: &str| option == "--interval" && request.time.interval.is_none();
    let notes = built.notes.iter().filter(|note| !of_defaults(note.option));
    Ok(BuiltCell {
        words,
        timespan,
        notes: notes.map(ToString::to_string).collect(),
    })
}

fn of_line(
    line: &Line,
    values: &[(String, String)],
    environment: &diskspd::Environment<'_>,
) -> Result<BuiltCell, Refusal> {
    let arguments = line.arguments(values);
    let (profile, mut notes) = read_line(&arguments, environment)?;
    let built = diskspd::build(&profile, &Extra::default()).map_err(reported)?;
    notes.extend(built.notes.iter().map(ToString::to_string));
    Ok(BuiltCell {
        notes,
        timespan: only(built.profile),
        words: with_head(arguments),
    })
}

/// What a line asks for, and what was accepted of it and may not mean what was meant.
fn read_line(
    arguments: &[String],
    environment: &diskspd::Environment<'_>,
) -> Result<(diskspd::Profile, Vec<String>), Refusal> {
    let alone = |why: &str| {
        refused(vec![Problem::Contradiction {
            place: "the DISKSPD line".to_owned(),
            why: why.to_owned(),
        }])
    };
    let request = diskspd::parse(arguments, environment).map_err(reported)?;
    let Action::Run(profile) = request.action else {
        return Err(alone("it requests no run: omit -?, -Rp and -ye"));
    };
    if request.extra != Extra::default() {
        return Err(alone(
            "long switches (--…) belong to the sweep itself and not to the line: put them outside of the quotes",
        ));
    }
    if request.events != diskspd::Events::default() {
        return Err(alone(
            "it waits for or sets events (-y), which a sweep does not: omit them",
        ));
    }
    Ok((
        profile,
        request.notes.iter().map(ToString::to_string).collect(),
    ))
}

fn with_head(arguments: Vec<String>) -> Vec<String> {
    let head = ["fathom", "diskspd"].map(str::to_owned);
    head.into_iter().chain(arguments).collect()
}

fn refused(problems: Vec<Problem>) -> Refusal {
    none_or_once(problems).expect_err("a refusal has problems")
}

#[allow(clippy::needless_pass_by_value, reason = "it stands in map_err")]
fn reported(refusal: diskspd::Refusal) -> Refusal {
    let problems = refusal.iter();
    refused(
        problems
            .map(|problem| Problem::Diskspd(problem.to_string()))
            .collect(),
    )
}

/// A combination as it stands in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptCell {
    /// The arguments behind `diskspd`, or why DISKSPD cannot express it.
    pub diskspd: Result<Vec<String>, String>,
    /// The command line for fathom, program first.
    pub fathom: Vec<String>,
    /// Warm-up, measuring and cool-down.
    pub load: Nanos,
}

/// The same for a script that runs elsewhere: what only this system cannot do does not stand against it.
///
/// # Errors
/// Everything that is wrong with this combination.
pub fn script_cell(
    base: &Base,
    values: &[(String, String)],
    place: u64,
) -> Result<ScriptCell, Refusal> {
    let arguments = match base {
        Base::Native(request) => {
            let built = of_request(request, values, place)?;
            return Ok(ScriptCell {
                diskspd: diskspd_words(&built.timespan),
                load: built.timespan.phases.total(),
                fathom: built.words,
            });
        }
        Base::Diskspd(line) => line.arguments(values),
        Base::Script(lines) => chosen(lines, values).arguments(&[]),
    };
    let (profile, _) = read_line(&arguments, &diskspd::Environment::BARE)?;
    diskspd::validate(&profile, diskspd::Purpose::Run).map_err(reported)?;
    let seconds = |span: &diskspd::TimeSpan| {
        u64::from(span.warmup_s) + u64::from(span.duration_s) + u64::from(span.cooldown_s)
    };
    Ok(ScriptCell {
        diskspd: Ok(arguments.clone()),
        fathom: with_head(arguments),
        load: Nanos::seconds(profile.time_spans.iter().map(seconds).sum()),
    })
}

fn only(mut profile: Profile) -> Timespan {
    assert_eq!(profile.timespans.len(), 1, "options ask for one timespan");
    profile.timespans.remove(0)
}
