//! A folder to work in, and the program to call there.

use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than the stalls of a disk that others use.
const WAIT_MAX: Duration = Duration::from_secs(120);

/// A folder that goes away with the test. It is next to the build, on a real disk, not where temporary files of
/// the system may be kept in memory.
pub(crate) struct Bench {
    folder: TempDir,
    short: OnceLock<TempDir>,
}

/// Output of the program, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        Bench {
            folder,
            short: OnceLock::new(),
        }
    }

    /// The same where every user may go and look.
    pub(crate) fn of_everybody() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
        Bench {
            folder,
            short: OnceLock::new(),
        }
    }

    /// A folder for sockets, whose paths have at most 107 bytes. Source: unix(7).
    pub(crate) fn short(&self) -> &Path {
        let short = self
            .short
            .get_or_init(|| tempfile::tempdir_in("/tmp").unwrap());
        short.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program, in this folder, its results in `s.db`.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, words: &[S]) -> Command {
        self.command_of(Path::new(env!("CARGO_BIN_EXE_fathom")), words)
    }

    /// The same with a copy of the program.
    pub(crate) fn command_of<S: AsRef<OsStr>>(&self, program: &Path, words: &[S]) -> Command {
        let mut command = Command::new(program);
        command
            .args(words)
            .current_dir(self.folder.path())
            .env_clear()
            .env("FATHOM_STORE", self.path("s.db"))
            .env("XDG_RUNTIME_DIR", self.folder.path())
            .stdin(Stdio::null());
        command
    }

    /// A copy of the program in this folder. Another process writes it: what we have open for writing, a child of
    /// another test may have open for a moment longer, and then it cannot be run (ETXTBSY).
    pub(crate) fn copy_of_program(&self) -> PathBuf {
        let program = self.path("fathom");
        let mut copy = Command::new("cp");
        copy.arg(env!("CARGO_BIN_EXE_fathom")).arg(&program);
        assert!(copy.status().unwrap().success());
        program
    }

    /// Runs it, again where nothing was answered.
    pub(crate) fn say<S: AsRef<OsStr>>(&self, words: &[S]) -> Said {
        answered(words, |words| self.say_once(words))
    }

    /// The same without another try, which would be one more session in the database.
    pub(crate) fn say_once<S: AsRef<OsStr>>(&self, words: &[S]) -> Said {
        Said::from(self.command(words).output().unwrap())
    }

    /// The same, with a line as one types it. A run of a fraction of a second is not warmed up, unless the line specifies it:
    /// the two seconds of the default are what a test would spend its time with.
    pub(crate) fn line(&self, line: &str) -> Said {
        let mut words = words(line);
        let has_warmup = words.iter().any(|word| word.starts_with("--warmup"));
        if words.first().is_some_and(|word| word == "run")
            && !has_warmup
            && milliseconds(&words).is_some()
        {
            words.splice(1..1, ["--warmup".to_owned(), "0s".to_owned()]);
        }
        self.say(&words)
    }

    /// A file that fathom did not create.
    pub(crate) fn write(&self, name: &str, bytes: usize) {
        let text = b"a user's letters and pictures\n";
        let content: Vec<u8> = text.iter().copied().cycle().take(bytes).collect();
        std::fs::write(self.path(name), content).unwrap();
    }

    /// Every name in the folder with its content, to see that nothing changed.
    pub(crate) fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files: Vec<(PathBuf, Vec<u8>)> = std::fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), std::fs::read(&path).unwrap_or_default()))
            .collect();
        files.sort();
        files
    }

    /// Starts the program and does not wait for it.
    pub(crate) fn spawn(&self, line: &str) -> Child {
        let mut command = self.command(&words(line));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Starts the program and returns when it listens to signals and its workers have started.
    pub(crate) fn start(&self, line: &str) -> Child {
        let mut child = self.spawn(line);
        until(|| {
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "ended before it listened: {line}");
            listens_to_interrupts(&child)
        });
        child
    }
}

/// Runs it with these words; up to three times, each ten times as long, where a target answered nothing in a run of a fraction
/// of a second: a disk or a processor that others use stalls that long, and that is not what any test here is about. Every
/// helper that runs the program in its own way runs it through this.
pub(crate) fn answered<S: AsRef<OsStr>>(
    words: &[S],
    mut run: impl FnMut(&[OsString]) -> Said,
) -> Said {
    let words: Vec<OsString> = words.iter().map(|word| word.as_ref().to_owned()).collect();
    let mut texts = words.iter().map(|word| word.to_string_lossy());
    let is_simulated = texts.any(|word| word.starts_with("--null-"));
    let mut said = run(&words);
    for factor in [10, 100] {
        if is_simulated || !said.is_stalled() {
            break;
        }
        println!(
            "once more and longer, because nothing was answered: {}",
            said.out
        );
        said = run(&longer(&words, factor));
    }
    said
}

