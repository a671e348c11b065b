//! `fathom learn` of a device, a file and a process that do I/O while it runs.

use crate::bench::{Bench, Said, send, until};
use crate::looped::Loop;
use crate::tracefs::Tracefs;
use model::Bytes;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use traces::LearnedProfile;

/// A user who may not trace.
const NOBODY: u32 = 65_534;

/// A loop device, if this machine has one and traces it.
pub(crate) fn device() -> Option<(Tracefs, Loop, String)> {
    let tracefs = Tracefs::open()?;
    let device = Loop::new(&["--direct-io=off"])?;
    if !std::path::Path::new("/sys/kernel/tracing/instances").is_dir() {
        println!("skipped: tracefs is not at its usual place");
        return None;
    }
    let path = device.device.display().to_string();
    Some((tracefs, device, path))
}

pub(crate) fn ended(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Starts to observe, and returns when it does.
fn observing(bench: &Bench, line: &str) -> Child {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = bench.command(&words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let instance = format!("/sys/kernel/tracing/instances/fathom-learn-{}", child.id());
    until(|| {
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "ended before it observed");
        std::path::Path::new(&instance).is_dir()
    });
    std::thread::sleep(std::time::Duration::from_secs(1));
    child
}

pub(crate) fn profile(bench: &Bench, name: &str) -> LearnedProfile {
    let text = std::fs::read_to_string(bench.path(name)).unwrap();
    LearnedProfile::read(name, &text).unwrap()
}

#[test]
fn the_ios_of_a_device_are_learned_while_they_happen() {
    let Some((_tracefs, _device, path)) = device() else {
        return;
    };
    let bench = Bench::new();
    let load = bench.start(&format!("run {path} -b 8K -o 4 --rate 400 --duration 3m"));
    let said = bench.line(&format!(
        "learn --device {path} --for 2s -o app.profile --keep-trace app.iotrace"
    ));
    ended(load);
    assert_eq!(said.code, Some(0), "{said:?}");
    let found = profile(&bench, "app.profile");
    assert!(found.learned.ios > 100, "{:?}", found.learned);
    assert_eq!(found.learned.lost, 0);
    assert_eq!(
        (found.workload.reads, &found.workload.write),
        (100.0, &None)
    );
    let read = found.workload.read.clone().unwrap();
    assert_eq!(read.sizes, [(Bytes(8192), 100.0)]);
    // What was kept is the same trace: learned from, it gives the same profile.
    bench.line("learn app.iotrace -o kept.profile").done();
    let kept = profile(&bench, "kept.profile");
    assert_eq!(kept.workload, found.workload);
    // The profile runs, and nothing of the trace stays.
    bench
        .line("run --profile app.profile sim:ssd --scale-time 100")
        .good();
    let left = std::fs::read_dir("/sys/kernel/tracing/instances").unwrap();
    for one in left.flatten() {
        let name = one.file_name().into_string().unwrap();
        if let Some(process) = name.strip_prefix("fathom-learn-") {
            let runs = std::path::Path::new("/proc").join(process).exists();
            assert!(runs, "{name} is left of a process that has ended");
        }
    }
}

#[test]
fn an_interrupt_keeps_what_was_seen_and_a_process_that_ends_ends_it() {
    let Some((_tracefs, _device, path)) = device() else {
        return;
    };
    let bench = Bench::new();
    let load = bench.start(&format!("run {path} -b 4K --rate 300 --duration 3m"));
    let words = format!(
        "learn --device {path} --pid {} --for 1h -o i.profile",
        load.id()
    );
    let learn = observing(&bench, &words);
    send("-INT", &learn);
    let said = Said::from(learn.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("interrupted"), "{}", said.err);
    assert!(profile(&bench, "i.profile").learned.ios > 50);
    let words = format!("learn --pid {} --for 1h -o p.profile", load.id());
    let learn = observing(&bench, &words);
    ended(load);
    let said = Said::from(learn.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(profile(&bench, "p.profile").learned.ios > 50);
}

#[test]
fn what_cannot_be_observed_is_refused_with_the_reason() {
    let Some((_tracefs, _device, path)) = device() else {
        return;
    };
    let bench = Bench::new();
    bench.write("file", 1 << 20);
    bench
        .line("learn --device file --dry-run")
        .refused("file: must be a block device");
    bench
        .line(&format!("learn --file {path} --dry-run"))
        .refused("is a block device: must be a file");
    bench
        .line("learn --pid 4000000000 --for 0s --dry-run")
        .refused("invalid value '0s' for --for");
    bench
        .line(&format!(
            "learn --pid 1 --keep-trace {} --dry-run",
            "t.iotrace"
        ))
        .refused("must come with --device or --file");
    let said = bench
        .line(&format!("learn --device {path} --dry-run -o x.profile"))
        .good();
    assert!(said.out.contains("block_bio_queue"), "{}", said.out);
    assert!(!bench.path("x.profile").exists());
    let bench = Bench::of_everybody();
    let mut command = bench.command(&["learn", "--device", &path, "--for", "1s"]);
    let said = Said::from(command.uid(NOBODY).gid(NOBODY).output().unwrap());
    said.refused("I/Os cannot be observed: ");
    assert!(said.err.contains("root"), "{}", said.err);
}

/// Each of these reads has a process of its own, which has ended when its I/O is seen.
#[test]
fn children_that_have_ended_count_and_a_thread_is_no_process() {
    let Some((_tracefs, _device, path)) = device() else {
        return;
    };
    let bench = Bench::new();
    let read = format!("dd if={path} of=/dev/null bs=4k count=1 iflag=direct status=none");
    let script = format!("while :; do {read} skip=$((n = (n + 97) % 16000)); done");
    let mut shell = std::process::Command::new("sh");
    let shell = shell.args(["-c", &script]).spawn().unwrap();
    let words = format!(
        "learn --device {path} --pid {} --for 3s -o c.profile",
        shell.id()
    );
    let said = bench.line(&words);
    ended(shell);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(profile(&bench, "c.profile").learned.ios > 10, "{said:?}");
    // A process that had been created before the trace began, and ended before processes were listed, is unknown.
    let is_edge = said.err.contains("note: 0.");
    assert!(
        is_edge || !said.err.contains("other threads issued"),
        "{said:?}"
    );

    let load = bench.start(&format!("run {path} -b 4K --rate 300 --duration 3m"));
    let tasks = std::fs::read_dir(format!("/proc/{}/task", load.id())).unwrap();
    let mut threads = tasks.map(|task| task.unwrap().file_name().into_string().unwrap());
    let thread = threads.find(|thread| *thread != load.id().to_string());
    let line = format!("learn --pid {} --dry-run", thread.unwrap());
    bench
        .line(&line)
        .refused(&format!("hint: --pid {}", load.id()));
    ended(load);
}

/// Two files of one file system with a load each: the profile is that of one of them, and its places are those in the file.
#[test]
fn the_ios_of_a_file_are_learned_and_no_others() {
    let Some(_tracefs) = Tracefs::open() else {
        return;
    };
    let bench = Bench::new();
    let Some(mounted) = crate::mounted::Mounted::ext4(&bench, &[]) else {
        return;
    };
    let line = |file: &str, block: &str| {
        let file = mounted.folder.join(file);
        let work = format!("--create 8M -b {block} -w 50 --rate 300");
        format!("run '{}' {work} --no-store", file.display())
    };
    let loads = [("a", "8K"), ("b", "16K")].map(|(file, block)| {
        bench
            .line(&format!("{} -d 50ms --warmup 0s", line(file, block)))
            .good();
        bench.start(&format!("{} --duration 3m", line(file, block)))
    });
    let file = mounted.folder.join("a");
    let said = bench.line(&format!(
        "learn --file '{}' --for 3s -o f.profile",
        file.display()
    ));
    for load in loads {
        send("-INT", &load); // a ring of a killed process keeps its file for a while, and the file system is unmounted
        load.wait_with_output().unwrap();
    }
    assert_eq!(said.code, Some(0), "{said:?}");
    let found = profile(&bench, "f.profile");
    assert!(found.learned.ios > 50, "{:?}", found.learned);
    assert!(
        found.workload.range <= Bytes(8 << 20),
        "{:?}",
        found.workload.range
    );
    for side in [found.workload.read, found.workload.write] {
        assert_eq!(side.unwrap().sizes, [(Bytes(8192), 100.0)]);
    }
}
