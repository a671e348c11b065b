//! Jobs → profile: what runs together, on which files, for how long.
//!
//! A stonewall begins a timespan; the jobs of one run side by side. What fathom has once for a timespan (its times, its
//! engine, its seed) has to be the same for all its jobs, and is refused otherwise. A job without time_based is done when
//! each of its threads has moved its size. Omitted: whether any of it may be done to the files.

use super::builder::Builder;
use super::command::{Action, Request};
use super::derived::{
    bounds, cache, completed, content, dropped_every, hint, interval, pass, restart, same_size,
    zones,
};
use super::job::{FILES_MAX, Job};
use super::logs::JobLogs;
use super::problem::{Note, Refusal};
use super::ranges::Range;
use super::replay::Replay;
use super::reporting::Reporting;
use super::spread;
use super::times::{SpanPart, Times, ends_by_itself};
use crate::refusal::{Once, Problems};
use model::{
    Arrivals, Bytes, CacheMode, EngineChoice, Flush, Fsync, Nanos, OnError, Pacing, Phases,
    Placement, Pool, PoolDraw, Profile, Target, Timespan,
};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Most sizes and zones of all these, each file with those of its job.
const PARTS_MAX: u64 = 1 << 17;
/// Most bytes of the names of all files together.
const NAMES_MAX: u64 = 4 << 20;

/// What is under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct There {
    /// Its size.
    pub bytes: u64,
    /// A device, which has its size and is never created.
    pub device: bool,
    /// A file of fathom whose filling was cut short.
    pub unfinished: bool,
}

/// A job, or the jobs of a group that report together, among the targets of its timespan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobPart {
    /// Its name.
    pub name: String,
    /// Number of its group, from 0.
    pub group: u32,
    /// One result for all its threads.
    pub grouped: bool,
    /// Which timespan.
    pub span: usize,
    /// Its targets there.
    pub targets: Vec<u32>,
    /// Its own options as they were given, and of the usual four those that were not specified.
    pub options: Vec<(String, String)>,
    /// As it names its engine.
    pub engine: String,
    /// As it was asked.
    pub depth: u64,
    /// Which figures it asks for.
    pub reporting: Reporting,
    /// Corrupt blocks are not in the exit code.
    pub forgives_corrupt: bool,
}

/// What a request means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// A timespan for all jobs between two stonewalls.
    pub profile: Profile,
    /// The jobs, in order.
    pub parts: Vec<JobPart>,
    /// The options of all globals.
    pub globals: Vec<(String, String)>,
    /// What is different here.
    pub notes: Vec<Note>,
    /// The files are created and no job is run.
    pub create_only: bool,
    /// The job, where it replays a trace: then its target has other I/Os than the profile's.
    pub replay: Option<Replay>,
    /// Files that are removed when all jobs are done, each once.
    pub unlinked: Vec<PathBuf>,
    pub(super) logs: Vec<JobLogs>,
}

