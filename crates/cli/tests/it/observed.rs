//! `fathom learn` of a device, a file and a process that do I/O while it runs.

use crate::bench::{Bench, Said, send};
use crate::looped::Loop;
use crate::tracefs::Tracefs;
use model::Bytes;
use std::os::unix::process::CommandExt;
use std::process::Child;
use traces::LearnedProfile;

/// A user who may not trace.
const NOBODY: u32 = 65_534;

/// A loop device, if this machine has one and traces it.
fn device() -> Option<(Tracefs, Loop, String)> {
    let tracefs = Tracefs::open()?;
    let device = Loop::new(&["--direct-io=off"])?;
    if !std::path::Path::new("/sys/kernel/tracing/instances").is_dir() {
        println!("skipped: tracefs is not at its usual place");
        return None;
    }
    let path = device.device.display().to_string();
    Some((tracefs, device, path))
}

fn ended(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

fn profile(bench: &Bench, name: &str) -> LearnedProfile {
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
    let ours = format!("fathom-learn-{}", std::process::id());
    assert!(left.flatten().all(|one| one.file_name() != ours.as_str()));
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
    let learn = bench.start(&words);
    std::thread::sleep(std::time::Duration::from_secs(2));
    send("-INT", &learn);
    let said = Said::from(learn.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("interrupted"), "{}", said.err);
    assert!(profile(&bench, "i.profile").learned.ios > 50);
    let words = format!("learn --pid {} --for 1h -o p.profile", load.id());
    let learn = bench.start(&words);
    std::thread::sleep(std::time::Duration::from_secs(2));
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
