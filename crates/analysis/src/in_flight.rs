//! How many I/Os were really in flight, against how many were requested.
//!
//! Little's law, L = λ W: the mean number in flight is the completion rate times the mean latency, which is
//! the sum of all latencies over the measured time; writes that are read again in the run are among them. Source: J. D. C. Little, "A Proof for the Queuing
//! Formula: L = λW", Operations Research 9 (1961). It is exact up to the I/Os that cross the edges of the
//! measured phase, at most the requested number times the longest latency at each edge.

use crate::rows::share;
use model::{RunRecord, Tally};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many I/Os were in flight on average, and how many could have been.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InFlight {
    /// Queue depth times threads, over all targets.
    pub requested: u64,
    /// Completion rate times mean latency; none when nothing was measured.
    pub mean: Option<f64>,
    /// What the edges of the measured phase may hide, either way, in I/Os in flight.
    pub edge_error: Option<f64>,
}

pub(crate) fn in_flight(record: &RunRecord, total: &Tally) -> InFlight {
    let measured_ns = record.phases.measured().0 as f64;
    let requested = record.plan.outstanding_max();
    let longest = total.latency.max().map(|ns| ns.0 as f64);
    let verification = record.engine.verification.iter();
    let again = verification.flat_map(|one| &one.read_back_ios);
    let again_ns: f64 = again.map(|ios| ios.waited.0 as f64).sum();
    InFlight {
        requested,
        mean: share(total.latency.sum_ns() as f64 + again_ns, measured_ns)
            .filter(|_| total.ios > 0),
        edge_error: longest.and_then(|ns| share(requested as f64 * ns, measured_ns)),
    }
}
