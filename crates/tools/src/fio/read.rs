//! What each option that fathom honours does to a job. Which option comes here stands in `table`.
//!
//! Each takes the value as given, and gives a note where fathom does a little else, or the reason why it cannot be.

use super::job::{Amount, FILES_MAX, Job, Pattern, Rates, Sizes, Zones};
use super::number::{SIZE_FORM, TIME_FORM, digits, pattern, time};
use super::text::NAME_MAX;
use model::{EngineChoice, Hint, Skew, Spacing};
use std::ops::RangeInclusive;

pub(super) type OptionRead = Result<Option<String>, String>;

/// Longest path that the system opens.
const PATH_MAX: usize = 4096;
/// Most zones of a job, as in fio.
const ZONES_MAX: usize = 256;
const SECOND: u64 = 1_000_000_000;

pub(super) fn text(value: Option<&str>) -> Result<&str, String> {
    value
        .filter(|value| !value.is_empty())
        .ok_or_else(|| "a value belongs to it, behind a `=`".to_owned())
}

pub(super) fn size(job: &Job, value: Option<&str>) -> Result<u64, String> {
    job.base
        .size(text(value)?)
        .ok_or_else(|| SIZE_FORM.to_owned())
}

fn count(job: &Job, value: Option<&str>, range: RangeInclusive<u64>) -> Result<u64, String> {
    let number = size(job, value)?;
    match range.contains(&number) {
        true => Ok(number),
        false => Err(format!(
            "read {number}; it is from {} to {} here",
            range.start(),
            range.end()
        )),
    }
}

fn percent(value: Option<&str>) -> Result<u8, String> {
    let number = digits(text(value)?.trim_end_matches('%'), 10);
    number
        .filter(|number| *number <= 100)
        .map(|number| number as u8)
        .ok_or_else(|| "must be a whole number from 0 to 100".to_owned())
}

/// Without a value it is 1.
pub(super) fn flag(value: Option<&str>) -> Result<bool, String> {
    match value.map(str::trim) {
        None | Some("true") => Ok(true),
        Some("false") => Ok(false),
        // As in fio, any number but 0 is 1, and what is behind the number does not count: `0/1` is 0.
        Some(text) => match text
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .and_then(|number| digits(number, 10))
        {
            Some(number) => Ok(number != 0),
            None => Err("must be 0 or 1".to_owned()),
        },
    }
}

pub(super) fn nanos(value: Option<&str>, usual: u64) -> Result<u64, String> {
    time(text(value)?, usual).ok_or_else(|| TIME_FORM.to_owned())
}

/// As in fio, the last of several sizes between `:` or `-` counts.
fn last_amount(job: &Job, value: Option<&str>) -> Result<(Amount, Option<String>), String> {
    let all: Vec<&str> = text(value)?.split([':', '-']).collect();
    let [first, .., last] = all[..] else {
        return Ok((amount(job, value)?, None));
    };
    let known = all.iter().all(|size| job.base.size(size.trim()).is_some());
    match known && !first.is_empty() {
        true => {
            let note = format!("the size is the last of them, {last}, as in fio");
            Ok((amount(job, Some(last.trim()))?, Some(note)))
        }
        false => Err(SIZE_FORM.to_owned()),
    }
}

fn amount(job: &Job, value: Option<&str>) -> Result<Amount, String> {
    match text(value)?.strip_suffix('%') {
        Some(share) => percent(Some(share)).map(Amount::Percent),
        None => size(job, value).map(Amount::Bytes),
    }
}

macro_rules! done {
    ($e:expr) => {{
        $e;
        Ok(None)
    }};
}

pub(super) fn kb_base(job: &mut Job, value: Option<&str>) -> OptionRead {
    match text(value)? {
        "1024" => done!(job.base.0 = 1024),
        "1000" => done!(job.base.0 = 1000),
        _ => Err("must be 1024 or 1000".to_owned()),
    }
}

pub(super) fn name(job: &mut Job, value: Option<&str>) -> OptionRead {
    let name = text(value)?;
    if name.len() > NAME_MAX {
        return Err(format!("must have at most {NAME_MAX} bytes"));
    }
    done!(name.clone_into(&mut job.name))
}

