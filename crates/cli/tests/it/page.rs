//! The page: its committed file is what its sources give, a browser finds it in order, and what may not be overwritten
//! stays. The browser's own checks stand in `report-ui/tests`.

use crate::bench::{Bench, until};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const CHROMIUM: &str = "/usr/bin/chromium";

/// A copy of `report-ui/` next to the build, with its packages; or why there is none. The sources stay as they are.
fn workshop() -> Result<&'static Path, &'static str> {
    static WORKSHOP: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = WORKSHOP.get_or_init(set_up);
    made.as_deref().map_err(String::as_str)
}

fn set_up() -> Result<PathBuf, String> {
    let version = Command::new("node").arg("--version").output();
    let version = version.map_err(|_| "node is not installed".to_owned())?;
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let major = version.trim_start_matches('v').split('.').next();
    if major.and_then(|major| major.parse::<u32>().ok()) < Some(20) {
        return Err(format!("node is {version}, and 20 is needed"));
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../report-ui");
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report-ui");
    let lock = std::fs::read(sources.join("package-lock.json")).unwrap();
    let installed = std::fs::read(copy.join("node_modules/installed.json")).unwrap_or_default();
    std::fs::create_dir_all(&copy).unwrap();
    for name in ["src", "tests"] {
        let _ = std::fs::remove_dir_all(copy.join(name)); // what was taken away is to be gone here too
    }
    let copied = Command::new("cp")
        .args([
            "-r",
            "src",
            "tests",
            "build.mjs",
            "tsconfig.json",
            "package.json",
        ])
        .args(["package-lock.json", ".npmrc"])
        .arg(&copy)
        .current_dir(&sources)
        .status();
    assert!(copied.unwrap().success());
    if installed != lock {
        let said = Command::new("npm")
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .current_dir(&copy)
            .stdin(Stdio::null())
            .output();
        let said = said.map_err(|_| "npm is not installed".to_owned())?;
        if !said.status.success() {
            let why = String::from_utf8_lossy(&said.stderr);
            let first = why.lines().find(|line| line.contains("error"));
            return Err(format!(
                "the packages of report-ui could not be installed: {}",
                first.unwrap_or("npm gave no reason")
            ));
        }
        std::fs::write(copy.join("node_modules/installed.json"), lock).unwrap();
    }
    Ok(copy)
}

fn node(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new("node");
    command.args(words).current_dir(folder).stdin(Stdio::null());
    command
}

#[test]
fn the_committed_page_is_what_its_sources_give() {
    let folder = match workshop() {
        Ok(folder) => folder,
        Err(why) => return println!("skipped: {why}"),
    };
    let types = node(folder, &["node_modules/typescript/bin/tsc", "--noEmit"]).output();
    let types = types.unwrap();
    assert!(
        types.status.success(),
        "{}",
        String::from_utf8_lossy(&types.stdout)
    );
    let made = folder.join("built.html");
    let built = node(folder, &["build.mjs", "built.html"]).output().unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../views/assets/report.html");
    assert!(
        std::fs::read(&made).unwrap() == std::fs::read(&committed).unwrap(),
        "crates/views/assets/report.html is not what report-ui gives: run `npm ci && npm run build` in report-ui"
    );
}

#[test]
fn the_list_of_packages_names_no_place_to_get_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../report-ui");
    let lock = std::fs::read_to_string(folder.join("package-lock.json")).unwrap();
    assert!(!lock.contains("\"resolved\"") && !lock.contains("://registry"));
    assert!(lock.contains("\"integrity\""));
}

#[test]
fn a_person_can_use_the_page() {
    let folder = match workshop() {
        Ok(folder) => folder,
        Err(why) => return println!("skipped: {why}"),
    };
    if !Path::new(CHROMIUM).exists() {
        return println!("skipped: {CHROMIUM} is not there");
    }
    let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../report-shots");
    let said = node(
        folder,
        &["--test", "--test-reporter=spec", "tests/page.test.mjs"],
    )
    .env("FATHOM_BIN", env!("CARGO_BIN_EXE_fathom"))
    .env("CHROMIUM", CHROMIUM)
    .env("REPORT_SHOTS", shots)
    .env("TMPDIR", env!("CARGO_TARGET_TMPDIR"))
    .output()
    .unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success(), "{text}");
    assert!(text.contains("fail 0"), "{text}");
}

