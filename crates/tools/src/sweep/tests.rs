//! The spellings of a sweep, and their errors.

use super::foreign::diskspd_words;
use super::*;
use crate::diskspd::Environment;
use crate::native::{Request, WorkText};
use expect_test::{Expect, expect};
use proptest::prelude::*;

fn request(block: &str, depth: &str) -> Request {
    Request {
        targets: vec!["f".into()],
        work: WorkText {
            block: block.to_owned(),
            depth: depth.to_owned(),
            ..WorkText::default()
        },
        ..Request::default()
    }
}

fn options(request: &Request, axes: &[&str]) -> Result<Definition, Refusal> {
    let axes: Vec<String> = axes.iter().map(|&axis| axis.to_owned()).collect();
    from_options(request, None, axes_of(&axes), &CourseText::default())
}

fn shown(definition: &Definition) -> String {
    let group = |group: &Group| {
        let axis = |axis: &Axis| format!("{}={}", axis.name, axis.values.join(","));
        let axes: Vec<String> = group.axes.iter().map(axis).collect();
        format!(
            "{}: {}",
            group.name.as_deref().unwrap_or("-"),
            axes.join(" ")
        )
    };
    let groups: Vec<String> = definition.groups.iter().map(group).collect();
    groups.join("\n")
}

fn refused(result: Result<Definition, Refusal>, expected: &Expect) {
    expected.assert_eq(&result.unwrap_err().to_string());
}

#[test]
fn lists_and_ranges_in_options_are_axes_with_threads_innermost() {
    let mut asked = request("8K,64K", "2..16");
    asked.work.threads = "4,8".into();
    asked.work.write = "0..100+50".into();
    asked.time.duration = "1s".into();
    let definition = options(&asked, &["cache=cached,unbuffered"]).unwrap();
    expect!["-: cache=cached,unbuffered write=0,50,100 block=8K,64K depth=2,4,8,16 threads=4,8"]
        .assert_eq(&shown(&definition));
}

