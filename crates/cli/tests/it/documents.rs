//! The commands and samples of README and docs. A line of a `sh` block runs as it is; only times and sizes are shortened,
//! and a loop device represents `/dev/sdb`. A command in a `text` block shows a form: its options are parsed. A block with
//! `file=NAME` is a file that later lines use. A block between `output: COMMAND` and `end of output` is what that command
//! prints (`UPDATE_EXPECT=1` writes it); it may be several, or a pipe. Omitted: the two set-up commands, which CI runs.

use crate::bench::{Bench, words as words_of};
use crate::mounted::Mounted;
use crate::terminals::{plain, shell_on_terminal};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const OUTPUT: &str = "<!-- output: fathom ";
const OUTPUT_END: &str = "<!-- end of output -->\n";
/// Samples are those of a terminal of this width.
const COLUMNS: u32 = 100;
/// Commands wait for their measured time, so more pages than cores run side by side.
const PAGES_AT_ONCE: usize = 8;

/// A fenced block of a page: what is behind its fence, and its text.
struct Block {
    info: String,
    text: String,
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

fn blocks(page: &str) -> Vec<Block> {
    let fenced = page.split("```").skip(1).step_by(2);
    let block = |block: &str| {
        let (info, text) = block.split_once('\n').unwrap();
        let (info, text) = (info.to_owned(), text.to_owned());
        Block { info, text }
    };
    fenced.map(block).collect()
}

/// Returns README and every page below docs.
fn documents() -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    let mut found = vec![Path::new(ROOT).join("README.md")];
    walk(&Path::new(ROOT).join("docs"), &mut found);
    let name = |path: &PathBuf| path.strip_prefix(ROOT).unwrap().display().to_string();
    found.iter().map(name).collect()
}

