//! What is true of every file as a trace, and of every text as a profile: a refusal, or records in the order of their times
//! and I/Os within the range. The same for a fuzzer and for the tests. Omitted: the seeds, and the fuzzer's loop.

use model::trace::TraceOperation;
use model::{Bytes, Nanos};
use std::path::Path;
use traces::{Drawn, FORMATS, LearnedProfile, Options, Properties, Trace};

/// So many I/Os of a profile are drawn.
const DRAWN: usize = 2000;

/// A file in a format, or in the one that its first lines show: records whose times ascend, which can be learned and compared.
pub(crate) fn records(path: &Path, format: Option<usize>) {
    let options = Options {
        format: format.map(|number| FORMATS[number % FORMATS.len()].name.to_owned()),
        ..Options::default()
    };
    let Ok(trace) = Trace::open(&[path.to_owned()], &options) else {
        return;
    };
    let (mut learner, mut properties) = (traces::Learner::default(), Properties::default());
    let mut last = Nanos(0);
    for record in trace.map_while(Result::ok) {
        assert!(record.at >= last, "times ascend");
        let is_io = record.operation.transfers() || record.operation == TraceOperation::Discard;
        assert!(is_io || record.length == 0, "a flush has no length");
        last = record.at;
        learner.take(&record);
        properties.take(&record);
    }
    drop(properties.finish());
    if let Ok(found) = learner.finish(traces::LearnedFrom::default(), &[]) {
        let text = found.text();
        if let Err(refused) = LearnedProfile::read("p", &text) {
            panic!("what was learned is no profile: {refused}");
        }
        profile(&text);
    }
}

/// A profile: what is written of it is read back, and its I/Os are within its range.
pub(crate) fn profile(text: &str) {
    let Ok(read) = LearnedProfile::read("p", text) else {
        return;
    };
    if let Ok(again) = LearnedProfile::read("p", &read.text()) {
        assert_eq!(again.text(), read.text());
    }
    let Ok(mut drawn) = Drawn::new(&read.workload, Bytes(u64::MAX), 1) else {
        return;
    };
    for (io, after) in std::iter::from_fn(|| drawn.next_io()).take(DRAWN) {
        let end = io.offset.checked_add(io.length);
        assert!(
            end.is_some_and(|end| end <= read.workload.range.0),
            "{io:?}"
        );
        assert!(after.back < model::trace::DEPENDENCY_WINDOW);
    }
}
