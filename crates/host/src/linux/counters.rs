//! What the kernel counts: time of every core and of this process, the block layer's figures of chosen devices, and what
//! quotas of processor time took.
//!
//! Files are opened once and read again from their start, so that one reading is a system call a
//! device, one a quota, one for all cores and two for the process. Sources: proc_stat(5), the kernel's
//! `Documentation/block/stat.rst` and `Documentation/scheduler/sched-bwc.rst`, getrusage(2), proc_pid_io(5).
//! Deliberately absent: differences, which are `model::CounterWindow`'s.

use super::{activity, limits, sys};
use crate::root::Root;
use model::{Bytes, Counters, CpuTimes, DeviceCounters, Nanos, QuotaCounters};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Room for the lines of about 100 cores; grows when there are more.
const CORES_TEXT_BYTES: usize = 16 << 10;
const CORES_TEXT_BYTES_MAX: usize = 16 << 20;
/// Seventeen numbers of twenty digits fit.
const DEVICE_TEXT_BYTES: usize = 512;
/// The levels that are wanted are in the first half of some 1500 bytes.
const MEMORY_TEXT_BYTES: usize = 4096;
/// Ten names and numbers of twenty digits fit.
const QUOTA_TEXT_BYTES: usize = 1024;
/// Seven names and numbers of twenty digits fit.
const OWN_TEXT_BYTES: usize = 512;
const SECTOR_BYTES: u64 = 512;

/// The files of the counters, open.
pub struct CounterReader {
    devices: Vec<(String, File)>,
    cores: Option<File>,
    memory: Option<File>,
    quotas: Vec<File>,
    /// What devices read and wrote for this process.
    own: Option<File>,
    /// The root is this machine, so that this process is one of it.
    is_live: bool,
    text: Vec<u8>,
    tick: Nanos,
}

impl CounterReader {
    /// Opens the counters of all cores and of these devices (kernel names, as `chain_devices` gives
    /// them). What is not there is omitted of every reading.
    pub fn open(root: &Root, devices: &[String]) -> Self {
        let open = |name: &String| {
            let at = |folder| File::open(root.path(format!("sys/{folder}/{name}/stat")));
            let file = at("class/block").or_else(|_| at("block")).ok()?;
            Some((name.clone(), file))
        };
        CounterReader {
            devices: devices.iter().filter_map(open).collect(),
            cores: File::open(root.path("proc/stat")).ok(),
            memory: File::open(root.path("proc/meminfo")).ok(),
            quotas: limits::quota_counters(root),
            own: root
                .is_live()
                .then(|| File::open(root.path("proc/self/io")).ok())
                .flatten(),
            is_live: root.is_live(),
            text: vec![0; CORES_TEXT_BYTES],
            tick: Nanos(1_000_000_000 / sys::ticks_per_second()),
        }
    }

    /// One reading: devices first, then cores, this process and its quotas. `now` is asked before the first and after the
    /// last. A device that has gone is absent.
    pub fn read(&mut self, now: &mut dyn FnMut() -> Nanos) -> Counters {
        let begun = now();
        let devices = self.devices.iter();
        let devices = devices.filter_map(|(name, file)| read_device(name, file));
        let devices = devices.collect();
        let (cpus, interrupts) = self.read_cores().unwrap_or_default();
        let process = self.is_live.then(sys::process_cpu).flatten();
        let own_read_bytes = self.own.as_ref().and_then(read_own);
        let quotas = self.quotas.iter().filter_map(read_quota).collect();
        Counters {
            begun,
            ended: now(),
            cpus,
            devices,
            interrupts,
            process,
            own_read_bytes,
            quotas,
        }
    }

