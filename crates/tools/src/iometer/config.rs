//! Content of a configuration file, in IOmeter's own terms.

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// As its first line has it: `1.1.0`.
    pub version: String,
    /// Test description.
    pub description: String,
    /// Run time. // 0 is until stopped
    pub run_s: u64,
    /// Ramp-up time.
    pub ramp_s: u64,
    /// How outstanding I/Os are cycled, where the test type asks for it.
    pub depths: Cycling,
    /// `NORMAL`, `CYCLE_OUTSTANDING_IOS` and others.
    pub test_type: String,
    /// Access specifications, assigned or not.
    pub specs: Vec<Spec>,
    /// Machines; one is this one.
    pub managers: Vec<Manager>,
}

/// Numbers of outstanding I/Os, one test after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycling {
    /// First.
    pub start: u32,
    /// Not beyond.
    pub end: u32,
    /// What is added, or multiplied with.
    pub step: u32,
    /// Multiplied.
    pub exponential: bool,
}

impl Default for Cycling {
    fn default() -> Self {
        Cycling {
            start: 1,
            end: 32,
            step: 2,
            exponential: true,
        }
    }
}

impl Cycling {
    /// All of them; the first alone where a step leads nowhere.
    pub fn values(self) -> Vec<u32> {
        let mut values = vec![self.start];
        let mut last = self.start;
        loop {
            let next = match self.exponential {
                true => last.checked_mul(self.step),
                false => last.checked_add(self.step),
            };
            match next.filter(|next| *next > last && *next <= self.end) {
                Some(next) => {
                    values.push(next);
                    last = next;
                }
                None => return values,
            }
        }
    }
}

/// An access specification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    /// Its name.
    pub name: String,
    /// `NONE`, `ALL`, `DISK` or `NET`.
    pub assignment: String,
    /// Its lines, whose shares add up to 100.
    pub lines: Vec<Line>,
    /// Where it stands in the file.
    pub at: usize,
}

/// One line of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Transfer request size, in bytes.
    pub size: u64,
    /// Percent of access specification.
    pub of_size: u32,
    /// Percent reads.
    pub reads: u8,
    /// Percent random.
    pub random: u8,
    /// Transfer delay, in milliseconds, after each burst.
    pub delay_ms: u64,
    /// Burst length, in I/Os.
    pub burst: u32,
    /// Align I/Os on, in bytes; 0 is sector boundaries.
    pub align: u64,
    /// Reply size of network tests, in bytes.
    pub reply: u64,
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manager {
    /// Its name.
    pub name: String,
    /// Its threads.
    pub workers: Vec<Worker>,
}

/// A thread with its targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worker {
    /// Its name.
    pub name: String,
    /// `DISK`, or `NETWORK` and more.
    pub kind: String,
    /// Outstanding I/Os per target.
    pub outstanding: u32,
    /// Maximum disk size, in sectors of 512 bytes; 0 is all.
    pub sectors: u64,
    /// Starting disk sector.
    pub start: u64,
    /// Write data pattern: 0 repeating bytes, 1 pseudo random, 2 full random; none in files without it.
    pub pattern: Option<u32>,
    /// Seed, where a fixed one is used.
    pub seed: Option<u64>,
    /// Names of the access specifications that it runs, one test after another.
    pub specs: Vec<String>,
    /// Names of its targets, as Windows or the machine had them.
    pub targets: Vec<String>,
    /// Where it stands in the file.
    pub at: usize,
}
