//! One core, or all of them, was at 100% CPU: the machine was the limit, not the target.
//!
//! A core may be full without a full thread of fathom: interrupts, or another program. Where polling or a rate was
//! asked, threads fill cores by their nature; the null engine measures just that; so there it is silent.

use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::LimitKind;
use crate::say;
use model::ImportedCpu;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("cpu-bound"),
    group: Group::Cpu,
    cause: Cause::Processor,
    limit: Some(LimitKind::Tool),
    what: "One core, or all of them, were at 100% CPU, so the machine was the limit.",
    method: "One core busy for 97% of the measured phase or more, or all together for 95%, less steal time, over 0.4 seconds or more. In addition fathom's threads were ready without a processor for 5% of their time, or busy for 80%; or the CPU emulates the device (zram, a loop device in memory), and three quarters of the load were kernel time; or interrupts took half of the time of that core. Otherwise it is a note. If all are busy, mostly in programs, and half of that or more is not fathom's own time, the other programs are named: those of a tenth of the time used or more. Threads that waited for a processor for 20% of their time suffice alone. Imported runs: as printed per processor; fio: user and kernel time of a job together are 97% or more. Or those of several jobs are 95% to 103% of one core, while direct submissions took 80% of their time. dd, with the times of the shell: 80% or more of a core below 200 MB/s. Not applied with polling, with a requested rate or on the null engine. If fathom's own thread is at 100% CPU, `fathom-cpu-bound` is reported.",
    evidence: &[
        "cpu",
        "user_percent",
        "kernel_percent",
        "usage_percent",
        "user_share",
        "kernel_share",
        "interrupt_share",
        "cores",
        "delayed_share",
        "others_share",
        "named_share",
    ],
    source: "proc_stat(5), proc_pid_stat(5); the kernel's Documentation/scheduler/sched-stats.rst (schedstat); DISKSPD's table of processors.",
    advice: "Spread the load over more cores (more threads, interrupt affinity), use larger blocks, or use a machine with more cores.",
    look: Look::Any(look),
};

const CORE_MIN: f64 = 0.97;
const ALL_MIN: f64 = 0.95;
/// The kernel counts in hundredths of a second: of fewer than forty one more or less is too large a share.
const ELAPSED_MIN_NS: u64 = 400_000_000;
/// Below this share of its time ready without a processor, a thread did not suffer from full cores.
const WAITED_MIN: f64 = 0.05;
/// From here on it is enough by itself.
const WAITED_ALONE_MIN: f64 = 0.20;
const WORKER_BUSY_MIN: f64 = 0.80;
/// Devices that are nothing but memory and a processor's work.
const MADE_UP: &[&str] = &["zram", "loop", "ram"];
/// Of a full core, the kernel's part that shows such work.
const KERNEL_PART_MIN: f64 = 0.75;
/// Of a full core, the part in interrupts that makes it the limit of a device without a full thread.
const INTERRUPT_PART_MIN: f64 = 0.5;
/// Of the time of full cores, the share of other programs that makes them the cause.
const OTHERS_MIN: f64 = 0.5;
const ADVICE_OTHERS: &str = "stop the other programs (top), or reserve cores for fathom (--cores, isolcpus); more threads do not help";
const ADVICE: &str =
    "spread the load over more cores (more threads, interrupt affinity), or use larger blocks";

fn look(seen: &Seen<'_>) -> Option<Finding> {
    match seen.own {
        Some(own) => of_own(own),
        None => of_others(seen),
    }
}