    /// What programs have written and no device has yet: waiting, and on its way. Source: proc_meminfo(5), `Dirty` and
    /// `Writeback`.
    pub fn waiting_writes(&mut self) -> (Option<Bytes>, Option<Bytes>) {
        let mut text = [0; MEMORY_TEXT_BYTES];
        let length = self.memory.as_ref().map(|file| file.read_at(&mut text, 0));
        let text = String::from_utf8_lossy(&text[..length.and_then(Result::ok).unwrap_or(0)]);
        let level = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            let kib = line?.trim().strip_suffix(" kB")?;
            Some(Bytes(kib.parse::<u64>().ok()?.checked_mul(1024)?))
        };
        (level("Dirty:"), level("Writeback:"))
    }

    /// The lines of the cores are at the start, and behind them the sum of the interrupts, so the rest of the file is not
    /// wanted; but they must be whole, which the line behind them shows.
    fn read_cores(&mut self) -> Option<(Vec<CpuTimes>, Option<u64>)> {
        let file = self.cores.as_ref()?;
        loop {
            let length = file.read_at(&mut self.text, 0).ok()?;
            let all_read = length < self.text.len();
            let text = String::from_utf8_lossy(&self.text[..length]);
            let ended = text.lines().any(|line| !line.starts_with("cpu"));
            if all_read || ended || length >= CORES_TEXT_BYTES_MAX {
                let cores = text.lines().take_while(|line| line.starts_with("cpu"));
                let cores = cores.filter_map(|line| core(line, self.tick)).collect();
                return Some((cores, text.lines().find_map(interrupts)));
            }
            self.text.resize(length * 2, 0);
        }
    }
}

/// `intr sum of-each …`. A sum that the reading cut off is none.
fn interrupts(line: &str) -> Option<u64> {
    let (sum, _) = line.strip_prefix("intr ")?.split_once(' ')?;
    sum.parse().ok()
}

fn read_device(name: &str, file: &File) -> Option<DeviceCounters> {
    let mut text = [0; DEVICE_TEXT_BYTES];
    let length = file.read_at(&mut text, 0).ok()?;
    device(name, std::str::from_utf8(&text[..length]).ok()?)
}

fn read_quota(file: &File) -> Option<QuotaCounters> {
    let mut text = [0; QUOTA_TEXT_BYTES];
    let length = file.read_at(&mut text, 0).ok()?;
    quota(std::str::from_utf8(&text[..length]).ok()?)
}

/// Bytes that devices have read for this process.
fn read_own(file: &File) -> Option<Bytes> {
    let mut text = [0; OWN_TEXT_BYTES];
    let length = file.read_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    activity::named(text, "read_bytes:").map(Bytes)
}

/// Lines of a name and a number. The time is in nanoseconds in the first version of control groups, in microseconds in the
/// second.
fn quota(text: &str) -> Option<QuotaCounters> {
    let number = |name: &str| -> Option<u64> {
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(known, _)| *known == name)?.1.parse().ok()
    };
    let first = || number("throttled_time");
    let second = || Some(number("throttled_usec")?.saturating_mul(1000));
    Some(QuotaCounters {
        periods: number("nr_periods")?,
        throttled: number("nr_throttled")?,
        throttled_time: Nanos(first().or_else(second)?),
    })
}

/// `cpu3 user nice system idle iowait irq softirq steal guest guest_nice`. Guests' time is in user and
/// nice already. The line of all cores together is not one of a core.
fn core(line: &str, tick: Nanos) -> Option<CpuTimes> {
    let mut words = line.strip_prefix("cpu")?.split(' ');
    let cpu = words.next()?.parse().ok()?;
    let ticks: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
    let [user, nice, system, idle, rest @ ..] = ticks.as_slice() else {
        return None;
    };
    let rest = |i: usize| rest.get(i).copied().unwrap_or(0); // iowait, irq, softirq, steal
    let time = |ticks: &[u64]| {
        let sum = ticks.iter().fold(0, |sum: u64, n| sum.saturating_add(*n));
        Nanos(sum.saturating_mul(tick.0))
    };
    Some(CpuTimes {
        cpu,
        user: time(&[*user, *nice]),
        kernel: time(&[*system, rest(1), rest(2)]),
        idle: time(&[*idle, rest(0)]),
        steal: time(&[rest(3)]),
        irq: Some(time(&[rest(1)])),
        softirq: Some(time(&[rest(2)])),
    })
}

