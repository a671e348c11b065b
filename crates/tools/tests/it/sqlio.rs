//! SQLIO's dialect from outside: the list of cases, the manual, published lines, and what a request means to fathom.

use model::{Access as ModelAccess, Bytes, Placement, Pool, PoolDraw, StripeAccess};
use tools::sqlio::*;

const CASES: &str = include_str!("sqlio_cases.txt");

/// Reads a command line as a test writes it: blanks between arguments, no quoting. `-Fp` is `params`.
pub(crate) fn read(line: &str, params: &str) -> Result<Request, Refusal> {
    let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let found = |name: &str| match name {
        "p" => Ok(params.to_owned()),
        _ => Err("no such file".to_owned()),
    };
    parse(&args, &Environment { read: &found })
}

fn profile(line: &str, params: &str) -> Profile {
    let request = read(line, params).unwrap_or_else(|refusal| panic!("{line}: {refusal}"));
    match request.action {
        Action::Run(profile) => profile,
        Action::Usage => panic!("{line}"),
    }
}

fn numbers(mask: u64) -> String {
    let bits = (0..64).filter(|bit| mask >> bit & 1 == 1);
    let words: Vec<String> = bits.map(|bit| bit.to_string()).collect();
    match words.is_empty() {
        true => "any".to_owned(),
        false => words.join(","),
    }
}

/// Everything in a request.
fn facts(action: &Action) -> String {
    let Action::Run(profile) = action else {
        return "usage".to_owned();
    };
    let mut facts = vec![
        match profile.read_percent {
            0 => "write".to_owned(),
            100 => "read".to_owned(),
            share => format!("{share}% reads"),
        },
        format!("{} s", profile.seconds),
        match profile.access {
            Access::Random => "-r".to_owned(),
            Access::Sequential => "-si".to_owned(),
            Access::Stripe(factor) => format!("stripe {factor} x {}", profile.run_ios),
        },
        format!("block {}", profile.block_bytes()),
    ];
    if profile.start_blocks > 0 {
        facts.push(format!(
            "from {}",
            profile.start_blocks * profile.block_bytes()
        ));
    }
    facts.push(match profile.outstanding {
        0 => "-o1 in turn".to_owned(),
        depth => format!("-o{depth} each"),
    });
    let caches = match profile.buffering {
        Buffering::None => "-Suw",
        Buffering::All => "-Sb",
        Buffering::Hardware => "-Su",
        Buffering::Software => "-Sw",
    };
    facts.push(caches.to_owned());
    facts.extend(profile.latency.map(|_| "-L".to_owned()));
    facts.extend(
        profile
            .entropy
            .as_ref()
            .map(|file| format!("data from {file}")),
    );
    if profile.usage == Usage::EachProcessor {
        facts.push("use of each processor".to_owned());
    }
    of_files(&profile.files, &mut facts);
    facts.join("; ")
}

fn of_files(files: &Files, facts: &mut Vec<String>) {
    match files {
        Files::Named {
            names,
            threads,
            affinity,
        } => {
            match affinity {
                Affinity::Free => {}
                Affinity::One(cpu) => facts.push(format!("-a{cpu}")),
                Affinity::Mask(mask) => facts.push(format!("masks {}", numbers(*mask))),
                Affinity::RoundRobin(mask) => facts.push(format!("-a{}", numbers(*mask))),
            }
            facts.push(format!("-t{threads}: {}", names.join(" ")));
        }
        Files::Listed { lines, .. } => {
            if lines.iter().any(|line| line.mask > 0) {
                let each = lines.iter().flat_map(|line| {
                    std::iter::repeat_n(numbers(line.mask), line.threads as usize)
                });
                facts.push(format!("masks {}", each.collect::<Vec<_>>().join("/")));
            }
            for line in lines {
                let size = line
                    .size_mib
                    .map_or_else(String::new, |mib| format!(" {}", u64::from(mib) << 20));
                facts.push(format!("-t{}: {}{size}", line.threads, line.name));
            }
        }
    }
}