fn of_others(seen: &Seen<'_>) -> Option<Finding> {
    let cpu = seen.observed.printed.cpu?;
    if seen.imported.is_some_and(|run| run.format.tool() == "fio") {
        let long = seen.observed.measured_ns >= Some(1e9);
        return of_jobs(&cpu)
            .or_else(|| of_one_core(seen, &cpu))
            .filter(|_| long);
    }
    if seen.observed.printed.format == Some(model::ImportFormat::DdText) {
        return of_copy(seen, &cpu);
    }
    if let Some(all) = all_of_others(&cpu) {
        return Some(all);
    }
    let core = cpu
        .busiest
        .filter(|core| core.usage_percent >= 100.0 * CORE_MIN)?;
    let part = |percent: f64| say::percent((percent / 100.0).clamp(0.0, 1.0));
    let among = cpu
        .processors
        .map_or_else(String::new, |all| format!(" of {all}"));
    Some(
        finding(
            RULE.id,
            Severity::Warning,
            format!(
                "processor {}{among} was at 100% CPU (user {}, kernel {}), so one core was the limit",
                core.cpu,
                part(core.user_percent),
                part(core.kernel_percent)
            ),
            &[
                ("cpu", f64::from(core.cpu)),
                ("user_percent", core.user_percent),
                ("kernel_percent", core.kernel_percent),
            ],
            ADVICE,
        )
        .sure(Confidence::Medium),
    )
}

/// dd waits for each I/O: what its time has no processor in is the device's.
fn of_copy(seen: &Seen<'_>, cpu: &ImportedCpu) -> Option<Finding> {
    const BUSY_MIN: f64 = 0.80;
    const TIME_MIN_NS: f64 = 1e9;
    /// Memory is copied faster: above it the page cache is the cause.
    const BYTES_PER_S_MAX: f64 = 200e6;
    let (user, kernel) = (cpu.user_percent?, cpu.kernel_percent?);
    let busy = (user + kernel) / 100.0;
    let slow = seen.observed.total.bytes_per_s? < BYTES_PER_S_MAX;
    let long = seen.observed.measured_ns >= Some(TIME_MIN_NS);
    ((BUSY_MIN..=1.05).contains(&busy) && slow && long).then(|| {
        let sentence = format!(
            "the copy was CPU-bound: it used {} of a core (user {}, kernel {})",
            say::percent(busy.min(1.0)),
            say::percent(user / 100.0),
            say::percent(kernel / 100.0)
        );
        let evidence = [("user_percent", user), ("kernel_percent", kernel)];
        let advice = "check for encryption, polling or an emulated device, and use larger blocks";
        finding(RULE.id, Severity::Warning, sentence, &evidence, advice).sure(Confidence::Medium)
    })
}

/// fio prints the processor time of its own jobs: of each, one processor is the most.
fn of_jobs(cpu: &ImportedCpu) -> Option<Finding> {
    let (user, kernel) = (cpu.user_percent?, cpu.kernel_percent?);
    let busy = (user + kernel) / 100.0;
    (CORE_MIN..=1.05).contains(&busy).then(|| {
        let reported = finding(
            RULE.id,
            Severity::Warning,
            format!(
                "the generator was CPU-bound: each job used {} of a core (user {}, kernel {}); the target may be faster",
                say::percent(busy.min(1.0)),
                say::percent(user / 100.0),
                say::percent(kernel / 100.0)
            ),
            &[("user_percent", user), ("kernel_percent", kernel)],
            "repeat with more jobs (numjobs=4): if IOPS rise, one core was the limit",
        );
        reported.sure(Confidence::High)
    })
}

/// Returns the part of one core that several jobs used together, where it is one core and submitting took all their time:
/// they waited for it.
pub(super) fn shared_core(seen: &Seen<'_>, cpu: &ImportedCpu) -> Option<(u32, f64)> {
    const ONE: std::ops::RangeInclusive<f64> = 0.95..=1.03;
    const SUBMITTING_MIN: f64 = 0.8;
    let run = seen.imported?;
    let jobs = run.workload.threads.filter(|jobs| *jobs > 1)?;
    let busy = f64::from(jobs) * (cpu.user_percent? + cpu.kernel_percent?) / 100.0;
    let submission_s = run.evidence.total.submission_mean?.as_seconds();
    let submitting = submission_s * seen.observed.total.iops? / f64::from(jobs);
    let direct = run.workload.cache == Some(model::CacheMode::Unbuffered);
    (direct && ONE.contains(&busy) && submitting >= SUBMITTING_MIN).then_some((jobs, busy))
}