/// 11 fields always, 15 with discards (kernel 4.18), 17 with flushes (5.5).
fn device(name: &str, text: &str) -> Option<DeviceCounters> {
    let fields: Vec<u64> = text
        .split_whitespace()
        .map_while(|word| word.parse().ok())
        .collect();
    if fields.len() < 11 {
        return None;
    }
    let field = |i: usize| fields.get(i).copied().unwrap_or(0);
    let bytes = |i| Bytes(field(i).saturating_mul(SECTOR_BYTES));
    let time = |i| Nanos(field(i).saturating_mul(1_000_000));
    Some(DeviceCounters {
        name: name.to_owned(),
        reads: field(0),
        reads_merged: field(1),
        read_bytes: bytes(2),
        read_time: time(3),
        writes: field(4),
        writes_merged: field(5),
        write_bytes: bytes(6),
        write_time: time(7),
        in_flight: field(8),
        busy: time(9),
        discards: field(11),
        flushes: field(15),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_core_s_time_is_sorted_into_four() {
        let times = core("cpu3 1 2 4 8 16 32 64 128 256 512", Nanos(10)).unwrap();
        assert_eq!(times.cpu, 3);
        let sums = [times.user, times.kernel, times.idle, times.steal];
        assert_eq!(sums, [30, 1000, 240, 1280].map(Nanos));
        assert_eq!(
            (times.irq, times.softirq),
            (Some(Nanos(320)), Some(Nanos(640)))
        );
        assert_eq!(core("cpu  1 2 3 4", Nanos(10)), None);
    }

    #[test]
    fn a_device_s_fields_are_reported_apart() {
        let read = device("sda", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17").unwrap();
        assert_eq!(
            (read.reads, read.reads_merged, read.read_bytes),
            (1, 2, Bytes(1536))
        );
        assert_eq!(
            (read.writes, read.writes_merged, read.write_bytes),
            (5, 6, Bytes(3584))
        );
        assert_eq!(read.read_time, Nanos(4_000_000));
        assert_eq!((read.in_flight, read.busy), (9, Nanos(10_000_000)));
        assert_eq!((read.discards, read.flushes), (12, 16));
    }

    #[test]
    fn an_older_kernel_tells_less_and_a_garbled_file_nothing() {
        let old = device("sda", "1 2 3 4 5 6 7 8 9 10 11").unwrap();
        assert_eq!((old.discards, old.flushes), (0, 0));
        assert_eq!(device("sda", "1 2 x"), None);
    }

    #[test]
    fn a_quota_is_read_in_both_versions() {
        let first = "nr_periods 30\nnr_throttled 20\nthrottled_time 1500000\n";
        let second =
            "usage_usec 9\nnr_periods 30\nnr_throttled 20\nthrottled_usec 1500\nnr_bursts 0\n";
        let reported = Some(QuotaCounters {
            periods: 30,
            throttled: 20,
            throttled_time: Nanos(1_500_000),
        });
        assert_eq!((quota(first), quota(second)), (reported, reported));
        assert_eq!(quota("usage_usec 9\nuser_usec 9\n"), None);
    }

    #[test]
    fn this_process_is_read_on_this_machine_alone_and_its_time_only_grows() {
        let mut reader = CounterReader::open(&Root::live(), &[]);
        let mut used = || reader.read(&mut || Nanos(0)).process.unwrap().total();
        let before = used();
        assert!(before <= used());
        let folder = tempfile::tempdir().unwrap();
        let mut saved = CounterReader::open(&Root::at(folder.path().to_owned()), &[]);
        assert_eq!(saved.read(&mut || Nanos(0)).process, None);
    }

    #[test]
    fn more_cores_than_the_buffer_holds_are_all_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("proc")).unwrap();
        let lines: String = (0..2000)
            .map(|n| format!("cpu{n} 1 1 1 1 1 1 1 1 0 0\n"))
            .collect();
        std::fs::write(folder.path().join("proc/stat"), lines + "intr 5 1 4\n").unwrap();
        let root = Root::at(folder.path().to_owned());
        let read = CounterReader::open(&root, &["gone".to_owned()]).read(&mut || Nanos(7));
        assert_eq!((read.cpus.len(), read.interrupts), (2000, Some(5)));
        assert!(read.devices.is_empty());
        assert_eq!((read.begun, read.ended), (Nanos(7), Nanos(7)));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_stumble(text in "(cpu)?[0-9 x-]{0,80}") {
            core(&text, Nanos(u64::MAX));
            device("x", &text);
            quota(&text);
        }
    }
}
