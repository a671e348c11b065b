//! Files that other programs wrote, changed by chance and blown up: every reader ends in time and within its memory.

use crate::dice::Dice;
use crate::program::Program;
use crate::{AttackError, Outcome};
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of the longest input.
const INPUT_MAX: usize = 4 << 20;

/// Folders of seeds, and the line that reads one of their files as `{}`.
const READERS: &[(&str, &str)] = &[
    ("import_fio", "import {}"),
    ("import_diskspd", "import {}"),
    ("import_sqlio", "import {}"),
    ("import_iometer", "import {}"),
    ("import_dd", "import {}"),
    ("import_bonnie", "import {}"),
    ("import_others", "import {}"),
    ("import_xml", "import {}"),
    ("import_script", "import {}"),
    ("fio_jobs", "fio --parse-only {}"),
    ("diskspd_xml", "diskspd -X{}"),
    ("iometer_icf", "iometer --no-store -d 1ms {}"),
    ("sqlio_params", "sqlio -s1 -F{}"),
    ("sweep_plan", "sweep --dry-run --plan {}"),
];

pub(crate) fn attempt(program: &Program, dice: &mut Dice) -> Result<Outcome, AttackError> {
    let folder = tempfile::tempdir()?;
    let (kind, line) = *dice.one_of(READERS);
    let mut data = seed(dice, kind)?;
    for _ in 0..=dice.below(4) {
        mutate(dice, &mut data);
    }
    data.truncate(INPUT_MAX);
    let path = folder.path().join("input.toml");
    fs::write(&path, &data)?;
    let ended = program.words(folder.path(), &crate::foreign::words(line, &path))?;
    let fault = ended.fault(data.len() as u64);
    if fault.is_some() {
        let keep = std::env::temp_dir().join(format!("attack-{kind}-{}", dice.bits()));
        let _ = fs::copy(&path, &keep);
        let what = fault.unwrap_or_default();
        return Ok(Outcome::Broken(format!("{}: {what}", keep.display())));
    }
    Ok(Outcome::Held)
}

/// One of the fuzzers' seeds.
fn seed(dice: &mut Dice, kind: &str) -> Result<Vec<u8>, AttackError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds");
    let mut files: Vec<PathBuf> = fs::read_dir(root.join(kind))?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    match files.is_empty() {
        true => Ok(Vec::new()),
        false => Ok(fs::read(dice.one_of(&files))?),
    }
}

fn mutate(dice: &mut Dice, data: &mut Vec<u8>) {
    if data.is_empty() {
        data.push(b'\n');
    }
    let from = dice.index(data.len());
    let to = from + 1 + dice.index((data.len() - from).min(4096));
    let to = to.min(data.len());
    match dice.below(9) {
        0 => repeat(dice, data, from, to),
        1 => {
            let piece: Vec<u8> = data[from..to].to_vec();
            data.splice(from..from, piece);
        }
        2 => drop(data.drain(from..to)),
        3 => dice.fill(&mut data[from..to]),
        4 => data[from] ^= 1 << dice.below(8),
        5 => {
            let filler = *dice.one_of(&[
                b"\n".as_slice(),
                b"{",
                b"[",
                b"<a>",
                b"0",
                b"\0",
                b" ",
                b"\"",
                b"%s",
                b"=",
            ]);
            let count = dice.index(INPUT_MAX / filler.len());
            data.splice(from..from, filler.repeat(count));
        }
        6 => data.truncate(from),
        7 => {
            let numbers = [
                "-1",
                "18446744073709551616",
                "1e999",
                "NaN",
                "0.0000000001",
                "9".repeat(5000).as_str(),
            ]
            .map(str::to_owned);
            let number = dice.one_of(&numbers).clone().into_bytes();
            data.splice(from..from, number);
        }
        _ => {
            let all = data.clone();
            data.extend_from_slice(&all);
        }
    }
}

/// A piece many times, up to the longest input.
fn repeat(dice: &mut Dice, data: &mut Vec<u8>, from: usize, to: usize) {
    let piece: Vec<u8> = data[from..to].to_vec();
    let most = INPUT_MAX.saturating_sub(data.len()) / piece.len();
    let times = dice.index(most.max(1));
    data.splice(from..from, piece.repeat(times));
}