fn of_one_core(seen: &Seen<'_>, cpu: &ImportedCpu) -> Option<Finding> {
    let (jobs, busy) = shared_core(seen, cpu)?;
    let sentence = format!(
        "the generator was CPU-bound: all {jobs} jobs together used {} of one core, and waited for it in their submissions",
        say::percent(busy.min(1.0))
    );
    let advice = "check which processors the jobs may use (cpus_allowed, taskset, the control group), and repeat with all";
    let evidence = [("usage_percent", busy * 100.0)];
    let reported = finding(RULE.id, Severity::Warning, sentence, &evidence, advice);
    Some(reported.sure(Confidence::Medium))
}

fn all_of_others(cpu: &ImportedCpu) -> Option<Finding> {
    let usage = cpu.usage_percent?;
    (100.0 * ALL_MIN..=101.0).contains(&usage).then(|| {
        finding(
            RULE.id,
            Severity::Warning,
            format!(
                "all processors were at 100% CPU ({}), so the machine was the limit",
                say::percent((usage / 100.0).min(1.0))
            ),
            &[("usage_percent", usage)],
            ADVICE,
        )
    })
}

fn of_own(own: &Own<'_>) -> Option<Finding> {
    let plan = &own.record.plan;
    let spins = plan.polling != model::Polling::default() || plan.arrivals.is_some();
    let cpu = own.cpu;
    if spins || own.record.engine.backend == "null" || cpu.elapsed_ns < ELAPSED_MIN_NS {
        return None;
    }
    let cores = cpu.cores.len();
    let busy = |core: &crate::CoreShare| core.user_share + core.kernel_share;
    // Of what the hypervisor left; of a core that it took whole nothing is known.
    let part = |core: &crate::CoreShare| busy(core) / (1.0 - core.steal_share).max(0.01);
    let core = cpu
        .cores
        .iter()
        .max_by(|a, b| part(a).total_cmp(&part(b)))?;
    let mean = (cpu.user_cores + cpu.kernel_cores) / cores as f64;
    let reported = |what: String, (user, kernel, taken): (f64, f64, f64)| {
        let shares = format!(
            "(user {}, kernel {}{})",
            say::percent(user),
            say::percent(kernel),
            cpu.taken(taken)
        );
        finding(
            RULE.id,
            Severity::Warning,
            what.replace("()", &shares),
            &[
                ("user_share", user),
                ("kernel_share", kernel),
                ("cores", cores as f64),
            ],
            ADVICE,
        )
    };
    let waited = waited(own);
    let is_work = |user: f64, kernel: f64| kernel >= KERNEL_PART_MIN * (user + kernel);
    if mean >= ALL_MIN * (1.0 - cpu.steal_mean()) {
        let each = 1.0 / cores as f64;
        let what = format!(
            "all {} were at 100% CPU ()",
            say::counted(cores as u64, "core")
        );
        let (user, kernel) = (cpu.user_cores * each, cpu.kernel_cores * each);
        let all = reported(what, (user, kernel, cpu.steal_mean()));
        let work = made_up(own).filter(|_| is_work(user, kernel));
        let why = work.map(in_memory);
        let used = user + kernel;
        let others = cpu.own_cores.map(|own| 1.0 - own / (used * cores as f64));
        // The kernel's time may be its work for these I/Os.
        let others = others.filter(|others| *others >= OTHERS_MIN && user >= kernel);
        if let Some(others) = others {
            return Some(of_programs(own, all, others, waited));
        }
        return Some(weighed(all, "so the machine was the limit", waited, why));
    }
    if part(core) >= CORE_MIN {
        let what = format!("core {} of {cores} was at 100% CPU ()", core.cpu);
        let shares = (core.user_share, core.kernel_share, core.steal_share);
        let mut one = reported(what, shares).sure(Confidence::Medium);
        let work = made_up(own).filter(|_| is_work(core.user_share, core.kernel_share));
        let why = match interrupts(own, core.cpu) {
            Some(share) if share >= INTERRUPT_PART_MIN * busy(core) => {
                Some(of_interrupts(&mut one, share))
            }
            _ => work.map(in_memory),
        };
        return Some(weighed(one, "so one core was the limit", waited, why));
    }
    starved(waited)
}

