//! The list of cases of the command line, by id, and what it leaves unsaid.

use crate::facts::{facts, profile, read};
use tools::diskspd::{Action, Environment, Extra, Request, build, parse};

const CASES: &str = include_str!("cases.txt");

#[test]
fn every_case_of_the_list_is_read_as_it_says() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in CASES.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.splitn(3, " | ");
        let (id, args, expected) = (
            fields.next().unwrap(),
            fields.next().unwrap(),
            fields.next().unwrap(),
        );
        let (expected, warning) = expected.split_once(" ~ ").unwrap_or((expected, ""));
        let read = read(args);
        let found = match &read {
            Ok(request) => facts(&request.action),
            Err(_) => "refused".to_owned(),
        };
        let warned = match &read {
            Ok(request) => request
                .notes
                .iter()
                .any(|note| note.to_string().contains(warning)),
            Err(_) => false,
        };
        if found != expected || (!warning.is_empty() && !warned) {
            wrong.push(format!(
                "{id} `{args}`: expected {expected} ~ {warning}, found {found}: {read:?}"
            ));
        }
        count += 1;
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count > 180, "{count} cases");
}

/// Pairs of `-r`, `-rs`, `-s`, in both orders: the share and alignment they give, or nothing.
#[test]
fn switches_of_access_go_together_as_the_table_of_pairs_says() {
    let names = ["-r", "-r8k", "-rs50", "-rs100", "-s", "-s8k"];
    let table: [[Option<(u8, u64)>; 6]; 6] = [
        [
            None,
            None,
            Some((50, 65_536)),
            Some((100, 65_536)),
            None,
            None,
        ],
        [None, None, Some((50, 8192)), Some((100, 8192)), None, None],
        [Some((50, 65_536)), Some((50, 8192)), None, None, None, None],
        [
            Some((100, 65_536)),
            Some((100, 8192)),
            Some((50, 65_536)),
            Some((100, 65_536)),
            None,
            None,
        ],
        [None; 6],
        [None; 6],
    ];
    for (first, row) in names.iter().zip(table) {
        for (second, expected) in names.iter().zip(row) {
            let found =
                read(&format!("{first} {second} f"))
                    .ok()
                    .map(|request| match request.action {
                        Action::Run(profile) => {
                            let target = &profile.time_spans[0].targets[0];
                            (target.random_percent, target.align())
                        }
                        other => panic!("{other:?}"),
                    });
            assert_eq!(found, expected, "{first} {second}");
        }
    }
    for mix in [
        "-r -rs50 -s",
        "-s -r -rs50",
        "-rs50 -s -r",
        "-rs100 -r8k -s8k",
        "-rs0",
    ] {
        assert!(read(&format!("{mix} f")).is_err(), "{mix}");
    }
}

#[test]
fn a_size_in_blocks_means_the_last_block_size_wherever_it_stands() {
    assert_eq!(
        profile("-r8b -b4k f").time_spans[0].targets[0].align(),
        32_768
    );
    assert_eq!(
        profile("-B8b -b4k -b8k f").time_spans[0].targets[0].base_bytes,
        65_536
    );
}

#[test]
fn a_rate_by_ios_neither_wraps_nor_vanishes() {
    let rate = |line: &str| {
        let built = build(&profile(line), &Extra::default()).unwrap();
        built.profile.timespans[0].targets[0].pacing
    };
    assert_eq!(
        rate("-g100000i -b64k f"),
        model::Pacing::Rate {
            bytes_per_s: 6_553_600_000
        }
    );
    assert_eq!(
        rate("-g1i -b512 f"),
        model::Pacing::Rate { bytes_per_s: 512 }
    );
    assert_eq!(
        rate("-g4096 f"),
        model::Pacing::Rate {
            bytes_per_s: 4_096_000
        }
    );
}

#[test]
fn names_of_windows_are_refused_with_the_spelling_of_linux() {
    for (target, hint) in [
        ("#1", "/dev/sdb"),
        (r"#1\file.dat", "physical drive"),
        ("E:", "/dev/sdb1"),
        (r"E:\iotest.dat", "/mnt/e/iotest.dat"),
        (r"\\server\share\f", "/mnt/share"),
    ] {
        let profile = profile(&format!("-d1 {target}"));
        let refusal = build(&profile, &Extra::default()).unwrap_err().to_string();
        assert!(
            refusal.contains(hint) && refusal.starts_with(target),
            "{refusal}"
        );
        assert!(matches!(
            read(&format!("-Rp {target}")).unwrap().action,
            Action::Print(_)
        ));
    }
    assert!(build(&profile("./#1"), &Extra::default()).is_ok());
}

