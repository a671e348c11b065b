//! `verify`: `fathom run --verify` and `fathom verify` below a real kernel. Sound storage is never accused, and each known
//! fault is named.
//!
//! `verify.txt` is the table; `environments.sh` sets up a row's environment and runs its command there; `judge` compares
//! the results with what was done. Rows of modules that this machine's kernel may lack run in the virtual machine of `guest`,
//! whose device mapper and scsi_debug do faults, too. All other faults are done by the package `faultfs`, whose record is the truth. `--seed` and
//! `--runs` draw rows from the product of environments, engines, sizes and faults. Omitted: rates, which mean nothing here,
//! and blocks of less than 4096 bytes, for which verification is refused.

mod judge;

use super::Result;
use super::environments::{Outcome, Tally, built, is_root, script};
use super::guest::{self, Job, Ran};
use judge::{Failure, Request, Section};
use std::cell::Cell;
use std::path::{Path, PathBuf};

const TABLE: &str = include_str!("verify.txt");
pub(super) const USAGE: &str =
    "cargo xtask lab verify [short | machine | --seed N --runs N | --row ROW] [--program FATHOM]";

/// One line of the table.
struct Row {
    is_short: bool,
    is_in_machine: bool,
    environment: String,
    command: String,
    options: String,
}

/// What is asked for.
#[derive(Default)]
struct Options {
    is_short: bool,
    is_machine: bool,
    seed: u64,
    runs: u64,
    row: Option<Row>,
    program: Option<PathBuf>,
}

/// The programs that a row needs.
struct Programs<'a> {
    root: &'a Path,
    fathom: PathBuf,
    faultfs: PathBuf,
}

impl Programs<'_> {
    fn in_machine(&self) -> guest::Programs<'_> {
        guest::Programs {
            fathom: &self.fathom,
            faultfs: Some(&self.faultfs),
        }
    }
}

/// Runs the rows that are asked for. Returns whether nothing was accused wrongly and no fault was missed.
pub(super) fn run(root: &Path, words: &[String]) -> Result<bool> {
    let options = Options::read(words)?;
    if !is_root() {
        println!("skipped: lab verify: mounts need root");
        return Ok(true);
    }
    let programs = Programs {
        root,
        faultfs: built(root, "faultfs")?,
        fathom: match &options.program {
            Some(program) => program.clone(),
            None => built(root, "fathom")?,
        },
    };
    let rows = match (options.row, options.runs) {
        (Some(row), _) => vec![row],
        (None, 0) => table()?,
        (None, runs) => (0..runs)
            .map(|number| drawn(options.seed, number))
            .collect(),
    };
    let mut tally = Tally::default();
    let (looked_at, named) = (Cell::new(0), Cell::new(0));
    let wanted = |row: &&Row| {
        (row.is_short || !options.is_short) && (row.is_in_machine || !options.is_machine)
    };
    let rows: Vec<&Row> = rows.iter().filter(wanted).collect();
    let inside = rows.iter().map(|row| row.job());
    let ran = guest::split(root, &programs.in_machine(), &inside.collect::<Vec<_>>())?;
    for (row, ran) in rows.into_iter().zip(ran) {
        let name = row.name();
        let outcome = tally.take(&name, || {
            let result = match &ran {
                None => row.judged(&row.run(&programs)?),
                Some(Ok(ran)) => row.judged(ran),
                Some(Err(why)) => Err(Outcome::Lacking(why.clone())),
            };
            Ok(match result {
                Ok(found) => {
                    looked_at.set(looked_at.get() + found.looked_at);
                    named.set(named.get() + found.named);
                    Outcome::Met(Some(found.text))
                }
                Err(outcome) => outcome,
            })
        })?;
        if let Outcome::Met(Some(text)) = outcome {
            println!("good: {name}: {text}");
        }
    }
    let Tally {
        met,
        missed,
        lacking,
    } = tally;
    println!(
        "lab verify: {met} good, {missed} bad, {lacking} skipped; {} of {} faults that were looked at are named",
        named.get(),
        looked_at.get()
    );
    Ok(missed == 0)
}

