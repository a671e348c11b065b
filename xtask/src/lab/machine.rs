//! The emulated machine: content of its first file system, how it is started, and its output on the serial line.

use super::archive::Archive;
use super::kernel::Kernel;
use super::{Result, find};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A processor, memory and what hangs on them.
pub(super) struct Machine {
    pub(super) processors: &'static [&'static str],
    pub(super) memory_mib: u32,
    /// Added to the kernel's command line.
    pub(super) kernel_words: &'static str,
    /// QEMU's other arguments.
    pub(super) more: Vec<String>,
    pub(super) seconds_max: u32,
}

/// What the kernel unpacks and starts: busybox, modules, programs and their libraries, and the script.
pub(super) struct Contents {
    pub(super) modules: &'static [&'static str],
    pub(super) programs: Vec<PathBuf>,
    pub(super) script: &'static str,
}

impl Machine {
    /// One processor at 8 ns an instruction, whose time goes on at once where it has nothing to do. Without the two
    /// features a copy counts each byte as an instruction. Source: QEMU's `docs/system/invocation` and
    /// `docs/devel/tcg-icount.rst`.
    pub(super) const COUNTS_INSTRUCTIONS: &[&str] = &[
        "-accel",
        "tcg,thread=single",
        "-icount",
        "shift=3,sleep=off,align=off",
        "-rtc",
        "base=2026-01-01T00:00:00,clock=vm",
        "-cpu",
        "max,-erms,-fsrm",
        "-smp",
        "1",
        "-seed",
        "1",
    ];
    /// Nothing by chance from one start to the next, and a clock that is that of the instructions.
    pub(super) const ALIKE: &str = "nokaslr norandmaps mitigations=off tsc=reliable";

    /// Output of the machine until its end; each line is printed as it comes.
    pub(super) fn boot(&self, kernel: &Kernel, first: &Path) -> Result<String> {
        let words = format!(
            "console=ttyS0 panic=-1 quiet loglevel=1 {}",
            self.kernel_words
        );
        let mut machine = Command::new("timeout")
            .arg(self.seconds_max.to_string())
            .arg("qemu-system-x86_64")
            .args(["-machine", "q35"])
            .args(self.processors)
            .args(["-m", &self.memory_mib.to_string()])
            .args(["-nodefaults", "-no-user-config", "-display", "none"])
            .args(["-no-reboot", "-serial", "stdio"])
            .arg("-kernel")
            .arg(kernel.image())
            .arg("-initrd")
            .arg(first)
            .args(["-append", words.trim_end()])
            .args(&self.more)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let line = machine.stdout.take().ok_or("no serial line")?;
        let mut said = String::new();
        for bytes in BufReader::new(line).split(b'\n') {
            let line = String::from_utf8_lossy(&bytes?).replace('\r', "");
            if !line.trim().is_empty() {
                println!("{line}");
            }
            said.push_str(&line);
            said.push('\n');
        }
        machine.wait()?;
        Ok(said)
    }
}

impl Contents {
    pub(super) fn write(&self, kernel: &Kernel, at: &Path) -> Result<()> {
        let mut archive = Archive::new();
        for folder in ["bin", "proc", "sys", "dev", "mnt", "tmp", "modules"] {
            archive.folder(folder);
        }
        let busybox = find("busybox").ok_or("no busybox")?;
        archive.file("bin/busybox", &std::fs::read(busybox)?);
        let mut all = Vec::new();
        for program in &self.programs {
            let name = program.file_name().ok_or("a program without a name")?;
            let name = format!("bin/{}", name.to_string_lossy());
            archive.file(&name, &std::fs::read(program)?);
            all.extend(libraries(program)?);
        }
        all.sort();
        all.dedup();
        for library in all {
            let name = library.strip_prefix("/")?.to_string_lossy().into_owned();
            archive.file(&name, &std::fs::read(&library)?);
        }
        let mut order = String::new();
        for (name, bytes) in kernel.modules(self.modules)? {
            archive.file(&format!("modules/{name}"), &bytes);
            order.push_str(&format!("{name}\n"));
        }
        archive.file("modules/order", order.as_bytes());
        archive.file("init", self.script.as_bytes());
        std::fs::write(at, archive.finish())?;
        Ok(())
    }
}

/// What a program is linked with. Source: ldd(1).
fn libraries(program: &Path) -> Result<Vec<PathBuf>> {
    let reported = Command::new("ldd").arg(program).output()?;
    let reported = String::from_utf8(reported.stdout)?;
    let paths = reported
        .split_whitespace()
        .filter(|word| word.starts_with('/'));
    Ok(paths.map(PathBuf::from).collect())
}
