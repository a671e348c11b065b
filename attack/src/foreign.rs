//! Foreign content in many formats behind many names, given to every command that writes, without the option that
//! confirms it.

use crate::dice::Dice;
use crate::program::Program;
use crate::victims::{self, Victims};
use crate::{AttackError, Outcome};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Lines that write to `{}`; a short time each.
pub(crate) const WRITERS: &[&str] = &[
    "run -d 20ms --warmup 0s -w 100 {}",
    "run -d 20ms --warmup 0s -w 50 -o 8 -t 2 {}",
    "run -d 20ms --warmup 0s -w 100 -b 512 --cache cached {}",
    "run -d 20ms --warmup 0s -w 100 --compress 50 --no-store {}",
    "run -d 20ms --warmup 0s --create 1M {}",
    "run -d 20ms --warmup 0s --create 3M --engine sync {}",
    "sweep -d 20ms --warmup 0s -b 4K,8K -w 100 {}",
    "sweep -d 20ms --warmup 0s --create 1M -o 1,2 {}",
    "survey --budget 3s --depth-max 1 --size 64M {}",
    "diskspd -d1 -W0 -w100 {}",
    "diskspd -d1 -W0 -c1M {}",
    "diskspd -d1 -W0 -w100 -Zr {}",
    "fio --name=a --rw=randwrite --bs=4k --size=1M --runtime=1 --time_based --filename={}",
    "fio --name=a --rw=write --bs=4k --size=64k --filename={}",
    "sqlio -kW -s1 -b8 {}",
    "dd if=/dev/zero of={} bs=4096 count=4",
    "dd if=/dev/zero of={} bs=4096 count=4 conv=notrunc",
    "lmdd if=internal of={} bs=4k count=4",
    "sgp_dd if=/dev/zero of={} bs=512 count=8",
    "ior -w -k -b 64k -t 4k -o {}",
    "ior -w -b 64k -t 4k -F -o {}",
    "xdd -op write -target {} -reqsize 4 -numreqs 16",
    "xdd -op read -target {} -reqsize 1 -numreqs 1 -deletefile",
];

pub(crate) fn attempt(program: &Program, dice: &mut Dice) -> Result<Outcome, AttackError> {
    let folder = tempfile::tempdir()?;
    let own = folder.path().join("template");
    program.own_file(&own)?;
    let (format, data) = victims::content(dice, &fs::read(&own)?);
    let mut victims = Victims::default();
    let victim = folder.path().join(name(dice));
    victims.create(&victim, &data)?;
    let (shape, target) = shape(dice, folder.path(), &victim)?;
    let line = *dice.one_of(WRITERS);
    let ended = program.words(folder.path(), &words(line, &target))?;
    Ok(match ended.judge(&victims.damage()) {
        Outcome::Broken(what) => Outcome::Broken(format!("{format}, {shape}: {what}")),
        held => held,
    })
}

/// The words of a line with the target in its place, with any name.
pub(crate) fn words(line: &str, target: &Path) -> Vec<std::ffi::OsString> {
    let word = |word: &str| match word.strip_suffix("{}") {
        Some(before) => {
            let mut whole = std::ffi::OsString::from(before);
            whole.push(target);
            whole
        }
        None => word.into(),
    };
    line.split_whitespace().map(word).collect()
}

/// A name that a careless program trips over.
fn name(dice: &mut Dice) -> String {
    let long = "n".repeat(255);
    let names = [
        "plain.dat",
        "fathom.dat",
        "with space",
        "line\nbreak",
        "esc\u{1b}[2J",
        "-w",
        "--overwrite",
        "a:b,c",
        "#1",
        "*0",
        "quote'\"",
        "\u{202e}txt.exe",
        "%s%n",
        "s.db-sweep-2",
        ".fathom-look.dat",
        long.as_str(),
    ];
    (*dice.one_of(&names)).to_owned()
}

/// Another way to the victim, and what it is called.
fn shape(
    dice: &mut Dice,
    folder: &Path,
    victim: &Path,
) -> Result<(&'static str, PathBuf), AttackError> {
    let other = folder.join("other");
    Ok(match dice.below(6) {
        0 => {
            symlink(victim, &other)?;
            ("a link", other)
        }
        1 => {
            fs::hard_link(victim, &other)?;
            ("a hard link", other)
        }
        2 => {
            fs::create_dir(folder.join("sub"))?;
            let name = victim.file_name().unwrap_or_default();
            ("a path with dots", folder.join("sub/..").join(name))
        }
        3 => {
            symlink(folder, &other)?;
            let name = victim.file_name().unwrap_or_default();
            ("a linked folder", other.join(name))
        }
        _ => ("its name", victim.to_owned()),
    })
}
