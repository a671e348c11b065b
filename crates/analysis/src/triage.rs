//! What keeps programs waiting now: a disk, the processors, memory, a limit of a control group, a server, or nothing.
//!
//! One answer by fixed thresholds on utilisation, saturation and errors (Gregg 2013, Systems Performance, chapter 2.5). Where two
//! resources are saturated about equally, or one is busy and nothing waits for it, nothing is decided. Omitted: reading the facts.

use crate::audit::cpu_share;
use crate::say;
use model::record::audited::Pressure;
use model::{CounterWindow, DeviceCounters, Nanos};
use schemars::JsonSchema;
use serde::Serialize;

/// What was read over some seconds.
#[derive(Clone, Debug, Default)]
pub struct TriageFacts {
    /// What was looked at: a path, a process, a group; empty for the whole machine.
    pub scope: String,
    /// Counters of cores and of the devices of the scope.
    pub window: CounterWindow,
    /// How long tasks of the scope waited.
    pub pressure: Pressure,
    /// Programs that ran or were ready, on average, with this one.
    pub runnable: f64,
    /// The rate of each limited group as a share of its limit.
    pub limits: Vec<LimitUse>,
    /// Share of the samples in which a process waited for a file system's server.
    pub server_share: f64,
    /// The first of these processes.
    pub server_waiter: Option<String>,
    /// Types of mounted file systems that servers keep.
    pub remote_mounts: Vec<String>,
    /// The path of the scope is on such a file system: its type, and the median time of asking it for a file's attributes.
    pub remote: Option<(String, Nanos)>,
    /// The process of the scope.
    pub process: Option<ProcessShares>,
}

/// How far a control group uses a limit on its I/O.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimitUse {
    /// The group.
    pub group: String,
    /// What is limited: `rbps of 8:0`.
    pub what: String,
    /// Bytes or I/Os per second.
    pub limit_per_s: u64,
    /// Share of it that was used.
    pub share: f64,
}

/// What a process did with its time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessShares {
    /// Its name.
    pub name: String,
    /// It ran; above 1 for several threads.
    pub ran: f64,
    /// It was ready and waited for a processor.
    pub waited: f64,
    /// It waited for I/O, as a share of the samples.
    pub blocked: f64,
}

impl ProcessShares {
    fn is_blocked(&self) -> bool {
        self.blocked >= WAITS && self.blocked > self.waited
    }
}

/// What programs wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TriageAnswer {
    /// A device of this machine.
    Disk,
    /// The processors.
    Cpu,
    /// Memory that has to be freed or fetched again.
    Memory,
    /// A limit on the I/O of a control group.
    IoLimit,
    /// A quota of processor time.
    CpuLimit,
    /// The server of a network or FUSE file system.
    Server,
    /// Nothing.
    Nothing,
    /// The figures do not decide it.
    Undecided,
}

/// The answer and what it is based on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TriageReport {
    /// What programs wait for.
    pub answer: TriageAnswer,
    /// The answer in a sentence.
    pub sentence: String,
    /// What was looked at; none for the whole machine.
    pub scope: Option<String>,
    /// For how long.
    pub elapsed_ns: u64,
    /// Each resource.
    pub evidence: Vec<TriageEvidence>,
    /// How long tasks waited.
    pub pressure: Pressure,
    /// The next command.
    pub next: String,
}

/// Utilisation and saturation of a resource.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TriageEvidence {
    /// Its name: `vda`, `cpu`, `memory`.
    pub resource: String,
    /// Share that was in use; none where that is not known.
    pub utilisation: Option<f64>,
    /// How much waited for it, in words.
    pub saturation: String,
}