#[test]
fn every_case_of_the_list_is_read_as_it_says() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in CASES.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.splitn(4, '|').map(str::trim).collect();
        let [id, args, params, expected] = fields[..] else {
            panic!("{line}");
        };
        let (expected, warning) = expected.split_once(" ~ ").unwrap_or((expected, ""));
        let read = read(args, &params.replace(r"\n", "\n"));
        let found = match &read {
            Ok(request) => facts(&request.action),
            Err(_) => "refused".to_owned(),
        };
        let notes = read.as_ref().map_or(&[][..], |request| &request.notes);
        let warned = match warning {
            "" => notes.is_empty(),
            words => notes.iter().any(|note| note.to_string().contains(words)),
        };
        if found != expected || !warned {
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
    assert!(count > 60, "{count} cases");
}

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
    let reported = read(
        "-kX -t0 -b64K -mC4 -LSi -v1.1.1 -D1 -x --nope -T101 -fsome",
        "",
    )
    .unwrap_err()
    .to_string();
    for words in [
        "invalid value 'X' for -k: must be R to read or W to write",
        "invalid value '0' for -t: must be a whole number of threads from 1 to 256",
        "invalid value '64K' for -b: must be a whole number of KiB",
        "-mC4: an I/O here has one buffer",
        "-LSi: the time to start an I/O is not measured",
        "-v1.1.1: the runs of 1.1.1",
        "-D1: there is no such output here",
        "-x: there is no such switch",
        "--nope: there is no such switch",
        "invalid value '101' for -T:",
        "invalid value 'some' for -f:",
    ] {
        assert!(reported.contains(words), "{words} in\n{reported}");
    }
}

#[test]
fn too_many_files_and_too_long_names_are_reported() {
    let many = vec!["f"; 257].join(" ");
    let reported = read(&many, "").unwrap_err().to_string();
    assert!(reported.contains("files: read 257"), "{reported}");
    assert!(read(&vec!["f"; 256].join(" "), "").is_ok());
    let reported = read(&"x".repeat(257), "").unwrap_err().to_string();
    assert!(reported.contains("read 257 characters"), "{reported}");
}

/// The article that describes SQLIO for administrators: every line of it, with the dashes of its page.
const PUBLISHED: [&str; 8] = [
    "-kW -s10 -fsequential -o8 -b8 -LS -Fp timeout /T 10",
    "-kW -b8 -frandom -s120 -BH -LS -Fp",
    "-kW -b8 -frandom \u{2013}s120 \u{2013}o4 -BH -LS -Fp",
    "-kW -b16 -frandom -s120 -BH -LS -Fp",
    "-kW -b64 -frandom -s120 -BH -LS -Fp",
    "-kW -b128 -frandom -s120 -BH -LS -Fp",
    "-kW -b64 -frandom -s120 -t8 -o1 -BH -LS -Fp",
    "-kW -b64 -frandom -s120 -t8 -o1 -BH -LS /data/testfile.dat",
];

#[test]
fn published_lines_mean_what_they_say() {
    for line in PUBLISHED {
        let asked = profile(line, "/data/testfile.dat 1 0x0 20000\n");
        let there = There {
            bytes: 104_857_600,
            device: false,
            unfinished: false,
        };
        let built = build(&asked, &Extra::default(), &[Some(there)]).unwrap();
        let span = &built.profile.timespans[0];
        let target = &span.targets[0];
        let listed = line.contains("-Fp");
        assert_eq!(target.threads, if listed { 1 } else { 8 }, "{line}");
        let size = Bytes::mib(20_000);
        assert_eq!(target.create, listed.then_some(size), "{line}");
        assert_eq!(target.workload.write.as_percent(), 100);
        assert_eq!(built.sizes[0].grows(), listed);
    }
}

