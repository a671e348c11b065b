//! The cases of IOR's dialect by their numbers: what runs, what is refused, and what is different.

use model::{Access, Allocation, Bytes, CacheMode, PermutedAccess, Timespan, VerifyLevel};
use std::path::{Path, PathBuf};
use tools::fio::There;
use tools::ior::{Environment, Form, Phase, Request, Test, names, parse, timespan};

fn request_with(line: &str, script: &str) -> Result<Request, String> {
    let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let read = |_: &str| Ok(script.to_owned());
    parse(&args, &environment(&read, 1)).map_err(|refused| refused.to_string())
}

fn environment(read: &dyn Fn(&str) -> Result<String, String>, ranks: u32) -> Environment<'_> {
    Environment { read, ranks }
}

/// The test of a line that a launcher started so often, on these hosts.
fn test_of(line: &str, hosts: &[&str]) -> (Test, String) {
    let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let read = |_: &str| Err(String::new());
    let parsed = parse(&args, &environment(&read, hosts.len() as u32));
    let mut request = parsed.unwrap_or_else(|why| panic!("{why}"));
    let names: Vec<String> = hosts.iter().map(|&name| name.to_owned()).collect();
    let mut test = request.tests.remove(0);
    test.place(&names);
    let notes: Vec<String> = request.notes.iter().map(ToString::to_string).collect();
    (test, notes.join("\n"))
}

#[test]
fn processes_are_tasks_and_the_first_of_them_take_part() {
    let of = |line: &str| test_of(line, &["a", "a", "b", "b"]);
    let (all, notes) = of("-w -o f");
    assert_eq!((all.task_count(), notes.as_str()), (4, ""));
    assert_eq!(of("-w -N 2 -o f").0.task_count(), 2);
    let (more, notes) = of("-w -N 5 -o f");
    assert_eq!(more.task_count(), 4);
    assert!(notes.contains("-N"), "{notes}");
    let write = timespan(&all, Phase::Write, 0, &|_: &Path| None, None);
    assert_eq!((write.targets.len(), write.targets[0].threads), (1, 4));
    assert_eq!(write.targets[0].create, Some(Bytes::mib(4)));
}

/// IOR 4.1: `rankOffset = taskPerNodeOffset * shift % numTasks`, with one host more for `-W`; shift is the tasks of the first
/// host where the second task is on it, and 1 else.
#[test]
fn a_task_reads_what_a_task_of_another_host_wrote() {
    let shifts = |line: &str, hosts: &[&str]| {
        let (test, _) = test_of(line, hosts);
        [Phase::Write, Phase::Read, Phase::CheckWrite].map(|phase| test.shift(phase))
    };
    let by_slots = ["a", "a", "b", "b", "c", "c"];
    let by_hosts = ["a", "b", "c", "a", "b", "c"];
    assert_eq!(shifts("-w -r -W -C -o f", &by_slots), [0, 2, 4]);
    assert_eq!(shifts("-w -r -W -C -Q 2 -o f", &by_slots), [0, 4, 0]);
    assert_eq!(shifts("-w -r -W -C -o f", &by_hosts), [0, 1, 2]);
    assert_eq!(shifts("-w -r -W -o f", &by_hosts), [0, 0, 0]);
    assert_eq!(shifts("-w -r -C -o f", &["a", "a", "a"]), [0, 0, 0]);
    assert_eq!(request("-r -C -N 4 -o f").tests[0].shift(Phase::Read), 0);
}

fn request(line: &str) -> Request {
    request_with(line, "").unwrap_or_else(|why| panic!("{why}"))
}

fn refused(line: &str) -> String {
    match request_with(line, "") {
        Ok(_) => panic!("{line} is accepted"),
        Err(why) => why,
    }
}

fn span(line: &str, phase: Phase) -> Timespan {
    timespan(&request(line).tests[0], phase, 0, &|_: &Path| None, None)
}

fn runs(run: u64, columns: u32) -> Access {
    Access::Runs {
        run,
        columns,
        first: 0,
    }
}

fn notes(line: &str) -> String {
    let notes = request(line).notes;
    let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
    notes.join("\n")
}