/// Reports the programs that used the cores, and fathom's own part: then fathom cannot spread its load. All other findings on speed
/// follow from it.
fn of_programs(own: &Own<'_>, mut all: Finding, others: f64, waited: Waited) -> Finding {
    let others = others.clamp(0.0, 1.0);
    let used = own.cpu.user_cores + own.cpu.kernel_cores;
    let by_name = by_name(own, used);
    let named: Vec<String> = by_name
        .iter()
        .map(|(name, many, share)| match many {
            1 => format!("{name} {}", say::percent(*share)),
            _ => format!("{many} × {name} {}", say::percent(*share)),
        })
        .collect();
    let who = match named.is_empty() {
        true => say::percent(others),
        false => named.join(", "),
    };
    all.sentence = format!(
        "all {} were busy with other programs: {who} of the time used, fathom {}",
        say::counted(own.cpu.cores.len() as u64, "core"),
        say::percent(1.0 - others)
    );
    let mut more = vec![("others_share", others)];
    let first = by_name.first().map(|(_, _, share)| *share);
    more.extend(first.map(|share| ("named_share", share)));
    if let Waited::Some(share) = waited {
        more.push(("delayed_share", share));
    }
    all.evidence
        .extend(more.into_iter().map(|(name, value)| super::Evidence {
            name: name.to_owned(),
            value,
        }));
    ADVICE_OTHERS.clone_into(&mut all.advice);
    match waited {
        Waited::Some(share) if share < WAITED_MIN => only_a_hint(all, share),
        _ => all.sure(Confidence::High),
    }
}

/// The programs that used a tenth or more of the time of these cores, processes of one name together: how many they are, and
/// their part; at most three.
fn by_name<'a>(own: &'a Own<'_>, cores: f64) -> Vec<(&'a str, usize, f64)> {
    const PART_MIN: f64 = 0.1;
    const NAMED_MAX: usize = 3;
    let window = &own.record.lifetime;
    let elapsed = window.after.ended.minus(window.before.begun).0 as f64;
    let mut named: Vec<(&str, usize, f64)> = Vec::new();
    for program in &own.record.engine.disturbances.programs {
        let part = program.cpu.0 as f64 / (elapsed * cores).max(1.0);
        match named.iter_mut().find(|(name, ..)| *name == program.name) {
            Some((_, many, sum)) => (*many, *sum) = (*many + 1, *sum + part),
            None => named.push((&program.name, 1, part)),
        }
    }
    named.retain(|(.., part)| *part >= PART_MIN);
    named.sort_by(|one, other| other.2.total_cmp(&one.2));
    named.truncate(NAMED_MAX);
    for (.., part) in &mut named {
        *part = part.min(1.0);
    }
    named
}

/// Returns whether a finding is of cores that other programs used.
pub(super) fn is_of_programs(finding: &Finding) -> bool {
    let is_share = |one: &super::Evidence| one.name == "others_share";
    finding.id == RULE.id && finding.evidence.iter().any(is_share)
}

/// Threads that waited for a processor, though none was seen to be full.
fn starved(waited: Waited) -> Option<Finding> {
    let Waited::Some(share) = waited else {
        return None;
    };
    (share >= WAITED_ALONE_MIN).then(|| {
        finding(
            RULE.id,
            Severity::Warning,
            format!(
                "fathom's threads waited for a processor {} of the time, so the machine was the limit",
                say::percent(share)
            ),
            &[("delayed_share", share)],
            "stop other load on this machine, or reserve cores for fathom (--cores)",
        )
    })
}

/// What fathom's threads report of processors.
#[derive(Clone, Copy)]
enum Waited {
    /// The system does not report it.
    Unknown,
    /// The thread that waited the most was ready without a processor for this share of its time.
    Some(f64),
    /// One of them was on a processor nearly all the time itself.
    Busy,
}