fn built(line: &str, params: &str, found: &[Option<u64>]) -> model::Timespan {
    let found: Vec<Option<There>> = found
        .iter()
        .map(|bytes| {
            bytes.map(|bytes| There {
                bytes,
                device: false,
                unfinished: false,
            })
        })
        .collect();
    let asked = profile(line, params);
    let mut built = build(&asked, &Extra::default(), &found).expect("Linux can do it");
    built.profile.timespans.remove(0)
}

#[test]
fn several_files_are_taken_in_turn_or_all_at_once() {
    let waits = built("-t3 -frandom a b", "", &[Some(1 << 20); 2]);
    assert_eq!(
        waits.pool,
        Some(Pool {
            threads: 3,
            outstanding: Some(1),
            draw: PoolDraw::InTurn
        })
    );
    let each = built("-t3 -o8 -frandom a b", "", &[Some(1 << 20); 2]);
    assert_eq!(each.pool.map(|pool| pool.outstanding), Some(None));
    assert_eq!(each.targets[1].workload.queue_depth.0, 8);
    let one = built("-t3 -o8 -frandom a", "", &[Some(1 << 20)]);
    assert_eq!((one.pool, one.targets[0].threads), (None, 3));
}

#[test]
fn a_file_is_as_large_as_its_line_its_stripes_or_what_is_there() {
    let create = |span: &model::Timespan| span.targets[0].create;
    let stripes = built("", "", &[None]);
    assert_eq!(create(&stripes), Some(Bytes::mib(8)));
    assert_eq!(stripes.targets[0].length, Some(Bytes::mib(8)));
    assert_eq!(
        stripes.targets[0].workload.access,
        ModelAccess::Stripe(StripeAccess {
            columns: 64,
            rows: 64
        })
    );
    let further = built("-S10 -f4 -i2 -b4 f", "", &[Some(1 << 20)]);
    assert_eq!(create(&further), None);
    assert_eq!(
        (further.targets[0].base, further.targets[0].length),
        (Bytes(40_960), Some(Bytes(32_768)))
    );
    let there = built("-frandom f", "", &[Some(5000)]);
    assert_eq!((create(&there), there.targets[0].length), (None, None));
    let larger = built("-frandom -Fp", "f 1 0 1", &[Some(5 << 20)]);
    assert_eq!(
        (create(&larger), larger.targets[0].length),
        (None, Some(Bytes::mib(1)))
    );
    let smaller = built("-frandom -Fp", "f 1 0 7", &[Some(5 << 20)]);
    assert_eq!(create(&smaller), Some(Bytes::mib(7)));
}

#[test]
fn a_file_that_fathom_began_is_made_whole() {
    let there = There {
        bytes: 1 << 20,
        device: false,
        unfinished: true,
    };
    let asked = profile("-frandom f", "");
    let built = build(&asked, &Extra::default(), &[Some(there)]).unwrap();
    assert_eq!(
        built.profile.timespans[0].targets[0].create,
        Some(Bytes::mib(1))
    );
    assert!(!built.sizes[0].grows());
}

#[test]
fn masks_of_lines_are_for_their_own_threads() {
    let span = built("-frandom -Fp", "a 2 0x5 1\nb 1\n", &[None; 2]);
    let placement = Placement::Masks(vec![vec![0, 2], vec![0, 2], vec![]]);
    assert_eq!(span.placement, placement);
    let free = built("-frandom -Fp", "a 2 0 1\n", &[None]);
    assert_eq!(free.placement, Placement::Free);
}

