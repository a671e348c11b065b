//! Small documents of other tools, composed from figures: `fio iops=6000 iodepth=64`, `dd bs=1M …`, `diskspd …`, `sqlio …`.
//!
//! What is not specified has the figures of an honest device: latencies by Little's law from rate and depth, spread widely,
//! windows that vary by 3%, counters that agree. Deliberately absent: published texts.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The text that a line represents.
pub(crate) fn text(line: &str) -> String {
    let (tool, rest) = line.split_once(' ').unwrap_or((line, ""));
    if tool == "dd" {
        return dd(rest); // a shell's words may follow
    }
    let figures = Figures::read(rest);
    match tool {
        "fio" => fio(&figures),
        "fiotext" => fio_text(&figures),
        "hdparm" => format!(
            "/dev/sda:\n Timing {} reads: 444 MB in  3.01 seconds = {:.2} MB/sec\n",
            figures.word("name", "buffered disk").replace('_', " "),
            figures.number("mbs", 147.51)
        ),
        "cdm" => cdm(&figures),
        "jobs" => jobs(&figures),
        "diskspd" => diskspd(&figures),
        "sqlio" => sqlio(&figures),
        "pg" => pg_test_fsync(&figures),
        "ioping" => ioping(&figures),
        "sysbench" => sysbench(&figures),
        other => panic!("{other} makes no document"),
    }
}

pub(crate) struct Figures(BTreeMap<String, String>);

impl Figures {
    pub(crate) fn read(text: &str) -> Figures {
        let pairs = text.split_whitespace().map(|word| {
            word.split_once('=')
                .unwrap_or_else(|| panic!("{word} is no name=value"))
        });
        Figures(
            pairs
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        )
    }

    pub(crate) fn word<'a>(&'a self, name: &str, or: &'a str) -> &'a str {
        self.0.get(name).map_or(or, String::as_str)
    }

    pub(crate) fn number(&self, name: &str, or: f64) -> f64 {
        self.0.get(name).map_or(or, |value| {
            value.parse().unwrap_or_else(|_| panic!("{name}={value}"))
        })
    }
}

fn bytes(text: &str) -> f64 {
    let end = text
        .trim_end_matches(|c: char| c.is_ascii_alphabetic())
        .len();
    let scale = match text[end..].to_ascii_lowercase().as_str() {
        "" => 1.0,
        "k" => 1024.0,
        "m" => 1_048_576.0,
        "g" => 1_073_741_824.0,
        "t" => 1_099_511_627_776.0,
        other => panic!("{other} is no unit"),
    };
    text[..end].parse::<f64>().unwrap() * scale
}

/// Percentiles as multiples of the mean, of an honest device under load.
const WIDE: [(&str, f64); 7] = [
    ("1.000000", 0.3),
    ("5.000000", 0.45),
    ("50.000000", 0.9),
    ("95.000000", 1.9),
    ("99.000000", 2.6),
    ("99.900000", 4.5),
    ("99.990000", 7.0),
];

