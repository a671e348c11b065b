//! What the system counts: time of every core and of this process, and the figures of chosen devices. Sources:
//! NtQuerySystemInformation, GetProcessTimes, IOCTL_DISK_PERFORMANCE.
//!
//! Devices are opened once, so that one reading is a system call a device, one for all cores and one for the process. Windows
//! merges no requests, and counts neither discards nor flushes: these figures are 0. Cores are those of this process's group.
//! Deliberately absent: differences, which are `model::CounterWindow`'s.

use super::ask::{self, Answer};
use super::calls::processor_times;
use super::process_calls::own_times;
use crate::root::Root;
use model::{Bytes, Counters, CpuTimes, DeviceCounters, Nanos};
use std::fs::File;
use std::mem::offset_of;
use windows_sys::Win32::System::Ioctl::{DISK_PERFORMANCE, IOCTL_DISK_PERFORMANCE};

/// The devices of the counters, open.
pub struct CounterReader {
    devices: Vec<(String, File)>,
    is_live: bool,
}

impl CounterReader {
    /// Opens the counters of all cores and of these devices. What is not there is omitted of every reading.
    pub fn open(root: &Root, devices: &[String]) -> Self {
        let open = |name: &String| Some((name.clone(), ask::for_facts(name).ok()?));
        let devices = devices.iter().filter(|_| root.is_live());
        CounterReader {
            devices: devices.filter_map(open).collect(),
            is_live: root.is_live(),
        }
    }

    /// One reading: devices first, then cores and this process. `now` is asked before the first and after the last.
    pub fn read(&mut self, now: &mut dyn FnMut() -> Nanos) -> Counters {
        let begun = now();
        let devices = self.devices.iter();
        let devices = devices.filter_map(|(name, file)| {
            let room = size_of::<DISK_PERFORMANCE>();
            device(
                name,
                &ask::control(file, IOCTL_DISK_PERFORMANCE, &[], room).ok()?,
            )
        });
        let devices = devices.collect();
        let cpus = match self.is_live {
            true => processor_times(),
            false => Vec::new(),
        };
        let process = self.is_live.then(own_times).flatten();
        Counters {
            begun,
            ended: now(),
            cpus: (0..)
                .zip(cpus)
                .map(|(cpu, times)| core(cpu, times))
                .collect(),
            devices,
            interrupts: None,
            process: process.map(|times| times.cpu),
            own_read_bytes: None,
            quotas: Vec::new(),
        }
    }

    /// What programs have written and no device has yet; Windows does not report it in a call.
    pub fn waiting_writes(&mut self) -> (Option<Bytes>, Option<Bytes>) {
        (None, None)
    }
}

/// The time in the kernel contains the idle time. Its parts for interrupts are not documented.
fn core(cpu: u32, times: [u64; 3]) -> CpuTimes {
    let [idle, kernel, user] = times;
    let time = |of: u64| Nanos(of.saturating_mul(100));
    CpuTimes {
        cpu,
        user: time(user),
        kernel: time(kernel.saturating_sub(idle)),
        idle: time(idle),
        steal: Nanos(0),
        irq: None,
        softirq: None,
    }
}

/// Times are in units of 100 ns. A device is busy when it is not idle.
fn device(name: &str, answer: &Answer) -> Option<DeviceCounters> {
    type Found = DISK_PERFORMANCE;
    let time = |at: usize| answer.u64(at).map(|of| Nanos(of.saturating_mul(100)));
    let count = |at: usize| answer.u32(at).map(u64::from);
    Some(DeviceCounters {
        name: name.to_owned(),
        reads: count(offset_of!(Found, ReadCount))?,
        read_bytes: Bytes(answer.u64(offset_of!(Found, BytesRead))?),
        read_time: time(offset_of!(Found, ReadTime))?,
        writes: count(offset_of!(Found, WriteCount))?,
        write_bytes: Bytes(answer.u64(offset_of!(Found, BytesWritten))?),
        write_time: time(offset_of!(Found, WriteTime))?,
        in_flight: count(offset_of!(Found, QueueDepth))?,
        busy: time(offset_of!(Found, QueryTime))?.minus(time(offset_of!(Found, IdleTime))?),
        ..DeviceCounters::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_s_fields_are_reported_apart() {
        let mut bytes = vec![0u8; size_of::<DISK_PERFORMANCE>()];
        let wide = [1u64, 2, 3, 4, 50]; // read, written, read time, write time, idle
        for (i, value) in wide.into_iter().enumerate() {
            bytes[i * 8..i * 8 + 8].copy_from_slice(&value.to_le_bytes());
        }
        for (i, value) in [6u32, 7, 8, 9].into_iter().enumerate() {
            bytes[40 + i * 4..44 + i * 4].copy_from_slice(&value.to_le_bytes());
        }
        bytes[56..64].copy_from_slice(&90u64.to_le_bytes());
        let read = device("PhysicalDrive0", &bytes.into()).unwrap();
        let expected = DeviceCounters {
            name: "PhysicalDrive0".to_owned(),
            reads: 6,
            read_bytes: Bytes(1),
            read_time: Nanos(300),
            writes: 7,
            write_bytes: Bytes(2),
            write_time: Nanos(400),
            in_flight: 8,
            busy: Nanos(4000),
            ..DeviceCounters::default()
        };
        assert_eq!(read, expected);
        assert_eq!(device("C:", &vec![0; 60].into()), None);
    }

    #[test]
    fn the_idle_time_is_no_time_in_the_kernel() {
        let times = core(3, [70, 100, 20]);
        assert_eq!(times.cpu, 3);
        assert_eq!(
            [times.user, times.kernel, times.idle],
            [2000, 3000, 7000].map(Nanos)
        );
    }

    #[test]
    fn this_process_is_read_on_this_machine_alone_and_its_time_only_grows() {
        let mut reader = CounterReader::open(&Root::live(), &[]);
        let first = reader.read(&mut || Nanos(0));
        assert!(!first.cpus.is_empty());
        let mut used = || reader.read(&mut || Nanos(0)).process.unwrap().total();
        let before = used();
        assert!(before <= used());
        let folder = tempfile::tempdir().unwrap();
        let mut saved = CounterReader::open(&Root::at(folder.path().to_owned()), &[]);
        assert_eq!(saved.read(&mut || Nanos(0)).process, None);
    }
}
