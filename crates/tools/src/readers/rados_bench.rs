//! rados bench: the summary of a run against a pool of Ceph.
//!
//! MB are 1024 × 1024 bytes, and an I/O is an object or a part of one. Source: rados(8), and public results of Ceph 0.94 to 19.
//! Deliberately absent: the line per second, and `--format json`.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{bytes, nanos, printed};
use crate::imports::run::{after, of_side, unknown};
use crate::imports::section::{Found, Section, Start};
use model::{ImportFormat, ImportedOperation, ImportedRun, Nanos, Ratio};

/// Defines the row of rados bench.
pub(crate) const TOOL: Tool = Tool {
    name: "rados bench",
    option: None,
    readers: &[Reader {
        format: ImportFormat::RadosBenchText,
        name: "rados bench's text",
        about: "the summary that rados bench prints",
        begins,
        read,
    }],
};

const TIME: &str = "Total time run:";
const DEPTH: &str = "Maintaining ";

fn begins(line: &str, _text: &str) -> Start {
    let line = line.trim_start();
    match line.starts_with(TIME) || (line.starts_with(DEPTH) && line.contains(" concurrent ")) {
        true => Start::Orphan,
        false => Start::No,
    }
}

fn read(section: &Section, found: &mut Found) {
    let mut depth = None;
    let mut open: Option<(usize, ImportedRun, ImportedOperation)> = None;
    for (at, line) in section.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix(DEPTH) {
            depth = rest.split(' ').next().and_then(|count| count.parse().ok());
        } else if let Some(text) = after(line, TIME) {
            end(open.take(), found);
            let mut run = unknown(ImportFormat::RadosBenchText);
            run.measured = printed(text).and_then(|seconds| nanos(seconds, Nanos::seconds(1)));
            run.workload.queue_depth = depth.take();
            run.workload.threads = Some(1);
            open = Some((at, run, ImportedOperation::default()));
        } else if let (Some((_, run, figures)), Some((label, value))) =
            (&mut open, line.split_once(':'))
        {
            value_of(run, figures, label.trim_end_matches("(s)"), value.trim());
        }
    }
    end(open, found);
    if found.is_empty() {
        found.fault_at(
            section.head,
            "rados bench was started, but its summary is not in the text",
        );
    }
}

fn value_of(run: &mut ImportedRun, figures: &mut ImportedOperation, label: &str, value: &str) {
    let seconds = || printed(value).and_then(|seconds| nanos(seconds, Nanos::seconds(1)));
    let latency = &mut figures.latency;
    match label {
        "Total writes made" | "Total reads made" => {
            run.workload.write_percent = Some(match label.contains("writes") {
                true => Ratio::ALL,
                false => Ratio::NONE,
            });
            figures.ios = value.parse().ok();
        }
        "Write size" | "Read size" => {
            run.workload.block = printed(value).and_then(|size| bytes(size, 1));
        }
        "Bandwidth (MB/sec)" => figures.bytes_per_s = printed(value).map(|rate| rate * 1_048_576.0),
        "Average IOPS" => figures.ios_per_s = printed(value),
        "Stddev IOPS" => figures.ios_per_s_sd = printed(value),
        "Average Latency" => latency.mean = seconds(),
        "Stddev Latency" => latency.sd = seconds(),
        "Max latency" => latency.max = seconds(),
        "Min latency" => latency.min = seconds(),
        _ => {}
    }
}

fn end(open: Option<(usize, ImportedRun, ImportedOperation)>, found: &mut Found) {
    let Some((at, mut run, figures)) = open else {
        return;
    };
    if figures.bytes_per_s.is_none() {
        found.fault_at(
            at,
            "no bandwidth: expected is 'Bandwidth (MB/sec): …' below 'Total time run:'",
        );
        return;
    }
    run.figures = of_side(run.workload.write_percent, figures);
    found.run(at, run);
}
