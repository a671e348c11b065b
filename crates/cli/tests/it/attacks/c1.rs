//! C1: the memory limit of a control group was not read, so that the kernel killed the program without a message.

use crate::bench::{Bench, Said, answered};
use std::fs;
use std::path::{Path, PathBuf};

/// A group that may use 128 MiB of memory.
struct Small(PathBuf);

impl Small {
    fn new(name: &str) -> Option<Self> {
        let first = Path::new("/sys/fs/cgroup/memory");
        let second = Path::new("/sys/fs/cgroup");
        let (top, file) = if first.is_dir() {
            (first, "memory.limit_in_bytes")
        } else {
            let _ = fs::write(second.join("cgroup.subtree_control"), "+memory");
            (second, "memory.max")
        };
        let folder = top.join(format!("fathom-c1-{}-{name}", std::process::id()));
        let made = fs::create_dir(&folder).and_then(|()| {
            let group = Small(folder.clone());
            fs::write(folder.join(file), (128 << 20).to_string()).map(|()| group)
        });
        if let Err(why) = &made {
            println!("skipped: no memory cgroup can be created: {why}");
        }
        made.ok()
    }

    /// The program in this group.
    fn say(&self, bench: &Bench, line: &str) -> Said {
        let script = format!("echo $$ > {}/cgroup.procs && exec \"$@\"", self.0.display());
        let mut words = vec!["-c", &script, "sh", env!("CARGO_BIN_EXE_fathom")];
        words.extend(line.split_whitespace());
        answered(&words, |words| {
            let mut command = bench.command_of("/bin/sh".as_ref(), words);
            Said::from(command.output().unwrap())
        })
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_run_that_needs_more_memory_than_the_group_allows_is_refused() {
    let Some(group) = Small::new("run") else {
        return;
    };
    let bench = Bench::new();
    bench.write("f", 1 << 20);
    let line = "run f -d 200ms --warmup 0s --no-store --cache cached -b 64K";
    let said = group.say(&bench, &format!("{line} -t 64 -o 64"));
    said.refused("allows 128M");
    let named = group.0.display().to_string();
    assert!(said.err.contains(&named), "{said:?}");
    group.say(&bench, &format!("{line} -t 4 -o 16")).good();
}

#[test]
fn a_file_that_needs_more_memory_than_the_group_allows_is_not_imported() {
    let Some(group) = Small::new("import") else {
        return;
    };
    let bench = Bench::new();
    let line = "[  3s] throughput, latency, and what is not known\n";
    fs::write(bench.path("big.txt"), line.repeat((40 << 20) / line.len())).unwrap();
    let said = group.say(&bench, "import big.txt");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("times its length of memory"), "{said:?}");
}