#[test]
fn flushes_that_linux_has_not_are_refused_with_the_nearest() {
    for line in ["-Sm -Nn f", "-Sm -Ni f"] {
        let refusal = build(&profile(line), &Extra::default())
            .unwrap_err()
            .to_string();
        assert!(refusal.contains("-Nv"), "{refusal}");
    }
    assert!(build(&profile("-Sm -Nv f"), &Extra::default()).is_ok());
}

#[test]
fn local_cache_off_and_groups_of_processors_reach_the_plan() {
    let built = build(&profile("-Srw -w10 -ag0,1,g1,2 f"), &Extra::default()).unwrap();
    let span = &built.profile.timespans[0];
    assert_eq!(span.targets[0].cache, model::CacheMode::LocalOff);
    assert!(span.targets[0].write_through);
    assert_eq!(span.placement, model::Placement::Cores(vec![1, 66]));
}

#[test]
fn everything_wrong_is_reported_at_once_in_the_order_of_the_line() {
    let refusal = read("-q -b4KB -w101 f -L").unwrap_err().to_string();
    let lines: Vec<&str> = refusal.lines().collect();
    assert_eq!(lines.len(), 4, "{refusal}");
    assert!(lines[0].starts_with("-q:") && lines[1].starts_with("invalid value '4KB' for -b: "));
    assert!(
        lines[2].starts_with("invalid value '101' for -w: ")
            && lines[3].starts_with("-L: read after the target f")
    );
}

#[test]
fn help_counts_only_where_nothing_before_it_is_wrong() {
    assert_eq!(read("").unwrap().action, Action::Usage { asked: false });
    assert_eq!(read("/?").unwrap().action, Action::Usage { asked: true });
    assert!(read("-? -q5").is_err(), "unknown letters are found first");
    assert!(read("-w101 -?").is_err());
    assert_eq!(
        read("-? -w101").unwrap().action,
        Action::Usage { asked: true }
    );
}

#[test]
fn long_switches_stand_anywhere_and_take_their_value_either_way() {
    let request =
        read("-b4k --json a.json --xml=b.xml f --overwrite --destroy /dev/x --destroy=/dev/y")
            .unwrap();
    assert!(request.extra.own.consent.overwrite_files);
    assert_eq!(request.extra.json.as_deref(), Some("a.json".as_ref()));
    assert_eq!(request.extra.xml.as_deref(), Some("b.xml".as_ref()));
    assert_eq!(request.extra.own.consent.destroy_devices.len(), 2);
    for line in [
        "--compat 2.4 f",
        "f --json",
        "--overwrite=yes f",
        "--nothing f",
    ] {
        assert!(read(line).is_err(), "{line}");
    }
}

fn says(request: &Request, what: &str) -> bool {
    request.notes.iter().any(|note| note.what.contains(what))
}

#[test]
fn what_is_seldom_meant_is_reported() {
    assert!(says(
        &read("-Z500G f").unwrap(),
        "the size of the test is -c or -f"
    ));
    assert!(!says(&read("-Z500G -c1G f").unwrap(), "size of the test"));
    assert!(says(&read("f").unwrap(), "memory may be measured"));
    assert!(!says(&read("-Su f").unwrap(), "memory may be measured"));
    assert!(says(&read("-Lfoo f").unwrap(), "`foo` is ignored"));
    assert!(says(&read("-W10s f").unwrap(), "read as 10"));
    assert!(says(&read("-O8 f").unwrap(), "without -F"));
    assert!(says(&read("-W0 f").unwrap(), "share of writes is -w"));
    assert!(!says(&read("-W0 -w0 f").unwrap(), "share of writes"));
    assert!(says(&read("-d60 -d5 f").unwrap(), "-d60 stands before it"));
    assert!(!says(&read("-d60 -d60 f").unwrap(), "stands before it"));
    assert!(!says(
        &read("-a0 -a1 -Su -Sw f").unwrap(),
        "stands before it"
    ));
    assert!(says(&read("\u{2014}b8K f").unwrap(), "long one"));
}

