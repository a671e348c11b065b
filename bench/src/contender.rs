//! Who is compared: how each is configured for the same work, and where it reports its result.

use crate::child::{self, Cost};
use crate::error::BenchError;
use crate::place::{Place, Shop};
use serde_json::Value;
use std::process::Command;
use std::time::Duration;

/// A program with a choice of options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Fathom,
    FathomSync,
    /// With the ring, also where another engine would be chosen.
    FathomRing,
    /// As `Fathom`, and the results are kept.
    FathomKept,
    /// Free to move between cores and with latencies, as `fathom run` is.
    DiskspdLike,
    /// As people call it: bound to cores, without latencies.
    Diskspd,
    Ring,
    RingStamps,
    /// Submits each I/O with a call of its own, then waits.
    RingEach,
    Vectors,
    Nothing,
    Fio,
    FioSync,
    FioBest,
    /// And with fewer readings of the clock.
    FioBestReduced,
}

/// The same work for all: 4 KiB random reads.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub(crate) place: &'a Place,
    pub(crate) depth: u32,
    pub(crate) threads: u32,
    pub(crate) time: Duration,
}

/// Its result.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Measured {
    pub(crate) rate_per_s: f64,
    pub(crate) user_us: f64,   // of an I/O
    pub(crate) system_us: f64, // of an I/O
    pub(crate) beyond_ms: f64, // from start to exit, without the time asked
    pub(crate) peak_mib: f64,
}

/// Figures that a program reports.
struct Said {
    ios: f64,
    rate_per_s: f64,
    /// User and system seconds, where the program counts its own start apart.
    cpu_s: Option<(f64, f64)>,
}