/// Names are separated by `:`, and `\:` is a colon in a name.
fn names(list: &str) -> impl Iterator<Item = String> {
    const COLON: &str = "\u{0}";
    let list = list.replace("\\:", COLON);
    let names: Vec<String> = list
        .split(':')
        .map(|name| name.replace(COLON, ":"))
        .collect();
    names.into_iter().filter(|name| !name.is_empty())
}

pub(super) fn filename(job: &mut Job, value: Option<&str>) -> OptionRead {
    let list = text(value)?;
    if names(list).nth(FILES_MAX).is_some() {
        return Err(format!("more than {FILES_MAX} files: name fewer"));
    }
    // As in fio, the files of a job are added to those of its globals.
    done!(job.files.extend(names(list)))
}

pub(super) fn filename_format(job: &mut Job, value: Option<&str>) -> OptionRead {
    let format = text(value)?;
    match format.len() > PATH_MAX {
        true => Err(format!("must have at most {PATH_MAX} bytes")),
        false => done!(job.name_format = Some(format.to_owned())),
    }
}

pub(super) fn directory(job: &mut Job, value: Option<&str>) -> OptionRead {
    let folder = text(value)?;
    if folder.len() > PATH_MAX {
        return Err(format!("must have at most {PATH_MAX} bytes"));
    }
    done!(job.directories = names(folder).collect())
}

pub(super) fn nrfiles(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.file_count = count(job, value, 1..=1024)?)
}

pub(super) fn rw(job: &mut Job, value: Option<&str>) -> OptionRead {
    // fio reads up to a comma.
    let (first, ignored) = match text(value)?.split_once(',') {
        Some((first, rest)) => (first.trim(), Some(rest)),
        None => (text(value)?, None),
    };
    let (kind, step) = match first.split_once(':') {
        Some((kind, step)) => (kind, Some(step.trim())),
        None => (first, None),
    };
    let (random, reads, writes) = match kind {
        "read" => (false, true, false),
        "write" => (false, false, true),
        "randread" => (true, true, false),
        "randwrite" => (true, false, true),
        "rw" | "readwrite" => (false, true, true),
        "randrw" => (true, true, true),
        word if word.contains("trim") => {
            return Err(
                "fathom does not trim: take read, write, randread, randwrite, rw or randrw"
                    .to_owned(),
            );
        }
        _ => return Err("must be read, write, randread, randwrite, rw or randrw".to_owned()),
    };
    let step = match step {
        Some(step) if random => {
            return Err(format!(
                "random I/O has no runs of a fixed length: percentage_random={} has such runs on average, or omit `:{step}`",
                100 / step.parse::<u64>().unwrap_or(1).max(1)
            ));
        }
        Some(step) => bytes_apart(job, step)?,
        None => 0,
    };
    job.pattern = Pattern {
        random,
        step,
        reads,
        writes,
    };
    if let Some(rest) = ignored {
        return Ok(Some(format!(
            "what is behind the comma, {rest}, is ignored, as in fio"
        )));
    }
    let apart = reads && writes && !random;
    Ok(apart.then(|| {
        "reads and writes continue from one place together; fio has a place for each".to_owned()
    }))
}

/// A size with its sign.
fn bytes_apart(job: &Job, step: &str) -> Result<i64, String> {
    let (sign, size) = match step.strip_prefix('-') {
        Some(size) => (-1, size),
        None => (1, step),
    };
    let size = job
        .base
        .size(size)
        .and_then(|size| i64::try_from(size).ok());
    Ok(sign * size.ok_or(SIZE_FORM)?)
}

pub(super) fn rwmixread(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.write_percent = 100 - percent(value)?)
}

pub(super) fn rwmixwrite(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.write_percent = percent(value)?)
}

pub(super) fn percentage_random(job: &mut Job, value: Option<&str>) -> OptionRead {
    let shares: Result<Vec<u8>, String> = text(value)?
        .split(',')
        .map(|one| percent(Some(one.trim())))
        .collect();
    let shares = shares?;
    let reads = shares[0];
    done!(job.percentage_random = (reads, shares.get(1).copied().unwrap_or(reads)))
}

/// `read,write,trim`; what is omitted is as the one before.
fn both<T: Clone>(
    value: Option<&str>,
    read: impl Fn(&str) -> Option<T>,
    form: &str,
) -> Result<(T, T), String> {
    let mut parts = text(value)?.split(',').map(str::trim);
    let first = parts
        .next()
        .and_then(&read)
        .ok_or_else(|| form.to_owned())?;
    let second = match parts.next() {
        None | Some("") => first.clone(),
        Some(text) => read(text).ok_or_else(|| form.to_owned())?,
    };
    Ok((first, second))
}

