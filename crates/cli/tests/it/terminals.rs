//! What a person at a terminal sees. `script` of util-linux lends one.

use crate::bench::{Bench, Said, answered};
use std::process::Command;

/// Runs the program on a terminal of so many columns, and returns what it prints without colours. `None`, with the reason
/// printed, where there is none.
pub(crate) fn on_terminal(bench: &Bench, columns: u32, line: &str) -> Option<String> {
    on_coloured_terminal(bench, columns, line, &[]).map(|screen| plain(&screen))
}

/// The same with the colours, and with these variables.
fn on_coloured_terminal(
    bench: &Bench,
    columns: u32,
    line: &str,
    variables: &[(&str, &str)],
) -> Option<String> {
    shell_on_terminal(bench, columns, &format!("fathom {line}"), variables)
}

/// Runs a line of the shell, for which `fathom` is the program of these tests.
pub(crate) fn shell_on_terminal(
    bench: &Bench,
    columns: u32,
    line: &str,
    variables: &[(&str, &str)],
) -> Option<String> {
    let (folder, _) = env!("CARGO_BIN_EXE_fathom").rsplit_once('/').unwrap();
    let shell = format!("stty rows 24 cols {columns} && PATH='{folder}':$PATH && {line}");
    let output = Command::new("script")
        .args(["-qec", &shell, "/dev/null"])
        .current_dir(bench.path(""))
        .env("FATHOM_STORE", bench.path("s.db"))
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .envs(variables.iter().copied())
        .output();
    match output {
        Ok(output) if output.status.success() => Some(String::from_utf8(output.stdout).unwrap()),
        Ok(output) => panic!("{output:?}"),
        Err(_) => {
            eprintln!("skipped: script of util-linux is not installed");
            None
        }
    }
}

/// What ever stood on a line of the screen: each state of the progress, then the result.
fn lines(screen: &str) -> Vec<&str> {
    screen
        .split(['\n', '\r'])
        .flat_map(|line| line.split("\u{1b}[2K"))
        .collect()
}

#[test]
fn the_last_line_of_a_survey_stays() {
    let bench = Bench::new();
    for line in [
        "survey --size 64M --depth-max 1 --budget 3s",
        "survey --depth-max 1 --budget 3s",
        "survey --engine null --depth-max 1 --budget 3s",
    ] {
        let Some(screen) = on_terminal(&bench, 100, line) else {
            return;
        };
        let (_, after) = screen.rsplit_once("details").expect(&screen);
        assert!(!after.contains('\u{1b}'), "{line}: {after:?}");
    }
}