impl Options {
    fn read(words: &[String]) -> Result<Options> {
        let mut options = Options::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value: {USAGE}"));
            match word.as_str() {
                "short" => options.is_short = true,
                "machine" => options.is_machine = true,
                "--seed" => options.seed = value()?.parse()?,
                "--runs" => options.runs = value()?.parse()?,
                "--row" => options.row = Some(row(value()?)?),
                "--program" => options.program = Some(value()?.into()),
                _ => return Err(format!("read `{word}`; accepted: {USAGE}").into()),
            }
        }
        if (options.is_short || options.is_machine) && (options.runs > 0 || options.row.is_some()) {
            return Err(format!("short and machine are of the table alone: {USAGE}").into());
        }
        Ok(options)
    }
}

fn table() -> Result<Vec<Row>> {
    let lines = TABLE.lines();
    let lines = lines.filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(row).collect()
}

fn row(line: impl AsRef<str>) -> Result<Row> {
    let line = line.as_ref();
    let fields: Vec<&str> = line
        .trim_start_matches(['+', '*'])
        .split('|')
        .map(str::trim)
        .collect();
    let [environment, command, options] = fields[..] else {
        return Err(format!("verify.txt: read `{line}`").into());
    };
    Ok(Row {
        is_short: line.starts_with('+'),
        is_in_machine: line.starts_with('*'),
        environment: environment.to_owned(),
        command: command.to_owned(),
        options: options.to_owned(),
    })
}

impl Row {
    /// As `--row` takes it.
    fn name(&self) -> String {
        format!("{} | {} | {}", self.environment, self.command, self.options)
    }

    /// Faults of its environment, as keys of a simulated device.
    fn faults(&self) -> &str {
        match self.environment.strip_prefix("faultfs:") {
            Some(rest) => rest.split_once(':').map_or("", |(_, faults)| faults),
            None => "",
        }
    }

    /// What the faults of the kernel's devices may be named; nothing is named on sound storage.
    fn kinds(&self) -> &str {
        let is_recorded = self.environment.starts_with("faultfs:");
        let kinds = self.environment.split_once(':').filter(|_| !is_recorded);
        kinds.map_or("", |(_, kinds)| kinds)
    }

    /// As the script has it.
    fn set_up(&self) -> &str {
        match self.kinds() {
            "" => &self.environment,
            _ => self.environment.split(':').next().unwrap_or_default(),
        }
    }

    fn job(&self) -> Option<Job<'_>> {
        self.is_in_machine.then(|| Job {
            environment: self.set_up(),
            command: &self.command,
            options: &self.options,
        })
    }

    fn request(&self) -> Request<'_> {
        Request {
            faults: self.faults(),
            kinds: self.kinds(),
            command: &self.command,
            options: &self.options,
        }
    }

    fn run(&self, programs: &Programs<'_>) -> Result<Ran> {
        let (environment, command) = (self.set_up(), &self.command);
        let mut script = script(programs.root, &programs.fathom, environment, command);
        script.args(self.options.split_whitespace());
        Ok(Ran::of(&script.env("FAULTFS", &programs.faultfs).output()?))
    }

    fn judged(&self, ran: &Ran) -> std::result::Result<judge::Found, Outcome> {
        if let Some(why) = ran.lacking() {
            return Err(Outcome::Lacking(why));
        }
        if ran.code != 0 {
            let Ran { code, out, err } = ran;
            let why = format!("the script ended with {code}: {out} {err}");
            return Err(Outcome::Missed(why));
        }
        let found = Section::read(&ran.out)
            .map_err(Failure::Wrong)
            .and_then(|sections| judge::judge(self.request(), &sections));
        found.map_err(|failure| match failure {
            Failure::Wrong(why) => Outcome::Missed(why),
            Failure::NoFault => Outcome::Lacking("too few I/Os for a fault".to_owned()),
        })
    }
}