#[test]
fn devices_need_a_size_and_names_of_windows_a_spelling() {
    let device = Some(There {
        bytes: 1 << 30,
        device: true,
        unfinished: false,
    });
    let reported = |line: &str, params: &str, found: &[Option<There>]| {
        let asked = profile(line, params);
        build(&asked, &Extra::default(), found)
            .unwrap_err()
            .to_string()
    };
    let none = reported("-frandom /dev/x", "", &[device]);
    assert!(
        none.contains("/dev/x: a device has no size to SQLIO"),
        "{none}"
    );
    let asked = profile("-frandom -Fp", "/dev/x 1 0 512");
    let built = build(&asked, &Extra::default(), &[device]).unwrap();
    let target = &built.profile.timespans[0].targets[0];
    assert_eq!(
        (target.create, target.length),
        (None, Some(Bytes::mib(512)))
    );
    let asked = profile("/dev/x", "");
    assert!(
        build(&asked, &Extra::default(), &[device]).is_ok(),
        "stripes know where to end"
    );
    let raw = reported("-RD1", "", &[None; 2]);
    assert!(
        raw.contains("D:: this is a drive of Windows") && raw.contains("physical disk 1"),
        "{raw}"
    );
    let drives = reported(r"-dDE \test", "", &[None; 2]);
    assert!(
        drives.contains("/mnt/d/test") && drives.contains("/mnt/e/test"),
        "{drives}"
    );
}

#[test]
fn the_head_is_what_sqlio_prints() {
    let asked = profile(
        "-kW -t2 -s120 -o8 -frandom -b8 -BH -LS -Fp",
        "F/testfile.dat 4 0x0 2000\n",
    );
    let size = Size {
        needed: 2_097_152_000,
        current: 104_857_600,
        specified_mib: Some(2000),
    };
    let expected = "sqlio v1.5.SG\n\
        using system counter for latency timings, 1000000000 counts per second\n\
        parameter file used: p\n\
        \tfile F/testfile.dat with 4 threads (0-3) using mask 0x0 (0)\n\
        4 threads writing for 120 secs to file F/testfile.dat\n\
        \tusing 8KB random IOs\n\
        \tenabling multiple I/Os per thread with 8 outstanding\n\
        \tbuffering set to use hardware disk cache (but not file cache)\n\
        size of file F/testfile.dat needs to be: 2097152000 bytes\n\
        current file size:\t104857600 bytes\n\
        need to expand by:\t1992294400 bytes\n\
        expanding F/testfile.dat ...\n\
        using specified size: 2000 MB for file: F/testfile.dat\n\
        initialization done\n";
    assert_eq!(head(&asked, &[size]), expected);
    let there = Size {
        needed: 20_971_520_000,
        current: 20_971_520_000,
        specified_mib: None,
    };
    let plain = "sqlio v1.5.SG\n\
        1 thread reading for 30 secs from files a and b\n\
        \tusing 64KB sequential IOs\n\
        using current size: 20000 MB for file: a\n\
        using current size: 20000 MB for file: b\n\
        initialization done\n";
    assert_eq!(
        head(&profile("-fsequential -b64 a b", ""), &[there; 2]),
        plain
    );
    let lines = head(&profile("-frandom -Fp", "a 1\nb 2 0x6\n"), &[there; 2]);
    assert!(lines.contains("\tfile a with 1 thread (0) using mask 0x0 (0)\n\tfile b with 2 threads (1-2) using mask 0x6 (6)\n3 threads"), "{lines}");
    let stripes = head(&profile("-BY -o0 f", ""), &[there]);
    assert!(
        stripes.contains(
            "\tusing 2KB IOs over 128KB stripes with 64 IOs per run\n\tbuffering set to use both"
        ),
        "{stripes}"
    );
}

const BEGIN: &str = "<!-- switches of SQLIO: written from the table in the code -->\n";
const END: &str = "<!-- end of switches of SQLIO -->\n";

/// `UPDATE_EXPECT=1` rewrites the page, as with all expected text.
#[test]
fn the_manual_holds_the_table_of_switches() {
    crate::manual::holds_table("sqlio", (BEGIN, END), &flag_table());
}

#[test]
fn every_switch_stands_in_the_help_once() {
    let help = usage("sqlio");
    for flag in FLAGS {
        let form = format!("  {}", flag.form());
        let here = |line: &&str| {
            line.strip_prefix(&form)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("  "))
        };
        assert_eq!(help.lines().filter(here).count(), 1, "{}", flag.form());
        assert!(!flag.doc.is_empty() && (flag.long || !flag.linux.is_empty()));
    }
    assert!(help.starts_with("usage: sqlio "));
}
