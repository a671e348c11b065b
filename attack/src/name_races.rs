//! A name that flips between a file that fathom created and a foreign one, while commands write to it.

use crate::dice::Dice;
use crate::foreign::{WRITERS, words};
use crate::program::Program;
use crate::victims::Victims;
use crate::{AttackError, Outcome};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A user and group without files here.
const NOBODY: u32 = 65_534;
/// Commands of one attempt.
const COMMANDS: usize = 6;

pub(crate) fn attempt(program: &Program, dice: &mut Dice) -> Result<Outcome, AttackError> {
    let folder = tempfile::tempdir()?;
    let att = folder.path().join("att");
    fs::create_dir(&att)?;
    program.own_file(&att.join("t"))?;
    let mut data = vec![0; 1 << 20];
    dice.fill(&mut data);
    let mut victims = Victims::default();
    fs::write(folder.path().join("victim"), &data)?;
    let link = dice.one_in(3);
    if link {
        symlink("../victim", att.join("u"))?;
    } else {
        fs::hard_link(folder.path().join("victim"), att.join("u"))?;
    }
    victims.add(&folder.path().join("victim"), false)?;
    let _ = chown(&att, Some(NOBODY), Some(NOBODY)); // as root; another user keeps a folder of his own
    let mut faults = Vec::new();
    let mut lines = Vec::new();
    with_swaps(&att, dice, |dice| {
        for _ in 0..COMMANDS {
            let line = *dice.one_of(WRITERS);
            let ended = program.words(folder.path(), &words(line, &att.join("t")))?;
            faults.extend(ended.fault(0));
            lines.push(line);
        }
        Ok(())
    })?;
    faults.extend(victims.damage());
    Ok(match faults.is_empty() {
        true => Outcome::Held,
        false => Outcome::Broken(format!("{lines:?}: {}", faults.join("; "))),
    })
}

/// Runs `work` while `t` and `u` of the folder are exchanged again and again.
fn with_swaps(
    att: &Path,
    dice: &mut Dice,
    work: impl FnOnce(&mut Dice) -> Result<(), AttackError>,
) -> Result<(), AttackError> {
    let ended = AtomicBool::new(false);
    let mut pauses = dice.clone();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                let _ = renameat_with(
                    CWD,
                    att.join("t"),
                    CWD,
                    att.join("u"),
                    RenameFlags::EXCHANGE,
                );
                std::thread::sleep(Duration::from_micros(pauses.below(2000)));
            }
        });
        let done = work(dice);
        ended.store(true, Ordering::Relaxed);
        done
    })
}
