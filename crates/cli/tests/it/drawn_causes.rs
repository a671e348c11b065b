//! The kinds of simulated devices that `drawn` draws: what is wrong with each, and the figures that follow from its
//! parameters. Bounds are such that a person would act on the fault.

use crate::drawn::Drawn;

/// A figure of the finding.
pub(crate) enum Figure {
    /// Within 5%.
    Is(&'static str, f64),
    /// Within this bound.
    About(&'static str, f64, f64),
    /// One figure over another, within 5%.
    Ratio(&'static str, &'static str, f64),
}

/// A device, the command that measures it with its options, and the figures that its finding has.
pub(crate) struct Case {
    pub(crate) command: &'static str,
    pub(crate) device: String,
    pub(crate) options: String,
    pub(crate) figures: Vec<Figure>,
}

pub(crate) struct Cause {
    pub(crate) name: &'static str,
    /// Findings that name it; none for a healthy device.
    pub(crate) rules: &'static [&'static str],
    pub(crate) draw: fn(&mut Drawn) -> Case,
}

const MIB: f64 = 1_048_576.0;

pub(crate) const CAUSES: &[Cause] = &[
    Cause {
        name: "pauses",
        rules: &["stall"],
        draw: |drawn| {
            let (length, every) = (drawn.number(300.0, 2000.0), drawn.number(4.0, 8.0));
            let trouble = format!("pause={length}ms,pause-every={every}s,pause-jitter=100%");
            let case = any_depth(drawn, &trouble, "-d 30s --warmup 1s");
            with(
                case,
                [
                    Figure::Is("stall_ns", length * 1e6),
                    Figure::About("stalls", 30.0 / every, 1.5),
                ],
            )
        },
    },
    Cause {
        name: "periodic pauses",
        rules: &["stall"],
        draw: |drawn| {
            let (length, every) = (drawn.number(200.0, 1000.0), drawn.number(3000.0, 6000.0));
            let case = any_depth(
                drawn,
                &format!("pause={length}ms,pause-every={every}ms"),
                "-d 30s --warmup 1s",
            );
            with(
                case,
                [
                    Figure::Is("stall_ns", length * 1e6),
                    Figure::Is("period_ns", every * 1e6),
                    Figure::About("stalls", 30_000.0 / every, 1.0),
                ],
            )
        },
    },
    Cause {
        name: "drift",
        rules: &["throughput-drift"],
        draw: |drawn| {
            let share = drawn.number(150.0, 400.0);
            let case = any_depth(drawn, &format!("drift={share}%"), "-d 10s --warmup 1s");
            let slow = |s: f64| 1.0 + share / 100.0 * s / 60.0;
            let ratio = slow(1.0) / slow(11.0);
            with(case, [Figure::Ratio("iops_after", "iops_before", ratio)])
        },
    },
    Cause {
        name: "drop",
        rules: &["throughput-drop"],
        draw: |drawn| {
            let (share, at) = (drawn.number(20.0, 80.0), drawn.number(4000.0, 9000.0));
            let trouble = format!("drop={share}%,drop-at={at}ms");
            let case = any_depth(drawn, &trouble, "-d 10s --warmup 1s");
            with(
                case,
                [
                    Figure::Ratio("iops_after", "iops_before", 1.0 - share / 100.0),
                    Figure::About("at_ns", (at - 1000.0) * 1e6, 3e8),
                ],
            )
        },
    },
    Cause {
        name: "cache then cliff",
        rules: &["throughput-drop"],
        draw: |drawn| {
            let (drain, into) = (drawn.number(30.0, 200.0), drawn.number(400.0, 900.0));
            let kib = drawn.one(&[64.0, 128.0]);
            let full_s = drawn.number(30.0, 70.0) / 10.0;
            let cache = ((into - drain) * full_s).round();
            let device =
                format!("sim:ssd,write-bandwidth={into}M,write-cache={cache}M,drain={drain}M");
            let case = Case {
                command: "run",
                device,
                options: format!("-o 8 -b {kib}k -w 100 -d 10s --warmup 0s"),
                figures: Vec::new(),
            };
            with(
                case,
                [
                    Figure::Is("iops_before", into * 1024.0 / kib),
                    Figure::Is("iops_after", drain * 1024.0 / kib),
                    Figure::Is("cache_bytes", cache * MIB),
                ],
            )
        },
    },
    Cause {
        name: "two speeds",
        rules: &["two-speeds"],
        draw: |drawn| {
            let (share, every) = (drawn.number(30.0, 80.0), drawn.number(4000.0, 9000.0));
            let trouble = format!("swing={share}%,swing-every={every}ms");
            let case = any_depth(drawn, &trouble, "-d 40s --warmup 1s");
            with(
                case,
                [
                    Figure::Ratio("slow_per_s", "fast_per_s", 1.0 - share / 100.0),
                    Figure::Is("period_ns", every * 1e6),
                ],
            )
        },
    },
    Cause {
        name: "IOPS limit",
        rules: &["iops-limit"],
        draw: |drawn| {
            let cap = drawn.number(200.0, 8000.0);
            let case = case(drawn, &format!("cap-iops={cap}"), "-o 32 -d 10s");
            with(case, [Figure::About("iops", cap, 0.02 * cap)])
        },
    },
    Cause {
        name: "bandwidth limit",
        rules: &["bandwidth-limit"],
        draw: |drawn| {
            let cap = drawn.number(20.0, 300.0);
            let case = case(
                drawn,
                &format!("cap-bandwidth={cap}M"),
                "-o 32 -b 64k -d 10s",
            );
            let bytes = cap * MIB;
            with(case, [Figure::About("bytes_per_s", bytes, 0.02 * bytes)])
        },
    },
    Cause {
        name: "throttle of the host",
        rules: &["iops-limit", "cgroup-io-limit"],
        draw: |drawn| {
            let cap = drawn.number(200.0, 8000.0);
            let case = case(drawn, &format!("throttle={cap}"), "-o 32 -d 10s");
            with(case, [Figure::About("iops", cap, 0.02 * cap)])
        },
    },
    Cause {
        name: "slow tail",
        rules: &["slow-tail"],
        draw: |drawn| {
            let (one_of, slow) = (drawn.number(50.0, 250.0), drawn.number(10.0, 50.0));
            let (service, channels) = (drawn.number(60.0, 200.0), drawn.one(&[16, 32]));
            let case = Case {
                command: "run",
                device: format!(
                    "sim:ssd,service={service}us,channels={channels},tail={one_of},tail-latency={slow}ms"
                ),
                options: "-o 16 -d 10s --warmup 1s".to_owned(),
                figures: Vec::new(),
            };
            with(
                case,
                [
                    Figure::Is("tail_share", 1.0 / one_of),
                    Figure::Is("tail_ns", slow * 1e6),
                ],
            )
        },
    },
    Cause {
        name: "noisy neighbour",
        rules: &["noisy-neighbour"],
        draw: |drawn| {
            let rate = drawn.number(2000.0, 8000.0);
            let case = any_depth(drawn, &format!("neighbour={rate}"), "-d 10s");
            with(case, [Figure::Is("extra_bytes", rate * 16_384.0 * 10.0)])
        },
    },
    Cause {
        name: "zero-filled",
        rules: &["zero-data"],
        draw: |drawn| {
            let share = drawn.number(50.0, 100.0);
            let service = drawn.number(80.0, 400.0);
            let trouble = format!("sim:ssd,service={service}us,unwritten={share}%");
            let depth = drawn.one(&[1, 4, 32]);
            let case = Case {
                command: "run",
                device: trouble,
                options: format!("-o {depth} -d 10s"),
                figures: Vec::new(),
            };
            with(
                case,
                [Figure::Ratio(
                    "zero_blocks",
                    "sampled_blocks",
                    share / 100.0,
                )],
            )
        },
    },
    Cause {
        name: "tiny cache",
        rules: &["latency-groups"],
        draw: |drawn| {
            let share = drawn.number(8.0, 90.0);
            let (service, hit) = (drawn.number(600.0, 5000.0), drawn.number(20.0, 90.0));
            let (channels, depth) = (drawn.one(&[4, 8, 16]), drawn.one(&[4, 8, 16]));
            let case = Case {
                command: "run",
                device: format!(
                    "sim:ssd,service={service}us,channels={channels},hit={hit}us,cache={}M",
                    share * 100.0
                ),
                options: format!("-o {depth} --length 10000M -d 10s"),
                figures: Vec::new(),
            };
            with(case, [Figure::Is("fast_share", share / 100.0)])
        },
    },
    Cause {
        name: "single spindle",
        rules: &["single-spindle"],
        draw: |drawn| {
            let (position, media) = (drawn.number(3000.0, 14_000.0), drawn.number(80.0, 260.0));
            let case = Case {
                command: "sweep",
                device: format!("sim:spindle,position={position}us,media={media}M"),
                options: "--axis block=4K,64K,512K,2M -d 60s".to_owned(),
                figures: Vec::new(),
            };
            with(
                case,
                [
                    Figure::Is("positioning_ns", (position + 100.0) * 1e3),
                    Figure::Is("media_bytes_per_s", media * MIB),
                ],
            )
        },
    },
    Cause {
        name: "page cache",
        rules: &["page-cache"],
        draw: |drawn| {
            let share = drawn.number(20.0, 95.0);
            let case = any_depth(drawn, &format!("page-cache={share}%"), "-d 10s");
            let missing = Figure::Is("reads_not_from_device_share", share / 100.0);
            with(case, [missing])
        },
    },
    Cause {
        name: "uneven threads",
        rules: &["thread-imbalance"],
        draw: |drawn| {
            let share = drawn.number(100.0, 400.0);
            let (service, channels) = (drawn.number(60.0, 400.0), drawn.one(&[8, 16, 32]));
            Case {
                command: "run",
                // As many channels as I/Os in flight: no queue, in which all threads wait equally long.
                device: format!(
                    "sim:ssd,service={service}us,channels={channels},imbalance={share}%"
                ),
                options: "-o 2 -t 4 -d 10s".to_owned(),
                figures: vec![Figure::Ratio(
                    "fastest_ios",
                    "slowest_ios",
                    1.0 + share / 100.0,
                )],
            }
        },
    },
    Cause {
        name: "processor",
        rules: &["fathom-cpu-bound", "cpu-bound"],
        draw: |drawn| {
            let cost = drawn.number(40.0, 120.0);
            Case {
                command: "run",
                device: format!("sim:ssd,channels=256,bandwidth=0,cpu={cost}us"),
                options: "-o 64 -d 2s --warmup 500ms".to_owned(),
                figures: Vec::new(),
            }
        },
    },
];

/// Kinds of devices with nothing wrong, within the ranges that data sheets have.
pub(crate) const HEALTHY: &[Cause] = &[
    Cause {
        name: "SSD",
        rules: &[],
        draw: |drawn| {
            let (read, write) = (drawn.number(60.0, 250.0), drawn.number(30.0, 400.0));
            let (channels, spread) = (drawn.one(&[4, 8, 16]), drawn.number(10.0, 60.0));
            let device = format!(
                "sim:ssd,service={read}us,write-service={write}us,channels={channels},spread={spread}%,{},queue=32,\
                 bandwidth=550M,write-bandwidth={}M",
                noise(drawn),
                drawn.number(200.0, 520.0)
            );
            load(drawn, device, "10s")
        },
    },
    Cause {
        name: "HDD",
        rules: &[],
        draw: |drawn| {
            let (position, media) = (drawn.number(4000.0, 14_000.0), drawn.number(90.0, 280.0));
            let (spread, elevator) = (drawn.number(10.0, 40.0), drawn.number(5.0, 12.0));
            let device = format!(
                "sim:spindle,position={position}us,media={media}M,spread={spread}%,elevator={elevator}%,{}",
                noise(drawn)
            );
            let pattern = drawn.one(&["random", "random", "sequential"]);
            let case = load(drawn, device, "60s");
            Case {
                options: format!("{} --pattern {pattern}", case.options),
                ..case
            }
        },
    },
    Cause {
        name: "NVMe",
        rules: &[],
        draw: |drawn| {
            let (read, write) = (drawn.number(60.0, 110.0), drawn.number(12.0, 40.0));
            let channels = drawn.one(&[16, 32, 64]);
            let device = format!(
                "sim:ssd,cpu=500ns,service={read}us,write-service={write}us,channels={channels},spread={}%,{},bandwidth={}M,\
                 write-bandwidth={}M",
                drawn.number(10.0, 60.0),
                noise(drawn),
                drawn.number(2000.0, 7000.0),
                drawn.number(1000.0, 5000.0)
            );
            load(drawn, device, "2s --warmup 500ms")
        },
    },
    Cause {
        name: "virtual",
        rules: &[],
        draw: |drawn| {
            let (service, channels) = (drawn.number(150.0, 900.0), drawn.one(&[8, 16, 32]));
            let law = drawn.one(&["spread=50%", "spread=90%", "law=exponential"]);
            let device = format!(
                "sim:ssd,service={service}us,write-service={service}us,channels={channels},{law},{},bandwidth={}M,\
                 queue=128",
                noise(drawn),
                drawn.number(300.0, 2000.0)
            );
            load(drawn, device, "10s")
        },
    },
    Cause {
        name: "array",
        rules: &[],
        draw: |drawn| {
            let (service, channels) = (drawn.number(2000.0, 8000.0), drawn.one(&[12, 24, 48]));
            let device = format!(
                "sim:array,service={service}us,write-service={service}us,channels={channels},cache={}G,hit={}us,\
                 write-cache=0,{}",
                drawn.number(2.0, 64.0),
                drawn.number(80.0, 400.0),
                noise(drawn)
            );
            load(drawn, device, "10s")
        },
    },
    Cause {
        name: "mix",
        rules: &[],
        draw: |drawn| {
            let device = drawn.one(&["sim:ssd", "sim:ssd", "sim:spindle"]);
            let mix = match device {
                "sim:ssd" => drawn.one(&["4K:98,1M:2", "4K:98,4M:2", "8K:70,64K:30"]),
                _ => drawn.one(&["64K:random=3", "64K:random=10", "4K:98,1M:2"]),
            };
            let depth = drawn.one(&["1", "4", "8"]);
            Case {
                command: "run",
                device: device.to_owned(),
                options: format!("-b {mix} -o {depth} -d 20s"),
                figures: Vec::new(),
            }
        },
    },
    Cause {
        name: "two targets",
        rules: &[],
        draw: |drawn| {
            let other = drawn.one(&[
                "sim:spindle",
                "sim:array,write-cache=0",
                "sim:ssd,service=400us",
            ]);
            let case = load(drawn, format!("sim:ssd {other}"), "20s");
            Case {
                options: format!("{} --pattern random", case.options),
                ..case
            }
        },
    },
];

/// Speed that varies as that of honest devices does.
fn noise(drawn: &mut Drawn) -> &'static str {
    drawn.one(&["noise=0%", "noise=1%", "noise=2%", "noise=3%"])
}

