//! Small records of runs of fathom, built from figures: `own iops=5000 depth=32 issuing=97`.
//!
//! What is not specified is that of the sample: a file on vda, whose counters agree. Deliberately absent: runs of the engine.

use crate::documents::Figures;
use analysis::sample::Sample;
use model::{
    Access, Account, Bytes, CacheMode, CpuTimes, DeviceCounters, Nanos, Ratio, RunRecord,
    ThreadCpu, WorkerRecord,
};

/// The record that the figures of a line represent.
pub(crate) fn record(line: &str) -> RunRecord {
    let f = Figures::read(line);
    let secs = f.number("secs", 10.0);
    let ios = (f.number("iops", 2000.0) * secs) as u64;
    let writes = f.number("w", 0.0) > 0.0;
    let lat_us = f.number(
        "lat",
        f.number("depth", 1.0) / f.number("iops", 2000.0) * 1e6,
    );
    let sample = Sample {
        block: Bytes(f.number("b", 4096.0) as u64),
        depth: f.number("depth", 1.0) as u32,
        write: if writes { Ratio::ALL } else { Ratio::NONE },
        access: match f.word("access", "random") {
            "sequential" => Access::Sequential,
            _ => Access::Random,
        },
        cache: match f.word("cache", "direct") {
            "buffered" => CacheMode::Cached,
            _ => CacheMode::Unbuffered,
        },
        planned: Nanos::seconds(secs as u64),
        measured: Nanos::seconds(secs as u64),
        reads: if writes { 0 } else { ios },
        writes: if writes { ios } else { 0 },
        latency: Some(Nanos((lat_us * 1000.0) as u64)),
        ..Sample::default()
    };
    let mut record = sample.build();
    record.plan.targets[0].write_through = f.number("through", 0.0) > 0.0;
    record.host.virtualization = None;
    record.engine.backend = f.word("engine", "io_uring").to_owned();
    record.engine.workers = vec![worker(&f, secs)];
    for device in &mut record.targets[0].chain {
        device.rotational = match f.word("rotating", "0") {
            "?" => None,
            flag => Some(flag == "1"),
        };
    }
    let disk = &mut record.targets[0].chain[1];
    disk.model = Some(f.word("model", "Example").replace('_', " "));
    disk.transport = Some(f.word("bus", "ata").replace('_', " "));
    disk.link = (!f.word("link", "").is_empty()).then(|| f.word("link", "").replace('_', " "));
    disk.write_cache = Some(f.word("write-cache", "write_back").replace('_', " "));
    disks(&f, &mut record);
    clusters(&f, &mut record);
    core(&f, secs, &mut record);
    let in_device = f.number("in-device", f64::NAN);
    if in_device.is_finite() {
        for counted in &mut record.window.after.devices {
            counted.read_time = Nanos((in_device * secs * 1e9) as u64);
            let busy = f.number("busy", 100.0) / 100.0;
            counted.busy = Nanos((busy * secs * 1e9) as u64);
        }
    }
    record
}

/// `core=98 interrupts=90`: percent of its time that a core was in the kernel, and in interrupts.
fn core(f: &Figures, secs: f64, record: &mut RunRecord) {
    let part = |percent: f64| Nanos((percent / 100.0 * secs * 1e9) as u64);
    let (busy, interrupts) = (f.number("core", 0.0), f.number("interrupts", 0.0));
    if busy > 0.0 {
        let window = &mut record.window;
        window.before.cpus[1].irq = Some(Nanos(0));
        window.before.cpus[1].softirq = Some(Nanos(0));
        window.after.cpus[1] = CpuTimes {
            cpu: 1,
            kernel: part(busy),
            idle: part(100.0 - busy),
            irq: Some(Nanos(0)),
            softirq: Some(part(interrupts)),
            ..CpuTimes::default()
        };
    }
}

/// `clusters=1`: the I/Os of each five steps are all in the last of them.
fn clusters(f: &Figures, record: &mut RunRecord) {
    if f.number("clusters", 0.0) == 0.0 {
        return;
    }
    for tally in &mut record.threads[0].measured {
        for steps in tally.intervals.chunks_mut(5) {
            let ios = steps.iter_mut().map(|step| std::mem::take(&mut step.ios));
            let sum = ios.sum();
            steps[steps.len() - 1].ios = sum;
        }
    }
}

/// One thread: `issuing`, `kernel`, `user` and `delayed` in percent of its time.
fn worker(f: &Figures, secs: f64) -> WorkerRecord {
    let part = |name: &str, or: f64| Nanos((f.number(name, or) / 100.0 * secs * 1e9) as u64);
    let issuing = part("issuing", 5.0);
    let account = Account {
        elapsed: Nanos::seconds(secs as u64),
        cpu: Some(ThreadCpu {
            user: part("user", 2.0),
            kernel: part("kernel", 4.0),
        }),
        delayed: Some(part("delayed", 0.0)),
        turns: 1000,
        looked_at: 100,
        issuing,
        waiting: Nanos::seconds(secs as u64).minus(issuing),
        ..Account::default()
    };
    WorkerRecord {
        account: Some(account),
        ..WorkerRecord::default()
    }
}

/// `disks=sda:97,sdb:1`: the disks below an array, and percent of the I/Os and of the time of each.
fn disks(f: &Figures, record: &mut RunRecord) {
    let words = f.word("disks", "");
    let of_array = record.window.after.devices[1].clone();
    for word in words.split(',').filter(|word| !word.is_empty()) {
        let (name, percent) = word.split_once(':').expect("name:percent");
        let share = percent.parse::<f64>().expect("percent") / 100.0;
        let mut disk = record.targets[0].chain[1].clone();
        disk.name = name.to_owned();
        record.targets[0].chain.push(disk);
        let part = |count: u64| (count as f64 * share) as u64;
        let util = f.number(&format!("util.{name}"), 100.0 * share);
        record.window.after.devices.push(DeviceCounters {
            name: name.to_owned(),
            reads: part(of_array.reads),
            read_bytes: Bytes(part(of_array.read_bytes.0)),
            read_time: Nanos(part(of_array.read_time.0)),
            busy: Nanos((of_array.busy.0 as f64 * util / 100.0) as u64),
            ..DeviceCounters::default()
        });
        record.window.before.devices.push(DeviceCounters {
            name: name.to_owned(),
            ..DeviceCounters::default()
        });
    }
    if !words.is_empty() {
        let array = &mut record.targets[0].chain[1];
        array.kind = "md".to_owned();
        array.rotational = None;
    }
}
