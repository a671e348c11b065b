//! Which steps are omitted, and that no other one works on what they would have left.

use analysis::say::listed;
use model::{Bytes, TreeStep, TreeWork};
use tools::{Problem, Reader};

const OPTION: &str = "--skip";
const FORM: &str = "must be steps: write-bytes, write-blocks, rewrite-blocks, read-bytes, read-blocks, seek, \
                   make-folder, create, stat, read, append, append-and-fsync, rename, delete and remove-folder, with \
                   commas between; bytes is write-bytes and read-bytes";
/// What bonnie++ omits with `-f`.
const BYTES: (&str, [TreeStep; 2]) = ("bytes", [TreeStep::WriteBytes, TreeStep::ReadBytes]);

/// Reads the list; all words of it that are no step are reported in one problem.
pub(super) fn read(text: Option<&str>, reader: &mut Reader) -> Vec<TreeStep> {
    let (mut skipped, mut wrong) = (Vec::new(), Vec::new());
    for word in text.into_iter().flat_map(|text| text.split(',')) {
        match steps(word) {
            found if found.is_empty() => wrong.push(word.trim()),
            found => skipped.extend(found),
        }
    }
    if !wrong.is_empty() {
        reader.refuse(Problem::Value {
            option: OPTION,
            read: wrong.join(","),
            accepted: FORM,
        });
    }
    all().filter(|step| skipped.contains(step)).collect()
}

/// The steps that a word means; in a table they stand with spaces.
fn steps(word: &str) -> Vec<TreeStep> {
    let word = word.trim().to_ascii_lowercase().replace(' ', "-");
    match word == BYTES.0 {
        true => BYTES.1.to_vec(),
        false => all().filter(|step| step.word() == word).collect(),
    }
}

fn all() -> impl Iterator<Item = TreeStep> {
    TreeStep::LARGE.into_iter().chain(TreeStep::SMALL)
}

/// Refuses to omit what a step that stays works on, and to omit all there is.
pub(super) fn must_leave_what_others_need(work: &TreeWork, reader: &mut Reader) {
    let parts = [
        (
            work.data > Bytes(0),
            &TreeStep::LARGE[..],
            "large file",
            "--data 0",
        ),
        (
            work.files > 0,
            &TreeStep::SMALL[..],
            "small files",
            "--files 0",
        ),
    ];
    for (asked, steps, what, none) in parts {
        let stay = || steps.iter().filter(|step| !work.skipped.contains(step));
        if asked && stay().next().is_none() {
            needed(
                reader,
                format!("no step on the {what} is left: specify {none} instead"),
            );
        }
        let left_out = steps.iter().filter(|step| work.skipped.contains(step));
        for step in left_out.filter(|_| asked) {
            let without: Vec<String> = stay()
                .filter(|other| other.needs(*step))
                .map(|other| other.word())
                .collect();
            if !without.is_empty() {
                needed(reader, refusal(*step, &without));
            }
        }
    }
}

fn needed(reader: &mut Reader, why: String) {
    reader.refuse(Problem::Needed {
        option: OPTION,
        why,
    });
}

fn refusal(step: TreeStep, without: &[String]) -> String {
    let (need, them) = match without.len() {
        1 => ("needs", "it"),
        _ => ("need", "them"),
    };
    format!(
        "{} has to stay, because {} {need} what it leaves: skip {them}, too, or keep {}",
        step.word(),
        listed(without),
        step.word()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(text: &str, work: &TreeWork) -> Result<Vec<TreeStep>, String> {
        let mut reader = Reader::default();
        let skipped = read(Some(text), &mut reader);
        let work = TreeWork {
            skipped: skipped.clone(),
            ..work.clone()
        };
        must_leave_what_others_need(&work, &mut reader);
        reader.finish(skipped).map_err(|error| error.to_string())
    }

    fn both() -> TreeWork {
        TreeWork {
            files: 10,
            data: Bytes::mib(1),
            ..TreeWork::default()
        }
    }

    #[test]
    fn every_step_has_its_word_and_all_wrong_words_are_reported_at_once() {
        for step in all() {
            assert!(FORM.contains(&step.word()), "{step:?}");
            assert_eq!(steps(&step.word()), [step]);
            assert_eq!(steps(step.name()), [step]);
        }
        let bytes = reported("bytes", &both()).unwrap();
        assert_eq!(bytes, BYTES.1);
        assert_eq!(
            reported("read-bytes, write bytes,Bytes", &both()).unwrap(),
            bytes
        );
        let wrong = reported("byte,stat,,fsync", &both()).unwrap_err();
        assert!(
            wrong.contains("invalid value 'byte,,fsync' for --skip: must be steps: write-bytes"),
            "{wrong}"
        );
    }

    #[test]
    fn what_a_step_works_on_stays_or_goes_with_it() {
        for together in ["rename", "stat,read", "delete,remove-folder", "write-bytes"] {
            assert!(reported(together, &both()).is_ok(), "{together}");
        }
        let alone = reported("delete", &both()).unwrap_err();
        let words = "--skip: delete has to stay, because remove-folder needs what it leaves: skip it, too, or keep delete";
        assert!(alone.contains(words), "{alone}");
        let create = reported("create,append,append-and-fsync", &both()).unwrap_err();
        assert!(
            create.contains("because stat, read, rename, delete and remove-folder need what it leaves: skip them"),
            "{create}"
        );
        let without_the_file = TreeWork {
            data: Bytes(0),
            ..both()
        };
        assert!(reported("write-blocks", &without_the_file).is_ok());
    }

    #[test]
    fn a_part_of_which_nothing_is_left_is_left_out_by_its_own_option() {
        let large = "bytes,write-blocks,rewrite-blocks,read-blocks,seek";
        let reported = reported(large, &both()).unwrap_err();
        assert!(
            reported.contains("no step on the large file is left: specify --data 0 instead"),
            "{reported}"
        );
    }
}
