//! What is to be put right before a target is measured: the answer first, then what calls for something, then the rest.

use crate::paper::Paper;
use crate::text::{printable, wrap};
use analysis::{HostsPreflight, Preflight, PreflightAnswer, Remark, Weight, say};
use std::io::{self, Write};

/// The column of topics.
const INDENT: usize = 14;
/// Of one remark.
const LINES_MAX: usize = 12;

/// One document, ending in a newline.
pub fn preflight_json(report: &Preflight, out: &mut dyn Write) -> io::Result<()> {
    crate::json::versioned_json(report, out)
}

/// One document of all hosts, ending in a newline.
pub fn hosts_preflight_json(report: &HostsPreflight, out: &mut dyn Write) -> io::Result<()> {
    crate::json::versioned_json(report, out)
}

/// The answer of all hosts, then the page of each, the most severe first.
pub fn hosts_preflight_summary(
    report: &HostsPreflight,
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    let hosts = report.hosts.iter();
    let ready = hosts.filter(|host| host.check.answer == PreflightAnswer::Ready);
    let head = format!(
        "{}: {} of {} ready",
        report.answer.name(),
        ready.count(),
        say::counted(report.hosts.len() as u64, "rank")
    );
    writeln!(out, "{head}")?;
    for problem in &report.targets {
        tell(out, "target", problem, paper)?;
    }
    for host in &report.hosts {
        writeln!(out, "\nrank {}, {}", host.rank, printable(&host.host))?;
        preflight_summary(&host.check, paper, out)?;
    }
    Ok(())
}

/// The first line alone, without its end: `CAUTION: results on f may be distorted (governor, other load)`.
pub fn preflight_headline(report: &Preflight) -> String {
    let topics: Vec<&str> = report.calling().map(|remark| remark.topic).collect();
    let target = printable(&report.target);
    let answer = report.answer.name();
    match report.answer {
        PreflightAnswer::Ready => {
            format!("{answer}: {target} can be measured; no problem was found")
        }
        PreflightAnswer::Caution => {
            format!(
                "{answer}: results on {target} may be distorted ({})",
                topics.join(", ")
            )
        }
        PreflightAnswer::NotReady if no_target(report).is_some() => {
            let why = no_target(report).map_or("", |remark| &remark.found);
            format!("{answer}: {target} cannot be measured: {why}")
        }
        PreflightAnswer::NotReady => {
            format!(
                "{answer}: results on {target} would be distorted ({})",
                topics.join(", ")
            )
        }
    }
}

/// Why the target cannot be measured at all.
fn no_target(report: &Preflight) -> Option<&Remark> {
    let mut calling = report.calling();
    calling
        .find(|remark| matches!(remark.topic, "target" | "start") && remark.weight == Weight::Error)
}

/// The whole page.
pub fn preflight_summary(report: &Preflight, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    for line in wrap("", &preflight_headline(report), paper.room(), LINES_MAX) {
        writeln!(out, "{line}")?;
    }
    for remark in report.calling() {
        writeln!(out)?;
        tell(out, remark.topic, &remark.found, paper)?;
        if let Some(remedy) = &remark.remedy {
            tell(out, "", &format!("hint: {remedy}"), paper)?;
        }
    }
    let rest = |weight: Weight| -> Vec<&Remark> {
        let all = report.remarks.iter();
        all.filter(|remark| remark.weight == weight).collect()
    };
    for (head, weight) in [("passed:", Weight::Ok), ("not checked:", Weight::Unknown)] {
        let remarks = rest(weight);
        if !remarks.is_empty() {
            writeln!(out, "\n{head}")?;
        }
        for remark in remarks {
            tell(out, remark.topic, &remark.found, paper)?;
        }
    }
    writeln!(
        out,
        "\nother load was measured for {}",
        say::time((report.observed_ns as f64 / 1e8).round() * 1e8)
    )
}

fn tell(out: &mut dyn Write, topic: &str, text: &str, paper: &Paper) -> io::Result<()> {
    let first = format!("  {topic:<INDENT$}");
    for line in wrap(&first, text, paper.room(), LINES_MAX) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