#[test]
fn nothing_wraps_at_eighty_columns() {
    let bench = Bench::new();
    let line = "survey --engine null --depth-max 1 --budget 3s";
    let Some(screen) = on_terminal(&bench, 80, line) else {
        return;
    };
    assert!(screen.contains("QD1 p50"), "{screen:?}");
    for line in lines(&screen) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn tables_keep_their_figures_whole_at_eighty_columns() {
    let bench = Bench::new();
    for seed in [1, 2] {
        bench
            .line(&format!(
                "sweep sim:ssd -b 8K,64K -o 1..8 -w 0,25 --pattern random,sequential -d 1s --warmup 0s --seed {seed}"
            ))
            .good();
    }
    bench.line("survey sim:cliff --page none").good();
    for line in ["compare 1 2", "compare 3 3", "show 1", "show 3", "list"] {
        let Some(screen) = on_terminal(&bench, 80, line) else {
            return;
        };
        for row in lines(&screen) {
            assert!(row.chars().count() <= 80, "{line}: {row}");
            let cut = format!("{row} ").replace(" … ", " ");
            assert!(!cut.contains('…'), "{line}: {row}");
        }
    }
}

/// Whether a number goes on behind a mark of omission, or before one.
fn has_cut_figure(line: &str) -> bool {
    let characters: Vec<char> = line.chars().collect();
    characters.windows(2).any(|pair| match pair {
        ['…', digit] | [digit, '…'] => digit.is_ascii_digit(),
        _ => false,
    })
}

/// What a terminal of each width is to show whole, of the sessions that the test stores first.
const VIEWS: &[&str] = &[
    "list",
    "show 1",
    "show 2",
    "show 4",
    "show 5",
    "show 6",
    "show 7",
    "show 8",
    "show 9",
    "show 10",
    "show 1 --verbose",
    "show 8 --verbose",
    "report 8 -o r.html --force",
    "trace trace.spc",
    "fidelity trace.spc trace.spc || true",
    "sweep sim:ssd -b 4K,8K -o 1..8 --dry-run",
    "pts iops sim:ssd --dry-run",
    "check . || true",
    "note 1 --comment text",
    "ior --help",
    "compare 2 3",
    "compare 4 5 || true",
    "table",
    "explain",
    "explain verified",
    "baseline list",
    "devices",
    "db check",
    "fio --help",
    "diskspd -? || true",
    "sqlio -? || true",
];

#[test]
fn every_view_fits_terminals_of_forty_to_two_hundred_columns() {
    let bench = Bench::new();
    for line in [
        "survey sim:cliff --page none",
        "sweep sim:ssd -b 8K,64K -o 1,8 -w 0,25 --pattern random,sequential -d 1s --warmup 0s --seed 1",
        "sweep sim:ssd -b 8K,64K -o 1,8 -w 0,25 --pattern random,sequential -d 1s --warmup 0s --seed 2",
        "run sim:ssd,data=64M --length 64M -w 50 -d 1s --verify full",
        "run sim:spindle -d 1s --rate 50",
        "quick . --size 64M",
        "files . --files 20 --file-size 100 --folders 2 --data 64K --block 8K --skip bytes --threads 1",
        "pts tp sim:ssd,law=constant --scale 1/1000 --max-rounds 5",
        "dd conv=fdatasync bs=1M count=16 if=/dev/zero of=copy.dat",
        "watch --count 1 --plain --record",
        "baseline set good 1",
    ] {
        let done = bench.line(line);
        assert!(
            !done.out.is_empty() || done.code == Some(0),
            "{line}: {done:?}"
        );
    }
    let trace: String = (0..200)
        .map(|at| {
            format!(
                "0,{},4096,{},{}.{:03}\n",
                at * 64,
                ["r", "w"][at % 2],
                at / 40,
                at % 40
            )
        })
        .collect();
    std::fs::write(bench.path("trace.spc"), trace).unwrap();
    for columns in [40, 60, 80, 100, 140, 200] {
        for view in VIEWS {
            let Some(screen) = on_terminal(&bench, columns, view) else {
                return;
            };
            for row in lines(&screen) {
                let wide = row.chars().count() > columns as usize;
                // A name of this machine, which may be cut, may have digits.
                let is_cut = *view != "devices" && has_cut_figure(row);
                assert!(!wide && !is_cut, "{columns} {view}: {row:?}");
            }
        }
    }
}

/// A text without the sequences that colour it.
pub(crate) fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    let behind = |part: &str| match part.split_once('m') {
        Some((codes, rest)) if codes.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';')) => {
            rest.to_owned()
        }
        _ => format!("\u{1b}[{part}"),
    };
    first + &parts.map(behind).collect::<String>()
}

#[test]
fn answers_of_sql_fit_eighty_columns_and_are_whole_elsewhere() {
    let bench = Bench::new();
    bench
        .line("run --engine null --duration 20ms --warmup 0s")
        .good();
    let of_long = "SELECT number, ios, plan_json, host_json FROM runs";
    for query in ["SELECT * FROM results", of_long] {
        let line = format!("db sql '{query}'");
        let Some(screen) = on_terminal(&bench, 80, &line) else {
            return;
        };
        let piped = bench.say(&["db", "sql", query]).good().out;
        for row in lines(&screen) {
            assert!(row.chars().count() <= 80, "{line}: {row}");
        }
        let screen = lines(&screen).join("\n");
        assert!(screen.contains("at 80 columns "), "{screen}");
        assert!(screen.contains("--csv and --json have all"), "{screen}");
        assert!(
            !piped.contains("at 80 columns ") && !piped.contains('…'),
            "{piped}"
        );
    }
    let csv = bench.say(&["db", "sql", of_long, "--csv"]).good().out;
    assert!(!csv.contains('…') && csv.contains("arrivals"), "{csv}");
}

