//! The effect of each switch, one function for each row of the table of flags.

use super::command::{Command, Word, mask, number};
use super::profile::{Access, Affinity, Buffering, Timer, Usage};
use super::{COUNT_MAX, Problem};
use model::check::{BLOCK_MAX, QUEUE_DEPTH_MAX};
use std::path::PathBuf;

type Done = Result<(), Problem>;

/// Reports that nothing may follow the switch.
fn bare(word: &Word) -> Done {
    match word.value.is_empty() {
        true => Ok(()),
        false => Err(word.value("this switch takes no value")),
    }
}

pub(super) fn usage(_: &mut Command, word: &Word) -> Done {
    bare(word)
}

pub(super) fn kind(command: &mut Command, word: &Word) -> Done {
    command.profile.read_percent = match word.value {
        "R" => 100,
        "W" => 0,
        _ => return Err(word.value("must be R to read or W to write, as in -kR")),
    };
    command.given.kind = Some(word.token.clone());
    Ok(())
}

pub(super) fn read_share(command: &mut Command, word: &Word) -> Done {
    let share = word.number(
        0..=100,
        "must be a share of reads from 0 to 100 percent, as in -T70",
    )?;
    command.profile.read_percent = share as u8;
    command.given.share = Some(word.token.clone());
    Ok(())
}

pub(super) fn threads(command: &mut Command, word: &Word) -> Done {
    let threads = word.number(
        1..=COUNT_MAX,
        "must be a whole number of threads from 1 to 256",
    )?;
    command.given.threads = Some(threads);
    Ok(())
}

pub(super) fn seconds(command: &mut Command, word: &Word) -> Done {
    const SECONDS_MAX: u32 = i32::MAX as u32;
    command.profile.seconds = word.number(
        1..=SECONDS_MAX,
        "must be whole seconds from 1 to 2147483647",
    )?;
    Ok(())
}

pub(super) fn drives(command: &mut Command, word: &Word) -> Done {
    let letters = word.value.chars();
    if word.value.is_empty() || !letters.clone().all(|c| c.is_ascii_alphabetic()) {
        return Err(word.value("must be the letters of drives, as in -dDE"));
    }
    command.given.drives = Some(word.value.to_owned());
    Ok(())
}

pub(super) fn raw(command: &mut Command, word: &Word) -> Done {
    let names: String = word.value.chars().filter(|c| *c != ',').collect();
    if names.is_empty() || !names.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err(word.value("must be letters of partitions and numbers of disks, as in -RDE1"));
    }
    command.given.raw = Some(names);
    Ok(())
}

pub(super) fn access(command: &mut Command, word: &Word) -> Done {
    command.profile.access = match word.value {
        "random" => Access::Random,
        "sequential" => Access::Sequential,
        _ => Access::Stripe(word.number(
            1..=u32::MAX,
            "must be random, sequential, or a stripe factor: a whole number of blocks from 1 on",
        )?),
    };
    Ok(())
}

pub(super) fn processor(command: &mut Command, word: &Word) -> Done {
    if let Some(rest) = word.value.strip_prefix('I') {
        let why = format!(
            "a processor that is only preferred is nothing that Linux has; the nearest is -p{rest}, which binds the threads \
             to it"
        );
        return Err(word.refused(why));
    }
    let cpu = word.number(
        0..=1023,
        "must be the number of a processor, counted from 0, as in -p2",
    )?;
    set_affinity(command, word, Affinity::One(cpu))
}

pub(super) fn affinity(command: &mut Command, word: &Word) -> Done {
    let (round_robin, rest) = match word.value.strip_prefix('R') {
        Some(rest) => (true, rest),
        None => (false, word.value),
    };
    if let Some(bits) = rest.strip_prefix('I') {
        let dealt = if round_robin { "R" } else { "" };
        let why = format!(
            "processors that are only preferred are nothing that Linux has; the nearest is -a{dealt}{bits}, which binds the \
             threads to them"
        );
        return Err(word.refused(why));
    }
    let bits = mask(rest).filter(|bits| *bits > 0).ok_or_else(|| {
        word.value(
            "must be a mask with a bit per processor, decimal or behind 0x, at most 64 bits, not 0; such as -a0x5 or -aR0x5",
        )
    })?;
    let affinity = match round_robin {
        true => Affinity::RoundRobin(bits),
        false => Affinity::Mask(bits),
    };
    set_affinity(command, word, affinity)
}

/// One of `-p` and `-a`.
fn set_affinity(command: &mut Command, word: &Word, affinity: Affinity) -> Done {
    let same = |before: &str| before.starts_with("-p") == word.token.starts_with("-p");
    if let Some((before, _)) = command.given.affinity.as_ref().filter(|(b, _)| !same(b)) {
        let why = format!("{before} specifies the processors already: omit one of the two");
        return Err(word.refused(why));
    }
    command.given.affinity = Some((word.token.clone(), affinity));
    Ok(())
}

pub(super) fn outstanding(command: &mut Command, word: &Word) -> Done {
    command.profile.outstanding = word.number(
        0..=QUEUE_DEPTH_MAX,
        "must be a whole number of outstanding I/Os from 0 to 32768",
    )?;
    Ok(())
}

pub(super) fn block(command: &mut Command, word: &Word) -> Done {
    const KIB_MAX: u32 = (BLOCK_MAX.0 / 1024) as u32;
    command.profile.block_kib = word.number(
        1..=KIB_MAX,
        "must be a whole number of KiB from 1 to 1048576, without a unit, as in -b64",
    )?;
    Ok(())
}

