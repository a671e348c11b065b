//! What hostile files cost: memory at most eight times their length plus a constant, work in proportion to it.
//!
//! Memory is counted by the allocator, the file's own bytes included. Work is the bytes that are taken of the allocator,
//! which no busy machine disturbs, and the time of this thread on a processor, of which the best of several tries counts.

use crate::counting::{busy, cost, is_full};
use tools::{diskspd, fio, iometer, sqlio, sweep, workloads_of};

/// Times the length of the file.
const FACTOR: usize = 8;
/// In addition, at any length.
const CONSTANT: usize = 24 << 20;

fn fio_jobs(text: &str) {
    let read = |path: &str| match path {
        "j" => Ok(text.to_owned()),
        _ => Err("no such file".to_owned()),
    };
    let environment = fio::Environment {
        read: &read,
        ..fio::Environment::BARE
    };
    match fio::parse(&["j".to_owned()], &environment) {
        Err(refusal) => drop(refusal.to_string()),
        Ok(request) => match fio::build(&request, &|_| None) {
            Err(refusal) => drop(refusal.to_string()),
            Ok(built) => drop(built.profile.paths()),
        },
    }
}

fn iometer_icf(text: &str) {
    let Ok(config) = iometer::read(&iometer::decode(text.as_bytes())) else {
        return;
    };
    let wishes = iometer::Wishes {
        size: Some(1 << 20),
        ..iometer::Wishes::default()
    };
    if let Ok(built) = iometer::build(&config, &wishes, &|_| None) {
        let timespans = built.runs.into_iter().map(|run| run.span).collect();
        drop(model::Profile { timespans }.paths());
    }
}

fn sqlio_params(text: &str) {
    let read = |_: &str| Ok(text.to_owned());
    let args = ["-s1".to_owned(), "-Fp".to_owned()];
    let Ok(request) = sqlio::parse(&args, &sqlio::Environment { read: &read }) else {
        return;
    };
    if let sqlio::Action::Run(profile) = &request.action {
        let found = vec![None; profile.targets().len()];
        drop(sqlio::build(profile, &request.extra, &found));
    }
}

fn diskspd_xml(text: &str) {
    if let Ok(profile) = diskspd::read_xml(text) {
        drop(diskspd::validate(&profile, diskspd::Purpose::Run));
        drop(diskspd::build(&profile, &diskspd::Extra::default()));
    }
}

/// The system takes no more than a hundred and some kilobytes as a word.
fn diskspd_args(text: &str) {
    let text = &text[..text.floor_char_boundary(128 << 10)];
    let args: Vec<String> = text.lines().map(str::to_owned).collect();
    if let Ok(request) = diskspd::parse(&args, &diskspd::Environment::BARE)
        && let diskspd::Action::Run(profile) = request.action
    {
        drop(diskspd::build(&profile, &diskspd::Extra::default()));
    }
}

fn sweep_plan(text: &str) {
    match sweep::from_plan(text) {
        Err(refusal) => drop(refusal.to_string()),
        Ok(definition) => drop(definition),
    }
}

fn survey_workloads(text: &str) {
    drop(workloads_of(text));
}

type Reader = fn(&str);