fn fio(f: &Figures) -> String {
    let (jobs, depth) = (f.number("numjobs", 1.0), f.number("iodepth", 32.0));
    let engine = f.word("ioengine", "libaio");
    let in_flight = match engine {
        "sync" | "psync" | "pvsync2" | "mmap" => jobs,
        _ => jobs * depth,
    };
    let (iops, secs) = (f.number("iops", 20_000.0), f.number("secs", 60.0));
    let rw = f.word("rw", "randread");
    let slat_us = f.number("slat", 3.0);
    let sync_us = f.number("sync", 0.0);
    let lat_us = f.number("lat", (in_flight / iops * 1e6 - sync_us).max(slat_us + 1.0));
    let mut text = String::new();
    for line in f
        .word("before", "")
        .split('_')
        .filter(|line| !line.is_empty())
    {
        let _ = writeln!(text, "fio: {}", line.replace('~', " "));
    }
    let called = match f.word("from", "line") {
        "file" => String::new(), // fio prints neither name nor number of jobs of a job file's section
        _ => format!("\"name\" : \"a\", \"numjobs\" : \"{jobs}\", "),
    };
    let mut options = format!(
        "{called}\"filename\" : \"{}\", \"size\" : \"{}\", \"rw\" : \"{rw}\", \"bs\" : \"{}\", \"ioengine\" : \"{engine}\", \
         \"iodepth\" : \"{depth}\", \"direct\" : \"{}\"",
        f.word("filename", "/dev/sdb"),
        f.word("size", "200G"),
        f.word("bs", "4k"),
        f.word("direct", "1")
    );
    for (name, value) in &f.0 {
        if let Some(option) = name.strip_prefix("opt.") {
            let _ = write!(options, ", \"{option}\" : \"{value}\"");
        }
    }
    let idle = "{ \"total_ios\" : 0 }";
    let side = |share: f64| side(f, share * iops, (lat_us, slat_us, secs, jobs));
    let (read, write) = match rw {
        "randrw" | "rw" => (side(0.5), side(0.5)),
        "write" | "randwrite" => (idle.to_owned(), side(1.0)),
        _ => (side(1.0), idle.to_owned()),
    };
    let sync = if sync_us > 0.0 {
        let ns = sync_us * 1000.0;
        format!(
            ", \"sync\" : {{ \"total_ios\" : 0, \"lat_ns\" : {{ \"min\" : 1000, \"max\" : {:.0}, \"mean\" : {ns:.1}, \
             \"N\" : {:.0}, \"percentile\" : {{ \"99.000000\" : {:.0} }} }} }}",
            ns * 5.0,
            iops * secs,
            ns * 2.0
        )
    } else {
        String::new()
    };
    let _ = write!(
        text,
        "{{ \"fio version\" : \"fio-3.36\", \"jobs\" : [ {{ \"jobname\" : \"a\", \"error\" : 0, \"job options\" : {{ {options} }}, \
         \"read\" : {read}, \"write\" : {write}{sync}, \"usr_cpu\" : {}, \"sys_cpu\" : {} }} ], \"disk_util\" : [ {} ] }}",
        f.number("usr", 5.0),
        f.number("sys", 12.0),
        disks(f, iops * secs)
    );
    text
}

/// fio's text with the command line before it, as people post both; `posted=no` without it. Latencies are in milliseconds.
fn fio_text(f: &Figures) -> String {
    let (rw, block) = (f.word("rw", "randread"), bytes(f.word("bs", "4k")));
    let (engine, depth) = (f.word("ioengine", "libaio"), f.number("iodepth", 32.0));
    let mut text = String::new();
    if f.word("posted", "yes") == "yes" {
        let options = f.word("options", "--direct=1_--filename=/dev/sdb");
        let options = options.replace('_', " ");
        let _ = writeln!(
            text,
            "$ fio --name=a --rw={rw} --ioengine={engine} {options}"
        );
    }
    let size = format!("{block:.0}B-{block:.0}B");
    let _ = write!(
        text,
        "a: (g=0): rw={rw}, bs=(R) {size}, (W) {size}, (T) {size}, ioengine={engine}, iodepth={depth}\nfio-3.28\n\
         Starting 1 process\n"
    );
    if !f.word("file", "").is_empty() {
        let _ = writeln!(
            text,
            "a: Laying out IO file (1 file / {})",
            f.word("file", "")
        );
    }
    text_figures(f, block, &mut text);
    let ios = f.number("iops", 2000.0) * f.number("secs", 60.0);
    let (reads, writes) = if rw.contains("write") {
        (0.0, ios)
    } else {
        (ios, 0.0)
    };
    let syncs = if f.number("sync", 0.0) > 0.0 {
        ios
    } else {
        0.0
    };
    // Some versions of fio count syncs as short reads.
    let (syncs, short) = match f.word("syncs", "counted") {
        "short" => (0.0, syncs),
        _ => (syncs, 0.0),
    };
    let _ = write!(
        text,
        "  cpu          : usr=2.00%, sys=5.00%, ctx=1, majf=0, minf=1\n     \
         issued rwts: total={reads:.0},{writes:.0},0,{syncs:.0} short={short:.0},0,0,0\n\nDisk stats (read/write):\n"
    );
    let disks = f.word("disks", "sdb:100").split(',');
    for (name, percent) in disks.filter_map(|word| word.split_once(':')) {
        let share = percent.parse::<f64>().unwrap() / 100.0;
        let (reads, writes) = (reads * share, writes * share);
        let _ = writeln!(
            text,
            "  {name}: ios={reads:.0}/{writes:.0}, merge=0/0, ticks=1/1, in_queue=1, util=99.00%"
        );
    }
    text
}

