//! Switches with one number, one word or nothing behind them.
//!
//! Each function reads one row of the table of flags. Switches that depend on others stand in `access`, `cache` and
//! `places`.

use super::{Command, Word};
use crate::diskspd::profile::{
    Batch, BufferSeparation, EventClasses, IoRing, ResultFormat, Throughput,
};
use crate::diskspd::validate::REQUESTS_MAX;
use crate::diskspd::{Action, Compat, Problem, number};
use std::path::PathBuf;

/// The range of C's `int`: `atoi` gives nothing larger.
const INT_MAX: i64 = i32::MAX as i64;
type Done = Result<(), Problem>;

const SECONDS: &str = "must be whole seconds from 0 to 2147483647";
const POSITIVE: &str = "must be a whole number from 1 to 2147483647";
const REQUESTS: &str = "must be a whole number from 1 to 65536";

pub(in crate::diskspd) fn usage(command: &mut Command, _: &Word) -> Done {
    command.stop = Some(Action::Usage { asked: true });
    Ok(())
}

pub(in crate::diskspd) fn experiment(command: &mut Command, word: &Word) -> Done {
    let (value, rest) = number::atoi(word.value);
    let fits = i32::try_from(value)
        .map_err(|_| word.value("must be a number from -2147483648 to 2147483647"))?;
    let flags = fits.cast_unsigned();
    command.junk(word, flags, rest);
    command.over.experiment_flags = Some(flags);
    Ok(())
}

pub(in crate::diskspd) fn block(command: &mut Command, word: &Word) -> Done {
    let bytes = command.size(word, word.value)?;
    command.own.target.block_bytes = u32::try_from(bytes)
        .ok()
        .filter(|bytes| (1..u32::MAX).contains(bytes))
        .ok_or_else(|| word.value("must be from 1 to 4294967294 bytes"))?;
    Ok(())
}

pub(in crate::diskspd) fn create(command: &mut Command, word: &Word) -> Done {
    command.own.target.create_bytes = Some(command.size(word, word.value)?);
    Ok(())
}

pub(in crate::diskspd) fn cooldown(command: &mut Command, word: &Word) -> Done {
    command.over.cooldown_s = Some(command.number(word, 0..=INT_MAX, SECONDS)?);
    Ok(())
}

pub(in crate::diskspd) fn duration(command: &mut Command, word: &Word) -> Done {
    command.over.duration_s = Some(command.number(word, 0..=INT_MAX, SECONDS)?);
    Ok(())
}

pub(in crate::diskspd) fn warmup(command: &mut Command, word: &Word) -> Done {
    command.over.warmup_s = Some(command.number(word, 0..=INT_MAX, SECONDS)?);
    Ok(())
}

pub(in crate::diskspd) fn intervals(command: &mut Command, word: &Word) -> Done {
    command.own.span.intervals.printed = true;
    if word.value.is_empty() {
        return Ok(());
    }
    let (value, rest) = number::atoi(word.value);
    match u32::try_from(value)
        .ok()
        .filter(|_| (1..=INT_MAX).contains(&value))
    {
        Some(ms) => {
            command.own.span.intervals.length_ms = ms;
            command.junk(word, ms, rest);
        }
        None => command.note(
            word,
            "not a number of milliseconds from 1 on, so the interval stays as it was",
        ),
    }
    Ok(())
}

