//! fio's own text output, versions 2 and 3, as people post it: one run per job or group of jobs.
//!
//! What is printed is put into the shape of a job of fio's JSON and read by `reader`, so that both mean the same. The line
//! before the start (`rw=`, `bs=`, `iodepth=`) is all that the text has of the options. Whether I/O was direct, and on which
//! file, is known only where the command line or the job file was posted with it (`posted`). Figures are as rounded as they
//! are printed. Omitted: trims, the histogram of latencies, and the summary of groups, which repeats the jobs.

use super::posted::Posted;
use super::printed::{
    ECHO, block, depth_seen, disk, echoed, ended_by, field, files_of_a_job, finished, is_cut,
    laid_out, rates, scaled, side_of,
};
use super::reader::{Document, Options, read_job};
use super::reader_tail::{self, Tail};
use crate::imports::number::size;
use crate::imports::section::{Found, Section, Start, short};
use model::{Bytes, ImportFormat, ImportedRun, Nanos};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::iter::Peekable;

const GROUP: &str = ": (groupid=";
const SIDES: [&str; 3] = ["read", "write", "mixed"];
const DISKS_MAX: usize = 256;

/// The options of a job whose results follow, or a job with figures below it. Behind fio's JSON, which is printed in
/// between where both are asked for, the figures are the same over again.
pub(crate) fn begins(line: &str, text: &str) -> Start {
    const LINES_MAX: usize = 64;
    let figures = || {
        let next = text.lines().nth(1).unwrap_or_default().trim_start();
        SIDES.iter().any(|side| side_of(next, side).is_some())
    };
    if line.contains(GROUP) && figures() {
        return Start::Beside(ImportFormat::FioJson);
    }
    let mut ahead = text.lines().take(LINES_MAX);
    let echo = line.contains(ECHO) && line.contains("): rw=");
    let end = echo.then(|| ahead.find(|line| line.contains(GROUP) || line.starts_with('{')));
    if line.starts_with("Run status group ") {
        return Start::Beside(ImportFormat::FioJson);
    }
    match end.flatten() {
        Some(end) if end.contains(GROUP) => Start::Orphan,
        _ if side_in(line).is_some() || reader_tail::is_part(line) => {
            Start::Beside(ImportFormat::FioJson)
        }
        _ => Start::No,
    }
}

/// The side whose figures a line has, and what follows its name.
fn side_in(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    let mut sides = SIDES.iter();
    sides.find_map(|side| Some((*side, side_of(line, side)?)))
}

/// The side of a line of the summary of a group, and its figures: `READ: bw=95.9MiB/s (101MB/s), …, io=1439MiB (1509MB),
/// run=15001-15001msec`, before fio 3 `READ: io=71680KB, aggrb=6820KB/s, …, mint=9855msec, maxt=10510msec`.
fn summed(line: &str) -> Option<(&'static str, Map<String, Value>)> {
    let (name, rest) = line.trim().split_once(": ")?;
    let side = match name {
        "READ" => "read",
        "WRITE" => "write",
        _ => return None,
    };
    let bytes = |text: &str| Some(size(text.trim_end_matches("/s"))?.0);
    let rate = field(rest, "bw=")
        .or_else(|| field(rest, "aggrb="))
        .and_then(bytes)?;
    let moved = field(rest, "io=").and_then(bytes)?;
    let time = field(rest, "maxt=").or_else(|| field(rest, "run="))?;
    let time = time.rsplit('-').next()?;
    let ms: u64 = time.trim_end_matches("msec").parse().ok()?;
    let figures = json!({
        "bw_bytes": rate,
        "io_bytes": moved,
        "io_kbytes": moved / 1024,
        "runtime": ms,
    });
    Some((side, figures.as_object()?.clone()))
}

/// One run per job. The devices stand behind all jobs of a call of fio, so each call is walked twice: keeping its jobs
/// would take many times the text.
pub(crate) fn read(section: &Section, found: &mut Found) {
    let (mut ahead, mut lines) = (section.lines().peekable(), section.lines());
    let mut posted = Posted::default();
    section.before().lines().for_each(|line| posted.line(line));
    let before = section.before().lines().rev().find_map(echoed);
    while ahead.peek().is_some() {
        let call = Call {
            before,
            ..Call::of(&mut ahead)
        };
        call.read(&mut lines, &mut posted, found);
    }
    if found.is_empty() {
        found.fault_at(section.head, "options of fio's jobs, without results");
    }
}

