//! All fields, in the order in which they are offered. One row adds one everywhere.

use super::{Column, Unit, Value};
use crate::rows::per_second;
use model::{CacheMode, Nanos, Note, ResultRow, RowFigures, RowTimes};

const fn field(
    name: &'static str,
    short: &'static str,
    unit: Unit,
    about: &'static str,
    read: fn(&ResultRow) -> Value,
) -> Column {
    Column {
        name,
        short,
        unit,
        about,
        read,
    }
}

/// What it was.
const WHAT: &[Column] = &[
    field("id", "id", Unit::Name, "name of the result: 12.3", |r| {
        Value::Name(r.session, r.number)
    }),
    field(
        "session",
        "session",
        Unit::Count,
        "the session that it belongs to",
        |r| Value::Whole(r.session),
    ),
    field(
        "number",
        "number",
        Unit::Count,
        "its number in the session",
        |r| Value::Whole(r.number.into()),
    ),
    field(
        "kind",
        "kind",
        Unit::Text,
        "which command filled its session, such as run, survey, sweep or import",
        |r| Value::text(Some(&r.kind)),
    ),
    field(
        "origin",
        "origin",
        Unit::Text,
        "measured, imported or missing",
        |r| Value::text(Some(r.origin.name())),
    ),
    field(
        "label",
        "label",
        Unit::Text,
        "what it was for: 4K random read",
        |r| Value::text(Some(&r.label)),
    ),
    field(
        "tags",
        "tags",
        Unit::Tags,
        "words given by `fathom tag`, its session's too",
        |r| match r.tags.is_empty() {
            true => Value::Nothing,
            false => Value::Tags(r.tags.clone()),
        },
    ),
    field(
        "notes",
        "notes",
        Unit::Tags,
        "hints and a comment given by `fathom note` or when it was measured, its session's too: medium=hdd",
        |r| match r.notes.is_empty() {
            true => Value::Nothing,
            false => Value::Tags(r.notes.iter().map(Note::to_string).collect()),
        },
    ),
    field(
        "tool",
        "tool",
        Unit::Text,
        "who measured: fathom, diskspd, sqlio, fio, iometer, dd, bonnie++",
        |r| Value::text(Some(&r.tool)),
    ),
    field(
        "tool_version",
        "tool_version",
        Unit::Text,
        "its version",
        |r| Value::text(r.tool_version.as_deref()),
    ),
    field(
        "source",
        "source",
        Unit::Text,
        "the file that it was imported from",
        |r| Value::text(r.source.as_deref()),
    ),
    field(
        "started_utc",
        "started",
        Unit::Moment,
        "when, in UTC: 2026-11-21, 2026-11-21T10:30",
        |r| time(r.started_utc),
    ),
    field("host", "host", Unit::Text, "the machine", |r| {
        Value::text(r.host.as_deref())
    }),
    field("target", "target", Unit::Text, "files and devices", |r| {
        Value::text(Some(&r.target))
    }),
    field(
        "outcome",
        "outcome",
        Unit::Text,
        "complete, interrupted, failed",
        |r| Value::text(r.outcome.as_deref()),
    ),
    field(
        "reason",
        "reason",
        Unit::Text,
        "why there is no result, or the cause that the first line of `fathom show` names",
        |r| {
            let judged = r.verdict.as_ref().map(|verdict| verdict.reason.as_str());
            Value::text(r.reason.as_deref().or(judged))
        },
    ),
    field(
        "verdict",
        "verdict",
        Unit::Text,
        "whether it may be used: VALID, CAUTION, INVALID, NOT CHECKED",
        |r| Value::text(r.verdict.as_ref().map(|verdict| verdict.validity.as_str())),
    ),
    field(
        "findings",
        "findings",
        Unit::Tags,
        "ids of its findings, the most important first: page-cache",
        |r| {
            let found = r.verdict.iter().flat_map(|verdict| &verdict.findings);
            match found.cloned().collect::<Vec<String>>() {
                found if found.is_empty() => Value::Nothing,
                found => Value::Tags(found),
            }
        },
    ),
    field(
        "key",
        "key",
        Unit::Text,
        "key of the cell in a sweep",
        |r| Value::text(r.key.as_deref()),
    ),
];

