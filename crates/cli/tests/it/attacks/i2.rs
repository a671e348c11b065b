//! I2: characters that a terminal obeys were printed unchanged.

use super::i1::HOSTILE;
use crate::bench::Bench;

#[test]
fn i2_nothing_that_is_printed_steers_a_terminal() {
    let bench = Bench::new();
    let name = "a\u{1b}[2J\u{9b}\u{7f}\u{202e}\u{feff}\u{61c}\u{e0041}\u{fff9}b";
    std::fs::write(bench.path(name), HOSTILE).unwrap();
    let mut said = vec![
        bench.say(&["import", name]),
        bench.say(&["import", "-n", name]),
        bench.say(&["import", &format!("{name}x")]),
        bench.say(&["run", "-w", "100", name]),
        bench.say(&["run", "--store", name, "-d", name, name]),
        bench.say(&["report", "1", "-o", &format!("{name}/x/y")]),
        bench.say(&["baseline", "set", name, "1"]),
    ];
    for line in [
        "list",
        "show 1",
        "show 1.3",
        "table 1",
        "table 1 --csv",
        "export 1 --csv",
        "baseline list",
        "devices",
        "compare 1.1 1.3",
    ] {
        said.push(bench.line(line));
    }
    let words = ["db", "sql", "SELECT * FROM results"];
    said.push(bench.say(&words));
    said.push(bench.say(&[&words[..], &["--csv"]].concat()));
    for said in said {
        let all = format!("{}{}", said.out, said.err);
        let strange = all.chars().find(|c| *c != '\n' && !model::is_visible(*c));
        assert_eq!(strange, None, "{said:?}");
    }
}