/// A disk is busy from here on; a processor, too, with less because others need the rest of it.
const DISK_BUSY: f64 = 0.80;
const CPU_BUSY: f64 = 0.90;
/// Tasks waited for it this share of the time.
const WAITS: f64 = 0.20;
const MEMORY_WAITS: f64 = 0.10;
/// So many I/Os in flight are a queue.
const QUEUE: f64 = 4.0;
/// A limit binds from here on.
const LIMIT_USED: f64 = 0.85;
/// Servers keep others waiting from here on.
const SERVER_WAITS: f64 = 0.50;
const SERVER_SLOW: Nanos = Nanos::millis(100);
/// Below these nothing is wrong.
const DISK_IDLE: f64 = 0.50;
const CPU_IDLE: f64 = 0.80;
const QUIET: f64 = 0.05;
/// One resource keeps others waiting so much more than another one that it is the answer.
const CLEARLY: f64 = 2.0;

/// Figures from which the answer follows.
struct Shares {
    seconds: f64,
    disk: Option<(DeviceCounters, f64)>,
    cpu: Option<f64>,
    cores: usize,
    cpu_waits: Option<f64>,
    io_waits: Option<f64>,
    memory_waits: f64,
    quota: f64,
}

impl Shares {
    fn of(facts: &TriageFacts) -> Shares {
        let elapsed = facts.window.elapsed().0.max(1) as f64;
        let share = |time: Option<Nanos>| Some((time?.0 as f64 / elapsed).min(1.0));
        let names = facts.window.after.devices.iter();
        let devices = names.filter_map(|device| facts.window.device(&device.name));
        let busy = |device: &DeviceCounters| (device.busy.0 as f64 / elapsed).min(1.0);
        let disk = devices.max_by(|one, two| busy(one).total_cmp(&busy(two)));
        let quotas = facts.window.quotas();
        let throttled = quotas.iter().map(|quota| quota.throttled_time.0 as f64);
        let pressure = &facts.pressure;
        let half = share(pressure.memory_some).map(|some| some / 2.0);
        let memory = share(pressure.memory_full)
            .into_iter()
            .chain(half)
            .fold(0.0, f64::max);
        Shares {
            seconds: elapsed / 1e9,
            disk: disk.map(|disk| (disk.clone(), busy(&disk))),
            cpu: cpu_share(&facts.window),
            cores: facts.window.cpus().len(),
            cpu_waits: share(pressure.cpu_some),
            io_waits: share(pressure.io_some),
            memory_waits: memory,
            quota: throttled.fold(0.0, f64::max) / elapsed,
        }
    }

    /// I/Os that were in flight on average.
    fn queue(&self) -> f64 {
        let time =
            |(disk, _): &(DeviceCounters, f64)| disk.read_time.plus(disk.write_time).as_seconds();
        self.disk.as_ref().map_or(0.0, time) / self.seconds
    }

    fn latency(&self) -> String {
        let Some((disk, _)) = &self.disk else {
            return String::new();
        };
        let ios = (disk.reads + disk.writes).max(1) as f64;
        say::time(disk.read_time.plus(disk.write_time).0 as f64 / ios)
    }

    fn disk_busy(&self) -> f64 {
        self.disk.as_ref().map_or(0.0, |(_, busy)| *busy)
    }

    /// Whether the disk is busy and something waits for it. The kernel does not account the waits of asynchronous I/O: there the
    /// queue shows them.
    fn disk_is_saturated(&self) -> bool {
        let waits = self.io_waits.is_some_and(|waits| waits >= WAITS);
        self.disk_busy() >= DISK_BUSY && (waits || self.queue() >= QUEUE)
    }

    /// Whether all that programs do is compute.
    fn computes(&self) -> bool {
        let waits = self.io_waits.is_some_and(|waits| waits >= WAITS);
        self.cpu.is_some_and(|used| used >= CPU_BUSY) && self.disk_busy() < DISK_IDLE && !waits
    }

    fn cpu_is_saturated(&self, runnable: f64) -> bool {
        let many = runnable > 1.5 * self.cores as f64;
        let waits = self.cpu_waits.map_or(many, |waits| waits >= WAITS);
        self.cpu.is_some_and(|used| used >= CPU_BUSY) && waits
    }
}