/// One call of fio, as far as its jobs must know it.
struct Call<'s> {
    lines: usize,
    jobs: usize,
    /// Jobs whose first line is in the text.
    heads: usize,
    /// Whether the list of devices breaks off.
    disks_cut: bool,
    document: Document,
    /// The options of a job whose head is not in the text.
    before: Option<(&'s str, &'s str)>,
}

impl<'s> Call<'s> {
    /// Ends before the line behind the devices that begins another call.
    fn of<'t>(lines: &mut Peekable<impl Iterator<Item = (usize, &'t str)>>) -> Self {
        let (mut count, mut jobs, mut heads, mut in_disks) = (0, 0, 0, false);
        let (mut version, mut files, mut disks) = (None, None, Vec::new());
        let begins_another = |line: &str| line.contains(ECHO) || line.contains(GROUP);
        while let Some((_, line)) = lines.next_if(|(_, line)| !(in_disks && begins_another(line))) {
            count += 1;
            let is_tail = jobs == 0 && reader_tail::is_part(line);
            heads += usize::from(line.contains(GROUP));
            jobs += usize::from(line.contains(GROUP) || is_tail);
            if line.trim_start().starts_with("fio-") || line.starts_with("fio ") {
                version = Some(line.trim());
            }
            files = files_of_a_job(line).max(files);
            if in_disks && disks.len() < DISKS_MAX {
                disks.extend(disk(line.trim()));
            }
            in_disks |= line.trim_start().starts_with("Disk stats");
        }
        Call {
            lines: count,
            jobs: jobs.max(1),
            heads,
            disks_cut: is_cut(&disks, files),
            document: Document::of_text(version, disks),
            before: None,
        }
    }

    fn read<'t>(
        &self,
        lines: &mut impl Iterator<Item = (usize, &'t str)>,
        posted: &mut Posted,
        found: &mut Found,
    ) {
        let mut echoes: BTreeMap<&str, &str> = BTreeMap::new();
        let mut files: BTreeMap<&str, u64> = BTreeMap::new();
        let mut open: Option<Job<'_>> = None;
        for (at, line) in lines.take(self.lines) {
            posted.line(line);
            if line.contains(ECHO) {
                echoes.extend(echoed(line));
            } else if let Some((name, rest)) = line.split_once(GROUP) {
                self.end(open.take(), found);
                let name = name.trim();
                let mut job = Job::new(at, name, rest, echoes.get(name).copied());
                // Where a line end was lost, the first figures follow the date.
                let joined = SIDES
                    .iter()
                    .filter_map(|side| rest.rfind(&format!(" {side} :")));
                joined
                    .take(1)
                    .for_each(|from| job.line(rest[from..].trim()));
                (job.options, job.file) = (posted.of(name), files.get(name).copied());
                job.command = posted.command().map(str::to_owned);
                open = Some(job);
            } else if let Some((name, size)) = laid_out(line) {
                // Each of several jobs lays out files of its own.
                let all = files.entry(name).or_default();
                *all = all.saturating_add(size);
            } else {
                if let Some((side, figures)) = summed(line) {
                    let is_alone = open
                        .as_ref()
                        .map_or(found.has_no_run(), |job| job.is_summary);
                    if is_alone {
                        self.sum(at, side, figures, &mut open);
                    } else if let Some(job) = open.as_mut().filter(|_| self.heads == 0) {
                        job.sum(side, figures);
                    }
                    continue;
                }
                if let Some((side, _)) = side_in(line)
                    && open.as_ref().is_none_or(|job| job.is_over(side))
                {
                    self.end(open.take(), found);
                    open = Some(self.headless(at, posted));
                } else if open.is_none() && reader_tail::is_part(line) {
                    let mut job = self.headless(at, posted);
                    job.begin_tail();
                    open = Some(job);
                }
                if let Some(job) = &mut open {
                    job.line(finished(line.trim()));
                }
            }
        }
        self.end(open, found);
    }

    /// Takes the summary of a group, where it was posted without the jobs that it repeats.
    fn sum<'t>(
        &self,
        at: usize,
        side: &str,
        figures: Map<String, Value>,
        open: &mut Option<Job<'t>>,
    ) where
        's: 't,
    {
        let job = open
            .get_or_insert_with(|| Job::new(at, "", "", self.before.map(|(_, options)| options)));
        job.is_summary = true;
        job.shape.insert(side.to_owned(), Value::Object(figures));
    }

    /// A job whose figures were posted without the line that names it.
    fn headless<'t>(&self, at: usize, posted: &Posted) -> Job<'t>
    where
        's: 't,
    {
        let mut job = Job::new(at, "", "", self.before.map(|(_, options)| options));
        job.options = posted.only();
        job.command = posted.command().map(str::to_owned);
        job
    }

    fn end(&self, job: Option<Job<'_>>, found: &mut Found) {
        let Some(job) = job else { return };
        let at = job.at;
        match job.finish(&self.document, self.jobs) {
            Ok(mut run) => {
                run.evidence.disks_cut = self.disks_cut && !run.evidence.disks.is_empty();
                found.run(at, run);
            }
            Err(what) => {
                let what = short(&what);
                found.fault_at(at, format!("a job of fio's that cannot be read: {what}"));
            }
        }
    }
}