/// A user's `grep` finds a sentence, and the path in it, only where neither is broken.
#[test]
fn sentences_are_whole_where_the_output_is_no_terminal() {
    let bench = Bench::new();
    let folder = bench.path(&"long-name-of-a-folder-".repeat(8));
    std::fs::create_dir(&folder).unwrap();
    let (file, store) = (folder.join("f.dat"), folder.join("s.db"));
    let (file, store) = (file.to_str().unwrap(), store.to_str().unwrap());
    let run = |words: &[&str], columns: Option<&str>| {
        let said = answered(words, |words| {
            let mut command = bench.command(words);
            command.env("FATHOM_STORE", store);
            if let Some(columns) = columns {
                command.env("COLUMNS", columns);
            }
            Said::from(command.output().unwrap())
        });
        said.good().out
    };
    let measure = [
        "run", file, "--create", "1M", "-d", "20ms", "--warmup", "0s",
    ];
    let measured = run(&measure, None);
    assert!(
        measured
            .lines()
            .next()
            .unwrap()
            .starts_with(&format!("{file}, 1 MiB")),
        "{measured}"
    );
    for (line, whole) in [
        (
            &["db", "check"][..],
            format!("{store}: 1 session and 1 result, all whole"),
        ),
        (
            &["show", "1", "--verbose"],
            format!("stored   1 in {store}"),
        ),
        (&["list"], file.to_owned()),
        (
            &["explain", "saturated"],
            "reported as `iops-limit` or `bandwidth-limit`".to_owned(),
        ),
    ] {
        let piped = run(line, None);
        assert!(piped.contains(&whole), "{line:?}: {piped}");
        for columns in ["60", "100"] {
            let set = run(line, Some(columns));
            let widest = set.lines().map(|row| row.chars().count()).max();
            assert!(
                widest.unwrap() <= columns.parse().unwrap(),
                "{columns} {line:?}: {set}"
            );
        }
        for unusable in ["", "0", "wide", "-1"] {
            assert_eq!(run(line, Some(unusable)), piped, "COLUMNS={unusable}");
        }
    }
}

/// Returns whether the output sets a colour: SGR 30 to 38 and 90 to 97, ECMA-48.
fn has_colours(screen: &str) -> bool {
    let orders = screen.split("\u{1b}[").skip(1);
    let colours = orders.filter_map(|order| Some(order.split_once('m')?.0));
    let numbers = |codes: &str| {
        let codes = codes.split(';').map(str::parse::<u32>);
        codes.collect::<Result<Vec<_>, _>>().unwrap_or_default()
    };
    colours
        .flat_map(numbers)
        .any(|code| matches!(code, 30..=38 | 90..=97))
}

#[test]
fn colours_are_used_on_a_screen_unless_they_are_not_wanted() {
    let bench = Bench::new();
    let run = "run --engine null --live --duration 300ms --no-store";
    for (line, coloured) in [
        (run.to_owned(), true),
        (format!("{run} --no-color"), false),
        (format!("--no-color {run}"), false),
        ("run --help".to_owned(), false),
    ] {
        // No user is at this terminal, so the screen may end the run.
        let Some(screen) = on_coloured_terminal(&bench, 100, &format!("{line} || true"), &[])
        else {
            return;
        };
        assert_eq!(has_colours(&screen), coloured, "{line}: {screen:?}");
    }
}

#[test]
fn help_and_messages_are_as_plain_as_asked() {
    let bench = Bench::new();
    let Some(bold) = on_coloured_terminal(&bench, 100, "run --help", &[]) else {
        return;
    };
    assert!(bold.contains("\u{1b}["), "{bold:?}");
    let plain = on_coloured_terminal(&bench, 100, "run --help --no-color", &[]).unwrap();
    assert!(!plain.contains("\u{1b}["), "{plain:?}");
    let wrong = on_coloured_terminal(&bench, 100, "run --no-color --bogus || true", &[]).unwrap();
    assert!(
        wrong.contains("--bogus") && !wrong.contains("\u{1b}["),
        "{wrong:?}"
    );
}

#[test]
fn verdicts_and_labels_have_colours_on_a_terminal_only() {
    let bench = Bench::new();
    bench.line("survey sim:spindle --page none").good();
    let piped = bench.line("show 1").good().out;
    assert!(!piped.contains('\u{1b}'), "{piped}");
    let of =
        |line: &str, variables: &[(&str, &str)]| on_coloured_terminal(&bench, 100, line, variables);
    let Some(screen) = of("show 1", &[]) else {
        return;
    };
    let yellow = |text: &str| format!("\u{1b}[1;33m{text}\u{1b}[0m");
    assert!(
        screen.contains(&format!("\n{} (", yellow("CAUTION"))),
        "{screen:?}"
    );
    assert!(
        screen.contains(&format!("{}  ", yellow("warning"))),
        "{screen:?}"
    );
    assert!(screen.contains("*\u{1b}[0m"), "{screen:?}");
    assert!(of("list", &[]).unwrap().contains(&yellow("CAUTION")));
    for (line, variables) in [
        ("show 1 --no-color", &[][..]),
        ("show 1", &[("NO_COLOR", "1")]),
        ("show 1", &[("OMPI_COMM_WORLD_SIZE", "1")]), // the terminal is mpirun's, the output may go to a file
        ("show 1", &[("TERM", "dumb")]),
        ("show 1 --json", &[]),
        ("list --json", &[]),
        ("table --csv || true", &[]),
        ("export 1 --csv || true", &[]),
    ] {
        let screen = of(line, variables).unwrap();
        assert!(!has_colours(&screen), "{line} {variables:?}: {screen:?}");
    }
}
