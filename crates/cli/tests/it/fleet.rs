//! A hundred simulated devices: fifty with which nothing is wrong, and fifty with one thing each, with the finding that
//! names it.
//!
//! Words and work only; who runs them is `alarms`. Models, sizes, depths, mixes and seeds differ from row to row, so that
//! no rule can be right by one of them.

/// What is run on a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    pub(crate) block: &'static str,
    pub(crate) depth: u32,
    pub(crate) threads: u32,
    pub(crate) write: u32,
    pub(crate) pattern: &'static str,
    /// Part of the device that is used; all of it where it is empty.
    pub(crate) length: &'static str,
}

/// One run, or several that differ in one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// One.
    One,
    /// 8, 32 and 128 in flight, with two sizes.
    Depths,
    /// Five sizes at one in flight.
    Sizes,
}

/// A device with what is run on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device {
    pub(crate) word: &'static str,
    pub(crate) work: Work,
    pub(crate) runs: Runs,
    /// Which of these findings is right; none where nothing is wrong.
    pub(crate) wrong: &'static [&'static str],
}

const fn reads(block: &'static str, depth: u32) -> Work {
    Work {
        block,
        depth,
        threads: 1,
        write: 0,
        pattern: "random",
        length: "",
    }
}

const fn threads(work: Work, threads: u32) -> Work {
    Work { threads, ..work }
}

const fn writes(work: Work, write: u32) -> Work {
    Work { write, ..work }
}

const fn sequential(work: Work) -> Work {
    Work {
        pattern: "sequential",
        ..work
    }
}

const fn within(work: Work, length: &'static str) -> Work {
    Work { length, ..work }
}

const fn clean(word: &'static str, work: Work) -> Device {
    wrong(word, work, &[])
}

