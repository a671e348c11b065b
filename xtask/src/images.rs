//! `cargo xtask images`: the pictures of README and docs, from the simulated device `sim:ssd`.
//!
//! The terminal is drawn from the sample in README, which a test of the program compares with the program's output. The
//! HTML report is a screenshot by Chromium; `report.inputs` has the checksum of its inputs. Pictures of all kinds of pages for
//! review are not committed. Omitted: real devices, whose figures differ from run to run.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const SVG: &str = "docs/images/survey.svg";
const PNG: &str = "docs/images/report.png";
const INPUTS: &str = "docs/images/report.inputs";
/// What the screenshot shows: the page's program, and the figures.
const SOURCES: [&str; 1] = ["crates/views/assets/report.html"];
const SAMPLE: &str = "<!-- output: fathom survey sim:ssd -->\n```text\n";
const WORK: &str = "target/images";
const PAGES: &str = "target/report-shots/sizes";
const FIO_EXAMPLE: &str = "crates/tools/tests/imports/texts/fio_jobs.json";

const LINE_PX: usize = 18;
const COLUMN_PX: f64 = 8.43; // of a monospaced font of 14 px
const MARGIN_PX: usize = 16;
const COLUMNS: usize = 100;

/// Writes all pictures. Returns whether that worked.
pub(crate) fn write(root: &Path) -> bool {
    let written = sample(root).and_then(|sample| {
        put(root, SVG, svg(&sample).as_bytes())?;
        screenshot(root)?;
        put(root, INPUTS, inputs(root)?.as_bytes())?;
        every_page(root)
    });
    match &written {
        Ok(()) => println!("images: {SVG}, {PNG}; every kind of page in {PAGES}"),
        Err(why) => eprintln!("images: {why}"),
    }
    written.is_ok()
}

/// Returns the sample of a survey in README.
fn sample(root: &Path) -> Result<String, String> {
    let readme = get(root, "README.md")?;
    let (_, behind) = readme.split_once(SAMPLE).ok_or("README has no sample")?;
    let (sample, _) = behind.split_once("```").ok_or("the sample has no end")?;
    Ok(sample.to_owned())
}

fn get(root: &Path, name: &str) -> Result<String, String> {
    fs::read_to_string(root.join(name)).map_err(|why| format!("{name}: {why}"))
}

fn put(root: &Path, name: &str, content: &[u8]) -> Result<(), String> {
    let path = root.join(name);
    let parent = path.parent().expect("a picture has a folder");
    let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, content));
    written.map_err(|why| format!("{name}: {why}"))
}

/// Draws a terminal with this text. Every character has its column, with any font of the viewer.
fn svg(sample: &str) -> String {
    let lines: Vec<&str> = ["$ fathom survey sim:ssd"]
        .into_iter()
        .chain(sample.lines())
        .collect();
    let width = (COLUMNS as f64 * COLUMN_PX).ceil() as usize + 2 * MARGIN_PX;
    let height = lines.len() * LINE_PX + 2 * MARGIN_PX;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#16181d\"/>\n"
    );
    for (at, line) in lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        let y = MARGIN_PX + (at + 1) * LINE_PX - 5;
        let length = line.chars().count() as f64 * COLUMN_PX;
        let colour = colour(at, line);
        let text = line.replace('&', "&amp;").replace('<', "&lt;");
        writeln!(
            svg,
            "<text x=\"{MARGIN_PX}\" y=\"{y}\" fill=\"{colour}\" xml:space=\"preserve\" \
             textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\">{text}</text>"
        )
        .expect("a string takes all");
    }
    svg + "</svg>\n"
}

/// Returns the colour of a line: the command, the verdict, findings, the rest.
fn colour(at: usize, line: &str) -> &'static str {
    let first = line.split([' ', ',', ':']).next().unwrap_or_default();
    match first {
        "$" => "#8fb7ff",
        "SIMULATED" | "VALID" => "#8fd694",
        "CAUTION" | "warning" => "#f2c572",
        "INVALID" | "error" => "#f28b82",
        _ if at == 1 => "#ffffff",
        _ => "#d5d8de",
    }
}

/// Surveys the device and takes a picture of its HTML report.
fn screenshot(root: &Path) -> Result<(), String> {
    let folder = root.join(WORK);
    let _ = fs::remove_dir_all(&folder); // there may be none
    fs::create_dir_all(&folder).map_err(|why| format!("{WORK}: {why}"))?;
    let (page, store) = (folder.join("survey.html"), folder.join("survey.db"));
    let mut survey = Command::new(env!("CARGO"));
    survey.args(["run", "--quiet", "--package", "fathom", "--"]);
    survey.args(["survey", "sim:ssd", "--page"]).arg(&page);
    survey.arg("--store").arg(&store);
    run(survey.current_dir(root))?;
    let mut chromium = Command::new("chromium");
    chromium.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
    ]);
    chromium.args(["--force-color-profile=srgb", "--virtual-time-budget=5000"]);
    chromium.arg("--window-size=1100,1000");
    chromium.arg(format!("--screenshot={}", root.join(PNG).display()));
    run(chromium.arg(format!("file://{}", page.display())))
}

/// Takes pictures of each kind of page at three sizes, light, dark and printed, and checks them with axe.
fn every_page(root: &Path) -> Result<(), String> {
    let mut pages = Command::new(env!("CARGO"));
    pages.args(["test", "--quiet", "--package", "fathom", "--test", "it"]);
    pages.args(["page::a_person_can_use_the_page", "--", "--exact"]);
    pages
        .env("REPORT_SIZES", "all")
        .env("FIO_EXAMPLE", root.join(FIO_EXAMPLE));
    run(pages.current_dir(root))
}

fn run(command: &mut Command) -> Result<(), String> {
    let command = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(why) => Err(format!("{command:?}: {why}")),
    }
}

/// Returns the checksum of the screenshot's inputs.
fn inputs(root: &Path) -> Result<String, String> {
    let mut all = sample(root)?;
    for name in SOURCES {
        all += &get(root, name)?;
    }
    Ok(format!("{:016x}\n", checksum(all.as_bytes())))
}

/// FNV-1a, 64 bits. Source: draft-eastlake-fnv, section 2.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pictures_are_made_from_what_the_tree_contains() {
        let root = crate::workspace_root();
        let current = get(&root, SVG).unwrap() == svg(&sample(&root).unwrap());
        assert!(current, "{SVG} is out of date: cargo xtask images");
        let current = get(&root, INPUTS).unwrap() == inputs(&root).unwrap();
        assert!(current, "{PNG} is out of date: cargo xtask images");
        assert!(root.join(PNG).is_file());
    }

    #[test]
    fn the_checksum_is_the_published_one() {
        assert_eq!(checksum(b"foobar"), 0x8594_4171_f739_67e8); // the draft's appendix C
    }
}
