//! I1: formulas in imported text were active in the CSV.

use crate::bench::Bench;

pub(super) const HOSTILE: &str = r#"{ "fio version" : "fio-3.33", "jobs" : [
{ "jobname" : "=HYPERLINK(\"http://x\",\"y\")", "job options" : { "filename" : "=1+1" }, "read" : { "iops" : 1.5, "total_ios": 3 } },
{ "jobname" : "+cmd|' /C calc'!A0", "job options" : { "filename" : "@SUM(1)" }, "read" : { "iops" : 2.5, "total_ios": 3 } },
{ "jobname" : "\u001b[2J\u009b\u007f\u202e\ufeff\r\n\tx", "job options" : { "filename" : "\u001b]0;x\u0007" }, "read" : { "iops" : 3.5, "total_ios": 3 } }
] }"#;

#[test]
fn i1_no_cell_of_a_csv_is_a_formula() {
    let bench = Bench::new();
    std::fs::write(bench.path("=2+2"), HOSTILE).unwrap();
    bench.say(&["import", "=2+2", "--tag", "-1+1"]);
    bench.say(&["import", "--again", "=2+2"]).good();
    for line in [
        "export 1 --csv",
        "table 1 --csv",
        "db sql --csv SELECT/**/*/**/FROM/**/results",
    ] {
        let words: Vec<String> = line
            .split(' ')
            .map(|word| word.replace("/**/", " "))
            .collect();
        let out = bench.say(&words).good().out;
        assert!(out.contains("'=1+1") || line.starts_with("table"), "{out}");
        for cell in out.lines().flat_map(|line| line.split(',')) {
            let bare = cell.trim_start_matches('"');
            let formula = bare.starts_with(['=', '+', '-', '@', '\t', '\r']);
            assert!(!formula || bare.parse::<f64>().is_ok(), "{line}: {cell}");
        }
    }
}

/// JSON permits DEL and the controls of C1 as they are, and a terminal obeys U+009B as it does ESC [.
#[test]
fn no_document_has_a_control_that_a_terminal_obeys() {
    let bench = Bench::new();
    std::fs::write(bench.path("h"), HOSTILE).unwrap();
    let imported = bench.line("import h --json");
    for line in [
        "show 1 --json",
        "report 1 --json",
        "table 1 --json",
        "list --json",
        "export 1 --json",
    ] {
        let said = bench.line(line).good();
        for out in [&said.out, &imported.out] {
            let obeyed = |c: char| c.is_control() && c != '\n';
            assert!(!out.contains(obeyed), "{line}: {out:?}");
        }
    }
    let shown = bench.line("show 1 --json").good().json().to_string();
    assert!(shown.contains('\u{9b}'), "the same text: {shown}");
}
