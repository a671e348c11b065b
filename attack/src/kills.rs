//! The program is killed at a random moment; what it reported as stored has to be there afterwards, whole.

use crate::dice::Dice;
use crate::program::{Program, text};
use crate::victims::Victims;
use crate::{AttackError, Outcome, now};
use std::fs;
use std::time::Duration;

const LINES: &[&str] = &[
    "run -d 20ms --warmup 0s --engine null",
    "run -d 50ms --warmup 0s -w 100 own",
    "sweep -d 20ms --warmup 0s -b 4K,8K,16K -o 1,2,4 own",
    "survey sim:ssd",
    "run -d 20ms --warmup 0s --create 4M new",
    "files --files 100 --data 4M .",
    "db backup copy.db",
    "report 1 -o page.html",
    "export --csv --out all.csv",
    "fio --name=a --rw=randwrite --bs=4k --size=1M --runtime=1 --time_based --filename=own --output=fio.json",
    "delete 1",
    "tag 1 word",
];

pub(crate) fn attempt(program: &Program, dice: &mut Dice) -> Result<Outcome, AttackError> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    fs::copy(program.database(), path("s.db"))?;
    program.own_file(&path("own"))?;
    let mut victims = Victims::default();
    victims.create(&path("thesis"), b"years of work")?;
    let line = *dice.one_of(LINES);
    let words: Vec<&str> = line.split_whitespace().collect();
    let (mut child, _) = program.start(folder.path(), &words)?;
    let begun = now();
    let until = Duration::from_micros(dice.below(400_000));
    while begun.elapsed() < until && child.try_wait()?.is_none() {
        std::thread::sleep(Duration::from_micros(300));
    }
    let _ = child.kill();
    child.wait()?;
    let stored = stored_id(&text(&path(".out"))).or(stored_id(&text(&path(".err"))));
    let mut faults = victims.damage();
    let checked = program.line(folder.path(), "db check")?;
    faults.extend(checked.fault(0));
    if checked.code != Some(0) {
        faults.push(format!("db check: {}{}", checked.out, checked.err));
    }
    if let Some(id) = stored {
        let shown = program.line(folder.path(), &format!("show {id} --json"))?;
        if shown.code != Some(0) {
            faults.push(format!(
                "session {id} was reported as stored: {}",
                shown.err
            ));
        }
    }
    for name in ["copy.db"] {
        if path(name).exists() {
            let line = format!("db check --store {name}");
            let whole = program.line(folder.path(), &line)?;
            if whole.code != Some(0) {
                faults.push(format!("half a file under the name {name}: {}", whole.err));
            }
        }
    }
    Ok(match faults.is_empty() {
        true => Outcome::Held,
        false => Outcome::Broken(format!(
            "{line}, killed after {until:?}: {}",
            faults.join("; ")
        )),
    })
}

/// The number in the sentence that reports that a session is in the database.
fn stored_id(text: &str) -> Option<u64> {
    let after = text.split("stored as ").nth(1)?;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
