//! One job as its options mean it, before files are looked at.
//!
//! Omitted: what several jobs mean together, which is in `build`.

use super::number::Base;
use super::problem::Place;
use super::reporting::{Logs, Reporting};
use super::text::Section;
use model::{Allocation, EngineChoice, Fsync, Hint, Polling, Priority, Skew, Spacing};

/// Sizes of one direction's I/Os.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    Fixed(u64),
    Range(u64, u64),
    Split(Vec<(u64, u32)>),
}

/// A size, or a share of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    Bytes(u64),
    Percent(u8),
}

impl Amount {
    pub(super) fn is_zero(self) -> bool {
        matches!(self, Amount::Bytes(0) | Amount::Percent(0))
    }
}

/// Of reads and of writes, each where it has one.
pub(super) type Rates = (Option<u64>, Option<u64>);

/// What a job has to reach, or else it has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Least {
    /// Bytes per second.
    pub(super) rates: Rates,
    pub(super) rates_iops: Rates,
    pub(super) cycle_ns: u64,
    pub(super) latencies_ns: Rates,
}

impl Default for Least {
    fn default() -> Self {
        Least {
            rates: (None, None),
            rates_iops: (None, None),
            cycle_ns: 1_000_000_000,
            latencies_ns: (None, None),
        }
    }
}

/// Zones of a range that are used in turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Zoned {
    /// They are asked for.
    pub(super) strided: bool,
    pub(super) size: u64,
    /// 0 for the same as the size.
    pub(super) range: u64,
    pub(super) skip: u64,
}

/// What is read and written, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) random: bool,
    /// From the end of one sequential I/O to the next.
    pub(super) step: i64,
    pub(super) reads: bool,
    pub(super) writes: bool,
}

impl Pattern {
    /// That of a job without `rw`.
    const READ: Pattern = Pattern {
        random: false,
        step: 0,
        reads: true,
        writes: false,
    };
}

/// Where random I/Os fall, where they are not uniform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Zones {
    Percent(Vec<(u8, u8)>),
    Bytes(Vec<(u8, u64)>),
}

/// Options that few jobs have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rare {
    /// Of the system's scheduler.
    pub(super) class: Option<u64>,
    /// Within the class.
    pub(super) level: Option<u64>,
    /// What is written is behind what is there.
    pub(super) appends: bool,
    /// The device is full when the job is done.
    pub(super) fills_device: bool,
    /// Its files are filled with data, although it only writes.
    pub(super) overwrites: bool,
    /// Its files have no space before its first write.
    pub(super) creates_on_open: bool,
    /// How the space of its files is allocated.
    pub(super) fallocate: Fallocate,
}

/// How the space of files that are only written is allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Fallocate {
    /// By the writes.
    None,
    /// Before them.
    #[default]
    Native,
    /// Before them, without a length.
    Keep,
    /// By the writes, in a file with a length.
    Truncate,
}