/// The lines of the guide's recipes, as they stand in its table.
#[test]
fn recipes_of_the_guide_are_read_and_built() {
    let guide = include_str!("../../../../docs/guides/from-diskspd.md");
    let front = "`fathom diskspd ";
    let recipes: Vec<&str> = guide
        .lines()
        .filter(|line| line.starts_with('|'))
        .filter_map(|line| line.split_once(front)?.1.split_once('`'))
        .map(|(line, _)| line)
        .collect();
    assert_eq!(recipes.len(), 5, "{recipes:?}");
    for line in recipes {
        let built = build(&profile(line), &Extra::default());
        assert!(built.is_ok(), "{line}: {built:?}");
    }
}

#[test]
fn mistakes_of_published_lines_are_refused_with_what_was_meant() {
    for (line, meant) in [
        (r"-c1G -fC:\io.dat", "a target stands without a switch"),
        ("-Z1 -w100 f", "-Z alone writes zeros"),
        ("-c1G -b4K -d10", "no target"),
    ] {
        let refusal = read(line).unwrap_err().to_string();
        assert!(refusal.contains(meant), "{line}: {refusal}");
    }
}

#[test]
fn a_slash_is_a_path_unless_it_can_only_be_a_switch() {
    let run = |line: &str| facts(&read(line).unwrap().action);
    assert_eq!(
        run("/b4K /Su /r f"),
        "align=4096; block=4096; cache=os; random=100"
    );
    assert_eq!(run("/data f"), "targets=/data f");
    assert_eq!(run("-L /b4K"), "latency; targets=/b4K");
    let there = Environment {
        exists: &|_| true,
        ..Environment::BARE
    };
    let args = ["/b4K", "f"].map(str::to_owned);
    assert_eq!(
        facts(&parse(&args, &there).unwrap().action),
        "targets=/b4K f"
    );
}

#[test]
fn events_have_names_and_set_one_ends_the_reading() {
    let request = read("-ysa -yfb -yrc -ypd f").unwrap();
    let events = request.events;
    let names = [events.start, events.finish, events.wait, events.stop].map(Option::unwrap);
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert_eq!(
        read("-yego").unwrap().action,
        Action::Signal {
            event: "go".to_owned()
        }
    );
    for line in ["-yxgo f", "-yr f", "-y f", "-yra/b f", "-yr.. f"] {
        assert!(read(line).is_err(), "{line}");
    }
}

#[test]
fn a_run_of_no_time_is_refused_and_its_profile_is_not() {
    assert!(read("-d0 f").is_err());
    assert!(read("-dabc f").is_err());
    assert!(read("-Rp -d0 f").is_ok());
    assert!(read("*1").is_err());
    assert!(read("-Rp *1").is_ok());
}

#[test]
fn e076_a_profile_is_printed_without_a_look_at_its_targets() {
    let blind = Environment {
        read: &|path| panic!("{path} is looked at"),
        exists: &|path| panic!("{path} is looked at"),
        ..Environment::BARE
    };
    for target in ["nothing.dat", "/dev/nothing", "#9", r"Q:\nothing"] {
        let args = ["-Rp", "-c1G", "-w100", target].map(str::to_owned);
        let request = parse(&args, &blind).unwrap();
        assert!(matches!(request.action, Action::Print(_)), "{target}");
    }
}

#[test]
fn lists_of_processors_say_where_they_are_wrong() {
    let refusal = read("-ag1,0,gx f").unwrap_err().to_string();
    assert_eq!(refusal.lines().last().unwrap(), "        ^");
    for list in [
        "g,0,1,2",
        "1,",
        "g1,0,",
        "g0,",
        "g0,,1",
        "0g1,2",
        "1g2,3",
        "g0,300",
        "4294967296",
        "\u{e9}",
    ] {
        assert!(read(&format!("-a{list} f")).is_err(), "{list}");
    }
}

#[test]
fn what_linux_does_in_its_own_way_is_reported() {
    let built = build(&profile("-ePROCESS -x -frst f"), &Extra::default()).unwrap();
    let about: Vec<&str> = built.notes.iter().map(|note| note.about.as_str()).collect();
    assert_eq!(about, ["f", "f", "-e", "-x"]);
}