/// The figures of a job: its rate, latencies, windows and syncs.
fn text_figures(f: &Figures, block: f64, text: &mut String) {
    const POINTS: [(u32, f64); 8] = [
        (1, 0.3),
        (5, 0.45),
        (20, 0.6),
        (50, 0.9),
        (70, 1.1),
        (90, 1.6),
        (95, 1.9),
        (99, 2.6),
    ];
    let (iops, secs) = (f.number("iops", 2000.0), f.number("secs", 60.0));
    let lat = f.number("lat", f.number("iodepth", 32.0) / iops * 1000.0);
    let named = |percent: u32| {
        let all = f
            .word("p", "")
            .split(',')
            .filter_map(|one| one.split_once(':'));
        let mut all = all.filter(|(of, _)| *of == percent.to_string());
        all.next().map(|(_, ms)| ms.parse::<f64>().unwrap())
    };
    let points = POINTS.map(|(percent, times)| {
        format!(
            "{percent}.00th=[{:5.0}]",
            named(percent).unwrap_or(lat * times)
        )
    });
    let sd = f.number("vary", 3.0) / 100.0 * iops;
    let slowest = f.number("slowest", iops - 2.0 * sd);
    let fastest = f.number("fastest", iops + 2.0 * sd);
    let moved = iops * block;
    let side = if f.word("rw", "").contains("write") {
        "write"
    } else {
        "read"
    };
    let spread = format!(
        "min={:.0}, max={:.0}, avg={lat:.2}, stdev={:.2}",
        lat * 0.2,
        lat * 12.0,
        lat * 0.6
    );
    let _ = write!(
        text,
        "a: (groupid=0, jobs=1): err= 0: pid=1: Tue May  3 10:11:12 2022\n  \
         {side}: IOPS={iops:.0}, BW={:.1}MiB/s ({:.1}MB/s)({:.1}MiB/{:.0}msec)\n    clat (msec): {spread}\n     lat (msec): {spread}\n    \
         clat percentiles (msec):\n     | {}\n   iops        : min={slowest:.0}, max={fastest:.0}, avg={iops:.2}, stdev={sd:.2}, samples={:.0}\n",
        moved / 1_048_576.0,
        moved / 1e6,
        moved * secs / 1_048_576.0,
        secs * 1000.0,
        points.join(", "),
        secs * 2.0
    );
    let sync_ms = f.number("sync", 0.0);
    if sync_ms > 0.0 {
        let _ = write!(
            text,
            "  fsync/fdatasync/sync_file_range:\n    sync (msec): min=0, max={:.0}, avg={sync_ms:.2}, stdev=1.00\n    \
             sync percentiles (msec):\n     | 99.00th=[{:5.0}]\n",
            sync_ms * 5.0,
            sync_ms * 2.0
        );
    }
}

/// `disks=sda:100,sdb:5`: names, and percent of the I/Os that each had.
fn disks(f: &Figures, ios: f64) -> String {
    let word = f.word("disks", "sdb:100");
    let disk = |word: &str| {
        let (name, percent) = word.split_once(':').unwrap();
        let share: f64 = percent.parse::<f64>().unwrap() / 100.0;
        let util = f.number("util", 99.0) * share.min(1.0);
        let in_queue = match f.number("in-queue", 0.0) {
            0.0 => String::new(),
            ms => format!("\"in_queue\" : {ms:.0}, "),
        };
        format!(
            "{{ \"name\" : \"{name}\", \"read_ios\" : {:.0}, \"write_ios\" : 0, \"read_merges\" : 0, \"write_merges\" : 0, \
             {in_queue}\"util\" : {util:.2} }}",
            share * ios
        )
    };
    let all: Vec<String> = word
        .split(',')
        .filter(|word| *word != "none")
        .map(disk)
        .collect();
    all.join(", ")
}

