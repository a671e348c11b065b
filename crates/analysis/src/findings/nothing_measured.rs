//! No I/O completed in the measured phase: there is no result.

use super::{Finding, FindingRank, Seen, finding};
use crate::say;

pub(super) fn look(seen: &Seen<'_>) -> Option<Finding> {
    if seen.total.ios > 0 {
        return None;
    }
    let measured = seen.record.phases.measured().0 as f64;
    let sentence = format!("no I/O completed in {} of measuring", say::time(measured));
    Some(finding(
        "nothing-measured",
        FindingRank::Critical,
        sentence,
        &[("measured_ns", measured)],
        "measure longer; if it stays so, the target does not answer: see the system's log",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::{FindingRank, found};
    use crate::sample::Sample;

    #[test]
    fn a_run_without_io_is_no_result() {
        let empty = Sample {
            reads: 0,
            ..Sample::default()
        }
        .build();
        let finding = found(&empty, "nothing-measured").unwrap();
        assert_eq!(finding.rank, FindingRank::Critical);
        assert_eq!(finding.sentence, "no I/O completed in 10 s of measuring");
        let one = Sample {
            reads: 1,
            ..Sample::default()
        }
        .build();
        assert_eq!(found(&one, "nothing-measured"), None);
    }
}
