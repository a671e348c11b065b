//! Content of a request of SQLIO, in SQLIO's terms and units.

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Share of reads: 100 for `-kR`, 0 for `-kW`; between them with sqlio2's `-T`. // in [0, 100]
    pub read_percent: u8,
    /// `-s`: how long, without a warm-up. // above 0
    pub seconds: u32,
    /// `-f`: where the I/Os go.
    pub access: Access,
    /// `-b`: KiB of one I/O. // in [1, 1048576]
    pub block_kib: u32,
    /// `-i`: I/Os of a run, which are the rows of the stripes. // above 0
    pub run_ios: u32,
    /// `-o`: outstanding I/Os of each thread for each file; 0 to wait for each, one file after another.
    pub outstanding: u32,
    /// `-B`: which caches are used.
    pub buffering: Buffering,
    /// `-S`: where the I/Os begin, in blocks.
    pub start_blocks: u64,
    /// `-L`: latencies are shown, and which timer was asked for.
    pub latency: Option<Timer>,
    /// `-U`: processor use is shown.
    pub usage: Usage,
    /// sqlio2's `-q`: what is written comes from this file.
    pub entropy: Option<String>,
    /// What is measured, and by which threads.
    pub files: Files,
}

/// What is measured, and by which threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// Every thread does I/O to every file.
    Named {
        /// As given, drive letters before them. // in [1, 256] of them
        names: Vec<String>,
        /// `-t`. // in [1, 256]
        threads: u32,
        /// `-p` or `-a`.
        affinity: Affinity,
    },
    /// `-F`: each file has threads of its own.
    Listed {
        /// The parameter file, as it was named.
        file: String,
        /// Its lines, without comments. // in [1, 256] of them
        lines: Vec<Line>,
    },
}

/// A line of a parameter file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The file.
    pub name: String,
    /// Its own threads. // in [1, 256]
    pub threads: u32,
    /// On which processors they may run, a bit each; 0 for any.
    pub mask: u64,
    /// Size of the file in MiB. // above 0
    pub size_mib: Option<u32>,
}

/// Where the I/Os go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Down the columns of a matrix with so many blocks a row. // above 0
    Stripe(u32),
    /// Any block of the file.
    Random,
    /// The block behind the last one on that file, whichever thread it was.
    Sequential,
}

/// Which caches are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffering {
    /// None: past the file cache, written through.
    None,
    /// Both.
    All,
    /// The device's, not the system's.
    Hardware,
    /// The system's, but written through.
    Software,
}

/// Which timer was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// `-LS`
    System,
    /// `-LP`
    Processor,
}

/// Which processor use is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// None.
    Off,
    /// Of all processors together.
    Total,
    /// And of each.
    EachProcessor,
}

/// On which processors the threads run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affinity {
    /// On any.
    Free,
    /// `-p`: all on this one.
    One(u32),
    /// `-a`: each on any of these, a bit each. // above 0
    Mask(u64),
    /// `-aR`: dealt out over these, a bit each. // above 0
    RoundRobin(u64),
}

impl Default for Profile {
    /// What `sqlio` without a word means.
    fn default() -> Self {
        Profile {
            read_percent: 100,
            seconds: 30,
            access: Access::Stripe(64),
            block_kib: 2,
            run_ios: 64,
            outstanding: 0,
            buffering: Buffering::None,
            start_blocks: 0,
            latency: None,
            usage: Usage::Off,
            entropy: None,
            files: Files::Named {
                names: vec!["testfile.dat".to_owned()],
                threads: 1,
                affinity: Affinity::Free,
            },
        }
    }
}

impl Profile {
    /// Each file with its threads and the size of its line, in order. Where every thread goes to every file, all
    /// of them.
    pub fn targets(&self) -> Vec<(&str, u32, Option<u32>)> {
        match &self.files {
            Files::Named { names, threads, .. } => {
                let each = names.iter();
                each.map(|name| (name.as_str(), *threads, None)).collect()
            }
            Files::Listed { lines, .. } => {
                let each = lines.iter();
                each.map(|line| (line.name.as_str(), line.threads, line.size_mib))
                    .collect()
            }
        }
    }

    /// All threads together.
    pub fn threads(&self) -> u32 {
        match &self.files {
            Files::Named { threads, .. } => *threads,
            Files::Listed { lines, .. } => lines
                .iter()
                .fold(0, |sum, line| sum.saturating_add(line.threads)),
        }
    }

    /// Bytes of one I/O.
    pub fn block_bytes(&self) -> u64 {
        u64::from(self.block_kib) * 1024
    }
}

/// The processors of a mask, in ascending order.
pub(super) fn cores(mask: u64) -> Vec<u32> {
    (0..u64::BITS).filter(|bit| mask >> bit & 1 == 1).collect()
}