/// A job with all its options, defaults too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) place: Place,
    pub(super) name: String,
    /// The name of its section, after which its files are named.
    pub(super) section: String,
    /// How its files are named where it specifies none.
    pub(super) name_format: Option<String>,
    pub(super) base: Base,
    pub(super) files: Vec<String>,
    /// The threads take turns at them.
    pub(super) directories: Vec<String>,
    pub(super) file_count: u64,
    pub(super) pattern: Pattern,
    pub(super) write_percent: u8,           // of a mix
    pub(super) percentage_random: (u8, u8), // of reads and writes
    /// Each block once a pass.
    pub(super) random_map: bool,
    /// What the system's cache contains is dropped before the run.
    pub(super) invalidate: bool,
    pub(super) zones: Option<Zones>,
    pub(super) skew: Option<Skew>,
    pub(super) reads: Sizes,
    pub(super) write_sizes: Sizes,
    pub(super) align: Option<u64>,
    pub(super) engine: EngineChoice,
    pub(super) engine_name: String,
    pub(super) mapped: bool,
    pub(super) polling: Polling,
    pub(super) depth: u64,
    pub(super) jobs: u64,
    pub(super) size: Option<Amount>,
    pub(super) io_size: Option<Amount>,
    pub(super) file_size: Option<u64>,
    pub(super) offset: Option<Amount>,
    /// Of each further thread.
    pub(super) offset_increment: Amount,
    pub(super) number_ios: Option<u64>,
    /// Hint on the order of buffered I/O; none where the job asks for none.
    pub(super) hint: Option<Hint>,
    pub(super) start_delay_ns: u64,
    /// The first thread that is done ends the run.
    pub(super) exit_all: bool,
    /// Its files are created, and nothing else is done.
    pub(super) create_only: bool,
    /// Its files are removed when all is done.
    pub(super) unlink: bool,
    pub(super) unlink_each_loop: bool,
    pub(super) loops: u64,
    pub(super) runtime_ns: Option<u64>,
    pub(super) time_based: bool,
    pub(super) ramp_ns: u64,
    pub(super) interval_ns: Option<u64>,
    pub(super) think_ns: u64,
    pub(super) think_blocks: u64,
    /// Bytes per second.
    pub(super) rates: Rates,
    pub(super) rates_iops: Rates,
    /// What it has to reach.
    pub(super) least: Least,
    /// Zones of its range, where the job asks for them.
    pub(super) zoned: Zoned,
    pub(super) spacing: Spacing,
    pub(super) direct: bool,
    pub(super) durable: bool,
    pub(super) fsync: Fsync,
    pub(super) seed: Option<u64>,
    /// The seed is that of the last run, where none is specified.
    pub(super) repeats: bool,
    pub(super) go_on: bool,
    /// Corrupt blocks are no failure of the program.
    pub(super) forgives_corrupt: bool,
    pub(super) verify: JobVerify,
    pub(super) replay: JobReplay,
    pub(super) rare: Rare,
    pub(super) zeros: bool,
    /// What is written repeatedly.
    pub(super) content: Option<Vec<u8>>,
    pub(super) compress: u8,
    pub(super) dedupe: u8,
    pub(super) cores: Option<String>,
    pub(super) stonewall: bool,
    pub(super) wait_for: Option<String>,
    pub(super) new_group: bool,
    pub(super) grouped: bool,
    pub(super) reporting: Reporting,
    pub(super) logs: Logs,
    /// All options but those of globals, as they were given.
    pub(super) own: Vec<(String, String)>,
    /// Which of [`USUAL`] were given, in globals too, by their first name.
    pub(super) said: Vec<&'static str>,
}