/// A job while its lines are read.
struct Job<'t> {
    at: usize,
    name: &'t str,
    threads: Option<u32>,
    echo: Option<&'t str>,
    /// What was posted with the text.
    options: Option<Options>,
    command: Option<String>,
    /// What ended it before its time.
    ended_by: Option<String>,
    /// Size of the file that it created.
    file: Option<u64>,
    shape: Map<String, Value>,
    side: Option<&'static str>,
    /// The queue depth, as the line of the latency target has it.
    depth: Option<u32>,
    /// The least queue depth that most I/Os had.
    depth_seen: Option<u32>,
    /// What percentiles that follow are of, and their unit.
    percentiles: Option<(&'static str, f64)>,
    unit_ns: u64,
    /// Whether it is the summary of a group.
    is_summary: bool,
    /// What is left of it, where its first lines are not in the text.
    tail: Option<Tail>,
}

impl<'t> Job<'t> {
    /// `rest` stands behind `(groupid=`: `0, jobs=2): err= 0: pid=…`.
    fn new(at: usize, name: &'t str, rest: &str, echo: Option<&'t str>) -> Self {
        let number = |key: &str| field(rest, key).and_then(|text| text.parse().ok());
        let mut shape = Map::new();
        shape.insert("jobname".to_owned(), json!(name));
        let error = rest.split_once("err=").map(|(_, error)| error.trim_start());
        let end = |text: &str| {
            text.find(|c: char| !c.is_ascii_digit())
                .unwrap_or(text.len())
        };
        let error: Option<i64> = error.and_then(|text| text[..end(text)].parse().ok());
        shape.insert("error".to_owned(), json!(error));
        Job {
            at,
            name,
            threads: number("jobs="),
            echo,
            options: None,
            command: None,
            ended_by: ended_by(rest),
            file: None,
            shape,
            side: None,
            depth: None,
            depth_seen: None,
            percentiles: None,
            unit_ns: 1,
            is_summary: false,
            tail: None,
        }
    }

    /// Returns whether the figures of a side are those of another job: no head separates them.
    fn is_over(&self, side: &str) -> bool {
        self.shape.contains_key(side)
    }

    fn line(&mut self, line: &str) {
        if let Some(tail) = &mut self.tail {
            tail.line(line);
        }
        if let Some((side, rest)) = side_in(line) {
            // Writes are printed last: what is before them is of the reads.
            self.rename_tail("read");
            self.side = Some(side);
            self.percentiles = None;
            let figures = rates(rest);
            self.shape.insert(side.to_owned(), Value::Object(figures));
        } else if line.starts_with("fsync/fdatasync") {
            self.side = Some("sync");
            self.shape.insert("sync".to_owned(), json!({}));
        } else if let Some(rest) = line.strip_prefix("cpu") {
            let percent = |key| field(rest, key)?.trim_end_matches('%').parse::<f64>().ok();
            self.shape
                .insert("usr_cpu".to_owned(), json!(percent("usr=")));
            self.shape
                .insert("sys_cpu".to_owned(), json!(percent("sys=")));
            let switches = field(rest, "ctx=").and_then(|text| text.parse::<u64>().ok());
            self.shape.insert("ctx".to_owned(), json!(switches));
            (self.side, self.percentiles) = (None, None);
        } else if let Some(rest) = line.strip_prefix("latency ") {
            // `: target=0, window=0, percentile=100.00%, depth=32`: the queue depth of the job.
            self.depth = field(rest, "depth=").and_then(|depth| depth.parse().ok());
        } else if let Some(rest) = line.strip_prefix("IO depths") {
            self.depth_seen = depth_seen(rest);
        } else if let Some(rest) = line.strip_prefix("issued") {
            self.issued(rest);
        } else if line.starts_with('|') || line.contains("th=[") {
            self.points(line); // also where a mail broke the line
        } else {
            self.spread(line);
        }
    }