#[test]
fn i01_and_i02_a_write_and_a_read_of_a_shared_file() {
    let test = &request("-w -r -b 4m -t 1m -o f -N 2").tests[0];
    assert_eq!(test.phases(), [Phase::Write, Phase::Read]);
    let span = span("-w -r -b 4m -t 1m -o f -N 2", Phase::Write);
    let [target] = &span.targets[..] else {
        panic!("{span:?}")
    };
    assert_eq!((target.threads, target.workload.queue_depth.0), (2, 1));
    assert_eq!(target.workload.access, runs(4, 2));
    assert_eq!(
        (target.workload.block, target.amount),
        (Bytes::mib(1), Some(Bytes::mib(4)))
    );
    assert_eq!(
        (target.cache, target.allocation),
        (CacheMode::Cached, Allocation::Emptied)
    );
    assert_eq!(
        (target.create, target.length),
        (Some(Bytes::mib(8)), Some(Bytes::mib(8)))
    );
    assert_eq!(span.engine, model::EngineChoice::Sync);
    let test = &request("-o f").tests[0];
    assert_eq!(test.phases(), [Phase::Write, Phase::Read]);
    assert_eq!(
        (test.layout.block, test.layout.transfer),
        (1 << 20, 256 << 10)
    );
    assert_eq!(test.files.keep, 0);
}

#[test]
fn i03_to_i05_letters_and_their_values() {
    let glued = "-w -b1m -t1m -o f";
    assert_eq!(
        request(glued).tests[0].layout,
        request("-w -b 1m -t=1m -o f").tests[0].layout
    );
    assert!(notes(glued).contains("-m"), "{}", notes(glued));
    let kept = request("-w -b4k -t4k -o f");
    assert_eq!(
        (kept.tests[0].files.keep, kept.tests[0].layout.block),
        (0, 4096)
    );
    assert!(notes("-w -b4k -t4k -o f").contains("-k"));
    let both = &request("-wr -b 1m -t 1m -o f").tests[0];
    assert_eq!((both.actions.write, both.actions.read), (1, 1));
    assert!(refused("-w -zz -F -o f").contains("-z -z"));
}

#[test]
fn i06_to_i09_sizes() {
    assert!(refused("-w -b 1.5m -t 1m").contains("1 byte"));
    let mib = request("-w -b 1mib -t 1M -o f");
    assert_eq!(
        (mib.tests[0].layout.block, mib.tests[0].layout.transfer),
        (1 << 20, 1 << 20)
    );
    assert!(notes("-w -b 1mib -t 1M -o f").contains("ib"));
    let odd = refused("-w -b 12 -t 4");
    assert!(
        odd.contains("-b: must be a multiple of 8") && odd.contains("-t: must be a multiple of 8")
    );
    assert!(refused("-w -b 1m -t 3k").contains("transfer size"));
}

#[test]
fn i10_to_i12_names() {
    let of = |line: &str, repetition| names(&request(line).tests[0], repetition);
    let paths = |all: &[&str]| all.iter().map(PathBuf::from).collect::<Vec<_>>();
    assert_eq!(
        of("-w -F -k -o d/a@d/b -N 2", 0),
        paths(&["d/a.00000000", "d/b.00000001"])
    );
    assert_eq!(
        of("-w -F -u -k -o d/a -N 2", 0),
        paths(&["d/0/a.00000000", "d/1/a.00000001"])
    );
    assert_eq!(of("-w -m -i 2 -k -o d/a", 0), paths(&["d/a.0"]));
    assert_eq!(of("-w -m -i 2 -k -o d/a", 1), paths(&["d/a.1"]));
    let own = span("-w -F -k -o d/a -N 2", Phase::Write);
    assert_eq!(own.targets.len(), 2);
    assert!(own.targets.iter().all(|target| target.threads == 1));
}

