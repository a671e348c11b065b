//! What the system lets this process have of files and of address space, and what it has already.
//!
//! Omitted: what a run will need, which is `engine`'s, and what control groups allow (`limits`).

use crate::reported::Allowance;
use crate::root::Root;
use model::Bytes;

/// Of this process. Source: proc_pid_limits(5), proc_pid_status(5), proc_pid_fd(5).
pub fn allowance(root: &Root) -> Allowance {
    let limits = root.text("proc/self/limits").unwrap_or_default();
    let status = root.text("proc/self/status").unwrap_or_default();
    let mapped_kib = value_of(&status, "VmSize:").unwrap_or(0);
    Allowance {
        open_files: value_of(&limits, "Max open files"),
        files_open: root.names("proc/self/fd").len() as u64,
        address_space: value_of(&limits, "Max address space").map(Bytes),
        mapped: Bytes(mapped_kib.saturating_mul(1024)),
        file_size: value_of(&limits, "Max file size").map(Bytes),
    }
}

/// The first number behind a name at the start of a line; of a limit the soft one. `unlimited` is none.
fn value_of(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_the_kernel_writes_them() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("proc/self");
        std::fs::create_dir_all(own.join("fd")).unwrap();
        for number in 0..3 {
            std::fs::write(own.join(format!("fd/{number}")), "").unwrap();
        }
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max file size             1048576              unlimited            bytes     \n\
                      Max open files            1024                 524288               files     \n\
                      Max address space         512000000            unlimited            bytes     \n";
        std::fs::write(own.join("limits"), limits).unwrap();
        std::fs::write(own.join("status"), "Name:\tfathom\nVmSize:\t    9000 kB\n").unwrap();
        let root = Root::at(folder.path().to_owned());
        let reported = Allowance {
            open_files: Some(1024),
            files_open: 3,
            address_space: Some(Bytes(512_000_000)),
            mapped: Bytes(9000 * 1024),
            file_size: Some(Bytes::mib(1)),
        };
        assert_eq!(allowance(&root), reported);
        let unlimited = limits.replace("512000000", "unlimited");
        std::fs::write(own.join("limits"), unlimited).unwrap();
        assert_eq!(allowance(&root).address_space, None);
    }

    #[test]
    fn a_system_that_does_not_tell_sets_no_limit() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            allowance(&Root::at(folder.path().to_owned())),
            Allowance::default()
        );
    }
}