    /// `slat (usec): min= 2, max= 31, avg= 5.29, stdev= 1.1`, and the same of `iops`, and heads of percentiles.
    fn spread(&mut self, line: &str) {
        const LATENCIES: [(&str, &str); 4] = [
            ("slat", "slat_ns"),
            ("clat", "clat_ns"),
            ("lat", "lat_ns"),
            ("sync", "lat_ns"),
        ];
        let Some(side) = self.side else { return };
        let Some((head, rest)) = line.split_once(':') else {
            return;
        };
        let (kind, unit) = match head.split_once('(') {
            Some((kind, unit)) => (kind.trim(), unit.trim_end_matches(')').trim()),
            None => (head.trim(), ""),
        };
        if kind == "iops" {
            for (key, name) in [
                ("min=", "iops_min"),
                ("max=", "iops_max"),
                ("stdev=", "iops_stddev"),
                ("samples=", "iops_samples"),
            ] {
                let value = field(rest, key).and_then(scaled);
                let whole = value
                    .map(|value| json!(value as u64))
                    .filter(|_| key == "samples=");
                self.put(side, name, whole.unwrap_or(json!(value)));
            }
            return;
        }
        if kind == "bw" {
            return self.windows_of_bandwidth(side, unit, rest);
        }
        let unit_ns = match unit {
            "nsec" => 1.0,
            "usec" => 1e3,
            "msec" => 1e6,
            "sec" => 1e9,
            _ => return,
        };
        let word = kind.trim_end_matches("percentiles").trim();
        let Some((_, name)) = LATENCIES.iter().find(|(known, _)| *known == word) else {
            return;
        };
        if word != kind {
            self.percentiles = Some((name, unit_ns));
            return;
        }
        if !rest.contains("min=") {
            return; // the histogram
        }
        if *name != "slat_ns" {
            self.unit_ns = self.unit_ns.max(unit_ns as u64);
        }
        let mut spread = Map::new();
        for (key, name) in [
            ("min=", "min"),
            ("max=", "max"),
            ("avg=", "mean"),
            ("stdev=", "stddev"),
        ] {
            let value = field(rest, key)
                .and_then(scaled)
                .map(|value| value * unit_ns);
            spread.insert(name.to_owned(), json!(value));
        }
        self.put(side, name, Value::Object(spread));
    }

    /// `bw (KB  /s): min= 100, max= 200, per=100%, avg=150.2, stdev=20.2` of one job of fio 2, which prints no line of IOPS.
    /// A window is half a second there.
    fn windows_of_bandwidth(&mut self, side: &str, unit: &str, rest: &str) {
        let block = self.echo.and_then(block);
        let scale = size(&format!("1{}", unit.trim_end_matches("/s").trim())).map(|unit| unit.0);
        let runtime = self.shape.get(side).and_then(|side| side.get("runtime"));
        let runtime_ms = runtime
            .and_then(Value::as_u64)
            .filter(|_| self.threads == Some(1));
        let (Some(block), Some(scale), Some(ms)) = (block, scale, runtime_ms) else {
            return;
        };
        let ios = |key| Some(field(rest, key).and_then(scaled)? * scale as f64 / block as f64);
        if let Some(sd) = ios("stdev=").filter(|_| !rest.contains("samples=")) {
            self.put(side, "iops_min", json!(ios("min=")));
            self.put(side, "iops_max", json!(ios("max=")));
            self.put(side, "iops_stddev", json!(sd));
            self.put(side, "iops_samples", json!(ms / 500));
        }
    }