#[test]
fn i13_and_i14_segments_and_odd_transfers() {
    let span = |line| span(line, Phase::Write).targets.remove(0);
    let target = span("-w -s 4 -b 1m -t 256k -o f -N 2");
    assert_eq!(target.workload.access, runs(4, 2));
    assert_eq!(
        (target.amount, target.length),
        (Some(Bytes::mib(4)), Some(Bytes::mib(8)))
    );
    let odd = span("-w -t 47008 -b 47008 -s 3 -o f -N 2");
    assert_eq!(odd.workload.access, runs(1, 2));
    assert_eq!(
        (odd.workload.block, odd.cache),
        (Bytes(47008), CacheMode::Cached)
    );
    let direct = span("-w -t 47008 -b 47008 -s 3 -o f --posix.odirect");
    assert_eq!(
        direct.cache,
        CacheMode::Unbuffered,
        "15: refused by the check of the machine"
    );
}

#[test]
fn i16_to_i19_random_orders() {
    let target = span("-w -F -z -b 1m -t 256k -o f", Phase::Write)
        .targets
        .remove(0);
    assert_eq!(
        target.workload.access,
        Access::Permuted(PermutedAccess::Each)
    );
    assert_eq!(target.amount, Some(Bytes::mib(1)));
    assert!(refused("-w -z -b 1m -t 256k -o f").contains("add -F"));
    assert!(refused("-w -z -z -b 1m -t 256k -o f").contains("filled file"));
    assert!(refused("-w -F -z -b 1m -t 1m").contains("above the transfer size"));
}

#[test]
fn i20_to_i22_who_reads_what() {
    assert!(notes("-r -C -o f -N 4").contains("on this host"));
    assert!(refused("-r -C -Z -o f").contains("-C, -Z"));
    assert!(refused("-r -Z -o f").contains("-C -Q"));
}

#[test]
fn i23_to_i25_deadlines() {
    let target = span("-w -D 10 -b 100g -o f", Phase::Write)
        .targets
        .remove(0);
    assert_eq!(target.active.length, Some(model::Nanos::seconds(10)));
    assert_eq!(target.amount, Some(Bytes::gib(100)));
    for phase in [Phase::Write, Phase::Read] {
        let span = span("-w -r -D 10 -O stoneWallingWearOut=1 -o f", phase);
        assert!(span.targets[0].active.wear_out);
    }
    let checked = span(
        "-w -W -D 10 -O stoneWallingWearOut=1 -o f",
        Phase::CheckWrite,
    );
    assert!(!checked.targets[0].active.wear_out);
    assert!(refused("-w -D 10 -O stoneWallingStatusFile=s -k").contains("stoneWallingWearOut=1"));
    assert!(refused("-r -O stoneWallingStatusFile=s").contains("-k"));
    assert!(refused("-w -O stoneWallingWearOut=1").contains("-D"));
}

#[test]
fn i26_to_i32_syncs_interfaces_and_tasks() {
    let target = span("-w -e -o f", Phase::Write).targets.remove(0);
    assert!(target.fsync.at_end && target.fsync.every == 0);
    assert!(
        span("-w -r -e -o f", Phase::Read).targets[0]
            .fsync
            .is_never()
    );
    assert!(refused("-w -Y -o f").contains("--write-through"));
    assert!(notes("-w -a MPIIO -o f").contains("POSIX"));
    assert!(refused("-w -a MPIIO -c -o f").contains("collective"));
    assert!(notes("-w -c -o f").contains("changes nothing"));
    assert!(refused("-w -a HDF5").contains("POSIX"));
    assert_eq!(span("-w -N 4 -o f", Phase::Write).targets[0].threads, 4);
}

#[test]
fn i33_to_i36_counts_comparison_scripts_and_gone_options() {
    assert!(refused("-w -i 0").contains("-i"));
    assert!(refused("-w -s 0").contains("-s"));
    let read = span("-w -r -R -o f", Phase::Read);
    assert_eq!(read.targets[0].verify.level, VerifyLevel::Full);
    assert!(
        span("-w -r -R -o f", Phase::Write).targets[0]
            .verify
            .is_off()
    );
    assert_eq!(
        request("-w -W -o f").tests[0].phases(),
        [Phase::Write, Phase::CheckWrite]
    );
    let script = "before\nIOR START\n# a remark\n  api=POSIX, testFile=g\n writeFile=1,keepFile=1 # and more\nRUN\n\
                  writeFile=0\nreadFile=1\nRUN\nRUN\nIor Stop\nnonsense=1\nRUN\n";
    let tests = request_with("-f s", script).unwrap().tests;
    let ids: Vec<u64> = tests.iter().map(|test| test.id).collect();
    assert_eq!(ids, [0, 1, 2]);
    assert_eq!(tests[0].phases(), [Phase::Write]);
    assert!(
        tests
            .iter()
            .all(|test| test.files.name == "g" && test.files.keep == 1)
    );
    assert!(tests[1..].iter().all(|test| test.phases() == [Phase::Read]));
    assert!(refused("-w -B -b 1m").contains("no such option"));
}