fn sizes(job: &mut Job, reads: Sizes, writes: Sizes) -> OptionRead {
    let zero = |sizes: &Sizes| match sizes {
        Sizes::Fixed(size) | Sizes::Range(size, _) => *size == 0,
        Sizes::Split(parts) => parts.iter().any(|(size, _)| *size == 0),
    };
    if zero(&reads) || zero(&writes) {
        return Err("a block of 0 bytes moves nothing".to_owned());
    }
    (job.reads, job.write_sizes) = (reads, writes);
    Ok(None)
}

pub(super) fn bs(job: &mut Job, value: Option<&str>) -> OptionRead {
    let base = job.base;
    let size = |text: &str| base.size(text).map(Sizes::Fixed);
    // `,8k` is the size of writes alone.
    if let Some(writes) = text(value)?.strip_prefix(',') {
        let writes = writes.split(',').next().and_then(size).ok_or(SIZE_FORM)?;
        return sizes(job, job.reads.clone(), writes);
    }
    // fio reads `4k-64k` as `4k,64k`: it is no range.
    let separate = text(value)?.replace(['-', ':'], ",");
    let (reads, writes) = both(Some(&separate), size, SIZE_FORM)?;
    let note = (separate != text(value)? && reads != writes)
        .then(|| "the first size is that of reads and the second that of writes, as in fio; bsrange is a range".to_owned());
    sizes(job, reads, writes).map(|_| note)
}

pub(super) fn bsrange(job: &mut Job, value: Option<&str>) -> OptionRead {
    let base = job.base;
    let value = text(value)?.replace('/', ",");
    let range = |text: &str| {
        let (low, high) = base.range(text)?;
        Some(if low == high {
            Sizes::Fixed(low)
        } else {
            Sizes::Range(low, high)
        })
    };
    let (reads, writes) = both(Some(&value), range, "must be LOW-HIGH, such as 4k-64k")?;
    sizes(job, reads, writes)
}

pub(super) fn bssplit(job: &mut Job, value: Option<&str>) -> OptionRead {
    let base = job.base;
    const FORM: &str = "must be SIZE/PERCENT:SIZE/PERCENT…, the percentages 100 together";
    let (reads, writes) = both(value, |text| base.split(text).map(Sizes::Split), FORM)?;
    sizes(job, reads, writes)
}

pub(super) fn blockalign(job: &mut Job, value: Option<&str>) -> OptionRead {
    let base = job.base;
    let (reads, writes) = both(value, |text| base.size(text), SIZE_FORM)?;
    match reads == writes && reads > 0 {
        true => done!(job.align = Some(reads)),
        false => Err("reads and writes have one alignment together, above 0".to_owned()),
    }
}

pub(super) fn ioengine(job: &mut Job, value: Option<&str>) -> OptionRead {
    let word = text(value)?;
    let (engine, mapped) = match word {
        "sync" | "psync" | "vsync" | "pvsync" | "pvsync2" | "splice" => (EngineChoice::Sync, false),
        "libaio" | "aio" => (EngineChoice::Libaio, false),
        "posixaio" | "windowsaio" | "solarisaio" => (EngineChoice::Auto, false),
        "io_uring" => (EngineChoice::IoUring, false),
        "io_uring_cmd" => (EngineChoice::Nvme, false),
        "mmap" => (EngineChoice::Auto, true),
        "null" | "cpp_null" => (EngineChoice::Null, false),
        word if word.starts_with("file") || word.starts_with("dir") || word == "falloc" => {
            return Err("work with whole files: `fathom files` is the nearest".to_owned());
        }
        _ => {
            return Err("fathom moves blocks of files and devices: sync, psync, pvsync2, libaio, io_uring, io_uring_cmd, mmap or null"
                .to_owned());
        }
    };
    (job.engine, job.mapped) = (engine, mapped);
    word.clone_into(&mut job.engine_name);
    let note = match word {
        "sync" | "vsync" | "pvsync" | "pvsync2" => {
            "one call of the system per I/O; fathom's is pread and pwrite, as psync's"
        }
        "splice" => "measured with pread and pwrite, as by psync: data is copied, not spliced",
        "posixaio" | "windowsaio" | "solarisaio" => {
            "measured with io_uring, or libaio where there is none: the C library's or another system's calls cost more"
        }
        _ => return Ok(None),
    };
    Ok(Some(note.to_owned()))
}