    /// `|  1.00th=[  123],  5.00th=[  277],`.
    fn points(&mut self, line: &str) {
        if let Some(tail) = self.tail.as_mut().filter(|_| self.percentiles.is_none()) {
            return tail.points(line);
        }
        let (Some(side), Some((name, unit_ns))) = (self.side, self.percentiles) else {
            return;
        };
        let spread = self.shape.get_mut(side).and_then(|side| side.get_mut(name));
        let Some(spread) = spread.and_then(Value::as_object_mut) else {
            return;
        };
        let all = spread.entry("percentile").or_insert_with(|| json!({}));
        for point in line.trim_matches('|').split(',') {
            let Some((percent, value)) = point.split_once("th=[") else {
                continue;
            };
            // A number without its bracket is cut off.
            let value = value.trim().strip_suffix(']').and_then(scaled);
            let Some(value) = value.map(|value| value * unit_ns) else {
                continue;
            };
            if let Some(all) = all.as_object_mut().filter(|all| all.len() < 64) {
                all.insert(percent.trim().to_owned(), json!(value));
            }
        }
    }

    /// `rwts: total=80408,80348,0,0 short=…`; up to fio 2 `: total=r=262144/w=0/d=0, short=…`.
    fn issued(&mut self, rest: &str) {
        let Some((_, totals)) = rest.split_once("total=") else {
            return;
        };
        let totals = totals.split_whitespace().next().unwrap_or_default();
        let digits = |text: &str| {
            text.trim_start_matches(|c: char| !c.is_ascii_digit())
                .parse::<u64>()
                .ok()
        };
        let all: Vec<Option<u64>> = totals.split([',', '/']).take(4).map(digits).collect();
        let has = |place: usize| all.get(place).copied().flatten() > Some(0);
        if self.shape.contains_key(reader_tail::SIDE) {
            self.rename_tail(if has(1) { "write" } else { "read" });
            if has(0) && has(1) {
                self.shape.entry("read").or_insert_with(|| json!({}));
            }
        }
        for (place, side) in [(0, "read"), (1, "write")] {
            self.put(side, "total_ios", json!(all.get(place).copied().flatten()));
        }
        let syncs = all.get(3).copied().flatten().filter(|syncs| *syncs > 0);
        // Some versions count each sync as a short read instead.
        let no_reads = all.first().copied().flatten() == Some(0);
        let short = rest.split_once("short=").filter(|_| no_reads);
        let syncs = syncs.or_else(|| digits(short?.1.split(',').next()?));
        let spread = self
            .shape
            .get_mut("sync")
            .and_then(|sync| sync.get_mut("lat_ns"));
        if let Some(spread) = spread.and_then(Value::as_object_mut) {
            spread.insert("N".to_owned(), json!(syncs));
        }
        self.side = None;
    }

    /// Begins with a line below the rates.
    fn begin_tail(&mut self) {
        self.tail = Some(Tail::default());
        self.side = Some(reader_tail::SIDE);
        let figures = json!({"clat_ns": {}});
        self.shape.insert(reader_tail::SIDE.to_owned(), figures);
    }

    /// Gives figures of an unknown side to this one.
    fn rename_tail(&mut self, side: &str) {
        if let Some(figures) = self.shape.remove(reader_tail::SIDE) {
            self.shape.insert(side.to_owned(), figures);
        }
    }

    /// Takes a side of the group's summary, if it is of this job alone; else the summary is all that is known.
    fn sum(&mut self, side: &'static str, figures: Map<String, Value>) {
        let Some(tail) = &mut self.tail else { return };
        let number = |map: &Map<String, Value>, key: &str| map.get(key).and_then(Value::as_u64);
        let own = self.shape.get(side).and_then(Value::as_object);
        let ios = own.and_then(|own| number(own, "total_ios"));
        let bytes = number(&figures, "io_bytes");
        let ms = number(&figures, "runtime").filter(|ms| *ms > 0);
        let block = ios
            .zip(bytes)
            .and_then(|(ios, bytes)| tail.block_of(ios, bytes));
        match block.zip(ios).zip(ms) {
            Some(((block, ios), ms)) => {
                tail.block = Some(block);
                self.put(side, "iops", json!(ios as f64 / (ms as f64 / 1e3)));
                for (name, value) in figures {
                    self.put(side, &name, value);
                }
            }
            None => {
                self.shape
                    .retain(|name, _| name == "jobname" || name == "error");
                (self.tail, self.is_summary) = (None, true);
                self.shape.insert(side.to_owned(), Value::Object(figures));
            }
        }
    }

