//! Readings of the kernel's counters, converted into moments.
//!
//! Cost: a system call a device, two for all cores and paging, three a process. Machines with very many processes have them
//! looked at less often, so that watching stays cheap. Deliberately absent: waiting for the next refresh.

use crate::Clock;
use crate::moment::{DeviceMoment, Machine, Moment, ProcessMoment};
use host::{
    Activity, BlockTrace, CounterReader, ProcessIo, Root, Timed, activity, parent_of, process_ios,
};
use model::{BlockDevice, Bytes, Counters, CpuTimes, Nanos, WatchLatency, WatchMoment};
use std::collections::HashMap;

/// So many processes are looked at a refresh.
const PROCESSES_EACH: usize = 400;
/// So many of them are reported.
const PROCESSES_TOLD: usize = 20;

/// What is to be watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Time single I/Os where the kernel allows it.
    pub trace: bool,
    /// Read processes.
    pub processes: bool,
}

/// Watches.
pub struct Sampler {
    root: Root,
    devices: Vec<BlockDevice>,
    counters: CounterReader,
    trace: Option<BlockTrace>,
    untraced: Option<String>,
    before: Counters,
    activity: Activity,
    processes: Option<Processes>,
}

impl Sampler {
    /// Takes the first reading.
    pub fn start(root: Root, devices: Vec<BlockDevice>, asked: Asked, clock: &Clock) -> Self {
        let names: Vec<String> = devices.iter().map(|device| device.name.clone()).collect();
        let (trace, untraced) = start_trace(&root, &devices, asked.trace);
        let mut counters = CounterReader::open(&root, &names);
        let before = counters.read(&mut || clock());
        Sampler {
            devices,
            trace,
            untraced,
            activity: activity(&root),
            processes: asked
                .processes
                .then(|| Processes::start(&root, before.begun)),
            counters,
            before,
            root,
        }
    }

    /// Why single I/Os are not timed; `None` where they are.
    pub fn untraced(&self) -> Option<&str> {
        self.untraced.as_deref()
    }

    /// The devices that are watched.
    pub fn devices(&self) -> &[BlockDevice] {
        &self.devices
    }

    /// What happened since the last call.
    pub fn next(&mut self, clock: &Clock) -> Moment {
        let now = self.counters.read(&mut || clock());
        let length = now.begun.minus(self.before.begun);
        let mut devices = self.between(&now, length);
        let one_in = self.time_each(&mut devices);
        let machine = self.machine(&now, length);
        let (processes, refused) = match &mut self.processes {
            Some(processes) => processes.next(&self.root, now.begun),
            None => (Vec::new(), 0),
        };
        self.before = now;
        Moment {
            at: self.before.begun,
            length,
            devices,
            machine,
            processes,
            refused,
            one_in,
        }
    }

    /// A device that has gone is omitted; one that has come back began again.
    fn between(&self, now: &Counters, length: Nanos) -> Vec<DeviceMoment> {
        let each = now.devices.iter().filter_map(|after| {
            let before = self
                .before
                .devices
                .iter()
                .find(|one| one.name == after.name)?;
            Some(DeviceMoment {
                name: after.name.clone(),
                figures: WatchMoment::between(before, after, now.begun, length),
                totals: after.clone(),
            })
        });
        each.collect()
    }

    fn time_each(&mut self, devices: &mut [DeviceMoment]) -> Option<u64> {
        let rate = devices
            .iter()
            .map(|device| device.figures.ios_per_s())
            .sum();
        let Timed {
            devices: mut timed,
            lost,
            one_in,
        } = self.trace.as_mut()?.read(rate);
        for device in devices.iter_mut().filter(|_| !lost) {
            let facts = self.devices.iter().find(|facts| facts.name == device.name);
            let times = facts.and_then(|facts| timed.get_mut(&facts.number));
            device.figures.latency = times.and_then(|times| WatchLatency::of(times));
        }
        Some(one_in)
    }

    fn machine(&mut self, now: &Counters, length: Nanos) -> Machine {
        let activity = activity(&self.root);
        let seconds = length.as_seconds().max(1e-9);
        let rate = |before: Option<Bytes>, after: Option<Bytes>| {
            Some(after?.0.saturating_sub(before?.0) as f64 / seconds)
        };
        let shares = shares(&self.before.cpus, &now.cpus);
        let machine = Machine {
            runnable: activity.runnable,
            blocked: activity.blocked,
            in_per_s: rate(self.activity.paged_in, activity.paged_in),
            out_per_s: rate(self.activity.paged_out, activity.paged_out),
            user: shares[0],
            kernel: shares[1],
            idle: shares[2],
            steal: shares[3],
        };
        self.activity = activity;
        machine
    }
}