/// Word of the command line, and what it switches on.
type Event = (&'static str, fn(&mut EventClasses));

const EVENTS: [Event; 8] = [
    ("PROCESS", |e| e.process = true),
    ("THREAD", |e| e.thread = true),
    ("IMAGE_LOAD", |e| e.image_load = true),
    ("DISK_IO", |e| e.disk_io = true),
    ("MEMORY_PAGE_FAULTS", |e| e.memory_page_faults = true),
    ("MEMORY_HARD_FAULTS", |e| e.memory_hard_faults = true),
    ("NETWORK", |e| e.network = true),
    ("REGISTRY", |e| e.registry = true),
];
const EVENT_CLOCKS: [Event; 4] = [
    ("q", |e| e.use_perf_timer = true),
    ("c", |e| e.use_cycles_counter = true),
    ("s", |e| e.use_system_timer = true),
    ("p", |e| e.use_paged_memory = true),
];

pub(in crate::diskspd) fn kernel_events(command: &mut Command, word: &Word) -> Done {
    let exact = EVENTS.iter().find(|(name, _)| *name == word.value);
    let clock = EVENT_CLOCKS
        .iter()
        .find(|(name, _)| word.value.starts_with(name));
    let (name, set) = exact.or(clock).ok_or_else(|| {
        word.value(
            "must be one of PROCESS, THREAD, IMAGE_LOAD, DISK_IO, MEMORY_PAGE_FAULTS, MEMORY_HARD_FAULTS, NETWORK, \
            REGISTRY, or q, c, s, p",
        )
    })?;
    set(command.own.profile.events.get_or_insert_default());
    if word.value.len() > name.len() {
        command.note(word, format!("only `{name}` counts"));
    }
    Ok(())
}

pub(in crate::diskspd) fn pool(command: &mut Command, word: &Word) -> Done {
    command.own.span.thread_count = command.number(word, 1..=INT_MAX, POSITIVE)?;
    Ok(())
}

pub(in crate::diskspd) fn pool_requests(command: &mut Command, word: &Word) -> Done {
    command.own.span.request_count = command.number(word, 1..=REQUESTS_MAX.into(), REQUESTS)?;
    Ok(())
}

pub(in crate::diskspd) fn rate(command: &mut Command, word: &Word) -> Done {
    const FORM: &str =
        "use bytes per millisecond as in -g1024, or IOPS as in -g500i; from 1 to 2147483647";
    let iops = word.value.strip_suffix('i');
    let digits = iops.unwrap_or(word.value);
    if !digits
        .bytes()
        .last()
        .is_some_and(|byte| byte.is_ascii_digit())
    {
        return Err(word.value(FORM));
    }
    let (value, rest) = number::atoi(digits);
    let value = u32::try_from(value)
        .ok()
        .filter(|_| (1..=INT_MAX).contains(&value))
        .ok_or_else(|| word.value(FORM))?;
    command.junk(word, value, rest);
    command.own.target.throughput = match iops {
        Some(_) => Throughput::Iops(value),
        None => Throughput::BytesPerMs(value),
    };
    Ok(())
}

pub(in crate::diskspd) fn burst(command: &mut Command, word: &Word) -> Done {
    command.own.target.burst_ios = command.number(word, 1..=INT_MAX, POSITIVE)?;
    Ok(())
}

pub(in crate::diskspd) fn think(command: &mut Command, word: &Word) -> Done {
    command.own.target.think_ms = command.number(
        word,
        1..=INT_MAX,
        "must be whole milliseconds from 1 to 2147483647",
    )?;
    Ok(())
}

pub(in crate::diskspd) fn priority(command: &mut Command, word: &Word) -> Done {
    let level = command.number(word, 1..=3, "must be 1 (very low), 2 (low) or 3 (normal)")?;
    command.own.target.io_priority = u8::try_from(level).expect("from 1 to 3");
    Ok(())
}

pub(in crate::diskspd) fn large_pages(command: &mut Command, word: &Word) -> Done {
    command.bare(word);
    command.own.target.large_pages = true;
    Ok(())
}

pub(in crate::diskspd) fn latency(command: &mut Command, word: &Word) -> Done {
    command.bare(word);
    command.own.span.measure_latency = true;
    Ok(())
}

pub(in crate::diskspd) fn no_affinity(command: &mut Command, word: &Word) -> Done {
    command.bare(word);
    command.own.span.affinity.disabled = true;
    Ok(())
}

pub(in crate::diskspd) fn outstanding(command: &mut Command, word: &Word) -> Done {
    command.own.target.request_count = command.number(word, 1..=REQUESTS_MAX.into(), REQUESTS)?;
    Ok(())
}

pub(in crate::diskspd) fn completions(command: &mut Command, word: &Word) -> Done {
    let most = command.number(word, 1..=16, "must be a whole number from 1 to 16")?;
    command.own.span.completions_max = u8::try_from(most).ok();
    Ok(())
}

pub(in crate::diskspd) fn buffers(command: &mut Command, word: &Word) -> Done {
    command.own.span.buffers = Some(match word.value {
        "n" => BufferSeparation::SystemDefault,
        "p" => BufferSeparation::Apart,
        _ => return Err(word.value("must be n (where the system puts them) or p (16 MiB apart)")),
    });
    Ok(())
}

pub(in crate::diskspd) fn ring(command: &mut Command, word: &Word) -> Done {
    const FORM: &str = "must be a number of I/Os from 1 to 65536, or a share from 1p to 100p; n before it does not \
                        register the I/O memory";
    let rest = word.value.strip_prefix('n');
    let size = rest.unwrap_or(word.value);
    let batch = match size.strip_suffix('p') {
        _ if size.is_empty() => IoRing::default().batch,
        Some(share) => {
            let share = number::digits(share).filter(|share| (1..=100).contains(share));
            let share = share.ok_or_else(|| word.value(FORM))?;
            Batch::Percent(u8::try_from(share).expect("at most 100"))
        }
        None => {
            let ios =
                number::digits(size).filter(|ios| (1..=u64::from(REQUESTS_MAX)).contains(ios));
            let ios = ios.ok_or_else(|| word.value(FORM))?;
            Batch::Ios(u32::try_from(ios).expect("at most 65536"))
        }
    };
    command.own.span.ring = Some(IoRing {
        batch,
        registered: rest.is_none(),
    });
    Ok(())
}

pub(in crate::diskspd) fn parallel(command: &mut Command, word: &Word) -> Done {
    command.bare(word);
    command.own.target.parallel_async = true;
    Ok(())
}

pub(in crate::diskspd) fn progress(command: &mut Command, word: &Word) -> Done {
    const STEP: u32 = 65_536;
    let (value, rest) = number::atoi(word.value);
    let step = u32::try_from(value)
        .ok()
        .filter(|_| (1..=INT_MAX).contains(&value));
    command.own.profile.progress = step.unwrap_or(STEP);
    if step.is_none() && !word.value.is_empty() {
        command.note(word, "not a number of I/Os from 1 on, so it is 65536");
    } else {
        command.junk(word, command.own.profile.progress, rest);
    }
    Ok(())
}

pub(in crate::diskspd) fn result_format(command: &mut Command, word: &Word) -> Done {
    if let Some(format) = word.value.strip_prefix('s') {
        command.over.machine = true;
        command.over.format = match format {
            "" => command.over.format,
            "text" => Some(ResultFormat::Text),
            "xml" => Some(ResultFormat::Xml),
            _ => return Err(word.value("must be s, stext or sxml for the system information")),
        };
        return Ok(());
    }
    let (print, format) = match word.value {
        "text" => (false, Some(ResultFormat::Text)),
        "xml" => (false, Some(ResultFormat::Xml)),
        "p" => (true, None),
        "ptext" => (true, Some(ResultFormat::Text)),
        "pxml" => (true, Some(ResultFormat::Xml)),
        _ => {
            return Err(
                word.value("must be text or xml; with p before it to print the profile, with s the system information")
            );
        }
    };
    command.print |= print;
    command.over.format = format.or(command.over.format);
    Ok(())
}

pub(in crate::diskspd) fn threads(command: &mut Command, word: &Word) -> Done {
    command.own.target.threads = command.number(word, 1..=INT_MAX, POSITIVE)?;
    Ok(())
}

pub(in crate::diskspd) fn thread_stride(command: &mut Command, word: &Word) -> Done {
    let bytes = command.size(word, word.value)?;
    if bytes == 0 {
        return Err(word.value("the distance between the starts of two threads is above 0"));
    }
    command.own.target.thread_stride_bytes = bytes;
    Ok(())
}

pub(in crate::diskspd) fn verbose(command: &mut Command, word: &Word) -> Done {
    match word.value {
        "" => command.over.verbose = true,
        "s" => command.over.verbose_stats = true,
        _ => return Err(word.value("must be -v, or -vs for the statistics of waiting")),
    }
    Ok(())
}

pub(in crate::diskspd) fn write_share(command: &mut Command, word: &Word) -> Done {
    const FORM: &str = "must be a whole percentage from 0 (reads only) to 100";
    if word.value.is_empty() {
        return Err(word.value(FORM));
    }
    command.own.writes_given = true;
    let percent = command.number(word, 0..=100, FORM)?;
    command.own.target.write_percent = u8::try_from(percent).expect("at most 100");
    Ok(())
}

pub(in crate::diskspd) fn completion_routines(command: &mut Command, word: &Word) -> Done {
    command.bare(word);
    command.own.span.completion_routines = true;
    Ok(())
}

pub(in crate::diskspd) fn profile(command: &mut Command, word: &Word) -> Done {
    if word.value.is_empty() {
        return Err(word.value("specify an XML profile, as in -Xprofile.xml"));
    }
    if command.profile_path.is_some() {
        return Err(
            word.clash("a profile is named already; multiple XML profiles cannot be run at once")
        );
    }
    command.profile_path = Some(word.value.to_owned());
    Ok(())
}

pub(in crate::diskspd) fn event(command: &mut Command, word: &Word) -> Done {
    const FORM: &str =
        "must be s, f, r, p or e and the event's name without a slash, as in -yrready";
    let mut letters = word.value.chars();
    let letter = letters.next().ok_or_else(|| word.value(FORM))?;
    let name = letters.as_str();
    if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']) {
        return Err(word.value(FORM));
    }
    let name = name.to_owned();
    match letter {
        's' => command.events.start = Some(name),
        'f' => command.events.finish = Some(name),
        'r' => command.events.wait = Some(name),
        'p' => command.events.stop = Some(name),
        'e' => command.stop = Some(Action::Signal { event: name }),
        _ => return Err(word.value(FORM)),
    }
    Ok(())
}