    /// Returns the tail of a job that has a rate.
    fn end_tail(&mut self) -> Result<Option<Tail>, String> {
        let Some(tail) = self.tail.take() else {
            return Ok(None);
        };
        let side = SIDES
            .iter()
            .rev()
            .find(|side| self.shape.contains_key(**side));
        let own = side.and_then(|side| self.shape.get_mut(*side));
        let Some(own) = own.and_then(Value::as_object_mut) else {
            return Err("the text has no rate of it: its first lines are omitted".to_owned());
        };
        if !own.contains_key("iops") {
            let Some(rate) = tail.rate() else {
                return Err("the text has no rate of it: its first lines are omitted".to_owned());
            };
            own.insert("iops".to_owned(), json!(rate));
        }
        if let Some((points, unit)) = tail.percentiles() {
            let spread = own.entry("clat_ns").or_insert_with(|| json!({}));
            spread["percentile"] = points;
            self.unit_ns = self.unit_ns.max(unit as u64);
        }
        Ok(Some(tail))
    }

    /// Only where the side is there.
    fn put(&mut self, side: &str, name: &str, value: Value) {
        if let Some(side) = self.shape.get_mut(side).and_then(Value::as_object_mut) {
            side.insert(name.to_owned(), value);
        }
    }

    fn finish(mut self, document: &Document, together: usize) -> Result<ImportedRun, String> {
        let tail = self.end_tail()?;
        if !SIDES.iter().any(|side| self.shape.contains_key(*side)) {
            return Err("the text breaks off behind the name of a job".to_owned());
        }
        let posted = self.options.take();
        let is_posted = posted.is_some();
        let mut options: Map<String, Value> = posted
            .into_iter()
            .flatten()
            .map(|(name, value)| (name, json!(value)))
            .collect();
        options.insert("name".to_owned(), json!(self.name));
        let echo = self.echo.unwrap_or_default();
        for (key, name) in [
            ("rw=", "rw"),
            ("ioengine=", "ioengine"),
            ("iodepth=", "iodepth"),
        ] {
            if let Some(value) = field(echo, key) {
                options.insert(name.to_owned(), json!(value));
            }
        }
        let block = block(echo);
        options.extend(block.map(|block| ("bs".to_owned(), json!(block.to_string()))));
        let known = options.len() > 1;
        if known {
            self.shape
                .insert("job options".to_owned(), Value::Object(options));
        }
        if !self.shape.contains_key("mixed") {
            for side in ["read", "write"] {
                let none = json!({"total_ios": 0, "iops": 0, "bw_bytes": 0, "io_bytes": 0, "io_kbytes": 0});
                self.shape.entry(side).or_insert(none);
            }
        }
        let shape = Value::Object(self.shape).to_string();
        let mut run = read_job(&shape, document, together)?;
        run.format = ImportFormat::FioText;
        run.tool_version.clone_from(&document.version);
        run.command = self.command.filter(|_| is_posted);
        run.evidence.ended_by = self.ended_by;
        if tail.is_some() {
            let what = "the first lines of the job are not in the text: its rate follows from its I/Os and the group's time, or is the mean of its windows";
            run.notes.push(what.to_owned());
        }
        if run.workload.queue_depth.is_none() {
            run.workload.queue_depth = self
                .depth
                .or_else(|| fitting(self.depth_seen?, self.threads, &run));
        }
        let work = &mut run.workload;
        if !is_posted {
            (work.cache, work.write_through, work.warmup) = (None, None, None);
        }
        work.size = self.file.map(Bytes).or(work.size);
        work.threads = self.threads;
        if known && block.is_none() {
            work.block = None;
        }
        if let Some(tail) = &tail {
            work.block = work.block.or(tail.block.map(Bytes));
            let seconds = run.measured.map(Nanos::as_seconds);
            work.threads = work.threads.or(tail.jobs(seconds.unwrap_or(0.0)));
        }
        let figures = &mut run.figures;
        for side in [&mut figures.total, &mut figures.read, &mut figures.write] {
            side.latency.resolution = side.latency.resolution.map(|_| Nanos(self.unit_ns));
        }
        Ok(run)
    }
}

/// A depth that Little's law confirms: the level is only the least one.
fn fitting(depth: u32, threads: Option<u32>, run: &ImportedRun) -> Option<u32> {
    const APART_MAX: f64 = 0.1;
    let mean = run
        .evidence
        .total
        .whole_mean
        .or(run.figures.total.latency.mean)?;
    let in_flight = run.figures.total.ios_per_s? * mean.0 as f64 / 1e9;
    let asked = f64::from(depth) * f64::from(threads?);
    ((in_flight / asked - 1.0).abs() <= APART_MAX).then_some(depth)
}