/// What was asked.
const WORK: &[Column] = &[
    field(
        "block_bytes",
        "block",
        Unit::Size,
        "bytes of one I/O",
        |r| Value::whole(r.work.block.map(|b| b.0)),
    ),
    field(
        "queue_depth",
        "depth",
        Unit::Count,
        "most I/Os outstanding of each thread",
        |r| small(r.work.queue_depth),
    ),
    field(
        "threads",
        "threads",
        Unit::Count,
        "threads of the whole run",
        |r| small(r.work.threads),
    ),
    field(
        "write_percent",
        "write",
        Unit::Percent,
        "share of I/Os that write",
        |r| small(r.work.write_percent),
    ),
    field(
        "pattern",
        "pattern",
        Unit::Text,
        "random, sequential, mixed, stripe, permuted, zipf, pareto, normal, interleaved, trace",
        |r| Value::text(r.work.pattern.as_deref()),
    ),
    field(
        "random_percent",
        "random",
        Unit::Percent,
        "share of I/Os that go to a random place",
        |r| small(r.work.random_percent),
    ),
    field(
        "cache",
        "cache",
        Unit::Text,
        "unbuffered, cached, local_off",
        |r| Value::text(r.work.cache.map(cache_name)),
    ),
    field(
        "write_through",
        "write_through",
        Unit::Truth,
        "a write is complete only when it is durable",
        |r| r.work.write_through.map_or(Value::Nothing, Value::Truth),
    ),
    field(
        "size_bytes",
        "size",
        Unit::Size,
        "length of the range, of all targets together",
        |r| Value::whole(r.work.size.map(|b| b.0)),
    ),
    field(
        "target_iops",
        "target_iops",
        Unit::Rate,
        "I/Os scheduled per second (--rate)",
        |r| Value::whole(r.work.target_iops),
    ),
    field("engine", "engine", Unit::Text, "I/O engine", |r| {
        Value::text(r.work.engine.as_deref())
    }),
    field(
        "measured_ns",
        "measured",
        Unit::Time,
        "how long was counted",
        |r| time(r.measured),
    ),
];

/// The fields of one operation, or of both together.
macro_rules! figures {
    ($of:ident, $before:literal, $words:literal) => {
        &[
            field(
                concat!($before, "iops"),
                concat!($before, "iops"),
                Unit::Rate,
                concat!("IOPS", $words),
                |r| ios_per_s(r, &r.$of),
            ),
            field(
                concat!($before, "bytes_per_s"),
                concat!($before, "bytes_per_s"),
                Unit::SizePerSecond,
                concat!("bytes per second", $words),
                |r| bytes_per_s(r, &r.$of),
            ),
            field(
                concat!($before, "latency_mean_ns"),
                concat!($before, "latency_mean"),
                Unit::Time,
                concat!("mean latency", $words),
                |r| time(r.$of.latency.mean),
            ),
            field(
                concat!($before, "latency_sd_ns"),
                concat!($before, "latency_sd"),
                Unit::Time,
                concat!("standard deviation of latency", $words),
                |r| time(r.$of.latency.sd),
            ),
            field(
                concat!($before, "latency_min_ns"),
                concat!($before, "latency_min"),
                Unit::Time,
                concat!("smallest latency", $words),
                |r| time(r.$of.latency.min),
            ),
            field(
                concat!($before, "latency_p50_ns"),
                concat!($before, "latency_p50"),
                Unit::Time,
                concat!("median latency", $words),
                |r| at(&r.$of.latency, 0.5),
            ),
            field(
                concat!($before, "latency_p90_ns"),
                concat!($before, "latency_p90"),
                Unit::Time,
                concat!("latency that 90% do not exceed", $words),
                |r| at(&r.$of.latency, 0.9),
            ),
            field(
                concat!($before, "latency_p95_ns"),
                concat!($before, "latency_p95"),
                Unit::Time,
                concat!("the same of 95%", $words),
                |r| at(&r.$of.latency, 0.95),
            ),
            field(
                concat!($before, "latency_p99_ns"),
                concat!($before, "latency_p99"),
                Unit::Time,
                concat!("the same of 99%", $words),
                |r| at(&r.$of.latency, 0.99),
            ),
            field(
                concat!($before, "latency_p999_ns"),
                concat!($before, "latency_p999"),
                Unit::Time,
                concat!("the same of 99.9%", $words),
                |r| at(&r.$of.latency, 0.999),
            ),
            field(
                concat!($before, "latency_p9999_ns"),
                concat!($before, "latency_p9999"),
                Unit::Time,
                concat!("the same of 99.99%", $words),
                |r| at(&r.$of.latency, 0.9999),
            ),
            field(
                concat!($before, "latency_max_ns"),
                concat!($before, "latency_max"),
                Unit::Time,
                concat!("largest latency", $words),
                |r| time(r.$of.latency.max),
            ),
            field(
                concat!($before, "ios"),
                concat!($before, "ios"),
                Unit::Count,
                concat!("I/Os completed without error", $words),
                |r| Value::whole(r.$of.ios),
            ),
            field(
                concat!($before, "bytes"),
                concat!($before, "bytes"),
                Unit::Size,
                concat!("bytes that they moved", $words),
                |r| Value::whole(r.$of.bytes.map(|b| b.0)),
            ),
            field(
                concat!($before, "errors"),
                concat!($before, "errors"),
                Unit::Count,
                concat!("I/Os that failed", $words),
                |r| Value::whole(r.$of.errors),
            ),
        ]
    };
}

