//! The next run of a test of SNIA's PTS, from its runs so far.
//!
//! What a test consists of, and how far it is, is in `analysis::pts`; here a cell becomes a request. Omitted: files, time,
//! printing.

use analysis::pts::{
    PtsCell, PtsDefinition, PtsEnd, PtsLoad, PtsOrder, PtsPartKind, PtsProgress, PtsRun, PtsStep,
    PtsTest, composite_lines, next_step, progress, resumed,
};
use model::{
    Access, Bytes, EngineChoice, Location, Nanos, OnError, Phases, Placement, Polling, QueueDepth,
    SimulatedDevice, Target, Timespan, Workload,
};

/// Preconditioning ends with its amount; no drive in use is slower than this.
const PRECONDITION_BYTES_PER_S: u64 = 1 << 20;
/// Shortest step of a time series, and shortest run.
const STEP_MIN: Nanos = Nanos::millis(1);
/// Steps of the time series of preconditioning, at most.
const STEPS_MAX: u64 = 2000;
/// Times are whole microseconds.
const MICROSECOND: u64 = 1000;

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct PtsRequest {
    /// Which test.
    pub test: PtsTest,
    /// Threads, depth, sizes.
    pub load: PtsLoad,
    /// The target.
    pub location: Location,
    /// The range that is used, from the target's beginning.
    pub range: Bytes,
    /// The file is created with this size.
    pub create: Option<Bytes>,
    /// Times and the bytes of preconditioning are divided by this. // from 1
    pub scale_divisor: u32,
    /// Seed of offsets and operations.
    pub seed: u64,
    /// The I/O engine.
    pub engine: EngineChoice,
}

/// A run of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct PtsPoint {
    /// Which.
    pub step: PtsStep,
    /// As it is stored: `round 3, 4K 65/35`.
    pub label: String,
    /// How long nothing is done before.
    pub idle: Nanos,
    /// The request, unchecked.
    pub timespan: Timespan,
}

/// A test that can be planned.
#[derive(Clone, Debug)]
pub struct Pts {
    /// Its parts and cells.
    pub definition: PtsDefinition,
    request: PtsRequest,
}

impl Pts {
    /// Of a request.
    pub fn new(request: PtsRequest) -> Pts {
        Pts {
            definition: PtsDefinition::of(request.test, &request.load),
            request,
        }
    }