/// An ordinary load.
fn load(drawn: &mut Drawn, device: String, length: &str) -> Case {
    let block = drawn.one(&["4k", "4k", "8k", "16k", "64k", "256k"]);
    let writes = drawn.one(&["0", "0", "30", "100"]);
    let depth = drawn.one(&["1", "4", "8", "32"]);
    let threads = drawn.one(&["1", "1", "4"]);
    Case {
        command: "run",
        device,
        options: format!("-o {depth} -t {threads} -b {block} -w {writes} -d {length}"),
        figures: Vec::new(),
    }
}

/// A flash device or an array with this trait.
fn case(drawn: &mut Drawn, one: &str, options: &str) -> Case {
    let model = drawn.one(&["ssd", "ssd", "array"]);
    let (service, channels) = (drawn.number(60.0, 400.0), drawn.one(&[4, 8, 16]));
    Case {
        command: "run",
        device: format!("sim:{model},service={service}us,channels={channels},{one}"),
        options: options.to_owned(),
        figures: Vec::new(),
    }
}

fn any_depth(drawn: &mut Drawn, one: &str, options: &str) -> Case {
    let depth = drawn.one(&["-o 4", "-o 8", "-o 32"]);
    case(drawn, one, &format!("{depth} {options}"))
}

fn with<const N: usize>(case: Case, figures: [Figure; N]) -> Case {
    Case {
        figures: figures.into(),
        ..case
    }
}