pub(super) fn iodepth(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.depth = count(job, value, 1..=32_768)?)
}

pub(super) fn numjobs(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.jobs = count(job, value, 1..=1024)?)
}

pub(super) fn set_size(job: &mut Job, value: Option<&str>) -> OptionRead {
    // 0 is what is there, as if it were not specified.
    let (size, note) = last_amount(job, value)?;
    job.size = Some(size).filter(|size| !size.is_zero());
    Ok(note)
}

pub(super) fn io_size(job: &mut Job, value: Option<&str>) -> OptionRead {
    let (size, note) = last_amount(job, value)?;
    job.io_size = Some(size).filter(|size| !size.is_zero());
    Ok(note)
}

pub(super) fn filesize(job: &mut Job, value: Option<&str>) -> OptionRead {
    let (low, high) = job.base.range(text(value)?).ok_or(SIZE_FORM)?;
    match low == high {
        true => done!(job.file_size = Some(low)),
        false => Err("files of sizes drawn by chance: specify one size".to_owned()),
    }
}

pub(super) fn offset(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.offset = Some(amount(job, value)?))
}

pub(super) fn loops(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.loops = count(job, value, 1..=1 << 20)?)
}

pub(super) fn runtime(job: &mut Job, value: Option<&str>) -> OptionRead {
    let ns = nanos(value, SECOND)?;
    done!(job.runtime_ns = Some(ns).filter(|ns| *ns > 0))
}

pub(super) fn time_based(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.time_based = flag(value)?)
}

pub(super) fn ramp_time(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.ramp_ns = nanos(value, SECOND)?)
}

pub(super) fn offset_increment(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.offset_increment = amount(job, value)?)
}

pub(super) fn number_ios(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.number_ios = Some(size(job, value)?).filter(|ios| *ios > 0))
}

pub(super) fn fadvise_hint(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.hint = match value.map(str::trim) {
        Some("0" | "none") => None,
        None | Some("1") => Some(Hint::None),
        Some("sequential") => Some(Hint::Sequential),
        Some("random") => Some(Hint::Random),
        Some(_) => return Err("must be 0, 1, sequential or random".to_owned()),
    };
    Ok(None)
}

pub(super) fn startdelay(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.start_delay_ns = nanos(value, SECOND)?)
}

pub(super) fn exitall(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.exit_all = flag(value)?)
}

pub(super) fn log_avg_msec(job: &mut Job, value: Option<&str>) -> OptionRead {
    let ns = nanos(value, 1_000_000)?;
    done!(job.interval_ns = Some(ns).filter(|ns| *ns > 0))
}

pub(super) fn thinktime(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.think_ns = nanos(value, 1000)?)
}

pub(super) fn thinktime_blocks(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.think_blocks = count(job, value, 1..=u64::from(u32::MAX))?)
}

pub(super) fn rate(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.rates = rates(job, value, SIZE_FORM)?)
}

pub(super) fn rate_iops(job: &mut Job, value: Option<&str>) -> OptionRead {
    const FORM: &str = "must be a whole number of IOPS";
    done!(job.rates_iops = rates(job, value, FORM)?)
}

/// Of reads and writes: fio's `READ,WRITE`, either of which may be empty for none; 0 is none.
pub(super) fn rates(job: &Job, value: Option<&str>, form: &'static str) -> Result<Rates, String> {
    let rate = |text: &str| match text.trim() {
        "" => Ok(None),
        text => match job.base.size(text) {
            Some(rate) => Ok(Some(rate).filter(|rate| *rate > 0)),
            None => Err(form.to_owned()),
        },
    };
    let mut parts = text(value)?.split(',');
    let reads = rate(parts.next().unwrap_or_default())?;
    let writes = parts.next().map_or(Ok(reads), rate)?;
    Ok((reads, writes))
}

pub(super) fn rate_process(job: &mut Job, value: Option<&str>) -> OptionRead {
    match text(value)? {
        "linear" => done!(job.spacing = Spacing::Constant),
        "poisson" => done!(job.spacing = Spacing::Poisson),
        _ => Err("must be linear or poisson".to_owned()),
    }
}

