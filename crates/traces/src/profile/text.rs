//! A profile as TOML: written with a comment at each number, and read back with the line of what is wrong.
//!
//! Omitted: whether the numbers fit together (`check`).

use super::{
    ArrivalRule, FlushPer, FlushRule, LearnedFrom, LearnedProfile, LearnedWorkload, Places, Side,
};
use model::{Bytes, Nanos, invalid_value};
use serde::{Deserialize, Deserializer};
use std::fmt::{self, Write};

/// The longest profile that is read, in bytes. Four sides, reads and writes that arrive alone and in batches, of 32 classes in 256
/// zones each, and four times 4096 steps have about 900 KB.
pub const PROFILE_MAX: usize = 1 << 20;
/// The version of the text.
const VERSION: u32 = 1;
/// Steps of arrivals on a line.
const STEPS_A_LINE: usize = 16;

/// What is wrong with a profile, each with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError(pub Vec<String>);

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// The whole text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    fathom_profile: u32,
    #[serde(default)]
    learned: LearnedFrom,
    workload: LearnedWorkload,
}

impl LearnedProfile {
    /// Reads a profile; `name` is that of its file.
    ///
    /// # Errors
    /// What is no profile, or does not fit together.
    pub fn read(name: &str, text: &str) -> Result<LearnedProfile, ProfileError> {
        if text.len() > PROFILE_MAX {
            let long = format!("{name}: must have at most {PROFILE_MAX} bytes");
            return Err(ProfileError(vec![long]));
        }
        let is_profile = |line: &str| line.trim_start().starts_with("fathom_profile");
        if !text.lines().any(is_profile) {
            let what = "this is no profile, which has `fathom_profile`; its content is not printed";
            return Err(ProfileError(vec![format!("{name}:1: {what}")]));
        }
        let document: Document = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let line = 1 + text[..start.min(text.len())].matches('\n').count();
            let what = model::printable(error.message()).to_string();
            ProfileError(vec![format!("{name}:{line}: {what}")])
        })?;
        if document.fathom_profile != VERSION {
            let read = document.fathom_profile.to_string();
            let wrong = invalid_value(&read, "fathom_profile", &format!("must be {VERSION}"));
            return Err(ProfileError(vec![format!("{name}: {wrong}")]));
        }
        let wrong = document.workload.problems();
        if !wrong.is_empty() {
            let each = wrong.into_iter().map(|one| format!("{name}: {one}"));
            return Err(ProfileError(each.collect()));
        }
        Ok(LearnedProfile {
            learned: document.learned,
            workload: document.workload,
        })
    }

    /// Returns the text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out).expect("a string takes all");
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let (from, work) = (&self.learned, &self.workload);
        writeln!(
            out,
            "# A workload that fathom learned. To run it: fathom run --profile FILE TARGET\n\
             # Every number below [workload] may be changed. Shares are in percent.\n\
             fathom_profile = {VERSION}\n\n\
             [learned]                        # where it comes from; this changes nothing of the run\n\
             from = {}\n\
             format = {}\n\
             duration = \"{}\"\n\
             ios = {}\n\
             lost = {}\n\
             left_out = \"{}\"\n",
            quoted(&from.from),
            quoted(&from.format),
            from.duration,
            from.ios,
            from.lost,
            from.left_out,
        )?;
        writeln!(
            out,
            "[workload]\n\
             range = \"{}\"{:<16}# the addresses that are used\n\
             reads = {}\n\
             same_operation = {}          # 0: each operation is independent of the one before",
            work.range,
            "",
            number(work.reads),
            number(work.same_operation),
        )?;
        if let Some(most) = work.in_flight {
            writeln!(
                out,
                "in_flight = {most}                    # the most; the default of --depth, from 64 to 1024"
            )?;
        }
        if let Some(flush) = &work.flush {
            write_flush(out, flush)?;
        }
        for (name, side) in [("read", &work.read), ("write", &work.write)] {
            if let Some(side) = side {
                write_side(out, name, side)?;
            }
        }
        write_arrivals(out, "workload.arrivals", &work.arrivals)
    }
}

