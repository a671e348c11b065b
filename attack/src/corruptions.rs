//! A results database with changed bytes: every command reports it or answers as before, and none crashes.

use crate::dice::Dice;
use crate::program::Program;
use crate::{AttackError, Outcome};
use std::fs;

const READERS: &[&str] = &[
    "export --json",
    "list",
    "table",
    "show 1 --json",
    "show 3",
    "db check --full",
    "db check",
    "compare 1 2",
];

pub(crate) fn attempt(program: &Program, dice: &mut Dice) -> Result<Outcome, AttackError> {
    let folder = tempfile::tempdir()?;
    let database = folder.path().join("s.db");
    let line = *dice.one_of(READERS);
    fs::copy(program.database(), &database)?;
    let before = program.line(folder.path(), line)?;
    let mut data = fs::read(program.database())?;
    let how = damage(dice, &mut data);
    fs::write(&database, &data)?;
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(folder.path().join(format!("s.db{suffix}")));
    }
    let after = program.line(folder.path(), line)?;
    let fault = after.fault(data.len() as u64);
    let silent = after.code == Some(0) && after.out != before.out && !line.starts_with("db");
    Ok(match (fault, silent) {
        (Some(fault), _) => Outcome::Broken(format!("{how}: {fault}")),
        (None, true) => Outcome::Broken(format!("{how}: {line}: another answer, exit code 0")),
        (None, false) => Outcome::Held,
    })
}

fn damage(dice: &mut Dice, data: &mut Vec<u8>) -> String {
    let length = data.len();
    match dice.below(5) {
        0 => {
            let to = dice.index(length);
            data.truncate(to);
            format!("cut at {to}")
        }
        1 => {
            let page = dice.index(length / 4096) * 4096;
            data[page..page + 4096].fill(0);
            format!("zeros at {page}")
        }
        2 => {
            let from = dice.index(length / 4096) * 4096;
            let to = dice.index(length / 4096) * 4096;
            let page = data[from..from + 4096].to_vec();
            data[to..to + 4096].copy_from_slice(&page);
            format!("page {from} copied to {to}")
        }
        3 => {
            let at = dice.index(length.saturating_sub(64).max(1));
            let end = (at + 64).min(length);
            dice.fill(&mut data[at..end]);
            format!("64 random bytes at {at}")
        }
        _ => {
            let at = dice.index(length);
            data[at] ^= 1 << dice.below(8);
            format!("one bit at {at}")
        }
    }
}
