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
                std::thread::sleep(Duration::from_micros(pauses.below(3000)));
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

/// Moves what is in the folder away, or puts links in its place.
fn disturb(att: &Path, home: &Path, dice: &mut Dice) {
    let entries = fs::read_dir(att).into_iter().flatten().flatten();
    for entry in entries {
        let path = entry.path();
        let is_work = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_work || path.to_string_lossy().contains(".away") {
            continue;
        }
        if dice.one_in(2) {
            let away = att.join(format!(".away{}", dice.below(1 << 30)));
            let _ = fs::rename(&path, away);
            let _ = symlink(home, &path);
        } else {
            let name = *dice.one_of(NAMES);
            let _ = fs::remove_file(path.join(name));
            let _ = symlink(home.join(name), path.join(name));
        }
    }
}