/// Returns the answer.
pub fn triage_report(facts: &TriageFacts) -> TriageReport {
    let shares = Shares::of(facts);
    let (answer, sentence) = answer(facts, &shares);
    let disk = shares.disk.as_ref().map(|(disk, _)| disk.name.as_str());
    TriageReport {
        answer,
        sentence,
        scope: Some(facts.scope.clone()).filter(|scope| !scope.is_empty()),
        elapsed_ns: facts.window.elapsed().0,
        evidence: evidence(facts, &shares),
        pressure: facts.pressure,
        next: next(answer, disk.unwrap_or_default()),
    }
}

fn answer(facts: &TriageFacts, shares: &Shares) -> (TriageAnswer, String) {
    // A process that waits for storage waits for what the machine shows; else its own times are the answer.
    let own = facts
        .process
        .as_ref()
        .filter(|process| !process.is_blocked());
    if let Some(process) = own {
        return of_process(process);
    }
    if let Some(limit) = bound(facts) {
        let sentence = format!(
            "control group {} uses {} of its I/O limit ({}, {} per second): it is the limit, not the disk",
            limit.group,
            say::percent(limit.share),
            limit.what,
            say::rate(limit.limit_per_s as f64)
        );
        return (TriageAnswer::IoLimit, sentence);
    }
    if shares.memory_waits >= MEMORY_WAITS {
        let sentence = format!(
            "tasks waited for memory {} of the time: it is memory; what the disks do follows from it",
            say::percent(shares.memory_waits)
        );
        return (TriageAnswer::Memory, sentence);
    }
    if shares.quota >= WAITS {
        let sentence = format!(
            "a control group was stopped {} of the time because its quota of processor time was used up: it is the quota",
            say::percent(shares.quota)
        );
        return (TriageAnswer::CpuLimit, sentence);
    }
    if let Some(sentence) = server(facts, shares) {
        return (TriageAnswer::Server, sentence);
    }
    if let Some(process) = &facts.process {
        return of_blocked(process, shares);
    }
    let disk = shares.disk_is_saturated();
    let cpu = shares.cpu_is_saturated(facts.runnable);
    let (io_waits, cpu_waits) = (shares.io_waits, shares.cpu_waits);
    let clearly = |one: Option<f64>, two: Option<f64>| {
        one.zip(two).is_some_and(|(one, two)| one >= CLEARLY * two)
    };
    match (disk, cpu) {
        (true, false) => (TriageAnswer::Disk, disk_sentence(shares)),
        (false, true) => (TriageAnswer::Cpu, cpu_sentence(facts, shares)),
        (true, true) if clearly(io_waits, cpu_waits) => (TriageAnswer::Disk, disk_sentence(shares)),
        (true, true) if clearly(cpu_waits, io_waits) => {
            (TriageAnswer::Cpu, cpu_sentence(facts, shares))
        }
        (true, true) => {
            let why = "not decided: a disk and the processors are saturated at once";
            (TriageAnswer::Undecided, why.to_owned())
        }
        (false, false) if shares.computes() => (TriageAnswer::Cpu, cpu_sentence(facts, shares)),
        (false, false) => quiet(shares),
    }
}

fn bound(facts: &TriageFacts) -> Option<&LimitUse> {
    let limits = facts
        .limits
        .iter()
        .filter(|limit| limit.share >= LIMIT_USED);
    limits.max_by(|one, two| one.share.total_cmp(&two.share))
}

