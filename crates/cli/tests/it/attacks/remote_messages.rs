//! What another host prints: it is one message each, without what a terminal obeys, and bounded.

use crate::bench::Bench;
use std::os::unix::fs::PermissionsExt;

#[test]
fn messages_of_a_rank_are_escaped_named_and_bounded() {
    let bench = Bench::new();
    let script = "#!/bin/sh\nshift\nprintf 'fathom: f: nothing to fear\\033[2J\\033]0;owned\\007\\n' >&2\n\
                  yes 'a line that never ends' | head -c 20000000 >&2\nexec sh -c \"$1\"\n";
    std::fs::write(bench.path("ssh"), script).unwrap();
    std::fs::set_permissions(bench.path("ssh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = env!("CARGO_BIN_EXE_fathom");
    let ssh = bench.path("ssh").display().to_string();
    let line = "run f.{rank} --create 1M -d 500ms --warmup 0s --json --hosts localhost,b --ssh";
    let mut words: Vec<&str> = line.split_whitespace().collect();
    words.extend([&ssh, "--remote-fathom", program]);
    let said = bench.say(&words).good();
    assert_eq!(said.json()["hosts"].as_array().unwrap().len(), 2);
    assert!(!said.err.contains('\u{1b}') && !said.err.contains('\u{7}'));
    assert!(said.err.len() < 200_000, "{}", said.err.len());
    assert!(
        said.err.contains("rank 1: f: nothing to fear"),
        "{}",
        &said.err[..500]
    );
    assert!(
        said.err
            .contains("rank 1: more messages of this rank are omitted")
    );
    let own = |line: &str| line.starts_with("fathom: f: nothing");
    assert!(!said.err.lines().any(own));
}
