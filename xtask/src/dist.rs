//! `cargo xtask dist`: packages of the program in `target/dist`: a .deb, tarballs, a bill of materials and checksums.
//!
//! `--program FILE` packages a built program as .deb alone, compressed lightly, for the test of that package; `--to FOLDER` writes
//! elsewhere; `--check` installs and runs the packages in roots without anything else. Two calls on one commit write the same
//! bytes. The names of other tools (`diskspd`, `sqlio`, `fio`, `ior`, `lmdd`, `mdtest`, `sgp_dd`, `xdd`) are links in a folder of their own, so that the package hides none of them.
//! Omitted: signatures, and publishing.

mod bill;
mod check;

use crate::setup;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Links to the program by which it behaves as another tool. Not in PATH.
const LINKS: [&str; 8] = [
    "diskspd", "sqlio", "fio", "ior", "lmdd", "mdtest", "sgp_dd", "xdd",
];
const LINK_FOLDER: &str = "usr/lib/fathom/bin";
/// Shells with the place where their completions are found.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/fathom"),
    ("zsh", "usr/share/zsh/vendor-completions/_fathom"),
    ("fish", "usr/share/fish/vendor_completions.d/fathom.fish"),
];
/// Documents of the package, from the root of the tree.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];
const DOCUMENT_FOLDER: &str = "usr/share/doc/fathom";
const MUSL: &str = "x86_64-unknown-linux-musl";
const DESCRIPTION: &str = "measures storage and explains the figures
 Surveys a disk, runs single workloads and sweeps, compares results with confidence
 intervals, and runs the requests of DISKSPD, SQLIO, fio, IOmeter and IOR.";

/// What to package and where to put it.
struct Order {
    root: PathBuf,
    program: Option<PathBuf>,
    to: PathBuf,
    version: String,
    check: bool,
}

/// Writes all packages. Returns whether that worked.
pub(crate) fn run(root: &Path, words: &[String]) -> bool {
    let done = Order::read(root, words).and_then(|order| order.write());
    if let Err(why) = &done {
        eprintln!("dist: {why}");
    }
    done.is_ok()
}

impl Order {
    fn read(root: &Path, words: &[String]) -> Result<Order, String> {
        let mut order = Order {
            root: root.to_owned(),
            program: None,
            to: root.join("target/dist"),
            version: bill::version(root)?,
            check: false,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match (word.as_str(), words.as_slice().first()) {
                ("--check", _) => order.check = true,
                ("--program", Some(file)) => order.program = Some(file.into()),
                ("--to", Some(folder)) => order.to = folder.into(),
                _ => return Err("accepted: --check, --program FILE, --to FOLDER".to_owned()),
            }
            if word != "--check" {
                words.next();
            }
        }
        Ok(order)
    }

    fn write(&self) -> Result<(), String> {
        make_folder(&self.to)?;
        let name = format!(
            "fathom-{}-{}-linux-gnu",
            self.version,
            std::env::consts::ARCH
        );
        let tree = self.to.join(name);
        let written = match &self.program {
            Some(program) => {
                self.stage(program, &tree)?;
                vec![self.deb(&tree, "-Zgzip", "-z1")?]
            }
            None => self.all(&tree)?,
        };
        self.checksums(&written)?;
        if self.check {
            check::run(&self.root, &self.to, &written)?;
        }
        Ok(())
    }

    fn all(&self, tree: &Path) -> Result<Vec<PathBuf>, String> {
        self.stage(&built(&self.root, None)?, tree)?;
        let mut written = vec![self.tarball(tree)?, self.deb(tree, "-Zxz", "-z6")?];
        written.extend(self.musl()?);
        let bill = self.to.join(format!("fathom-{}.cdx.json", self.version));
        put(&bill, bill::of_materials(&self.root)?.as_bytes())?;
        written.push(bill);
        Ok(written)
    }