/// Environments of draws; those behind the number have no direct I/O.
const ENVIRONMENTS: [&str; 17] = [
    "plain",
    "ext4",
    "xfs",
    "btrfs",
    "btrfs-nodatacow",
    "btrfs-compress",
    "overlay-ext4",
    "bindfs",
    "fuse2fs",
    "ntfs-3g",
    "loop-direct",
    "loop-cached",
    "loop-on-tmpfs",
    "ext4-on-cached-loop",
    "tmpfs",
    "overlay-tmpfs",
    "ext4-data-journal",
];
const DIRECT: usize = 14;
const FAULTS: [&str; 11] = [
    "lose",
    "tear",
    "tear-tail",
    "misdirect",
    "duplicate",
    "rot",
    "zero",
    "shift",
    "forge",
    "stale",
    "misread",
];
/// Sizes with their largest block.
const BLOCKS: [(&str, u64); 9] = [
    ("4K", 4),
    ("8K", 8),
    ("12K", 12),
    ("16K", 16),
    ("64K", 64),
    ("256K", 256),
    ("1M", 1024),
    ("4K:60,64K:40", 64),
    ("8K:50,16K:30,128K:20", 128),
];
/// KiB of the smallest range.
const RANGE: u64 = 4 << 10;
/// KiB that all I/Os of a run have in flight at most.
const IN_FLIGHT_MAX: u64 = 64 << 10;

/// SplitMix64. // Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014
struct Rng(u64);

impl Rng {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (bits ^ (bits >> 31)) % end
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}

/// Draws one row: of three two with sound storage.
fn drawn(seed: u64, number: u64) -> Row {
    let mut rng = Rng(seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95));
    let (environment, is_direct, command) = if rng.below(3) > 0 {
        let at = rng.below(ENVIRONMENTS.len() as u64) as usize;
        let commands = [
            "verify",
            "verify",
            "verify-twice",
            "verify-interrupt",
            "verify-kill",
        ];
        (ENVIRONMENTS[at].to_owned(), at < DIRECT, rng.of(&commands))
    } else if rng.below(4) > 0 {
        let (fault, often) = (rng.of(&FAULTS), 100 + rng.below(200));
        let environment = format!("faultfs:{}:{fault}=1/{often}", rng.below(1 << 32));
        (
            environment,
            true,
            rng.of(&["verify", "verify", "verify-twice"]),
        )
    } else {
        let law = rng.of(&["honest", "ignored", "reordered"]);
        let (seed, atomic) = (rng.below(1 << 32), rng.of(&[512, 4096, 16384]));
        let environment = format!("faultfs:{seed}:volatile=3M,flush={law},atomic={atomic}");
        (environment, true, rng.of(&["verify-cut", "verify-kill"]))
    };
    let is_cut = environment.contains("volatile=");
    Row {
        is_short: false,
        is_in_machine: false,
        options: drawn_options(&mut rng, is_direct, is_cut || command == "verify-kill"),
        environment,
        command: command.to_owned(),
    }
}

fn drawn_options(rng: &mut Rng, is_direct: bool, is_durable: bool) -> String {
    let engine = rng.of(&["io_uring", "libaio", "sync"]);
    let (block, largest) = rng.of(&BLOCKS);
    let threads = rng.of(&[1, 1, 2, 4, 8]).min(RANGE / largest);
    let mut depth = rng.of(&[1, 2, 4, 8, 16, 32, 64, 128]);
    if engine == "sync" {
        depth = 1;
    }
    while depth > 1 && depth * threads * largest > IN_FLIGHT_MAX {
        depth /= 2;
    }
    let write = 20 + rng.below(81);
    let mut options = format!("--engine {engine} -b {block} -o {depth} -t {threads} -w {write}");
    let patterns = ["random", "random", "sequential", "permuted", "zipf:1.2"];
    let is_mix = block.contains(':'); // the last two are for blocks of one size
    let pattern = rng.of(&patterns[..if is_mix { 3 } else { 5 }]);
    options += &format!(" --pattern {pattern} --seed {}", rng.below(1 << 32));
    if !is_direct || rng.below(3) == 0 {
        options += " --cache cached";
    }
    if rng.below(4) == 0 {
        options += rng.of(&[
            " --read-back 50%:after=0",
            " --read-back 30%:after=40",
            " --read-back 100%:after=5ms",
        ]);
    }
    if is_durable {
        options += rng.of(&[" --fdatasync 8", " --fsync 16", " --write-through"]);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::{drawn, table};

    #[test]
    fn the_table_has_three_fields_a_row_and_a_short_part() {
        let rows = table().unwrap();
        assert!(rows.iter().any(|row| row.is_short));
        assert!(rows.iter().all(|row| row.command.starts_with("verify")));
    }

    #[test]
    fn a_draw_follows_from_seed_and_number() {
        assert_eq!(drawn(7, 3).name(), drawn(7, 3).name());
        assert_ne!(drawn(7, 3).name(), drawn(7, 4).name());
    }
}
