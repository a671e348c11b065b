//! D11: result files of dialects were judged only before the run; genuine results of fio and IOmeter counted as
//! fathom's; links were replaced by files, and 0600 became 0644.

use crate::bench::{Bench, Said, until};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

const JOB: &str = "fio --name=a --filename=f --size=1m --rw=randread --bs=4k --time_based --no-store --output-format=json";

/// As the originals write them.
const GENUINE: [(&str, &str); 5] = [
    (
        "fio --name=a --filename=f --size=1m --rw=randread --runtime=1 --output-format=json --output=r",
        "{\n  \"fio version\" : \"fio-3.33\",\n  \"timestamp\" : 1700000000,\n  \"jobs\" : []\n}\n",
    ),
    (
        "iometer two-specs.icf r --target-map C:=f --duration 200ms",
        "'Test Type,Test Description\r\n0,years of work\r\n'Version\r\n1.1.0\r\n",
    ),
    (
        "diskspd -d1 -W0 -b4K --text r f",
        "\nCommand Line: diskspd.exe -d60 testfile.dat\n\nInput parameters:\n",
    ),
    (
        "diskspd -d1 -W0 -b4K --xml r f",
        "<Results>\n  <System>\n    <ComputerName>W</ComputerName>\n    <Tool>\n      <Version>2.2</Version>\n",
    ),
    (
        "sqlio -s1 -frandom -b8 --text r f",
        "sqlio v1.5.SG\nusing system counter for latency timings\n",
    ),
];

fn bench() -> Bench {
    let bench = Bench::new();
    let icf = include_bytes!("../iometer/two-specs.icf");
    fs::write(bench.path("two-specs.icf"), icf).unwrap();
    bench
        .line("run -w 100 --create 8M -d 20ms --warmup 0s --no-store f")
        .good();
    bench
}

fn good(said: &Said) {
    assert_eq!(said.code, Some(0), "{said:?}");
}

#[test]
fn genuine_results_of_the_originals_are_somebodys() {
    let bench = bench();
    for (line, text) in GENUINE {
        fs::write(bench.path("r"), text).unwrap();
        let said = bench.line(&format!("{line} --no-store"));
        assert_ne!(said.code, Some(0), "{line}: {said:?}");
        assert!(said.err.contains("would be lost"), "{line}: {said:?}");
        assert_eq!(fs::read_to_string(bench.path("r")).unwrap(), text, "{line}");
    }
}

#[test]
fn a_file_that_appears_during_the_run_stays_and_the_results_are_printed() {
    let bench = bench();
    let line = JOB.replace(" --no-store", "");
    let child = bench.start(&format!("{line} --runtime=4 --output=late.json"));
    // the store is opened after the place was judged
    until(|| bench.path("s.db").exists());
    bench.write("late.json", 3000);
    let thesis = fs::read(bench.path("late.json")).unwrap();
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(fs::read(bench.path("late.json")).unwrap(), thesis);
    assert_eq!(said.json()["jobs"][0]["jobname"], "a");
}

#[test]
fn a_result_that_is_replaced_keeps_its_mode_and_the_link_to_it() {
    let bench = bench();
    let run = |name: &str| good(&bench.line(&format!("{JOB} --runtime=1 --output={name}")));
    run("r.json");
    let first = fs::read(bench.path("r.json")).unwrap();
    fs::set_permissions(bench.path("r.json"), Permissions::from_mode(0o600)).unwrap();
    symlink("r.json", bench.path("link.json")).unwrap();
    run("link.json");
    assert!(bench.path("link.json").is_symlink());
    let there = fs::metadata(bench.path("r.json")).unwrap();
    assert_eq!(there.permissions().mode() & 0o7777, 0o600);
    assert_ne!(fs::read(bench.path("r.json")).unwrap(), first);
}

#[test]
fn a_link_that_another_user_placed_is_not_followed() {
    let bench = bench();
    run_earlier(&bench);
    fs::create_dir(bench.path("open")).unwrap();
    fs::set_permissions(bench.path("open"), Permissions::from_mode(0o1777)).unwrap();
    symlink("../r.json", bench.path("open/r.json")).unwrap();
    symlink("../r.html", bench.path("open/fathom-survey-2.html")).unwrap();
    let before = [
        fs::read(bench.path("r.json")).unwrap(),
        fs::read(bench.path("r.html")).unwrap(),
    ];
    let said = bench.line(&format!("{JOB} --runtime=1 --output=open/r.json"));
    assert_eq!(said.code, Some(2), "{said:?}");
    bench
        .line("report 1 -o open/fathom-survey-2.html")
        .refused("another user");
    bench
        .line("report 1 -o open/fathom-survey-2.html --force")
        .refused("another user");
    bench.line("export 1 --csv --out open/new.csv").done();
    let after = [
        fs::read(bench.path("r.json")).unwrap(),
        fs::read(bench.path("r.html")).unwrap(),
    ];
    assert_eq!(before, after);
}

fn run_earlier(bench: &Bench) {
    good(&bench.line(&format!("{JOB} --runtime=1 --output=r.json")));
    bench.line("run --engine null --warmup 0s -d 20ms").good();
    bench.line("report 1 -o r.html").good();
}
