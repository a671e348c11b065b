//! The operating system of a machine, as far as its records have to be read by it: the numbers of its errors mean something else
//! on another one, and other remedies help. Omitted: how the system is found out (`host`).

use super::host::HostRecord;

/// An operating system that fathom runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    /// Linux, and what numbers its errors as Linux does.
    Linux,
    /// Windows.
    Windows,
}

/// Errors of I/O of Linux. Source: the kernel's `include/uapi/asm-generic/errno.h`.
const LINUX: [(i32, &str); 20] = [
    (5, "Input/output error"),
    (6, "No such device or address"),
    (9, "Bad file descriptor"),
    (11, "Resource temporarily unavailable"),
    (12, "Cannot allocate memory"),
    (13, "Permission denied"),
    (16, "Device or resource busy"),
    (19, "No such device"),
    (22, "Invalid argument"),
    (27, "File too large"),
    (28, "No space left on device"),
    (30, "Read-only file system"),
    (61, "No data available"),
    (84, "Invalid or incomplete multibyte or wide character"),
    (95, "Operation not supported"),
    (110, "Connection timed out"),
    (116, "Stale file handle"),
    (117, "Structure needs cleaning"),
    (121, "Remote I/O error"),
    (122, "Disk quota exceeded"),
];

/// Errors of I/O of Windows. Source: `winerror.h`.
const WINDOWS: [(i32, &str); 28] = [
    (5, "Access is denied."),
    (6, "The handle is invalid."),
    (19, "The media is write protected."),
    (21, "The device is not ready."),
    (23, "Data error (cyclic redundancy check)."),
    (27, "The drive cannot find the sector requested."),
    (29, "The system cannot write to the specified device."),
    (30, "The system cannot read from the specified device."),
    (31, "A device attached to the system is not functioning."),
    (
        32,
        "The process cannot access the file because it is being used by another process.",
    ),
    (
        33,
        "The process cannot access the file because another process has locked a portion of the file.",
    ),
    (38, "Reached the end of the file."),
    (39, "The disk is full."),
    (
        55,
        "The specified network resource or device is no longer available.",
    ),
    (59, "An unexpected network error occurred."),
    (64, "The specified network name is no longer available."),
    (87, "The parameter is incorrect."),
    (112, "There is not enough space on the disk."),
    (121, "The semaphore timeout period has expired."),
    (433, "A device which does not exist was specified."),
    (
        483,
        "The request failed due to a fatal device hardware error.",
    ),
    (
        665,
        "The requested operation could not be completed due to a file system limitation.",
    ),
    (
        995,
        "The I/O operation has been aborted because of either a thread exit or an application request.",
    ),
    (
        1117,
        "The request could not be performed because of an I/O device error.",
    ),
    (1167, "The device is not connected."),
    (1295, "The disk quota has been exceeded."),
    (
        1450,
        "Insufficient system resources exist to complete the requested service.",
    ),
    (
        1816,
        "Not enough quota is available to process this command.",
    ),
];

impl System {
    /// The system that this program was built for.
    fn own() -> System {
        System::named(std::env::consts::OS)
    }

    fn named(text: &str) -> System {
        let is_windows = text
            .get(..7)
            .is_some_and(|head| head.eq_ignore_ascii_case("windows"));
        match is_windows {
            true => System::Windows,
            false => System::Linux,
        }
    }

    /// Its words for the number of an error, without the number.
    fn error_text(self, number: i32) -> String {
        if self == System::own() {
            return crate::errno_text(&std::io::Error::from_raw_os_error(number));
        }
        let (all, name) = match self {
            System::Linux => (&LINUX[..], "Linux"),
            System::Windows => (&WINDOWS[..], "Windows"),
        };
        let known = all.iter().find(|(known, _)| *known == number);
        known.map_or_else(
            || format!("an error of {name}"),
            |(_, text)| (*text).to_owned(),
        )
    }
}

impl HostRecord {
    /// Returns whether it runs Windows, by the name of its kernel; otherwise Linux.
    pub fn is_windows(&self) -> bool {
        self.system() == System::Windows
    }

    /// Returns the words of its system for the number of an error, without the number.
    pub fn error_text(&self, number: i32) -> String {
        self.system().error_text(number)
    }

    /// Returns the same with the number behind it, as the standard library prints it.
    pub fn error_message(&self, number: i32) -> String {
        format!("{} (os error {number})", self.error_text(number))
    }

    /// Returns what its system calls a set of processes that may use only so much.
    pub fn limited_set(&self) -> &'static str {
        match self.system() {
            System::Linux => "control group",
            System::Windows => "job object",
        }
    }

    fn system(&self) -> System {
        System::named(&self.kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(kernel: &str) -> HostRecord {
        HostRecord {
            kernel: kernel.to_owned(),
            ..HostRecord::default()
        }
    }

    #[test]
    fn a_number_means_what_it_means_on_the_system_that_returned_it() {
        let (linux, windows) = (host("Linux 6.18.44"), host("Windows 10.0.20348"));
        assert!(windows.is_windows());
        for other in ["Linux 6.18.44", "", "Windo"] {
            assert!(!host(other).is_windows(), "{other}");
        }
        assert!(windows.error_text(112).contains("space"));
        assert!(linux.error_text(28).contains("space"));
        assert_ne!(linux.error_message(5), windows.error_message(5));
        assert!(windows.error_message(1117).ends_with("(os error 1117)"));
    }

    #[test]
    fn the_words_for_this_system_are_its_own() {
        let mut names = vec![host("Linux"), host("Windows")];
        let own = std::io::Error::from_raw_os_error(5).to_string();
        names.retain(|host| host.error_message(5) != own);
        let [foreign] = &names[..] else {
            panic!("one of both is this system: {names:?}");
        };
        assert!(foreign.error_text(77_777).starts_with("an error of "));
    }
}
