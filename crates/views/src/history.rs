//! The history of a results database as an HTML page: the answer, what changed, all sessions with a search, each trend.
//!
//! It has the style of the report and one script, the search, and needs no network. Deliberately absent: the pages of the
//! sessions, which are reports.

use crate::page::{PAGE_MARK, escaped, style};
use crate::time::{Zone, minute};
use analysis::say::rate;
use analysis::{History, HistorySession, Trend, TrendPoint, TrendStep, Validity, say};
use std::io::{self, Write};

/// Shows the rows that have every word of the search.
const SCRIPT: &str = "\
const search = document.querySelector('#search'), status = document.querySelector('#found');\
const rows = [...document.querySelectorAll('tr[data-text]')];\
const filter = () => {\
const words = search.value.toLowerCase().split(/\\s+/);\
for (const row of rows) row.hidden = !words.every((word) => row.dataset.text.includes(word));\
status.textContent = rows.filter((row) => !row.hidden).length + ' of ' + rows.length + ' rows';\
};\
search.addEventListener('input', filter);";

/// The script's SHA-256 in base64: the page runs no other. A test in a browser uses the search.
const SCRIPT_HASH: &str = "uMXqG5c4XNMQG+xSOMOdIICvHMfYD6q3mtkui4WYeeI=";

/// Rules in addition to those of the report.
const STYLE: &str = "main{padding-top:1rem}svg.trend{width:10rem;height:2rem;vertical-align:middle}svg.trend polyline{fill:none;\
stroke:var(--accent);stroke-width:2;vector-effect:non-scaling-stroke}svg.trend .slower{fill:var(--bad)}svg.trend .faster\
{fill:var(--good)}svg.trend .other{fill:var(--soft)}.step-slower{color:var(--bad);font-weight:650}.step-faster{color:var(--good);\
font-weight:650}table{border-collapse:collapse;width:100%}table.history td,table.history th{text-align:left;\
white-space:normal;overflow-wrap:break-word;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}\
table.history td.rate,table.history td:nth-child(2){white-space:nowrap}table.history td:last-child{min-width:18rem}.scroll{overflow-x:auto}";

/// Writes the page.
pub fn history_html(history: &History, zone: &Zone, out: &mut dyn Write) -> io::Result<()> {
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{SCRIPT_HASH}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    );
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{PAGE_MARK}\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>fathom: history</title>\n{}\n<style>{STYLE}</style>\n</head>\n<body>\n<main>",
        style()
    )?;
    writeln!(out, "<h1>{}</h1>", escaped(&history.headline))?;
    writeln!(
        out,
        "<p><label>Search <input type=\"search\" id=\"search\" placeholder=\"target, workload, tag, verdict\"></label> \
         <span id=\"found\" role=\"status\"></span></p>"
    )?;
    let changed =
        |trend: &&Trend| matches!(trend.last_step(), TrendStep::Slower | TrendStep::Faster);
    let (changed, others): (Vec<&Trend>, Vec<&Trend>) = history.trends.iter().partition(changed);
    trends("changed", "Changed since the session before", &changed, out)?;
    sessions(&history.sessions, zone, out)?;
    trends("trends", "Other trends", &others, out)?;
    writeln!(out, "</main>\n<script>{SCRIPT}</script>\n</body>\n</html>")
}