fn side(f: &Figures, iops: f64, (lat_us, slat_us, secs, jobs): (f64, f64, f64, f64)) -> String {
    let ns = (lat_us - slat_us) * 1000.0;
    let named: BTreeMap<&str, &str> = f
        .word("p", "")
        .split(',')
        .filter_map(|one| one.split_once(':'))
        .collect();
    let percentile = |(name, times): &(&str, f64)| {
        let short = name.trim_end_matches('0').trim_end_matches('.');
        let of = named
            .get(short)
            .map(|us| us.parse::<f64>().unwrap() * 1000.0);
        format!("\"{name}\" : {:.0}", of.unwrap_or(ns * times))
    };
    let points: Vec<String> = WIDE.iter().map(percentile).collect();
    let sync = matches!(
        f.word("ioengine", ""),
        "sync" | "psync" | "pvsync2" | "mmap"
    );
    let slat = if sync { 0.0 } else { slat_us * 1000.0 };
    let sd = f.number("lat_sd", 60.0) / 100.0 * ns;
    let windows = f.number("windows", (secs * 2.0 * jobs).floor());
    let varies = f.number("vary", 3.0) / 100.0;
    let bytes = bytes(f.word("bs", "4k"));
    format!(
        "{{ \"io_bytes\" : {:.0}, \"io_kbytes\" : {:.0}, \"bw_bytes\" : {:.0}, \"iops\" : {iops:.3}, \"runtime\" : {:.0}, \
         \"total_ios\" : {:.0}, \"slat_ns\" : {{ \"mean\" : {slat:.1} }}, \"clat_ns\" : {{ \"min\" : {:.0}, \"max\" : {:.0}, \
         \"mean\" : {ns:.1}, \"stddev\" : {sd:.1}, \"percentile\" : {{ {} }} }}, \"lat_ns\" : {{ \"mean\" : {:.1} }}, \
         \"iops_min\" : {:.0}, \"iops_max\" : {:.0}, \"iops_mean\" : {iops:.1}, \"iops_stddev\" : {:.3}, \"iops_samples\" : {windows:.0} }}",
        iops * secs * bytes,
        iops * secs * bytes / 1024.0,
        f.number("bw", iops * bytes),
        secs * 1000.0,
        f.number("ios", iops * secs),
        ns * 0.2,
        f.number("max", ns * 12.0 / 1000.0) * 1000.0,
        points.join(", "),
        ns + slat,
        iops * (1.0 - 2.0 * varies),
        iops * (1.0 + 2.0 * varies),
        iops * varies
    )
}

