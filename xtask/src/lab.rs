//! `cargo xtask lab nvme`: the program in a small virtual machine whose devices this one has not.
//!
//! QEMU emulates the processor and the disks, the distribution's own kernel boots, and one script is all that runs
//! there. Nothing of this machine is visible inside but the program and what it is linked with. Where something is
//! missing, the lab says so and is skipped. What it finds is right or wrong, never fast: no figure of it means anything.

mod archive;
mod kernel;

use archive::Archive;
use kernel::Kernel;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the lab calls, and the Debian package that brings it.
const NEEDS: [(&str, &str); 3] = [
    ("qemu-system-x86_64", "qemu-system-x86"),
    ("busybox", "busybox-static"),
    ("mke2fs", "e2fsprogs"),
];
const MODULES: [&str; 3] = ["nvme", "crc32c_generic", "ext4"];
const SCRIPT: &str = include_str!("lab/nvme.sh");
const NAMESPACE_BYTES: u64 = 16 << 20;
/// An emulated machine on a busy one takes its time.
const SECONDS_MAX: &str = "600";

/// Whether everything was as it should be; a lab that cannot be had is skipped, and that is good too.
pub(crate) fn run(root: &Path, words: &[String]) -> bool {
    if words != ["nvme"] {
        eprintln!(
            "lab: read `{}`; there is one lab: cargo xtask lab nvme",
            words.join(" ")
        );
        return false;
    }
    match nvme(root) {
        Ok(Outcome::Ran { good, bad }) => {
            let asked = SCRIPT
                .lines()
                .filter(|line| line.starts_with("says \""))
                .count();
            println!("lab nvme: {good} good, {bad} bad, of {asked}");
            good == asked && bad == 0
        }
        Ok(Outcome::Skipped(why)) => {
            println!("skipped: lab nvme: {why}");
            true
        }
        Err(error) => {
            eprintln!("lab nvme: {error}");
            false
        }
    }
}