/// Puts the jobs together. `found` returns what is under a name.
///
/// # Errors
/// Everything that is wrong, at once.
pub fn build(request: &Request, found: &dyn Fn(&Path) -> Option<There>) -> Result<Built, Refusal> {
    let mut builder = Builder {
        found,
        drawn_seed: request.drawn_seed,
        read_only: request.extra.read_only,
        parse_only: request.action == Action::ParseOnly,
        problems: Problems::default(),
        notes: Vec::new(),
        reported: Once::default(),
        parts: Vec::new(),
        logs: Vec::new(),
        unlinked: Vec::new(),
        threads: 0,
    };
    let spans = builder.spans(&request.jobs.jobs);
    let all_create = request.jobs.jobs.iter().all(|job| job.create_only);
    // A job that only creates files has no part in a time span where others run.
    let spans = spans.into_iter().map(|mut jobs| {
        jobs.retain(|job| all_create || !job.create_only);
        jobs
    });
    let spans: Vec<Vec<&Job>> = spans.filter(|jobs| !jobs.is_empty()).collect();
    let mut timespans = Vec::new();
    let files = |job: &Job| {
        job.jobs
            .saturating_mul(job.file_count.max(job.files.len() as u64))
    };
    let all = request.jobs.jobs.iter().map(files);
    let names = request.jobs.jobs.iter().map(|job| {
        let folder = job.directories.iter().map(String::len).max().unwrap_or(0);
        let format = job.name_format.as_deref().unwrap_or_default();
        let sections = 1 + format.matches("$jobname").count();
        files(job).saturating_mul((folder + format.len() + sections * job.section.len()) as u64)
    });
    let parts = request
        .jobs
        .jobs
        .iter()
        .map(|job| files(job).saturating_mul(spread::parts_of(job)));
    let too_many = parts.fold(0, u64::saturating_add) > PARTS_MAX
        || all.fold(0, u64::saturating_add) > FILES_MAX as u64
        || names.fold(0, u64::saturating_add) > NAMES_MAX;
    if too_many {
        builder.refuse(
            &request.jobs.jobs[0],
            format!("all jobs together use more than {FILES_MAX} files, names of more than {NAMES_MAX} bytes, or more than {PARTS_MAX} sizes and zones: use fewer jobs, or a filename for all threads of a job"),
        );
        Refusal::none_or(std::mem::take(&mut builder.problems))?;
    }
    for (number, jobs) in spans.iter().enumerate() {
        let span = builder.timespan(number, jobs);
        timespans.push(span);
    }
    let jobs = request.jobs.jobs.iter();
    for job in jobs.filter(|job| job.create_only && !all_create) {
        builder.create_files(job, &mut timespans);
    }
    let replay = builder.replay(&request.jobs.jobs, &timespans);
    Refusal::none_or(builder.problems)?;
    builder.unlinked.sort();
    builder.unlinked.dedup();
    Ok(Built {
        profile: Profile { timespans },
        parts: merged(builder.parts),
        replay,
        create_only: all_create,
        logs: builder.logs,
        unlinked: builder.unlinked,
        globals: request.jobs.globals.clone(),
        notes: builder.notes,
    })
}

/// With group_reporting all jobs of a group that run together give one result.
fn merged(parts: Vec<JobPart>) -> Vec<JobPart> {
    let mut all: Vec<JobPart> = Vec::new();
    for part in parts {
        let same = |last: &&mut JobPart| {
            last.grouped && part.grouped && (last.group, last.span) == (part.group, part.span)
        };
        match all.last_mut().filter(same) {
            Some(last) => last.targets.extend(part.targets),
            None => all.push(part),
        }
    }
    all
}