fn sessions(sessions: &[HistorySession], zone: &Zone, out: &mut dyn Write) -> io::Result<()> {
    table(
        "sessions",
        "Sessions",
        &["Session", "Started", "Kind", "Target", "Verdict", "Answer"],
        out,
    )?;
    for session in sessions {
        let number = match &session.page {
            Some(page) => format!("<a href=\"{}\">{}</a>", escaped(page), session.session),
            None => session.session.to_string(),
        };
        let verdict = session.validity.map_or("", Validity::word);
        let tags: String = session.tags.iter().map(|tag| format!(" [{tag}]")).collect();
        let started = minute(session.started_utc_ns, zone);
        let cells = [
            escaped(&started),
            escaped(&session.kind),
            escaped(&format!("{}{tags}", session.target)),
            escaped(verdict),
            escaped(&session.headline),
        ];
        let text = format!("{} {}", session.session, cells.join(" ")).to_lowercase();
        write!(
            out,
            "<tr data-text=\"{text}\"><th scope=\"row\">{number}</th>"
        )?;
        for cell in cells {
            write!(out, "<td>{cell}</td>")?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div></section>")
}

fn trends(id: &str, title: &str, trends: &[&Trend], out: &mut dyn Write) -> io::Result<()> {
    if trends.is_empty() {
        return Ok(());
    }
    let heads = [
        "Target",
        "Workload",
        "IOPS by session",
        "Last",
        "Against the session before",
    ];
    table(id, title, &heads, out)?;
    for trend in trends {
        let Some(last) = trend.points.last() else {
            continue;
        };
        let target = escaped(&trend.target);
        let workload = escaped(&format!("{}: {}", trend.kind, trend.workload));
        let text = format!("{target} {workload} {}", step(last.step)).to_lowercase();
        writeln!(
            out,
            "<tr data-text=\"{text}\"><th scope=\"row\">{target}</th><td>{workload}</td><td>{}</td>\
             <td class=\"rate\">{}</td><td class=\"step-{}\">{}</td></tr>",
            picture(trend),
            escaped(&rate(last.iops)),
            step(last.step),
            escaped(&against(last, &trend.points)),
        )?;
    }
    writeln!(out, "</tbody></table></div></section>")
}

fn table(id: &str, title: &str, heads: &[&str], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<section id=\"{id}\"><h2>{title}</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><table class=\"history\"><thead><tr>"
    )?;
    for head in heads {
        write!(out, "<th scope=\"col\">{head}</th>")?;
    }
    writeln!(out, "</tr></thead><tbody>")
}

fn step(step: TrendStep) -> &'static str {
    match step {
        TrendStep::First => "first",
        TrendStep::Faster => "faster",
        TrendStep::Slower => "slower",
        TrendStep::Same => "same",
        TrendStep::Inconclusive => "inconclusive",
    }
}

/// `slower: −12.1% [−13.0, −11.2] since session 7`.
fn against(last: &TrendPoint, points: &[TrendPoint]) -> String {
    let before = points.iter().rev().nth(1).map(|point| point.session);
    let since = before.map_or_else(String::new, |session| format!(" since session {session}"));
    let percent = |share: f64| format!("{:+.1}%", (share - 1.0) * 100.0);
    let change = last.ratio.map_or_else(String::new, |ratio| {
        let bounds = ratio.low.zip(ratio.high);
        let bounds = bounds.map(|(low, high)| format!(" [{}, {}]", percent(low), percent(high)));
        format!(": {}{}", percent(ratio.value), bounds.unwrap_or_default())
    });
    let word = match last.step {
        TrendStep::Same => {
            let most = last.at_most_share.unwrap_or(0.25);
            format!("no difference above {}", say::percent(most))
        }
        other => step(other).to_owned(),
    };
    let doubt = last.doubt.as_deref().map(|doubt| format!("; {doubt}"));
    // A and B are the names of a comparison's sides.
    format!("{word}{change}{since}{}", doubt.unwrap_or_default())
}

/// Draws the rates from 0 to the highest; a mark where one changed.
fn picture(trend: &Trend) -> String {
    const WIDTH: f64 = 160.0;
    const HEIGHT: f64 = 32.0;
    const MARK: f64 = 3.0;
    let rates = || trend.points.iter().map(|point| point.iops);
    let most = rates().fold(0.0, f64::max);
    let apart = (WIDTH - 2.0 * MARK) / (trend.points.len().max(2) - 1) as f64;
    let (mut line, mut marks) = (String::new(), String::new());
    for (at, point) in trend.points.iter().enumerate() {
        let share = if most > 0.0 { point.iops / most } else { 0.0 };
        let x = MARK + at as f64 * apart;
        let y = HEIGHT - MARK - share * (HEIGHT - 2.0 * MARK);
        line.push_str(&format!("{x:.1},{y:.1} "));
        marks.push_str(&mark(point, x, y));
    }
    let last = rates().next_back().unwrap_or(0.0);
    let label = format!(
        "{} sessions, the last {} IOPS, the highest {}",
        trend.points.len(),
        rate(last),
        rate(most)
    );
    format!(
        "<svg class=\"trend\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\"><polyline points=\"{}\"/>\
         {marks}</svg>",
        escaped(&label),
        line.trim_end()
    )
}

fn mark(point: &TrendPoint, x: f64, y: f64) -> String {
    let (kind, radius) = match point.step {
        TrendStep::Slower => ("slower", 3.0),
        TrendStep::Faster => ("faster", 3.0),
        _ => ("other", 1.5),
    };
    let iops = rate(point.iops);
    let title = format!(
        "session {}: {iops} IOPS, {}",
        point.session,
        step(point.step)
    );
    format!(
        "<circle class=\"{kind}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"><title>{}</title></circle>",
        escaped(&title)
    )
}