#[test]
fn a_range_that_does_not_come_out_is_refused_with_what_does() {
    refused(
        options(
            &request("4K..100K", "1..10,0..8,9..3,2..9+4,1..8+0,,x"),
            &[],
        ),
        &expect![[r#"
            invalid value '4K..100K' for --block: doubling from 4K goes past 100K: specify 4K..64K, or 4K..100K+STEP for equal steps
            invalid value '1..10' for --depth: doubling from 1 goes past 10: specify 1..8, or 1..10+STEP for equal steps
            invalid value '0..8' for --depth: this never gets on: a range doubles from 1 or more (1..8), or adds a step of 1 or more (0..100+25)
            invalid value '9..3' for --depth: a range goes up: specify 3..9
            invalid value '2..9+4' for --depth: adding 4 from 2 goes past 9: specify 2..6+4, or 2..9+STEP for equal steps
            invalid value '1..8+0' for --depth: this never gets on: a range doubles from 1 or more (1..8), or adds a step of 1 or more (0..100+25)
            invalid value '' for --depth: must have a value between any two commas: 1,2,4
            invalid value 'x' for --depth: must be a whole number, a list of them (1,2,4) or a range (1..8 doubles, 2..8+2 adds 2)"#]],
    );
}

#[test]
fn an_axis_names_a_field_that_is_not_said_otherwise() {
    let mut asked = request("8K", "1");
    asked.place.create = Some("1G,2G".into());
    refused(
        options(&asked, &["block=4K,8K", "dept=1,2", "depth"]),
        &expect![[r#"
            --axis block: --block is specified too: specify all its values in one place
            --axis: there is no field `dept` (did you mean depth?); fields: target, engine, poll, sqpoll, seed, continue-on-error, null-size, null-delay, null-error-every, duration, warmup, cooldown, interval, base, length, cache, drop-cache, write-through, fsync, fdatasync, end-fsync, verify, read-back, no-end-pass, verify-memory, stop-on-corruption, compress, dedupe, write, pattern, block, arrivals, rate, depth, threads
            invalid value 'depth' for --axis: must be a field and its values: depth=1,2,4, or o=1,2,4 with a DISKSPD line
            invalid value '1G,2G' for --create: must be one size, because the file is created once for the whole sweep; to vary the range specify --length with several"#]],
    );
}

#[test]
fn a_course_is_read_or_refused_whole() {
    let read = |order: &str, repeat: &str, precision: &str, rest: &str| {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let course = CourseText {
            order: text(order),
            shuffle_seed: None,
            repeat: text(repeat),
            precision: text(precision),
            rest: text(rest),
        };
        from_options(&request("4K", "1"), None, Varied::default(), &course)
            .map(|definition| definition.course)
    };
    let course = read("interleaved", "", "5%", "2s").unwrap();
    assert_eq!((course.repeat.least, course.repeat.most), (3, 10));
    assert_eq!(course.order, Some(Order::Interleaved));
    assert_eq!(course.rest, model::Nanos::seconds(2));
    assert_eq!(read("", "4", "", "").unwrap().repeat.most, 4);
    let reported = |order: &str, repeat: &str, precision: &str, rest: &str| {
        read(order, repeat, precision, rest)
            .unwrap_err()
            .to_string()
    };
    expect![[r#"
        invalid value 'x' for --order: must be given, shuffled or interleaved
        invalid value '2' for --rest: must be a number with its unit: 500ms, 90s, 3m, 1h, or joined as in 1m30s
        invalid value '0' for --precision: must be a percentage from 1 to 100: 5%
        invalid value '0' for --repeat: must be the number of runs of each cell, 1 to 1000, or with --precision at least and at most: 3..10"#]]
    .assert_eq(&reported("x", "0", "0", "2"));
    expect!["--repeat: how often within these bounds is decided by a precision: add --precision 5%, or specify one \
            number"]
        .assert_eq(&reported("", "2..5", "", ""));
    expect!["--repeat: with a precision a cell runs at least 3 times and at most some times more: specify --repeat \
            3..10"]
        .assert_eq(&reported("", "2..5", "5", ""));
}

const PLAN: &str = r#"
target = "/data/f"
create = "1G"
duration = "500ms"
order = "interleaved"
repeat = 2
rest = "1s"
depth = "1..4"
block = ["8K", "64K"]

[[group]]
name = "reads"

[[group]]
name = "writes"
write = [25, 100]
block = "8K"
write_through = true

[[exclude]]
block = "64K"
depth = [2, 4]
"#;

#[test]
fn a_plan_has_groups_that_add_to_it_and_exclusions() {
    let definition = from_plan(PLAN).unwrap();
    expect![[r#"
        reads: depth=1,2,4 block=8K,64K
        writes: depth=1,2,4 block=8K write=25,100 write-through=true"#]]
    .assert_eq(&shown(&definition));
    assert_eq!(definition.course.repeat.most, 2);
    assert_eq!(definition.exclude.len(), 1);
    let Base::Native(request) = definition.base else {
        panic!("no DISKSPD line was given");
    };
    assert_eq!(request.targets, [std::path::PathBuf::from("/data/f")]);
    assert_eq!(request.place.create.as_deref(), Some("1G"));
    assert_eq!(request.time.duration, "500ms");
}

#[test]
fn everything_that_is_wrong_with_a_plan_is_reported_with_its_line() {
    let plan = "blok = '8K'\noverwrite = true\ndepth = 1.5\nwrite = [1, [2]]\n[[group]]\nthread = 2\n[[exclude]]\nrest = 1\n";
    refused(
        from_plan(plan),
        &expect![[r#"
            line 1: blok: there is no field `blok` (did you mean block?); fields: target, engine, poll, sqpoll, seed, continue-on-error, null-size, null-delay, null-error-every, duration, warmup, cooldown, interval, base, length, cache, drop-cache, write-through, fsync, fdatasync, end-fsync, verify, read-back, no-end-pass, verify-memory, stop-on-corruption, compress, dedupe, write, pattern, block, arrivals, rate, depth, threads, order, shuffle-seed, repeat, precision, rest, targets, create, from-diskspd, axes, group, exclude
            line 2: overwrite: this is consent, which a plan cannot contain: specify --overwrite on the command line
            invalid value 'a fraction' for line 3: depth: must be a text, a number, true or false, or a list of these
            invalid value 'a list' for line 4: write: must be a text, a number, true or false, or a list of these
            line 5: group: a group has a name, by which its results are distinguished: name = "…"
            line 6: thread: there is no field `thread` (did you mean threads?); fields: target, engine, poll, sqpoll, seed, continue-on-error, null-size, null-delay, null-error-every, duration, warmup, cooldown, interval, base, length, cache, drop-cache, write-through, fsync, fdatasync, end-fsync, verify, read-back, no-end-pass, verify-memory, stop-on-corruption, compress, dedupe, write, pattern, block, arrivals, rate, depth, threads
            line 8: rest: there is no field `rest`; fields: target, engine, poll, sqpoll, seed, continue-on-error, null-size, null-delay, null-error-every, duration, warmup, cooldown, interval, base, length, cache, drop-cache, write-through, fsync, fdatasync, end-fsync, verify, read-back, no-end-pass, verify-memory, stop-on-corruption, compress, dedupe, write, pattern, block, arrivals, rate, depth, threads"#]],
    );
    refused(
        from_plan("a = \nb = 1\nb = 2"),
        &expect![[r#"
            line 1: not TOML: string values must be quoted, expected literal string
            line 3: not TOML: duplicate key"#]],
    );
}

#[test]
fn a_plan_may_vary_a_diskspd_line() {
    let plan = "from_diskspd = 'diskspd.exe -Suw -L -r -o8 E:\\iotest.dat'\n[axes]\no = '2..8'\nb = ['8K', '64K']\n";
    let definition = from_plan(plan).unwrap();
    expect!["-: o=2,4,8 b=8K,64K"].assert_eq(&shown(&definition));
    refused(
        from_plan("from_diskspd = '-b8K f'\ndepth = 2\ncreate = '1G'\n[axes]\ny9 = 3"),
        &expect![[r#"
            line 2: depth: with from_diskspd the switches are varied under [axes], by their letters: o = [2, 4]
            line 3: create: this belongs to the DISKSPD line: specify it there
            line 5: y9: there is no field `y9` (did you mean y?); fields: DISKSPD's switches that take a value, : a b bs B c C d D e f F g i I j N o oc O P r rd rs R s si S t T u v w W X y z Z, or any name for whole switches (access=-r,-si)"#]],
    );
}

fn line(text: &str) -> Line {
    let definition = from_options(
        &Request::default(),
        Some(text),
        Varied::default(),
        &CourseText::default(),
    );
    match definition.unwrap().base {
        Base::Diskspd(line) => line,
        Base::Native(_) | Base::Script(_) => panic!("a line was given"),
    }
}

fn pairs(values: &[(&str, &str)]) -> Vec<(String, String)> {
    let pair = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    values.iter().map(pair).collect()
}

#[test]
fn an_axis_replaces_what_the_line_says_of_its_switch() {
    let line = line(r#"C:\Tools\DiskSpd.exe -Suw -L -o32 -W3 "E:\my files\io.dat""#);
    assert_eq!(
        line.arguments(&pairs(&[("access", "-si"), ("o", "4")])),
        ["-Suw", "-L", "-W3", "-si", "-o4", r"E:\my files\io.dat"]
    );
}

#[test]
fn a_cell_of_a_line_is_what_diskspd_would_run_and_a_cell_of_options_draws_its_own_offsets() {
    let environment = Environment::BARE;
    let base = Base::Diskspd(line("-b8K -d2 -c1M f.dat"));
    let cell = build_cell(&base, &pairs(&[("o", "7")]), 5, &environment).unwrap();
    assert_eq!(
        cell.words.join(" "),
        "fathom diskspd -b8K -d2 -c1M -o7 f.dat"
    );
    assert_eq!(cell.timespan.targets[0].workload.queue_depth.0, 7);
    assert_eq!(cell.timespan.seed, 0);
    let base = Base::Native(Box::new(request("8K", "1")));
    let cell = build_cell(&base, &pairs(&[("depth", "7")]), 5, &environment).unwrap();
    assert_eq!(cell.timespan.targets[0].workload.queue_depth.0, 7);
    assert_eq!(cell.timespan.seed, 5);
    let cell = build_cell(&base, &pairs(&[("seed", "7")]), 5, &environment).unwrap();
    assert_eq!(cell.timespan.seed, 7);
}

#[test]
fn a_line_that_is_no_run_is_refused() {
    let reported = |text: &str| {
        let definition = from_options(
            &Request::default(),
            Some(text),
            Varied::default(),
            &CourseText::default(),
        );
        match definition {
            Ok(definition) => build_cell(&definition.base, &[], 0, &Environment::BARE)
                .unwrap_err()
                .to_string(),
            Err(refusal) => refusal.to_string(),
        }
    };
    expect!["the DISKSPD line: it sends its output somewhere: fathom stores and shows results, so omit that"]
        .assert_eq(&reported("diskspd -b8K f.dat >> out.txt"));
    expect![[r#"the DISKSPD line: a quotation mark is open at its end: close it"#]]
        .assert_eq(&reported("-b8K 'f.dat"));
    expect![[
        r#"the DISKSPD line: it is empty: give the switches and the target, as -b8K -d10 test.dat"#
    ]]
    .assert_eq(&reported("diskspd.exe"));
    expect!["the DISKSPD line: it requests no run: omit -?, -Rp and -ye"]
        .assert_eq(&reported("-?"));
    expect!["the DISKSPD line: long switches (--…) belong to the sweep itself and not to the line: put them outside of the quotes"]
        .assert_eq(&reported("--overwrite -b8K f.dat"));
}

#[test]
fn what_diskspd_can_say_is_said_in_its_switches() {
    let words = |change: &dyn Fn(&mut Request)| {
        let mut asked = request("64K", "8");
        change(&mut asked);
        let base = Base::Native(Box::new(asked));
        let cell = build_cell(&base, &[], 0, &Environment::BARE).unwrap();
        diskspd_words(&cell.timespan).map(|words| words.join(" "))
    };
    expect!["-b64K -o8 -t1 -w0 -r -Su -d10 -W2 -z0 -L f"].assert_eq(&words(&|_| {}).unwrap());
    let sequential = words(&|request| {
        request.work.pattern = "sequential".into();
        request.work.threads = "4".into();
        request.work.write = "30".into();
        request.place.create = Some("1G".into());
        request.place.write_through = true;
        request.time.cooldown = "1s".into();
    });
    expect!["-c1G -b64K -o8 -t4 -w30 -s -T268435456 -Suw -d10 -W2 -C1 -Zr -z0 -L f"]
        .assert_eq(&sequential.unwrap());
    expect!["duration: read 500ms; DISKSPD counts in whole seconds: specify one, or specify --for fathom"]
        .assert_eq(&words(&|request| request.time.duration = "500ms".into()).unwrap_err());
    expect!["DISKSPD has no switch for a rate with arrivals of its own: omit it, or specify --for fathom"]
        .assert_eq(&words(&|request| request.time.rate = Some("5".into())).unwrap_err());
}

#[test]
fn a_short_text_does_not_become_a_huge_matrix() {
    let long = vec!["1..9999+1"; 1000].join(",");
    let refusal = options(&request(&long, "1"), &[]).unwrap_err().to_string();
    assert!(refusal.contains("more than 10000 values"), "{refusal}");
    let groups = "[[group]]\nname = 'a'\n".repeat(1000);
    let refusal = from_plan(&format!("depth = '1..9999+1'\n{groups}")).unwrap_err();
    assert!(
        refusal
            .to_string()
            .contains("more than 10000 cells together"),
        "{refusal}"
    );
    let broken = from_plan(&"= 1\n".repeat(1000)).unwrap_err();
    assert!(broken.iter().count() <= 20);
}

proptest! {
    #[test]
    fn no_plan_and_no_line_makes_it_panic(text in "\\PC{0,80}") {
        let _ = from_plan(&text);
        let _ = from_options(&Request::default(), Some(&text), axes_of(std::slice::from_ref(&text)), &CourseText::default());
    }

    #[test]
    fn a_doubling_range_has_all_its_powers(from in 1u64..1000, powers in 0u32..12) {
        let text = format!("{from}..{}", from << powers);
        let definition = options(&request("4K", &text), &[]).unwrap();
        prop_assert_eq!(definition.groups[0].axes[0].values.len(), powers as usize + 1);
    }
}

fn axes_of(axes: &[String]) -> Varied<'_> {
    Varied { axes, pairs: None }
}

fn pairs_of(pairs: &str) -> Varied<'_> {
    Varied {
        axes: &[],
        pairs: Some(pairs),
    }
}

#[test]
fn pairs_of_threads_and_depth_are_cells_of_their_own() {
    let request = request("4K,64K", "1");
    let varied = pairs_of("1x240, 4x60,12×20");
    let definition = from_options(&request, None, varied, &CourseText::default()).unwrap();
    let pairs: Vec<(String, String, usize)> = definition
        .groups
        .iter()
        .map(|group| {
            let value = |place: usize| group.axes[place].values[0].clone();
            (value(0), value(1), group.axes.len())
        })
        .collect();
    let pair = |threads: &str, depth: &str| (threads.to_owned(), depth.to_owned(), 3);
    assert_eq!(pairs, [pair("1", "240"), pair("4", "60"), pair("12", "20")]);
    let line = Some("-b4K -d1 f.dat");
    let of_line = from_options(&Request::default(), line, varied, &CourseText::default()).unwrap();
    let names = of_line.groups[0].axes.iter().map(|axis| axis.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["t", "o"]);
}

#[test]
fn pairs_that_are_none_are_refused() {
    let reported = |request: &Request, pairs: &str| {
        let found = from_options(request, None, pairs_of(pairs), &CourseText::default());
        found.unwrap_err().messages().collect::<Vec<_>>()
    };
    for pairs in ["", "4", "x4", "4x", "0x4", "4x0", "4x4,,", "4xx4", "-1x4"] {
        assert!(!reported(&request("4K", "1"), pairs).is_empty(), "{pairs}");
    }
    let found = reported(&request("4K", "8"), "4x60");
    assert!(
        found[0].starts_with("--pairs: depth is specified too"),
        "{found:?}"
    );
}
