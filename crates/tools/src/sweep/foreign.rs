//! Timespan → DISKSPD's switches, for scripts that run the original.
//!
//! What DISKSPD cannot express is refused with its reason; differing defaults are specified, so that both
//! measure the same: latencies (`-L`), random data in writes (`-Zr`), a start of its own for each sequential thread
//! (`-T`). Deliberately absent: quoting for a shell.

use model::{Access, CacheMode, Location, Nanos, Pacing, Polling, Target, Timespan, WriteContent};

const SECOND: u64 = 1_000_000_000;

/// The arguments behind `diskspd`, targets last.
///
/// # Errors
/// What DISKSPD has no switch for, in a sentence.
pub(super) fn diskspd_words(span: &Timespan) -> Result<Vec<String>, String> {
    refuse_unsayable(span)?;
    let target = span.targets.first().ok_or("there is no target")?;
    let mut words = Vec::new();
    words.extend(target.create.map(|size| format!("-c{size}")));
    words.push(format!("-b{}", target.workload.block));
    words.push(format!("-o{}", target.workload.queue_depth));
    words.push(format!("-t{}", target.threads));
    words.push(format!("-w{}", target.workload.write));
    words.extend(access(target)?);
    words.extend(range(target));
    words.extend(caching(target));
    words.push(format!("-d{}", seconds("duration", span.phases.measured)?));
    words.push(format!("-W{}", seconds("warm-up", span.phases.warmup)?));
    let cooldown = seconds("cool-down", span.phases.cooldown)?;
    words.extend((cooldown > 0).then(|| format!("-C{cooldown}")));
    if target.workload.write.as_percent() > 0 {
        words.push("-Zr".to_owned());
    }
    words.push(format!("-z{}", span.seed as u32));
    words.push("-L".to_owned());
    let paths = span
        .targets
        .iter()
        .filter_map(|target| target.location.path());
    words.extend(paths.map(|path| path.to_string_lossy().into_owned()));
    Ok(words)
}

fn refuse_unsayable(span: &Timespan) -> Result<(), String> {
    let says = |what: &str| {
        Err(format!(
            "DISKSPD has no switch for {what}: omit it, or specify --for fathom"
        ))
    };
    let shaped = |target: &Target| matches!(target.content, WriteContent::Shaped { .. });
    if span
        .targets
        .iter()
        .any(|target| matches!(target.location, Location::Null(_)))
    {
        return says("the engine null");
    }
    if span
        .targets
        .iter()
        .any(|target| matches!(target.location, Location::Simulated(_)))
    {
        return says("a simulated device");
    }
    if span.arrivals.is_some() {
        return says("a rate with arrivals of its own");
    }
    if span.polling != Polling::default() {
        return says("polling");
    }
    if span.targets.iter().any(shaped) {
        return says("the shape of written data");
    }
    if span.targets.iter().any(|target| !target.fsync.is_never()) {
        return says("fsync");
    }
    if span.targets.iter().any(|target| !target.verify.is_off()) {
        return says("verification");
    }
    if span.targets.iter().any(|target| target.drop_cache) {
        return says("dropping the page cache");
    }
    if span
        .targets
        .iter()
        .any(|target| target.pacing != Pacing::Free)
    {
        return says("this pace");
    }
    if span.targets.iter().any(|target| !target.active.is_always()) {
        return says("a part of the time of one target");
    }
    Ok(())
}

fn access(target: &Target) -> Result<Vec<String>, String> {
    match (&target.workload.access, target.threads) {
        (Access::Random, _) => Ok(vec!["-r".to_owned()]),
        (Access::Sequential, 1) => Ok(vec!["-s".to_owned()]),
        (Access::Sequential, threads) => {
            let length = target.length.or(target.create).ok_or(
                "sequential threads begin at equal distances, and how far that is follows from the size: specify \
                --create or --length",
            )?;
            let block = target.workload.block;
            let stride = model::Bytes(length.0 / u64::from(threads.max(1))).floor_to(block);
            Ok(vec!["-s".to_owned(), format!("-T{}", stride.0)])
        }
        _ => Err("this pattern is not one of fathom's own options".to_owned()),
    }
}

fn range(target: &Target) -> Vec<String> {
    let mut words = Vec::new();
    if target.base.0 > 0 {
        words.push(format!("-B{}", target.base));
    }
    words.extend(
        target
            .length
            .map(|length| format!("-f{}", target.base.0 + length.0)),
    );
    words
}

fn caching(target: &Target) -> Option<String> {
    let word = match (target.cache, target.write_through) {
        (CacheMode::Cached, false) => return None,
        (CacheMode::Cached, true) => "-Sw",
        (_, false) => "-Su",
        (_, true) => "-Suw",
    };
    Some(word.to_owned())
}

fn seconds(what: &str, time: Nanos) -> Result<u64, String> {
    match time.0 % SECOND {
        0 => Ok(time.0 / SECOND),
        _ => Err(format!(
            "{what}: read {time}; DISKSPD counts in whole seconds: specify one, or specify --for fathom"
        )),
    }
}
