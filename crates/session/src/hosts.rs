//! A session on many hosts: the same session with a meeting before "go".
//!
//! Rank 0 runs the command as if alone and gives the orders of `orders`; the others serve (`serve`). Each rank checks the
//! request against its own machine: a `Plan` never travels. Omitted: how orders travel (`job`), and what results mean.

mod alone;
mod answers;
mod files;
mod keys;
mod layout;
mod mdtest;
mod orders;
mod serve;
mod shared;

pub use files::FilesOrder;
pub use keys::{TargetKey, target_key};
use layout::{Share, Sharing};

use crate::journal::Journal;
use crate::schedule::{RUN, Step};
use answers::{Hello, Prepared, Ready};
use engine::{Meet, Meeting, RunError, Stop};
use job::{CLOCK, Counter, EdgeClock, Event, Item, Job, Lost, Offset, Order, Reply, Sums, compose};
use model::{Bytes, ClockOffset, CommandError, JobLayout, Nanos, Outcome, RankRecord, RunRecord};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::borrow::Borrow;
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};
use store::{RankLine, Store};

/// From one check of the stop word to the next.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The moment of the start is at least so far ahead.
const AHEAD_MIN: Nanos = Nanos::millis(200);
/// It is this many times as far ahead as the slowest way and the widest uncertainty.
const AHEAD_WAYS: u64 = 8;
/// Of each rank: where many share a few cores, the last one is scheduled only after the others. 256 ranks on two cores began within
/// 97 ms of each other.
const AHEAD_PER_RANK: Nanos = Nanos::millis(4);
/// The widest uncertainty of a rank's clock: a start is eight times as far ahead.
const UNCERTAINTY_MAX: Nanos = Nanos::seconds(2);
/// How often a start is put off because a rank heard of it too late. Each time it is twice as far ahead.
const TRIES: u32 = 4;

/// How far ahead the start is at an attempt, the first of which is 0.
fn ahead(widest: Nanos, ranks: u32, attempt: u32) -> Nanos {
    let ways = widest.0.saturating_mul(AHEAD_WAYS);
    let all = AHEAD_PER_RANK.0.saturating_mul(u64::from(ranks));
    Nanos(
        AHEAD_MIN
            .0
            .max(ways)
            .max(all)
            .saturating_mul(1 << attempt.min(16)),
    )
}

/// The clock of each rank compared with that of rank 0, where it is known.
type RankClocks = Vec<Option<(Offset, EdgeClock)>>;

/// The answer of a rank, and what it counted.
type Answer = (Vec<u8>, Option<Sums>);

/// What a command requests of all hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostsOptions {
    /// How they share the target.
    pub layout: JobLayout,
    /// With interleaved ranges: how many bytes one is long.
    pub piece: Bytes,
    /// The others go on where one is lost.
    pub goes_on: bool,
    /// Names of the hosts by rank, where they are known before the ranks report.
    pub names: Vec<String>,
}

/// One run of one rank.
#[derive(Debug)]
pub struct RankResult {
    /// Which.
    pub rank: u32,
    /// Name of its host.
    pub host: String,
    /// Its number in the session, where it is stored.
    pub stored: Option<u32>,
    /// Its record, or why there is none.
    pub outcome: Result<RunRecord, String>,
}

/// What one rank answered to an order of the command.
#[derive(Clone, Debug)]
pub struct HostAnswer<T> {
    /// Its number.
    pub rank: u32,
    /// Name of its host.
    pub host: String,
    /// The answer.
    pub answer: T,
}

/// Returns the name that a rank uses of a target of its own.
///
/// # Errors
/// The name has other words in braces than `{rank}` and `{host}`.
pub fn name_of_rank(path: &Path, rank: u32, host: &str) -> Result<PathBuf, CommandError> {
    let size = rank.saturating_add(1);
    layout::named(path, JobLayout::Own, Share { rank, size }, host)
}

/// What the ranks sent of a step.
#[derive(Debug, Default)]
struct Gathered {
    results: Vec<RankResult>,
    sums: Option<Sums>,
}

