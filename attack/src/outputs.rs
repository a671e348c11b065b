//! Every option that names a file to be written, pointed at something foreign.

use crate::dice::Dice;
use crate::program::Program;
use crate::victims::{self, Victims};
use crate::{AttackError, Outcome};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Lines that write a file `{}`.
pub(crate) const LINES: &[&str] = &[
    "report 1 -o {}",
    "export --csv --out {}",
    "export --parquet --out {}",
    "db backup {}",
    "list --store {}",
    "run -d 20ms --warmup 0s --engine null --store {}",
    "db check --store {}",
    "run -d 20ms --warmup 0s --engine null --store file:{}",
    "fio --name=a --rw=randread --bs=4k --runtime=1 --time_based --filename=own --output={}",
    "fio --name=a --rw=randread --bs=4k --runtime=1 --time_based --filename=own --output-format=json --output={}",
    "iometer --write-icf {} 1",
    "man {}",
    "survey sim:ssd -o {}",
    "dd if=own of={} bs=64k",
];

pub(crate) fn attempt(program: &Program, dice: &mut Dice) -> Result<Outcome, AttackError> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    fs::copy(program.database(), path("s.db"))?;
    program.own_file(&path("own"))?;
    let mut victims = Victims::default();
    let (format, data) = victims::content(dice, &fs::read(path("own"))?);
    fs::create_dir(path("home"))?;
    victims.create(&path("home/victim"), &data)?;
    for page in [
        "fathom.1",
        "fathom-run.1",
        "s.db-sweep-2",
        "report.html.part",
    ] {
        victims.create(&path("home").join(page), b"years of work")?;
    }
    victims.add(&path("own"), true)?;
    let shape = place(dice, folder.path())?;
    let line = *dice.one_of(LINES);
    let target = match line {
        "man {}" => path("home"),
        _ => path("place"),
    };
    let ended = program.words(folder.path(), &crate::foreign::words(line, &target))?;
    Ok(match ended.judge(&victims.damage()) {
        Outcome::Broken(what) => Outcome::Broken(format!("{format}, {shape}: {what}")),
        held => held,
    })
}

/// Puts something foreign at `place`.
fn place(dice: &mut Dice, folder: &Path) -> Result<&'static str, AttackError> {
    let place = folder.join("place");
    Ok(match dice.below(5) {
        0 => {
            symlink("home/victim", &place)?;
            "a link"
        }
        1 => {
            fs::hard_link(folder.join("home/victim"), &place)?;
            "a hard link"
        }
        2 => {
            fs::create_dir(&place)?;
            "a folder"
        }
        3 => {
            symlink("own", &place)?;
            "a link to a target"
        }
        _ => {
            fs::rename(folder.join("home/victim"), &place)?;
            fs::hard_link(&place, folder.join("home/victim"))?;
            "a file"
        }
    })
}