fn server(facts: &TriageFacts, shares: &Shares) -> Option<String> {
    if let Some((kind, time)) = &facts.remote {
        return (*time >= SERVER_SLOW).then(|| {
            format!(
                "{} is on {kind}, whose server takes {} for the attributes of a file: it is the server or its network",
                facts.scope,
                say::time(time.0 as f64)
            )
        });
    }
    let idle = shares.disk_busy() < DISK_IDLE;
    let waits = facts.server_share >= SERVER_WAITS;
    let unseen = !facts.remote_mounts.is_empty()
        && shares.io_waits.is_some_and(|waits| waits >= SERVER_WAITS)
        && shares.disk_busy() < WAITS;
    ((waits && idle) || unseen).then(|| {
        let kinds = match facts.remote_mounts.is_empty() {
            true => "a server".to_owned(),
            false => format!("a server ({})", say::listed(&facts.remote_mounts)),
        };
        let who = facts
            .server_waiter
            .clone()
            .unwrap_or_else(|| "a process".to_owned());
        format!(
            "{} waits for {kinds}, and the disks are {} busy: it is the server or its network",
            model::printable(&who),
            say::percent(shares.disk_busy())
        )
    })
}

fn of_blocked(process: &ProcessShares, shares: &Shares) -> (TriageAnswer, String) {
    let name = model::printable(&process.name);
    let waited = format!(
        "{name} waited for I/O {} of the time",
        say::percent(process.blocked)
    );
    match shares.disk_busy() >= DISK_IDLE {
        true => (
            TriageAnswer::Disk,
            format!("{waited}; {}", disk_sentence(shares)),
        ),
        false => {
            let why = "and no device of this machine is busy";
            (
                TriageAnswer::Undecided,
                format!("not decided: {waited}, {why}"),
            )
        }
    }
}

fn of_process(process: &ProcessShares) -> (TriageAnswer, String) {
    let name = model::printable(&process.name);
    let (ran, waited, blocked) = (process.ran, process.waited, process.blocked);
    let shares = format!(
        "{name} ran {}, waited for a processor {} and for I/O {} of the time",
        say::percent(ran),
        say::percent(waited),
        say::percent(blocked)
    );
    if waited >= WAITS || ran + waited >= CPU_BUSY {
        return (TriageAnswer::Cpu, format!("{shares}: it is the CPU"));
    }
    match ran + waited + blocked < WAITS {
        true => (
            TriageAnswer::Nothing,
            format!("{shares}: it was asleep, and nothing of this machine kept it waiting"),
        ),
        false => (TriageAnswer::Undecided, format!("not decided: {shares}")),
    }
}

fn disk_sentence(shares: &Shares) -> String {
    let name = shares.disk.as_ref().map_or("", |(disk, _)| &disk.name);
    format!(
        "{name} is {} busy and answers in {} at a queue of {}: it is the disk",
        say::percent(shares.disk_busy()),
        shares.latency(),
        say::digits(shares.queue())
    )
}

fn cpu_sentence(facts: &TriageFacts, shares: &Shares) -> String {
    format!(
        "{} programs want the {} cores, which are {} busy: it is the CPU",
        say::digits(facts.runnable),
        shares.cores,
        say::percent(shares.cpu.unwrap_or(0.0))
    )
}

fn quiet(shares: &Shares) -> (TriageAnswer, String) {
    let disk = shares.disk_busy();
    let cpu = shares.cpu.unwrap_or(0.0);
    let waits = [shares.cpu_waits, shares.io_waits].map(|waits| waits.unwrap_or(0.0));
    let figures = format!(
        "disks {} busy, processors {}",
        say::percent(disk),
        say::percent(cpu)
    );
    // Tasks that wait while nothing is busy wait for something that is not seen here.
    let calm =
        disk < DISK_IDLE && cpu < CPU_IDLE && waits[1] < WAITS && shares.memory_waits < QUIET;
    match calm {
        true => (
            TriageAnswer::Nothing,
            format!("nothing is saturated: {figures}"),
        ),
        false => (
            TriageAnswer::Undecided,
            format!(
                "not decided: {figures}; tasks waited for I/O {} of the time",
                say::percent(waits[1])
            ),
        ),
    }
}

