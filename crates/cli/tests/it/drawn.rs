//! Simulated devices that are drawn by seed, each with one known cause or none: the verdict names the cause and its figure, and
//! accuses no healthy device.
//!
//! `FATHOM_DRAWN` is the number of devices per cause (`cargo xtask cases --drawn 100`); healthy ones are five times as many.
//! Omitted: surveys (`same_figures`), and causes that one run cannot show.

use crate::bench::Bench;
use serde_json::Value;

/// A generator of which a whole test follows (splitmix64).
pub(crate) struct Drawn(pub(crate) u64);

impl Drawn {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed >> 33
    }

    /// Draws one of these.
    pub(crate) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.next() as usize % of.len()]
    }

    /// Draws a whole number, uniform in the logarithm.
    fn number(&mut self, least: f64, most: f64) -> f64 {
        let share = (self.next() % 10_000) as f64 / 10_000.0;
        (least * (most / least).powf(share)).round()
    }
}

/// A device, the options of its run, and the value that its finding has, where it has one.
struct Case {
    device: String,
    options: String,
    figure: Option<(&'static str, f64)>,
}

struct Cause {
    name: &'static str,
    /// Findings that name it; none for a healthy device.
    rules: &'static [&'static str],
    draw: fn(&mut Drawn) -> Case,
}

const CAUSES: [Cause; 11] = [
    Cause {
        name: "IOPS limit",
        rules: &["iops-limit"],
        draw: |drawn| {
            let cap = drawn.number(200.0, 8000.0);
            let case = case(drawn, &format!("cap-iops={cap}"), "-o 32");
            with_figure(case, "rate_per_s", cap)
        },
    },
    Cause {
        name: "bandwidth limit",
        rules: &["bandwidth-limit"],
        draw: |drawn| {
            let cap = drawn.number(20.0, 300.0);
            let case = case(drawn, &format!("cap-bandwidth={cap}M"), "-o 32 -b 64k");
            with_figure(case, "bytes_per_s", cap * 1_048_576.0)
        },
    },
    Cause {
        name: "throttle of the host",
        rules: &["iops-limit", "cgroup-io-limit"],
        draw: |drawn| {
            let cap = drawn.number(200.0, 8000.0);
            let case = case(drawn, &format!("throttle={cap}"), "-o 32");
            with_figure(case, "rate_per_s", cap)
        },
    },
    Cause {
        name: "page cache",
        rules: &["page-cache"],
        draw: |drawn| {
            let share = drawn.number(20.0, 95.0);
            any_depth(drawn, &format!("page-cache={share}%"))
        },
    },
    Cause {
        name: "other I/O",
        rules: &["noisy-neighbour"],
        draw: |drawn| {
            let rate = drawn.number(2000.0, 8000.0);
            any_depth(drawn, &format!("neighbour={rate}"))
        },
    },
    Cause {
        name: "drift",
        rules: &["throughput-drift", "not-steady"],
        draw: |drawn| {
            let share = drawn.number(150.0, 400.0);
            any_depth(drawn, &format!("drift={share}%"))
        },
    },
    Cause {
        name: "drop",
        rules: &["throughput-drop"],
        draw: |drawn| {
            let (share, at) = (drawn.number(20.0, 80.0), drawn.number(6.0, 10.0));
            any_depth(drawn, &format!("drop={share}%,drop-at={at}s"))
        },
    },
    Cause {
        name: "stalls",
        rules: &["stall"],
        draw: |drawn| {
            let (length, every) = (drawn.number(300.0, 2000.0), drawn.number(3.0, 5.0));
            any_depth(drawn, &format!("pause={length}ms,pause-every={every}s"))
        },
    },
    Cause {
        name: "uneven threads",
        rules: &["thread-imbalance"],
        draw: |drawn| {
            let share = drawn.number(100.0, 400.0);
            case(drawn, &format!("imbalance={share}%"), "-o 2 -t 4")
        },
    },
    Cause {
        name: "processor",
        rules: &["fathom-cpu-bound", "cpu-bound"],
        draw: |drawn| {
            let cost = drawn.number(40.0, 120.0);
            Case {
                device: format!("sim:ssd,channels=256,bandwidth=0,cpu={cost}us"),
                options: "-o 64".to_owned(),
                figure: None,
            }
        },
    },
    Cause {
        name: "healthy",
        rules: &[],
        draw: |drawn| {
            let character =
                drawn.one(&["spread=30%", "law=exponential", "noise=2%", "law=lognormal"]);
            let block = drawn.one(&["4k", "16k", "64k"]);
            let writes = drawn.one(&["0", "30", "100"]);
            let depth = drawn.one(&["1", "4", "8", "32"]);
            let options = format!("-o {depth} -b {block} -w {writes}");
            // A write cache that fills is a drop, and rightly named.
            case(drawn, &format!("{character},write-cache=0"), &options)
        },
    },
];

