//! `fathom quick` and `fathom layers`: what they report, keep and leave.

use crate::bench::Bench;
use crate::mounted::Mounted;

#[test]
fn a_quick_look_at_a_folder_tells_both_sides_and_leaves_nothing() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("d")).unwrap();
    let said = bench.line("quick d --write --size 16M").good();
    assert!(said.out.contains("\n  4 KiB random"), "{said:?}");
    for row in [
        "cached read, 2M",
        "sequential read, with read-ahead",
        "depth 32",
        "each flushed",
        "not flushed",
    ] {
        assert!(said.out.contains(row), "{row}: {said:?}");
    }
    assert_eq!(std::fs::read_dir(bench.path("d")).unwrap().count(), 0);
    let page = |text: &str| text.lines().take(14).collect::<Vec<_>>().join("\n");
    assert_eq!(page(&bench.line("show 1").good().out), page(&said.out));
    let document = bench.line("show 1 --json").good().json();
    assert_eq!(document["rows"].as_array().unwrap().len(), 8);
    assert_eq!(document["complete"], true);
}

#[test]
fn a_quick_look_without_a_target_is_at_the_current_folder() {
    let bench = Bench::new();
    let said = bench.line("quick --size 16M").good();
    assert!(
        said.out.contains("sequential read, with read-ahead"),
        "{said:?}"
    );
    assert!(!bench.path(".fathom-look.dat").exists());
    assert!(bench.line("list").good().out.contains("quick"));
}

#[test]
fn a_quick_look_writes_nothing_of_a_persons_without_the_words() {
    let bench = Bench::new();
    bench.write("letter", 17 << 20);
    let before = bench.snapshot();
    bench.line("quick letter --write").refused("--overwrite");
    bench.line("quick gone").refused("gone");
    bench
        .line("quick . --size 1M")
        .refused("invalid value '1M' for --size");
    bench.write("small", 1000);
    bench.line("quick small").refused("too little to measure");
    std::fs::remove_file(bench.path("small")).unwrap();
    assert_eq!(bench.snapshot(), before);
}

#[test]
fn a_look_names_no_option_that_it_does_not_have() {
    let bench = Bench::new();
    let Some(mounted) = Mounted::memory(&bench, "64M") else {
        return;
    };
    let said = bench.line("quick m --size 16M");
    if said.code == Some(0) {
        println!("skipped: this kernel's file system in memory takes direct I/O");
        return;
    }
    said.refused("no direct I/O (O_DIRECT)");
    let own = said.err.replace("fathom run --cache cached", "");
    assert!(!own.contains("--cache"), "{said:?}");
    assert_eq!(std::fs::read_dir(&mounted.folder).unwrap().count(), 0);
    let gone = bench.line("quick gone");
    gone.refused("gone: there is nothing under this name");
}

#[test]
fn layers_are_compared_in_rounds_and_the_device_is_only_read() {
    let bench = Bench::new();
    let Some(mounted) = Mounted::ext4(&bench, &[]) else {
        return;
    };
    let device = mounted.device.display();
    let line =
        format!("layers {device} --mount m --size 16M --rounds 2 --round-time 200ms --write");
    // A busy disk may complete nothing in a round; its costs have no interval then.
    let (session, said) = (1..=3)
        .map(|session| (session, bench.line(&line)))
        .find(|(session, said)| {
            let shown = bench.line(&format!("show {session} --json"));
            let document: serde_json::Value = serde_json::from_str(&shown.out).unwrap_or_default();
            let whole = said.code == Some(0) && document["rounds"] == 2;
            if !whole {
                println!("once more: {said:?}");
            }
            whole
        })
        .expect("one of three sessions has both rounds");
    assert!(said.out.contains("costs"), "{said:?}");
    for row in [
        "raw, direct I/O",
        "raw, through the cache",
        "file system, direct I/O",
        "file system, through the cache",
    ] {
        assert!(said.out.contains(row), "{row}: {said:?}");
    }
    // A busy machine adds warnings, which come before this note.
    let all = bench.line(&format!("show {session} --verbose")).good().out;
    assert!(all.contains("the raw device was not written"), "{all}");
    let document = bench.line(&format!("show {session} --json")).good().json();
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 10, "no raw writes");
    assert!(rows[2]["cost"]["share"]["high"].is_number());
    let names = std::fs::read_dir(&mounted.folder).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["lost+found"]);
    bench
        .line(&format!(
            "layers {device} --mount m --write --destroy {device}"
        ))
        .refused("mounted");
    bench
        .line("layers m --mount m")
        .refused("this is no block device");
    let gone = bench.line("layers /dev/gone --mount m");
    gone.refused("/dev/gone: there is nothing under this name: specify the device");
    assert_eq!(gone.err.lines().count(), 1, "{gone:?}");
    bench
        .line(&format!("layers {device} --mount gone --rounds 1"))
        .refused("invalid value '1' for --rounds");
}