impl Builder<'_> {
    fn spans<'j>(&mut self, jobs: &'j [Job]) -> Vec<Vec<&'j Job>> {
        let mut spans: Vec<Vec<&Job>> = Vec::new();
        let mut last_span: HashMap<&str, usize> = HashMap::new();
        for job in jobs {
            let mut begins = job.stonewall || spans.is_empty();
            if let Some(name) = &job.wait_for {
                match last_span.get(name.as_str()) {
                    Some(span) => begins |= span + 1 == spans.len(),
                    None => self.refuse(
                        job,
                        format!("wait_for={name}: no job before it has this name"),
                    ),
                }
            }
            match spans.last_mut().filter(|_| !begins) {
                Some(span) => span.push(job),
                None => spans.push(vec![job]),
            }
            last_span.insert(&job.name, spans.len() - 1);
        }
        spans
    }

    fn timespan(&mut self, number: usize, jobs: &[&Job]) -> Timespan {
        let first = jobs[0];
        self.alike(jobs);
        let files: Vec<Vec<Vec<Range>>> = jobs.iter().map(|job| self.ranges(job)).collect();
        let pool = self.pool(jobs, &files);
        let times = Times::new(jobs);
        let phases = self.phases(jobs, &times);
        let interval = interval(jobs, phases.measured);
        let mut targets = Vec::new();
        let mut thread = 0;
        for (place, (job, files)) in jobs.iter().zip(&files).enumerate() {
            let from = targets.len() as u32;
            let span = SpanPart {
                thread,
                pooled: pool.is_some(),
                alone: jobs.len() == 1 && pool.is_none(),
                active: times.active(job),
                engine: Some(job.engine).filter(|engine| *engine != first.engine),
            };
            self.targets(job, files, &span, &mut targets);
            self.unlink(job, files);
            thread += job.jobs as u32;
            let group = self.parts.last().map_or(0, |last| {
                let new = job.new_group || (place == 0 && number > 0 && job.stonewall);
                last.group + u32::from(new)
            });
            let mine: Vec<u32> = (from..targets.len() as u32).collect();
            self.logs(job, number, interval, &mine);
            self.parts.push(JobPart {
                name: job.name.clone(),
                group,
                grouped: job.grouped,
                span: number,
                targets: mine,
                options: completed(job),
                engine: job.engine_name.clone(),
                depth: job.depth,
                reporting: job.reporting.clone(),
                forgives_corrupt: job.forgives_corrupt,
            });
        }
        same_size(&mut targets);
        self.verified_once(first, &targets);
        Timespan {
            phases,
            interval,
            seed: self.seed(jobs),
            start_delay: Nanos(times.delay_ns),
            end_with_first: first.exit_all && targets.iter().any(ends_by_itself),
            engine: first.engine,
            polling: first.polling,
            queueing: model::Queueing::default(),
            on_error: if first.go_on {
                OnError::Continue
            } else {
                OnError::Stop
            },
            pool,
            placement: self.placement(jobs),
            arrivals: self.arrivals(jobs, pool),
            targets,
        }
    }

    /// The trace that a job replays, which is then the only one.
    fn replay(&mut self, jobs: &[Job], timespans: &[Timespan]) -> Option<Replay> {
        let job = jobs.iter().find(|job| job.replay.trace.is_some())?;
        if jobs.len() > 1 {
            self.refuse(
                job,
                "read_iolog: a job with a trace is the only one: call fathom for each",
            );
            return None;
        }
        let target = timespans.first()?.targets.first()?;
        Some(Replay {
            trace: job.replay.files().next()?,
            merged: job.replay.merged(),
            target: target.location.path()?.to_owned(),
            create: target.create,
            speed_ppm: job.replay.speed_ppm(),
            options: job.replay.options(),
            depth: target.workload.queue_depth.0,
            buffered: target.cache == CacheMode::Cached,
            engine: job.engine,
            goes_on: job.go_on,
        })
    }

    /// Lets a job that runs create the files of one that only creates them.
    fn create_files(&mut self, job: &Job, timespans: &mut [Timespan]) {
        let files = self.ranges(job).into_iter().flatten();
        for file in files.filter(|file| file.create.is_some()) {
            let users = timespans.iter_mut().flat_map(|span| &mut span.targets);
            let mut users = users
                .filter(|target| target.location == file.location)
                .peekable();
            if users.peek().is_none() {
                let name = file.location.name();
                self.refuse(job, format!("create_only: no job that runs uses {name}: specify create_only in [global], or omit this job"));
            }
            for target in users {
                target.create = target.create.max(file.create.map(Bytes));
                if job.allocation() != target.allocation {
                    target.allocation = model::Allocation::Written;
                }
            }
        }
        self.note(
            job,
            "create_only: its files are created when the first job that uses them begins; it has no results",
        );
    }

    /// Notes the files of a job that are removed when all jobs are done. Devices stay.
    fn unlink(&mut self, job: &Job, files: &[Vec<Range>]) {
        if job.unlink_each_loop && (job.loops > 1 || job.time_based) {
            self.refuse(
                job,
                "unlink_each_loop: files are not created again for each loop: specify unlink=1",
            );
        }
        if !job.unlink && !job.unlink_each_loop {
            return;
        }
        if self.read_only {
            self.refuse(
                job,
                "--readonly: unlink would remove its files: omit one of both",
            );
        }
        for path in files
            .iter()
            .flatten()
            .filter_map(|file| file.location.path())
        {
            let device = (self.found)(path).is_some_and(|there| there.device);
            if !device {
                self.unlinked.push(path.to_owned());
            }
        }
    }

    fn logs(&mut self, job: &Job, span: usize, step: Nanos, targets: &[u32]) {
        if job.logs.any() && job.interval_ns.is_none() {
            self.note(
                job,
                format!("log_avg_msec: a log has a line per {step} and none per I/O: records have no single I/Os"),
            );
        }
        if job.logs.histogram.is_some() {
            self.note(
                job,
                "write_hist_log: one line per direction for the whole run, and none per log_hist_msec",
            );
        }
        if let Some(name) = &job.logs.ios {
            if job.replay.trace.is_some() {
                self.note(job, "read_iolog overrides write_iolog, as in fio");
            }
            if let Some(other) = self.logs.iter().find(|other| other.shares_ios(job, span)) {
                let other = other.name();
                self.refuse(job, format!(
                    "write_iolog: [{other}] has the file {name}, too, and does not run together with this job: specify one for each"
                ));
            }
        }
        self.logs
            .push(JobLogs::new(job, span, targets.to_vec(), self.threads));
        self.threads += job.jobs;
    }

    /// What jobs that run together cannot have apart.
    fn alike(&mut self, jobs: &[&Job]) {
        type Same = fn(&Job, &Job) -> bool;
        let rules: [(&str, Same); 6] = [
            ("exitall", |a, b| a.exit_all == b.exit_all),
            ("ioengine=io_uring_cmd", |a, b| {
                (a.engine == EngineChoice::Nvme) == (b.engine == EngineChoice::Nvme)
            }),
            ("hipri, sqthread_poll", |a, b| a.polling == b.polling),
            ("continue_on_error", |a, b| {
                (a.go_on, a.forgives_corrupt) == (b.go_on, b.forgives_corrupt)
            }),
            ("ramp_time", |a, b| a.ramp_ns == b.ramp_ns),
            ("log_avg_msec", |a, b| a.interval_ns == b.interval_ns),
        ];
        for (what, same) in rules {
            if let Some(job) = jobs.iter().find(|job| !same(job, jobs[0])) {
                let first = &jobs[0].name;
                self.refuse(job, format!(
                    "{what}: jobs that run side by side have the same, and [{first}] has another: give this one a stonewall"
                ));
            }
        }
        if let Some(job) = Times::ramp_apart(jobs) {
            self.refuse(
                job,
                "startdelay, ramp_time: jobs that run side by side and start at different times have no ramp: omit one of them",
            );
        }
    }

    /// What one target writes would be a change of the other.
    fn verified_once(&mut self, first: &Job, targets: &[Target]) {
        if targets.iter().all(|target| target.verify.is_off()) {
            return;
        }
        let mut seen = HashSet::new();
        let mut paths = targets.iter().filter_map(|target| target.location.path());
        if let Some(twice) = paths.find(|path| !seen.insert(*path)) {
            let why = format!(
                "verify: {} is used by several jobs, or threads with offset_increment, at once: give jobs a stonewall or files of \
                 their own",
                twice.display()
            );
            self.refuse(first, why);
        }
    }

    /// One seed for all: their threads have streams of their own.
    fn seed(&mut self, jobs: &[&Job]) -> u64 {
        let mut seeds: Vec<u64> = jobs.iter().filter_map(|job| job.seed).collect();
        seeds.dedup();
        if let [first, second, ..] = seeds[..] {
            let why = format!(
                "randseed: jobs that run side by side have one seed, and these have {first} and {second}: \
                               specify it in [global], or give this one a stonewall"
            );
            self.refuse(jobs[0], why);
        }
        match seeds.first() {
            Some(seed) => *seed,
            None if jobs.iter().all(|job| job.repeats) => 0,
            None => self.drawn_seed,
        }
    }

    fn phases(&mut self, jobs: &[&Job], times: &Times) -> Phases {
        for job in jobs {
            if !job.time_based && job.ramp_ns > 0 {
                self.note(
                    job,
                    "ramp_time: what the job transfers counts from its start, ramp included",
                );
            }
        }
        Phases {
            warmup: Nanos(jobs[0].ramp_ns),
            measured: Nanos(times.measured_ns),
            cooldown: Nanos(0),
        }
    }

    /// Each thread is on one processor of the list of its job; without a list the system places it.
    fn placement(&mut self, jobs: &[&Job]) -> Placement {
        let mut lists = Vec::new();
        for job in jobs {
            lists.push(match job.cores.as_deref().map(str::parse) {
                None => Vec::new(),
                Some(Ok(Placement::Cores(cores))) => cores,
                Some(Ok(other)) => return other,
                Some(Err(error)) => {
                    let error: model::UnitError = error;
                    self.refuse(job, error.of("cpus_allowed"));
                    return Placement::Free;
                }
            });
        }
        match &lists[..] {
            lists if lists.iter().all(Vec::is_empty) => Placement::Free,
            [first, rest @ ..] if rest.iter().all(|list| list == first) => {
                Placement::Cores(first.clone())
            }
            lists => {
                let of = |job: &Job, cores: &[u32]| -> Vec<Vec<u32>> {
                    let cores = cores.iter().map(|core| vec![*core]);
                    let each = cores.cycle().chain(std::iter::repeat(Vec::new()));
                    each.take(job.jobs as usize).collect()
                };
                let each = jobs.iter().zip(lists).flat_map(|(job, list)| of(job, list));
                Placement::Masks(each.collect())
            }
        }
    }

    /// The rate of a job that runs alone, whose response times count from the moments at which its I/Os are due.
    fn arrivals(&self, jobs: &[&Job], pool: Option<Pool>) -> Option<Arrivals> {
        let rates = jobs.iter().map(|job| (job, job.one_rate(job.rates_iops)));
        let (job, rate) = rates.into_iter().find(|(_, rate)| rate.is_some())?;
        if jobs.len() > 1 || pool.is_some() {
            return None; // each has a pace of its own
        }
        Some(Arrivals {
            per_s: rate?.saturating_mul(job.jobs),
            spacing: job.spacing,
        })
    }

    /// Threads that take files in turn are a pool, to which those of the parallel jobs belong.
    fn pool(&mut self, jobs: &[&Job], files: &[Vec<Vec<Range>>]) -> Option<Pool> {
        let several = |files: &Vec<Vec<Range>>| files.first().is_some_and(|clone| clone.len() > 1);
        if !files.iter().any(several) {
            return None;
        }
        let depths: Vec<u32> = jobs.iter().map(|job| self.depth(job)).collect();
        Some(Pool {
            threads: jobs.iter().map(|job| job.jobs as u32).sum(),
            outstanding: depths.into_iter().max(),
            draw: PoolDraw::InTurn,
        })
    }

    fn depth(&mut self, job: &Job) -> u32 {
        if job.depth > 1 && (job.engine == EngineChoice::Sync || job.mapped) {
            self.note(
                job,
                format!(
                    "iodepth={}: {} has one I/O outstanding, in fio too",
                    job.depth, job.engine_name
                ),
            );
            return 1;
        }
        job.depth as u32
    }

    /// As in fio, only jobs that write have any.
    fn fsync(&mut self, job: &Job) -> Fsync {
        if !job.pattern.writes || job.engine == EngineChoice::Null {
            return Fsync::default();
        }
        if job.fsync.every > 0 && job.depth > 1 && job.engine != EngineChoice::Sync {
            self.note(job, "fsync: each call waits for the I/Os before it, and those after it wait for the call");
        }
        job.fsync
    }

    fn pacing(&mut self, job: &Job, alone: bool) -> Pacing {
        let rate = job.one_rate(job.rates);
        let iops = job.one_rate(job.rates_iops).filter(|_| !alone);
        if let Some(per_s) = iops {
            if rate.is_some() || job.think_ns > 0 {
                self.refuse(
                    job,
                    "rate_iops: a job that runs with others has no further pace: omit rate and thinktime, or give it a stonewall",
                );
            }
            self.note(job, "rate_iops: with other jobs, latencies count from the submission, as in fio; with a stonewall also from the scheduled start");
            return Pacing::Ios {
                per_s,
                spacing: job.spacing,
            };
        }
        match (rate, job.think_ns) {
            (Some(_), 1..) => {
                self.refuse(
                    job,
                    "rate, thinktime: a pace has one of them: omit the other",
                );
                Pacing::Free
            }
            (Some(bytes_per_s), _) => Pacing::Rate { bytes_per_s },
            (None, 0) => Pacing::Free,
            (None, ns) => Pacing::Bursts {
                ios: job.think_blocks as u32,
                pause: Nanos(ns),
            },
        }
    }

    /// Notes where a job does not do just what fio does.
    fn note_differences(&mut self, job: &Job, files: &[Vec<Range>], workload: &model::Workload) {
        if spread::draws_again(job, workload) {
            self.note(
                job,
                "norandommap: blocks in zones, or of sizes with different alignments, are drawn each time, so a block can come twice before all \
                 came once",
            );
        }
        if job.content.is_some() && job.compress > 0 {
            self.note(
                job,
                "buffer_pattern: the share of the data that can be compressed is zeros, and not this pattern",
            );
        }
        let is_new = files.iter().flatten().any(|file| file.create.is_some());
        if is_new && job.writes_percent() == 100 && !job.target_verify().is_off() {
            self.note(
                job,
                "verify: new files are filled with data before the run, so its writes allocate no blocks, as fio's do",
            );
        }
    }

    fn targets(
        &mut self,
        job: &Job,
        files: &[Vec<Range>],
        span: &SpanPart,
        targets: &mut Vec<Target>,
    ) {
        let depth = self.depth(job);
        let workload = match spread::workload(job, depth) {
            Ok(workload) => workload,
            Err(why) => return self.refuse(job, why),
        };
        self.note_differences(job, files, &workload);
        let pacing = self.pacing(job, span.alone);
        let fsync = self.fsync(job);
        let whole: u64 = files
            .first()
            .map_or(0, |clone| clone.iter().map(|range| range.bytes).sum());
        let pass = pass(job, whole, workload.block.0);
        if job.loops > 1 && job.io_size.is_some() && whole > 0 && pass > whole {
            self.refuse(
                job,
                "loops: with an io_size above size fio moves neither all loops nor io_size: specify one of them",
            );
        }
        let amount = pass.saturating_mul(job.loops).max(workload.block.0);
        let again = restart(job, pass, whole, workload.block.0);
        let shared = files.len() == 1;
        for (clone, ranges) in (0u32..).zip(files) {
            let share = pass / ranges.len().max(1) as u64;
            let amount = (!job.time_based).then(|| Bytes(amount / ranges.len().max(1) as u64));
            for range in ranges {
                targets.push(Target {
                    base: Bytes(range.base),
                    length: again.or(range.length).map(Bytes),
                    create: range.create.map(Bytes),
                    allocation: job.allocation(),
                    cache: cache(job),
                    hint: hint(job),
                    drop_cache: job.invalidate && cache(job) == CacheMode::Cached,
                    drop_cache_every: dropped_every(job, &workload, range.bytes, share)
                        .filter(|every| amount.is_none_or(|amount| amount > *every)),
                    write_through: job.durable && job.engine != EngineChoice::Null,
                    fsync,
                    mapped: job.mapped.then_some(Flush::Never),
                    engine: span.engine,
                    content: content(job),
                    pacing,
                    bounds: bounds(job),
                    zones: zones(job),
                    priority: job.priority().unwrap_or_default(),
                    verify: job.target_verify(),
                    active: span.active,
                    threads: if shared && !span.pooled {
                        job.jobs as u32
                    } else {
                        1
                    },
                    pool_threads: span.pool_threads(job, shared, clone),
                    amount,
                    ..Target::new(range.location.clone(), workload.clone())
                });
            }
        }
    }
}