/// A flash device or an array with this trait.
fn case(drawn: &mut Drawn, one: &str, options: &str) -> Case {
    let model = drawn.one(&["ssd", "ssd", "array"]);
    let (service, channels) = (drawn.number(60.0, 400.0), drawn.one(&[4, 8, 16, 32]));
    Case {
        device: format!("sim:{model},service={service}us,channels={channels},{one}"),
        options: options.to_owned(),
        figure: None,
    }
}

fn any_depth(drawn: &mut Drawn, one: &str) -> Case {
    let depth = drawn.one(&["-o 4", "-o 8", "-o 32"]);
    case(drawn, one, depth)
}

fn with_figure(case: Case, name: &'static str, value: f64) -> Case {
    Case {
        figure: Some((name, value)),
        ..case
    }
}

/// Causes that the verdict line lacks, or reports of a healthy device.
fn missed(cause: &Cause, case: &Case, seed: u64) -> Option<String> {
    let line = format!(
        "run {} {} -d 10s --seed {seed} --no-store --json",
        case.device, case.options
    );
    let report = Bench::new().line(&line).json();
    let sentence = report["verdict"]["reasons"][0].as_str().unwrap().to_owned();
    let findings = report["findings"].as_array().unwrap();
    let fault = |why: String| Some(format!("{line}: {why}: {sentence}"));
    if cause.rules.is_empty() {
        let accused = findings.iter().find(|one| one["severity"] != "note");
        return accused.and_then(|one| fault(format!("accused of {}", one["id"])));
    }
    let head = |one: &Value| {
        let text = one["sentence"].as_str().unwrap();
        text.split(": ").next().unwrap().to_owned()
    };
    let Some(named) = findings.iter().find(|one| sentence.contains(&head(one))) else {
        return fault("nothing named".to_owned());
    };
    if !cause.rules.iter().any(|rule| named["id"] == *rule) {
        return fault(format!("named {}", named["id"]));
    }
    let (name, value) = case.figure?;
    let figures = named["evidence"].as_array().unwrap().iter();
    let mut figures = figures.filter(|one| one["name"] == name);
    let is = figures.next().and_then(|one| one["value"].as_f64());
    match is {
        Some(is) if (is / value - 1.0).abs() <= 0.02 => None,
        _ => fault(format!("{name} is {is:?} and not {value}")),
    }
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "the number of devices is the laboratory's, not the program's"
)]
fn the_cause_of_a_drawn_device_is_named_and_a_healthy_one_is_not_accused() {
    let each: u64 = std::env::var("FATHOM_DRAWN").map_or(1, |text| text.parse().unwrap());
    let mut faults: Vec<String> = Vec::new();
    for (place, cause) in (0..).zip(&CAUSES) {
        let mut drawn = Drawn(place << 32);
        let all = if cause.rules.is_empty() {
            5 * each
        } else {
            each
        };
        let missed: Vec<String> = (0..all)
            .filter_map(|seed| {
                let case = (cause.draw)(&mut drawn);
                missed(cause, &case, seed)
            })
            .collect();
        println!(
            "{:<22} {:>4} of {all}",
            cause.name,
            all - missed.len() as u64
        );
        // 98% are to be named, 1% of the healthy may be accused.
        let may_miss = if cause.rules.is_empty() {
            all / 100
        } else {
            all / 50
        };
        if missed.len() as u64 > may_miss {
            faults.extend(missed);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
