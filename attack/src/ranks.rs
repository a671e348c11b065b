//! A host of a job that answers what no fathom would: frames of any kind and length, others' answers cut off or changed, messages
//! without an end. Rank 0 ends in time, with its own result.

use crate::dice::Dice;
use crate::program::{HOST_TIMEOUT, Program, SYSTEM_PATH};
use crate::victims::Victims;
use crate::{AttackError, Outcome};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

const LINES: &[&str] = &[
    "run own.{rank} --create 1M -d 100ms --warmup 0s",
    "run own.{rank} --create 1M -d 100ms --warmup 0s -w 100 --each",
    "sweep own.{rank} --create 1M -o 1,2 -d 50ms --warmup 0s",
    "ior -w -b 64k -t 4k -F -k -o own",
];

pub(crate) fn attempt(program: &Program, dice: &mut Dice) -> Result<Outcome, AttackError> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let mut victims = Victims::default();
    victims.create(&path("thesis"), b"years of work")?;
    fs::write(path("frames"), frames(dice))?;
    let what = host(dice);
    let script = format!("#!/bin/sh\nPATH={SYSTEM_PATH}\nshift\n{what}\n");
    fs::write(path("ssh"), script)?;
    fs::set_permissions(path("ssh"), Permissions::from_mode(0o755))?;
    let line = format!(
        "{} --hosts localhost,b {HOST_TIMEOUT} 5s --ssh {} --remote-fathom {}",
        dice.one_of(LINES),
        path("ssh").display(),
        program.path().display(),
    );
    let ended = program.line(folder.path(), &line)?;
    let mut damage = victims.damage();
    if !matches!(ended.code, Some(0..=2)) {
        damage.push(format!("ended with {:?}: {}", ended.code, ended.err));
    }
    if ended.err.contains('\u{1b}') || ended.err.len() > 1 << 20 {
        damage.push(format!(
            "{} bytes of messages, or not escaped",
            ended.err.len()
        ));
    }
    Ok(match ended.judge(&damage) {
        Outcome::Broken(found) => Outcome::Broken(format!("a host that does `{what}`: {found}")),
        held => held,
    })
}

/// What the host does, as a command of a shell, in which `$1` is what was ordered.
fn host(dice: &mut Dice) -> String {
    let (first, second) = (dice.below(4000), dice.below(200_000));
    match dice.below(7) {
        0 => "cat frames".to_owned(),
        1 => "cat frames; cat > /dev/null".to_owned(),
        2 => format!("sh -c \"$1\" | head -c {first}"),
        3 => format!("{{ head -c {first} frames; sh -c \"$1\"; }}"),
        4 => format!("{{ sh -c \"$1\" | head -c {first}; cat frames; }}"),
        5 => format!("yes \"$(printf '\\033[2Jrank')\" | head -c {second} >&2; exec sh -c \"$1\""),
        _ => format!(
            "sh -c \"$1\" | LC_ALL=C sed -u 's/\\x0{}/\\x{:02x}/{}'",
            dice.below(8),
            dice.below(256),
            1 + dice.below(3)
        ),
    }
}

/// Frames, well formed but for what is drawn. // crates/job/src/frame.rs
fn frames(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..dice.below(20) {
        let length = *dice.one_of(&[0, 1, 8, 100, 4096, 70_000]);
        let mut body = vec![0; length];
        dice.fill(&mut body);
        let claimed = match dice.below(8) {
            0 => dice.bits(),
            1 => 63 << 20,
            _ => length as u64,
        };
        bytes.extend(0x4a48_5446_u32.to_le_bytes());
        bytes.extend(if dice.one_in(10) { [2, 0] } else { [1, 0] });
        bytes.extend([dice.below(11) as u8, dice.below(4) as u8]);
        bytes.extend((dice.below(4) as u32).to_le_bytes());
        bytes.extend((dice.below(6) as u32).to_le_bytes());
        bytes.extend(claimed.to_le_bytes());
        bytes.extend(body);
    }
    bytes
}