pub(super) fn direct(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.direct = flag(value)?)
}

pub(super) fn buffered(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.direct = !flag(value)?)
}

pub(super) fn sync(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.durable = match value.map(str::trim) {
        Some("0" | "none") => false,
        None | Some("1" | "sync" | "dsync") => true,
        Some(_) => return Err("must be none, sync or dsync".to_owned()),
    };
    let file = job.durable && value != Some("dsync");
    Ok(file.then(|| "O_DSYNC instead of O_SYNC: the data is on stable storage, times of the file need not be".to_owned()))
}

pub(super) fn fsync(job: &mut Job, value: Option<&str>) -> OptionRead {
    every(job, value, false)
}

pub(super) fn fdatasync(job: &mut Job, value: Option<&str>) -> OptionRead {
    every(job, value, true)
}

fn every(job: &mut Job, value: Option<&str>, data_only: bool) -> OptionRead {
    let writes = count(job, value, 0..=u64::from(u32::MAX))? as u32;
    if writes > 0 && job.fsync.every > 0 && job.fsync.data_only != data_only {
        return Err("fsync and fdatasync in one job: specify one of them".to_owned());
    }
    if writes > 0 || job.fsync.data_only == data_only {
        (job.fsync.every, job.fsync.data_only) = (writes, data_only);
    }
    Ok(None)
}

pub(super) fn end_fsync(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.fsync.at_end = flag(value)?)
}

pub(super) fn randseed(job: &mut Job, value: Option<&str>) -> OptionRead {
    let number = digits(text(value)?, 10);
    done!(job.seed = Some(number.ok_or("must be a whole number")?))
}

pub(super) fn randrepeat(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.repeats = flag(value)?)
}

pub(super) fn norandommap(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.random_map = !flag(value)?)
}

pub(super) fn randommap(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.random_map = flag(value)?)
}

pub(super) fn random_distribution(job: &mut Job, value: Option<&str>) -> OptionRead {
    let word = text(value)?;
    let (kind, rest) = word.split_once(':').unwrap_or((word, ""));
    let base = job.base;
    const FORM: &str =
        "zones are PERCENT/PERCENT:…, up to 100 % of both; zoned_abs has sizes behind the stroke";
    let pairs = |read: &dyn Fn(&str) -> Option<u64>| -> Result<Vec<(u8, u64)>, String> {
        let mut left = 100u64; // of the range, for a part without a share
        let pair = |item: &str| {
            let (share, part) = item.split_once('/')?;
            let share = digits(share.trim(), 10).filter(|share| *share <= 100)? as u8;
            let part = match part.trim() {
                "" if kind == "zoned" => left,
                part => read(part)?,
            };
            left = left.saturating_sub(part);
            Some((share, part))
        };
        let items = rest.split(':').filter(|item| !item.is_empty());
        if items.clone().nth(ZONES_MAX).is_some() {
            return Err(format!("more than {ZONES_MAX} zones: specify fewer"));
        }
        let all: Option<Vec<(u8, u64)>> = items.map(pair).collect();
        all.ok_or_else(|| FORM.to_owned())
    };
    match kind {
        "random" => done!((job.zones, job.skew) = (None, None)),
        "zoned" => {
            let parts = pairs(&|text| digits(text, 10).filter(|part| *part <= 100))?;
            let parts = parts.into_iter().map(|(share, part)| (share, part as u8));
            done!(job.zones = Some(Zones::Percent(parts.collect())))
        }
        "zoned_abs" => done!(job.zones = Some(Zones::Bytes(pairs(&|text| base.size(text))?))),
        "zipf" | "pareto" | "normal" => {
            // What is behind a further colon moves the centre, which is drawn by the seed here, as fio's hash does.
            let number = rest.split(':').next().filter(|number| !number.is_empty());
            let usual = match kind {
                "zipf" => "1.1",
                "pareto" => "0.2",
                _ => "0",
            };
            let law = format!("{kind}:{}", number.unwrap_or(usual));
            let skew = Skew::read(&law).ok_or("zipf has a number above 0 that is not 1, pareto one between 0 and 1, normal 0 to 100");
            done!(job.skew = Some(skew?))
        }
        _ => Err("must be random, zipf, pareto, normal, zoned or zoned_abs".to_owned()),
    }
}

