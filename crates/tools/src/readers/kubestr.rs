//! kubestr: its summary of fio, a run per job and side.
//!
//! Rates are those of the job; the ranges of windows are printed next to them. Source: public results of kubestr since 2021. Omitted:
//! the devices of the node, which serve more than the volume.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{printed, size};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start};
use model::{CacheMode, ImportFormat, ImportedOperation, ImportedRun, Ratio};

/// Defines the row of kubestr.
pub(crate) const TOOL: Tool = Tool {
    name: "kubestr",
    option: None,
    readers: &[Reader {
        format: ImportFormat::KubestrText,
        name: "kubestr's summary",
        about: "the summary of fio that kubestr prints",
        begins,
        read,
    }],
};

const JOB: &str = "JobName:";

fn begins(line: &str, text: &str) -> Start {
    if line.starts_with("FIO test results:") || line.starts_with("Running FIO test (") {
        return Start::Orphan;
    }
    let next = || text.lines().nth(1).unwrap_or_default();
    match line.starts_with(JOB) && next().contains("blocksize=") {
        true => Start::Orphan,
        false => Start::No,
    }
}

fn read(section: &Section, found: &mut Found) {
    let mut job = ImportedRun {
        name: None,
        ..unknown(ImportFormat::KubestrText)
    };
    let mut side = None;
    for (at, line) in section.lines() {
        let text = line.trim();
        let value = |key: &str| {
            let mut words = text.split_whitespace();
            words.find_map(|word| word.strip_prefix(key))
        };
        if let Some(version) = text.strip_prefix("FIO version -") {
            job.tool_version = Some(version.trim().to_owned());
        } else if let Some(options) = text.strip_prefix("Global options -") {
            let has = |word| options.split_whitespace().any(|one| one == word);
            job.workload.engine = value("ioengine=").map(str::to_owned);
            job.workload.cache = has("direct=1").then_some(CacheMode::Unbuffered);
        } else if let Some(name) = text.strip_prefix(JOB) {
            job.name = Some(name.trim().to_owned());
            side = None;
        } else if text.starts_with("blocksize=") {
            let work = &mut job.workload;
            work.block = value("blocksize=").and_then(size);
            work.size = value("filesize=").and_then(size);
            work.queue_depth = value("iodepth=").and_then(|depth| depth.parse().ok());
            let random = value("rw=").map(|kind| kind.starts_with("rand"));
            work.random_percent =
                random.map(|random| if random { Ratio::ALL } else { Ratio::NONE });
        } else if let Some(kind) = [("read:", Ratio::NONE), ("write:", Ratio::ALL)]
            .into_iter()
            .find(|(name, _)| text == *name)
        {
            side = Some(kind.1);
        } else if let Some((rate, write)) = value("IOPS=").and_then(printed).zip(side) {
            let kib = value("BW(KiB/s)=").and_then(printed);
            let figures = ImportedOperation {
                ios_per_s: Some(rate),
                bytes_per_s: kib.map(|kib| kib * 1024.0),
                ..ImportedOperation::default()
            };
            let mut run = job.clone();
            run.workload.write_percent = Some(write);
            run.figures = of_side(Some(write), figures);
            found.run(at, run);
        }
    }
    if found.is_empty() {
        found.fault_at(
            section.head,
            "the head of kubestr's summary, without figures",
        );
    }
}
