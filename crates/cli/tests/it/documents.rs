//! The commands and samples of README and docs. A line of a `sh` block runs as it is; only times and sizes are shortened,
//! and a loop device represents `/dev/sdb`. A command in a `text` block shows a form: its options are parsed. A block with
//! `file=NAME` is a file that later lines use. A block between `output: COMMAND` and `end of output` is what that command
//! prints (`UPDATE_EXPECT=1` writes it). Omitted: the two set-up commands, which CI runs.

use crate::bench::{Bench, words as words_of};
use crate::mounted::Mounted;
use crate::terminals::on_terminal;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const OUTPUT: &str = "<!-- output: fathom ";
const OUTPUT_END: &str = "<!-- end of output -->\n";
/// Samples are those of a terminal of this width.
const COLUMNS: u32 = 100;
/// Commands wait for their measured time, so more pages than cores run side by side.
const PAGES_AT_ONCE: usize = 6;

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

/// Runs a page's commands from top to bottom in a folder of their own, where `test.dat` already exists.
fn page_runs(path: &str, page: &str) -> Result<(), String> {
    let bench = Bench::new();
    let create = "run --create 128M --duration 200ms --warmup 0s test.dat --no-store";
    bench.line(create).good();
    let needs_device = page.contains("/dev/sdb");
    let mounted = needs_device.then(|| Mounted::ext4(&bench, &[])).flatten();
    for block in blocks(page) {
        if let Some((_, name)) = block.info.split_once("file=") {
            std::fs::write(bench.path(name), &block.text).unwrap();
        }
        if block.info != "sh" {
            continue;
        }
        let lines = commands(&block.text);
        for line in lines.iter().filter(|line| line.starts_with("fathom ")) {
            if let Some(line) = on_a_device(line, mounted.as_ref()) {
                command_runs(&bench, path, &line)?;
            }
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
    let may_fail = line.contains("--fail-if") || line.starts_with("fathom check ");
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

#[test]
fn every_command_runs() {
    let mut pages: Vec<(String, String)> = documents()
        .into_iter()
        .map(|path| (path.clone(), read(&path)))
        .filter(|(_, page)| blocks(page).iter().any(|block| block.info == "sh"))
        .collect();
    assert!(pages.len() >= 20, "{}", pages.len());
    pages.sort_by_key(|(_, page)| page.matches("\nfathom ").count()); // the longest is taken first
    let open = Mutex::new(pages);
    let failed = Mutex::new(Vec::new());
    let work = || {
        loop {
            let page = open.lock().unwrap().pop();
            let Some((path, page)) = page else {
                return;
            };
            if let Err(what) = page_runs(&path, &page) {
                failed.lock().unwrap().push(what);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..PAGES_AT_ONCE {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap();
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
fn the_two_set_up_commands_come_first() {
    let blocks = blocks(&read("README.md"));
    let shell = blocks.iter().filter(|block| block.info == "sh");
    let lines: Vec<String> = shell
        .flat_map(|block| commands(&block.text))
        .take(2)
        .collect();
    assert_eq!(lines, ["cargo run --release -- survey", "cargo xtask test"]);
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

#[test]
#[allow(clippy::disallowed_methods, reason = "the convention of expect-test")]
fn samples_are_what_the_commands_print() {
    let updates = std::env::var_os("UPDATE_EXPECT").is_some();
    for path in documents() {
        let page = read(&path);
        let mut parts = page.split(OUTPUT);
        let mut current = parts.next().unwrap().to_owned();
        for part in parts {
            let (line, rest) = part.split_once(" -->\n").unwrap();
            let (_, after) = rest.split_once(OUTPUT_END).expect(OUTPUT_END);
            let quiet = format!("{line} 2>/dev/null");
            let Some(screen) = on_terminal(&Bench::new(), COLUMNS, &quiet) else {
                return; // the reason was printed
            };
            let output = without_place(&screen);
            current += &format!("{OUTPUT}{line} -->\n```text\n{output}```\n{OUTPUT_END}{after}");
        }
        if updates && current != page {
            std::fs::write(Path::new(ROOT).join(&path), &current).unwrap();
        } else {
            assert_eq!(current, page, "{path}: run this test with UPDATE_EXPECT=1");
        }
    }
}
