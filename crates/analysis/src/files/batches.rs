//! How far off the rate of a step may be: batch means.
//!
//! Source: Law, Simulation Modeling and Analysis, 5th edition, section 9.5.3 (batch means): the means of long enough
//! batches are nearly independent and nearly normal, and Student's t distribution gives the interval of their mean. Where
//! neighbouring batches still are autocorrelated, fewer of them count: K (1 - r) / (1 + r), with r the correlation of
//! neighbours. What happens only once in a step, such as the flush at its end, is in the rate and not in its interval.

use crate::Estimate;
use crate::spread::{mean, t_95_of};
use model::{FilesStep, FilesThread};

/// With fewer batches no interval is given.
const BATCHES_MIN: usize = 8;
/// Or with fewer that count.
const COUNTING_MIN: f64 = 4.0;

/// Operations a second with the interval; `None` without operations or time.
pub(super) fn rate(step: &FilesStep) -> Option<Estimate> {
    let seconds = step.elapsed.as_seconds();
    let operations = step.operations();
    if seconds <= 0.0 || operations == 0 {
        return None;
    }
    let value = operations as f64 / seconds;
    let bare = Estimate::bare(value, 0.0);
    let threads: Option<Vec<Part>> = step.threads.iter().map(part).collect();
    let Some(threads) = threads.filter(|threads| !threads.is_empty()) else {
        return Some(bare);
    };
    // Threads are independent, so the squares of their errors add up.
    let sum: f64 = threads.iter().map(|part| part.rate).sum();
    let error = threads
        .iter()
        .map(|part| (part.rate * part.error).powi(2))
        .sum::<f64>()
        .sqrt();
    let counting: f64 = threads.iter().map(|part| part.counting).sum();
    let fewest = threads
        .iter()
        .map(|part| part.counting)
        .fold(f64::INFINITY, f64::min);
    let share = t_95_of(fewest) * error / sum;
    Some(Estimate {
        value,
        low: Some((value * (1.0 - share)).max(0.0)),
        high: Some(value * (1.0 + share)),
        samples: counting,
        not_known: None,
    })
}

/// One thread's batches.
struct Part {
    /// Operations a second within whole batches.
    rate: f64,
    /// Standard error of the mean time of a batch, as a share of it.
    error: f64,
    /// Batches that count.
    counting: f64,
}

fn part(thread: &FilesThread) -> Option<Part> {
    let mut before = thread.began;
    let mut times = Vec::with_capacity(thread.batch_ends.len());
    for end in &thread.batch_ends {
        times.push(end.minus(before).as_seconds());
        before = *end;
    }
    let middle = mean(&times);
    if times.len() < BATCHES_MIN || middle <= 0.0 {
        return None;
    }
    let squares: f64 = times.iter().map(|time| (time - middle).powi(2)).sum();
    let variance = squares / (times.len() - 1) as f64;
    let neighbours: f64 = times
        .windows(2)
        .map(|two| (two[0] - middle) * (two[1] - middle))
        .sum();
    let correlation = if squares > 0.0 {
        (neighbours / squares).clamp(0.0, 0.99)
    } else {
        0.0
    };
    let counting = times.len() as f64 * (1.0 - correlation) / (1.0 + correlation);
    (counting >= COUNTING_MIN).then(|| Part {
        rate: thread.batch_operations as f64 / middle,
        error: (variance / counting).sqrt() / middle,
        counting,
    })
}
