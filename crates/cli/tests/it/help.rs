//! Help, version, completions and man pages.

use crate::bench::Bench;
use expect_test::expect_file;

#[test]
fn help_says_what_there_is() {
    let bench = Bench::new();
    for command in [
        "", "run", "survey", "sweep", "quick", "layers", "files", "dd", "lmdd", "sgp_dd",
        "iometer", "import", "trace", "replay", "learn", "fidelity", "verify", "list", "show",
        "table", "compare", "baseline", "pts", "report", "export", "tag", "note", "delete", "db",
        "devices", "explain", "docs",
    ] {
        let said = bench.line(&format!("{command} --help")).good();
        let wide = said.out.lines().map(|line| line.chars().count()).max();
        assert!(wide <= Some(100), "{command}: {wide:?}");
        let name = if command.is_empty() {
            "fathom"
        } else {
            command
        };
        expect_file![format!(
            "{}/tests/it/help/{name}.txt",
            env!("CARGO_MANIFEST_DIR")
        )]
        .assert_eq(&said.out);
    }
}

#[test]
fn the_short_help_has_what_most_people_use() {
    let bench = Bench::new();
    let of = |line: &str| bench.line(line).good().out;
    let lines = |text: &str| text.lines().count();
    let (short, whole) = (of("-h"), of("--help"));
    assert!(
        lines(&short) < 40 && lines(&short) < lines(&whole),
        "{short}"
    );
    for part in [
        "Measure:",
        "Results:",
        "Understand:",
        "System:",
        "  survey ",
        "`fathom --help`",
    ] {
        assert!(short.contains(part), "{part}: {short}");
    }
    assert!(!short.contains("sgp_dd") && whole.contains("sgp_dd"));
    for command in ["run", "survey", "sweep"] {
        let (short, whole) = (
            of(&format!("{command} -h")),
            of(&format!("{command} --help")),
        );
        let options = short
            .lines()
            .filter(|line| line.trim_start().starts_with('-'));
        assert_eq!(
            options.count(),
            14,
            "twelve, --no-color and --help: {short}"
        );
        assert!(lines(&short) < lines(&whole), "{short}");
        assert!(short.contains(&format!("`fathom {command} --help` prints all options.")));
    }
}

#[test]
fn without_words_the_help_is_a_refusal() {
    let said = Bench::new().line("");
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    assert!(said.err.contains("Usage: fathom [OPTIONS] <COMMAND>"));
}

#[test]
fn the_version_is_that_of_the_package() {
    let said = Bench::new().line("--version").good();
    assert_eq!(said.out, format!("fathom {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_and_man_pages_come_from_the_same_description() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = bench.line(&format!("completions {shell}")).good();
        assert!(script.out.contains("continue-on-error"), "{shell}");
    }
    bench.line("man nowhere").refused("this is not a folder");
    std::fs::create_dir(bench.path("man")).unwrap();
    assert_eq!(bench.line("man man").code, Some(0));
    let page = std::fs::read_to_string(bench.path("man").join("fathom-run.1")).unwrap();
    assert!(page.contains("write\\-through") && page.contains("EXIT STATUS"));
}
