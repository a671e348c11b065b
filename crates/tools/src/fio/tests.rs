//! What job files mean.

use super::*;
use model::{
    Access, Active, Allocation, Bytes, Nanos, Pacing, PermutedAccess, Placement, Profile, Sequence,
    Spacing, WriteContent,
};
use std::path::Path;

pub(super) fn request_with(args: &[&str], text: &str) -> Result<Request, String> {
    let files = |path: &str| match path {
        "a.fio" => Ok(text.to_owned()),
        "more.inc" => Ok("[more]\nrw=write\n".to_owned()),
        _ => Err("no such file".to_owned()),
    };
    let environment = Environment {
        read: &files,
        variable: &|name| (name == "SIZE").then(|| "8m".to_owned()),
        ..Environment::BARE
    };
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    parse(&args, &environment).map_err(|reported| reported.to_string())
}

fn request(text: &str) -> Result<Request, String> {
    request_with(&["a.fio"], text)
}

pub(super) fn read(text: &str) -> Result<Built, String> {
    build(&request(text)?, &|_: &Path| None).map_err(|reported| reported.to_string())
}

fn profile(text: &str) -> Profile {
    read(text).unwrap().profile
}

#[test]
fn no_option_stands_in_two_rows() {
    let mut names: Vec<&str> = table::rows().flat_map(|row| row.names).copied().collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn globals_are_inherited_and_stonewalls_part_timespans() {
    let built = read(
        "[global]\nsize=${SIZE}\nbs=8k ; a remark\nioengine=libaio\niodepth=4\ndirect=1\n[a]\nrw=randread\n[b]\nstonewall\nrw=write\n",
    )
    .unwrap();
    let spans = &built.profile.timespans;
    assert_eq!(spans.len(), 2);
    let [a, b] = [&spans[0].targets[0], &spans[1].targets[0]];
    assert_eq!((a.workload.block.0, a.workload.queue_depth.0), (8192, 4));
    assert_eq!(a.workload.access, Access::Permuted(PermutedAccess::Each));
    assert_eq!(
        (
            b.workload.write.as_percent(),
            b.amount.map(|amount| amount.0)
        ),
        (100, Some(8 << 20))
    );
    assert_eq!(a.location.path(), Some(Path::new("a.0.0")));
    assert_eq!((built.parts[0].group, built.parts[1].group), (0, 1));
}

#[test]
fn threads_without_a_file_name_have_files_of_their_own() {
    let text = "[j]\nsize=1m\nnumjobs=3\n";
    assert_eq!(profile(text).timespans[0].targets.len(), 3);
    let shared = format!("{text}filename=x\n");
    let target = &profile(&shared).timespans[0].targets[0];
    assert_eq!(
        (target.threads, target.create.map(|size| size.0)),
        (3, Some(1 << 20))
    );
}

#[test]
fn bounds_and_zones_are_those_of_the_direction() {
    let of = |options: &str| {
        profile(&format!("[j]\nsize=1m\n{options}\n")).timespans[0].targets[0].clone()
    };
    let bounds =
        of("rate_min=1k,2k\nrate_iops_min=30\nrate_cycle=500\nmax_latency=10ms\nrw=write").bounds;
    assert_eq!((bounds.bytes_per_s_min, bounds.iops_min), (2048, 30));
    assert_eq!(
        (bounds.cycle, bounds.latency_max),
        (Nanos::millis(500), Nanos::millis(10))
    );
    assert!(of("rw=read").bounds.is_none());
    let zones = of("zonemode=strided\nzonesize=64k\nzoneskip=1m")
        .zones
        .unwrap();
    assert_eq!(
        (zones.moved.0, zones.length.0, zones.gap.0),
        (64 << 10, 64 << 10, 1 << 20)
    );
    assert_eq!(of("zonerange=64k").zones, None);
    let latency = |options: &str| of(options).bounds.latency_max;
    let pair = "max_latency=10ms,20ms";
    assert_eq!(latency(pair), Nanos::millis(10));
    assert_eq!(latency(&format!("{pair}\nrw=randwrite")), Nanos::millis(20));
    assert_eq!(latency(&format!("{pair}\nrw=randrw")), Nanos::millis(20));
}

#[test]
fn bounds_and_zones_without_effect_are_notes_and_wrong_ones_are_refused() {
    let read = |options: &str| {
        let text = format!("[j]\nsize=1m\n{options}\n");
        request(&text)
    };
    for (options, note) in [
        ("rate_cycle=100", "rate_cycle: no effect"),
        ("zoneskip=64k", "zonerange, zoneskip: no effect"),
        ("max_latency=1ms,2ms\nrw=randrw", "in a mix the longer"),
        ("rate_min=1k\nrw=randrw", "are compared with it together"),
    ] {
        let notes = read(options).unwrap().notes;
        assert!(
            notes.iter().any(|one| one.why.contains(note)),
            "{options}: {notes:?}"
        );
    }
    for wrong in ["rate_cycle=0", "max_latency=10ms,banana"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_file_that_a_job_only_creates_is_filled_as_that_job_asks() {
    let of = |kind: &str| {
        let text = format!(
            "[layout]\ncreate_only=1\nrw={kind}\nfilename=x\nsize=1m\n[test]\nstonewall\nrw=randwrite\nfilename=x\nsize=1m\n"
        );
        profile(&text).timespans[0].targets[0].allocation
    };
    assert_eq!(of("read"), Allocation::Written);
    assert_eq!(of("write"), Allocation::Reserved);
}

/// As in fio, whose documentation of `blockalign` has it so.
#[test]
fn blockalign_turns_the_random_map_off() {
    let text = "[j]\nrw=randread\nbs=4k\nblockalign=128k\nsize=64k\n";
    let access = profile(text).timespans[0].targets[0]
        .workload
        .access
        .clone();
    assert!(matches!(access, Access::Mixed(mixed) if !mixed.once));
}

/// As fio's `extend_file`: files are filled where a job reads, maps or overwrites them, and where jobs that run with it do.
#[test]
fn new_files_that_are_only_written_are_not_filled() {
    let of = |options: &str| {
        let text = format!("[j]\nsize=1m\nfilename=x\n{options}\n");
        let span = profile(&text).timespans.remove(0);
        let all: Vec<Allocation> = span
            .targets
            .iter()
            .map(|target| target.allocation)
            .collect();
        assert!(all.iter().all(|one| *one == all[0]), "{options}");
        all[0]
    };
    for (options, allocation) in [
        ("rw=write", Allocation::Reserved),
        ("rw=randwrite\nfallocate=none", Allocation::Growing),
        ("rw=write\nfallocate=keep", Allocation::ReservedBehindEnd),
        ("rw=write\nfallocate=truncate", Allocation::Sparse),
        ("rw=write\noverwrite=1", Allocation::Written),
        ("rw=write\noverwrite=1\nfile_append=1", Allocation::Reserved),
        ("rw=write\nverify=md5", Allocation::Written),
        ("rw=randrw\nrwmixread=1", Allocation::Written),
        (
            "rw=write\n[k]\nsize=1m\nfilename=x\nrw=read",
            Allocation::Written,
        ),
        (
            "rw=write\n[k]\nsize=1m\nfilename=x\nrw=write",
            Allocation::Reserved,
        ),
    ] {
        assert_eq!(of(options), allocation, "{options}");
    }
    let refused = read("[j]\nsize=1m\nrw=write\nfallocate=all\n").unwrap_err();
    assert!(refused.contains("truncate"), "{refused}");
}

/// fio 3.33 does 6 and 16 I/Os in the first two, at the places of these walks.
#[test]
fn a_step_between_sequential_ios_is_a_stride_and_may_go_backwards() {
    let walk = |kind: &str| {
        let target =
            profile(&format!("[j]\nsize=64k\nbs=4k\nrw={kind}\n")).timespans[0].targets[0].clone();
        let Access::Diskspd(walk) = target.workload.access else {
            panic!("{kind}");
        };
        (
            walk.sequence,
            walk.align.0,
            target.amount.map(|amount| amount.0 / 4096),
        )
    };
    assert_eq!(walk("read:8k"), (Sequence::PerThread, 12_288, Some(6)));
    assert_eq!(walk("write:-8k"), (Sequence::Backward, 4096, Some(16)));
    assert_eq!(walk("read:-16k"), (Sequence::Backward, 12_288, Some(16)));
    assert_eq!(walk("read"), (Sequence::PerThread, 4096, Some(16)));
    for (kind, why) in [
        ("read:-4k", "same block"),
        ("randread:8", "percentage_random=12"),
        ("read:x", "whole number"),
    ] {
        let refused = read(&format!("[j]\nsize=64k\nbs=4k\nrw={kind}\n")).unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
}

/// fio 3.33 prints that time_based requires a runtime, and does the size.
#[test]
fn without_a_runtime_a_job_ends_by_its_size() {
    let built = read("[j]\nsize=1m\ntime_based\n").unwrap();
    let target = &built.profile.timespans[0].targets[0];
    assert_eq!(target.amount.map(|amount| amount.0), Some(1 << 20));
}

#[test]
fn jobs_side_by_side_have_a_rate_of_iops_each() {
    let paces = |options: &str| -> Result<Vec<Pacing>, String> {
        let text = format!(
            "[global]\nsize=1m\nbs=4k\n{options}[a]\nrw=randread\n[b]\nrw=randwrite\nrate_iops=3k\nnumjobs=2\n"
        );
        let span = read(&text)?.profile.timespans.remove(0);
        assert_eq!(span.arrivals, None);
        Ok(span.targets.iter().map(|target| target.pacing).collect())
    };
    let pace = |spacing| Pacing::Ios {
        per_s: 3072,
        spacing,
    };
    let [each, drawn] = [Spacing::Constant, Spacing::Poisson].map(pace);
    assert_eq!(paces(""), Ok(vec![Pacing::Free, each, each]));
    assert_eq!(
        paces("rate_process=poisson\n"),
        Ok(vec![Pacing::Free, drawn, drawn])
    );
    for option in ["rate=1m", "thinktime=5"] {
        let refused = paces(&format!("{option}\n")).unwrap_err();
        assert!(refused.contains("rate_iops"), "{refused}");
    }
}

#[test]
fn jobs_side_by_side_start_and_end_at_times_of_their_own() {
    let span = profile(
        "[a]\nsize=1m\nruntime=5\nstartdelay=2\n[b]\nsize=1m\nruntime=9\nstartdelay=1\ntime_based\n[c]\nsize=1m\nruntime=8\n",
    )
    .timespans
    .remove(0);
    let active = |after, length: Option<u64>| Active {
        after: Nanos::seconds(after),
        length: length.map(Nanos::seconds),
        wear_out: false,
    };
    let each: Vec<Active> = span.targets.iter().map(|target| target.active).collect();
    assert_eq!(
        each,
        [active(2, Some(5)), active(1, None), active(0, Some(8))]
    );
    assert_eq!(
        (span.phases.measured, span.start_delay),
        (Nanos::seconds(10), Nanos(0))
    );
    let refused = read("[a]\nsize=1m\nramp_time=1\n[b]\nsize=1m\nramp_time=1\nstartdelay=1\n");
    assert!(refused.is_err_and(|why| why.contains("startdelay, ramp_time")));
}

#[test]
fn files_in_turn_stand_beside_jobs_of_one_file() {
    let span = profile(
        "[global]\nsize=4m\nioengine=libaio\n[a]\nnrfiles=2\nnumjobs=2\niodepth=8\nrate_iops=50\n[b]\nfilename=x\nnumjobs=2\niodepth=2\n",
    )
    .timespans
    .remove(0);
    let users: Vec<&[(u32, u32)]> = span.targets.iter().map(|t| &t.pool_threads[..]).collect();
    let [first, second] = [[(0, 0)], [(1, 0)]];
    assert_eq!(
        users,
        [&first[..], &first, &second, &second, &[(2, 0), (3, 0)]]
    );
    let pool = span.pool.unwrap();
    assert_eq!((pool.threads, pool.outstanding), (4, Some(8)));
    let pacing = Pacing::Ios {
        per_s: 50,
        spacing: Spacing::Constant,
    };
    assert_eq!(span.targets[0].pacing, pacing);
}

#[test]
fn each_job_side_by_side_has_its_processors() {
    let placement = |last: &str| {
        profile(&format!(
            "[global]\nsize=1m\n[a]\ncpus_allowed=0,2\nnumjobs=3\n[b]\n{last}\n"
        ))
        .timespans
        .remove(0)
        .placement
    };
    let lists = |last: Vec<u32>| Placement::Masks(vec![vec![0], vec![2], vec![0], last]);
    assert_eq!(placement("cpumask=0x6"), lists(vec![1]));
    assert_eq!(placement(""), lists(Vec::new()));
    assert_eq!(placement("cpumask=5"), Placement::Cores(vec![0, 2]));
}

/// fio 3.33 creates the file of the first job, and does 16 reads in the second.
#[test]
fn a_job_that_only_creates_files_lets_another_one_create_them() {
    let job = "[c]\ncreate_only=1\nfilename=f\nsize=2m\nrw=write\n[a]\nstonewall\nsize=1m\nrw=read\nfilename=";
    let profile = profile(&format!("{job}f\n"));
    assert_eq!(profile.timespans.len(), 1);
    let target = &profile.timespans[0].targets[0];
    assert_eq!(
        (target.create, target.length),
        (Some(Bytes(2 << 20)), Some(Bytes(1 << 20)))
    );
    let refused = read(&format!("{job}g\n")).unwrap_err();
    assert!(refused.contains("no job that runs uses f"), "{refused}");
}

/// fio 3.33 has 2000 reads and 2000 writes per second in the first two, and 3000 and 1000 in the third.
#[test]
fn each_direction_of_a_mix_has_its_own_rate() {
    let rate = |options: &str| {
        let text = format!("[j]\nsize=1m\nbs=4k\nrw=randrw\n{options}\n");
        let span = read(&text)?.profile.timespans.remove(0);
        let target = &span.targets[0];
        let per_s = match target.pacing {
            Pacing::Rate { bytes_per_s } => bytes_per_s,
            _ => span.arrivals.map_or(0, |arrivals| arrivals.per_s),
        };
        Ok((per_s, target.workload.write.as_percent()))
    };
    assert_eq!(rate("rate_iops=2000"), Ok((4000, 50)));
    assert_eq!(rate("rate_iops=2000\nrwmixread=70"), Ok((4000, 50)));
    assert_eq!(
        rate("rate_iops=3000,1000\nnumjobs=2\nfilename=x"),
        Ok((8000, 25))
    );
    assert_eq!(rate("rate=3m,1m"), Ok((4 << 20, 25)));
    assert_eq!(
        rate("rate=2m,2m\nbs=4k,12k").map(|rate| rate.0),
        Ok(4 << 20)
    );
    assert_eq!(rate("rate_iops=2000,500\nrwmixread=100"), Ok((2000, 0)));
    let refused: Result<(u64, u8), String> = rate("rate_iops=2000,0");
    assert!(refused.is_err_and(|why| why.contains("rate_iops")));
}

/// As fio 3.33 wrote them.
#[test]
fn a_pattern_is_hexadecimal_text_or_numbers() {
    let content = |pattern: &str| {
        let text = format!("[j]\nsize=1m\nrw=write\nbuffer_pattern={pattern}\n");
        read(&text).map(|built| built.profile.timespans[0].targets[0].content.clone())
    };
    let bytes = |bytes: &[u8]| Ok(WriteContent::Repeated(bytes.to_vec()));
    assert_eq!(content("0xdeadface"), bytes(&[0xde, 0xad, 0xfa, 0xce]));
    assert_eq!(content("0xabc"), bytes(&[0x0a, 0xbc]));
    assert_eq!(content("0xff0x14"), bytes(&[0xff, 0x14]));
    assert_eq!(content("4660"), bytes(&[0x34, 0x12]));
    assert_eq!(content("\"ab\"-12\"cd\""), bytes(b"ab\xf4\xff\xff\xffcd"));
    assert_eq!(content("0x00"), Ok(WriteContent::Zero));
    for wrong in ["'file'", "0x", "\"ab", "x", "%o"] {
        assert!(content(wrong).is_err(), "{wrong}");
    }
    // Equal blocks are duplicates anyway.
    assert_eq!(content("0xff\ndedupe_percentage=50"), bytes(&[0xff]));
    let shaped = content("0xff\nbuffer_compress_percentage=50").unwrap();
    assert!(matches!(shaped, WriteContent::Shaped { compress, .. } if compress.as_percent() == 50));
}

/// fio 3.33 takes the first folder where the files are specified, and 1 MiB of the file in the last.
#[test]
fn threads_take_turns_at_folders_and_a_share_is_of_the_size_that_a_file_gets() {
    let paths = |text: &str| -> Vec<String> {
        let profile = profile(text);
        let targets = profile.timespans[0].targets.iter();
        targets.map(|target| target.location.name()).collect()
    };
    let text = "[j]\ndirectory=a:b\\:c\nsize=1m\nnumjobs=3\n";
    assert_eq!(paths(text), ["a/j.0.0", "b:c/j.1.0", "a/j.2.0"]);
    assert_eq!(paths(&format!("{text}filename=x\n")), ["a/x"]);
    let target = &profile("[j]\nsize=10%\nfilesize=10m\n").timespans[0].targets[0];
    assert_eq!(target.length.map(|length| length.0), Some(1 << 20));
}

/// fio 3.33 prints `a` and `other` for these, and writes to a.0.0 and b.0.0.
#[test]
fn jobs_and_files_are_named_after_their_sections() {
    let built = read("[global]\nname=all\nsize=1m\n[a]\n[b]\nname=other\n").unwrap();
    let names: Vec<&str> = built.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["a", "other"]);
    let targets = &built.profile.timespans[0].targets;
    let paths: Vec<_> = targets
        .iter()
        .filter_map(|target| target.location.path())
        .collect();
    assert_eq!(paths, [Path::new("a.0.0"), Path::new("b.0.0")]);
}

#[test]
fn a_format_names_the_files() {
    let paths = |text: &str| {
        let targets = profile(text).timespans.remove(0).targets;
        let path = |target: &model::Target| target.location.path().unwrap().display().to_string();
        targets.iter().map(path).collect::<Vec<String>>()
    };
    let format = "[j]\nsize=1m\nnumjobs=2\nfilename_format=";
    assert_eq!(
        paths(&format!("{format}$jobname-$jobnum.$filenum\n")),
        ["j-0.0", "j-1.0"]
    );
    assert_eq!(paths(&format!("{format}one\n")), ["one"]);
}

#[test]
fn a_seed_is_drawn_where_runs_are_not_to_repeat() {
    let seed = |text: &str| profile(&format!("[global]\nsize=1m\n{text}")).timespans[0].seed;
    assert_eq!(seed("[a]\n"), 0);
    assert_eq!(
        seed("[a]\n[b]\nrandrepeat=0\n"),
        Environment::BARE.drawn_seed
    );
    assert_eq!(seed("[a]\nrandrepeat=0\nrandseed=7\n"), 7);
    assert!(read("[a]\nsize=1m\nrandseed=1\n[b]\nsize=1m\nrandseed=2\n").is_err());
}

#[test]
fn sizes_and_mixes_become_lines() {
    let lines = |text: &str| {
        let profile = profile(&format!("[j]\nsize=1g\nrw=randrw\n{text}"));
        match &profile.timespans[0].targets[0].workload.access {
            Access::Mixed(mixed) => mixed
                .lines
                .iter()
                .map(|line| {
                    (
                        line.block.0,
                        (mixed.part_of(line) * 1000.0).round() as u32,
                        line.write.as_percent(),
                    )
                })
                .collect(),
            _ => Vec::new(),
        }
    };
    assert_eq!(
        lines("bssplit=4k/60:64k/40\nrwmixread=80\n"),
        [(4096, 600, 20), (65536, 400, 20)]
    );
    assert_eq!(
        lines("bs=4k,64k\nrwmixread=70\n"),
        [(4096, 700, 0), (65536, 300, 100)]
    );
    assert_eq!(
        lines("bsrange=4k-16k\n"),
        [
            (4096, 250, 50),
            (8192, 250, 50),
            (12288, 250, 50),
            (16384, 250, 50)
        ]
    );
}

#[test]
fn everything_that_cannot_be_is_reported_at_once_with_its_line() {
    let reported =
        read("[global]\nverify=rot13\n[j]\nioengine=rbd\nbs=0\nnonsense=1\nrw=randtrim\n")
            .unwrap_err();
    let places: Vec<&str> = reported
        .lines()
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    assert_eq!(
        places,
        ["a.fio:2", "a.fio:4", "a.fio:5", "a.fio:6", "a.fio:7"],
        "{reported}"
    );
}

/// What fio 3.33 does with them.
#[test]
fn several_sizes_are_of_reads_and_writes_or_the_last_one_counts() {
    let built = read("[a]\nsize=1m:3m\nbs=4k-64k\nrw=write\n").unwrap();
    let target = &built.profile.timespans[0].targets[0];
    assert_eq!(
        (target.workload.block.0, target.amount),
        (64 << 10, Some(Bytes(3 << 20)))
    );
    let notes = request("[a]\nsize=1m:3m\nbs=4k-64k\n").unwrap().notes;
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(read("[a]\nsize=-1m\n").is_err() && read("[a]\nsize=1m\nbs=-4k\n").is_err());
}

/// What fio 3.33 does with it.
#[test]
fn what_is_behind_a_comma_of_rw_does_not_count() {
    let built = read("[a]\nsize=1m\nrw=randread,write\n").unwrap();
    let workload = &built.profile.timespans[0].targets[0].workload;
    assert_eq!(workload.write, model::Ratio::NONE);
    let notes = request("[a]\nsize=1m\nrw=randread,write\n").unwrap().notes;
    assert!(notes[0].to_string().contains("behind the comma, write"));
}

#[test]
fn sizes_have_zones() {
    let built = read(
        "[j]\nsize=1g\nrw=randrw\nbssplit=512/25:4k/75\nblockalign=4k\nrandom_distribution=zoned:50/5:30/15:20/\n",
    )
    .unwrap();
    let Access::Mixed(mixed) = &built.profile.timespans[0].targets[0].workload.access else {
        panic!("no mix");
    };
    let lines: Vec<(u64, u32, u8, u8)> = mixed
        .lines
        .iter()
        .map(|line| {
            let part = line.part;
            (
                line.block.0,
                line.share,
                part.from.as_percent(),
                part.to.as_percent(),
            )
        })
        .collect();
    assert_eq!(
        lines,
        [
            (512, 5, 0, 5),
            (512, 3, 5, 20),
            (512, 2, 20, 100),
            (4096, 15, 0, 5),
            (4096, 9, 5, 20),
            (4096, 6, 20, 100)
        ]
    );
}

#[test]
fn files_are_included_and_sections_need_a_name() {
    assert_eq!(
        profile("[global]\nsize=1m\ninclude more.inc\n")
            .timespans
            .len(),
        1
    );
    assert!(
        read("size=1m\n")
            .unwrap_err()
            .contains("before any section")
    );
    assert_eq!(profile("[a\nsize=1m\n").timespans.len(), 1, "as in fio");
    assert!(read("").unwrap_err().contains("no job"));
}

#[test]
fn the_command_line_says_jobs_too() {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let request = parse(
        &words("--name=x --size=1m --rw randwrite --bs=16k --overwrite --no-store"),
        &Environment::BARE,
    )
    .unwrap();
    assert!(request.extra.own.consent.overwrite_files && request.extra.own.no_store);
    let built = build(&request, &|_: &Path| None).unwrap();
    let workload = &built.profile.timespans[0].targets[0].workload;
    assert_eq!(
        (workload.block.0, workload.write.as_percent()),
        (16384, 100)
    );
    let parsed = |text: &str| parse(&words(text), &Environment::BARE);
    assert!(parsed("--nope=1").is_err());
    let short = parsed("--name=x -time_base --size=1m --run=5 --output-f=json").unwrap();
    assert_eq!(
        (short.jobs.jobs[0].time_based, short.extra.forms),
        (true, vec![Form::Json])
    );
    let reported = parsed("--name=x --size=1m --buf=1")
        .map(drop)
        .unwrap_err()
        .to_string();
    assert!(
        reported.contains("--buf=1: ambiguous: specify one of buffer_"),
        "{reported}"
    );
}

/// As getopt_long_only of fio reads them.
#[test]
fn one_dash_is_as_good_as_two_and_readonly_refuses_what_writes() {
    let read = |text: &str| {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let request = parse(&words, &Environment::BARE).map_err(|why| why.to_string())?;
        build(&request, &|_: &Path| None).map_err(|why| why.to_string())
    };
    let line = "-direct=1 -iodepth 8 -rw=randread -ioengine=libaio -bs=4k -size=1m -group_reporting -name=x";
    let target = &read(line).unwrap().profile.timespans[0].targets[0];
    assert_eq!(target.cache, model::CacheMode::Unbuffered);
    assert_eq!(target.workload.queue_depth.0, 8);
    let why = read("--name=x --rw=write --size=1m --readonly").unwrap_err();
    assert!(why.contains("this job writes"), "{why}");
    let why = read("--name=x --rw=read --size=1m --readonly").unwrap_err();
    assert!(why.contains("would be created"), "{why}");
    let why = read("--name=x --rw=read --size=1m --readonly --unlink=1").unwrap_err();
    assert!(why.contains("would remove"), "{why}");
    assert!(read("--name=x --size=1m --numjobs=3 --max-jobs=2").is_err());
}

#[test]
fn what_asks_for_nothing_is_accepted_and_the_rest_refused() {
    let with = |text: &str| read(&format!("[j]\nsize=1m\n{text}\n"));
    for neutral in [
        "verify=0\nverify_fatal=0\nverify_dump=1",
        "exitall=0",
        "zonesize=0",
        "max_latency=0",
        "latency_target=0\nlatency_window=0",
        "rate_min=0,0",
        "flow=0",
        "io_size=0",
        "offset=0%",
        "write_hint=none",
        "fadvise_hint=0",
        "allow_mounted_write=0",
        "bs=,8k",
        "bs=$pagesize",
    ] {
        assert!(with(neutral).is_ok(), "{neutral}: {:?}", with(neutral));
    }
    for asks in [
        "latency_target=10ms",
        "zonemode=zbd",
        "verify_pattern=0xff",
        "max_latency=soon",
        "zonesize=1m",
        "zonemode=strided",
        "flow=8",
    ] {
        assert!(with(asks).is_err(), "{asks}");
    }
}

#[test]
fn threads_begin_their_ranges_one_after_another() {
    let profile = profile("[j]\nfilename=x\nsize=1m\nnumjobs=3\noffset=4k\noffset_increment=2m\n");
    let targets = &profile.timespans[0].targets;
    let bases: Vec<u64> = targets.iter().map(|target| target.base.0).collect();
    assert_eq!(bases, [4096, (2 << 20) + 4096, (4 << 20) + 4096]);
    assert!(targets.iter().all(|target| target.threads == 1));
}

#[test]
fn a_job_shares_its_amount_out_over_its_files() {
    let profile = profile("[j]\nsize=8m\nnrfiles=4\nnumjobs=2\n");
    let targets = &profile.timespans[0].targets;
    assert_eq!(targets.len(), 8);
    assert!(
        targets
            .iter()
            .all(|target| target.amount == Some(model::Bytes::mib(2)))
    );
}

#[test]
fn globals_hold_for_their_own_file() {
    let files = |path: &str| match path {
        "a" => Ok("[global]\nbs=8k\nsize=1m\n[one]\n".to_owned()),
        _ => Ok("[two]\nsize=1m\nstonewall\n".to_owned()),
    };
    let environment = Environment {
        read: &files,
        ..Environment::BARE
    };
    let args = ["--direct=1", "a", "b"].map(str::to_owned);
    let request = parse(&args, &environment).unwrap();
    let built = build(&request, &|_: &Path| None).unwrap();
    let spans = &built.profile.timespans;
    let reported = [0, 1].map(|span: usize| {
        let target = &spans[span].targets[0];
        let direct = target.cache == model::CacheMode::Unbuffered;
        (target.workload.block.0, direct)
    });
    assert_eq!(reported, [(8192, true), (4096, false)]);
}