/// Who reads it, name, what the file begins with, what is repeated (`#` is a number that grows), what it ends with.
type Shape = (
    Reader,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

const ICF: &str = "Version 1.1.0\n";
const SPECS: &str = "Version 1.1.0\n'ACCESS SPECIFICATIONS\n";
const MANAGERS: &str = "Version 1.1.0\n'MANAGER LIST\n";
const WORKER: &str = "Version 1.1.0\n'MANAGER LIST\n'Manager ID, manager name\n1,a\n'Worker\na\n'Worker type\nDISK\n";
const FILES: &str = "Version 1.1.0\n'TEST SETUP\n'Run Time\n'\thours\tminutes\tseconds\n0\t0\t9\n'END test setup\n'ACCESS SPECIFICATIONS\n'Access specification name,default assignment\na,NONE\n'size,% of size,% reads,% random,delay,burst,align,reply\n4096,100,100,100,0,1,4096,0\n'END access specifications\n'MANAGER LIST\n'Manager ID, manager name\n1,a\n";
const SPAN: &str = "<Profile><TimeSpans><TimeSpan>";
const TARGET: &str = "<Profile><TimeSpans><TimeSpan><Targets><Target>";
const LINE: &str = "from_diskspd = \"-b8K a\"\n";

#[rustfmt::skip]
const SHAPES: &[Shape] = &[
    (fio_jobs, "newlines", "", "\n", ""),
    (fio_jobs, "letters", "", "x", ""),
    (fio_jobs, "comments", "", "#\n", ""),
    (fio_jobs, "brackets", "", "[", ""),
    (fio_jobs, "open sections", "", "[\n", ""),
    (fio_jobs, "sections", "", "[a]\n", ""),
    (fio_jobs, "sections of many names", "", "[#]\n", ""),
    (fio_jobs, "a long name of a section", "[", "x", "]\nrw=read\n"),
    (fio_jobs, "options before any section", "", "x\n", ""),
    (fio_jobs, "unknown options", "[a]\n", "x\n", ""),
    (fio_jobs, "options of many names", "[a]\n", "x#\n", ""),
    (fio_jobs, "values that are wrong", "[a]\n", "rw=#\n", ""),
    (fio_jobs, "options that are noted", "[a]\n", "thread=#\n", ""),
    (fio_jobs, "options", "[a]\n", "rw=read\n", ""),
    (fio_jobs, "globals", "[global]\n", "rw=read\n", "[a]\n"),
    (fio_jobs, "globals by turns with jobs", "", "[global]\nrw=read\n[a]\n", ""),
    (fio_jobs, "wrong globals by turns with jobs", "", "[global]\nrw=#\n[a]\n", ""),
    (fio_jobs, "jobs with an option", "", "[a#]\nsize=4k\n", ""),
    (fio_jobs, "jobs with several files", "[global]\nnrfiles=256\nnumjobs=65536\n", "[a#]\n", ""),
    (fio_jobs, "jobs that wait", "[global]\nfilename=/x\nsize=1m\n", "[a#]\nwait_for=a#\n", ""),
    (fio_jobs, "jobs that wait for the first", "[bxxx]\nsize=1m\nfilename=/x\n", "[b#]\nrw=randread\nbs=4k\nsize=1m\nfilename=/x\niodepth=1\nwait_for=bxxx\n", ""),
    (fio_jobs, "jobs that wait for no job", "", "[a#]\nwait_for=x\n", ""),
    (fio_jobs, "jobs on files", "[global]\nsize=1m\n", "[a#]\nfilename=/f#\n", ""),
    (fio_jobs, "jobs on one file", "[global]\nsize=1m\nfilename=/f\n", "[a#]\nstonewall\n", ""),
    (fio_jobs, "files of a job", "[a]\nsize=1m\nfilename=", "a:", ""),
    (fio_jobs, "files of options", "[a]\n", "filename=a:b:c:d:e:f:g:h\n", ""),
    (fio_jobs, "parts of a size", "[a]\nbssplit=", "4k:", ""),
    (fio_jobs, "factors", "[a]\nsize=", "1*", ""),
    (fio_jobs, "keywords", "[a]\nsize=", "$ncpus", ""),
    (fio_jobs, "lines of keywords", "[a]\n", "size=$ncpus$ncpus$ncpus$ncpus\n", ""),
    (fio_jobs, "variables", "[a]\nsize=", "${", ""),
    (fio_jobs, "includes", "[a]\n", "include x\n", ""),
    (fio_jobs, "includes of itself", "[a]\n", "include j\n", ""),
    (fio_jobs, "quotes", "[a]\nsize=", "\"", ""),
    (fio_jobs, "zones", "[a]\nrw=randread\nrandom_distribution=zoned:", "1/1:", ""),
    (fio_jobs, "cores", "[a]\ncpus_allowed=", "1,", ""),
    (iometer_icf, "newlines", ICF, "\n", ""),
    (iometer_icf, "letters", ICF, "x", ""),
    (iometer_icf, "keys", ICF, "'\n", ""),
    (iometer_icf, "a long key", ICF, "'", ""),
    (iometer_icf, "versions", "", "Version 1.1.0\n", ""),
    (iometer_icf, "specifications", SPECS, "'Access specification name,default assignment\n#,NONE\n", "'END access specifications\n"),
    (iometer_icf, "lines of a specification", "Version 1.1.0\n'ACCESS SPECIFICATIONS\n'Access specification name,\na,NONE\n'size,\n", "1,1,1,1,1,1,1,1\n", ""),
    (iometer_icf, "cells of a line", "Version 1.1.0\n'ACCESS SPECIFICATIONS\n'Access specification name,\na,NONE\n'size,\n", "1,", "\n"),
    (iometer_icf, "managers", MANAGERS, "'Manager ID, manager name\n1,#\n", "'END manager list\n"),
    (iometer_icf, "workers", WORKER, "'Worker\n#\n", "'END manager list\n"),
    (iometer_icf, "workers of a strange type", WORKER, "'Worker\n#\n'Worker type\nx\n", "'END manager list\n"),
    (iometer_icf, "workers with a target", WORKER, "'Worker\n#\n'Worker type\nDISK\n'Assigned access specs\na\n'Target\nb\n", "'END manager list\n"),
    (iometer_icf, "targets", WORKER, "'Target\n#\n", "'Assigned access specs\na\n'END manager list\n"),
    (iometer_icf, "files of workers", FILES, "'Worker\n#\n'Worker type\nDISK\n'Assigned access specs\na\n'Target\n/a#\n'Target\n/b#\n'Target\n/c#\n'Target\n/d#\n'Target\n/e#\n'Target\n/f#\n'Target\n/g#\n'Target\n/h#\n", "'END manager list\n"),
    (iometer_icf, "assigned specifications", WORKER, "'Assigned access specs\n#\n", "'Target\na\n'END manager list\n"),
    (iometer_icf, "cells of a worker", "Version 1.1.0\n'MANAGER LIST\n'Manager ID\n1,a\n'Worker\na\n'Disk maximum size\n", ",", "\n"),
    (iometer_icf, "sections", ICF, "'TEST SETUP\n'END test setup\n", ""),
    (iometer_icf, "words", "Version 1.1.0\n'TEST SETUP\n'Run Time\n", "1 ", "\n"),
    (sqlio_params, "newlines", "", "\n", ""),
    (sqlio_params, "letters", "", "x", ""),
    (sqlio_params, "lines that are wrong", "", "x\n", ""),
    (sqlio_params, "lines that are wrong in all", "", "x 0 x 0\n", ""),
    (sqlio_params, "files", "", "# 1\n", ""),
    (sqlio_params, "the same file", "", "a 1\n", ""),
    (sqlio_params, "fields", "a 1 0x0 1 ", "1 ", "\n"),
    (sqlio_params, "quotes", "", "\"", ""),
    (sqlio_params, "open quotes", "", "\"\n", ""),
    (sqlio_params, "named files", "", "f# 1 0x0 1\n", ""),
    (diskspd_xml, "elements", "<Profile>", "<a/>", "</Profile>"),
    (diskspd_xml, "nested elements", "", "<a>", ""),
    (diskspd_xml, "time spans", "<Profile><TimeSpans>", "<TimeSpan/>", "</TimeSpans></Profile>"),
    (diskspd_xml, "targets", "<Profile><TimeSpans><TimeSpan><Targets>", "<Target><Path>a</Path></Target>", "</Targets></TimeSpan></TimeSpans></Profile>"),
    (diskspd_xml, "targets of many names", "<Profile><TimeSpans><TimeSpan><Targets>", "<Target><Path>#</Path></Target>", "</Targets></TimeSpan></TimeSpans></Profile>"),
    (diskspd_xml, "empty targets", "<Profile><TimeSpans><TimeSpan><Targets>", "<Target/>", "</Targets></TimeSpan></TimeSpans></Profile>"),
    (diskspd_xml, "assignments", SPAN, "<Affinity/>", ""),
    (diskspd_xml, "processors", "<Profile><TimeSpans><TimeSpan><Affinity>", "<AffinityGroupAssignment Group='0' Processor='1'/>", "</Affinity></TimeSpan></TimeSpans></Profile>"),
    (diskspd_xml, "throughputs", TARGET, "<Throughput>1</Throughput>", "</Target></Targets></TimeSpan></TimeSpans></Profile>"),
    (diskspd_xml, "threads of a target", "<Profile><TimeSpans><TimeSpan><Targets><Target><Path>a</Path><ThreadTargets>", "<ThreadTarget><Thread>0</Thread></ThreadTarget>", "</ThreadTargets></Target></Targets></TimeSpan></TimeSpans></Profile>"),
    (diskspd_xml, "ranges", "<Profile><TimeSpans><TimeSpan><Targets><Target><Path>a</Path><Distribution><Absolute>", "<Range IO='1'>1</Range>", "</Absolute></Distribution></Target></Targets></TimeSpan></TimeSpans></Profile>"),
    (diskspd_xml, "attributes", "<Profile>", "<a b='' c='' d=''/>", "</Profile>"),
    (diskspd_xml, "one element of attributes", "<Profile ", "a#='' ", "/>"),
    (diskspd_xml, "references", "<Profile><Verbose>", "&lt;", "</Verbose></Profile>"),
    (diskspd_xml, "comments", "<Profile>", "<!---->", "</Profile>"),
    (diskspd_xml, "blanks", "<Profile>", " ", "</Profile>"),
    (diskspd_xml, "results with a profile", "<Results><System>", "<a/>", "</System></Results>"),
    (diskspd_args, "targets", "", "t#\n", ""),
    (diskspd_args, "the same target", "", "a\n", ""),
    (diskspd_args, "unknown switches", "", "-!\n", "a"),
    (diskspd_args, "switches", "", "-r\n", "a"),
    (diskspd_args, "switches behind a target", "a\n", "-r\n", ""),
    (diskspd_args, "with a profile", "-Xp\n", "-r\n", ""),
    (diskspd_args, "values that are wrong", "", "-b\n", "a"),
    (diskspd_args, "processors", "-a", "1,", "\na"),
    (diskspd_args, "groups of processors", "-a", "g0,1,", "\na"),
    (diskspd_args, "ranges", "-rdpct", "1/1:", "\na"),
    (sweep_plan, "newlines", "", "\n", ""),
    (sweep_plan, "letters", "", "x", ""),
    (sweep_plan, "equals", "a = 1\nb ", "=", ""),
    (sweep_plan, "equals of lines", "", "=\n", ""),
    (sweep_plan, "broken lines", "", "a =\n", ""),
    (sweep_plan, "words", "a = ", "a ", ""),
    (sweep_plan, "brackets", "a = ", "[", ""),
    (sweep_plan, "braces", "a = ", "{a=", ""),
    (sweep_plan, "points", "a", ".a", " = 1"),
    (sweep_plan, "heads of points", "", "[a.b.c.d]\n", ""),
    (sweep_plan, "points of many names", "", "a#.b.c.d=1\n", ""),
    (sweep_plan, "unknown fields", "", "x#=1\n", ""),
    (sweep_plan, "one long field", "", "x", " = 1"),
    (sweep_plan, "groups", "block = [1, 2]\n", "[[group]]\n", ""),
    (sweep_plan, "named groups", "block = [\"4K\", \"8K\"]\n", "[[group]]\nname = \"#\"\n", ""),
    (sweep_plan, "groups with fields", "", "[[group]]\nname = \"#\"\ndepth = [1, 2]\n", ""),
    (sweep_plan, "exclusions", "block = [1, 2]\n", "[[exclude]]\n", ""),
    (sweep_plan, "exclusions with fields", "block = [\"4K\", \"8K\"]\n", "[[exclude]]\nblock=\"#K\"\n", ""),
    (sweep_plan, "values", "depth = [", "#,", "1]"),
    (sweep_plan, "values that are wrong", "depth = [", "'x',", "1]"),
    (sweep_plan, "values of one text", "depth = \"", "x,", "1\""),
    (sweep_plan, "ranges", "depth = \"", "1..9000+1,", "1\""),
    (sweep_plan, "empty values", "depth = \"", ",", "1\""),
    (sweep_plan, "mixed lists", "depth = [", "[],", "1]"),
    (sweep_plan, "targets", "targets = [", "'#',", "'a']\n"),
    (sweep_plan, "axes of a line", "from_diskspd = \"-b8K a\"\n[axes]\n", "a#='-r,-s'\n", ""),
    (sweep_plan, "wrong axes of a line", "from_diskspd = \"-b8K a\"\n[axes]\n", "a#=1\n", ""),
    (sweep_plan, "words of a line", "from_diskspd = \"", "-b8K ", "a\"\n"),
    (sweep_plan, "values of an axis of a line", "from_diskspd = \"-b8K a\"\n[axes]\na='-r", ",", "'\n"),
    (sweep_plan, "fields with a line", LINE, "a#=1\n", ""),
    (survey_workloads, "newlines", "", "\n", ""),
    (survey_workloads, "broken lines", "", "=\n", ""),
    (survey_workloads, "tables", "", "[[workload]]\n", ""),
    (survey_workloads, "workloads", "", "[[workload]]\nblock = \"4K\"\nname = \"#\"\n", ""),
    (survey_workloads, "unknown fields", "", "x#=1\n", ""),
    (survey_workloads, "fields of a workload", "[[workload]]\n", "x#=1\n", ""),
    (survey_workloads, "brackets", "a = ", "[", ""),
];

fn file(shape: &Shape, length: usize) -> String {
    let (_, _, begin, middle, end) = shape;
    let mut text = (*begin).to_owned();
    for number in 0.. {
        match middle.contains('#') && middle.len() > 2 {
            true => text.push_str(&middle.replace('#', &format!("{number:x}"))),
            false => text.push_str(middle),
        }
        if text.len() >= length {
            break;
        }
    }
    text + end
}

fn both(short: usize, long: usize) -> impl Iterator<Item = (String, Reader, [String; 2])> {
    SHAPES.iter().map(move |shape| {
        let name = format!("{} of {}", shape.1, name_of(shape.0));
        (
            name,
            shape.0,
            [short, long].map(|length| file(shape, length)),
        )
    })
}

fn name_of(reader: Reader) -> &'static str {
    let names: [(Reader, &str); 7] = [
        (fio_jobs, "fio"),
        (iometer_icf, "IOmeter"),
        (sqlio_params, "SQLIO"),
        (diskspd_xml, "a profile"),
        (diskspd_args, "DISKSPD"),
        (sweep_plan, "a sweep"),
        (survey_workloads, "a survey"),
    ];
    let same = |one: &&(Reader, &str)| std::ptr::fn_addr_eq(one.0, reader);
    names.iter().find(same).map_or("", |(_, name)| *name)
}