fn evidence(facts: &TriageFacts, shares: &Shares) -> Vec<TriageEvidence> {
    let waits = |share: Option<f64>| match share {
        Some(share) => format!("tasks waited {} of the time", say::percent(share)),
        None => "not reported by this kernel".to_owned(),
    };
    let mut all = Vec::new();
    if let Some((disk, busy)) = &shares.disk {
        all.push(TriageEvidence {
            resource: disk.name.clone(),
            utilisation: Some(*busy),
            saturation: format!(
                "queue {}, {} per I/O, {} IOPS; {}",
                say::digits(shares.queue()),
                shares.latency(),
                say::rate((disk.reads + disk.writes) as f64 / shares.seconds),
                waits(shares.io_waits)
            ),
        });
    }
    all.push(TriageEvidence {
        resource: "cpu".to_owned(),
        utilisation: shares.cpu,
        saturation: format!(
            "{} runnable; {}",
            say::digits(facts.runnable),
            waits(shares.cpu_waits)
        ),
    });
    all.push(TriageEvidence {
        resource: "memory".to_owned(),
        utilisation: None,
        saturation: waits(
            Some(shares.memory_waits).filter(|_| facts.pressure.memory_some.is_some()),
        ),
    });
    all.extend(facts.limits.iter().map(|limit| TriageEvidence {
        resource: format!("limit of {}", limit.group),
        utilisation: Some(limit.share),
        saturation: format!(
            "{}, {} per second",
            limit.what,
            say::rate(limit.limit_per_s as f64)
        ),
    }));
    if !facts.remote_mounts.is_empty() || facts.server_share > 0.0 {
        all.push(TriageEvidence {
            resource: "servers".to_owned(),
            utilisation: None,
            saturation: format!(
                "a process waited in {} of the samples",
                say::percent(facts.server_share)
            ),
        });
    }
    all
}

