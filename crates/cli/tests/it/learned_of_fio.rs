//! Jobs of fio on a loop device, learned while they run: what fio was given comes back in the profile.
//!
//! The bounds are those of the design, or three standard errors of what was seen, where that is more. What a busy machine
//! changes of a job, and not only of its learning, is compared where it can only be the learning.

use crate::against_fio::fio_is_there;
use crate::bench::Bench;
use crate::looped::Loop;
use crate::observed::{device, ended, profile};
use crate::tracefs::Tracefs;
use model::Nanos;
use traces::{ArrivalRule, LearnedProfile, Places};

/// Zipf's law needs two estimates that agree, for which a busy machine may not do enough I/Os in 2 s.
const ZIPF_MIN: u64 = 20_000;

/// A program that a busy machine does not delay, where this user may ask for that.
fn at_once(program: &str) -> std::process::Command {
    let may = std::process::Command::new("chrt")
        .args(["-f", "10", "true"])
        .status();
    if !may.is_ok_and(|status| status.success()) {
        return std::process::Command::new(program);
    }
    let mut command = std::process::Command::new("chrt");
    command.args(["-f", "10", program]);
    command
}

/// A loop device to observe; `None`, with the reason printed, without it or without fio.
fn ready() -> Option<(Tracefs, Loop, String)> {
    fio_is_there().then(device).flatten()
}

/// A job of fio with these options while it is learned for 2 s; `None` if it cannot be started.
fn learned_of_fio(bench: &Bench, device: &str, options: &str) -> Option<LearnedProfile> {
    learned_for("2s", bench, device, options)
}

/// The same for this time.
fn learned_for(time: &str, bench: &Bench, device: &str, options: &str) -> Option<LearnedProfile> {
    let common = "--name=j --thread --direct=1 --ioengine=libaio --time_based --runtime=60 --norandommap --output=fio.txt";
    let mut fio = at_once("fio");
    fio.args(common.split(' ').chain(options.split(' ')))
        .arg(format!("--filename={device}"))
        .current_dir(bench.path(""));
    let fio = fio.spawn().ok()?;
    std::thread::sleep(std::time::Duration::from_secs(1));
    let out = format!("{}.profile", fio.id());
    let said = bench.line(&format!("learn --device {device} --for {time} -o {out}"));
    ended(fio);
    assert_eq!(said.code, Some(0), "{said:?}");
    Some(profile(bench, &out))
}

fn near(share: f64, expected: f64, of: f64) {
    let error = (expected * (100.0 - expected) / of).sqrt();
    let is_near = (share - expected).abs() <= f64::max(1.0, 3.0 * error);
    assert!(is_near, "{share} of {of}, not {expected}");
}

#[test]
fn jobs_of_fio_are_learned_as_they_were_written() {
    let Some((_tracefs, _device, path)) = ready() else {
        return;
    };
    let bench = Bench::new();
    let mix = "--rw=randrw --rwmixread=70 --bssplit=4k/60:16k/30:64k/10 --iodepth=8";
    let Some(found) = learned_of_fio(&bench, &path, mix) else {
        return;
    };
    let ios = found.learned.ios as f64;
    near(found.workload.reads, 70.0, ios);
    let read = found.workload.read.clone().unwrap();
    for (size, expected) in [(4096, 60.0), (16_384, 30.0), (65_536, 10.0)] {
        let share = read.sizes.iter().find(|(its, _)| its.0 == size).unwrap().1;
        near(share, expected, ios * 0.7);
    }
    // Whether it is recognized as closed depends on how soon a busy machine runs fio after a completion.
    if let ArrivalRule::Closed { in_flight, .. } = found.workload.arrivals {
        assert_eq!(in_flight, 8);
    }
    let synced = "--rw=randwrite --bs=4k --ioengine=sync --fsync=32";
    let found = learned_of_fio(&bench, &path, synced).unwrap();
    let flush = found.workload.flush.unwrap();
    assert!(
        (31.0..=33.0).contains(&flush.mean()) && flush.regular,
        "{flush:?}"
    );
}