/// All processes of a command on many hosts, seen from one of them.
#[derive(Debug)]
pub struct Hosts {
    job: Job,
    options: HostsOptions,
    /// The random number of the job.
    id: Cell<u64>,
    /// Names of the hosts by rank; rank 0 alone has them.
    names: RefCell<Vec<String>>,
    lost: RefCell<Vec<Lost>>,
    clocks: RefCell<[RankClocks; 2]>,
    /// How the ranks share the step that was checked last.
    sharing: Cell<Sharing>,
    late: Cell<Nanos>,
    /// An order that came while another one was expected.
    pending: RefCell<Option<Order>>,
    gathered: RefCell<Gathered>,
    /// The order to prepare that is not answered yet.
    preparing: Cell<Option<u32>>,
    /// Rank 0 has ended the job.
    has_ended: Cell<bool>,
}

impl Hosts {
    /// Meets all ranks of `job`. `own` names this host; `id` is drawn by chance.
    ///
    /// # Errors
    /// A rank is lost, or is another version of fathom.
    pub fn join(
        job: Job,
        own: &str,
        id: u64,
        options: HostsOptions,
    ) -> Result<Rc<Hosts>, CommandError> {
        job.halts_on_alarm(!options.goes_on);
        let sharing = Sharing {
            layout: options.layout,
            ranks: job.members().size,
        };
        let hosts = Rc::new(Hosts {
            job,
            sharing: Cell::new(sharing),
            names: RefCell::new(options.names.clone()),
            options,
            id: Cell::new(id),
            lost: RefCell::default(),
            clocks: RefCell::default(),
            late: Cell::new(Nanos(0)),
            pending: RefCell::default(),
            gathered: RefCell::default(),
            preparing: Cell::new(None),
            has_ended: Cell::new(false),
        });
        if hosts.is_first() {
            let hello = Hello::of(own);
            let reply = hosts.round(orders::JOIN, None, &id, &mut |_| to_bytes(&hello))?;
            hosts.all_here(&reply)?;
            let hellos: Vec<(u32, Hello)> = read_all(&reply.items)?;
            answers::same_version(&hellos)?;
            hosts
                .names
                .replace(hellos.into_iter().map(|(_, hello)| hello.host).collect());
        }
        Ok(hosts)
    }

    /// Whether this is rank 0, which runs the command.
    pub fn is_first(&self) -> bool {
        self.job.members().rank == 0
    }

    /// Its number and how many there are.
    fn share(&self) -> Share {
        let members = self.job.members();
        Share {
            rank: members.rank,
            size: members.size,
        }
    }

    /// What moves their messages, for people.
    pub fn transport(&self) -> &str {
        &self.job.members().transport
    }

    /// How the ranks share the target, as the option has it.
    pub fn layout(&self) -> String {
        let HostsOptions { layout, piece, .. } = &self.options;
        match layout {
            JobLayout::Interleaved => format!("{layout}:{piece}"),
            _ => layout.to_string(),
        }
    }

    /// Returns what all ranks counted in the last run by the sums that were merged on the way, and takes its results.
    pub fn take_results(&self) -> (Vec<RankResult>, Option<Sums>) {
        let Gathered { results, sums } = self.gathered.take();
        (results, sums)
    }

    /// Saves the results of all ranks, of which rank 0 has this outcome. Returns the number of the first one.
    ///
    /// # Errors
    /// A resumable session could not be written.
    pub(crate) fn save<S: Borrow<Store>>(
        &self,
        journal: &Journal<S>,
        step: &Step,
        outcome: Result<&RunRecord, &String>,
    ) -> Result<Option<u32>, CommandError> {
        let results = &mut self.gathered.borrow_mut().results;
        if step.key.is_some() {
            let lines: Vec<RankLine<'_>> = results
                .iter()
                .map(|result| RankLine {
                    label: format!("{}, {}", step.label, result.label()),
                    outcome: result.outcome.as_ref().map_err(String::as_str),
                })
                .collect();
            let missing = outcome.err().map(String::as_str);
            let stored = journal.save_ranks(step, &lines, missing)?;
            drop(lines);
            let first = stored.filter(|_| missing.is_none());
            for (result, place) in results.iter_mut().zip(0..) {
                result.stored = first.map(|first| first + place);
            }
            return Ok(stored);
        }
        for result in results.iter_mut() {
            let label = match step.label.as_str() {
                RUN => result.label(),
                step => format!("{step}, {}", result.label()),
            };
            result.stored = journal.save_rank(&label, result.outcome.as_ref());
        }
        Ok(results.first().and_then(|result| result.stored))
    }

