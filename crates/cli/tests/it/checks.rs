//! `fathom check`: what cannot be measured is reported in the first line, and nothing else is taken for the target.

use crate::bench::{Bench, Said};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;

const NOBODY: u32 = 65_534;

#[test]
fn what_cannot_be_measured_is_said_in_the_first_line() {
    let bench = Bench::new();
    let said = bench.line("check missing/f --duration 1s");
    assert_eq!(said.code, Some(3), "{said:?}");
    let first = "NOT READY: missing/f cannot be measured: its folder does not exist";
    assert!(said.out.starts_with(first), "{said:?}");
}

#[test]
fn a_misspelt_device_is_no_file_to_be_made() {
    let bench = Bench::new();
    let name = "/dev/fathom-has-no-such-device";
    let said = bench.line(&format!("check {name} --duration 1s"));
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(
        said.out.contains("there is no device of this name"),
        "{said:?}"
    );
    for cache in ["unbuffered", "cached"] {
        bench
            .line(&format!("run {name} --create 1M -d 10ms --cache {cache}"))
            .refused("there is no device of this name: check the spelling");
        bench
            .line(&format!("survey {name} --size 64M --cache {cache}"))
            .refused("there is no device of this name: check the spelling");
    }
    assert!(!std::path::Path::new(name).exists());
}

#[test]
fn a_simulated_target_is_no_file_of_that_name() {
    let bench = Bench::new();
    let said = bench.line("check sim:ssd --duration 1s");
    assert!(said.out.contains("no hardware is measured"), "{said:?}");
    assert!(!said.out.contains("free space"), "{said:?}");
    bench
        .line("check sim:sssd --duration 1s")
        .refused("the model \"sssd\" is not known");
}

#[test]
fn a_small_file_calls_for_care() {
    let bench = Bench::new();
    bench.write("small", 4096);
    let said = bench.line("check small --duration 1s");
    assert!(
        said.out.contains("its size of 4 KiB fits into any cache"),
        "{said:?}"
    );
}

#[test]
fn what_this_user_may_not_use_cannot_be_measured() {
    let bench = Bench::of_everybody();
    bench.write("secret", 100 << 20);
    let closed = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(bench.path("secret"), closed(0o600)).unwrap();
    std::fs::create_dir(bench.path("folder")).unwrap();
    std::fs::set_permissions(bench.path("folder"), closed(0o755)).unwrap();
    let program = bench.copy_of_program();
    if !is_root() {
        return println!("skipped: only root can become another user");
    }
    let of_nobody = |words: &[&str]| {
        let mut command = bench.command_of(&program, words);
        Said::from(command.uid(NOBODY).gid(NOBODY).output().unwrap())
    };
    let said = of_nobody(&["check", "secret", "--duration", "1s"]);
    let first = "NOT READY: secret cannot be measured: permission denied";
    assert!(said.out.starts_with(first), "{said:?}");
    let said = of_nobody(&["check", "folder", "--duration", "1s"]);
    let first = "NOT READY: folder cannot be measured: no permission to create a file there";
    assert!(said.out.starts_with(first), "{said:?}");
    of_nobody(&["survey", "--read-only", "secret"]).refused("secret: permission denied");
}

fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    status.lines().any(|line| line.starts_with("Uid:\t0\t0\t"))
}

#[test]
fn a_target_is_ready_only_where_a_survey_of_it_starts() {
    let bench = Bench::new();
    bench.write("letters", 65 << 20);
    let said = bench.line("check letters --duration 1s");
    assert!(
        said.out.contains("a survey that writes is refused"),
        "{said:?}"
    );
    let Some(_memory) = crate::mounted::Mounted::memory(&bench, "600M") else {
        return;
    };
    let said = bench.line("check m --duration 1s");
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(
        said.out.starts_with("NOT READY: m cannot be measured: "),
        "{said:?}"
    );
    assert!(said.out.contains("no direct I/O (O_DIRECT)"), "{said:?}");
    // The default is the survey's own target.
    let said = bench.line("check --duration 1s");
    assert!(said.out.contains("fathom.dat"), "{said:?}");
}