fn write_flush(out: &mut String, flush: &FlushRule) -> fmt::Result {
    writeln!(out, "\n[workload.flush]")?;
    if let Some(every) = flush.every {
        writeln!(
            out,
            "every = {}                  # writes from one flush to the next, on average\n\
             regular = {}                 # always so many",
            number(every),
            flush.regular
        )?;
    }
    if !flush.writes.is_empty() {
        let writes = runs_text(&flush.writes);
        writeln!(
            out,
            "writes = {writes}   # from one flush to the next: from, to, share of the flushes"
        )?;
    }
    match flush.per {
        FlushPer::Write => {}
        FlushPer::Batch => writeln!(
            out,
            "per = \"batch\"                   # writes that arrive together count as one"
        )?,
        FlushPer::Single => writeln!(
            out,
            "per = \"single\"                  # writes that arrive alone count; batches have no flush and wait for none"
        )?,
    }
    if !flush.has_waits() {
        return Ok(());
    }
    if let Some(after) = flush.after {
        writeln!(
            out,
            "after = \"{after}\"                  # from the completion of the write before"
        )?;
    }
    writeln!(
        out,
        "reads_wait = {}                  # reads that wait for the flush before them\n\
         writes_wait = {}                 # likewise, writes",
        number(flush.reads_wait),
        number(flush.writes_wait)
    )
}

fn write_side(out: &mut String, name: &str, side: &Side) -> fmt::Result {
    writeln!(
        out,
        "\n[workload.{name}]\n\
         align = \"{}\"                    # offsets are multiples of this\n\
         sizes = {}",
        side.align,
        sizes_text(&side.sizes)
    )?;
    if !side.run_sizes.is_empty() {
        let sizes = sizes_text(&side.run_sizes);
        writeln!(out, "run_sizes = {sizes}   # of I/Os in sequential runs")?;
        writeln!(
            out,
            "same_size = {}               # I/Os that continue a run with the size of the one before",
            number(side.same_size)
        )?;
    }
    if !side.overlaps.is_empty() {
        let overlaps = sizes_text(&side.overlaps);
        writeln!(
            out,
            "overlaps = {overlaps}   # of I/Os that continue a run: bytes of the one before that they cover again"
        )?;
    }
    writeln!(
        out,
        "runs = {}   # lengths of sequential runs in I/Os: from, to, share of the runs\n\
         same_run = {}                # I/Os that continue a run and follow its last I/O directly\n\
         open_runs = {}                    # runs that are open at once",
        runs_text(&side.runs),
        number(side.same_run),
        side.open_runs
    )?;
    write_places(out, name, &side.places)?;
    match &side.batch {
        Some(batch) => write_side(out, &format!("{name}.batch"), batch),
        None => Ok(()),
    }
}

fn write_places(out: &mut String, name: &str, places: &Places) -> fmt::Result {
    let law = format!("\n[workload.{name}.places]                # where runs begin\nlaw = ");
    out.push_str(&law);
    match places {
        Places::Uniform => writeln!(out, "\"uniform\""),
        Places::Zipf { theta, blocks, hot } => {
            let theta = number(*theta);
            let hot: Vec<String> = hot.iter().map(u32::to_string).collect();
            writeln!(
                out,
                "\"zipf\"\ntheta = {theta}\nblocks = {blocks}\n# where the most used lie, in 1024ths of the range\nhot = [\n{}]",
                lines(&hot, STEPS_A_LINE)
            )
        }
        Places::Zones { zones } => {
            let each = zones
                .iter()
                .map(|(size, ios)| format!("[{}, {}]", number(*size), number(*ios)));
            let each: Vec<String> = each.collect();
            writeln!(
                out,
                "\"zones\"\n# share of the range, share of the I/Os\nzones = [\n{}]",
                lines(&each, 8)
            )
        }
        Places::Table { classes } => {
            writeln!(
                out,
                "\"table\"\n# places that are used about equally often; zones are 256ths of the range"
            )?;
            for class in classes {
                let zones = class.zones.iter();
                let zones = zones.map(|(zone, share)| format!("[{zone}, {}]", number(*share)));
                let zones: Vec<String> = zones.collect();
                writeln!(
                    out,
                    "[[workload.{name}.places.classes]]\nshare = {}\nblocks = {}\nzones = [\n{}]",
                    number(class.share),
                    class.blocks,
                    lines(&zones, 8)
                )?;
            }
            Ok(())
        }
    }
}