    /// How far it is.
    pub fn progress<'a>(
        &'a self,
        runs: &'a [PtsRun],
        from: Option<PtsStep>,
    ) -> Vec<PtsProgress<'a>> {
        progress(&self.definition, runs, from, self.end())
    }

    fn end(&self) -> PtsEnd {
        PtsEnd {
            range: self.request.range,
            scale: 1.0 / f64::from(self.request.scale_divisor.max(1)),
        }
    }

    /// Where it goes on after so long a rest; none where it simply goes on. A simulated drive does not rest.
    pub fn resumed(&self, runs: &[PtsRun], rest: Nanos) -> Option<PtsStep> {
        let rest = match self.request.location {
            Location::Simulated(_) => Nanos(0),
            _ => rest,
        };
        resumed(&self.progress(runs, None), rest)
    }

    /// The next run; none at the end. The same runs always give the same answer.
    pub fn next(&self, runs: &[PtsRun], from: Option<PtsStep>) -> Option<PtsPoint> {
        let parts = self.progress(runs, from);
        let step = next_step(&parts)?;
        let part = &parts[step.part as usize];
        let cell = part.part.cells.get(step.cell as usize)?;
        let rounds = parts
            .iter()
            .find(|part| part.part.kind == PtsPartKind::Rounds);
        let found = rounds.and_then(|rounds| rounds.demand(cell.role));
        let cell = match found {
            Some(found) => PtsCell {
                threads: found.threads,
                depth: found.depth,
                ..cell.clone()
            },
            None => cell.clone(),
        };
        let location = match &self.request.location {
            Location::Simulated(device) => {
                Location::Simulated(Box::new(self.used(**device, &parts, &cell)))
            }
            other => other.clone(),
        };
        Some(PtsPoint {
            step,
            label: label(step, part, &cell),
            idle: self.scaled(cell.idle),
            timespan: self.timespan(step, part.part.kind, &cell, location),
        })
    }

    /// Every kind of run once, to be checked before the first.
    pub fn all(&self) -> Vec<Timespan> {
        let mut seen: Vec<Timespan> = Vec::new();
        for part in &self.definition.parts {
            for cell in &part.cells {
                let location = self.request.location.clone();
                let step = PtsStep {
                    part: 0,
                    series: 1,
                    round: 0,
                    attempt: 1,
                    cell: 0,
                };
                let span = self.timespan(step, part.kind, cell, location);
                if !seen.contains(&span) {
                    seen.push(span);
                }
            }
        }
        seen
    }

    /// The simulated drive as the runs that count have left it, after the idle time before this cell.
    fn used(
        &self,
        device: SimulatedDevice,
        parts: &[PtsProgress<'_>],
        next: &PtsCell,
    ) -> SimulatedDevice {
        let mut used = device;
        for part in parts {
            for run in part.counted() {
                let cell = part.part.cells.get(run.step.cell as usize);
                let idle = cell.map_or(Nanos(0), |cell| self.scaled(cell.idle));
                used = used.after(idle, Bytes(0));
                used = used.after(Nanos(run.busy_ns), Bytes(run.written_bytes));
            }
        }
        used.after(self.scaled(next.idle), Bytes(0))
    }

    fn scaled(&self, time: Nanos) -> Nanos {
        let time = time.0 / u64::from(self.request.scale_divisor.max(1));
        Nanos(time - time % MICROSECOND)
    }

    fn timespan(
        &self,
        step: PtsStep,
        kind: PtsPartKind,
        cell: &PtsCell,
        location: Location,
    ) -> Timespan {
        let request = &self.request;
        let fills = kind == PtsPartKind::Precondition;
        let amount = fills.then(|| self.amount(cell));
        let (measured, interval) = match amount {
            Some(amount) => {
                let bytes = amount.0.saturating_mul(u64::from(cell.threads));
                let longest = Nanos::seconds(3600 + bytes / PRECONDITION_BYTES_PER_S);
                let step = Nanos::seconds(1).max(Nanos(longest.0 / STEPS_MAX));
                (longest, step)
            }
            None => (
                self.scaled(cell.time).max(STEP_MIN),
                self.scaled(cell.step()).max(STEP_MIN),
            ),
        };
        let place = u64::from(step.part) << 40 | u64::from(step.round) << 20 | u64::from(step.cell);
        Timespan {
            start_delay: Nanos(0),
            end_with_first: false,
            phases: Phases {
                warmup: Nanos(0),
                measured,
                cooldown: Nanos(0),
            },
            interval: Nanos(interval.0 - interval.0 % MICROSECOND),
            // Preconditioning begins at the beginning of the range, others at places of their own.
            seed: if fills {
                0
            } else {
                request.seed.wrapping_add(1 + place)
            },
            engine: request.engine,
            on_error: OnError::Stop,
            pool: None,
            polling: Polling::default(),
            queueing: model::Queueing::default(),
            placement: Placement::default(),
            arrivals: None,
            targets: vec![Target {
                length: Some(request.range),
                create: request.create,
                threads: cell.threads,
                amount,
                ..Target::new(location, self.workload(cell))
            }],
        }
    }

    /// Bytes of each thread: all together twice the range, in whole blocks.
    fn amount(&self, cell: &PtsCell) -> Bytes {
        let request = &self.request;
        let divisor = u64::from(request.scale_divisor.max(1)) * u64::from(cell.threads.max(1));
        let each = request.range.0.saturating_mul(2) / divisor;
        let block = cell.work.block.0;
        Bytes(each.div_ceil(block).max(1).saturating_mul(block))
    }

    fn workload(&self, cell: &PtsCell) -> Workload {
        let depth = QueueDepth(cell.depth);
        let plain = |access| Workload {
            block: cell.work.block,
            queue_depth: depth,
            write: cell.work.write,
            access,
        };
        match cell.work.order {
            PtsOrder::Random => plain(Access::Random),
            PtsOrder::Sequential => plain(Access::Sequential),
            PtsOrder::Composite => {
                let least = self.request.load.block_least;
                Workload::mixed(composite_lines(cell.work.write, least), depth)
            }
        }
    }
}

fn label(step: PtsStep, part: &PtsProgress<'_>, cell: &PtsCell) -> String {
    let name = cell.name();
    let of = match &*part.part.name {
        "" => String::new(),
        name => format!("{name} "),
    };
    let mut label = match part.part.kind {
        PtsPartKind::Precondition => format!("precondition {}", cell.row),
        PtsPartKind::Rounds => format!("{of}round {}, {name}", step.round),
        PtsPartKind::Once => match &*part.part.name {
            "" => name,
            part => format!("{part}, {name}"),
        },
    };
    if step.series > 1 {
        label.push_str(&format!(", series {}", step.series));
    }
    if step.attempt > 1 {
        label.push_str(&format!(", attempt {}", step.attempt));
    }
    label
}