#[test]
fn c2_a_file_costs_at_most_eight_times_its_length() {
    let mut worst = Vec::new();
    let unit = if is_full() { 1 << 20 } else { 1 << 18 };
    for (name, reader, files) in both(unit, 4 * unit) {
        for text in files {
            // The file itself is in memory, too.
            let peak = text.len() + cost(|| reader(&text)).peak;
            if peak > FACTOR * text.len() + CONSTANT {
                worst.push(format!("{name}: {} bytes take {peak}", text.len()));
            }
        }
    }
    assert_eq!(worst, Vec::<String>::new());
}

#[test]
fn h1_four_times_the_file_is_four_times_the_work() {
    const TRIES: usize = 4;
    /// Below these, the constant part is most of it.
    const SHORTEST_NS: f64 = 5e6;
    const FEWEST: u64 = 1 << 20;
    let mut worst = Vec::new();
    for (name, reader, [short, long]) in both(1 << 16, 1 << 18) {
        let [one, four] = [&short, &long].map(|text| cost(|| reader(text)).all);
        if four > 5 * one.max(FEWEST) {
            worst.push(format!("{name}: {one} and {four} bytes taken"));
        }
        let mut best = f64::INFINITY;
        for _ in 0..TRIES {
            let [one, four] = [&short, &long].map(|text| busy(|| reader(text)));
            best = best.min(four / one.max(SHORTEST_NS));
            if best < 8.0 {
                break;
            }
        }
        if best >= 8.0 {
            worst.push(format!("{name}: {best:.1} times as long"));
        }
    }
    assert_eq!(worst, Vec::<String>::new());
}