impl Who {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Who::Fathom => "fathom",
            Who::FathomSync => "fathom sync",
            Who::FathomRing => "fathom io_uring",
            Who::FathomKept => "fathom, kept",
            Who::DiskspdLike => "diskspd -n -L",
            Who::Diskspd => "diskspd",
            Who::Ring => "bare io_uring",
            Who::RingStamps => "bare + stamps",
            Who::RingEach => "bare, each",
            Who::Vectors => "bare preadv2",
            Who::Nothing => "bare, 2 stamps",
            Who::Fio => "fio",
            Who::FioSync => "fio pvsync2",
            Who::FioBest => "fio best",
            Who::FioBestReduced => "fio best reduc.",
        }
    }

    pub(crate) fn is_fio(self) -> bool {
        matches!(
            self,
            Who::Fio | Who::FioSync | Who::FioBest | Who::FioBestReduced
        )
    }

    /// DISKSPD counts whole seconds.
    fn time(self, work: &Work<'_>) -> Duration {
        match self {
            Who::Diskspd | Who::DiskspdLike => {
                Duration::from_secs(work.time.as_secs_f64().ceil().max(1.0) as u64)
            }
            _ => work.time,
        }
    }

    /// Runs once.
    pub(crate) fn measure(self, work: &Work<'_>, shop: &Shop) -> Result<Measured, BenchError> {
        work.place.warm()?;
        let mut command = self.command(work, shop);
        let cost = child::run(&mut command, &shop.stop)?;
        let said = self.read(&cost).ok_or_else(|| BenchError::Unreadable {
            command: child::words(&command),
            printed: cost.out.chars().take(200).collect(),
        })?;
        let ios = said.ios.max(1.0);
        let whole = (cost.user.as_secs_f64(), cost.system.as_secs_f64());
        let (user, system) = said.cpu_s.unwrap_or(whole);
        Ok(Measured {
            rate_per_s: said.rate_per_s,
            user_us: user * 1e6 / ios,
            system_us: system * 1e6 / ios,
            beyond_ms: (cost.wall.as_secs_f64() - self.time(work).as_secs_f64()) * 1e3,
            peak_mib: cost.peak_bytes as f64 / f64::from(1 << 20),
        })
    }

    fn command(self, work: &Work<'_>, shop: &Shop) -> Command {
        match self {
            Who::Fathom | Who::FathomSync | Who::FathomRing | Who::FathomKept => {
                self.run(work, shop)
            }
            Who::DiskspdLike | Who::Diskspd => self.diskspd(work, shop),
            Who::Ring | Who::RingStamps | Who::RingEach | Who::Vectors | Who::Nothing => {
                self.bare(work, shop)
            }
            Who::Fio | Who::FioSync | Who::FioBest | Who::FioBestReduced => self.fio(work),
        }
    }

    fn run(self, work: &Work<'_>, shop: &Shop) -> Command {
        let mut command = Command::new(&shop.fathom);
        command.args(["run", "--json", "--warmup", "0s", "--duration"]);
        command.arg(format!("{}ms", work.time.as_millis()));
        command.args(["--depth", &work.depth.to_string()]);
        command.args(["--threads", &work.threads.to_string()]);
        match self {
            Who::FathomSync => command.args(["--engine", "sync"]),
            Who::FathomRing => command.args(["--engine", "io_uring"]),
            _ if work.place.path.is_none() => command.args(["--engine", "null"]),
            _ => &mut command,
        };
        match self {
            Who::FathomKept => command.arg("--store").arg(shop.store()),
            _ => command.arg("--no-store"),
        };
        if let Some(path) = &work.place.path {
            let cache = ["cached", "unbuffered"][usize::from(work.place.unbuffered)];
            command.args(["--cache", cache]).arg(path);
        }
        command
    }

    fn diskspd(self, work: &Work<'_>, shop: &Shop) -> Command {
        let mut command = Command::new(&shop.fathom);
        command.args(["diskspd", "-b4K", "-r", "-W0", "--no-store"]);
        command.arg(format!("-d{}", self.time(work).as_secs()));
        command.arg(format!("-o{}", work.depth));
        command.arg(format!("-t{}", work.threads));
        command.arg(["-Sb", "-Su"][usize::from(work.place.unbuffered)]);
        if self == Who::DiskspdLike {
            command.args(["-n", "-L"]);
        }
        command.args(&work.place.path);
        command
    }

    fn bare(self, work: &Work<'_>, shop: &Shop) -> Command {
        let kind = match self {
            Who::Vectors => "vectors",
            Who::Nothing => "nothing",
            Who::RingEach => "ring-each",
            _ => "ring",
        };
        let stamps = matches!(self, Who::RingStamps | Who::Nothing);
        let mut command = Command::new(&shop.own);
        command.args([crate::bare::WORD, kind]);
        command.arg(u8::from(stamps).to_string());
        command.args([work.depth, work.threads].map(|number| number.to_string()));
        command.arg(work.time.as_millis().to_string());
        command.arg(u8::from(work.place.unbuffered).to_string());
        command.args(&work.place.path);
        command
    }

    /// Source: fio(1).
    fn fio(self, work: &Work<'_>) -> Command {
        let Work { depth, threads, .. } = work;
        let mut command = Command::new("fio");
        command.args(["--name=bench", "--rw=randread", "--bs=4k", "--thread"]);
        command.args(["--time_based", "--group_reporting", "--output-format=json"]);
        command.arg(format!("--runtime={}ms", work.time.as_millis()));
        command.arg(format!("--iodepth={depth}"));
        command.arg(format!("--numjobs={threads}"));
        match &work.place.path {
            Some(path) => {
                // It would throw the file out of the cache first.
                let engine = ["io_uring", "pvsync2"][usize::from(self == Who::FioSync)];
                command.arg(format!("--ioengine={engine}"));
                command.args(["--invalidate=0", "--readonly"]);
                command.arg(format!("--filename={}", path.display()));
                command.arg(format!("--direct={}", u8::from(work.place.unbuffered)));
            }
            None => {
                command.args(["--ioengine=null", "--size=1g"]);
            }
        }
        if !matches!(self, Who::Fio | Who::FioSync) {
            let batch = depth.min(&32);
            command.arg(format!("--iodepth_batch_submit={batch}"));
            command.args(["--iodepth_batch_complete_min=1", "--norandommap"]);
            command.arg(format!("--iodepth_batch_complete_max={batch}"));
            if work.place.path.is_some() {
                command.args(["--fixedbufs=1", "--registerfiles=1"]);
            }
        }
        if self == Who::FioBestReduced {
            command.arg("--gtod_reduce=1");
        }
        command
    }

    fn read(self, cost: &Cost) -> Option<Said> {
        match self {
            Who::Fathom | Who::FathomSync | Who::FathomRing | Who::FathomKept => {
                read_run(&cost.out)
            }
            Who::DiskspdLike | Who::Diskspd => read_diskspd(&cost.out),
            Who::Ring | Who::RingStamps | Who::RingEach | Who::Vectors | Who::Nothing => {
                read_bare(&cost.out)
            }
            Who::Fio | Who::FioSync | Who::FioBest | Who::FioBestReduced => read_fio(&cost.out),
        }
    }
}

