//! What a test of IOR is, as its options define it. A flag counts how often it was given.
//!
//! Omitted: what it means here (`build`).

use std::path::PathBuf;

/// One test of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Test {
    /// Its number, from 0.
    pub id: u64,
    /// Bytes of each task.
    pub layout: Layout,
    /// Which files.
    pub files: Files,
    /// What is done to them.
    pub actions: Actions,
    /// How often and how long.
    pub course: Course,
    /// Which task reads what which task wrote.
    pub order: Order,
    /// How it gets to the storage.
    pub storage: Storage,
    /// How many tasks; 0 for all that there are.
    pub tasks: u64,
    /// Where its tasks are processes: those of each host, in the order of their first.
    pub hosts: Vec<HostTasks>,
    /// A number of the user's.
    pub reference: u64,
}

/// The tasks of one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostTasks {
    /// Its name.
    pub name: String,
    /// How many processes it has.
    pub tasks: u32,
    /// Whether the first two follow one another, as with a placement by slots.
    pub in_a_row: bool,
}

/// Bytes of each task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Of one segment.
    pub block: u64,
    /// Of one I/O.
    pub transfer: u64,
    /// How many blocks of each task.
    pub segments: u64,
    /// Once for a random order of the transfers, twice for random ones.
    pub shuffled: u64,
    /// Of the random order.
    pub seed: u64,
}

impl Default for Layout {
    fn default() -> Self {
        Layout {
            block: 1 << 20,
            transfer: 256 << 10,
            segments: 1,
            shuffled: 0,
            seed: 0,
        }
    }
}

impl Layout {
    /// Bytes of each task in all its segments.
    pub fn of_task(&self) -> u64 {
        self.block.saturating_mul(self.segments)
    }
}

/// Which files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// As it was given.
    pub name: String,
    /// A file of each task.
    pub per_task: u64,
    /// A folder of each task.
    pub unique_dir: u64,
    /// A file of each repetition.
    pub multi: u64,
    /// They stay.
    pub keep: u64,
    /// They stay where what was read is not what was written.
    pub keep_corrupt: u64,
    /// Those that are there are written into.
    pub existing: u64,
}

impl Default for Files {
    fn default() -> Self {
        Files {
            name: "testFile".to_owned(),
            per_task: 0,
            unique_dir: 0,
            multi: 0,
            keep: 0,
            keep_corrupt: 0,
            existing: 0,
        }
    }
}

/// What is done to the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actions {
    /// Written.
    pub write: u64,
    /// Read.
    pub read: u64,
    /// Read behind the writes and compared, untimed.
    pub check_write: u64,
    /// Compared while they are read.
    pub check_read: u64,
    /// Nothing: the request is described.
    pub dry_run: u64,
}

/// How often and how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// How often all is done.
    pub repetitions: u64,
    /// Pause before each phase.
    pub delay_s: u64,
    /// No repetition begins after so many minutes; 0 for no limit.
    pub max_minutes: u64,
    /// No I/O is issued after so many seconds; 0 for no limit.
    pub deadline_s: u64,
    /// All tasks move as much as the fastest did until then.
    pub wear_out: u64,
    /// Where the writes leave how many transfers that were, and reads of a later call find it.
    pub status: Option<PathBuf>,
}

impl Default for Course {
    fn default() -> Self {
        Course {
            repetitions: 1,
            delay_s: 0,
            max_minutes: 0,
            deadline_s: 0,
            wear_out: 0,
            status: None,
        }
    }
}

/// Which task reads what which task wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// What a task of another node wrote.
    pub constant: u64,
    /// What a random task wrote.
    pub random: u64,
    /// How many nodes further.
    pub offset: u64,
}

impl Default for Order {
    fn default() -> Self {
        Order {
            constant: 0,
            random: 0,
            offset: 1,
        }
    }
}

/// How it gets to the storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// As it was given.
    pub api: String,
    /// Together; nothing happens with POSIX.
    pub collective: u64,
    /// Past the page cache.
    pub direct: u64,
    /// fsync when all is written.
    pub fsync: u64,
    /// How much is printed.
    pub verbose: u64,
}

impl Default for Storage {
    fn default() -> Self {
        Storage {
            api: "POSIX".to_owned(),
            collective: 0,
            direct: 0,
            fsync: 0,
            verbose: 0,
        }
    }
}

/// Form of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// IOR's table.
    #[default]
    Text,
    /// IOR's JSON.
    Json,
    /// A line of each phase.
    Csv,
}

/// Where the results go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// In which form.
    pub form: Form,
    /// A file instead of standard output.
    pub file: Option<PathBuf>,
}

/// What options set.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    pub(super) test: Test,
    pub(super) output: Output,
    pub(super) script: Option<String>,
    /// Of `-O`, until they are carried out.
    pub(super) directives: Vec<String>,
}