fn write_arrivals(out: &mut String, name: &str, rule: &ArrivalRule) -> fmt::Result {
    writeln!(out, "\n[{name}]")?;
    match rule {
        ArrivalRule::Open {
            every,
            duration,
            ios,
            even,
            halvings,
            batches,
            batch_gap,
        } => {
            let ios: Vec<String> = ios.iter().map(u64::to_string).collect();
            let halvings: Vec<String> = halvings.iter().map(|&one| number(one)).collect();
            if !batches.is_empty() {
                let batches = runs_text(batches);
                write!(
                    out,
                    "batches = {batches}   # I/Os that arrive together: from, to, share of the batches\n\
                     batch_gap = \"{batch_gap}\"\n"
                )?;
            }
            writeln!(
                out,
                "kind = \"open\"                     # I/Os arrive at their own times\n\
                 every = \"{every}\"\n\
                 duration = \"{duration}\"\n\
                 even = {even}                      # at equal distances within a step\n\
                 # how unevenly a step is divided between its halves, those between theirs …: 0 independent, 0.25 all in one\n\
                 halvings = [{}]\n\
                 # I/Os of each step\n\
                 ios = [\n{}]",
                halvings.join(", "),
                lines(&ios, STEPS_A_LINE)
            )
        }
        ArrivalRule::ByOperation { read, write } => {
            out.push_str("kind = \"by_operation\"             # reads and writes each arrive at their own times\n");
            write_arrivals(out, &format!("{name}.read"), read)?;
            write_arrivals(out, &format!("{name}.write"), write)
        }
        ArrivalRule::ByBatch { single, batch } => {
            out.push_str("kind = \"by_batch\"                 # I/Os that arrive alone, and batches, each at their own times\n");
            write_arrivals(out, &format!("{name}.single"), single)?;
            write_arrivals(out, &format!("{name}.batch"), batch)
        }
        ArrivalRule::Closed {
            in_flight,
            think,
            duration,
        } => writeln!(
            out,
            "kind = \"closed\"                   # an I/O follows when one completes\n\
             in_flight = {in_flight}\n\
             think = \"{think}\"                    # from a completion to the next I/O\n\
             duration = \"{duration}\""
        ),
    }
}

fn runs_text(runs: &[(u64, u64, f64)]) -> String {
    let each = runs
        .iter()
        .map(|(from, to, share)| format!("[{from}, {to}, {}]", number(*share)));
    format!("[{}]", each.collect::<Vec<_>>().join(", "))
}

/// Several values a line.
fn lines(values: &[String], a_line: usize) -> String {
    let rows = values
        .chunks(a_line)
        .map(|row| format!("  {},\n", row.join(", ")));
    rows.collect()
}

fn sizes_text(sizes: &[(Bytes, f64)]) -> String {
    let each = sizes
        .iter()
        .map(|(size, share)| format!("[\"{size}\", {}]", number(*share)));
    format!("[{}]", each.collect::<Vec<_>>().join(", "))
}

/// A number with at most six significant decimals, always a fraction.
fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    let short = text.trim_end_matches('0');
    match short.ends_with('.') {
        true => format!("{short}0"),
        false => short.to_owned(),
    }
}

fn quoted(text: &str) -> String {
    let safe = model::printable(text).to_string();
    format!("\"{}\"", safe.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A size as text, or bytes.
#[derive(Deserialize)]
#[serde(untagged)]
enum TextOrNumber {
    Number(u64),
    Text(String),
}

fn bytes_of<E: serde::de::Error>(value: TextOrNumber) -> Result<Bytes, E> {
    match value {
        TextOrNumber::Number(bytes) => Ok(Bytes(bytes)),
        TextOrNumber::Text(text) => text.parse().map_err(E::custom),
    }
}

pub(super) fn size<'de, D: Deserializer<'de>>(from: D) -> Result<Bytes, D::Error> {
    bytes_of(TextOrNumber::deserialize(from)?)
}

pub(super) fn sizes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(Bytes, f64)>, D::Error> {
    let pairs = Vec::<(TextOrNumber, f64)>::deserialize(from)?;
    let each = pairs
        .into_iter()
        .map(|(size, share)| Ok((bytes_of(size)?, share)));
    each.collect()
}

pub(super) fn some_time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Nanos>, D::Error> {
    time(from).map(Some)
}

pub(super) fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Nanos, D::Error> {
    String::deserialize(from)?
        .parse()
        .map_err(serde::de::Error::custom)
}