#[test]
fn i37_forms_of_the_results() {
    let form = |line| request(line).output.form;
    assert_eq!(form("-w -o f -O summaryFormat=JSON"), Form::Json);
    assert_eq!(form("-w -o f -O summaryFormat=csv,keepFile=1"), Form::Csv);
    assert_eq!(form("-w -o f"), Form::Text);
}

#[test]
fn all_problems_of_a_request_are_reported_at_once_with_their_places() {
    let script = "IOR START\nblockSize=3\nwhat=1\nmemoryPerNode=1g\nRUN\n";
    let why = request_with("-f s -Y", script).map(|_| ()).unwrap_err();
    for part in [
        "-Y",
        "s:3: what",
        "s:4: memoryPerNode",
        "-b: must be a multiple of 8",
    ] {
        assert!(why.contains(part), "{part} in {why}");
    }
    assert!(request_with("-f s", "no start").is_err());
    assert!(refused("f").contains("-o FILE"));
    assert!(refused("-w -o").contains("value is missing"));
    assert!(refused("--posix.lustre.stripecount=4").contains("before the run"));
    assert!(refused("-w --store x --no-store").contains("contradicts"));
}

#[test]
fn a_file_that_is_there_is_written_into_with_e_and_a_device_is_never_created() {
    let there = |bytes, device| {
        move |_: &Path| {
            Some(There {
                bytes,
                device,
                unfinished: false,
            })
        }
    };
    let of = |line: &str, found: &dyn Fn(&Path) -> Option<There>| {
        let span = timespan(&request(line).tests[0], Phase::Write, 0, found, None);
        (span.targets[0].create, span.targets[0].allocation)
    };
    assert_eq!(
        of("-w -o f", &there(1 << 30, false)),
        (Some(Bytes::mib(1)), Allocation::Emptied)
    );
    assert_eq!(
        of("-w -E -o f", &there(1 << 30, false)),
        (Some(Bytes::mib(1)), Allocation::Written)
    );
    assert_eq!(
        of("-w -o /dev/x", &there(1 << 30, true)),
        (None, Allocation::Written)
    );
}

#[test]
fn what_changes_nothing_without_another_option_is_noted() {
    for (line, option, needed) in [
        ("-w -Q 2 -o f", "-Q", "-C"),
        ("-w --random-offset-seed 7 -o f", "random-offset-seed", "-z"),
        ("-w -r -K -o f", "-K", "nothing is compared"),
    ] {
        let reported = notes(line);
        assert!(
            reported.contains(option) && reported.contains(needed),
            "{line}: {reported}"
        );
    }
    for line in [
        "-w -F -z --random-offset-seed 7 -b 1m -t 256k -o f",
        "-r -R -K -o f",
    ] {
        assert!(
            !notes(line).contains("it changes nothing"),
            "{line}: {}",
            notes(line)
        );
    }
}

#[test]
fn a_script_with_more_tests_than_are_run_is_refused_at_its_line() {
    let script = |tests: usize| {
        format!(
            "IOR START\nwriteFile=1\n{}IOR STOP\n",
            "RUN\n".repeat(tests)
        )
    };
    let all = request_with("-f s", &script(10_000)).unwrap();
    assert_eq!(all.tests.len(), 10_000);
    let why = request_with("-f s", &script(10_001))
        .map(|_| ())
        .unwrap_err();
    assert!(
        why.contains("s:10003: RUN: this test is the 10001th; at most 10000"),
        "{why}"
    );
}
