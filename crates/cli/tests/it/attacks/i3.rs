//! I3: words in a command that is printed to be copied were not quoted.

use crate::bench::Bench;

#[test]
fn i3_a_command_to_copy_has_its_names_in_quotes() {
    let bench = Bench::new();
    for (name, word) in [
        ("a b", "'a b'"),
        ("it's; rm x", r"'it'\''s; rm x'"),
        ("a\nb", r"$'a\nb'"),
        ("$(x)", "'$(x)'"),
    ] {
        let said = bench.say(&["run", "-w", "100", "--destroy", name, "f"]);
        let hint = format!("--destroy {word}: ");
        assert!(said.code == Some(2) && said.err.contains(&hint), "{said:?}");
    }
}