    /// Why a step has no result of all ranks: each rank that has none, by name. None where each has one.
    pub fn without_result(&self) -> Option<String> {
        let results = &self.gathered.borrow().results;
        let named = |result: &RankResult, why: &str| {
            format!("rank {} ({}): {why}", result.rank, result.host)
        };
        let reasons = results.iter().filter_map(|result| match &result.outcome {
            Ok(record) => crate::reason(record).map(|why| named(result, &why)),
            Err(why) => Some(named(result, why)),
        });
        let mut reasons: Vec<String> = reasons.collect();
        if reasons.is_empty() {
            // The others were stopped only where one of them failed.
            let cut = results.iter().filter(|result| result.was_interrupted());
            reasons.extend(cut.map(|result| named(result, "it was interrupted")));
        }
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Takes the results of a step as one record.
    ///
    /// # Errors
    /// A rank has none.
    pub(crate) fn joined(&self) -> Result<RunRecord, CommandError> {
        let (results, _) = self.take_results();
        let mut records = Vec::with_capacity(results.len());
        for result in results {
            let named = format!("rank {} ({})", result.rank, result.host);
            let record = result.outcome;
            records.push(record.map_err(|why| CommandError::failed(format!("{named}: {why}")))?);
        }
        RunRecord::of_ranks(&records).ok_or_else(|| CommandError::failed("no rank has a result"))
    }

    /// Whether no other step can follow one that has no result: a rank is lost or was stopped, or, where the others do not go
    /// on, its run failed, so that all were stopped. A refusal stops no rank.
    pub fn ends_after_failure(&self) -> bool {
        let results = &self.gathered.borrow().results;
        let stopped = results.iter().any(RankResult::was_interrupted);
        !self.is_whole() || stopped || !results.is_empty() && !self.options.goes_on
    }

    /// Whether the others go on where one is lost.
    pub fn goes_on(&self) -> bool {
        self.options.goes_on
    }

    /// The name that rank 0 uses of a target, on the host of this name.
    ///
    /// # Errors
    /// The name does not fit the layout.
    pub fn own_path(&self, path: &Path, host: &str) -> Result<PathBuf, CommandError> {
        layout::named(path, self.options.layout, self.share(), host)
    }

    fn is_whole(&self) -> bool {
        self.lost.borrow().is_empty()
    }

    /// How many ranks there are.
    pub fn size(&self) -> u32 {
        self.share().size
    }

    /// Returns which of these names no rank's host has.
    pub fn unknown_hosts<'a>(&self, wanted: &'a [String]) -> Vec<&'a str> {
        let names = self.names.borrow();
        let is = |name: &str| {
            names
                .iter()
                .any(|host| host == name || host.split('.').next() == Some(name))
        };
        wanted
            .iter()
            .map(String::as_str)
            .filter(|name| !is(name))
            .collect()
    }

    /// Ranks that were lost so far.
    pub fn lost(&self) -> Vec<Lost> {
        self.lost.borrow().clone()
    }

    /// Halts all ranks when `stop` is asked for.
    pub fn listen(&self, stop: &Stop) {
        self.job.listen(stop.flag());
    }

    /// Returns what counts for this rank.
    pub(crate) fn counter(&self) -> Counter {
        self.job.counter()
    }

    /// Waits until every rank has created and proven its files, as rank 0 has with this result.
    ///
    /// # Errors
    /// What kept a rank from it.
    pub fn prepared<T>(&self, own: Result<T, CommandError>) -> Result<T, CommandError> {
        if !self.is_first() {
            self.answer_prepared(own.as_ref().err().map(ToString::to_string));
            return own;
        }
        let answer = match &own {
            Ok(_) => Prepared { problem: None },
            Err(error) => Prepared {
                problem: Some(error.to_string()),
            },
        };
        let reply = self.round(orders::PREPARE, None, &(), &mut |_| to_bytes(&answer))?;
        let own = own?;
        self.all_here(&reply)?;
        let answers: Vec<(u32, Prepared)> = read_all(&reply.items)?;
        answers::all_prepared(&answers, &self.names.borrow())?;
        Ok(own)
    }

    /// The meeting of this rank.
    pub(crate) fn meeting(self: &Rc<Self>) -> Meeting {
        Meeting(Rc::<Hosts>::clone(self))
    }

    /// Rank 0: agrees on the moment of the start.
    fn agree_on_start(&self) -> Result<Instant, CommandError> {
        let widest = self.measure_clocks(0)?;
        self.clocks_are_known()?;
        for attempt in 0..TRIES {
            let ahead = ahead(widest, self.share().size, attempt);
            let moment = self.job.now().plus(ahead);
            let reply = self.round(orders::GO, Some(moment), &(), &mut |_| {
                to_bytes(&Ready::Slack(0))
            })?;
            self.all_here(&reply)?;
            let answers: Vec<(u32, Ready)> = read_all(&reply.items)?;
            if !answers::all_in_time(&answers, &self.names.borrow())? {
                continue;
            }
            // A rank that receives it late begins late, and its record shows that.
            let step = self.job.order(orders::BEGIN, None, Vec::new());
            self.job.answer(step, Vec::new(), None);
            self.job.measures(true);
            return Ok(self.job.instant(moment));
        }
        Err(CommandError::failed(format!(
            "the start was put off {TRIES} times, because a rank heard of it after its moment: is a host overloaded?"
        )))
    }

    /// Refuses a rank whose clock was compared so badly that no common start can be named.
    fn clocks_are_known(&self) -> Result<(), CommandError> {
        let mut ranks = (0u32..).zip(self.clocks.borrow()[0].clone());
        let unknown = ranks.find_map(|(rank, clock)| {
            let uncertainty = Nanos(clock?.0.uncertainty_ns);
            (uncertainty > UNCERTAINTY_MAX).then_some((rank, uncertainty))
        });
        unknown.map_or(Ok(()), |(rank, uncertainty)| {
            let (host, s) = (self.name(rank), uncertainty.0 / 1_000_000_000);
            Err(CommandError::failed(format!(
                "rank {rank} on {host}: its clock is known to within {s} s only, so no common start can be named: is the network overloaded?"
            )))
        })
    }

    /// Rank 0: asks all ranks for the most that a task has done, and reports it to them.
    fn agree_on_level(&self, own: u64) -> Result<u64, CommandError> {
        let asked: Option<u64> = None;
        let reply = self.round(orders::LEVEL, None, &asked, &mut |_| to_bytes(&Some(own)))?;
        self.note_lost(&reply);
        let answers: Vec<(u32, Option<u64>)> = read_all(&reply.items)?;
        let most = answers.into_iter().filter_map(|(_, most)| most).max();
        let step = self.job.order(orders::LEVEL, None, to_bytes(&most));
        self.job.answer(step, Vec::new(), None);
        most.ok_or_else(|| CommandError::failed("no rank has a task"))
    }

    /// Compares all clocks; returns the widest uncertainty and the slowest way together.
    fn measure_clocks(&self, place: usize) -> Result<Nanos, CommandError> {
        let reply = self.round(CLOCK, None, &(), &mut |_| Vec::new())?;
        self.note_lost(&reply);
        let all = compose(&reply.items, self.share().size);
        let widest = all
            .iter()
            .flatten()
            .map(|(sum, _)| sum.uncertainty_ns)
            .max();
        let slowest = all.iter().flatten().map(|(_, edge)| edge.median_ns).max();
        self.clocks.borrow_mut()[place] = all;
        Ok(Nanos(
            widest
                .unwrap_or(0)
                .saturating_add(slowest.unwrap_or(0).saturating_mul(4)),
        ))
    }

    /// Collects the results of all ranks. Returns the record of rank 0 with its place in the job.
    pub(crate) fn gather(&self, mut record: RunRecord) -> Result<RunRecord, CommandError> {
        record.engine.rank = Some(self.rank_record(self.share().rank).into());
        if !self.is_first() {
            return Ok(record);
        }
        self.job.measures(false);
        self.measure_clocks(1)?;
        record.engine.rank = Some(self.rank_record(0).into());
        let mut own = Some(to_bytes(&Ok::<Option<&RunRecord>, String>(Some(&record))));
        let sums = Sums::of(&record);
        let reply = self.round_with(orders::GATHER, None, &(), &mut |_| {
            (own.take().unwrap_or_default(), Some(sums.clone()))
        })?;
        self.note_lost(&reply);
        let mut results: Vec<RankResult> = Vec::new();
        for item in &reply.items {
            let outcome: Result<Option<RunRecord>, String> = read(&item.body)
                .unwrap_or_else(|error| Err(format!("its result cannot be read: {error}")));
            let Some(outcome) = outcome.transpose() else {
                continue; // it had no task
            };
            let outcome = outcome.map(|mut record| {
                if let Some(rank) = record.engine.rank_mut() {
                    (rank.clock_before, rank.clock_after) = self.clocks_of(item.rank);
                }
                record
            });
            results.push(RankResult {
                rank: item.rank,
                host: self.name(item.rank),
                stored: None,
                outcome,
            });
        }
        for lost in self.missing(&results) {
            let host = self.name(lost.rank);
            results.push(RankResult {
                rank: lost.rank,
                host,
                stored: None,
                outcome: Err(format!("host-lost: {}", lost.reason)),
            });
        }
        results.sort_by_key(|result| result.rank);
        let sums = reply.sums;
        self.gathered.replace(Gathered { results, sums });
        Ok(record)
    }

    fn missing(&self, results: &[RankResult]) -> Vec<Lost> {
        let lost = self.lost.borrow();
        let here = |rank: u32| results.iter().any(|result| result.rank == rank);
        let missing = (0..self.sharing.get().ranks).filter(|rank| !here(*rank));
        let named = |rank: u32| {
            let known = lost.iter().find(|lost| lost.rank == rank);
            known.cloned().unwrap_or_else(|| Lost {
                rank,
                reason: "it did not answer".to_owned(),
            })
        };
        missing.map(named).collect()
    }

    fn rank_record(&self, rank: u32) -> RankRecord {
        let (clock_before, clock_after) = self.clocks_of(rank);
        let usable = std::thread::available_parallelism().map_or(1, usize::from);
        RankRecord {
            job: format!("{:016x}", self.id.get()),
            rank,
            size: self.sharing.get().ranks,
            layout: self.sharing.get().layout,
            transport: self.transport().to_owned(),
            late: self.late.get(),
            clock_before,
            clock_after,
            usable_cores: u32::try_from(usable).unwrap_or(u32::MAX),
        }
    }

    fn clocks_of(&self, rank: u32) -> (Option<ClockOffset>, Option<ClockOffset>) {
        let clocks = self.clocks.borrow();
        let of = |place: usize| {
            let (sum, edge) = clocks[place].get(rank as usize).copied().flatten()?;
            Some(ClockOffset {
                offset_ns: sum.offset_ns,
                uncertainty: Nanos(sum.uncertainty_ns),
                shortest: Nanos(edge.shortest_ns),
                median: Nanos(edge.median_ns),
            })
        };
        (of(0), of(1))
    }

    fn name(&self, rank: u32) -> String {
        let names = self.names.borrow();
        names
            .get(rank as usize)
            .cloned()
            .unwrap_or_else(|| "unknown".to_owned())
    }

    /// Adds newly lost ranks to those that are known.
    fn note_lost(&self, reply: &Reply) {
        let mut lost = self.lost.borrow_mut();
        for one in &reply.lost {
            if !lost.iter().any(|known| known.rank == one.rank) {
                lost.push(one.clone());
            }
        }
    }

    /// Before the start every rank has to be there.
    fn all_here(&self, reply: &Reply) -> Result<(), CommandError> {
        self.note_lost(reply);
        let lost = self.lost.borrow();
        if lost.is_empty() {
            return Ok(());
        }
        let named = lost.iter().map(|lost| {
            format!(
                "rank {} ({}): {}",
                lost.rank,
                self.name(lost.rank),
                lost.reason
            )
        });
        let named: Vec<String> = named.collect();
        Err(CommandError::failed(format!(
            "host-lost: {}; nothing was measured",
            named.join("; ")
        )))
    }

    fn round(
        &self,
        kind: u8,
        moment: Option<Nanos>,
        body: &impl Serialize,
        perform: &mut dyn FnMut(&Order) -> Vec<u8>,
    ) -> Result<Reply, CommandError> {
        self.round_with(kind, moment, body, &mut |order| (perform(order), None))
    }

    /// Rank 0: gives an order, performs it here, and waits for the answers of all.
    fn round_with(
        &self,
        kind: u8,
        moment: Option<Nanos>,
        body: &impl Serialize,
        perform: &mut dyn FnMut(&Order) -> Answer,
    ) -> Result<Reply, CommandError> {
        let step = self.job.order(kind, moment, to_bytes(body));
        loop {
            match self.job.event(LOOK_EVERY) {
                Some(Event::Perform(order)) if order.step == step => {
                    let (answer, sums) = perform(&order);
                    self.job.answer(step, answer, sums);
                }
                Some(Event::Done(of, reply)) if of == step => return Ok(*reply),
                Some(Event::End(_)) => return Err(CommandError::failed("the job has ended")),
                Some(Event::Perform(_) | Event::Done(..) | Event::Alarm(_)) | None => {}
            }
        }
    }
}

