//! A script that loops over DISKSPD → a sweep with one cell for each command line that it starts.
//!
//! Names of targets are those of the script's machine; a map gives each the name that it has here.

use super::course::CourseText;
use super::line::is_target;
use super::loops::{ScriptLine, read_script};
use super::problem::{Problem, Refusal, none_or_once};
use super::{Axis, Base, Definition, Group, Line};
use crate::refusal::Problems;

/// A target of a script, and its name here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetName {
    /// As the script has it, in any case.
    pub there: String,
    /// Its name here.
    pub here: String,
}

impl TargetName {
    /// Reads `THERE=HERE`.
    ///
    /// # Errors
    /// What is accepted.
    pub fn read(text: &str) -> Result<TargetName, String> {
        let parts = text.split_once('=');
        let parts = parts.filter(|(there, here)| !there.is_empty() && !here.is_empty());
        let (there, here) = parts.ok_or_else(|| {
            model::invalid_value(
                text,
                "--map",
                "must be a target of the script and its name here, as in 'C:\\io.dat=/mnt/x/io.dat'",
            )
        })?;
        Ok(TargetName {
            there: there.to_owned(),
            here: here.to_owned(),
        })
    }
}

/// Reads a script by its name and text.
///
/// # Errors
/// A script that starts nothing that can be followed, with the lines that could not be, and the course.
pub fn from_script(
    name: &str,
    text: &str,
    map: &[TargetName],
    course: &CourseText,
) -> Result<Definition, Refusal> {
    let mut problems = Problems::default();
    let found = read_script(name, text);
    let unread = found
        .unread
        .iter()
        .map(|line| format!("{name}:{}: not read: {}", line.number, line.why));
    let notes: Vec<String> = unread.collect();
    if found.lines.is_empty() {
        problems.push(Problem::Contradiction {
            place: name.to_owned(),
            why: "it starts no DISKSPD that can be followed".to_owned(),
        });
        for note in &notes {
            problems.push(Problem::Diskspd(note.clone()));
        }
    }
    if found.is_cut {
        problems.push(Problem::Contradiction {
            place: name.to_owned(),
            why: "its loops start more than 10000 command lines, or do not end; a sweep has at most 10000 cells".to_owned(),
        });
    }
    refuse_unused(map, &found.lines, &mut problems);
    let named = |mut words: Vec<String>| {
        for word in &mut words {
            let same = map
                .iter()
                .find(|name| name.there.eq_ignore_ascii_case(word));
            if let Some(name) = same {
                word.clone_from(&name.here);
            }
        }
        Line::of_words(words)
    };
    let lines: Vec<Line> = found
        .lines
        .into_iter()
        .map(|line| named(line.words))
        .collect();
    let course = course.read(&|name| format!("--{name}"), &mut problems);
    none_or_once(problems)?;
    let axis = Axis {
        name: "line".to_owned(),
        values: (1..=lines.len()).map(|place| place.to_string()).collect(),
    };
    Ok(Definition {
        base: Base::Script(lines),
        groups: vec![Group {
            name: None,
            axes: vec![axis],
        }],
        exclude: Vec::new(),
        course,
        notes,
    })
}

/// Refuses names for targets that no line of the script has.
fn refuse_unused(map: &[TargetName], lines: &[ScriptLine], problems: &mut Problems<Problem>) {
    let words = || lines.iter().flat_map(|line| &line.words);
    let has = |name: &TargetName| words().any(|word| name.there.eq_ignore_ascii_case(word));
    for name in map.iter().filter(|name| !lines.is_empty() && !has(name)) {
        let mut targets: Vec<&str> = words()
            .map(String::as_str)
            .filter(|word| is_target(word))
            .collect();
        targets.sort_unstable();
        targets.dedup();
        problems.push(Problem::Value {
            place: "--map".to_owned(),
            read: format!("{}={}", name.there, name.here),
            accepted: format!(
                "must begin with a target of the script: {}",
                targets.join(", ")
            ),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{TargetName, from_script};
    use crate::sweep::CourseText;

    const SCRIPT: &str = "for %%o in (1 8) do diskspd -b4K -o%%o -d1 E:\\io.dat\n";

    fn cells(map: &str) -> Result<usize, String> {
        let map = [TargetName::read(map).unwrap()];
        let read = from_script("a.cmd", SCRIPT, &map, &CourseText::default());
        let count = read.map(|definition| definition.groups[0].axes[0].values.len());
        count.map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn a_map_names_a_target_of_the_script() {
        assert_eq!(cells("e:\\IO.DAT=/mnt/io.dat"), Ok(2));
        let refused = cells("E:\\oi.dat=/mnt/io.dat").unwrap_err();
        assert!(
            refused.contains("--map") && refused.contains("E:\\io.dat"),
            "{refused}"
        );
    }
}
