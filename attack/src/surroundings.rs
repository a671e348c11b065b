//! Foreign files reached through folders and file systems that are not what they seem: rights for others, overlays, images that
//! are in use, folders that are full or take no new names, and names next to the database. The option that confirms a loss is
//! given as often as not: none confirms these.

use crate::device_races::Loop;
use crate::dice::Dice;
use crate::foreign::{WRITERS, words};
use crate::outputs;
use crate::program::{Program, SYSTEM_PATH, text};
use crate::victims::Victims;
use crate::{AttackError, Outcome};
use rustix::fs::{XattrFlags, setxattr};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Command;

/// The user who is neither root nor this one.
const ANOTHER: u32 = 65534;
/// Confirm a loss for targets, and for a result.
const CONFIRMATIONS: [&str; 2] = ["--overwrite", "--force"];

/// Surroundings of a file, and the shell command that completes them in a mount namespace of its own.
struct Surroundings {
    name: &'static str,
    command: &'static str,
    set_up: fn(&Path, &mut Dice) -> Result<Option<Loop>, AttackError>,
}

const ALL: &[Surroundings] = &[
    surroundings("a folder that all may write", "true", |folder, dice| {
        rights(folder, *dice.one_of(&[0o777, 0o1777]))?;
        planted(folder, dice)
    }),
    surroundings("a folder of another user", "true", |folder, dice| {
        chown(folder.join("d"), Some(ANOTHER), Some(ANOTHER))?;
        planted(folder, dice)
    }),
    surroundings("a folder with an ACL", "true", |folder, dice| {
        access_list(&folder.join("d"))?;
        planted(folder, dice)
    }),
    surroundings(
        "a folder of a group with another member",
        "mount --bind etc /etc",
        |folder, dice| {
            rights(folder, 0o775)?;
            fs::create_dir(folder.join("etc"))?;
            let accounts = [
                (
                    "passwd",
                    "root:x:0:0::/:/bin/sh\nmallory:x:1001:1001::/:/bin/sh\n",
                ),
                ("group", "root:x:0:root,mallory\n"),
                ("nsswitch.conf", "passwd: files\ngroup: files\n"),
            ];
            for (file, text) in accounts {
                fs::write(folder.join("etc").join(file), text)?;
            }
            planted(folder, dice)
        },
    ),
    surroundings("the image of a loop device", "true", |folder, _| {
        symlink("../home/victim", folder.join("d/place"))?;
        Ok(Loop::over(&folder.join("home/victim")))
    }),
    surroundings(
        "the image of a loop device, through an overlay",
        "mount -t tmpfs none up && mkdir up/u up/w && mount -t overlay o -o lowerdir=home,upperdir=up/u,workdir=up/w d && ln -s victim d/place",
        |folder, _| {
            fs::create_dir(folder.join("up"))?;
            Ok(Loop::over(&folder.join("home/victim")))
        },
    ),
    surroundings(
        "a folder that only gets new names",
        "chattr +a d",
        |folder, _| {
            fs::copy(folder.join("home/victim"), folder.join("d/place"))?;
            Ok(None)
        },
    ),
    surroundings(
        "a full file system",
        "mount -t tmpfs -o size=32k none d && cp home/victim d/place 2>/dev/null; true",
        |_, _| Ok(None),
    ),
    surroundings("a name next to the database", "true", |folder, dice| {
        let end = *dice.one_of(&["-wal", "-shm", "-journal", "-sweep-2"]);
        symlink(format!("../s.db{end}"), folder.join("d/place"))?;
        Ok(None)
    }),
];

const fn surroundings(
    name: &'static str,
    command: &'static str,
    set_up: fn(&Path, &mut Dice) -> Result<Option<Loop>, AttackError>,
) -> Surroundings {
    Surroundings {
        name,
        command,
        set_up,
    }
}