impl RankResult {
    fn was_interrupted(&self) -> bool {
        matches!(&self.outcome, Ok(record) if record.outcome == Outcome::Interrupted)
    }
}

impl Meet for Hosts {
    fn meet(&self, stop: &Stop) -> Result<Instant, RunError> {
        let called_off = |why: String| RunError::CalledOff { why };
        let moment = match self.is_first() {
            true => self
                .agree_on_start()
                .map_err(|error| called_off(error.to_string())),
            false => self.hear_start().map_err(called_off),
        };
        match moment {
            Ok(_) if stop.asked() => Err(called_off("it was interrupted".to_owned())),
            moment => moment,
        }
    }

    fn began(&self, late: Nanos) {
        self.late.set(late);
    }

    fn most(&self, own: u64) -> Option<u64> {
        self.job.measures(false); // no task of this host works meanwhile
        let most = match self.is_first() {
            true => self.agree_on_level(own).ok(),
            false => self.hear_level(own),
        };
        self.job.measures(true);
        most
    }
}

/// `rank 3, n3`.
fn label(rank: u32, host: &str) -> String {
    format!("rank {rank}, {host}")
}

/// Whether a run is to halt all others: it failed by itself.
fn failed(outcome: &Result<RunRecord, String>) -> bool {
    match outcome {
        Ok(record) => matches!(record.outcome, Outcome::Failed(_)),
        Err(_) => true,
    }
}

fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("records have only text keys")
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CommandError> {
    serde_json::from_slice(bytes).map_err(|error| {
        CommandError::failed(format!("a rank answered something unreadable: {error}"))
    })
}

fn read_all<T: DeserializeOwned>(items: &[Item]) -> Result<Vec<(u32, T)>, CommandError> {
    let mut all: Vec<(u32, T)> = Vec::with_capacity(items.len());
    for item in items {
        all.push((item.rank, read(&item.body)?));
    }
    all.sort_by_key(|(rank, _)| *rank);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_further_ahead_with_more_ranks_and_at_each_attempt() {
        let fast = Nanos::micros(50);
        assert_eq!(ahead(fast, 2, 0), AHEAD_MIN);
        assert_eq!(ahead(fast, 256, 0), Nanos::millis(1024));
        assert_eq!(ahead(fast, 256, 3), Nanos::millis(8192));
        assert_eq!(ahead(Nanos::seconds(1), 2, 0), Nanos::seconds(8));
    }
}
