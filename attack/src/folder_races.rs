//! The work folder of `fathom files` is moved away, and links to foreign files and folders are put in its place.

use crate::dice::Dice;
use crate::program::Program;
use crate::victims::Victims;
use crate::{AttackError, Outcome};
use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const NOBODY: u32 = 65_534;
/// Names that the steps of `fathom files` open in the work folder.
const NAMES: &[&str] = &["large", "small", "bytes", "latency"];

pub(crate) fn attempt(program: &Program, dice: &mut Dice) -> Result<Outcome, AttackError> {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    let att = folder.path().join("att");
    fs::create_dir(&home)?;
    fs::create_dir(&att)?;
    let mut victims = Victims::default();
    for name in NAMES {
        let mut data = vec![0; 256 << 10];
        dice.fill(&mut data);
        victims.create(&home.join(name), &data)?;
    }
    let _ = chown(&att, Some(NOBODY), Some(NOBODY));
    let ended = AtomicBool::new(false);
    let mut pauses = dice.clone();
    let done = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                disturb(&att, &home, &mut pauses);
                std::thread::sleep(Duration::from_micros(pauses.below(400_000)));
            }
        });
        let words = [
            "files",
            "--files",
            "200",
            "--size",
            "4M",
            "--no-store",
            "att",
        ];
        let done = program.words(folder.path(), &words);
        ended.store(true, Ordering::Relaxed);
        done
    })?;
    Ok(done.judge(&victims.damage()))
}

/// Moves the work folder away for a moment. In its place stands a link, or a folder whose names are links.
fn disturb(att: &Path, home: &Path, dice: &mut Dice) {
    let entries = fs::read_dir(att).into_iter().flatten().flatten();
    let work = entries
        .map(|entry| entry.path())
        .find(|path| path.is_dir() && !path.is_symlink());
    let Some(work) = work else {
        return;
    };
    let away = att.with_file_name("away");
    if fs::rename(&work, &away).is_err() {
        return;
    }
    let linked = dice.one_in(3);
    if linked {
        let _ = symlink(home, &work);
    } else {
        let _ = fs::create_dir(&work);
        for name in NAMES {
            let _ = symlink(home.join(name), work.join(name));
        }
    }
    std::thread::sleep(Duration::from_micros(dice.below(20_000)));
    let _ = match linked {
        true => fs::remove_file(&work),
        false => fs::remove_dir_all(&work),
    };
    let _ = fs::rename(&away, &work);
}
