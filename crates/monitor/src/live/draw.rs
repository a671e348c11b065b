//! How the screen looks.

use super::model::Running;
use crate::moment::{DeviceMoment, Machine};
use crate::plain::time;
use analysis::say;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Paragraph};

const KEYS: &str = "q or Ctrl-C ends the run; its result follows";

/// Draws all of it.
pub(crate) fn draw(running: &Running, frame: &mut Frame<'_>) {
    let devices = running
        .moment
        .as_ref()
        .map_or(0, |moment| moment.devices.len()) as u16;
    let devices = devices.min(frame.area().height / 3);
    let reported = (running.lines.len() as u16).min(frame.area().height / 6);
    let [title, rate, latency, graph, below, lines, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(devices + 1),
        Constraint::Length(reported),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(Paragraph::new(head(running)), title);
    frame.render_widget(Paragraph::new(rates(running)), rate);
    frame.render_widget(Paragraph::new(latencies(running)), latency);
    if graph.height > 2 {
        let points = running.history.points();
        draw_graph(running, &points, frame, graph);
    }
    frame.render_widget(Paragraph::new(machine(running)), below);
    let newest = running.lines.iter().rev().take(usize::from(reported)).rev();
    let newest: Vec<Line<'_>> = newest.map(|line| Line::raw(line.as_str())).collect();
    frame.render_widget(Paragraph::new(newest), lines);
    frame.render_widget(Paragraph::new(KEYS).style(running.palette.faint()), foot);
}

fn head(running: &Running) -> Line<'_> {
    let progress = running.progress.map(|(done, all)| {
        format!(
            "  {} of {}",
            say::time(whole(done)),
            say::time(whole(all.max(done)))
        )
    });
    Line::from(vec![
        Span::styled("fathom ", running.palette.title()),
        Span::styled(running.what.as_str(), running.palette.head()),
        Span::raw("  "),
        Span::raw(running.phase.as_str()),
        Span::raw(progress.unwrap_or_default()),
    ])
}

/// Whole seconds: less is irrelevant for a waiting user.
fn whole(time: model::Nanos) -> f64 {
    time.as_seconds().round() * 1e9
}

fn rates(running: &Running) -> Line<'static> {
    let Some(rate) = running.rate else {
        return Line::raw("no I/O completed yet");
    };
    Line::from(vec![
        Span::styled(
            format!("{} IOPS", say::rate(rate.ios_per_s)),
            running.palette.head(),
        ),
        Span::raw(format!("  {} MiB/s", say::mib_per_s(rate.bytes_per_s))),
        Span::raw(if running.before {
            " (the one before)"
        } else {
            ""
        }),
    ])
}

fn latencies(running: &Running) -> Line<'static> {
    let p99 = running.p99.map(|p99| p99.0 as f64);
    let of = if running.before {
        "the one before"
    } else {
        "measured so far, the slowest thread's"
    };
    Line::raw(format!("p99 {} ({of})", time(p99)))
}

fn draw_graph(
    running: &Running,
    points: &[(f64, f64)],
    frame: &mut Frame<'_>,
    area: ratatui::layout::Rect,
) {
    let top = running.history.top().max(1.0) * 1.1;
    let data = Dataset::default()
        .marker(Marker::Braille)
        .graph_type(GraphType::Line)
        .style(running.palette.graph())
        .data(points);
    let chart = Chart::new(vec![data])
        .x_axis(Axis::default().bounds([-100.0, 0.0]))
        .y_axis(
            Axis::default()
                .bounds([0.0, top])
                .labels(["0".to_owned(), format!("{} IOPS", say::rate(top))]),
        )
        .legend_position(None);
    frame.render_widget(chart, area);
}

fn machine(running: &Running) -> Vec<Line<'static>> {
    let Some(moment) = &running.moment else {
        return Vec::new();
    };
    let Machine {
        user,
        kernel,
        steal,
        runnable,
        ..
    } = moment.machine;
    let waiting = runnable.map_or("-".to_owned(), say::count);
    let cores = format!(
        "cores   {:.0}% programs, {:.0}% kernel, {:.0}% taken by the hypervisor; {waiting} want one",
        user * 100.0,
        kernel * 100.0,
        steal * 100.0
    );
    let devices = moment.devices.iter().map(device);
    std::iter::once(Line::raw(cores)).chain(devices).collect()
}

fn device(device: &DeviceMoment) -> Line<'static> {
    let figures = &device.figures;
    Line::raw(format!(
        "{:<7} {} IOPS, mean {}, queue {:.1}, util {:.0}%",
        device.name,
        say::rate(figures.ios_per_s()),
        time(figures.mean_ns()),
        figures.queue(),
        figures.utilisation() * 100.0
    ))
}