#[test]
fn all_sessions_have_pages_an_index_and_trends() {
    let bench = Bench::new();
    for _ in 0..2 {
        bench.line("run sim:ssd -o 4 -d 10s").good();
    }
    bench.line("survey sim:spindle --page none").good();
    let said = bench.line("report --all -o site").good();
    assert!(
        said.out.starts_with("3 sessions of 2 targets; "),
        "{said:?}"
    );
    let mut names: Vec<_> = std::fs::read_dir(bench.path("site"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let pages = [
        "index.html",
        "session-1.html",
        "session-2.html",
        "session-3.html",
    ];
    assert_eq!(names, pages);
    let document = bench.line("report --all --json").good().json();
    let numbers = document["sessions"].as_array().unwrap().iter();
    let numbers: Vec<_> = numbers.map(|one| one["session"].as_u64()).collect();
    assert_eq!(numbers, [Some(3), Some(2), Some(1)]);
    let trends = document["trends"].as_array().unwrap();
    assert_eq!(trends.len(), 1, "of the workload that was repeated");
    assert_eq!(trends[0]["target"], "sim:ssd");
    assert_eq!(trends[0]["points"][1]["step"], "same");
    bench.line("report --all -o site").good(); // pages give way to pages
    std::fs::create_dir(bench.path("mine")).unwrap();
    std::fs::write(bench.path("mine/index.html"), "years of work").unwrap();
    bench.line("report --all -o mine").refused("--force");
    assert_eq!(
        std::fs::read(bench.path("mine/index.html")).unwrap(),
        b"years of work"
    );
    assert_eq!(std::fs::read_dir(bench.path("mine")).unwrap().count(), 1);
    bench
        .line("report --all -o s.db")
        .refused("must be a folder");
    assert_eq!(bench.line("report --all 1").code, Some(2));
}

#[test]
fn a_page_is_written_whole_or_not_at_all() {
    let bench = Bench::new();
    bench.line("run --engine null --warmup 0s -d 50ms").good();
    let said = bench.line("report 1").good();
    let validities = ["VALID", "CAUTION", "INVALID", "NOT CHECKED"];
    let verdict = |text: &str| {
        let mut lines = text.lines();
        let validity = lines.find_map(|line| {
            validities
                .iter()
                .find(|validity| line.starts_with(**validity))
        });
        (*validity.unwrap()).to_owned()
    };
    let shown = bench.line("show 1").good().out;
    assert_eq!(verdict(&said.out), verdict(&shown));
    assert!(said.out.contains("HTML report: report.html ("), "{said:?}");
    let page = std::fs::read_to_string(bench.path("report.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("\"schema_version\":2"));
    bench.line("report 1.1 -o report.html").good(); // a page gives way to a page
    bench.write("letters.html", 1000);
    let before = bench.snapshot();
    bench
        .line("report 1 -o letters.html")
        .refused("is not a fathom report");
    bench.line("report 1 -o .").refused("this is a folder");
    bench
        .line("report 1 -o none/page.html")
        .refused("its folder does not exist");
    bench.line("report 7 8.1 1").refused("7");
    bench.line("report x").refused("x");
    assert_eq!(bench.snapshot(), before);
    bench.line("report 1 -o letters.html --force").good();
}

#[test]
fn a_full_disk_leaves_the_old_page_and_says_how_much_room_is_needed() {
    let bench = Bench::new();
    bench.line("run --engine null --warmup 0s -d 50ms").good();
    let said = bench.line("report 1 -o /dev/full");
    assert_eq!(said.code, Some(1), "{said:?}");
    let folder = bench.path("small");
    std::fs::create_dir(&folder).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(&folder)
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        return println!("skipped: mounting needs root and the right to mount");
    }
    let said = bench.line("report 1 -o small/page.html");
    let left = std::fs::read_dir(&folder).unwrap().count();
    let unmounted = Command::new("umount").arg("-l").arg(&folder).status();
    assert!(unmounted.unwrap().success());
    assert_eq!((said.code, left), (Some(1), 0), "{said:?}");
    assert!(said.err.contains("KiB are needed there"), "{said:?}");
    assert!(
        said.err.contains("safe in the results database"),
        "{said:?}"
    );
}

#[test]
fn an_unfinished_session_has_a_page_that_says_so() {
    let bench = Bench::new();
    let line = "sweep --engine null --warmup 0s -d 50ms -o 1,2";
    bench.line(line).good();
    let document = bench.line("report 1 --json").good().json();
    assert_eq!(document["parts"][0]["counts"]["planned"], 2);
    assert_eq!(document["cells"].as_array().unwrap().len(), 2);
    let mut child = bench.start("sweep --engine null --warmup 0s -d 1h -o 1,2,4");
    until(|| bench.line("report 2 --json").code == Some(0));
    let document = bench.line("report 2 --json").good().json();
    child.kill().unwrap();
    child.wait().unwrap();
    let part = &document["parts"][0];
    assert_eq!(part["outcome"], "unfinished");
    assert!(part["notes"][0].as_str().unwrap().contains("not finished"));
    assert!(
        part["verdict"]["cause"]
            .as_str()
            .unwrap()
            .starts_with("no result")
    );
    bench.line("report 2").good();
}

#[test]
fn the_verdict_of_a_page_names_the_cause_and_not_the_figures() {
    let bench = Bench::new();
    let texts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/tests/imports/texts");
    std::fs::copy(texts.join("fio_jobs.json"), bench.path("fio.json")).unwrap();
    bench.line("import fio.json").good();
    bench
        .line("sweep sim:ssd,neighbour=20000 -o 1,8 -d 5s")
        .good();
    for (session, cause) in [
        ("1", "CAUTION (2 of 2 cells): a random read took 2.44 µs"),
        ("2", "CAUTION (simulated): other I/O on "),
    ] {
        let line = format!("report {session} -o {session}.html");
        let said = bench.line(&line).good();
        assert!(said.out.starts_with(cause), "{said:?}");
    }
}
