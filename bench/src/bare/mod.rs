//! The bare loops: what this machine can do when nothing is counted but I/Os. Each is a process of its own, started by
//! this same program, so that it is measured as the others are.
//!
//! Deliberately absent: everything that makes a benchmark: errors are fatal, percentiles are none.

mod nothing;
mod ring;
mod vectors;

use crate::error::{BenchError, doing};
use crate::place::Place;
use std::io;
use std::path::PathBuf;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// First argument of a process that is a bare loop.
pub(crate) const WORD: &str = "--bare-loop";
pub(crate) const BLOCK: usize = 4096;

/// Memory of one I/O, aligned as unbuffered I/O needs it.
#[derive(Clone)]
#[repr(align(4096))]
struct Page([u8; BLOCK]);

/// What one thread does.
struct Work<'a> {
    place: &'a Place,
    depth: usize,
    stamps: bool,
    stop: &'a AtomicBool,
    seed: u64,
}

impl Work<'_> {
    fn over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// `KIND STAMPS DEPTH THREADS MILLISECONDS CACHE [PATH]`: prints I/Os and IOPS.
pub(crate) fn main(words: &[String]) -> Result<(), BenchError> {
    let unreadable = || BenchError::Usage(format!("{WORD} is for this program alone"));
    let number = |at: usize| {
        let word = words.get(at).ok_or_else(unreadable)?;
        word.parse::<u64>().map_err(|_| unreadable())
    };
    let kind = words.first().ok_or_else(unreadable)?;
    let stamps = number(1)? == 1;
    let (depth, threads) = (number(2)? as usize, number(3)? as usize);
    let time = Duration::from_millis(number(4)?);
    let place = Place {
        title: String::new(),
        unbuffered: number(5)? == 1,
        path: words.get(6).map(PathBuf::from),
    };
    let turn: fn(&Work<'_>) -> io::Result<u64> = match kind.as_str() {
        "ring" => ring::turn,
        "ring-each" => ring::turn_each,
        "vectors" => vectors::turn,
        "nothing" => nothing::turn,
        _ => return Err(unreadable()),
    };
    let stop = AtomicBool::new(false);
    let work = |seed| Work {
        place: &place,
        depth,
        stamps,
        stop: &stop,
        seed,
    };
    let (ios, rate) = all_threads(threads, time, &stop, &|thread| turn(&work(thread)))
        .map_err(doing("a bare loop"))?;
    println!("{ios} {rate:.1}");
    Ok(())
}

/// Sum of the I/Os, and of the rates.
#[allow(clippy::disallowed_methods, reason = "the bare loop has one clock")]
fn all_threads(
    threads: usize,
    time: Duration,
    stop: &AtomicBool,
    turn: &(dyn Fn(u64) -> io::Result<u64> + Sync),
) -> io::Result<(u64, f64)> {
    let gate = &Barrier::new(threads + 1);
    std::thread::scope(|scope| {
        let thread = |thread: usize| {
            scope.spawn(move || {
                gate.wait();
                let started = Instant::now();
                let ios = turn(thread as u64 + 1)?;
                Ok((ios, ios as f64 / started.elapsed().as_secs_f64()))
            })
        };
        let running: Vec<_> = (0..threads).map(thread).collect();
        gate.wait();
        std::thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
        let mut sum = (0, 0.0);
        for thread in running {
            let (ios, rate): (u64, f64) = thread
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))?;
            sum = (sum.0 + ios, sum.1 + rate);
        }
        Ok(sum)
    })
}

/// The next of a row of numbers, none of them 0. Source: Marsaglia, "Xorshift RNGs", 2003.
#[inline]
pub(crate) fn stirred(mut state: u64) -> u64 {
    state ^= state << 13;
    state ^= state >> 7;
    state ^ (state << 17)
}

/// Offsets of whole blocks, each as likely as any other.
struct Offsets {
    state: u64,
    blocks: u64,
}

impl Offsets {
    fn new(seed: u64, bytes: u64) -> Offsets {
        Offsets {
            state: stirred(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
            blocks: (bytes / BLOCK as u64).max(1),
        }
    }

    #[inline]
    fn next(&mut self) -> u64 {
        self.state = stirred(self.state);
        let block = (u128::from(self.state) * u128::from(self.blocks)) >> 64;
        block as u64 * BLOCK as u64
    }
}

/// How long I/Os took, in the ticks of the cheapest clock there is: one more for each power of two.
struct Latencies([u64; 64]);

impl Latencies {
    fn new() -> Latencies {
        Latencies([0; 64])
    }

    #[inline]
    fn add(&mut self, ticks: u64) {
        self.0[63 - (ticks | 1).leading_zeros() as usize] += 1;
    }
}

impl Drop for Latencies {
    /// The count has to be used, or the compiler removes the counting.
    fn drop(&mut self) {
        std::hint::black_box(&self.0);
    }
}

/// Size of a file or device.
fn size(file: &std::fs::File) -> io::Result<u64> {
    use std::io::Seek;
    let mut file = file;
    file.seek(io::SeekFrom::End(0))
}