fn diskspd(f: &Figures) -> String {
    let (threads, depth) = (f.number("t", 1.0), f.number("o", 8.0));
    let (iops, secs) = (f.number("iops", 20_000.0), f.number("secs", 60.0));
    let block = bytes(f.word("b", "64k"));
    let lat_ms = f.number("lat", threads * depth / iops * 1000.0);
    let mib = iops * block / 1_048_576.0;
    let (ios, moved) = ((iops * secs).floor(), (iops * secs).floor() * block);
    let cache = match f.word("cache", "none") {
        "none" => {
            "software cache disabled\n          hardware write cache disabled, writethrough on"
        }
        "software" => "software cache disabled",
        _ => "using software and hardware write cache",
    };
    let writes = f.number("w", 0.0);
    let kind = match writes {
        0.0 => "performing read test".to_owned(),
        100.0 => "performing write test".to_owned(),
        share => format!(
            "performing mix test (read/write ratio: {:.0}/{share:.0})",
            100.0 - share
        ),
    };
    let (option, content) = match f.word("content", "pattern") {
        "zeros" => (" -Z", "          zeroing write buffers\n"),
        "random" => (" -Zr", ""),
        _ => ("", ""),
    };
    let paced = match f.word("rate", "") {
        "" => String::new(),
        rate => format!("          throughput rate-limited to {rate} B/ms\n"),
    };
    let mut text = String::new();
    if f.word("before", "") == "privilege" {
        text.push_str("WARNING: Could not set privileges for setting valid file size; will use a slower method of preparing the file\n\n");
    }
    let _ = write!(
        text,
        "Command Line: diskspd.exe -b{0} -d{secs} -o{depth} -t{threads}{option} -L t.dat\n\nInput parameters:\n\n       timespan:   1\n       \
         -------------\n       duration: {secs}s\n       warm up time: 5s\n      cool down time: 0s\n       measuring latency\n       \
         random seed: 0\n       path: '{1}'\n          think time: {2}ms\n          burst size: 0\n          {cache}\n{content}          {kind}\n          \
         block size: {block}\n          using random I/O (alignment: {block})\n          number of outstanding I/O operations: {depth}\n          \
         thread stride size: 0\n          threads per file: {threads}\n          using I/O Completion Ports\n          IO priority: normal\n{paced}\n\
         Results for timespan 1:\n*******************************************************************************\n\n\
         actual test time:       {secs:.2}s\nthread count:           {threads}\nproc count:             4\n\n\
         CPU |  Usage |  User  |  Kernel |  Idle\n-------------------------------------------\n",
        f.word("b", "64k"),
        f.word("file", "t.dat"),
        f.number("think", 0.0)
    );
    processors(f, &mut text);
    let all = [moved, ios, mib, iops, lat_ms];
    tables(all, writes / 100.0, &mut text);
    percentiles(f, writes / 100.0, &mut text);
    text
}

/// `p=25:14,50:23`: percent and milliseconds; none without.
fn percentiles(f: &Figures, writes: f64, text: &mut String) {
    let all = f
        .word("p", "")
        .split(',')
        .filter_map(|one| one.split_once(':'));
    let all: Vec<(&str, f64)> = all
        .map(|(percent, ms)| (percent, ms.parse().unwrap()))
        .collect();
    if all.is_empty() {
        return;
    }
    text.push_str("  %-ile |  Read (ms) | Write (ms) | Total (ms)\n----------------------------------------------\n");
    let last = all.last().map_or(0.0, |(_, ms)| ms * 2.0);
    let mut row = |name: &str, ms: f64| {
        let (read, write) = if writes > 0.0 { (0.0, ms) } else { (ms, 0.0) };
        let _ = writeln!(text, "{name:>7} | {read:10.3} | {write:10.3} | {ms:10.3}");
    };
    for (percent, ms) in all {
        row(&format!("{percent}th"), ms);
    }
    row("max", last);
}

fn processors(f: &Figures, text: &mut String) {
    let core = f.number("core", 30.0);
    for cpu in 0..4 {
        let busy = if cpu == 0 {
            core
        } else {
            f.number("cores", 8.0)
        };
        let _ = writeln!(
            text,
            "{cpu:>4}|{busy:>7.2}%|{:>7.2}%|{:>8.2}%|{:>7.2}%",
            busy * 0.1,
            busy * 0.9,
            100.0 - busy
        );
    }
    let mean = (core + 3.0 * f.number("cores", 8.0)) / 4.0;
    let _ = write!(
        text,
        "-------------------------------------------\navg.|{mean:>7.2}%|{:>7.2}%|{:>8.2}%|{:>7.2}%\n\n",
        mean * 0.1,
        mean * 0.9,
        100.0 - mean
    );
}

/// Bytes, I/Os, MiB/s, IOPS, latency in milliseconds of both operations together.
fn tables([moved, ios, mib, iops, lat_ms]: [f64; 5], writes: f64, text: &mut String) {
    for (name, share) in [("Total", 1.0), ("Read", 1.0 - writes), ("Write", writes)] {
        let row = |who: &str, file: &str| {
            format!(
                "{who} {:>15.0} | {:>12.0} | {:>10.2} | {:>10.2} | {:>8.3}{file}",
                moved * share,
                ios * share,
                mib * share,
                iops * share,
                if share > 0.0 { lat_ms } else { 0.0 }
            )
        };
        let _ = write!(
            text,
            "{name} IO\nthread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  |  file\n\
             -----------------------------------------------------------------------------------------------------\n{}\n\
             -----------------------------------------------------------------------------------------------------\n{}\n\n",
            row("     0 |", " | t.dat (64GiB)"),
            row("total:  ", "")
        );
    }
}

