//! What a sweep will do: cells, time, and what will be written where.

use crate::number::{bytes, count, counted, time};
use crate::paper::Paper;
use crate::text::{printable, wrap};
use crate::time::{waiting, write_time};
use analysis::{ForecastTime, SweepForecast, TargetForecast};
use std::io::{self, Write};

/// Writes the page.
pub fn sweep_forecast(
    forecast: &SweepForecast,
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    let width = paper.room();
    let mut page = wrap("", &what(forecast), width, 3);
    page.extend(wrap("cells   ", &axes(forecast), width, 4));
    page.extend(wrap("takes   ", &takes(forecast), width, 3));
    page.extend(wrap("ends    ", &ends(&forecast.time, paper), width, 2));
    for target in &forecast.targets {
        page.extend(wrap("writes  ", &writes(target), width, 2));
    }
    page.extend(wrap("keeps   ", &keeps(forecast), width, 2));
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// `about 2 h 05 min for 441 cells, shuffled`.
fn what(forecast: &SweepForecast) -> String {
    let (least, most) = (
        waiting(forecast.time.duration_least_ns),
        waiting(forecast.time.duration_most_ns),
    );
    let time = match least == most {
        true => least,
        false => format!("{least} to {most}"),
    };
    let left = forecast.cells - forecast.cells_done.min(forecast.cells);
    let cells = match forecast.cells_done {
        0 => counted(forecast.cells, "cell"),
        done => format!(
            "{} that are left of {}, {} are there",
            counted(left, "cell"),
            count(forecast.cells),
            count(done)
        ),
    };
    let runs = match (forecast.runs_least, forecast.runs_most) {
        (least, most) if least == left && most == left => String::new(),
        (least, most) if least == most => format!(", {}", counted(most, "run")),
        (least, most) => format!(", {} to {}", count(least), counted(most, "run")),
    };
    let order = match (forecast.order.as_str(), forecast.shuffle_seed) {
        ("given", _) => "in the order given".to_owned(),
        ("shuffled", Some(seed)) => format!("shuffled by seed {seed}"),
        (other, _) => other.to_owned(),
    };
    format!("about {time} for {cells}{runs}, {order}")
}

fn axes(forecast: &SweepForecast) -> String {
    if forecast.axes.is_empty() {
        return "nothing is varied".to_owned();
    }
    let axis = |axis: &analysis::AxisForecast| {
        format!(
            "{} {}",
            printable(&axis.field),
            printable(&axis.values.join(","))
        )
    };
    let axes: Vec<String> = forecast.axes.iter().map(axis).collect();
    axes.join("; ")
}

fn takes(forecast: &SweepForecast) -> String {
    if forecast.runs_least == 0 {
        return "nothing: all cells are there".to_owned();
    }
    let (phases, load) = (forecast.time.phases_ns, forecast.time.load_ns);
    let mut parts = vec![match load < phases {
        true => format!(
            "{} for {} of simulated load (a guess until one ran)",
            brief(load),
            waiting(phases)
        ),
        false => format!("{} of load", waiting(phases)),
    }];
    if forecast.time.rest_ns > 0 {
        parts.push(format!("{} of rest", waiting(forecast.time.rest_ns)));
    }
    let each = forecast.time.around_ns as f64 / forecast.runs_least.max(1) as f64;
    parts.push(format!(
        "{} of starting and keeping ({} a run, a guess until one ran)",
        brief(forecast.time.around_ns),
        time(each)
    ));
    if forecast.time.filling_ns > 0 {
        parts.push(format!(
            "{} of creating files (an estimate until the first is created)",
            brief(forecast.time.filling_ns)
        ));
    }
    parts.join(", ")
}

/// Next to whole seconds a part of one would round up to as much as the whole.
fn brief(ns: u64) -> String {
    match ns {
        0..1_000_000_000 => time(ns as f64),
        _ => waiting(ns),
    }
}

fn ends(time: &ForecastTime, paper: &Paper) -> String {
    let (least, most) = (time.ends_least_utc_ns, time.ends_most_utc_ns);
    let at = |ns| write_time(ns, &paper.zone);
    match least == most {
        true => format!("about {}, if it begins now", at(most)),
        false => format!("{} to {}, if it begins now", at(least), at(most)),
    }
}

fn writes(target: &TargetForecast) -> String {
    let path = printable(&target.path);
    let mut parts = Vec::new();
    if target.fill_bytes > 0 {
        let how = if target.made {
            "is created, with"
        } else {
            "is filled with"
        };
        parts.push(format!("{how} {}", bytes(target.fill_bytes)));
    }
    if target.proven {
        parts.push(
            "is read whole first, to prove that it contains only what fathom wrote".to_owned(),
        );
    }
    parts.push(match target.written {
        true => "cells write to it".to_owned(),
        false if target.fill_bytes > 0 => "cells only read it".to_owned(),
        false => "nothing: cells only read it".to_owned(),
    });
    format!("{path}: {}", parts.join("; "))
}

fn keeps(forecast: &SweepForecast) -> String {
    let Some(store) = &forecast.store else {
        return "nothing (--no-store): a sweep that is cut short begins again".to_owned();
    };
    let store = printable(store);
    match forecast.goes_on_with {
        Some(session) => {
            format!("each cell as soon as it is done, in session {session} of {store}")
        }
        None => format!("each cell as soon as it is done, in a new session of {store}"),
    }
}