/// Only of whole disks that have requests: the kernel names the disk, not the partition.
fn start_trace(
    root: &Root,
    devices: &[BlockDevice],
    wanted: bool,
) -> (Option<BlockTrace>, Option<String>) {
    if !wanted {
        return (None, Some("not asked for".to_owned()));
    }
    let numbers = devices.iter().filter(|device| device.kind != "partition");
    let numbers: Vec<(u32, u32)> = numbers.map(|device| device.number).collect();
    if numbers.is_empty() {
        let why = "requests are traced for whole disks, and these are partitions";
        return (None, Some(why.to_owned()));
    }
    match BlockTrace::start(root, &numbers) {
        Ok(trace) => (Some(trace), None),
        Err(why) => (None, Some(why)),
    }
}

/// In programs, in the kernel, idle, taken: shares of all cores together.
fn shares(before: &[CpuTimes], after: &[CpuTimes]) -> [f64; 4] {
    let sum = |cores: &[CpuTimes], of: fn(&CpuTimes) -> Nanos| {
        cores.iter().map(|core| of(core).0).sum::<u64>()
    };
    let parts: [fn(&CpuTimes) -> Nanos; 4] = [
        |core| core.user,
        |core| core.kernel,
        |core| core.idle,
        |core| core.steal,
    ];
    let spent = parts.map(|of| sum(after, of).saturating_sub(sum(before, of)) as f64);
    let all = spent.iter().sum::<f64>().max(1.0);
    spent.map(|part| part / all)
}

/// Processes above one another that are looked at for the counts of an ended one.
const GENERATIONS_MAX: usize = 64;

/// Bytes read and written.
type Moved = (u64, u64);

/// The same of ended children, by the process that has them in its counts.
type Reaped = HashMap<u32, Moved>;

/// What processes had moved at the last look.
struct Processes {
    at: Nanos,
    before: HashMap<u32, ProcessIo>,
    refused: usize,
    reported: Vec<ProcessMoment>,
    /// Refreshes until the next look.
    wait: usize,
}

impl Processes {
    fn start(root: &Root, at: Nanos) -> Self {
        let (found, refused) = process_ios(root);
        Processes {
            at,
            before: by_number(found),
            refused,
            reported: Vec::new(),
            wait: 0,
        }
    }

    fn next(&mut self, root: &Root, at: Nanos) -> (Vec<ProcessMoment>, usize) {
        if self.wait > 0 {
            self.wait -= 1;
            return (self.reported.clone(), self.refused);
        }
        let (found, refused) = process_ios(root);
        let seconds = at.minus(self.at).as_seconds().max(1e-9);
        let reaped = self.reaped(&found, &|process| parent_of(root, process));
        let mut reported: Vec<ProcessMoment> = found
            .iter()
            .filter_map(|now| self.moved(now, &reaped, seconds))
            .collect();
        let busy = |one: &ProcessMoment| one.read_per_s + one.write_per_s;
        reported.sort_by(|a, b| busy(b).total_cmp(&busy(a)).then(a.process.cmp(&b.process)));
        reported.truncate(PROCESSES_TOLD);
        self.wait = (found.len() + refused) / PROCESSES_EACH;
        self.before = by_number(found);
        (self.at, self.refused, self.reported) = (at, refused, reported);
        (self.reported.clone(), self.refused)
    }

    /// One that was not there at the last look began since then. A number that was given again has smaller counts.
    fn grown(&self, now: &ProcessIo) -> Moved {
        let before = self.before.get(&now.process);
        let of = |bytes: fn(&ProcessIo) -> Bytes| {
            let before = before.map_or(0, |before| bytes(before).0);
            bytes(now).0.saturating_sub(before)
        };
        (of(|one| one.read_bytes), of(|one| one.write_bytes))
    }

    /// What children that ended since the last look had moved until then, by the process that has it in its own counts now. That is
    /// the next process above the child that lives and whose counts grew by as much: one between them may have ended, too,
    /// and one that does not wait for its children has none of theirs. `parent` is asked for those without I/O.
    fn reaped(&self, found: &[ProcessIo], parent: &dyn Fn(u32) -> Option<u32>) -> Reaped {
        let now: HashMap<u32, &ProcessIo> = found.iter().map(|one| (one.process, one)).collect();
        let gone = self.before.values();
        let gone = gone.filter(|before| !now.contains_key(&before.process));
        let mut reaped = Reaped::new();
        for child in gone {
            let mut above = Some(child.parent);
            for _ in 0..GENERATIONS_MAX {
                let Some(process) = above.filter(|process| *process > 0) else {
                    break;
                };
                if let Some(one) = now.get(&process) {
                    let (read, written) = self.grown(one);
                    let sum = reaped.get(&process).copied().unwrap_or_default();
                    let sum = (
                        sum.0.saturating_add(child.read_bytes.0),
                        sum.1.saturating_add(child.write_bytes.0),
                    );
                    if sum.0 <= read && sum.1 <= written {
                        reaped.insert(process, sum);
                        break;
                    }
                }
                let known = now.get(&process).copied();
                let known = known.or_else(|| self.before.get(&process));
                above = known.map_or_else(|| parent(process), |one| Some(one.parent));
            }
        }
        reaped
    }