#[test]
fn rates_and_think_times_of_fio_are_learned() {
    let Some((_tracefs, _device, path)) = ready() else {
        return;
    };
    let bench = Bench::new();
    for process in ["linear", "poisson"] {
        let options =
            format!("--rw=randread --bs=4k --iodepth=16 --rate_iops=500 --rate_process={process}");
        // Of I/Os that take no time, equal pauses are the same as a think time.
        let is_it = |arrivals: &ArrivalRule| match *arrivals {
            ArrivalRule::Open { .. } | ArrivalRule::ByBatch { .. } => true,
            ArrivalRule::ByOperation { .. } => false,
            ArrivalRule::Closed {
                in_flight, think, ..
            } => {
                let is_pause = Nanos::micros(1800) <= think && think <= Nanos::micros(2020);
                process == "linear" && in_flight == 1 && is_pause
            }
        };
        // Where fio cannot have real-time priority, a busy machine changes when I/Os are issued.
        let mut others = Vec::new();
        while let Some(found) = undelayed(&bench, &path, &options, 500.0) {
            if is_it(&found.workload.arrivals) {
                others.clear();
                break;
            }
            others.push(found.workload.arrivals);
            assert!(others.len() < 3, "{process}: {others:?}");
        }
    }
    let thinks = "--rw=randread --bs=4k --ioengine=psync --thinktime=20ms";
    let Some(found) = undelayed(&bench, &path, thinks, 50.0) else {
        return;
    };
    match found.workload.arrivals {
        ArrivalRule::Closed {
            in_flight, think, ..
        } => {
            let is_near = Nanos::millis(19) <= think && think <= Nanos::millis(22);
            assert!(in_flight == 1 && is_near, "{in_flight}, {think}");
        }
        // Of I/Os that take no time the pauses are a constant rate.
        ArrivalRule::Open { even, .. } => assert!(even),
        other => panic!("{other:?}"),
    }
}

/// The profile of a job that issued as many I/Os per second as it was given; a busy machine delays fio, which then issues
/// what it missed. `None`, with the reason printed, if it did so 3 times: `traces` compares the same exactly.
fn undelayed(bench: &Bench, device: &str, options: &str, expected: f64) -> Option<LearnedProfile> {
    for _ in 0..3 {
        let found = learned_for("4s", bench, device, options)?; // few I/Os are shown to be even
        let rate = found.learned.ios as f64 / found.learned.duration.as_seconds();
        if (rate / expected - 1.0).abs() <= 0.05 {
            return Some(found);
        }
        println!("not compared: fio issued {rate:.0} of {expected} I/Os per second");
    }
    None
}

#[test]
fn places_of_fio_are_learned() {
    let Some((_tracefs, _device, path)) = ready() else {
        return;
    };
    let bench = Bench::new();
    for theta in [0.8, 1.1, 1.4] {
        let options =
            format!("--rw=randread --bs=4k --iodepth=4 --random_distribution=zipf:{theta}");
        // On a busy machine seconds are lost, and what is left may not show the law.
        let mut others = Vec::new();
        while let Some(found) = learned_of_fio(&bench, &path, &options) {
            match found.workload.read.unwrap().places {
                Places::Zipf { theta: its, .. } if (its / theta - 1.0).abs() <= 0.05 => break,
                Places::Zipf { theta: its, .. } => others.push(format!("zipf:{its}")),
                _ if found.learned.ios < ZIPF_MIN => {
                    let ios = found.learned.ios;
                    println!("not compared: zipf:{theta} of {ios} I/Os, which are too few here");
                    break;
                }
                _ => others.push(format!("another law of {} I/Os", found.learned.ios)),
            }
            assert!(others.len() < 3, "{theta}: {others:?}");
        }
    }
    let zoned = "--rw=randread --bs=4k --iodepth=4 --random_distribution=zoned:60/10:30/20:10/70";
    let found = learned_of_fio(&bench, &path, zoned).unwrap();
    let Places::Zones { zones } = found.workload.read.unwrap().places else {
        panic!("no zones");
    };
    for (range, expected) in [(10.0, 60.0), (30.0, 90.0)] {
        let (mut from, mut share) = (0.0, 0.0);
        for (size, ios) in &zones {
            share += ios * ((range - from) / size).clamp(0.0, 1.0);
            from += size;
        }
        near(share, expected, found.learned.ios as f64);
    }
    let runs = "--rw=read --bs=4k --numjobs=3 --size=16m --offset_increment=16m --rate_iops=300";
    let found = learned_of_fio(&bench, &path, runs).unwrap();
    let side = found.workload.read.unwrap();
    let lengths = side.runs.iter();
    let mean: f64 = lengths
        .map(|&(from, to, share)| (from + to) as f64 * share / 200.0)
        .sum();
    assert!(1.0 / mean < 0.02, "sequential: {:?}", side.runs);
    // Three that take turns; where they come at random, two others lie between as often as one or none.
    assert!((2..=3).contains(&side.open_runs), "{}", side.open_runs);
}
