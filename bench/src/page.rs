//! `page`: the page of a sweep of 441 cells: how long `fathom report` takes, how large the file is, and how long Chromium
//! takes until it answers.
//!
//! The cells are short runs of no I/O with as many steps of time as one of 17 s has by default; their content does not
//! matter here. Chromium reports the time itself: the page notes when everything on it answers, counted from the start
//! of its loading. Deliberately absent: whether the page is right, which `report-ui/tests` checks.

use crate::error::{BenchError, doing};
use crate::options::Options;
use crate::place::Shop;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const CHROMIUM: &str = "/usr/bin/chromium";
const SWEEP: &str = "sweep --engine null --null-delay 20us --warmup 0s -d 34ms --interval 2ms --null-size 64M \
                     -b 512,4K,8K,16K,64K,256K,1M -o 1,2,4,8,16,32,64 -t 1,2,4 -w 0,50,100";

#[allow(
    clippy::disallowed_methods,
    reason = "the duration of a program is the result"
)]
pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let folder = tempfile::tempdir().map_err(doing("a folder for the page"))?;
    let store = folder.path().join("page.db");
    let page = folder.path().join("page.html");
    fathom(shop, &store, &SWEEP.split_whitespace().collect::<Vec<_>>())?;
    let mut written_ms = Vec::new();
    for _ in 0..options.rounds {
        let name = page.to_string_lossy().into_owned();
        let begun = Instant::now();
        fathom(shop, &store, &["report", "1", "-o", &name])?;
        written_ms.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    let bytes = std::fs::metadata(&page).map_err(doing("the page"))?.len();
    let opened: Vec<f64> = (0..options.rounds)
        .filter_map(|_| opened_ms(&page))
        .collect();
    let answers = match opened.as_slice() {
        [] => {
            format!("time until it answers not known: {CHROMIUM} is not there or did not report it")
        }
        _ => format!("answers in Chromium after {}", spread(opened)),
    };
    Ok(vec![
        format!(
            "page: of 441 cells, written in {}; {bytes} bytes; {answers}",
            spread(written_ms)
        ),
        format!("{} times each; median (least to most)", options.rounds),
    ])
}

fn spread(mut ms: Vec<f64>) -> String {
    ms.sort_by(f64::total_cmp);
    let at = |place: usize| ms.get(place).copied().unwrap_or_default();
    format!(
        "{:.0} ms ({:.0} to {:.0})",
        at(ms.len() / 2),
        at(0),
        at(ms.len().saturating_sub(1))
    )
}

fn fathom(shop: &Shop, store: &Path, words: &[&str]) -> Result<(), BenchError> {
    let said = Command::new(&shop.fathom)
        .args(words)
        .env("FATHOM_STORE", store)
        .stdin(Stdio::null())
        .output()
        .map_err(doing("fathom"))?;
    // Cells that measured too little end a sweep with 1; the page is of what there is.
    if said.status.code().is_none_or(|code| code > 1) {
        return Err(BenchError::Failed {
            command: format!("fathom {}", words.join(" ")),
            status: said.status.to_string(),
            printed: String::from_utf8_lossy(&said.stderr).into_owned(),
        });
    }
    Ok(())
}

/// Report of the page after its start.
fn opened_ms(page: &Path) -> Option<f64> {
    let said = Command::new(CHROMIUM)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
        ])
        .args([
            "--no-first-run",
            "--disable-background-networking",
            "--disable-sync",
        ])
        .args([
            "--disable-component-update",
            "--timeout=20000",
            "--dump-dom",
        ])
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&said.stdout);
    let (_, rest) = text.split_once("data-interactive-ms=\"")?;
    rest.split('"').next()?.parse().ok()
}
