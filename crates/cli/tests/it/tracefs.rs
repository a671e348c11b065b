//! The kernel's own events with their times, in instances of this test's own, so that no other trace is touched.
//!
//! Source: the kernel's `Documentation/trace/ftrace.rst` and `events.rst`. Times come in whole microseconds.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Created so far, by all tests of this process.
static INSTANCES: AtomicU32 = AtomicU32::new(0);
/// Enough for 350,000 events a core: one has 68 bytes.
const BUFFER_KIB: &str = "24000";

/// The tracing file system, mounted here if it is not at its usual place. Gone with the value.
pub(crate) struct Tracefs {
    at: PathBuf,
    own: Option<tempfile::TempDir>,
}

impl Tracefs {
    /// `None`, with the reason printed, where this user or kernel has none.
    pub(crate) fn open() -> Option<Self> {
        let usual = Path::new("/sys/kernel/tracing");
        let has_events = |at: &Path| at.join("events/block/block_rq_issue").is_dir();
        if has_events(usual) {
            let at = usual.to_owned();
            return Some(Tracefs { at, own: None });
        }
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tracefs", "tracefs"])
            .arg(folder.path())
            .stderr(std::process::Stdio::null());
        if !mount.status().is_ok_and(|status| status.success()) {
            println!(
                "skipped: the kernel's tracepoints (tracefs) are not available: not root, or not in this kernel"
            );
            return None;
        }
        let at = folder.path().to_owned();
        let opened = Tracefs {
            at,
            own: Some(folder),
        };
        if has_events(&opened.at) {
            return Some(opened);
        }
        println!("skipped: this kernel traces no block requests");
        None
    }

    /// An instance with these events, of the process alone that is yet to be named; without events, of all.
    pub(crate) fn instance(&self, name: &str, events: &[&str]) -> std::io::Result<Instance> {
        let number = INSTANCES.fetch_add(1, Ordering::Relaxed);
        let name = format!("fathom-{}-{number}-{name}", std::process::id());
        let at = self.at.join("instances").join(name);
        std::fs::create_dir(&at)?;
        let instance = Instance { at };
        instance.write("trace_clock", "mono")?;
        instance.write("buffer_size_kb", BUFFER_KIB)?;
        if !events.is_empty() {
            // This one makes none; other tests' processes do.
            instance.write("set_event_pid", &std::process::id().to_string())?;
        }
        for event in events {
            instance.write(&format!("events/{event}/enable"), "1")?;
        }
        Ok(instance)
    }
}

impl Drop for Tracefs {
    fn drop(&mut self) {
        if self.own.is_some() {
            let _ = Command::new("umount").arg(&self.at).status();
        }
    }
}

/// A trace of its own. Gone with the value.
pub(crate) struct Instance {
    at: PathBuf,
}

impl Instance {
    pub(crate) fn write(&self, file: &str, text: &str) -> std::io::Result<()> {
        std::fs::write(self.at.join(file), text)
    }

    /// Where a process adds its number to be traced, with its threads. Never written again: while it is empty, all are.
    pub(crate) fn of_process(&self) -> std::io::Result<PathBuf> {
        self.write("options/event-fork", "1")?;
        Ok(self.at.join("set_event_pid"))
    }

    /// Ends the recording; everything recorded, or `None` if events were lost.
    pub(crate) fn finish(self) -> Option<Vec<Traced>> {
        self.write("tracing_on", "0").unwrap();
        let cores = std::fs::read_dir(self.at.join("per_cpu")).unwrap();
        let lost = cores.flatten().any(|core| {
            let stats = std::fs::read_to_string(core.path().join("stats")).unwrap_or_default();
            let of = |line: &str| line.split_once("overrun: ")?.1.parse::<u64>().ok();
            stats.lines().filter_map(of).any(|count| count > 0)
        });
        if lost {
            println!("{}: events were lost", self.at.display());
        }
        let text = std::fs::read_to_string(self.at.join("trace")).unwrap();
        (!lost).then(|| text.lines().filter_map(Traced::read).collect())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.at);
    }
}

/// One event of an I/O.
#[derive(Clone)]
pub(crate) struct Traced {
    pub(crate) at_us: u64,
    pub(crate) event: String,
    /// What the beginning and the end of one I/O have in common: its device and first sector, or its mark on the ring.
    pub(crate) key: String,
}

impl Traced {
    /// `comm-1 [000] ..... 12.345678: block_rq_issue: 7,0 R 4096 () 57248 + 8 …` and
    /// `… io_uring_complete: ring …, req …, user_data 0x0, …`
    fn read(line: &str) -> Option<Self> {
        if line.starts_with('#') {
            return None;
        }
        let mut parts = line.splitn(3, ": ");
        let (seconds, micros) = parts.next()?.rsplit(' ').next()?.split_once('.')?;
        let (event, rest) = (parts.next()?, parts.next()?);
        let key = match event.starts_with("block_") {
            true => {
                let device = rest.split(' ').next()?;
                let sector = rest.split_once(") ")?.1.split(' ').next()?;
                format!("{device} {sector}")
            }
            false => {
                let mark = rest.split_once("user_data ")?.1;
                mark.split(',').next()?.to_owned()
            }
        };
        Some(Traced {
            at_us: seconds.parse::<u64>().ok()? * 1_000_000 + micros.parse::<u64>().ok()?,
            event: event.to_owned(),
            key,
        })
    }
}

/// The same events in their order; each submission has the time of the first of those that one call submits: no completion
/// is between them.
pub(crate) fn from_the_call(traced: &[Traced]) -> Vec<Traced> {
    let mut order = traced.to_vec();
    order.sort_by_key(|event| event.at_us);
    let mut call_us = None;
    for event in &mut order {
        match event.event.as_str() {
            "io_uring_submit_req" => event.at_us = *call_us.get_or_insert(event.at_us),
            "io_uring_complete" => call_us = None,
            _ => {}
        }
    }
    order
}

/// From each `begin` to the `end` of the same I/O, in microseconds, in the order of the ends. Of two that begin equally
/// before either ends (two reads of one sector) the second counts.
pub(crate) fn spans(traced: &[Traced], begin: &str, end: &str) -> Vec<u64> {
    let mut order: Vec<&Traced> = traced.iter().collect();
    order.sort_by_key(|event| event.at_us);
    let mut open: HashMap<&str, u64> = HashMap::new();
    let mut spans = Vec::new();
    for event in order {
        if event.event == begin {
            open.insert(&event.key, event.at_us);
        } else if event.event == end
            && let Some(began) = open.remove(event.key.as_str())
        {
            spans.push(event.at_us - began);
        }
    }
    spans
}