impl Job {
    #[allow(
        clippy::too_many_lines,
        reason = "a line for the default of each option"
    )]
    pub(super) fn new(section: &Section) -> Job {
        Job {
            place: section.place.clone(),
            name: section.name.clone(),
            section: section.name.clone(),
            name_format: None,
            base: Base(1024),
            files: Vec::new(),
            directories: Vec::new(),
            file_count: 1,
            pattern: Pattern::READ,
            write_percent: 50,
            percentage_random: (100, 100),
            random_map: true,
            invalidate: true,
            zones: None,
            skew: None,
            reads: Sizes::Fixed(4096),
            write_sizes: Sizes::Fixed(4096),
            align: None,
            engine: EngineChoice::Sync,
            engine_name: "psync".to_owned(),
            mapped: false,
            polling: Polling::default(),
            depth: 1,
            jobs: 1,
            size: None,
            io_size: None,
            file_size: None,
            offset: None,
            offset_increment: Amount::Bytes(0),
            number_ios: None,
            hint: Some(Hint::None),
            start_delay_ns: 0,
            exit_all: false,
            create_only: false,
            unlink: false,
            unlink_each_loop: false,
            loops: 1,
            runtime_ns: None,
            time_based: false,
            ramp_ns: 0,
            interval_ns: None,
            think_ns: 0,
            think_blocks: 1,
            rates: (None, None),
            rates_iops: (None, None),
            least: Least::default(),
            zoned: Zoned::default(),
            spacing: Spacing::Constant,
            direct: false,
            durable: false,
            fsync: Fsync::default(),
            seed: None,
            repeats: true,
            go_on: false,
            forgives_corrupt: false,
            verify: JobVerify::default(),
            replay: JobReplay::default(),
            rare: Rare::default(),
            zeros: false,
            content: None,
            compress: 0,
            dedupe: 0,
            cores: None,
            stonewall: false,
            wait_for: None,
            new_group: false,
            grouped: false,
            reporting: Reporting::default(),
            logs: Logs::default(),
            own: Vec::new(),
            said: Vec::new(),
        }
    }

    /// Whether it does both, drawn by chance.
    pub(super) fn is_mix(&self) -> bool {
        self.pattern.reads && self.pattern.writes
    }

    /// From the start of one sequential I/O of this size to the next.
    pub(super) fn stride(&self, block: u64) -> i64 {
        let block = i64::try_from(block).unwrap_or(i64::MAX);
        self.pattern.step.saturating_add(block)
    }

    /// Percent of its reads and of its writes that go to a random place.
    pub(super) fn random_percent(&self) -> (u8, u8) {
        match self.pattern.random {
            true => self.percentage_random,
            false => (0, 0),
        }
    }

    /// The rate of all its I/Os: as in fio, each direction has its own, and a mix has their sum.
    pub(super) fn one_rate(&self, rates: Rates) -> Option<u64> {
        match self.writes_percent() {
            0 => rates.0,
            100 => rates.1,
            _ => Some(rates.0?.saturating_add(rates.1?)),
        }
    }

    /// Where both directions have a rate, these decide the share of writes. Returns what is different then, or why it cannot be.
    pub(super) fn share_by_rates(&mut self) -> Result<Option<String>, String> {
        if matches!(self.writes_percent(), 0 | 100) {
            return Ok(None);
        }
        let size = |sizes: &Sizes| match sizes {
            Sizes::Fixed(size) => Some(*size as f64),
            _ => None,
        };
        let (option, rates, sizes) = match (self.rates, self.rates_iops) {
            ((None, None), (None, None)) => return Ok(None),
            ((None, None), rates) => ("rate_iops", rates, Some((1.0, 1.0))),
            (rates, _) if self.reads == self.write_sizes => ("rate", rates, Some((1.0, 1.0))),
            (rates, _) => (
                "rate",
                rates,
                size(&self.reads).zip(size(&self.write_sizes)),
            ),
        };
        let ((Some(reads), Some(writes)), Some((read, write))) = (rates, sizes) else {
            return Err(format!(
                "{option}: a mix has a rate for reads and one for writes, and blocks of one size for each: specify both, or a job \
                 for each"
            ));
        };
        let (reads, writes) = (reads as f64 / read, writes as f64 / write);
        let exact = writes / (reads + writes) * 100.0;
        let share = exact.round().clamp(1.0, 99.0);
        let before = std::mem::replace(&mut self.write_percent, share as u8);
        Ok(match (exact - share).abs() > 1e-9 {
            true => Some(format!(
                "{option}: {share}% of the I/Os are writes, which is {exact:.2}% in whole percent"
            )),
            false if f64::from(before) != share => Some(format!(
                "{option}: the rates decide that {share}% of the I/Os are writes, as in fio"
            )),
            false => None,
        })
    }

    /// How urgent its I/Os are: class 3 is idle, and level 7 of class 2, which is usual, the lowest.
    pub(super) fn priority(&self) -> Result<Priority, &'static str> {
        match (self.rare.class.unwrap_or(2), self.rare.level) {
            (3, _) => Ok(Priority::VeryLow),
            (0 | 2, Some(7)) => Ok(Priority::Low),
            (0 | 2, None | Some(4)) => Ok(Priority::Normal),
            _ => Err(
                "prio, prioclass: here are prioclass=3, and prio=7 or 4 of prioclass=2: start fathom under ionice for any other",
            ),
        }
    }

    /// What of its files is written before it. As in fio, files that are read, mapped or overwritten are filled with data; with
    /// `verify` they are filled here, too.
    pub(super) fn allocation(&self) -> Allocation {
        let fills = self.writes_percent() < 100
            || self.mapped
            || self.rare.overwrites && !self.rare.appends
            || !self.target_verify().is_off();
        match self.rare.fallocate {
            _ if fills => Allocation::Written,
            _ if self.rare.creates_on_open => Allocation::Growing,
            Fallocate::None => Allocation::Growing,
            Fallocate::Native => Allocation::Reserved,
            Fallocate::Keep => Allocation::ReservedBehindEnd,
            Fallocate::Truncate => Allocation::Sparse,
        }
    }

    /// Whether its zones are complete. fio 3.33 refuses these, too.
    pub(super) fn settle_zones(&self) -> Result<(), &'static str> {
        match (self.zoned.strided, self.zoned.size) {
            (false, 1..) => Err("zonesize: specify zonemode=strided with it, as in fio"),
            (true, 0) => Err("zonemode=strided: specify zonesize with it, as in fio"),
            _ => Ok(()),
        }
    }

    /// Percent of its I/Os that are writes.
    pub(super) fn writes_percent(&self) -> u8 {
        match (self.pattern.reads, self.pattern.writes) {
            (true, true) => self.write_percent,
            (_, writes) => 100 * u8::from(writes),
        }
    }
}