fn sqlio(f: &Figures) -> String {
    let (iops, lat_ms) = (f.number("iops", 4000.0), f.number("lat", 2.0));
    let (threads, secs) = (f.number("t", 1.0), f.number("secs", 120.0));
    let block = bytes(f.word("b", "8k"));
    let cache = match f.word("cache", "hardware") {
        "hardware" => "buffering set to use hardware disk cache (but not file cache)",
        "both" => "buffering set to use both file and disk caches",
        _ => "buffering set to not use file nor disk caches (as is SQL Server)",
    };
    format!(
        "sqlio v1.5.SG\nusing system counter for latency timings, 2241035 counts per second\n{threads} thread{} reading for {secs} secs \
         from file e:\\t.dat\n\tusing {}KB {} IOs\n\t{cache}\nusing {} size: {:.0} MB for file: e:\\t.dat\ninitialization done\n\
         CUMULATIVE DATA:\nthroughput metrics:\nIOs/sec: {iops:>8.2}\nMBs/sec: {:>8.2}\nlatency metrics:\nMin_Latency(ms): 0\n\
         Avg_Latency(ms): {lat_ms:.0}\nMax_Latency(ms): {:.0}\nhistogram:\n\
         ms: 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24+\n\
         %: 10 30 30 20 10  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0\n",
        if threads > 1.0 { "s" } else { "" },
        block / 1024.0,
        f.word("access", "random"),
        f.word("sizes", "current"),
        f.number("size", 20_000.0),
        iops * block / 1_048_576.0,
        lat_ms * 30.0
    )
}

/// `target=.`: what it measured; `lat` in microseconds.
fn ioping(f: &Figures) -> String {
    let (lat, count) = (f.number("lat", 237.0), f.number("requests", 2000.0));
    format!(
        "--- {} (ext4 /dev/sda2 200 GiB) ioping statistics ---\n{count:.0} requests completed in {:.1} ms, {:.1} MiB read, {:.0} iops, \
         {:.2} MiB/s\nmin/avg/max/mdev = {:.1} us / {lat:.1} us / {:.1} us / {:.1} us\n",
        f.word("target", "/dev/sda"),
        lat * count / 1000.0,
        count * 4096.0 / 1_048_576.0,
        1e6 / lat,
        4096.0 / lat * 1e6 / 1_048_576.0,
        lat * 0.8,
        lat * 2.0,
        lat * 0.1
    )
}

/// Sequential writes of sysbench 1.0, with or without its validation.
fn sysbench(f: &Figures) -> String {
    let (iops, secs) = (f.number("iops", 2000.0), f.number("secs", 30.0));
    let validation = match f.word("validate", "off") {
        "on" => "Additional request validation enabled.\n",
        _ => "",
    };
    format!(
        "sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)\n\nRunning the test with following options:\nNumber of threads: 1\n{validation}\n\
         Extra file open flags: directio\n128 files, 160MiB each\n20GiB total file size\nBlock size 16KiB\nUsing synchronous I/O mode\n\
         Doing sequential write (creation) test\nInitializing worker threads...\n\nThreads started!\n\nFile operations:\n    \
         reads/s:                      0.00\n    writes/s:                     {iops:.2}\n    fsyncs/s:                     0.00\n\n\
         Throughput:\n    read, MiB/s:                  0.00\n    written, MiB/s:               {:.2}\n\nGeneral statistics:\n    \
         total time:                          {secs:.4}s\n    total number of events:              {:.0}\n\nLatency (ms):\n         \
         min:                                    0.00\n         avg:                                  {:.2}\n         max:                                \
         30.11\n         95th percentile:                        {:.2}\n",
        iops * 16_384.0 / 1_048_576.0,
        iops * secs,
        1000.0 / iops,
        1500.0 / iops
    )
}