/// Each operation has a row, and so has their sum.
fn read_run(out: &str) -> Option<Said> {
    let document: Value = serde_json::from_str(out).ok()?;
    let operations = document["operations"].as_array()?;
    let total = operations.iter().find(|row| row["operation"] == "total")?;
    Some(Said {
        ios: total["ios"].as_f64()?,
        rate_per_s: total["iops"].as_f64()?,
        cpu_s: None,
    })
}

/// The first line of sums: `total: bytes | I/Os | MiB/s | I/O per s`.
fn read_diskspd(out: &str) -> Option<Said> {
    let line = out.lines().find_map(|line| line.strip_prefix("total:"))?;
    let mut fields = line.split('|').map(|field| field.trim().parse::<f64>());
    let ios = fields.nth(1)?.ok()?;
    let rate_per_s = fields.nth(1)?.ok()?;
    Some(Said {
        ios,
        rate_per_s,
        cpu_s: None,
    })
}

fn read_bare(out: &str) -> Option<Said> {
    let (ios, rate) = out.trim().split_once(' ')?;
    Some(Said {
        ios: ios.parse().ok()?,
        rate_per_s: rate.parse().ok()?,
        cpu_s: None,
    })
}

/// Its CPU time is what it counts for its jobs: the calibration of its clock at each start is not the loop's.
fn read_fio(out: &str) -> Option<Said> {
    // Warnings may stand before the document.
    let document: Value = serde_json::from_str(&out[out.find('{')?..]).ok()?;
    let job = &document["jobs"][0];
    let share_s = job["job_runtime"].as_f64()? / 1e3 / 100.0;
    Some(Said {
        ios: job["read"]["total_ios"].as_f64()?,
        rate_per_s: job["read"]["iops"].as_f64()?,
        cpu_s: Some((
            job["usr_cpu"].as_f64()? * share_s,
            job["sys_cpu"].as_f64()? * share_s,
        )),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_of_diskspd_are_read() {
        let out = "thread | bytes\n     0 |  8192 | 2 | 0.00 | 2.00 | t\n\
                   total:        8192 |       2 |  0.00 |     2.50 | 0.1\ntotal: 0 | 0 | 0 | 0\n";
        let said = read_diskspd(out).unwrap();
        assert_eq!((said.ios, said.rate_per_s), (2.0, 2.5));
        assert!(read_diskspd("fathom: no").is_none());
    }

    #[test]
    fn the_sum_of_the_operations_of_a_run_is_read_once() {
        let out = r#"{"operations":[{"operation":"read","ios":3,"iops":1.5},
                      {"operation":"total","ios":3,"iops":1.5}]}"#;
        let said = read_run(out).unwrap();
        assert_eq!((said.ios, said.rate_per_s), (3.0, 1.5));
        assert!(read_run(r#"{"operations":[]}"#).is_none());
    }

    #[test]
    fn warnings_of_fio_are_passed_over() {
        let out = "note: x\n{\"jobs\":[{\"job_runtime\":500,\"usr_cpu\":10.0,\"sys_cpu\":20.0,\
                   \"read\":{\"total_ios\":5,\"iops\":10.0}}]}";
        let said = read_fio(out).unwrap();
        assert_eq!(said.cpu_s, Some((0.05, 0.1)));
    }
}