pub(super) fn run_ios(command: &mut Command, word: &Word) -> Done {
    command.profile.run_ios =
        word.number(1..=u32::MAX, "must be a whole number from 1 to 4294967295")?;
    command.given.run_ios = Some(word.token.clone());
    Ok(())
}

pub(super) fn multi_buffer(_: &mut Command, word: &Word) -> Done {
    let what = match word.value.chars().next() {
        Some('C') => "copied to or from several",
        Some('S') => "scattered over several",
        _ => {
            return Err(word.value("use C or S and a number; here neither is possible: remove -m"));
        }
    };
    Err(word.refused(format!(
        "an I/O here has one buffer and is not {what}; omit it: -b alone is the nearest"
    )))
}

pub(super) fn latency(command: &mut Command, word: &Word) -> Done {
    let (timer, rest) = match word.value.chars().next() {
        Some('S') => (Timer::System, &word.value[1..]),
        Some('P') => (Timer::Processor, &word.value[1..]),
        _ => return Err(word.value("must be S or P, as in -LS")),
    };
    match rest {
        "" => {}
        "i" => {
            let letter = &word.value[..1];
            let why = format!(
                "the time to start an I/O is not measured by itself here, only the time to its completion; the nearest is \
                 -L{letter}, and --json FILE has the threads' time by activity"
            );
            return Err(word.refused(why));
        }
        _ => return Err(word.value("must be S or P, as in -LS")),
    }
    if timer == Timer::Processor {
        command.note(
            word,
            "the same clock as with -LS: the processor's counter where the system trusts it, else the system's; in nanoseconds",
        );
    }
    command.profile.latency = Some(timer);
    Ok(())
}

pub(super) fn processor_use(command: &mut Command, word: &Word) -> Done {
    command.profile.usage = match word.value {
        "" => Usage::Total,
        "p" => Usage::EachProcessor,
        _ => {
            return Err(word.value("must be nothing behind it, or p for each processor, as in -Up"));
        }
    };
    Ok(())
}

pub(super) fn buffering(command: &mut Command, word: &Word) -> Done {
    command.profile.buffering = match word.value {
        "N" => Buffering::None,
        "Y" => Buffering::All,
        "H" => Buffering::Hardware,
        "S" => Buffering::Software,
        _ => {
            let accepted =
                "must be N for no cache, Y for both, H for the hardware's, S for the software's";
            return Err(word.value(accepted));
        }
    };
    Ok(())
}

pub(super) fn start(command: &mut Command, word: &Word) -> Done {
    let accepted = "must be a whole number of blocks from 0 on";
    command.profile.start_blocks = number(word.value).ok_or_else(|| word.value(accepted))?;
    Ok(())
}

pub(super) fn old_runs(_: &mut Command, word: &Word) -> Done {
    bare(word)?;
    Err(word.refused(
        "the runs of 1.1.1 used the same blocks again and again, which was an error; omit it, or specify -f1, which \
        has one run",
    ))
}

pub(super) fn wide_copies(command: &mut Command, word: &Word) -> Done {
    bare(word)?;
    let what =
        "this is about the copies of -m, which there are none of here, so it changes nothing";
    command.note(word, what);
    Ok(())
}

pub(super) fn parameters(command: &mut Command, word: &Word) -> Done {
    if word.value.is_empty() {
        return Err(word.value("specify the parameter file, as in -Fparam.txt"));
    }
    command.given.parameters = Some(word.value.to_owned());
    Ok(())
}

pub(super) fn debug(_: &mut Command, word: &Word) -> Done {
    let level = word.number(
        0..=u32::MAX,
        "must be a level, as in -D1; here there are none",
    )?;
    let instead = match level {
        100.. => "there is no debugger to be called",
        50..=99 => {
            "single I/Os are not reported; the same switches and -f always give the same blocks"
        }
        9..=49 => "sizes are checked before anything runs, and what does not fit is reported",
        2 => "the clock and its cost are in --json FILE",
        _ => "the stored figures are in --json FILE",
    };
    Err(word.refused(format!("there is no such output here; {instead}")))
}

pub(super) fn entropy(command: &mut Command, word: &Word) -> Done {
    if word.value.is_empty() {
        return Err(word.value("specify the file with the data, as in -qdata.bin"));
    }
    command.profile.entropy = Some(word.value.to_owned());
    Ok(())
}

pub(super) fn overwrite(command: &mut Command, _: &Word) -> Done {
    command.extra.own.consent.overwrite_files = true;
    Ok(())
}

pub(super) fn destroy(command: &mut Command, word: &Word) -> Done {
    command
        .extra
        .own
        .consent
        .destroy_devices
        .push(PathBuf::from(word.value));
    Ok(())
}

pub(super) fn json(command: &mut Command, word: &Word) -> Done {
    command.extra.json = Some(PathBuf::from(word.value));
    Ok(())
}

pub(super) fn text(command: &mut Command, word: &Word) -> Done {
    command.extra.text = Some(PathBuf::from(word.value));
    Ok(())
}

pub(super) fn store(command: &mut Command, word: &Word) -> Done {
    command.extra.own.store = Some(PathBuf::from(word.value));
    Ok(())
}

pub(super) fn no_store(command: &mut Command, _: &Word) -> Done {
    command.extra.own.no_store = true;
    Ok(())
}

pub(super) fn continue_on_error(command: &mut Command, _: &Word) -> Done {
    command.extra.continue_on_error = true;
    Ok(())
}
