//! Lines that the script of the first seed prints around DISKSPD: one a run, `Param -b4k, -t1, -o1, 9735.28 iops, …`.
//!
//! The script repeats DISKSPD's rounded figures and drops the rest. What it asked for besides (reads, random, no cache)
//! stands in the script and not in its lines, so it is unknown here. Deliberately absent: the totals of the raw runs.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{Cell, cell, nanos, size};
use crate::imports::run::unknown;
use crate::imports::section::{Found, Section, Start, short};
use model::{ImportFormat, ImportedCpu, ImportedRun, Nanos};

/// Defines the row of scripts around DISKSPD.
pub(crate) const TOOL: Tool = Tool {
    name: "a script",
    option: None,
    readers: &[Reader {
        format: ImportFormat::ScriptLines,
        name: "a script's lines",
        about: "lines `Param -b4k, -t1, -o1, 9735.28 iops, …` of a script around DISKSPD",
        begins,
        read,
    }],
};

const LINE: &str = "Param -b";

/// `TEST SPEC****` is the script's first line.
pub(crate) fn begins(line: &str, _text: &str) -> Start {
    if line.starts_with("TEST SPEC*") {
        Start::Here
    } else if line.starts_with(LINE) {
        Start::Orphan
    } else {
        Start::No
    }
}

/// One run a line.
pub(crate) fn read(section: &Section, found: &mut Found) {
    let mut asked = Asked::default();
    let mut lines = section.lines().peekable();
    while let Some((at, line)) = lines.next() {
        let line = line.trim();
        if !line.starts_with(LINE) {
            asked.line(line);
            continue;
        }
        let next = lines.peek().map_or("", |(_, next)| next.trim());
        let run = if is_whole(line) || next.starts_with(LINE) {
            run(line, &asked)
        } else {
            // A console that is too narrow breaks the line before its end, and may lose a blank there.
            run(&format!("{line} {next}"), &asked)
        };
        match run {
            Ok(run) => found.run(at, run),
            Err(what) => found.fault_at(at, what),
        }
    }
    if found.is_empty() {
        found.fault_at(
            section.head,
            "the head of a script's output; no line `Param …` follows",
        );
    }
}

fn is_whole(line: &str) -> bool {
    line.ends_with("%CPU") || line.ends_with("failed")
}

/// The head's facts of all runs.
#[derive(Clone, Copy, Default)]
struct Asked {
    duration: Option<Nanos>,
    warmup: Option<Nanos>,
}

impl Asked {
    fn line(&mut self, line: &str) {
        let seconds = |rest: &str| {
            let number = rest.split_whitespace().next()?.parse().ok()?;
            nanos(number, Nanos::seconds(1))
        };
        if let Some(rest) = line.strip_prefix("Duration of each test:") {
            self.duration = seconds(rest);
        } else if let Some(rest) = line.strip_prefix("Warm-up time of each test:") {
            self.warmup = seconds(rest);
        }
    }
}

fn run(line: &str, asked: &Asked) -> Result<ImportedRun, String> {
    let mut run = unknown(ImportFormat::ScriptLines);
    run.workload.duration = asked.duration;
    run.workload.warmup = asked.warmup;
    let rest = line.trim_start_matches("Param").trim();
    if let Some(rest) = rest.strip_suffix("failed") {
        let what = rest.trim().trim_end_matches(',');
        return Err(format!(
            "the script reports that its run `{}` failed; there are no figures",
            short(what)
        ));
    }
    let fields = fields(rest);
    for field in &fields {
        take(&mut run, field).map_err(|()| {
            format!(
                "read `{}` in a line of the script; expected is {LINE}4k, -t1, -o1, 9735.28 iops, 38.03 MB/sec, 0.102 ms, 12.5%CPU",
                short(field)
            )
        })?;
    }
    if run.figures.total.ios_per_s.is_none() {
        return Err(format!("`{}` ends before its `iops`", short(line)));
    }
    if run.workload.threads.is_none() || run.workload.queue_depth.is_none() {
        run.notes
            .push("the line does not give block size, threads and depth together".to_owned());
    }
    if fields.iter().any(|field| has_comma(field)) {
        run.notes
            .push("decimal commas are read as points".to_owned());
    }
    Ok(run)
}

fn has_comma(field: &str) -> bool {
    field.contains(',')
}

/// The parts between commas; a comma with no blank behind it is a decimal one, and stays.
fn fields(rest: &str) -> Vec<&str> {
    /// More than a line of the script has.
    const FIELDS_MAX: usize = 64;
    let by = |separator: &str| -> Vec<&str> {
        let parts = rest.split(separator).map(str::trim);
        parts
            .filter(|field| !field.is_empty())
            .take(FIELDS_MAX)
            .collect()
    };
    match rest.contains(", ") {
        true => by(", "),
        false => by(","),
    }
}

fn take(run: &mut ImportedRun, field: &str) -> Result<(), ()> {
    let field = field.trim_end_matches(',');
    if let Some(switch) = field.strip_prefix('-') {
        let value = switch.get(1..).ok_or(())?;
        match switch.as_bytes()[0] {
            b'b' => run.workload.block = Some(size(value).ok_or(())?),
            b't' => run.workload.threads = Some(value.parse().map_err(|_| ())?),
            b'o' => run.workload.queue_depth = Some(value.parse().map_err(|_| ())?),
            _ => return Err(()),
        }
        return Ok(());
    }
    let (number, unit) = field.rsplit_once(' ').ok_or(())?;
    let value = match cell(number, 0) {
        Cell::Number(value, _) if value >= 0.0 => value,
        Cell::NotANumber | Cell::Nothing => return Ok(()),
        _ => return Err(()),
    };
    let total = &mut run.figures.total;
    match unit {
        "iops" => total.ios_per_s = Some(value),
        "MB/sec" => total.bytes_per_s = Some(value * f64::from(1 << 20)),
        "ms" => {
            total.latency.mean = nanos(value, Nanos::millis(1));
            total.latency.resolution = Some(Nanos::micros(1));
        }
        "%CPU" => {
            run.cpu = Some(ImportedCpu {
                usage_percent: Some(value),
                ..ImportedCpu::default()
            });
        }
        _ => return Err(()),
    }
    Ok(())
}
