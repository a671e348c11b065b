//! What other rooms ask the kernel: how it keeps time, for how long it runs, which of its
//! threads work for us, and which signals it keeps from us.
//!
//! Deliberately absent: what is done about them (`engine`'s clock, and the signals, in `cli`).

use crate::root::Root;
use model::{KernelWorkers, Nanos};

/// The signal that a closing terminal sends. Source: signal(7).
const SIGHUP: u32 = 1;

/// Whether the kernel itself keeps time by the time stamp counter, so that it is synchronous over the cores and watched,
/// and the processor reports that it is constant over frequencies and continues in sleep. Source: the kernel's
/// `Documentation/ABI/testing/sysfs-devices-system-clocksource` and `arch/x86/include/asm/cpufeatures.h`.
pub fn keeps_time_by_counter(root: &Root) -> bool {
    let source = "sys/devices/system/clocksource/clocksource0/current_clocksource";
    if root.text(source).is_none_or(|name| name != "tsc") {
        return false;
    }
    let processors = root.text("proc/cpuinfo").unwrap_or_default();
    let flags = processors.lines().find_map(|line| {
        let (name, flags) = line.split_once(':')?;
        (name.trim() == "flags").then_some(flags)
    });
    let has = |flag| flags.is_some_and(|flags| flags.split_whitespace().any(|one| one == flag));
    has("constant_tsc") && has("nonstop_tsc")
}

/// Whether a closing terminal is to be ignored: a program that is started under `nohup` continues. Source:
/// proc_pid_status(5), `SigIgn`. Where that cannot be read, it is not.
pub fn hangup_is_ignored(root: &Root) -> bool {
    let status = root.text("proc/self/status").unwrap_or_default();
    ignored_mask(&status).is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}

/// A random number that the machine draws when it starts, so that two machines differ. Source: random(4).
pub fn boot_id(root: &Root) -> Option<String> {
    let text = root.text("proc/sys/kernel/random/boot_id")?;
    Some(text.trim().to_owned())
}

/// For how long the machine has been up, in milliseconds; 0 where it does not report it. Source: proc_uptime(5).
pub fn uptime_ms(root: &Root) -> u64 {
    let text = root.text("proc/uptime").unwrap_or_default();
    let seconds = text
        .split_whitespace()
        .next()
        .and_then(|word| word.parse::<f64>().ok());
    seconds.map_or(0, |seconds| (seconds * 1000.0) as u64)
}

/// The kernel workers of this process; one that has nothing to do for some seconds goes. Source: the names that
/// `io_uring/io-wq.c` gives, and proc_pid_schedstat(5).
pub fn kernel_workers(root: &Root) -> KernelWorkers {
    let mut found = KernelWorkers::default();
    for task in root.names("proc/self/task") {
        let of_task = |file: &str| root.text(format!("proc/self/task/{task}/{file}"));
        if of_task("comm").is_some_and(|name| name.starts_with("iou-wrk")) {
            let schedstat = of_task("schedstat").unwrap_or_default();
            let busy = schedstat.split_whitespace().next();
            let busy = busy.and_then(|text| text.parse().ok()).unwrap_or(0);
            found.count += 1;
            found.busy = found.busy.plus(Nanos(busy));
        }
    }
    found
}

/// How long the calling thread was ready to run and others had its processor, since it began; `None` where the kernel
/// does not report it. Source: the kernel's `Documentation/scheduler/sched-stats.rst`, /proc/PID/schedstat.
pub fn thread_delay(root: &Root) -> Option<Nanos> {
    let text = root.text("proc/thread-self/schedstat")?;
    let mut numbers = text.split_whitespace().map(str::parse);
    let (ran, waited) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    // All zeros: a kernel that does not keep these figures.
    let _: u64 = ran;
    (ran > 0).then_some(Nanos(waited))
}

/// A hexadecimal mask, lowest bit for signal 1.
fn ignored_mask(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_ignored_signals_is_read_as_the_kernel_writes_it() {
        let status = "Name:\tfathom\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n";
        assert_eq!(ignored_mask(status), Some(0x1001));
        assert_eq!(ignored_mask("Name:\tfathom\n"), None);
    }

    #[test]
    fn the_counter_is_trusted_where_the_kernel_keeps_time_by_it_and_it_never_stops() {
        let trusted = |source: &str, processors: &str| {
            let folder = tempfile::tempdir().unwrap();
            let at = folder
                .path()
                .join("sys/devices/system/clocksource/clocksource0");
            std::fs::create_dir_all(&at).unwrap();
            std::fs::write(at.join("current_clocksource"), source).unwrap();
            std::fs::create_dir(folder.path().join("proc")).unwrap();
            std::fs::write(folder.path().join("proc/cpuinfo"), processors).unwrap();
            keeps_time_by_counter(&Root::at(folder.path().to_owned()))
        };
        let flags = "processor\t: 0\nflags\t\t: fpu tsc constant_tsc nonstop_tsc\n";
        assert!(trusted("tsc\n", flags));
        assert!(!trusted("hpet\n", flags));
        assert!(!trusted("kvm-clock\n", flags));
        assert!(!trusted("tsc\n", "flags\t\t: fpu tsc constant_tsc\n"));
        assert!(!trusted("tsc\n", ""));
    }

    #[test]
    fn only_kernel_workers_are_counted_with_their_time() {
        let folder = tempfile::tempdir().unwrap();
        let tasks = [
            ("10", "fathom-0", Some("900 1 2")),
            ("11", "iou-wrk-10", Some("1500000 77 3")),
            ("12", "iou-wrk-10", None),
            ("13", "iou-sqp-10", Some("5 5 5")),
        ];
        for (number, name, schedstat) in tasks {
            let task = folder.path().join("proc/self/task").join(number);
            std::fs::create_dir_all(&task).unwrap();
            std::fs::write(task.join("comm"), format!("{name}\n")).unwrap();
            if let Some(text) = schedstat {
                std::fs::write(task.join("schedstat"), text).unwrap();
            }
        }
        let found = kernel_workers(&Root::at(folder.path().to_owned()));
        let expected = KernelWorkers {
            count: 2,
            busy: Nanos(1_500_000),
        };
        assert_eq!(found, expected);
        assert_eq!(
            kernel_workers(&Root::at(folder.path().join("none"))),
            KernelWorkers::default()
        );
    }
}