/// Options that readers of results look for.
pub(super) const USUAL: [&str; 4] = ["rw", "bs", "iodepth", "numjobs"];
/// Most names of files of all jobs.
pub(super) const FILES_MAX: usize = 16_384;

/// What a block is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Method {
    /// Nothing.
    #[default]
    Off,
    /// A checksum, or a header, of fio's; fathom's here.
    Header,
    /// The same bytes in every block.
    Pattern,
}

/// What a job specifies for verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JobVerify {
    pub(super) method: Method,
    /// What `verify` was, without which `verify_pattern` decides.
    pub(super) said: bool,
    pub(super) bytes: Option<Vec<u8>>,
    /// What was written is read back when the job is done.
    pub(super) end_pass: bool,
    /// Nothing is written.
    pub(super) only: bool,
    /// The first corrupt block ends the run.
    pub(super) fatal: bool,
    /// What was written is read back after so many I/Os; 0: not before the end.
    pub(super) backlog: u32,
    /// The state of an earlier run is read.
    pub(super) loads_state: bool,
    /// Where the header is in a block.
    pub(super) offset: bool,
}

impl Default for JobVerify {
    fn default() -> Self {
        JobVerify {
            method: Method::Off,
            said: false,
            bytes: None,
            end_pass: true,
            only: false,
            fatal: false,
            backlog: 0,
            loads_state: false,
            offset: false,
        }
    }
}

/// Millionths of a factor in one percent.
const PERCENT_PPM: u64 = 10_000;

/// What a job specifies for the replay of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JobReplay {
    pub(super) trace: Option<String>,
    /// The traces are merged.
    pub(super) merges: bool,
    /// By file: times in percent, and how often it is read.
    pub(super) scalars: Vec<u32>,
    pub(super) iterations: Vec<u32>,
    pub(super) redirect: Option<String>,
    /// Of the rate of the trace.
    pub(super) percent: u64,
    /// Regardless of its times.
    pub(super) no_stall: bool,
    /// Offsets are divided by this.
    pub(super) divide: u64,
    /// Offsets are rounded down to multiples of this.
    pub(super) align: u64,
    /// Operations that are omitted, as `fathom replay` calls them.
    pub(super) skips: Vec<&'static str>,
}

impl Default for JobReplay {
    fn default() -> Self {
        JobReplay {
            trace: None,
            merges: false,
            scalars: Vec::new(),
            iterations: Vec::new(),
            redirect: None,
            percent: 100,
            no_stall: false,
            divide: 1,
            align: 1,
            skips: Vec::new(),
        }
    }
}

impl JobReplay {
    pub(super) const fn speed_ppm(&self) -> u64 {
        self.percent * PERCENT_PPM
    }

    /// Returns what of it `fathom replay` has options for.
    pub(super) fn options(&self) -> Vec<String> {
        let mut options = vec![
            format!("--divide={}", self.divide),
            format!("--align={}", self.align),
            "--discards".to_owned(),
        ];
        options.extend(self.no_stall.then(|| "--timing=fast".to_owned()));
        options.extend(self.skips.iter().map(|name| format!("--skip={name}")));
        options
    }
}
