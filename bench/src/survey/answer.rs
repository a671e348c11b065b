//! Results of a survey, from its document.

use serde_json::Value;

/// What was found of one workload.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) workload: String,
    pub(crate) knee: u64,
    /// Threads, and I/Os in flight over all of them, of the load that does the most.
    pub(crate) best: (u64, u64),
    pub(crate) peak: f64,
    pub(crate) limit: String,
    /// IOPS that keep the latency asked for, where one was.
    pub(crate) kept: Option<f64>,
}

/// A whole survey.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) found: Vec<Found>,
    pub(crate) measured_s: f64,
}

impl Answer {
    /// `None` for something else.
    pub(crate) fn read(reported: &str) -> Option<Answer> {
        let document: Value = serde_json::from_str(reported).ok()?;
        let rows = document["rows"].as_array()?.iter();
        let found = rows.filter(|row| !row["best"].is_null()).map(|row| {
            Some(Found {
                workload: row["workload"].as_str()?.to_owned(),
                knee: row["knee_depth"].as_u64()?,
                best: (
                    row["best"]["threads"].as_u64()?,
                    row["best"]["total_queue_depth"].as_u64()?,
                ),
                peak: row["best"]["iops"].as_f64()?,
                limit: row["limit"]["kind"].as_str().unwrap_or("-").to_owned(),
                kept: row["goal"]["iops_estimate"]["value"].as_f64(),
            })
        });
        Some(Answer {
            found: found.collect::<Option<_>>()?,
            measured_s: document["budget"]["measured_ns"].as_f64()? / 1e9,
        })
    }
}
