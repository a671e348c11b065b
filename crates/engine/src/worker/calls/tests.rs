//! Calls that fail, of which Linux has a device.
#![cfg(target_os = "linux")]

use super::*;

#[test]
fn more_calls_than_wait_at_a_time_need_no_answers_to_be_taken() {
    let count = |operation| CallCount {
        target: 0,
        operation,
        failed: 0,
        latency: LatencyHistogram::new(),
    };
    let mut calls = Calls {
        by: start(File::open("/dev/null").unwrap()).unwrap(),
        open: 0,
        flushes: count(TraceOperation::Flush),
        discards: count(TraceOperation::Discard),
    };
    let all = 3 * WAITING_MAX as u64;
    let flush = RecordedIo {
        operation: TraceOperation::Flush,
        ..RecordedIo::default()
    };
    for number in 0..all {
        assert!(!calls.make(number, flush));
    }
    let counts = calls.close();
    assert_eq!(counts[0].failed, all, "no device can be flushed there");
}
