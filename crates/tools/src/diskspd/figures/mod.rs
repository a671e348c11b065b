//! A run as DISKSPD reports it: rows by thread and target, its statistics, its view of the processors.
//!
//! The figures are ours; their definitions are DISKSPD 2.2's, because people compare them with old results. Read in this
//! order: `span` (one time span, assembled), `latency`, `series` (IOPS by interval), `cpu`, `system`. Where its
//! figure is known to be wrong, ours differs, and the doc comment states it. The processor percentages are over the
//! time of the counters, never over wall time, in any layout. Deliberately absent: layout, and waits inside the
//! I/O loop, which the engine does not measure.

mod cpu;
mod latency;
mod series;
mod span;
mod system;

pub use cpu::{CpuShares, CpuUse};
pub use latency::{LATENCY_POINTS, Latency, LatencyPoint, PARTS_OF_WHOLE};
pub use series::{Series, Step, StepSide, iops_std_dev};
pub use span::{
    DirectionFigures, Figures, Layout, Measured, Row, Span, TargetLatency, Totals, TotalsRow, span,
    totals,
};
pub use system::{CpuPlace, System, system};