enum Outcome {
    Ran { good: usize, bad: usize },
    Skipped(String),
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn nvme(root: &Path) -> Result<Outcome> {
    for (program, package) in NEEDS {
        if find(program).is_none() {
            return Ok(Outcome::Skipped(format!(
                "there is no {program} here; on Debian: apt-get install {package}"
            )));
        }
    }
    let target = named("CARGO_TARGET_DIR").unwrap_or_else(|| root.join("target"));
    let folder = target.join("lab");
    std::fs::create_dir_all(&folder)?;
    let kernel = match Kernel::find_or_fetch(&folder) {
        Ok(kernel) => kernel,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    let built = Command::new("cargo")
        .args(["build", "--package", "fathom"])
        .current_dir(root)
        .status()?;
    if !built.success() {
        return Err("the program could not be built".into());
    }
    let first = folder.join("first");
    make_first_disk(&kernel, &target.join("debug/fathom"), &first)?;
    let disks = Disks::new(&folder)?;
    let said = boot(&kernel, &first, &disks)?;
    let count = |word: &str| said.lines().filter(|line| line.starts_with(word)).count();
    let (good, bad) = (count("good: "), count("bad: "));
    for line in said.lines().filter(|line| !line.trim().is_empty()) {
        println!("{line}");
    }
    if !said.lines().any(|line| line.trim() == "the end") {
        return Err("the virtual machine did not come to its end".into());
    }
    Ok(Outcome::Ran { good, bad })
}

/// A namespace of zeros, one with a file system, and one that cannot be read from its second mebibyte's end on.
struct Disks {
    empty: PathBuf,
    mounted: PathBuf,
    broken: PathBuf,
    rules: PathBuf,
}

impl Disks {
    fn new(folder: &Path) -> Result<Self> {
        let disk = |name: &str| -> Result<PathBuf> {
            let path = folder.join(name);
            File::create(&path)?.set_len(NAMESPACE_BYTES)?;
            Ok(path)
        };
        let disks = Disks {
            empty: disk("empty")?,
            mounted: disk("mounted")?,
            broken: disk("broken")?,
            rules: folder.join("rules"),
        };
        let made = Command::new(find("mke2fs").ok_or("no mke2fs")?)
            .args(["-q", "-F", "-t", "ext4"])
            .arg(&disks.mounted)
            .status()?;
        if !made.success() {
            return Err("the file system could not be made".into());
        }
        // Sector 4096 of 512 bytes: byte 2 MiB. Source: QEMU's docs/devel/blkdebug.rst.
        let rules = "[inject-error]\nevent = \"none\"\niotype = \"read\"\nerrno = \"5\"\nsector = \"4096\"\n";
        std::fs::write(&disks.rules, rules)?;
        Ok(disks)
    }

    fn arguments(&self) -> Vec<String> {
        let raw = |path: &Path| {
            format!(
                "driver=raw,file.driver=file,file.filename={}",
                path.display()
            )
        };
        let broken = format!(
            "driver=blkdebug,config={},image.driver=raw,image.file.driver=file,image.file.filename={}",
            self.rules.display(),
            self.broken.display()
        );
        let drives = [raw(&self.empty), raw(&self.mounted), broken];
        let each = drives.iter().enumerate().flat_map(|(number, drive)| {
            [
                "-drive".to_owned(),
                format!("if=none,id=d{number},{drive}"),
                "-device".to_owned(),
                format!("nvme,serial=fathom{number},drive=d{number}"),
            ]
        });
        each.collect()
    }
}

/// What the kernel unpacks and starts: busybox, the modules, the program and its libraries, and the script.
fn make_first_disk(kernel: &Kernel, program: &Path, at: &Path) -> Result<()> {
    let mut archive = Archive::new();
    for folder in ["bin", "proc", "sys", "dev", "mnt", "tmp", "modules"] {
        archive.folder(folder);
    }
    let busybox = find("busybox").ok_or("no busybox")?;
    archive.file("bin/busybox", &std::fs::read(busybox)?);
    archive.file("bin/fathom", &std::fs::read(program)?);
    for library in libraries(program)? {
        let name = library.strip_prefix("/")?.to_string_lossy().into_owned();
        archive.file(&name, &std::fs::read(&library)?);
    }
    let mut order = String::new();
    for (name, bytes) in kernel.modules(&MODULES)? {
        archive.file(&format!("modules/{name}"), &bytes);
        order.push_str(&format!("{name}\n"));
    }
    archive.file("modules/order", order.as_bytes());
    archive.file("init", SCRIPT.as_bytes());
    std::fs::write(at, archive.finish())?;
    Ok(())
}

/// What a program is linked with. Source: ldd(1).
fn libraries(program: &Path) -> Result<Vec<PathBuf>> {
    let told = Command::new("ldd").arg(program).output()?;
    let told = String::from_utf8(told.stdout)?;
    let paths = told.split_whitespace().filter(|word| word.starts_with('/'));
    Ok(paths.map(PathBuf::from).collect())
}

/// What the machine said on its serial line.
fn boot(kernel: &Kernel, first: &Path, disks: &Disks) -> Result<String> {
    println!("lab nvme: {} in QEMU; takes about a minute", kernel.name());
    let output = Command::new("timeout")
        .arg(SECONDS_MAX)
        .arg("qemu-system-x86_64")
        .args([
            "-machine",
            "q35",
            "-accel",
            "tcg,thread=multi",
            "-cpu",
            "max",
        ])
        .args(["-smp", "2", "-m", "1024", "-nodefaults", "-no-user-config"])
        .args(["-display", "none", "-no-reboot", "-serial", "stdio"])
        .arg("-kernel")
        .arg(kernel.image())
        .arg("-initrd")
        .arg(first)
        .args(["-append", "console=ttyS0 panic=-1 quiet loglevel=1"])
        .args(disks.arguments())
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    let trouble = String::from_utf8_lossy(&output.stderr);
    if !trouble.trim().is_empty() {
        eprintln!("{}", trouble.trim());
    }
    Ok(said)
}

fn find(program: &str) -> Option<PathBuf> {
    let folders = crate::setup::search_path();
    folders
        .into_iter()
        .map(|folder| folder.join(program))
        .find(|place| place.is_file())
}

/// A folder that a person names in the environment.
#[allow(
    clippy::disallowed_methods,
    reason = "where to build, and which kernel to boot, is said there"
)]
fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}
