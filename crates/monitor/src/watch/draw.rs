//! How the screen looks: devices, a graph, PerfMon's counters, vmstat's, processes; less of it where there is less room.

use super::model::Watch;
use crate::history::History;
use crate::moment::{DeviceMoment, Machine, ProcessMoment};
use crate::plain::time;
use crate::style::Palette;
use analysis::say;
use model::WatchMoment;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Cell, Chart, Dataset, GraphType, Paragraph, Row, Table, TableState};

/// Lines that a part needs to be worth its place.
const GRAPH_LINES_MIN: u16 = 6;
const PERFMON_LINES: u16 = 4;
/// Columns from which all columns of the table fit.
const WIDE: u16 = 78;
const CAVEAT: &str = "util: time with an I/O in flight; 100% is no limit of SSDs and arrays";

/// Draws all of it.
pub fn draw(watch: &Watch, frame: &mut Frame<'_>) {
    let area = frame.area();
    let Some(moment) = &watch.moment else {
        frame.render_widget(Paragraph::new(title(watch)), area);
        return;
    };
    let devices = moment.devices.len() as u16 + 1;
    let parts = Parts::of(area, devices, moment.processes.len() as u16);
    frame.render_widget(Paragraph::new(title(watch)), parts.title);
    draw_devices(watch, frame, parts.devices);
    draw_graph(watch, frame, parts.graph);
    if let Some(device) = watch.device() {
        draw_perfmon(device, watch.palette, frame, parts.perfmon);
    }
    frame.render_widget(
        Paragraph::new(vmstat(&moment.machine, watch.palette)),
        parts.vmstat,
    );
    draw_processes(
        &moment.processes,
        moment.refused,
        watch.palette,
        frame,
        parts.processes,
    );
    draw_foot(watch, frame, parts.foot);
}

/// Where each part goes; an empty place is none.
struct Parts {
    title: Rect,
    devices: Rect,
    graph: Rect,
    perfmon: Rect,
    vmstat: Rect,
    processes: Rect,
    foot: Rect,
}

impl Parts {
    /// Devices come first, then the machine's line, the graph, the counters, the processes.
    fn of(area: Rect, devices: u16, processes: u16) -> Self {
        let small = area.height < 12;
        let foot = if small { 1 } else { 2 };
        let mut left = area.height.saturating_sub(1 + foot);
        let mut take = |wanted: u16, least: u16| {
            let lines = if left >= least { wanted.min(left) } else { 0 };
            left -= lines;
            lines
        };
        let table_most = if small {
            area.height
        } else {
            (area.height / 3).max(3)
        };
        let devices = take(devices.min(table_most), 1);
        let vmstat = take(1, 1);
        let graph_least = take(GRAPH_LINES_MIN, GRAPH_LINES_MIN);
        let perfmon = take(PERFMON_LINES, PERFMON_LINES);
        let processes = take((processes.max(1) + 1).min(6), 2);
        // What is left makes the graph taller; without a graph it stays empty.
        let graph = if graph_least > 0 {
            graph_least + left
        } else {
            0
        };
        let lines = [1, devices, graph, perfmon, vmstat, processes].map(Constraint::Length);
        let rows = [&lines[..], &[Constraint::Min(0), Constraint::Length(foot)]].concat();
        let places = Layout::vertical(rows).split(area);
        Parts {
            title: places[0],
            devices: places[1],
            graph: places[2],
            perfmon: places[3],
            vmstat: places[4],
            processes: places[5],
            foot: places[7],
        }
    }
}

fn title(watch: &Watch) -> Line<'_> {
    let every = format!("  every {}", say::time(watch.interval.0 as f64));
    let mut spans = vec![
        Span::styled("fathom watch ", watch.palette.title()),
        Span::raw(watch.host.as_str()),
        Span::raw(every),
    ];
    spans.extend(watch.also.iter().map(|also| Span::raw(format!("  {also}"))));
    Line::from(spans)
}