fn waited(own: &Own<'_>) -> Waited {
    let shares = own.workers.iter().map(|worker| worker.cpu.delayed_share);
    let longest = shares.fold(None, |longest: Option<f64>, share| {
        Some(longest.unwrap_or(0.0).max(share?))
    });
    let mut busy = own
        .workers
        .iter()
        .filter_map(|worker| worker.cpu.busy_share());
    match longest {
        Some(share) if share >= WAITED_MIN => Waited::Some(share),
        _ if busy.any(|share| share >= WORKER_BUSY_MIN) => Waited::Busy,
        Some(share) => Waited::Some(share),
        None => Waited::Unknown,
    }
}

/// The device whose I/Os processors carry out, where all that lies below a target is one.
fn made_up<'a>(own: &'a Own<'_>) -> Option<&'a str> {
    let mut lowest = own.record.targets.iter().map(|target| target.chain.last());
    let first = lowest.next()??;
    let is_one = |device: &model::BlockDevice| MADE_UP.contains(&device.kind.as_str());
    let all = is_one(first) && lowest.all(|device| device.is_some_and(is_one));
    all.then_some(&first.name)
}

fn in_memory(device: &str) -> String {
    format!("{device} is in memory and needs only processor time")
}

/// The share of the measured time that a core spent in interrupts; none where the system does not report it.
fn interrupts(own: &Own<'_>, cpu: u32) -> Option<f64> {
    let window = &own.record.window;
    let times = window.cpus().into_iter().find(|core| core.cpu == cpu)?;
    let spent = times.irq?.plus(times.softirq?).0 as f64;
    crate::rows::share(spent, times.total().0 as f64)
}

/// Adds the evidence; returns why the core was the limit.
fn of_interrupts(reported: &mut Finding, share: f64) -> String {
    reported.evidence.push(super::Evidence {
        name: "interrupt_share".to_owned(),
        value: share,
    });
    let advice = "spread the interrupts of the device over more cores (irqbalance, smp_affinity), and repeat: if \
                  IOPS rise, that core was the limit";
    advice.clone_into(&mut reported.advice);
    format!("interrupts took {} of its time", say::percent(share))
}

/// Full cores mean much where fathom's threads waited for them, or the I/Os need just such work (`why`), and little where
/// neither is so.
fn weighed(mut reported: Finding, so: &str, waited: Waited, why: Option<String>) -> Finding {
    let Waited::Some(share) = waited else {
        reported.sentence = format!("{}, {so}", reported.sentence);
        return reported;
    };
    reported.evidence.push(super::Evidence {
        name: "delayed_share".to_owned(),
        value: share,
    });
    let part = say::percent(share);
    if share >= WAITED_MIN {
        reported.sentence = format!(
            "{}, {so}: fathom's threads waited for a processor {part} of the time",
            reported.sentence
        );
        return reported.sure(Confidence::High);
    }
    if let Some(why) = why {
        reported.sentence = format!("{}, {so}: {why}", reported.sentence);
        return reported.sure(Confidence::Medium);
    }
    only_a_hint(reported, share)
}

fn only_a_hint(mut reported: Finding, share: f64) -> Finding {
    reported.sentence = format!(
        "{}, but fathom's threads waited for a processor only {} of the time",
        reported.sentence,
        say::percent(share)
    );
    reported.severity = Severity::Note;
    reported.sure(Confidence::Low)
}

#[cfg(test)]
mod tests {
    use crate::findings::found;
    use crate::findings::test::{imported, reported};
    use crate::sample::Sample;
    use model::{CpuTimes, ImportedCore, ImportedCpu, Nanos, RunRecord};

    fn record(user: u64, kernel: u64) -> RunRecord {
        let mut record = Sample::default().build();
        record.window.after.cpus[1] = CpuTimes {
            cpu: 1,
            user: Nanos::millis(user),
            kernel: Nanos::millis(kernel),
            idle: Nanos::millis(10_000 - user - kernel),
            ..CpuTimes::default()
        };
        record
    }