/// Returns the place and the number of a duration in milliseconds.
fn milliseconds<S: AsRef<OsStr>>(words: &[S]) -> Option<(usize, u64)> {
    let text = |at: usize| words.get(at).map(|word| word.as_ref().to_string_lossy());
    let options =
        (0..words.len()).filter(|at| matches!(text(*at).as_deref(), Some("-d" | "--duration")));
    let mut numbers = options.filter_map(|at| {
        let number = text(at + 1)?.strip_suffix("ms")?.parse().ok()?;
        Some((at + 1, number))
    });
    numbers.next()
}

/// Returns the words with a duration in milliseconds multiplied.
fn longer(words: &[OsString], factor: u64) -> Vec<OsString> {
    let mut words = words.to_vec();
    if let Some((at, number)) = milliseconds(&words) {
        words[at] = format!("{}ms", number * factor).into();
    }
    words
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Said {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Said {
    /// Whether a run failed because the target answered nothing in its time.
    pub(crate) fn is_stalled(&self) -> bool {
        const STALL: &str = "no I/O completed";
        self.code == Some(1) && (self.err.contains(STALL) || self.out.contains(STALL))
    }

    /// The result as a JSON document, and nothing but it.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Good, with a result.
    pub(crate) fn good(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        assert!(!self.out.is_empty(), "{self:?}");
        self
    }

    /// Good, with output only for the user.
    pub(crate) fn done(self) -> Self {
        assert_eq!((self.code, self.out.as_str()), (Some(0), ""), "{self:?}");
        self
    }

    /// Refused with these words, without a result.
    pub(crate) fn refused(&self, words: &str) {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        assert!(self.err.contains(words), "{words} in {self:?}");
        assert!(
            self.err
                .lines()
                .all(|line| line.starts_with("fathom: ") || line.starts_with("hint: ")),
            "{self:?}"
        );
    }
}

/// The words of a line as a shell splits them: at blanks, but not between single quotes, which surround paths of a test's
/// folder.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut quoted, mut between) = (false, true);
    for one in line.chars() {
        match one {
            '\'' => quoted = !quoted,
            blank if blank.is_whitespace() && !quoted => {
                between = true;
                continue;
            }
            _ => {}
        }
        if std::mem::take(&mut between) {
            words.push(String::new());
        }
        if one != '\'' {
            words.last_mut().unwrap().push(one);
        }
    }
    words
}

#[test]
fn quoted_paths_are_one_word() {
    assert_eq!(words(" a  'b c'd '' "), ["a", "b cd", ""]);
}

/// Waits until something is so. What never is so fails the test instead of keeping all others from running.
#[allow(clippy::disallowed_methods, reason = "a bound on a test")]
#[track_caller]
pub(crate) fn until(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < WAIT_MAX, "not so after {WAIT_MAX:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Sends a signal by the system's own command.
pub(crate) fn send(signal: &str, child: &Child) {
    let status = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
}

/// Waits until a signal that was sent is no longer pending: the program has seen it.
pub(crate) fn seen(child: &Child) {
    until(|| mask(child, "ShdPnd:") == 0 && mask(child, "SigPnd:") == 0);
}

/// Whether it listens and its workers have started, other than the thread that watches for silent file systems. Before it listens, its
/// targets are read by threads, too.
fn listens_to_interrupts(child: &Child) -> bool {
    mask(child, "SigCgt:") & 2 == 2 && status(child, "Threads:").parse().unwrap_or(0u32) > 2
}

/// Waits until the program has used 0.2 s of a processor: an engine without a device, which waits for nothing, does I/Os then.
pub(crate) fn has_worked(child: &Child) {
    until(|| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        let fields = stat.rsplit_once(") ").unwrap().1.split(' ');
        // utime and stime in hundredths of a second. Source: proc_pid_stat(5).
        let ticks = fields
            .skip(11)
            .take(2)
            .map(|field| field.parse::<u64>().unwrap());
        ticks.sum::<u64>() >= 20
    });
}

/// Whether hanging up was ignored by the program that started the tests (nohup); then the program ignores it too.
pub(crate) fn ignores_hangup(child: &Child) -> bool {
    mask(child, "SigIgn:") & 1 == 1
}

/// Source: proc_pid_status(5).
fn status(child: &Child, name: &str) -> String {
    let path = Path::new("/proc")
        .join(child.id().to_string())
        .join("status");
    let status = std::fs::read_to_string(path).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap_or_default().trim().to_owned()
}

/// A set of signals, the lowest bit for signal 1.
fn mask(child: &Child, name: &str) -> u64 {
    u64::from_str_radix(&status(child, name), 16).unwrap_or(0)
}
