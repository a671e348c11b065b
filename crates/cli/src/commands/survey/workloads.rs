//! What `--workload` names: sets of the house, several with commas, or a file.

use std::io::{Error, ErrorKind, Read};
use std::path::Path;
use sweep::{SurveyWorkload, WorkloadSet};
use tools::{Problem, Reader, WORKLOADS_LENGTH_MAX};

const OPTION: &str = "--workload";
const FORM: &str = "must be all, oltp, olap, sql-log, backup, vdi, several of these with commas, or the name of a \
                   file of workloads";

/// Reads the word. Empty only where something is wrong, which is reported.
pub(crate) fn read(text: &str, reader: &mut Reader) -> Vec<SurveyWorkload> {
    let sets: Option<Vec<&WorkloadSet>> = text.split(',').map(WorkloadSet::of).collect();
    if let Some(sets) = sets {
        return of_sets(&sets);
    }
    match of_file(text) {
        Ok(workloads) => workloads,
        Err(problems) => {
            for problem in problems {
                reader.refuse(problem);
            }
            Vec::new()
        }
    }
}

/// A workload that two sets share comes once.
fn of_sets(sets: &[&WorkloadSet]) -> Vec<SurveyWorkload> {
    let mut workloads: Vec<SurveyWorkload> = Vec::new();
    for workload in sets.iter().flat_map(|set| set.workloads()) {
        if !workloads.contains(&workload) {
            workloads.push(workload);
        }
    }
    workloads
}

fn of_file(name: &str) -> Result<Vec<SurveyWorkload>, Vec<Problem>> {
    let looks_like_a_file = name.contains(['/', '.']) || std::path::Path::new(name).exists();
    if !looks_like_a_file {
        let unknown = |part: &&str| WorkloadSet::of(part).is_none();
        let unknown: Vec<&str> = name.split(',').filter(unknown).collect();
        return Err(vec![Problem::Value {
            option: OPTION,
            read: unknown.join(","),
            accepted: FORM,
        }]);
    }
    let wrong = |what: String| Problem::File {
        option: OPTION,
        path: name.into(),
        what,
    };
    let mut text = String::new();
    gate::Input::open(Path::new(name))
        .and_then(|input| {
            input
                .take(WORKLOADS_LENGTH_MAX as u64 + 1)
                .read_to_string(&mut text)
        })
        .map_err(|error| vec![wrong(why(name, &error))])?;
    let read = tools::workloads_of(&text);
    let read = read.map_err(|reported| reported.into_iter().map(wrong).collect::<Vec<_>>())?;
    let workloads = read.into_iter().map(|one| SurveyWorkload {
        name: one.name,
        block: one.block,
        write: one.write,
        access: one.access,
    });
    Ok(workloads.collect())
}

/// Why the file cannot be read, and what to do.
fn why(name: &str, error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound if name.contains(',') => {
            "there is no file of this name; a file stands alone, and sets with commas have none among them".to_owned()
        }
        ErrorKind::NotFound => {
            "there is no file of this name: check the spelling, or specify a set".to_owned()
        }
        ErrorKind::IsADirectory => "this is a folder: specify a file of workloads".to_owned(),
        ErrorKind::InvalidData => "it is no text in UTF-8: write it as one".to_owned(),
        _ => model::errno_text(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sweep::SETS;

    #[test]
    fn every_set_is_named_where_the_option_is_explained() {
        for set in SETS {
            assert!(FORM.contains(set.name), "{}", set.name);
        }
    }

    #[test]
    fn what_cannot_be_read_is_reported_with_what_to_do() {
        let reported = |text: &str| {
            let mut reader = Reader::default();
            read(text, &mut reader);
            reader.finish(()).unwrap_err().to_string()
        };
        assert!(
            reported("nope,oltp,quux")
                .starts_with("invalid value 'nope,quux' for --workload: must be all")
        );
        assert!(reported("no-such.toml").contains("there is no file of this name: check"));
        assert!(reported("no-such.toml,oltp").contains("a file stands alone"));
        assert!(reported("./").contains("this is a folder"));
    }

    #[test]
    fn several_sets_are_one_survey_and_share_what_they_have_in_common() {
        let mut reader = Reader::default();
        let both = read("all,backup", &mut reader);
        assert_eq!(both.len(), 7);
        assert!(reader.finish(()).is_ok());
    }
}