/// CrystalDiskMark of a SATA disk: `seq=561,529` and `rnd=401,353` are MB/s of reads and writes with a queue, `alone` the share of it
/// without one.
fn cdm(f: &Figures) -> String {
    let both = |name: &str, or| {
        let text = f.word(name, or);
        let (read, write) = text.split_once(',').unwrap();
        [read, write].map(|mbs| mbs.parse::<f64>().unwrap())
    };
    let (seq, rnd) = (both("seq", "561,529"), both("rnd", "401,353"));
    let alone = f.number("alone", 0.9);
    let mut text = "CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo\n\
                    * MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]\n"
        .to_owned();
    for (side, name) in ["Read", "Write"].into_iter().enumerate() {
        let _ = writeln!(text, "\n[{name}]");
        for (kind, block, queue, mbs) in [
            ("SEQ    1MiB", 1_048_576.0, 8.0, seq[side]),
            ("SEQ    1MiB", 1_048_576.0, 1.0, seq[side] * alone),
            ("RND    4KiB", 4096.0, 32.0, rnd[side]),
            ("RND    4KiB", 4096.0, 1.0, rnd[side] * 0.12),
        ] {
            let iops = mbs * 1e6 / block;
            let _ = writeln!(
                text,
                "  {kind} (Q={queue:3}, T= 1): {mbs:9.3} MB/s [{iops:9.1} IOPS] <{:9.2} us>",
                queue / iops * 1e6
            );
        }
    }
    let _ = write!(
        text,
        "\nProfile: Default\n   Test: {} (x5) [D: 34% (317/931GiB)]\n   Mode: [Admin]\n",
        f.word("size", "1GiB")
            .replace("MiB", " MiB")
            .replace("GiB", " GiB")
    );
    text
}

/// Two documents of fio, sequential reads and writes: `mbs=36,34`.
fn jobs(f: &Figures) -> String {
    let (read, write) = f.word("mbs", "36,34").split_once(',').unwrap();
    let one = |rw: &str, mbs: &str| {
        let iops = mbs.parse::<f64>().unwrap() * 1e6 / 1_048_576.0;
        fio(&Figures::read(&format!(
            "rw={rw} bs=1m iodepth=4 iops={iops} vary=4"
        )))
    };
    format!("{}\n{}\n", one("read", read), one("write", write))
}

/// Each figure is the microseconds of a method.
fn pg_test_fsync(f: &Figures) -> String {
    let mut text =
        "5 seconds per test\n\nCompare file sync methods using one 8kB write:\n".to_owned();
    for name in ["open_datasync", "fdatasync", "fsync", "fsync_writethrough"] {
        let us = f.number(name, 0.0);
        if us > 0.0 {
            let _ = writeln!(
                text,
                "        {name:<20} {:20.3} ops/sec {us:7.0} usecs/op",
                1e6 / us
            );
        }
    }
    text
}

/// `if=/dev/zero of=t.dat bs=1M count=1024 secs=0.6`: the time apart, the rest is dd's command line. Without `count` there
/// is no command line, only the last line, of so many `bytes`.
fn dd(line: &str) -> String {
    let words = line.split_whitespace().filter(|word| word.contains('='));
    let f = Figures::read(&words.collect::<Vec<_>>().join(" "));
    let secs = f.number("secs", 10.0);
    let count = f.number("count", 0.0);
    let moved = if count > 0.0 {
        count * bytes(f.word("bs", "512"))
    } else {
        f.number("bytes", 1e9)
    };
    let summary = format!(
        "{moved:.0} bytes ({:.1} GB, {:.1} GiB) copied, {secs} s, {:.1} MB/s\n",
        moved / 1e9,
        moved / 1_073_741_824.0,
        moved / secs / 1e6
    );
    if count == 0.0 {
        return summary;
    }
    let words = line
        .split_whitespace()
        .filter(|word| !word.starts_with("secs="));
    let command: Vec<&str> = words.collect();
    format!(
        "$ time dd {}\n{count:.0}+0 records in\n{count:.0}+0 records out\n{summary}",
        command.join(" ")
    )
}