fn next(answer: TriageAnswer, disk: &str) -> String {
    match answer {
        TriageAnswer::Disk => format!("fathom watch {disk}"),
        TriageAnswer::Cpu => "top -o %CPU".to_owned(),
        TriageAnswer::Memory => "top -o %MEM".to_owned(),
        TriageAnswer::IoLimit | TriageAnswer::CpuLimit => "systemd-cgtop".to_owned(),
        TriageAnswer::Server => "nfsstat -m".to_owned(),
        TriageAnswer::Nothing => "fathom triage --for 60s, while it is slow".to_owned(),
        TriageAnswer::Undecided => "fathom triage --pid N, with the slow process".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Counters, CpuTimes};

    /// Ten seconds of a disk (busy, queue) and of two cores, with the shares of time that tasks waited.
    fn facts(disk: [f64; 2], cpu: f64, [cpu_waits, io_waits, memory]: [f64; 3]) -> TriageFacts {
        let time = |share: f64| Nanos((share * 10e9) as u64);
        let core = |number: u32| CpuTimes {
            cpu: number,
            user: time(cpu),
            idle: time(1.0 - cpu),
            ..CpuTimes::default()
        };
        let disk = |share: f64| DeviceCounters {
            name: "vda".to_owned(),
            reads: (share * 10_000.0) as u64,
            busy: time(share * disk[0]),
            read_time: time(share * disk[1]),
            ..DeviceCounters::default()
        };
        TriageFacts {
            window: CounterWindow {
                before: Counters {
                    devices: vec![disk(0.0)],
                    cpus: [0, 1]
                        .map(|cpu| CpuTimes {
                            cpu,
                            ..CpuTimes::default()
                        })
                        .to_vec(),
                    ..Counters::default()
                },
                after: Counters {
                    begun: Nanos::seconds(10),
                    devices: vec![disk(1.0)],
                    cpus: vec![core(0), core(1)],
                    ..Counters::default()
                },
            },
            pressure: Pressure {
                cpu_some: Some(time(cpu_waits)),
                memory_some: Some(time(memory)),
                memory_full: Some(time(memory)),
                io_some: Some(time(io_waits)),
                io_full: Some(time(io_waits)),
            },
            runnable: if cpu > 0.9 { 12.0 } else { 1.0 },
            ..TriageFacts::default()
        }
    }

    fn answered(facts: &TriageFacts) -> TriageAnswer {
        triage_report(facts).answer
    }

    #[test]
    fn each_cause_is_named_in_the_first_sentence() {
        let disk = triage_report(&facts([0.99, 8.0], 0.2, [0.0, 0.9, 0.0]));
        assert_eq!(disk.answer, TriageAnswer::Disk);
        assert_eq!(
            disk.sentence,
            "vda is 99% busy and answers in 8 ms at a queue of 8.00: it is the disk"
        );
        let cpu = triage_report(&facts([0.3, 2.7], 1.0, [0.9, 0.1, 0.0]));
        assert_eq!(cpu.answer, TriageAnswer::Cpu);
        assert_eq!(
            cpu.sentence,
            "12.0 programs want the 2 cores, which are 100% busy: it is the CPU"
        );
        assert_eq!(
            answered(&facts([0.9, 9.0], 0.5, [0.1, 0.9, 0.4])),
            TriageAnswer::Memory
        );
        let mut limited = facts([0.1, 0.2], 0.1, [0.0, 0.9, 0.0]);
        limited.limits = vec![LimitUse {
            group: "/box".to_owned(),
            what: "rbps of 8:0".to_owned(),
            limit_per_s: 1 << 20,
            share: 0.99,
        }];
        assert_eq!(answered(&limited), TriageAnswer::IoLimit);
        let mut server = facts([0.02, 0.1], 0.1, [0.0, 0.1, 0.0]);
        server.server_share = 0.8;
        assert_eq!(answered(&server), TriageAnswer::Server);
        server.server_share = 0.0;
        server.remote = Some(("nfs4".to_owned(), Nanos::millis(210)));
        assert_eq!(answered(&server), TriageAnswer::Server);
    }

    #[test]
    fn what_is_quiet_is_not_accused_and_what_is_unclear_is_not_guessed() {
        for (disk, cpu) in [([0.0, 0.0], 0.0), ([0.4, 0.5], 0.3), ([0.3, 3.0], 0.7)] {
            assert_eq!(
                answered(&facts(disk, cpu, [0.1, 0.1, 0.0])),
                TriageAnswer::Nothing
            );
        }
        assert_eq!(
            answered(&facts([0.95, 9.0], 1.0, [0.6, 0.7, 0.0])),
            TriageAnswer::Undecided
        );
        assert_eq!(
            answered(&facts([0.95, 9.0], 1.0, [0.3, 0.9, 0.0])),
            TriageAnswer::Disk
        );
        assert_eq!(
            answered(&facts([0.9, 0.9], 0.1, [0.0, 0.1, 0.0])),
            TriageAnswer::Undecided
        );
        assert_eq!(
            answered(&facts([0.1, 0.1], 0.1, [0.0, 0.9, 0.0])),
            TriageAnswer::Undecided
        );
        assert_eq!(answered(&TriageFacts::default()), TriageAnswer::Nothing);
    }

    #[test]
    fn a_process_has_its_own_answer() {
        let of = |ran, waited, blocked| {
            let mut facts = facts([0.9, 3.0], 0.9, [0.5, 0.5, 0.0]);
            facts.process = Some(ProcessShares {
                name: "dd".to_owned(),
                ran,
                waited,
                blocked,
            });
            answered(&facts)
        };
        assert_eq!(of(0.1, 0.05, 0.8), TriageAnswer::Disk);
        assert_eq!(of(0.3, 0.6, 0.1), TriageAnswer::Cpu);
        assert_eq!(of(0.98, 0.0, 0.0), TriageAnswer::Cpu);
        assert_eq!(of(0.01, 0.0, 0.0), TriageAnswer::Nothing);
    }
}
