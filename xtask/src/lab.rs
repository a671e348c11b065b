//! `cargo xtask lab`: the program in a small virtual machine whose devices or limits this one has not.
//!
//! QEMU emulates the processor and the disks, the distribution's own kernel boots, and one script is all that runs
//! there. Nothing of this machine is visible inside but the programs and what they are linked with; `guest` alone shares
//! this machine's root, read-only, with the kernel that has the modules. Where something is
//! missing, the lab reports it and is skipped. What it finds is right or wrong, never fast: no rate of it means
//! anything. Read in this order: the table of labs (here), one of them, `machine`. A new lab is one file and one row.

mod archive;
mod cgroups;
mod environments;
mod guest;
mod kernel;
mod machine;
mod nvme;
mod survey;
mod verify;

use crate::parts::Parts;
use crate::setup;
use kernel::Kernel;
use machine::{Contents, Machine};
use std::path::{Path, PathBuf};
use std::process::Command;

const LABS: [Lab; 3] = [nvme::LAB, survey::LAB, cgroups::LAB];

/// What every lab calls, and the Debian package that brings it.
const NEEDS: [(&str, &str); 2] = [
    ("qemu-system-x86_64", "qemu-system-x86"),
    ("busybox", "busybox-static"),
];

/// One row.
struct Lab {
    name: &'static str,
    about: &'static str,
    takes: &'static str,
    /// Other programs that it calls here or takes inside, and the Debian packages that bring them.
    needs: &'static [(&'static str, &'static str)],
    /// Each of its lines that begin with `says "` prints one line, `good: …` or `bad: …`; the last line is `the end`.
    script: &'static str,
    run: fn(&Visit<'_>) -> Result<Outcome>,
}

/// How many expectations were met.
struct Outcome {
    good: usize,
    bad: usize,
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Whether everything was as it should be; a lab that is not available is skipped, which is no failure.
pub(crate) fn run(root: &Path, words: &[String]) -> bool {
    let (name, options) = match words.split_first() {
        Some((name, options)) => (name.as_str(), options),
        None => ("", words),
    };
    let here = match name {
        "environments" => Some(environments::run(root, options)),
        "verify" => Some(verify::run(root, options)),
        _ => None,
    };
    if let Some(result) = here {
        return result.unwrap_or_else(|error| {
            eprintln!("lab {name}: {error}");
            false
        });
    }
    let asked = |lab: &&Lab| words == [lab.name];
    let Some(lab) = LABS.iter().find(asked) else {
        eprintln!("lab: read `{}`; there are:", words.join(" "));
        eprintln!(
            "  {}, on this machine's kernel and in a virtual machine",
            environments::USAGE
        );
        eprintln!("  {}, on this machine's kernel", verify::USAGE);
        for lab in &LABS {
            eprintln!("  cargo xtask lab {:<8} {}", lab.name, lab.about);
        }
        return false;
    };
    match visit(lab, root) {
        Ok(Ok(Outcome { good, bad })) => {
            let expectations = lab.script.lines();
            let asked = expectations
                .filter(|line| line.starts_with("says \""))
                .count();
            println!("lab {}: {good} good, {bad} bad, of {asked}", lab.name);
            good == asked && bad == 0
        }
        Ok(Err(why)) => {
            println!("skipped: lab {}: {why}", lab.name);
            true
        }
        Err(error) => {
            eprintln!("lab {}: {error}", lab.name);
            false
        }
    }
}

/// Runs the short parts of the labs on this machine's kernel, with what was compiled for the tests. Returns whether all passed.
pub(crate) fn short(root: &Path, parts: &Parts) -> bool {
    let lab = |name: &str| run(root, &[name.to_owned(), "short".to_owned()]);
    let environments = parts.run("environments, the short part", || lab("environments"));
    parts.run("verification below the kernel, the short part", || {
        lab("verify")
    }) && environments
}

/// The inner error is why it is not available.
fn visit(lab: &Lab, root: &Path) -> Result<std::result::Result<Outcome, String>> {
    for (program, package) in NEEDS.iter().chain(lab.needs) {
        if find(program).is_none() {
            return Ok(Err(format!(
                "there is no {program} here; on Debian: apt-get install {package}"
            )));
        }
    }
    let target = setup::target(root);
    let folder = target.join("lab");
    std::fs::create_dir_all(&folder)?;
    let kernel = match Kernel::find_or_fetch(&folder) {
        Ok(kernel) => kernel,
        Err(why) => return Ok(Err(why)),
    };
    let visit = Visit {
        lab,
        root,
        target: &target,
        folder: &folder,
        kernel: &kernel,
    };
    (lab.run)(&visit).map(Ok)
}

/// One lab's turn.
struct Visit<'a> {
    lab: &'a Lab,
    root: &'a Path,
    target: &'a Path,
    /// For files of the lab's own.
    folder: &'a Path,
    kernel: &'a Kernel,
}

impl Visit<'_> {
    /// Builds these packages, each by itself, so that none has what another asks of a room; their programs, named as they
    /// are. Those for release are without what only a debugger reads.
    fn build(&self, packages: &[&str], release: bool) -> Result<Vec<PathBuf>> {
        let built = self.target.join(if release { "release" } else { "debug" });
        let programs = packages.iter().map(|package| {
            let mut build = Command::new("cargo");
            build.args(["build", "--package", package]);
            build.args(release.then_some("--release"));
            if !build.current_dir(self.root).status()?.success() {
                return Err(format!("{package} could not be built").into());
            }
            let program = built.join(package);
            match find("strip").filter(|_| release) {
                Some(strip) => stripped(&strip, &program, &self.folder.join(package)),
                None => Ok(program),
            }
        });
        programs.collect()
    }

    /// The lab's other programs, where they are on this machine.
    fn needed(&self) -> Result<Vec<PathBuf>> {
        let needs = self.lab.needs.iter();
        let places = needs.map(|(name, _)| find(name).ok_or(format!("no {name}").into()));
        places.collect()
    }

    /// Starts the machine and counts what was good.
    fn boot(&self, machine: &Machine, contents: &Contents) -> Result<Outcome> {
        let first = self.folder.join("first");
        contents.write(self.kernel, &first)?;
        let (name, takes) = (self.lab.name, self.lab.takes);
        println!("lab {name}: {} in QEMU; takes {takes}", self.kernel.name());
        let said = machine.boot(self.kernel, &first)?;
        let count = |word: &str| said.lines().filter(|line| line.starts_with(word)).count();
        if !said.lines().any(|line| line.trim() == "the end") {
            return Err("the virtual machine did not come to its end".into());
        }
        Ok(Outcome {
            good: count("good: "),
            bad: count("bad: "),
        })
    }
}

fn stripped(strip: &Path, program: &Path, to: &Path) -> Result<PathBuf> {
    let done = Command::new(strip)
        .arg("-o")
        .arg(to)
        .arg(program)
        .status()?;
    match done.success() {
        true => Ok(to.to_owned()),
        false => Err("strip failed".into()),
    }
}

fn find(program: &str) -> Option<PathBuf> {
    let folders = setup::search_path();
    folders
        .into_iter()
        .map(|folder| folder.join(program))
        .find(|place| place.is_file())
}