pub(in crate::diskspd) fn seed(command: &mut Command, word: &Word) -> Done {
    let seed = if word.value.is_empty() {
        // The low half turns over every 49 days; zero would be the default seed.
        let low = command.environment.uptime_ms & u64::from(u32::MAX);
        u32::try_from(low)
            .expect("the upper half is cut off")
            .max(1)
    } else {
        let value = number::digits(word.value).and_then(|value| u32::try_from(value).ok());
        value.ok_or_else(|| {
            word.value(
                "must be a whole number from 0 to 4294967295, or nothing for the time since \
                                       start-up",
            )
        })?
    };
    command.over.seed = Some(seed);
    Ok(())
}

pub(in crate::diskspd) fn overwrite(command: &mut Command, _: &Word) -> Done {
    command.extra.own.consent.overwrite_files = true;
    Ok(())
}

pub(in crate::diskspd) fn destroy(command: &mut Command, word: &Word) -> Done {
    command
        .extra
        .own
        .consent
        .destroy_devices
        .push(PathBuf::from(word.value));
    Ok(())
}

pub(in crate::diskspd) fn json(command: &mut Command, word: &Word) -> Done {
    command.extra.json = Some(PathBuf::from(word.value));
    Ok(())
}

pub(in crate::diskspd) fn text(command: &mut Command, word: &Word) -> Done {
    command.extra.text = Some(PathBuf::from(word.value));
    Ok(())
}

pub(in crate::diskspd) fn xml(command: &mut Command, word: &Word) -> Done {
    command.extra.xml = Some(PathBuf::from(word.value));
    Ok(())
}

pub(in crate::diskspd) fn store(command: &mut Command, word: &Word) -> Done {
    command.extra.own.store = Some(PathBuf::from(word.value));
    Ok(())
}

pub(in crate::diskspd) fn no_store(command: &mut Command, _: &Word) -> Done {
    command.extra.own.no_store = true;
    Ok(())
}

pub(in crate::diskspd) fn compat(command: &mut Command, word: &Word) -> Done {
    command.extra.compat = Compat::of_name(word.value).ok_or_else(|| word.value(Compat::NAMES))?;
    Ok(())
}

pub(in crate::diskspd) fn continue_on_error(command: &mut Command, _: &Word) -> Done {
    command.extra.continue_on_error = true;
    Ok(())
}