/// Head, columns, and whether only a wide screen shows it.
const COLUMNS: [(&str, u16, bool); 10] = [
    ("r/s", 6, false),
    ("w/s", 6, false),
    ("rMiB/s", 6, true),
    ("wMiB/s", 6, true),
    ("read", 7, true),
    ("write", 7, true),
    ("p50", 7, true),
    ("p99", 7, false),
    ("queue", 5, false),
    ("util", 5, false),
];

fn cells(figures: &WatchMoment) -> [String; 10] {
    let latency = figures.latency;
    let p99 = latency.and_then(|latency| latency.p99);
    [
        say::rate(figures.reads_per_s()),
        say::rate(figures.writes_per_s()),
        say::mib_per_s(figures.read_bytes_per_s()),
        say::mib_per_s(figures.write_bytes_per_s()),
        time(figures.read_ns()),
        time(figures.write_ns()),
        time(latency.map(|latency| latency.p50.0 as f64)),
        time(p99.map(|p99| p99.0 as f64)),
        format!("{:.1}", figures.queue()),
        format!("{:.0}%", figures.utilisation() * 100.0),
    ]
}

/// On a narrow screen only the columns that are marked as such.
fn draw_devices(watch: &Watch, frame: &mut Frame<'_>, area: Rect) {
    let Some(moment) = watch.moment.as_ref().filter(|_| area.height > 0) else {
        return;
    };
    let narrow = area.width < WIDE;
    let shown = |at: &usize| !(narrow && COLUMNS[*at].2);
    let places: Vec<usize> = (0..COLUMNS.len()).filter(shown).collect();
    let right = |text: String| Cell::from(Line::from(text).right_aligned());
    let head = places.iter().map(|&at| right(COLUMNS[at].0.to_owned()));
    let head = Row::new(std::iter::once(Cell::from("device")).chain(head));
    let rows = moment.devices.iter().map(|device| {
        let figures = cells(&device.figures);
        let figures = places.iter().map(|&at| right(figures[at].clone()));
        Row::new(
            std::iter::once(Cell::from(device.name.clone())).chain(figures.collect::<Vec<_>>()),
        )
    });
    let widths = places.iter().map(|&at| Constraint::Length(COLUMNS[at].1));
    let widths = std::iter::once(Constraint::Min(5)).chain(widths);
    let table = Table::new(rows, widths)
        .header(head.style(watch.palette.head()))
        .column_spacing(1)
        .row_highlight_style(watch.palette.chosen());
    let mut state = TableState::new().with_selected(Some(watch.chosen));
    frame.render_stateful_widget(table, area, &mut state);
}

fn draw_graph(watch: &Watch, frame: &mut Frame<'_>, area: Rect) {
    let (Some(device), true) = (watch.device(), area.height > 2) else {
        return;
    };
    let history = watch.history();
    let top = history.map_or(0.0, |history| history.top());
    let now = history.and_then(|history| history.last());
    let known = now.map_or("no value yet".to_owned(), |now| {
        format!("now {}, top {}", say::digits(now), say::digits(top))
    });
    let reach = history.map_or(100.0, History::reach_s);
    let title = format!(
        "{}: {}, last {reach:.0} s: {known}",
        device.name,
        watch.figure.name()
    );
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
    frame.render_widget(Paragraph::new(title).style(watch.palette.head()), head);
    let points = history.map(|history| history.points()).unwrap_or_default();
    let ceiling = ceiling(top);
    let data = Dataset::default()
        .marker(Marker::Braille)
        .graph_type(GraphType::Line)
        .style(watch.palette.graph())
        .data(&points);
    let chart = Chart::new(vec![data])
        .x_axis(Axis::default().bounds([-reach, 0.0]))
        .y_axis(
            Axis::default()
                .bounds([0.0, ceiling])
                .labels(["0".to_owned(), say::rate(ceiling)]),
        )
        .legend_position(None);
    frame.render_widget(chart, body);
}