    /// Writes the tree of an installation, with documents, man pages and completions that the program itself prints.
    fn stage(&self, program: &Path, tree: &Path) -> Result<(), String> {
        let _ = fs::remove_dir_all(tree); // there may be none
        let bin = tree.join("usr/bin/fathom");
        make_folder(&tree.join("usr/bin"))?;
        run_command(Command::new("strip").arg("-o").arg(&bin).arg(program))?;
        for (shell, place) in COMPLETIONS {
            let printed = output(Command::new(&bin).args(["completions", shell]))?;
            put(&tree.join(place), &printed)?;
        }
        let man = tree.join("usr/share/man/man1");
        make_folder(&man)?;
        run_command(Command::new(&bin).arg("man").arg(&man))?;
        run_command(Command::new("gzip").args(["-9nr"]).arg(&man))?;
        for name in DOCUMENTS {
            let text = fs::read(self.root.join(name)).map_err(|why| format!("{name}: {why}"))?;
            put(&tree.join(DOCUMENT_FOLDER).join(name), &text)?;
        }
        let licences = output(Command::new(&bin).arg("--licenses"))?;
        put(
            &tree.join(DOCUMENT_FOLDER).join("third-party.txt"),
            &licences,
        )?;
        let copyright =
            b"fathom is under MIT (LICENSE-MIT) or Apache-2.0 (LICENSE-APACHE), as you like.\n\
            The notices of the libraries that it contains are in third-party.txt.\n";
        put(&tree.join(DOCUMENT_FOLDER).join("copyright"), copyright)?;
        make_folder(&tree.join(LINK_FOLDER))?;
        for name in LINKS {
            let link = tree.join(LINK_FOLDER).join(name);
            symlink("../../../bin/fathom", link).map_err(|why| format!("{name}: {why}"))?;
        }
        Ok(())
    }

    fn deb(&self, tree: &Path, form: &str, level: &str) -> Result<PathBuf, String> {
        let architecture = output(Command::new("dpkg").arg("--print-architecture"))?;
        let architecture = String::from_utf8_lossy(&architecture).trim().to_owned();
        let size = output(
            Command::new("du")
                .args(["-sk", "--apparent-size"])
                .arg(tree),
        )?;
        let size = String::from_utf8_lossy(&size);
        let size = size.split_whitespace().next().unwrap_or("0").to_owned();
        let control = format!(
            "Package: fathom\nVersion: {}\nArchitecture: {architecture}\nMaintainer: fathom maintainers <fathom@localhost>\n\
             Installed-Size: {size}\nDepends: {}\nSection: utils\nPriority: optional\nDescription: {DESCRIPTION}\n",
            self.version,
            depends(&tree.join("usr/bin/fathom"))?
        );
        let folder = tree.join("DEBIAN");
        put(&folder.join("control"), control.as_bytes())?;
        let mut sums = Command::new("sh");
        sums.args([
            "-c",
            "find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum",
        ]);
        put(&folder.join("md5sums"), &output(sums.current_dir(tree))?)?;
        let deb = self
            .to
            .join(format!("fathom_{}_{architecture}.deb", self.version));
        let mut build = Command::new("dpkg-deb");
        build
            .args([form, level, "--root-owner-group", "--build"])
            .arg(tree)
            .arg(&deb);
        let built = run_command(build.env("SOURCE_DATE_EPOCH", self.epoch()?));
        let removed = fs::remove_dir_all(&folder).map_err(|why| format!("DEBIAN: {why}"));
        built.and(removed).map(|()| deb)
    }

    fn tarball(&self, tree: &Path) -> Result<PathBuf, String> {
        let (parent, name) = (tree.parent(), tree.file_name());
        let (parent, name) = parent.zip(name).ok_or("the tree has no name")?;
        let file = parent.join(format!("{}.tar.gz", name.to_string_lossy()));
        let mut tar = Command::new("tar");
        tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
        tar.arg(format!("--mtime=@{}", self.epoch()?));
        tar.args(["--use-compress-program", "gzip -9n", "-cf"])
            .arg(&file);
        run_command(tar.arg("-C").arg(parent).arg(name)).map(|()| file)
    }

