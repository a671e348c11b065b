//! How a request was understood: what SQLIO prints before it measures, line for line.
//!
//! The list of lines is in `docs/compatibility/sqlio.md`. Three of them are in no output that was published, and their
//! words are from memory of the original or modelled on the others: stripes, `-BY` and `-BS`.

use super::build::Size;
use super::profile::{Access, Buffering, Files, Profile, Timer};
use std::fmt::Write;

/// Stamps are whole nanoseconds.
const COUNTS_PER_SECOND: u32 = 1_000_000_000;

/// Everything up to `initialization done`. `sizes` has one entry for each of [`Profile::targets`].
pub fn head(profile: &Profile, sizes: &[Size]) -> String {
    let mut text = String::from("sqlio v1.5.SG\n");
    put(&mut text, profile, sizes).expect("a String takes it");
    text
}

fn put(text: &mut String, profile: &Profile, sizes: &[Size]) -> std::fmt::Result {
    if let Some(timer) = profile.latency {
        let name = match timer {
            Timer::System => "system",
            Timer::Processor => "processor",
        };
        writeln!(
            text,
            "using {name} counter for latency timings, {COUNTS_PER_SECOND} counts per second"
        )?;
    }
    put_files(text, profile)?;
    put_work(text, profile)?;
    for ((name, _, _), size) in profile.targets().into_iter().zip(sizes) {
        put_size(text, name, size)?;
    }
    writeln!(text, "initialization done")
}

/// The parameter file, and which of its threads go where.
fn put_files(text: &mut String, profile: &Profile) -> std::fmt::Result {
    let Files::Listed { file, lines } = &profile.files else {
        return Ok(());
    };
    writeln!(text, "parameter file used: {file}")?;
    let mut first = 0;
    for line in lines {
        let last = first + line.threads - 1;
        let which = match line.threads {
            1 => format!("1 thread ({first})"),
            many => format!("{many} threads ({first}-{last})"),
        };
        let (name, mask) = (&line.name, line.mask);
        writeln!(
            text,
            "\tfile {name} with {which} using mask {mask:#x} ({mask})"
        )?;
        first = last + 1;
    }
    Ok(())
}

fn put_work(text: &mut String, profile: &Profile) -> std::fmt::Result {
    let threads = match profile.threads() {
        1 => "1 thread".to_owned(),
        many => format!("{many} threads"),
    };
    let (doing, way) = match profile.read_percent {
        0 => ("writing".to_owned(), "to"),
        100 => ("reading".to_owned(), "from"),
        share => (
            format!("reading and writing ({share}% reads)"),
            "from and to",
        ),
    };
    let names: Vec<&str> = profile.targets().iter().map(|(name, _, _)| *name).collect();
    writeln!(
        text,
        "{threads} {doing} for {} secs {way} {}",
        profile.seconds,
        file_list(&names)
    )?;
    let kib = profile.block_kib;
    match profile.access {
        Access::Random => writeln!(text, "\tusing {kib}KB random IOs")?,
        Access::Sequential => writeln!(text, "\tusing {kib}KB sequential IOs")?,
        Access::Stripe(factor) => writeln!(
            text,
            "\tusing {kib}KB IOs over {}KB stripes with {} IOs per run",
            u64::from(kib) * u64::from(factor),
            profile.run_ios
        )?,
    }
    if profile.outstanding > 0 {
        writeln!(
            text,
            "\tenabling multiple I/Os per thread with {} outstanding",
            profile.outstanding
        )?;
    }
    let caches = match profile.buffering {
        Buffering::None => return Ok(()),
        Buffering::All => "both file and disk caches",
        Buffering::Hardware => "hardware disk cache (but not file cache)",
        Buffering::Software => "file cache (but not hardware disk cache)",
    };
    writeln!(text, "\tbuffering set to use {caches}")
}

/// `file a`, `files a and b`, `files a, b and c`.
pub fn file_list(names: &[&str]) -> String {
    match names {
        [] => "no file".to_owned(),
        [one] => format!("file {one}"),
        [front @ .., last] => format!("files {} and {last}", front.join(", ")),
    }
}

fn put_size(text: &mut String, name: &str, size: &Size) -> std::fmt::Result {
    if size.grows() {
        let more = size.needed - size.current;
        writeln!(
            text,
            "size of file {name} needs to be: {} bytes",
            size.needed
        )?;
        writeln!(text, "current file size:\t{} bytes", size.current)?;
        writeln!(text, "need to expand by:\t{more} bytes")?;
        writeln!(text, "expanding {name} ...")?;
    }
    match size.specified_mib {
        Some(mib) => writeln!(text, "using specified size: {mib} MB for file: {name}"),
        None => {
            let mib = size.needed.max(size.current) >> 20;
            writeln!(text, "using current size: {mib} MB for file: {name}")
        }
    }
}