/// The result.
const TOTAL: &[Column] = figures!(total, "", "");
const READ: &[Column] = figures!(read, "read_", ", of reads");
const WRITE: &[Column] = figures!(write, "write_", ", of writes");

/// From the moment at which an I/O was to start.
const RESPONSE: &[Column] = &[
    field(
        "response_mean_ns",
        "response_mean",
        Unit::Time,
        "mean response time, where a rate was requested",
        |r| time(r.total.response.mean),
    ),
    field(
        "response_p50_ns",
        "response_p50",
        Unit::Time,
        "median response time",
        |r| at(&r.total.response, 0.5),
    ),
    field(
        "response_p99_ns",
        "response_p99",
        Unit::Time,
        "response time that 99% do not exceed",
        |r| at(&r.total.response, 0.99),
    ),
    field(
        "response_p999_ns",
        "response_p999",
        Unit::Time,
        "the same of 99.9%",
        |r| at(&r.total.response, 0.999),
    ),
    field(
        "response_max_ns",
        "response_max",
        Unit::Time,
        "largest response time",
        |r| time(r.total.response.max),
    ),
];

/// All fields in groups, each with its heading in the documentation.
pub const COLUMNS: &[(&str, &[Column])] = &[
    ("What it was", WHAT),
    ("Request", WORK),
    ("Results, reads and writes together", TOTAL),
    ("Of reads alone", READ),
    ("Of writes alone", WRITE),
    ("Response times, where a rate was requested", RESPONSE),
];

/// Fields whose values follow from the report of a result.
pub const JUDGED: [&str; 3] = ["verdict", "reason", "findings"];

/// All fields.
pub fn columns() -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().flat_map(|(_, columns)| *columns)
}

/// The field of this name, without regard to case. It may lack its unit (`latency_p99`), a percentile the word before
/// it (`p99`, `p99.9`, `read_p50`), and the queue depth has the name of its option, too.
pub fn column(name: &str) -> Option<&'static Column> {
    let name = name.to_ascii_lowercase();
    let of_latency = percentile_of_latency(&name);
    let name = of_latency.as_deref().unwrap_or(&name);
    columns().find(|column| column.name == name || column.short == name)
}

/// Returns the name of a field without its unit, over values that have theirs; of anything else itself.
pub fn short(field: &str) -> &str {
    column(field).map_or(field, |column| column.short)
}

fn percentile_of_latency(name: &str) -> Option<String> {
    let (operation, rest) = match name.split_once('_') {
        Some(("read", rest)) => ("read_", rest),
        Some(("write", rest)) => ("write_", rest),
        _ => ("", name),
    };
    let depth = rest.strip_prefix('p')?.replacen('.', "", 1);
    let digits = !depth.is_empty() && depth.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| format!("{operation}latency_p{depth}"))
}

fn small(value: Option<impl Into<u64>>) -> Value {
    Value::whole(value.map(Into::into))
}

fn time(value: Option<Nanos>) -> Value {
    Value::whole(value.map(|ns| ns.0))
}

fn at(times: &RowTimes, quantile: f64) -> Value {
    time(times.at(quantile))
}

fn cache_name(mode: CacheMode) -> &'static str {
    match mode {
        CacheMode::Unbuffered => "unbuffered",
        CacheMode::Cached => "cached",
        CacheMode::LocalOff => "local_off",
    }
}

/// As printed by the tool, else over the time that was measured.
fn ios_per_s(row: &ResultRow, figures: &RowFigures) -> Value {
    over_time(row, figures.ios_per_s, figures.ios)
}

fn bytes_per_s(row: &ResultRow, figures: &RowFigures) -> Value {
    over_time(row, figures.bytes_per_s, figures.bytes.map(|b| b.0))
}

fn over_time(row: &ResultRow, printed: Option<f64>, amount: Option<u64>) -> Value {
    let counted = || {
        let measured = row.measured.filter(|ns| ns.0 > 0)?;
        Some(per_second(amount? as f64, measured))
    };
    Value::real(printed.or_else(counted))
}