pub(crate) fn attempt(program: &Program, dice: &mut Dice) -> Result<Outcome, AttackError> {
    if !rustix::process::geteuid().is_root() {
        return Ok(Outcome::Skipped("not root".to_owned()));
    }
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;
    fs::copy(program.database(), path("s.db"))?;
    program.own_file(&path("own"))?;
    fs::create_dir(path("home"))?;
    fs::create_dir(path("d"))?;
    let mut victims = Victims::default();
    let mut data = vec![0; 64 << 10];
    dice.fill(&mut data);
    victims.create(&path("home/victim"), &data)?;
    let surroundings = dice.one_of(ALL);
    let device = (surroundings.set_up)(folder.path(), dice)?;
    let line = line(dice);
    let is_confirmed = CONFIRMATIONS.iter().any(|word| line.ends_with(word));
    let earlier = fs::symlink_metadata(path("d/place"));
    if !is_confirmed && earlier.is_ok_and(|there| there.is_file() && there.len() > 0) {
        victims.add(&path("d/place"), true)?;
    }
    let script = format!("{} && exec \"$@\"", surroundings.command);
    let prefix = [
        "unshare",
        "--mount",
        "--propagation",
        "private",
        "sh",
        "-c",
        &script,
        "sh",
    ];
    let ended = program.below(folder.path(), &prefix, &words(&line, Path::new("d/place")))?;
    drop(device);
    let _ = Command::new("chattr")
        .env("PATH", SYSTEM_PATH)
        .args(["-a", "d"])
        .current_dir(folder.path())
        .status();
    let mut damage = victims.damage();
    // With the first option it may become a target, and with none a result.
    if !line.ends_with(CONFIRMATIONS[0])
        && text(&path("planted-by")) == "another"
        && fs::metadata(path("d/place"))?.len() > 0
    {
        damage.push("another user's file became a result".to_owned());
    }
    damage.extend(lost(program, folder.path(), &line)?);
    Ok(match ended.judge(&damage) {
        Outcome::Broken(what) => Outcome::Broken(format!("{}: {what}", surroundings.name)),
        held => held,
    })
}

/// A line that writes, as often as not with the option that confirms a loss.
fn line(dice: &mut Dice) -> String {
    let (line, confirmation) = match dice.one_in(2) {
        true => (*dice.one_of(WRITERS), CONFIRMATIONS[0]),
        false => (*dice.one_of(outputs::LINES), CONFIRMATIONS[1]),
    };
    let takes = confirmation != CONFIRMATIONS[1] || line.starts_with("report");
    match takes && dice.one_in(2) {
        true => format!("{line} {confirmation}"),
        false => line.to_owned(),
    }
}

fn rights(folder: &Path, mode: u32) -> Result<(), AttackError> {
    Ok(fs::set_permissions(
        folder.join("d"),
        Permissions::from_mode(mode),
    )?)
}

/// Places what another user could have placed.
fn planted(folder: &Path, dice: &mut Dice) -> Result<Option<Loop>, AttackError> {
    let place = folder.join("d/place");
    match dice.below(4) {
        0 => {
            symlink("../home/victim", &place)?;
            std::os::unix::fs::lchown(&place, Some(ANOTHER), Some(ANOTHER))?;
        }
        1 => fs::hard_link(folder.join("home/victim"), &place)?,
        2 => symlink("../home", folder.join("d/folder"))
            .and_then(|()| symlink("folder/victim", &place))?,
        _ => {
            fs::write(&place, "")?;
            chown(&place, Some(ANOTHER), Some(ANOTHER))?;
            fs::write(folder.join("planted-by"), "another")?;
        }
    }
    Ok(None)
}

/// Lets another user write by an entry of the list. // acl(5); the layout is linux/posix_acl_xattr.h's
fn access_list(folder: &Path) -> Result<(), AttackError> {
    let entries: [(u16, u16, u32); 5] = [
        (0x01, 7, u32::MAX),
        (0x02, 7, ANOTHER),
        (0x04, 5, u32::MAX),
        (0x10, 7, u32::MAX),
        (0x20, 5, u32::MAX),
    ];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in entries {
        list.extend(tag.to_le_bytes());
        list.extend(rights.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    Ok(setxattr(
        folder,
        "system.posix_acl_access",
        &list,
        XattrFlags::empty(),
    )?)
}

/// What is missing of the sessions that were stored before.
fn lost(program: &Program, folder: &Path, line: &str) -> Result<Vec<String>, AttackError> {
    let checked = program.line(folder, "db check")?;
    let shown = program.line(folder, "show 1 --json")?;
    let bad = [checked, shown]
        .into_iter()
        .filter(|ended| ended.code != Some(0));
    Ok(bad
        .map(|ended| format!("after {line}: {}: {}{}", ended.line, ended.out, ended.err))
        .collect())
}