    #[test]
    fn a_copy_below_the_rate_of_memory_with_all_of_a_core_is_bound_by_it() {
        let of = |kernel_percent, bytes_per_s| {
            let mut run = imported();
            run.format = model::ImportFormat::DdText;
            run.figures.total.bytes_per_s = Some(bytes_per_s);
            run.cpu = Some(ImportedCpu {
                user_percent: Some(0.7),
                kernel_percent: Some(kernel_percent),
                ..ImportedCpu::default()
            });
            reported(&run, "cpu-bound").is_some()
        };
        assert!(of(88.7, 19e6));
        assert!(!of(40.0, 19e6), "it waited");
        assert!(!of(95.0, 1.4e9), "a copy in memory");
    }

    #[test]
    fn a_core_or_a_machine_without_time_is_reported() {
        assert_eq!(found(&record(1000, 8000), "cpu-bound"), None);
        assert_eq!(
            found(&record(1000, 8900), "cpu-bound").unwrap().sentence,
            "core 1 of 2 was at 100% CPU (user 10%, kernel 89%), so one core was the limit"
        );
        let mut both = record(1000, 8900);
        both.window.after.cpus[0] = CpuTimes {
            cpu: 0,
            ..both.window.after.cpus[1]
        };
        assert_eq!(
            found(&both, "cpu-bound").unwrap().sentence,
            "all 2 cores were at 100% CPU (user 10%, kernel 89%), so the machine was the limit"
        );
        let mut others = both.clone();
        let own = |ms| {
            Some(model::ProcessCpu {
                user: Nanos::millis(ms),
                ..model::ProcessCpu::default()
            })
        };
        for core in &mut others.window.after.cpus {
            (core.user, core.kernel) = (core.kernel, core.user);
        }
        (others.window.before.process, others.window.after.process) = (own(0), own(500));
        let reported_of = found(&others, "cpu-bound").unwrap();
        assert!(
            reported_of
                .sentence
                .contains("other programs: 97.5% of the time used, fathom 2.53%"),
            "{}",
            reported_of.sentence
        );
        assert!(
            !reported_of.advice.contains("spread"),
            "{}",
            reported_of.advice
        );
        let program = |process, name: &str, ms| model::record::OtherProgram {
            process,
            name: name.to_owned(),
            cpu: Nanos::millis(ms),
            ..model::record::OtherProgram::default()
        };
        others.engine.disturbances.programs = vec![
            program(4, "stress", 9000),
            program(5, "stress", 8900),
            program(6, "sshd", 500),
        ];
        let reported_of = found(&others, "cpu-bound").unwrap();
        assert!(
            reported_of
                .sentence
                .contains(": 2 × stress 90.4% of the time used, fathom 2.53%"),
            "{}",
            reported_of.sentence
        );
        others.window.after.process = own(15_000);
        let reported_of = found(&others, "cpu-bound").unwrap();
        assert!(
            reported_of.advice.contains("spread"),
            "{}",
            reported_of.sentence
        );
        both.plan.polling.completions = true;
        assert_eq!(found(&both, "cpu-bound"), None, "it spins");
        let mut null = record(1000, 8900);
        null.engine.backend = "null".to_owned();
        assert_eq!(found(&null, "cpu-bound"), None);
    }

    #[test]
    fn full_cores_mean_what_fathoms_threads_waited_for_them() {
        let waiting = |percent: u64, kernel: u64| {
            let mut record = record(1000, kernel);
            record.engine.workers = vec![model::WorkerRecord {
                account: Some(model::Account {
                    elapsed: Nanos::seconds(10),
                    delayed: Some(Nanos::millis(100 * percent)),
                    ..model::Account::default()
                }),
                ..model::WorkerRecord::default()
            }];
            found(&record, "cpu-bound")
        };
        let reported = waiting(48, 8900).unwrap();
        assert_eq!(reported.severity, crate::Severity::Warning);
        assert_eq!(
            reported.sentence,
            "core 1 of 2 was at 100% CPU (user 10%, kernel 89%), so one core was the limit: fathom's threads waited \
             for a processor 48% of the time"
        );
        let reported = waiting(1, 8900).unwrap();
        assert_eq!(reported.severity, crate::Severity::Note);
        assert!(reported.sentence.ends_with("only 1% of the time"));
        assert!(waiting(30, 1000).is_some());
        assert_eq!(waiting(10, 1000), None);
    }

