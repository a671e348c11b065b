//! A file that is not of the kind that is read, and that perhaps only the user who runs fathom can read: a message has its name
//! and the number of a line, and nothing of its content, also where another file names it.

use crate::bench::Bench;
use std::fs;

/// What files with secrets look like.
const FILES: [&str; 12] = [
    "root:$6$SECRETsalt$SECREThash:19000:0:99999:7:::\ndaemon:*SECRET:19000\n",
    "[default]\naws_access_key_id = SECRETID\naws_secret_access_key = SECRETKEY\n",
    "SECRETTOKEN\n",
    "-----BEGIN PRIVATE KEY-----\nSECRETMIIEv==\n-----END PRIVATE KEY-----\n",
    "{\"password\": \"SECRET\", \"n\": [1, 2]}\n",
    "[client]\nuser=SECRETuser\npassword=SECRET\nport=3306\n",
    "alice SECRET 1\nbob SECRET 22 SECRET\nPort 22\n",
    "password = \"SECRET\"\n[a]\nb = \"SECRET\"\n",
    "\"SECRET\n",
    "'SECRET\nSECRET\n",
    "SECRET,1,2,3,4\n1,SECRET,5,SECRET,7\n",
    "[SECRET]\nSECRET=SECRET\n\0SECRET\n",
];

/// Everything that reads a file; `@` is its name, and `inner` and `first` name it in jobs of their own.
const LINES: &[&str] = &[
    "fio @",
    "fio --parse-only @",
    "fio inner.fio",
    "fio first.fio",
    "fio --parse-only inner.fio",
    "fio trace.fio",
    "fio --name=a --filename=t --read_iolog=@",
    "sqlio -F@",
    "import @",
    "import --dry-run --json @",
    "iometer @",
    "sweep --plan @",
    "sweep --plan @ --dry-run",
    "survey --workload ./@ --no-store t",
    "run --profile @ --dry-run t",
    "diskspd -X@",
    "trace @",
    "trace --format iotrace @",
    "trace --format blktrace @",
    "trace --format fio3 @",
    "trace --format spc @",
    "trace --format msr @",
    "trace --format kernel @",
    "trace --format csv:time,offset,length,operation @",
    "replay @ t",
    "learn @",
    "fidelity @ @",
    "verify --journal @ t",
    "verify @",
    "list --store @",
    "db check --store @",
    "ior -f @",
    "run --engine null -d 20ms --warmup 0s --no-store --events @",
];

#[test]
fn nothing_of_a_file_that_is_no_job_trace_plan_or_result_is_printed() {
    let bench = Bench::new();
    fs::write(bench.path("t"), vec![0; 1 << 20]).unwrap();
    let mut printed = Vec::new();
    for content in FILES {
        fs::write(bench.path("x"), content).unwrap();
        fs::write(
            bench.path("inner.fio"),
            "[global]\nsize=1m\ninclude x\n[a]\nrw=read\n",
        )
        .unwrap();
        fs::write(bench.path("first.fio"), "include x\n[a]\nsize=1m\n").unwrap();
        fs::write(bench.path("trace.fio"), "[a]\nfilename=t\nread_iolog=x\n").unwrap();
        for line in LINES {
            let line = line.replace('@', "x");
            let said = bench.line(&line);
            let all = said.out.clone() + &said.err;
            if all.contains("SECRET") {
                printed.push(format!("{line}: {all}"));
            }
            let is_read = !line.contains("--engine null");
            assert!(
                !is_read || matches!(said.code, Some(1..=3)),
                "{line}: {said:?}"
            );
        }
    }
    assert!(printed.is_empty(), "{}", printed.join("\n"));
}

#[test]
fn a_slip_in_a_job_or_plan_is_still_quoted() {
    let bench = Bench::new();
    fs::write(bench.path("t"), vec![0; 1 << 20]).unwrap();
    for (content, line, quoted) in [
        ("[a]\nsize=1m\nrww=read\n", "fio x", "x:3: rww"),
        ("[a]\nsize=1m\nrw=reed\n", "fio x", "'reed'"),
        ("size=1m\n", "fio x", "x:1: size=1m"),
        (
            "depth = 4\nblok = 5\n",
            "sweep --plan x",
            "`blok` (did you mean block?)",
        ),
        (
            "[[workload]]\nblok = 5\n",
            "survey --workload ./x t",
            "blok",
        ),
        ("fio version 3 iolog\n0 t read x 1\n", "trace x", "'x'"),
        ("Version 1.1.0\n'TEST SETUPS\n", "iometer x", "TEST SETUPS"),
        (
            "a 1\nb 0\n",
            "sqlio -Fx",
            "line 2: invalid value for threads",
        ),
    ] {
        fs::write(bench.path("x"), content).unwrap();
        let said = bench.line(line);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(quoted), "{quoted}: {said:?}");
    }
}
