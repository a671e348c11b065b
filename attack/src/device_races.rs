//! A loop device that gets another file between the points of a sweep, a survey or the timespans of a profile.

use crate::dice::Dice;
use crate::foreign::words;
use crate::program::Program;
use crate::victims::Victims;
use crate::{AttackError, Outcome};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// About a second of attempts to attach a file.
const ATTACH_TRIES: u32 = 300;

const LINES: &[&str] = &[
    "sweep -d 20ms --warmup 0s --rest 60ms -b 4K,8K -o 1,2 -w 100 {}",
    "run -d 20ms --warmup 0s -w 100 {}",
    "survey --budget 3s --depth-max 1 {}",
    "diskspd -d1 -W0 -w100 {}",
    "dd if=/dev/zero of={} bs=4096 count=4",
];

pub(crate) fn attempt(program: &Program, dice: &mut Dice) -> Result<Outcome, AttackError> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    program.own_file(&path("own.img"))?;
    let mut data = vec![0; crate::program::OWN_BYTES as usize];
    dice.fill(&mut data);
    let mut victims = Victims::default();
    victims.create(&path("victim.img"), &data)?;
    let Some(device) = Loop::over(&path("own.img")) else {
        return Ok(Outcome::Skipped("no loop device can be set up".to_owned()));
    };
    let ended = AtomicBool::new(false);
    let mut pauses = dice.clone();
    let line = *dice.one_of(LINES);
    let done = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut other = true;
            while !ended.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_micros(pauses.below(30_000)));
                let image = if other { "victim.img" } else { "own.img" };
                if device.attach(&path(image)) {
                    other = !other;
                }
            }
        });
        let done = program.words(folder.path(), &words(line, &device.0));
        ended.store(true, Ordering::Relaxed);
        done
    })?;
    drop(device);
    Ok(done.judge(&victims.damage()))
}

/// A loop device; it goes away with the attempt.
pub(crate) struct Loop(PathBuf);

impl Loop {
    pub(crate) fn over(file: &Path) -> Option<Loop> {
        let out = Command::new("losetup")
            .args(["--find", "--show"])
            .arg(file)
            .output();
        let out = out.ok().filter(|out| out.status.success())?;
        let name = String::from_utf8(out.stdout).ok()?;
        Some(Loop(PathBuf::from(name.trim())))
    }

    /// Detaches its file and attaches another one; whether both were done.
    fn attach(&self, file: &Path) -> bool {
        let losetup = |words: &[&std::ffi::OsStr]| {
            let mut command = Command::new("losetup");
            command.args(words).stderr(std::process::Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        // A device that is open is detached when it is closed, so the new file has to wait for that moment.
        losetup(&["--detach".as_ref(), self.0.as_ref()])
            && (0..ATTACH_TRIES).any(|_| losetup(&[self.0.as_ref(), file.as_ref()]))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let mut command = Command::new("losetup");
        command.arg("--detach").arg(&self.0);
        let _ = command.stderr(std::process::Stdio::null()).status();
    }
}