    #[test]
    fn full_cores_are_the_limit_of_a_device_that_they_make_up() {
        let of = |kind: &str, user, kernel| {
            let mut record = record(user, kernel);
            record.engine.workers = vec![model::WorkerRecord {
                account: Some(model::Account {
                    elapsed: Nanos::seconds(10),
                    delayed: Some(Nanos::millis(100)),
                    ..model::Account::default()
                }),
                ..model::WorkerRecord::default()
            }];
            kind.clone_into(&mut record.targets[0].chain.last_mut().unwrap().kind);
            let reported = found(&record, "cpu-bound").unwrap();
            (reported.severity, reported.sentence)
        };
        let (severity, sentence) = of("zram", 100, 9800);
        assert_eq!(severity, crate::Severity::Warning);
        assert!(
            sentence.contains("so one core was the limit")
                && sentence.ends_with("only processor time"),
            "{sentence}"
        );
        assert_eq!(of("disk", 100, 9800).0, crate::Severity::Note);
        let programs = of("zram", 5000, 4900).0;
        assert_eq!(programs, crate::Severity::Note, "of other programs");
    }

    #[test]
    fn a_core_full_of_interrupts_is_the_limit_though_no_thread_waited() {
        let of = |interrupts: u64| {
            let mut record = record(100, 9800);
            record.window.before.cpus[1].irq = Some(Nanos(0));
            record.window.before.cpus[1].softirq = Some(Nanos(0));
            record.window.after.cpus[1].irq = Some(Nanos::millis(200));
            record.window.after.cpus[1].softirq = Some(Nanos::millis(interrupts));
            record.engine.workers = vec![model::WorkerRecord {
                account: Some(model::Account {
                    elapsed: Nanos::seconds(10),
                    delayed: Some(Nanos::millis(10)),
                    ..model::Account::default()
                }),
                ..model::WorkerRecord::default()
            }];
            found(&record, "cpu-bound").unwrap()
        };
        let reported = of(8800);
        assert_eq!(reported.severity, crate::Severity::Warning);
        assert_eq!(
            reported.sentence,
            "core 1 of 2 was at 100% CPU (user 1%, kernel 98%), so one core was the limit: interrupts took 90% of its time"
        );
        assert!(reported.advice.contains("smp_affinity"));
        assert_eq!(of(1000).severity, crate::Severity::Note);
    }

    #[test]
    fn a_full_core_in_another_tools_table_is_reported() {
        let mut run = imported();
        run.cpu = Some(ImportedCpu {
            processors: Some(32),
            usage_percent: Some(3.66),
            idle_percent: Some(96.33),
            busiest: Some(ImportedCore {
                cpu: 0,
                usage_percent: 100.0,
                user_percent: 3.71,
                kernel_percent: 96.3,
            }),
            ..ImportedCpu::default()
        });
        assert_eq!(
            reported(&run, "cpu-bound").unwrap().sentence,
            "processor 0 of 32 was at 100% CPU (user 3.71%, kernel 96.3%), so one core was the limit"
        );
        run.cpu = Some(ImportedCpu {
            usage_percent: Some(99.5),
            ..ImportedCpu::default()
        });
        assert!(
            reported(&run, "cpu-bound")
                .unwrap()
                .sentence
                .starts_with("all processors")
        );
        run.cpu = None;
        assert_eq!(reported(&run, "cpu-bound"), None);
    }

    #[test]
    fn a_job_of_fio_s_that_fills_its_core_is_reported() {
        let mut run = imported();
        run.format = model::ImportFormat::FioJson;
        let cpu = |user, kernel| {
            Some(ImportedCpu {
                user_percent: Some(user),
                kernel_percent: Some(kernel),
                ..ImportedCpu::default()
            })
        };
        run.cpu = cpu(21.0, 78.5);
        let reported_of = reported(&run, "cpu-bound").unwrap().sentence;
        assert!(
            reported_of.contains("each job used 99.5% of a core"),
            "{reported_of}"
        );
        run.cpu = cpu(21.0, 70.0);
        assert_eq!(reported(&run, "cpu-bound"), None);
    }
}
