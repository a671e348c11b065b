//! IOR's JSON, so that programs that read it read this.
//!
//! What is not measured is omitted and not put at 0.

use super::IOR_VERSION;
use super::build::Phase;
use super::result::{IorResults, IorRun, IorTest, MIB, Spread, spreads, stonewall};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// The document. Errors are those of `out`.
pub fn ior_json(results: &IorResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    let tests: Vec<Value> = results.tests.iter().map(test).collect();
    let summary: Vec<Value> = results.tests.iter().flat_map(summary).collect();
    let document = json!({
        "Version": IOR_VERSION,
        "Measured by": format!("fathom {}", results.version),
        "Began": results.times[0],
        "Command line": results.command,
        "Machine": results.machine,
        "tests": tests,
        "summary": summary,
        "Finished": results.times[1],
    });
    views::pretty_json(&document, out)
}

fn test(test: &IorTest<'_>) -> Value {
    let options = test.options().into_iter();
    let options: Map<String, Value> = options
        .map(|(name, value)| {
            let number: Option<u64> = value.parse().ok();
            let value = number.map_or_else(|| Value::from(value), Value::from);
            (name.to_owned(), value)
        })
        .collect();
    let mut document = json!({
        "TestID": test.test.id,
        "StartTime": test.began,
        "Parameters": parameters(test),
        "Options": options,
        "Results": test.shown().map(|(name, run)| result(test, name, run)).collect::<Vec<Value>>(),
    });
    if test.test.storage.verbose > 0 {
        document["max"] = largest(test);
    }
    document
}

fn parameters(test: &IorTest<'_>) -> Value {
    let asked = test.test;
    json!({
        "testID": asked.id,
        "refnum": asked.reference,
        "api": asked.storage.api,
        "testFileName": asked.files.name,
        "deadlineForStonewall": asked.course.deadline_s,
        "stoneWallingWearOut": asked.course.wear_out,
        "maxTimeDuration": asked.course.max_minutes,
        "nodes": asked.host_count(),
        "tasksPerNode": asked.tasks_per_host(),
        "repetitions": asked.course.repetitions,
        "multiFile": asked.files.multi,
        "interTestDelay": asked.course.delay_s,
        "fsync": asked.storage.fsync,
        "fsyncperwrite": 0,
        "useExistingTestFile": asked.files.existing,
        "uniqueDir": asked.files.unique_dir,
        "readFile": asked.actions.read,
        "writeFile": asked.actions.write,
        "filePerProc": asked.files.per_task,
        "reorderTasks": asked.order.constant,
        "reorderTasksRandom": 0,
        "randomOffset": asked.layout.shuffled,
        "checkWrite": asked.actions.check_write,
        "checkRead": asked.actions.check_read,
        "keepFile": asked.files.keep,
        "keepFileWithError": asked.files.keep_corrupt,
        "verbose": asked.storage.verbose,
        "collective": asked.storage.collective,
        "segmentCount": asked.layout.segments,
        "transferSize": asked.layout.transfer,
        "blockSize": asked.layout.block,
    })
}

fn result(test: &IorTest<'_>, name: &str, run: &IorRun) -> Value {
    let figures = &run.figures;
    let mut document = json!({
        "access": name,
        "bwMiB": figures.bytes_per_s / MIB,
        "blockKiB": test.test.layout.block as f64 / 1024.0,
        "xferKiB": test.test.layout.transfer as f64 / 1024.0,
        "iops": figures.ios_per_s,
        "latency": figures.latency_s,
        "wrRdTime": figures.io_s,
        "totalTime": figures.total_s,
    });
    for (name, time) in [("openTime", figures.open_s), ("closeTime", figures.close_s)] {
        if let Some(time) = time {
            document[name] = Value::from(time);
        }
    }
    document
}

fn largest(test: &IorTest<'_>) -> Value {
    let mut all = Map::new();
    for (phase, mib, mb) in [
        (Phase::Write, "writeMiB", "writeMB"),
        (Phase::Read, "readMiB", "readMB"),
    ] {
        let rates = test.of(phase).into_iter().map(|run| run.bytes_per_s);
        if let Some(most) = rates.reduce(f64::max) {
            all.insert(mib.to_owned(), Value::from(most / MIB));
            all.insert(mb.to_owned(), Value::from(most / 1e6));
        }
    }
    Value::from(all)
}

fn summary(test: &IorTest<'_>) -> Vec<Value> {
    let phases = [("write", Phase::Write), ("read", Phase::Read)];
    let all = phases.into_iter().filter_map(|(name, phase)| {
        let [rate, ops, time] = spreads(test, phase)?;
        let moved = test.of(phase).first()?.bytes;
        let mut document = summary_of(test, [rate, ops, time]);
        document["operation"] = Value::from(name);
        document["xsizeMiB"] = Value::from(moved as f64 / MIB);
        if let Some([time_s, rate]) = stonewall(test, phase) {
            document["StoneWallTime"] = Value::from(time_s);
            document["StoneWallbwMeanMIB"] = Value::from(rate);
        }
        Some(document)
    });
    all.collect()
}

fn summary_of(test: &IorTest<'_>, spreads: [Spread; 3]) -> Value {
    let [rate, ops, time] = spreads;
    let asked = test.test;
    json!({
        "API": asked.storage.api,
        "TestID": asked.id,
        "ReferenceNumber": asked.reference,
        "segmentCount": asked.layout.segments,
        "blockSize": asked.layout.block,
        "transferSize": asked.layout.transfer,
        "numTasks": asked.task_count(),
        "tasksPerNode": asked.tasks_per_host(),
        "repetitions": asked.course.repetitions,
        "filePerProc": asked.files.per_task,
        "reorderTasks": asked.order.constant,
        "taskPerNodeOffset": asked.order.offset,
        "reorderTasksRandom": 0,
        "reorderTasksRandomSeed": 0,
        "bwMaxMIB": rate.max / MIB,
        "bwMinMIB": rate.min / MIB,
        "bwMeanMIB": rate.mean / MIB,
        "bwStdMIB": rate.sd / MIB,
        "OPsMax": ops.max,
        "OPsMin": ops.min,
        "OPsMean": ops.mean,
        "OPsSD": ops.sd,
        "MeanTime": time.mean,
    })
}