/// The next of 1, 2, 5 times a power of ten, so that the scale does not move with every value.
fn ceiling(top: f64) -> f64 {
    if top <= 0.0 || !top.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(top.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps
        .into_iter()
        .find(|&step| step >= top)
        .unwrap_or(10.0 * power)
}

/// Source: Windows' Performance Monitor, object LogicalDisk: seconds, and operations a second.
fn draw_perfmon(device: &DeviceMoment, palette: Palette, frame: &mut Frame<'_>, area: Rect) {
    if area.height == 0 {
        return;
    }
    let figures = &device.figures;
    let seconds = |ns: Option<f64>| format!("{:.6}", ns.unwrap_or(0.0) / 1e9);
    let rows = [
        ("Avg. Disk sec/Read", seconds(figures.read_ns())),
        ("Avg. Disk sec/Write", seconds(figures.write_ns())),
        ("Disk Reads/sec", format!("{:.3}", figures.reads_per_s())),
        ("Disk Writes/sec", format!("{:.3}", figures.writes_per_s())),
    ];
    let lines = rows.map(|(name, value)| {
        Line::from(vec![
            Span::styled(format!("{name:<20}"), palette.head()),
            Span::raw(format!("{value:>14}")),
        ])
    });
    frame.render_widget(Paragraph::new(lines.to_vec()), area);
}

fn vmstat(machine: &Machine, palette: Palette) -> Line<'static> {
    let whole = |value: Option<u64>| value.map_or("-".to_owned(), say::count);
    let kib = |value: Option<f64>| value.map_or("-".to_owned(), |value| say::rate(value / 1024.0));
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    let parts = [
        ("r", whole(machine.runnable)),
        ("b", whole(machine.blocked)),
        ("bi", kib(machine.in_per_s)),
        ("bo", kib(machine.out_per_s)),
        ("us", percent(machine.user)),
        ("sy", percent(machine.kernel)),
        ("id", percent(machine.idle)),
        ("st", percent(machine.steal)),
    ];
    let spans = parts.into_iter().flat_map(|(name, value)| {
        [
            Span::styled(format!("{name} "), palette.head()),
            Span::raw(format!("{value}  ")),
        ]
    });
    Line::from(spans.collect::<Vec<_>>())
}

fn draw_processes(
    processes: &[ProcessMoment],
    refused: usize,
    palette: Palette,
    frame: &mut Frame<'_>,
    area: Rect,
) {
    if area.height == 0 {
        return;
    }
    let mut head = format!(
        "{:>8} {:<16} {:>11} {:>11}",
        "process", "name", "rMiB/s", "wMiB/s"
    );
    if refused > 0 {
        head.push_str(&format!("  ({refused} of others not shown)"));
    }
    let mut lines = vec![Line::styled(head, palette.head())];
    if processes.is_empty() {
        lines.push(Line::styled("       - none moves bytes", palette.faint()));
    }
    lines.extend(processes.iter().map(|process| {
        Line::raw(format!(
            "{:>8} {:<16.16} {:>11} {:>11}",
            process.process,
            printable(&process.name),
            say::mib_per_s(process.read_per_s),
            say::mib_per_s(process.write_per_s)
        ))
    }));
    frame.render_widget(Paragraph::new(lines), area);
}

/// Names of processes may contain anything.
fn printable(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect()
}

fn draw_foot(watch: &Watch, frame: &mut Frame<'_>, area: Rect) {
    let keys = "q quit  up/down device  left/right graph";
    let first = match &watch.untraced {
        Some(why) => format!("averages only: {why}"),
        None => CAVEAT.to_owned(),
    };
    let lines = match area.height {
        0 => return,
        1 => vec![Line::raw(keys)],
        _ => vec![Line::styled(first, watch.palette.faint()), Line::raw(keys)],
    };
    frame.render_widget(Paragraph::new(lines), area);
}