    /// Builds and packages the static program. `None`, with the reason printed, where the target cannot be installed.
    fn musl(&self) -> Result<Option<PathBuf>, String> {
        if !setup::static_builds(MUSL) {
            println!(
                "skipped: static tarball: it needs `rustup target add {MUSL}` and `apt-get install musl-tools`"
            );
            return Ok(None);
        }
        let program = built(&self.root, Some(MUSL))?;
        let name = format!("fathom-{}-x86_64-linux-static", self.version);
        let tree = self.to.join(name);
        self.stage(&program, &tree)?;
        self.tarball(&tree).map(Some)
    }

    fn checksums(&self, files: &[PathBuf]) -> Result<(), String> {
        let names = files.iter().filter_map(|file| file.file_name());
        let mut sums = Command::new("sha256sum");
        let sums = output(sums.args(names).current_dir(&self.to))?;
        print!("{}", String::from_utf8_lossy(&sums));
        for file in files {
            let size = fs::metadata(file).map_err(|why| format!("{}: {why}", file.display()))?;
            println!("dist: {} {} KiB", file.display(), size.len().div_ceil(1024));
        }
        put(&self.to.join("SHA256SUMS"), &sums)
    }

    /// Returns the time of the commit, so that the packages do not depend on when they are built.
    fn epoch(&self) -> Result<String, String> {
        let mut git = Command::new("git");
        let time = output(
            git.args(["log", "-1", "--format=%ct"])
                .current_dir(&self.root),
        )?;
        Ok(String::from_utf8_lossy(&time).trim().to_owned())
    }
}

/// Builds a release and returns the program.
fn built(root: &Path, target: Option<&str>) -> Result<PathBuf, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--package", "fathom"]);
    let mut folder = root.join("target");
    if let Some(target) = target {
        cargo.args(["--target", target]);
        folder.push(target);
    }
    run_command(cargo.current_dir(root)).map(|()| folder.join("release/fathom"))
}

/// Returns the packages that the program loads libraries from, with the oldest glibc that has its symbols.
fn depends(program: &Path) -> Result<String, String> {
    let symbols = output(Command::new("objdump").arg("-Tp").arg(program))?;
    let symbols = String::from_utf8_lossy(&symbols).into_owned();
    let versions = symbols.split("GLIBC_").skip(1).map(|rest| {
        let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit());
        let parts = rest[..end.unwrap_or(rest.len())].split('.');
        parts
            .filter_map(|part| part.parse().ok())
            .collect::<Vec<u32>>()
    });
    let newest = versions.max().unwrap_or_default();
    let parts: Vec<String> = newest.iter().map(u32::to_string).collect();
    let unwinder = if symbols.contains("libgcc_s.so.1") {
        ", libgcc-s1"
    } else {
        ""
    };
    Ok(format!("libc6 (>= {}){unwinder}", parts.join(".")))
}

fn make_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|why| format!("{}: {why}", folder.display()))
}

/// Writes a file that everybody can read.
fn put(file: &Path, content: &[u8]) -> Result<(), String> {
    if let Some(parent) = file.parent() {
        make_folder(parent)?;
    }
    let written = fs::write(file, content);
    let open = written.and_then(|()| fs::set_permissions(file, fs::Permissions::from_mode(0o644)));
    open.map_err(|why| format!("{}: {why}", file.display()))
}

fn run_command(command: &mut Command) -> Result<(), String> {
    match command.stdin(Stdio::null()).stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(why) => Err(format!("{command:?}: {why}")),
    }
}

fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    match command.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => Ok(output.stdout),
        Ok(output) => Err(format!("{command:?}: {}", output.status)),
        Err(why) => Err(format!("{command:?}: {why}")),
    }
}
