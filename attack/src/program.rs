//! The program under attack: started in a folder, with bounds on time and memory, and judged by how it ended.
//!
//! Next to it are the templates that attempts copy: a file that it created, and a results database with sessions.

use crate::{AttackError, Outcome, now};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Longest time in which a command has to end.
pub(crate) const TIME_MAX: Duration = Duration::from_secs(10);
/// How long a host may be silent before it is lost, and the least that is accepted.
pub(crate) const HOST_TIMEOUT: &str = "--host-timeout";
const HOST_TIMEOUT_MIN: Duration = Duration::from_secs(5);
/// Memory that a command may use in addition to what its input allows.
pub(crate) const MEMORY_BASE_BYTES: u64 = 96 << 20;
/// Bytes of the template of a file that fathom created.
pub(crate) const OWN_BYTES: u64 = 2 << 20;

/// Where the system's programs are.
pub(crate) const SYSTEM_PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// Commands that may measure for as long as their input specifies, and then have to end when they are interrupted.
const MEASURING: &[&str] = &["\"diskspd\"", "\"iometer\"", "\"sqlio\"", "\"fio\""];

pub(crate) struct Program {
    path: PathBuf,
    templates: TempDir,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) line: String,
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    /// Most memory in use, as far as it was seen.
    pub(crate) peak_bytes: u64,
    pub(crate) hung: bool,
    interrupted: bool,
}

impl Program {
    /// Creates the templates.
    pub(crate) fn prepare(path: &Path) -> Result<Program, AttackError> {
        let program = Program {
            path: path.canonicalize()?,
            templates: tempfile::tempdir()?,
        };
        let folder = program.templates.path().to_owned();
        for line in [
            "run -d 50ms --warmup 0s --create 2M own",
            "run -d 50ms --warmup 0s -w 50 -o 4 own",
            "run -d 50ms --warmup 0s --engine null -o 8",
            "survey --budget 3s --depth-max 1 sim:ssd -o none",
            "sweep -d 20ms --warmup 0s -b 4K,8K -o 1,2 own",
        ] {
            let ended = program.line(&folder, line)?;
            if ended.code != Some(0) {
                return Err(AttackError::Setup(format!("{line}: {ended:?}")));
            }
        }
        Ok(program)
    }

    /// A copy of the file that fathom created, under this path.
    pub(crate) fn own_file(&self, to: &Path) -> Result<(), AttackError> {
        fs::copy(self.templates.path().join("own"), to)?;
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The results database that belongs to the templates.
    pub(crate) fn database(&self) -> PathBuf {
        self.templates.path().join("s.db")
    }

    pub(crate) fn line(&self, folder: &Path, line: &str) -> Result<Ended, AttackError> {
        self.words(folder, &line.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn words<S: AsRef<OsStr>>(
        &self,
        folder: &Path,
        words: &[S],
    ) -> Result<Ended, AttackError> {
        self.below(folder, &[], words)
    }

    /// Runs the program by a command that replaces itself with what follows its own words.
    pub(crate) fn below<S: AsRef<OsStr>>(
        &self,
        folder: &Path,
        prefix: &[&str],
        words: &[S],
    ) -> Result<Ended, AttackError> {
        let (mut child, line) = self.start_below(folder, prefix, words)?;
        let begun = now();
        let mut peak_bytes = 0;
        let (mut interrupted, mut hung) = (false, false);
        let time_max = time_max(&line);
        let status = loop {
            peak_bytes = peak_bytes.max(peak_of(&child));
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if begun.elapsed() > time_max && !interrupted {
                interrupted = true;
                interrupt(&child);
            }
            if begun.elapsed() > time_max * 2 {
                hung = true;
                child.kill()?;
                break child.wait()?;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        Ok(Ended {
            code: code_of(status),
            out: text(&folder.join(".out")),
            err: text(&folder.join(".err")),
            peak_bytes,
            hung: hung || interrupted && !may_measure(&line),
            interrupted,
            line,
        })
    }

    /// Starts a command; its outputs go to `.out` and `.err` of the folder.
    pub(crate) fn start<S: AsRef<OsStr>>(
        &self,
        folder: &Path,
        words: &[S],
    ) -> Result<(Child, String), AttackError> {
        self.start_below(folder, &[], words)
    }

    fn start_below<S: AsRef<OsStr>>(
        &self,
        folder: &Path,
        prefix: &[&str],
        words: &[S],
    ) -> Result<(Child, String), AttackError> {
        let out = File::create(folder.join(".out"))?;
        let err = File::create(folder.join(".err"))?;
        let mut command = match prefix.split_first() {
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(&self.path);
                command
            }
            None => Command::new(&self.path),
        };
        let child = command
            .args(words)
            .current_dir(folder)
            .env_clear()
            .env("PATH", SYSTEM_PATH)
            .env("HOME", folder)
            .env("FATHOM_STORE", folder.join("s.db"))
            .env("XDG_RUNTIME_DIR", folder)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .spawn()?;
        let line: Vec<String> = words
            .iter()
            .map(|word| format!("{:?}", word.as_ref()))
            .collect();
        Ok((child, line.join(" ")))
    }
}

/// Longest time for this command: a host that is silent is lost after a time that the line specifies, and asked to end for
/// as long again.
fn time_max(line: &str) -> Duration {
    match line.contains(HOST_TIMEOUT) {
        true => TIME_MAX + HOST_TIMEOUT_MIN * 2,
        false => TIME_MAX,
    }
}

fn may_measure(line: &str) -> bool {
    let measures = MEASURING.iter().any(|word| line.starts_with(word));
    measures && !line.contains("--parse-only")
}

/// As Ctrl-C does.
fn interrupt(child: &Child) {
    let id = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    if let Some(id) = id {
        let _ = rustix::process::kill_process(id, rustix::process::Signal::INT);
    }
}

/// What is in a file of the folder.
pub(crate) fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// The exit code; a signal as a shell shows it.
fn code_of(status: ExitStatus) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt;
    status.code().or(status.signal().map(|signal| 128 + signal))
}

/// Most memory that a process has used. // proc_pid_status(5), VmHWM
fn peak_of(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| {
        line.trim()
            .trim_end_matches("kB")
            .trim()
            .parse::<u64>()
            .ok()
    });
    kib.unwrap_or(0) << 10
}

impl Ended {
    /// What is wrong with the way it ended, for any request; `None` for an orderly end. `input_bytes` is what
    /// it read.
    pub(crate) fn fault(&self, input_bytes: u64) -> Option<String> {
        let (line, code) = (&self.line, self.code.unwrap_or(-1));
        if self.hung {
            return Some(format!("hung for {} s: {line}", time_max(line).as_secs()));
        }
        let crashed = code >= 101 && !(self.interrupted && code == 130);
        if crashed || self.err.contains("panicked at") {
            return Some(format!("ended with {code}: {line}: {}", self.err));
        }
        let most = MEMORY_BASE_BYTES + 8 * input_bytes;
        (self.peak_bytes > most).then(|| {
            format!(
                "took {} MiB for {input_bytes} bytes: {line}",
                self.peak_bytes >> 20
            )
        })
    }

    /// Resisted, unless the end was disorderly or something was damaged.
    pub(crate) fn judge(&self, damage: &[String]) -> Outcome {
        let fault = self.fault(0).into_iter();
        let found: Vec<String> = fault.chain(damage.iter().cloned()).collect();
        match found.is_empty() {
            true => Outcome::Held,
            false => Outcome::Broken(format!("{}: {}", self.line, found.join("; "))),
        }
    }
}
