//! What other rooms ask the kernel: how it keeps time, for how long it runs, and which signals it keeps from us.
//!
//! Deliberately absent: what is done about them (`engine`'s clock, and the door's signals).

use crate::root::Root;

/// The signal that a closing terminal sends. Source: signal(7).
const SIGHUP: u32 = 1;

/// Whether the kernel itself keeps time by the time stamp counter: then it is constant over frequencies,
/// synchronous over the cores, and watched by the kernel. Source: the kernel's
/// `Documentation/ABI/testing/sysfs-devices-system-clocksource`.
pub fn keeps_time_by_counter(root: &Root) -> bool {
    let source = "sys/devices/system/clocksource/clocksource0/current_clocksource";
    root.text(source).is_some_and(|name| name == "tsc")
}

/// Whether a closing terminal is to be ignored: whoever starts a program under `nohup` wants it to go on. Source:
/// proc_pid_status(5), `SigIgn`. Where that cannot be read, it is not.
pub fn hangup_is_ignored(root: &Root) -> bool {
    let status = root.text("proc/self/status").unwrap_or_default();
    ignored_mask(&status).is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}

/// For how long the machine has been up, in milliseconds; 0 where it does not tell. Source: proc_uptime(5).
pub fn uptime_ms(root: &Root) -> u64 {
    let text = root.text("proc/uptime").unwrap_or_default();
    let seconds = text
        .split_whitespace()
        .next()
        .and_then(|word| word.parse::<f64>().ok());
    seconds.map_or(0, |seconds| (seconds * 1000.0) as u64)
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
}