/// A corrupt block ends nothing here without verify_fatal; what it decides, as in fio, is the exit code.
pub(super) fn continue_on_error(job: &mut Job, value: Option<&str>) -> OptionRead {
    let value = value.map(str::trim);
    job.forgives_corrupt = matches!(value, None | Some("all" | "1" | "verify"));
    job.reporting.errors = !matches!(value, Some("none" | "0"));
    match value {
        Some("none" | "0" | "verify") => done!(job.go_on = false),
        None | Some("all" | "1") => done!(job.go_on = true),
        Some("read" | "write" | "io") => {
            job.go_on = true;
            Ok(Some(
                "all kinds of errors are counted and do not end the run".to_owned(),
            ))
        }
        Some(_) => Err("must be none, read, write, io, verify or all".to_owned()),
    }
}

pub(super) fn zero_buffers(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.zeros = flag(value)?)
}

/// Zeros are zeros, however they are spelled.
pub(super) fn buffer_pattern(job: &mut Job, value: Option<&str>) -> OptionRead {
    const LONGEST: usize = 512; // as in fio
    let bytes = pattern(text(value)?).filter(|bytes| bytes.len() <= LONGEST);
    let bytes = bytes.ok_or("must be 0x and hexadecimal digits, text between double quotes, or numbers: 512 bytes at most")?;
    job.zeros = bytes.iter().all(|byte| *byte == 0);
    done!(job.content = Some(bytes).filter(|_| !job.zeros))
}

pub(super) fn dedupe_mode(_: &mut Job, value: Option<&str>) -> OptionRead {
    match text(value)? {
        "repeat" => Ok(None),
        _ => Err("duplicates are one and the same block: specify repeat, or omit it".to_owned()),
    }
}

pub(super) fn prio(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.rare.level = Some(count(job, value, 0..=7)?))
}

pub(super) fn prioclass(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.rare.class = Some(count(job, value, 0..=3)?))
}

pub(super) fn compress(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.compress = percent(value)?)
}

pub(super) fn dedupe(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.dedupe = percent(value)?)
}

pub(super) fn cpumask(job: &mut Job, value: Option<&str>) -> OptionRead {
    let mask = size(job, value)?;
    let cores = (0..64).filter(|core| mask >> core & 1 == 1);
    let cores: Vec<String> = cores.map(|core: u64| core.to_string()).collect();
    match cores.is_empty() {
        true => Err("must have at least one bit".to_owned()),
        false => done!(job.cores = Some(cores.join(","))),
    }
}

pub(super) fn cpus_allowed(job: &mut Job, value: Option<&str>) -> OptionRead {
    let cores = text(value)?;
    match cores.len() > PATH_MAX {
        true => Err(format!("must have at most {PATH_MAX} bytes")),
        false => done!(job.cores = Some(cores.to_owned())),
    }
}

pub(super) fn hipri(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.polling.completions = flag(value)?)
}

pub(super) fn sqthread_poll(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.polling.submissions = flag(value)?)
}

pub(super) fn stonewall(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.stonewall = flag(value)?)
}

pub(super) fn wait_for(job: &mut Job, value: Option<&str>) -> OptionRead {
    let name = text(value)?;
    match name.len() > PATH_MAX {
        true => Err("no job has so long a name".to_owned()),
        false => done!(job.wait_for = Some(name.to_owned())),
    }
}

pub(super) fn new_group(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.new_group = flag(value)?)
}

pub(super) fn group_reporting(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.grouped = flag(value)?)
}

/// Options that fathom honours only where they ask for nothing.
pub(super) fn only_off(_: &mut Job, value: Option<&str>) -> OptionRead {
    match value.map(str::trim) {
        Some("0" | "none" | "false") => Ok(None),
        _ => Err(String::new()), // the table has the reason
    }
}

/// Numbers, sizes and times that are honoured only where they ask for nothing.
pub(super) fn only_zero(job: &mut Job, value: Option<&str>) -> OptionRead {
    let parts = text(value)?.split(',').map(str::trim);
    let zero = |part: &str| {
        part.is_empty() || job.base.size(part) == Some(0) || time(part, SECOND) == Some(0)
    };
    match parts.clone().all(zero) {
        true => Ok(None),
        false => Err(String::new()), // the table has the reason
    }
}