const fn wrong(word: &'static str, work: Work, wrong: &'static [&'static str]) -> Device {
    Device {
        word,
        work,
        runs: Runs::One,
        wrong,
    }
}

const fn several(device: Device, runs: Runs) -> Device {
    Device { runs, ..device }
}

/// Nothing is wrong with these.
pub(crate) const CLEAN: [Device; 50] = [
    clean("sim:ssd", reads("4K", 1)),
    clean("sim:ssd", reads("4K", 4)),
    clean("sim:ssd", reads("4K", 8)),
    clean("sim:ssd", reads("4K", 32)),
    clean("sim:ssd", threads(reads("4K", 4), 4)),
    clean("sim:ssd", threads(reads("8K", 8), 2)),
    clean("sim:ssd", writes(reads("8K", 8), 30)),
    clean("sim:ssd", writes(reads("4K", 16), 100)),
    clean("sim:ssd", sequential(reads("128K", 4))),
    clean("sim:ssd", sequential(reads("1M", 2))),
    clean("sim:ssd", sequential(writes(reads("256K", 4), 100))),
    clean("sim:ssd,spread=60%", reads("4K", 4)),
    clean("sim:ssd,spread=60%", threads(reads("16K", 2), 3)),
    clean("sim:ssd,spread=100%", reads("4K", 8)),
    clean("sim:ssd,spread=5%", reads("4K", 2)),
    clean("sim:ssd,law=exponential", reads("4K", 6)),
    clean("sim:ssd,law=constant", reads("4K", 3)),
    clean("sim:ssd,channels=2", reads("4K", 8)),
    clean("sim:ssd,channels=4,service=90us", reads("4K", 4)),
    clean("sim:ssd,channels=16,service=400us", reads("4K", 16)),
    clean(
        "sim:ssd,channels=32,service=800us",
        threads(reads("4K", 8), 4),
    ),
    clean("sim:ssd,bandwidth=200M", reads("64K", 8)),
    clean("sim:ssd,bandwidth=400M", sequential(reads("512K", 4))),
    clean("sim:ssd,bandwidth=0", reads("4K", 1)),
    clean("sim:ssd,noise=1%", reads("4K", 8)),
    clean("sim:ssd,noise=1%", writes(reads("8K", 4), 50)),
    clean("sim:ssd,noise=2%", threads(reads("4K", 2), 4)),
    clean("sim:spindle", reads("4K", 1)),
    clean("sim:spindle", reads("4K", 4)),
    clean("sim:spindle", reads("64K", 8)),
    clean("sim:spindle", writes(reads("8K", 4), 100)),
    clean("sim:spindle", sequential(reads("1M", 2))),
    clean("sim:spindle", threads(reads("4K", 2), 2)),
    clean("sim:spindle,position=5ms", reads("4K", 2)),
    clean("sim:spindle,position=4ms,spread=15%", reads("16K", 1)),
    clean("sim:spindle,media=120M", sequential(reads("256K", 1))),
    clean("sim:capped", reads("4K", 1)),
    clean("sim:capped,cap-iops=50000", reads("4K", 8)),
    clean("sim:capped,cap-iops=20000", writes(reads("4K", 4), 20)),
    clean("sim:capped,cap-iops=9000", reads("16K", 2)),
    clean("sim:array", reads("8K", 1)),
    clean("sim:array", reads("8K", 16)),
    clean("sim:array", threads(reads("64K", 4), 4)),
    clean("sim:array", sequential(reads("128K", 8))),
    clean("sim:array,cache=64G", reads("4K", 8)),
    clean("sim:array,write-cache=0", writes(reads("8K", 8), 30)),
    clean("sim:cliff", reads("4K", 4)),
    clean("sim:cliff", reads("8K", 16)),
    clean("sim:cliff,cliff=64", threads(reads("4K", 8), 4)),
    clean("sim:cliff", writes(reads("4K", 8), 50)),
];

const IOPS_LIMIT: &[&str] = &["iops-limit"];
const BANDWIDTH_LIMIT: &[&str] = &["bandwidth-limit"];
const SATURATED: &[&str] = &["saturated", "iops-limit", "bandwidth-limit"];
const PAGE_CACHE: &[&str] = &["page-cache"];
const NEIGHBOUR: &[&str] = &["noisy-neighbour"];
const NOT_STEADY: &[&str] = &["not-steady"];
const DRIFT: &[&str] = &["throughput-drift", "not-steady"];
const DROP: &[&str] = &["throughput-drop", "not-steady"];
const IMBALANCE: &[&str] = &["thread-imbalance"];
const STALL: &[&str] = &["stall"];
const SPINDLE: &[&str] = &["single-spindle"];

/// One thing is wrong with each of these, or to be known of it.
pub(crate) const FAULTY: [Device; 50] = [
    wrong("sim:ssd,throttle=700", reads("4K", 32), IOPS_LIMIT),
    wrong("sim:ssd,throttle=1920", reads("4K", 32), IOPS_LIMIT),
    wrong("sim:ssd,throttle=4000", reads("8K", 16), IOPS_LIMIT),
    wrong(
        "sim:ssd,throttle=500",
        writes(reads("4K", 8), 30),
        IOPS_LIMIT,
    ),
    wrong(
        "sim:ssd,throttle=3000",
        threads(reads("4K", 8), 4),
        IOPS_LIMIT,
    ),
    wrong("sim:ssd,throttle=500", reads("128K", 16), BANDWIDTH_LIMIT),
    wrong(
        "sim:ssd,throttle=250",
        sequential(reads("256K", 8)),
        BANDWIDTH_LIMIT,
    ),
    wrong("sim:ssd,throttle=100", reads("1M", 16), BANDWIDTH_LIMIT),
    several(
        wrong("sim:capped,cap-iops=1920", reads("4K", 8), SATURATED),
        Runs::Depths,
    ),
    several(
        wrong("sim:capped,cap-iops=3000", reads("8K", 8), SATURATED),
        Runs::Depths,
    ),
    several(
        wrong("sim:ssd,cap-bandwidth=40M", reads("16K", 8), SATURATED),
        Runs::Depths,
    ),
    several(
        wrong("sim:ssd,cap-bandwidth=100M", reads("64K", 8), SATURATED),
        Runs::Depths,
    ),
    wrong("sim:ssd,page-cache=15%", reads("4K", 4), PAGE_CACHE),
    wrong("sim:ssd,page-cache=40%", reads("4K", 8), PAGE_CACHE),
    wrong("sim:ssd,page-cache=90%", reads("8K", 2), PAGE_CACHE),
    wrong("sim:spindle,page-cache=60%", reads("4K", 4), PAGE_CACHE),
    wrong(
        "sim:array,page-cache=30%",
        threads(reads("16K", 4), 2),
        PAGE_CACHE,
    ),
    wrong("sim:capped,page-cache=50%", reads("4K", 1), PAGE_CACHE),
    wrong("sim:ssd,neighbour=2000", reads("4K", 8), NEIGHBOUR),
    wrong("sim:ssd,neighbour=5000", reads("4K", 2), NEIGHBOUR),
    wrong(
        "sim:ssd,neighbour=3000",
        writes(reads("8K", 4), 50),
        NEIGHBOUR,
    ),
    wrong("sim:spindle,neighbour=40", reads("4K", 4), NEIGHBOUR),
    wrong("sim:array,neighbour=1000", reads("8K", 8), NEIGHBOUR),
    wrong("sim:capped,neighbour=800", reads("4K", 1), NEIGHBOUR),
    wrong("sim:ssd,noise=40%", reads("4K", 8), NOT_STEADY),
    wrong("sim:ssd,noise=60%", threads(reads("4K", 2), 4), NOT_STEADY),
    wrong("sim:array,noise=50%", reads("8K", 8), NOT_STEADY),
    wrong("sim:spindle,noise=60%", reads("4K", 4), NOT_STEADY),
    wrong("sim:ssd,drift=100%", reads("4K", 8), DRIFT),
    wrong("sim:ssd,drift=300%", reads("4K", 4), DRIFT),
    wrong("sim:array,drift=150%", reads("8K", 16), DRIFT),
    wrong("sim:spindle,drift=200%", reads("64K", 4), DRIFT),
    wrong("sim:ssd,drift=120%", writes(reads("8K", 8), 30), DRIFT),
    wrong("sim:ssd,drop=60%,drop-at=15s", reads("4K", 8), DROP),
    wrong("sim:ssd,drop=40%,drop-at=10s", reads("4K", 4), DROP),
    wrong("sim:spindle,drop=50%,drop-at=14s", reads("4K", 4), DROP),
    wrong(
        "sim:ssd,write-cache=8G,drain=100M",
        writes(reads("128K", 8), 100),
        DROP,
    ),
    wrong("sim:capped,drop=70%,drop-at=12s", reads("4K", 32), DROP),
    wrong(
        "sim:ssd,imbalance=100%",
        threads(reads("4K", 1), 4),
        IMBALANCE,
    ),
    wrong(
        "sim:ssd,imbalance=200%",
        threads(reads("4K", 2), 2),
        IMBALANCE,
    ),
    wrong(
        "sim:array,imbalance=150%",
        threads(reads("8K", 4), 4),
        IMBALANCE,
    ),
    wrong("sim:ssd,pause=200ms,pause-every=5s", reads("4K", 16), STALL),
    wrong(
        "sim:ssd,pause=500ms,pause-every=10s",
        reads("4K", 32),
        STALL,
    ),
    wrong(
        "sim:array,pause=300ms,pause-every=6s",
        threads(reads("8K", 8), 2),
        STALL,
    ),
    several(wrong("sim:spindle", reads("4K", 1), SPINDLE), Runs::Sizes),
    several(
        wrong("sim:spindle,position=5ms", reads("4K", 1), SPINDLE),
        Runs::Sizes,
    ),
    wrong(
        "sim:spindle,cache=256M,hit=100us",
        within(reads("4K", 4), "1G"),
        &["device-cache"],
    ),
    wrong(
        "sim:spindle,write-cache=8G,drain=50M,hit=100us",
        writes(reads("4K", 1), 100),
        &["write-cache"],
    ),
    wrong(
        "sim:ssd,request-max=64K",
        reads("256K", 4),
        &["requests-split"],
    ),
    wrong(
        "sim:array,queue=8,cache=0",
        reads("8K", 64),
        &["queued-in-kernel"],
    ),
];
