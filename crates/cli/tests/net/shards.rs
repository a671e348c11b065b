//! Runs the lines: one shell for each width and kind, each with a folder and a copy of the corpus of its own.
//!
//! The environment is empty but for what is fixed here, the folder's name has the same length on every machine, and it
//! is replaced in the outputs. Omitted: what the outputs are compared with (`expected`).

use crate::rows::{How, Row};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Width of the terminal of [`How::Both`], in columns.
const TERMINAL: u32 = 80;
/// Other widths.
const WIDTHS: [u32; 3] = [40, 100, 140];
/// Represents the folder in expected outputs; as long as its name.
const FOLDER: &str = "/tmp/fathom-folder";
/// In a folder of its own, so that a path that is cut to forty columns has nothing of the folder's name.
const STORE: &str = "results/s.db";
const LINE_MARK: char = '\u{1e}'; // before the output of each line
const TEXTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tools/tests/imports/texts");

/// Writes what a person would see of one line: standard output, then standard error and the exit code if not empty and 0.
const ROW: &str = r#"row() {
    printf '\036'
    eval "$1" 2>err </dev/null
    code=$?
    if [ -s err ]; then printf -- '--- standard error\n'; cat err; fi
    if [ $code != 0 ]; then printf -- '--- exit code %d\n' $code; fi
}
undated() {
    sed -E -e 's/("(made|ends_least|ends_most)_utc_ns": ?)[0-9]+/\10/' \
        -e 's/(ends    about ).*, if/\1DATE, if/' -e 's/[0-9]{8}_output/DATE_output/' \
        -e '/^first/s/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{5}/DATE            /'
}
"#;

/// The output of a line.
pub(crate) struct Seen {
    pub(crate) row: Row,
    pub(crate) columns: Option<u32>, // none through a pipe
    pub(crate) output: String,
}

/// A row and its place in the table.
type Numbered<'a> = (usize, &'a Row);

/// Runs all rows; the order is that of the rows, with the widths of each in order.
pub(crate) fn run(corpus: &Path, rows: &[Row]) -> Vec<Seen> {
    let pick = |how: &[How]| -> Vec<Numbered> {
        let all = rows.iter().enumerate();
        all.filter(|(_, row)| how.contains(&row.how)).collect()
    };
    let both = pick(&[How::Both]);
    let widths = pick(&[How::Widths]);
    let piped = pick(&[How::Pipe, How::Digest]);
    let (first, second) = piped.split_at(piped.len() / 2);
    let changes = pick(&[How::Changes]);
    let mut shards: Vec<(Option<u32>, &[Numbered])> = vec![
        (None, &both),
        (Some(TERMINAL), &both),
        (None, first),
        (None, second),
        (None, &changes),
    ];
    shards.extend(WIDTHS.map(|columns| (Some(columns), &widths[..])));
    let mut seen: Vec<(usize, Seen)> = std::thread::scope(|scope| {
        let run = |(columns, rows)| scope.spawn(move || shard(corpus, columns, rows));
        let threads: Vec<_> = shards.into_iter().map(run).collect();
        let joined = threads.into_iter().map(|thread| thread.join().unwrap());
        joined.flatten().collect()
    });
    seen.sort_by_key(|(number, seen)| (*number, seen.columns.unwrap_or(u32::MAX)));
    seen.into_iter().map(|(_, seen)| seen).collect()
}

fn shard(corpus: &Path, columns: Option<u32>, rows: &[Numbered]) -> Vec<(usize, Seen)> {
    let mut builder = tempfile::Builder::new();
    let folder = builder.prefix("fathom-").rand_bytes(6);
    let folder = folder.tempdir_in("/tmp").unwrap();
    let name = folder.path().to_str().unwrap();
    assert_eq!(name.len(), FOLDER.len());
    std::fs::create_dir(folder.path().join("results")).unwrap();
    std::fs::copy(corpus, folder.path().join(STORE)).unwrap();
    std::os::unix::fs::symlink(TEXTS, folder.path().join("texts")).unwrap();
    let quoted = rows.iter().map(|(_, row)| row.line.replace('\'', r"'\''"));
    let lines: String = quoted.map(|line| format!("row '{line}'\n")).collect();
    std::fs::write(folder.path().join("rows.sh"), format!("{ROW}{lines}")).unwrap();
    let output = shell(folder.path(), columns);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout)
        .unwrap()
        .replace(name, FOLDER);
    let outputs: Vec<&str> = text.split(LINE_MARK).skip(1).collect();
    assert_eq!(outputs.len(), rows.len(), "{columns:?}: {text}");
    let seen = rows.iter().zip(outputs).map(|((number, row), output)| {
        let seen = Seen {
            row: (*row).clone(),
            columns,
            output: output.to_owned(),
        };
        (*number, seen)
    });
    seen.collect()
}

/// Runs `rows.sh`, on a terminal of so many columns, which `script` of util-linux provides, or through a pipe.
fn shell(folder: &Path, columns: Option<u32>) -> Output {
    let mut command = match columns {
        None => Command::new("sh"),
        Some(_) => Command::new("script"),
    };
    match columns {
        None => command.arg("rows.sh"),
        Some(columns) => {
            let line = format!("stty -opost rows 24 cols {columns} && exec sh rows.sh");
            command.args(["-qec", &line, "/dev/null"])
        }
    };
    let program = Path::new(env!("CARGO_BIN_EXE_fathom")).parent().unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", program.display());
    command
        .current_dir(folder)
        .env_clear()
        .envs([
            ("TZ", "UTC"),
            ("LANG", "C.UTF-8"),
            ("TERM", "xterm"),
            ("NO_COLOR", "1"),
        ])
        .env("PATH", path)
        .env("SHELL", "/bin/sh")
        .env("FATHOM_STORE", folder.join(STORE))
        .stdin(Stdio::null());
    command.output().expect("sh and script are installed")
}
