//! The last hundred seconds of one figure, for a graph.

use model::Nanos;
use std::collections::VecDeque;

/// How far back a graph goes, as PerfMon's does.
pub(crate) const SPAN: Nanos = Nanos::seconds(100);
/// However often it is refreshed.
const POINTS_MAX: usize = 4096;

/// Values with their times, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct History {
    points: VecDeque<(Nanos, f64)>,
}

impl History {
    /// The newest; what is too old goes.
    pub(crate) fn push(&mut self, at: Nanos, value: f64) {
        self.points.push_back((at, value));
        let too_old = |&(then, _): &(Nanos, f64)| at.minus(then).0 > SPAN.0;
        while self.points.front().is_some_and(too_old) || self.points.len() > POINTS_MAX {
            self.points.pop_front();
        }
    }

    /// Seconds before the newest (from -100 to 0) and values.
    pub(crate) fn points(&self) -> Vec<(f64, f64)> {
        let Some(&(newest, _)) = self.points.back() else {
            return Vec::new();
        };
        let each = self.points.iter();
        each.map(|&(at, value)| (-newest.minus(at).as_seconds(), value))
            .collect()
    }

    /// How far it reaches back, in whole seconds: at least ten, so that the first values are not a wall; at most [`SPAN`].
    pub(crate) fn reach_s(&self) -> f64 {
        const LEAST_S: f64 = 10.0;
        let oldest = self.points().first().map_or(0.0, |(ago, _)| -ago);
        oldest.ceil().clamp(LEAST_S, SPAN.as_seconds())
    }

    /// The newest value.
    pub(crate) fn last(&self) -> Option<f64> {
        self.points.back().map(|&(_, value)| value)
    }

    /// The largest value.
    pub(crate) fn top(&self) -> f64 {
        self.points
            .iter()
            .fold(0.0, |top, &(_, value)| top.max(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_seconds_are_kept() {
        let mut history = History::default();
        for second in 0..=150 {
            history.push(Nanos::seconds(second), second as f64);
        }
        let points = history.points();
        assert_eq!(
            (points.len(), points[0], points[100]),
            (101, (-100.0, 50.0), (0.0, 150.0))
        );
        assert_eq!((history.last(), history.top()), (Some(150.0), 150.0));
        assert_eq!(history.reach_s(), 100.0);
        let mut short = History::default();
        assert_eq!(short.reach_s(), 10.0);
        (0..=25).for_each(|second| short.push(Nanos::seconds(second), 1.0));
        assert_eq!(short.reach_s(), 25.0, "the graph fills its width");
    }
}