/// Returns the commands of a block without their remarks. A line that ends in `\` continues.
fn commands(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", " ");
    let lines = text.lines().map(|line| match line.split_once(" #") {
        Some((line, _)) => line.trim(),
        None => line.trim(),
    });
    lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns the commands of the `sh` blocks of a page.
fn commands_of(page: &str) -> Vec<String> {
    let blocks = blocks(page).into_iter().filter(|block| block.info == "sh");
    blocks.flat_map(|block| commands(&block.text)).collect()
}

/// Long enough for an I/O under any load.
const RUN_TIME: &str = "300ms";

/// Returns the words of a line behind `fathom`, with a short time and small files.
fn shortened(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut given = words_of(line).into_iter().skip(1);
    let native = ![
        "diskspd", "sqlio", "fio", "ior", "mdtest", "xdd", "dd", "lmdd", "sgp_dd",
    ]
    .map(|name| line.starts_with(&format!("fathom {name} ")))
    .contains(&true);
    while let Some(word) = given.next() {
        let short = match word.as_str() {
            "--duration" | "-d" | "--size" | "--budget" | "--rest" | "--warmup" if native => None,
            "--create" => Some("16M"),
            "--length" => Some("8M"),
            _ => {
                words.push(word.replace("-W3 -d120", "-W0 -d1"));
                continue;
            }
        };
        given.next();
        words.extend(
            short
                .map(|short| [word, short.to_owned()])
                .into_iter()
                .flatten(),
        );
    }
    let simulated = line.contains(" sim:");
    let more: &[&str] = match words[0].as_str() {
        "run" if line.contains("--profile") => &[], // it ends with its last I/O
        "run" => &["--duration", RUN_TIME, "--warmup", "0s"],
        "sweep"
            if ["--from-diskspd", "--from-script", "--script"]
                .iter()
                .any(|option| line.contains(option)) =>
        {
            &[]
        }
        "sweep" => &["--duration", "400ms", "--warmup", "0s"], // long enough for an I/O under any load
        "survey" if simulated => &["--page", "none"],
        "survey" => &[
            "--budget",
            "3s",
            "--depth-max",
            "1",
            "--size",
            "64M",
            "--page",
            "none",
        ],
        "layers" => &["--rounds", "2", "--round-time", "200ms", "--size", "16M"],
        "watch" => &["--count", "1", "--interval", "100ms"],
        "check" => &["--duration", "1s"],
        "files" => &["--files", "1024", "--data", "64K"],
        "iometer" if !line.contains("--write-icf") => &["--duration", "1s"],
        "sqlio" => &["-s1"], // the last counts
        _ => &[],
    };
    words.extend(more.iter().map(|&word| word.to_owned()));
    if words[0] == "diskspd" && !line.contains(" -X") {
        for word in words.iter_mut().filter(|word| word.starts_with("-c")) {
            "-c16M".clone_into(word);
        }
        let target = words.pop(); // of a switch that is given twice the last counts
        words.extend(["-W0", "-d1"].map(str::to_owned).into_iter().chain(target));
    }
    words
}

/// Replaces the device of the guides. `None` where this machine has no loop devices.
fn on_a_device(line: &str, mounted: Option<&Mounted>) -> Option<String> {
    if !line.contains("/dev/sdb") {
        return Some(line.to_owned());
    }
    let mounted = mounted?;
    let line = line.replace("/dev/sdb", &mounted.device.display().to_string());
    let folder = mounted.folder.file_name().unwrap().to_str().unwrap(); // in that of the test
    Some(line.replace("/mnt/sdb", folder))
}

/// Writes the files that a page shows.
fn write_files(bench: &Bench, page: &str) {
    for block in blocks(page) {
        if let Some((_, name)) = block.info.split_once("file=") {
            std::fs::write(bench.path(name), &block.text).unwrap();
        }
    }
}

/// Runs a page's commands from top to bottom in a folder of their own, where `test.dat` already exists if they name it.
fn page_runs(path: &str, page: &str) -> Result<(), String> {
    let bench = Bench::new();
    if commands_of(page)
        .iter()
        .any(|line| line.contains("test.dat"))
    {
        let create = "run --create 64M --duration 200ms --warmup 0s test.dat --no-store";
        bench.line(create).good();
    }
    let needs_device = page.contains("/dev/sdb");
    let mounted = needs_device.then(|| Mounted::ext4(&bench, &[])).flatten();
    write_files(&bench, page);
    for line in commands_of(page)
        .iter()
        .filter(|line| line.starts_with("fathom "))
    {
        if let Some(line) = on_a_device(line, mounted.as_ref()) {
            command_runs(&bench, path, &line)?;
        }
    }
    Ok(())
}

fn command_runs(bench: &Bench, path: &str, line: &str) -> Result<(), String> {
    let (command, file) = match line.rsplit_once(" > ") {
        Some((command, file)) if !file.contains('\'') => (command, Some(file.trim())),
        _ => (line, None),
    };
    let mut words = shortened(command);
    if path.ends_with("iometer.md") {
        // IOmeter counts whole seconds.
        let run_times = words.iter_mut().filter(|word| *word == RUN_TIME);
        run_times.for_each(|word| "1s".clone_into(word));
    }
    // Once: another try would be one more session, and later lines name sessions by number.
    let said = bench.say_once(&words);
    // Whether this machine is quiet, and whether two short runs differ, is not what is tested here.
    let may_fail =
        line.contains("--fail-if") || line.contains("--goal") || line.starts_with("fathom check ");
    // A busy disk may complete no I/O in a time as short as that of the shortened lines.
    let stalled = said.is_stalled();
    // A simulated device that damages its data is an example of what --verify finds.
    let corrupt = line.contains(",data=") && said.code == Some(4);
    let good = said.code == Some(0) || may_fail && said.code == Some(3) || stalled || corrupt;
    if let Some(file) = file {
        std::fs::write(bench.path(file), &said.out).unwrap();
    }
    good.then_some(()).ok_or_else(|| {
        let listed = bench.line("list").out;
        format!("{path}: {line}: {said:?}, after\n{listed}")
    })
}

/// Calls `work` with path and text of each page, of several at once, the last one first. Returns what failed.
fn each_page(
    pages: Vec<(String, String)>,
    work: impl Fn(&str, &str) -> Result<(), String> + Sync,
) -> Vec<String> {
    let open = Mutex::new(pages);
    let failed = Mutex::new(Vec::new());
    let work = || {
        loop {
            let page = open.lock().unwrap().pop();
            let Some((path, page)) = page else {
                return;
            };
            if let Err(what) = work(&path, &page) {
                failed.lock().unwrap().push(what);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..PAGES_AT_ONCE {
            scope.spawn(work);
        }
    });
    failed.into_inner().unwrap()
}

/// Returns path and text of the pages of which this is true.
fn pages(is_one: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let pages = documents().into_iter();
    let pages = pages.map(|path| (path.clone(), read(&path)));
    pages.filter(|(_, page)| is_one(page)).collect()
}

#[test]
fn every_command_runs() {
    let mut pages = pages(|page| !commands_of(page).is_empty());
    assert!(pages.len() >= 20, "{}", pages.len());
    pages.sort_by_key(|(_, page)| page.matches("\nfathom ").count()); // the longest is taken first
    let failed = each_page(pages, page_runs);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn forms_of_commands_have_known_options() {
    let bench = Bench::new();
    let mut count = 0;
    for path in documents() {
        let page = read(&path);
        let forms = blocks(&page)
            .into_iter()
            .filter(|block| block.info == "text");
        for form in forms.flat_map(|block| commands(&block.text)) {
            let Some(form) = form.strip_prefix("fathom ") else {
                continue;
            };
            let (form, _) = form.split_once("   ").unwrap_or((form, "")); // columns are apart by blanks
            let form = form.replace(['[', ']'], "").replace('…', "");
            let mut words = words_of(&form);
            words.push("--help".to_owned());
            let said = bench.say(&words);
            assert_eq!(said.code, Some(0), "{path}: fathom {form}: {said:?}");
            count += 1;
        }
    }
    assert!(count >= 20, "{count}");
}

#[test]
fn commands_in_sentences_have_known_options() {
    let bench = Bench::new();
    let mut seen = BTreeSet::new();
    for path in documents() {
        let page = read(&path);
        let prose: String = page.split("```").step_by(2).collect();
        let is_example = path.starts_with("docs/adding"); // of options that do not exist
        for code in prose.split('`').skip(1).step_by(2).filter(|_| !is_example) {
            let form = code.replace(['[', ']', '…', '\n'], " ");
            let form = form.split([';', '|', '>', '\'']).next().unwrap_or_default();
            if !form.starts_with("fathom ") || !seen.insert(form.to_owned()) {
                continue;
            }
            let mut words = words_of(form);
            words.remove(0);
            words.push("--help".to_owned()); // behind an option that lacks its value this is a bad value
            let said = bench.say(&words);
            assert!(
                !said.err.contains("unexpected argument"),
                "{path}: {form}: {said:?}"
            );
        }
    }
    assert!(seen.len() > 100, "{}", seen.len());
}

/// Returns the default of each option that a help lists.
fn defaults(help: &str) -> BTreeMap<String, String> {
    let mut entries: Vec<String> = Vec::new();
    for line in help.lines() {
        match (line.trim_start().starts_with('-'), entries.last_mut()) {
            (false, Some(entry)) => *entry += &format!(" {}", line.trim()),
            _ => entries.push(line.to_owned()),
        }
    }
    let default = |entry: &String| {
        let name = entry
            .split_whitespace()
            .find(|word| word.starts_with("--"))?;
        let (_, default) = entry.split_once("[default: ")?;
        Some((name.to_owned(), default.split_once(']')?.0.to_owned()))
    };
    entries.iter().filter_map(default).collect()
}

#[test]
fn defaults_in_tables_are_those_of_the_help() {
    let bench = Bench::new();
    let first = |text: &str| {
        let word = text.split_whitespace().next().unwrap_or_default();
        word.trim_matches([',', ';', ':']).to_owned()
    };
    let mut count = 0;
    let defaults = defaults(&bench.line("run --help").good().out);
    for row in read("docs/run.md")
        .lines()
        .filter(|row| row.starts_with("| `-"))
    {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let options: Vec<&str> = cells[0]
            .split([' ', '`'])
            .filter(|word| word.starts_with("--"))
            .collect();
        let (&[option], Some(&written)) = (&options[..], cells.last()) else {
            continue;
        };
        if let Some(default) = defaults.get(option).filter(|_| !written.is_empty()) {
            assert_eq!(first(written), first(default), "{row}");
            count += 1;
        }
    }
    assert!(count >= 12, "{count}");
}

#[test]
fn the_two_set_up_commands_come_first() {
    let lines = commands_of(&read("README.md"));
    assert_eq!(
        lines[..2],
        ["cargo run --release -- survey", "cargo xtask test"]
    );
}

/// Replaces what differs from machine to machine. Figures of a simulated device are the same everywhere; the date, the
/// machine, the time that was spent and the place of the database are not.
fn without_place(output: &str) -> String {
    let fixed = output.lines().map(|line| {
        let line = without_version(line);
        let line = between(&line, "cores, ", " RAM", "16.0 GiB");
        let line = between(&line, "spent    ", " of 180 s", "1.20 s");
        without_date(&line)
    });
    fixed.collect::<Vec<_>>().join("\n") + "\n"
}

/// Replaces the version of the kernel.
fn without_version(line: &str) -> String {
    let Some((front, rest)) = line.split_once("Linux ") else {
        return line.to_owned();
    };
    let end = rest.find(',').unwrap_or(rest.len());
    format!("{front}Linux 6.18{}", &rest[end..])
}

/// Replaces what is between two texts of a line, where both are.
fn between(line: &str, before: &str, after: &str, new: &str) -> String {
    let found = line.split_once(before).and_then(|(front, rest)| {
        let (_, back) = rest.split_once(after)?;
        Some(format!("{front}{before}{new}{after}{back}"))
    });
    found.unwrap_or_else(|| line.to_owned())
}

/// Replaces the figures of dates and times of the day.
fn without_date(text: &str) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for (shape, new) in [("0000-00-00", "2026-11-23"), ("00:00:00", "09:00:00")] {
        let is_like = |found: &[char]| {
            let like = |(found, shape): (&char, char)| match shape {
                '0' => found.is_ascii_digit(),
                _ => *found == shape,
            };
            found.iter().zip(shape.chars()).all(like)
        };
        let at = text.windows(shape.len()).position(is_like);
        if let Some(at) = at {
            text.splice(at..at + shape.len(), new.chars());
        }
    }
    text.into_iter().collect()
}

/// Returns the page with the output of its commands; `None` where there is no terminal.
fn with_samples(page: &str) -> Option<String> {
    let mut parts = page.split(OUTPUT);
    let mut current = parts.next().unwrap().to_owned();
    for part in parts {
        let (line, rest) = part.split_once(" -->\n").unwrap();
        let (_, after) = rest.split_once(OUTPUT_END).expect(OUTPUT_END);
        let bench = Bench::new();
        write_files(&bench, page);
        let quiet = format!("{{ fathom {line}; }} 2>/dev/null");
        let screen = shell_on_terminal(&bench, COLUMNS, &quiet, &[])?;
        let output = without_place(&plain(&screen));
        current += &format!("{OUTPUT}{line} -->\n```text\n{output}```\n{OUTPUT_END}{after}");
    }
    Some(current)
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the convention of expect-test")]
fn samples_are_what_the_commands_print() {
    let updates = std::env::var_os("UPDATE_EXPECT").is_some();
    let outdated = each_page(pages(|page| page.contains(OUTPUT)), |path, page| {
        match with_samples(page) {
            Some(current) if current != page && updates => {
                std::fs::write(Path::new(ROOT).join(path), &current).unwrap();
                Ok(())
            }
            Some(current) if current != page => Err(format!("{path}: now\n{current}")),
            _ => Ok(()), // without a terminal the reason was printed
        }
    });
    let outdated = outdated.join("\n");
    assert!(
        outdated.is_empty(),
        "run this test with UPDATE_EXPECT=1: {outdated}"
    );
}
