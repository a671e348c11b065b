//! What a test will do: how long its parts take, and how much is written.
//!
//! The rate of a drive is not known before; what depends on it is a guess at one rate, and named as one. Omitted: what is
//! there already.

use super::definition::{PtsDefinition, PtsPart, PtsPartKind, PtsTest};
use super::progress::PtsContext;
use crate::steady_state::STEADY_WINDOW;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A test before it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PtsForecast {
    /// Name of the test, as `fathom pts` takes it.
    pub test: String,
    /// Title of the test.
    pub title: String,
    /// The target.
    pub target: PtsTargetForecast,
    /// Factor of all times. // 1 unless it is a demonstration
    pub scale: f64,
    /// Whether the drive was purged, and who states it.
    pub purge: String,
    /// The parts in their order.
    pub parts: Vec<PtsPartForecast>,
    /// Time of all parts, in nanoseconds.
    pub duration_ns: PtsSpan,
    /// Bytes that are written: preconditioning, exact, and writes of the rounds by a guess.
    pub written_bytes: PtsSpan,
    /// The rate in bytes per second on which these guesses are based.
    pub guess_bytes_per_s: u64,
    /// Block sizes that the target cannot do.
    pub omitted: Vec<String>,
    /// The session that is resumed; none where a new one begins.
    pub resumes: Option<u64>,
}

/// Where it will run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PtsTargetForecast {
    /// As it was given.
    pub path: String,
    /// The range that is used.
    pub range_bytes: u64,
    /// The file is created with this size first; none where it is there, and of devices.
    pub create_bytes: Option<u64>,
}

/// From steady state as early as possible to all rounds that are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PtsSpan {
    /// With five rounds.
    pub least: u64,
    /// With all of them.
    pub most: u64,
}

/// A part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PtsPartForecast {
    /// What distinguishes it from others of its kind; empty without others.
    pub name: String,
    /// `precondition`, `rounds` or `once`.
    pub kind: String,
    /// Runs, or runs of a round.
    pub runs: u64,
    /// Most rounds; 1 of parts without rounds.
    pub rounds_max: u32,
    /// Time of a round, or of all runs, in nanoseconds; of preconditioning a guess.
    pub round_ns: u64,
    /// Bytes that a round, or all runs, write; of all but preconditioning a guess.
    pub written_bytes: u64,
}

/// Foretells a test.
pub fn pts_forecast(
    definition: &PtsDefinition,
    context: &PtsContext,
    guess_bytes_per_s: u64,
) -> PtsForecast {
    let parts: Vec<PtsPartForecast> = definition
        .parts
        .iter()
        .map(|part| part_forecast(part, context, guess_bytes_per_s))
        .collect();
    let least = |part: &PtsPartForecast| match &*part.kind {
        "rounds" => part.rounds_max.min(STEADY_WINDOW as u32),
        _ => 1,
    };
    let sum = |of: &dyn Fn(&PtsPartForecast) -> u64| -> u64 {
        parts.iter().map(of).fold(0, u64::saturating_add)
    };
    let most_written = sum(&|part| {
        part.written_bytes
            .saturating_mul(u64::from(part.rounds_max))
    });
    let bound = match definition.test {
        // It ends at the end of a round.
        PtsTest::Wsat => {
            let most = 4.0 * context.range_bytes as f64 * context.scale();
            let round = parts.iter().map(|part| part.written_bytes).max();
            (most as u64).max(round.unwrap_or(0))
        }
        _ => u64::MAX,
    };
    PtsForecast {
        test: definition.test.name().to_owned(),
        title: definition.test.title().to_owned(),
        target: PtsTargetForecast {
            range_bytes: context.range_bytes,
            ..PtsTargetForecast::default()
        },
        scale: context.scale(),
        purge: context.purge.statement().to_owned(),
        duration_ns: PtsSpan {
            least: sum(&|part| part.round_ns.saturating_mul(u64::from(least(part)))),
            most: sum(&|part| part.round_ns.saturating_mul(u64::from(part.rounds_max))),
        },
        written_bytes: PtsSpan {
            least: sum(&|part| part.written_bytes.saturating_mul(u64::from(least(part))))
                .min(bound),
            most: most_written.min(bound),
        },
        guess_bytes_per_s,
        omitted: definition.omitted.clone(),
        resumes: None,
        parts,
    }
}

impl PtsForecast {
    /// The same with a file that is created and filled before.
    pub fn with_file(mut self, bytes: u64) -> PtsForecast {
        let seconds = bytes as f64 / self.guess_bytes_per_s.max(1) as f64;
        let filling = [
            (&mut self.written_bytes, bytes),
            (&mut self.duration_ns, (seconds * 1e9) as u64),
        ];
        for (span, more) in filling {
            span.least = span.least.saturating_add(more);
            span.most = span.most.saturating_add(more);
        }
        self.target.create_bytes = Some(bytes);
        self
    }
}

fn part_forecast(part: &PtsPart, context: &PtsContext, guess: u64) -> PtsPartForecast {
    let scale = context.scale();
    let (kind, time_ns, written) = match part.kind {
        PtsPartKind::Precondition => {
            let bytes = 2.0 * context.range_bytes as f64 * scale;
            ("precondition", bytes / guess.max(1) as f64 * 1e9, bytes)
        }
        PtsPartKind::Rounds | PtsPartKind::Once => {
            let busy = part.cells.iter().map(|cell| cell.time.0 as f64);
            let idle = part.cells.iter().map(|cell| cell.idle.0 as f64);
            let writes = part.cells.iter().map(|cell| {
                let share = f64::from(cell.work.write.as_percent()) / 100.0;
                cell.time.0 as f64 / 1e9 * share * guess as f64
            });
            let kind = match part.kind {
                PtsPartKind::Rounds => "rounds",
                _ => "once",
            };
            let time = (busy.sum::<f64>() + idle.sum::<f64>()) * scale;
            (kind, time, writes.sum::<f64>() * scale)
        }
    };
    PtsPartForecast {
        name: part.name.clone(),
        kind: kind.to_owned(),
        runs: part.cells.len() as u64,
        rounds_max: part.rounds_max,
        round_ns: time_ns as u64,
        written_bytes: written as u64,
    }
}