    /// What it moved since the last look, without what its ended children had moved before.
    fn moved(&self, now: &ProcessIo, reaped: &Reaped, seconds: f64) -> Option<ProcessMoment> {
        let (read, written) = self.grown(now);
        let its = reaped.get(&now.process).copied().unwrap_or_default();
        let (read, written) = (read - its.0, written - its.1);
        (read + written > 0).then(|| ProcessMoment {
            process: now.process,
            name: now.name.clone(),
            read_per_s: read as f64 / seconds,
            write_per_s: written as f64 / seconds,
        })
    }
}

fn by_number(found: Vec<ProcessIo>) -> HashMap<u32, ProcessIo> {
    found.into_iter().map(|one| (one.process, one)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_all_cores_are_one_together() {
        let core = |user: u64, idle: u64| CpuTimes {
            user: Nanos(user),
            idle: Nanos(idle),
            ..CpuTimes::default()
        };
        let found = shares(&[core(0, 0), core(5, 5)], &[core(10, 10), core(15, 15)]);
        assert_eq!(found, [0.5, 0.0, 0.5, 0.0]);
        assert_eq!(shares(&[], &[]), [0.0; 4]);
    }

    fn process(process: u32, parent: u32, read: u64) -> ProcessIo {
        ProcessIo {
            process,
            parent,
            name: "cp".to_owned(),
            read_bytes: Bytes(read),
            write_bytes: Bytes(0),
        }
    }

    fn processes(before: Vec<ProcessIo>) -> Processes {
        Processes {
            at: Nanos(0),
            before: by_number(before),
            refused: 0,
            reported: Vec::new(),
            wait: 0,
        }
    }

    /// What each of those found read in a second.
    fn read(before: &[ProcessIo], found: &[ProcessIo], parents: &[(u32, u32)]) -> Vec<(u32, u64)> {
        let processes = processes(before.to_vec());
        let parent = |process: u32| {
            let known = parents.iter().find(|(child, _)| *child == process);
            known.map(|(_, parent)| *parent)
        };
        let reaped = processes.reaped(found, &parent);
        let moved = found
            .iter()
            .filter_map(|now| processes.moved(now, &reaped, 1.0));
        let mut all: Vec<_> = moved
            .map(|one| (one.process, one.read_per_s as u64))
            .collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn a_process_that_is_new_moved_all_it_ever_moved() {
        assert_eq!(read(&[], &[process(7, 1, 100)], &[]), [(7, 100)]);
        let before = [process(7, 1, 100)];
        assert_eq!(read(&before, &[process(7, 1, 100)], &[]), []);
        assert_eq!(read(&before, &[process(7, 1, 50)], &[]), []);
    }

    /// A shell (5) below init (1) and a program (7) that had read 1000 when it was last seen.
    #[test]
    fn what_an_ended_child_had_moved_before_is_no_rate_of_its_parent() {
        let child = process(7, 5, 1000);
        let before = [process(1, 0, 50), process(5, 1, 10), child.clone()];
        let of = |found: &[ProcessIo]| read(&before, found, &[]);
        let init = process(1, 0, 50);
        // The last 30 of the child, and 20 of the shell.
        assert_eq!(of(&[init.clone(), process(5, 1, 1060)]), [(5, 50)]);
        assert_eq!(of(&[init.clone(), process(5, 1, 1010)]), []);
        // Not reaped by the shell but by init, or by none.
        assert_eq!(
            of(&[process(1, 0, 1055), process(5, 1, 14)]),
            [(1, 5), (5, 4)]
        );
        assert_eq!(of(&[init.clone(), process(5, 1, 14)]), [(5, 4)]);
        // The shell ended, too, and init has the counts of both.
        assert_eq!(of(&[process(1, 0, 1070)]), [(1, 10)]);
        // A shell without I/O of its own was not in the list.
        let before = [init.clone(), child.clone()];
        assert_eq!(
            read(&before, &[init.clone(), process(5, 1, 1003)], &[]),
            [(5, 3)]
        );
        // One without I/O stands between.
        let before = [init, process(5, 1, 10), process(7, 6, 1000)];
        let found = [process(5, 1, 1012)];
        assert_eq!(read(&before, &found, &[(6, 5)]), [(5, 2)]);
        // Two children.
        let before = [process(5, 1, 0), child, process(8, 5, 500)];
        assert_eq!(read(&before, &[process(5, 1, 1501)], &[]), [(5, 1)]);
    }
}
