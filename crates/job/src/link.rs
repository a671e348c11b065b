//! The thread of a rank that moves frames: between the state machine and the transport, while other threads work.
//!
//! It is the only one that calls the transport. Nothing of it is on the path of an I/O: while I/Os are measured it wakes 50
//! times a second. Omitted: what orders mean.

use crate::frame::Frame;
use crate::node::{Action, End, FINISH, Node, Order, Progress, Settings};
use crate::reply::Reply;
use crate::sums::Sums;
use crate::transport::{Received, Transport};
use crate::tree::Tree;
use model::Nanos;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use thiserror::Error;

/// From one check of the transport to the next, while ranks agree.
const LOOK_AGREEING: Duration = Duration::from_micros(200);
/// The same while I/Os are measured.
const LOOK_MEASURING: Duration = Duration::from_millis(20);
/// How long rank 0 waits for all to confirm the end.
const FINISH_MAX: Duration = Duration::from_secs(5);

/// Why there is no job.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct JobError(pub String);

/// What happened to a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An order came: perform it, and answer it.
    Perform(Order),
    /// Rank 0: all answers to the order of this number.
    Done(u32, Box<Reply>),
    /// Rank 0: a rank could not complete its run.
    Alarm(u32),
    /// Nothing more comes.
    End(End),
}

/// Who is in a job, and by what they are connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    /// This one.
    pub rank: u32,
    /// All of them.
    pub size: u32,
    /// What moves their messages, for people.
    pub transport: String,
}

/// The rank that this process is.
#[derive(Debug)]
pub struct Job {
    members: Members,
    commands: Sender<Command>,
    events: Receiver<Event>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    steps: Cell<u32>,
}

/// Takes what a rank counted so far, for the others.
#[derive(Clone, Debug)]
pub struct Counter(Arc<Shared>);

impl Counter {
    /// Takes what this rank counted, and returns what all did together as far as is known.
    pub fn set(&self, own: Progress) -> Progress {
        let [ios, bytes] = &self.0.own;
        ios.store(own.ios, Ordering::Relaxed);
        bytes.store(own.bytes, Ordering::Relaxed);
        let [ios, bytes] = &self.0.all;
        Progress {
            ios: ios.load(Ordering::Relaxed).max(own.ios),
            bytes: bytes.load(Ordering::Relaxed).max(own.bytes),
        }
    }
}

enum Command {
    Order(u8, Option<u64>, Vec<u8>),
    Answer(u32, Vec<u8>, Option<Sums>),
    Alarm,
    Close,
    Abort,
}

/// What the thread and its owner share.
#[derive(Debug)]
struct Shared {
    /// The origin of the clock of this rank.
    epoch: Instant,
    measures: AtomicBool,
    stop: OnceLock<Arc<AtomicBool>>,
    own: [AtomicU64; 2],
    all: [AtomicU64; 2],
    lost_any: AtomicBool,
    halts_on_alarm: AtomicBool,
}

impl Shared {
    #[allow(
        clippy::disallowed_methods,
        reason = "the clock of a rank; it is compared with those of other hosts"
    )]
    fn now(&self) -> Nanos {
        Nanos(
            u64::try_from(Instant::now().duration_since(self.epoch).as_nanos()).expect("500 years"),
        )
    }

    fn stops(&self) -> bool {
        self.stop
            .get()
            .is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

impl Job {
    /// Connects to the others. `open` is called on the thread that uses the transport.
    ///
    /// # Errors
    /// There is no transport.
    #[allow(
        clippy::disallowed_methods,
        reason = "the origin of the clock of this rank"
    )]
    pub fn connect(
        open: impl FnOnce() -> Result<Box<dyn Transport>, JobError> + Send + 'static,
        fan_out: u32,
        host_timeout: Nanos,
    ) -> Result<Job, JobError> {
        let shared = Arc::new(Shared {
            epoch: Instant::now(),
            measures: AtomicBool::new(false),
            stop: OnceLock::new(),
            own: Default::default(),
            all: Default::default(),
            lost_any: AtomicBool::new(false),
            halts_on_alarm: AtomicBool::new(true),
        });
        let (commands, received) = channel();
        let (sender, events) = channel();
        let (opened, members) = channel();
        let its = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("fathom-job".to_owned())
            .spawn(move || match open() {
                Err(error) => drop(opened.send(Err(error))),
                Ok(transport) => {
                    let members = Members {
                        rank: transport.rank(),
                        size: transport.size(),
                        transport: transport.name(),
                    };
                    let tree = Tree {
                        size: members.size,
                        fan_out,
                    };
                    let settings = Settings {
                        tree,
                        rank: members.rank,
                        host_timeout,
                    };
                    let mut link = Link {
                        node: Node::new(settings, its.now()),
                        transport,
                        shared: its,
                        events: sender,
                        end: None,
                    };
                    link.watch_peers(settings);
                    let _ = opened.send(Ok(members));
                    link.run(&received);
                }
            });
        let thread =
            thread.map_err(|error| JobError(format!("no thread can be started: {error}")))?;
        let members = members
            .recv()
            .map_err(|_| JobError("the transport ended at its start".to_owned()))??;
        Ok(Job {
            members,
            commands,
            events,
            shared,
            thread: Some(thread),
            steps: Cell::new(0),
        })
    }

    /// Who is in it.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// Returns the time on the clock of this rank.
    pub fn now(&self) -> Nanos {
        self.shared.now()
    }

    /// Returns a moment on the clock of this rank as one of the system's.
    pub fn instant(&self, moment: Nanos) -> Instant {
        self.shared.epoch + moment.as_duration()
    }

    /// Halts all ranks when `stop` is set, if this is rank 0, and sets it when they halt.
    pub fn listen(&self, stop: Arc<AtomicBool>) {
        // The first one counts: a process has one stop flag.
        let _ = self.shared.stop.set(stop);
    }

    /// Rank 0: gives an order. It is performed here, too: its event comes as for any other rank.
    /// Returns its number.
    pub fn order(&self, kind: u8, moment: Option<Nanos>, body: Vec<u8>) -> u32 {
        self.steps.set(self.steps.get() + 1);
        self.command(Command::Order(kind, moment.map(|moment| moment.0), body));
        self.steps.get()
    }

    /// Whether rank 0 halts all where one rank cannot complete its run.
    pub fn halts_on_alarm(&self, halts: bool) {
        self.shared.halts_on_alarm.store(halts, Ordering::Relaxed);
    }

    /// Answers an order.
    pub fn answer(&self, step: u32, body: Vec<u8>, sums: Option<Sums>) {
        self.command(Command::Answer(step, body, sums));
    }

    /// Reports that this rank could not complete its run.
    pub fn alarm(&self) {
        self.command(Command::Alarm);
    }

    /// Ends all processes of the job at once, without their results.
    pub fn abort(&self) {
        self.command(Command::Abort);
    }

    /// Whether I/Os are measured, so that the thread wakes rarely.
    pub fn measures(&self, measures: bool) {
        self.shared.measures.store(measures, Ordering::Relaxed);
    }

    /// Returns what counts for this rank, on any thread.
    pub fn counter(&self) -> Counter {
        Counter(Arc::clone(&self.shared))
    }

    /// Waits for what happens next; `None` after `limit`.
    pub fn event(&self, limit: Duration) -> Option<Event> {
        match self.events.recv_timeout(limit) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Event::End(End::Abandoned)),
        }
    }

    fn command(&self, command: Command) {
        // A thread that has ended reported it in its last event.
        let _ = self.commands.send(command);
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if self.members.rank == 0 {
            let whole = !self.shared.lost_any.load(Ordering::Relaxed);
            self.order(FINISH, None, vec![u8::from(whole)]);
            while let Some(event) = self.event(FINISH_MAX) {
                if matches!(event, Event::End(_)) {
                    break;
                }
            }
        }
        self.command(Command::Close);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it panics with its own message
        }
    }
}

/// What the thread works with.
struct Link {
    node: Node,
    transport: Box<dyn Transport>,
    shared: Arc<Shared>,
    events: Sender<Event>,
    end: Option<End>,
}

impl Link {
    fn watch_peers(&mut self, settings: Settings) {
        let (tree, rank) = (settings.tree, settings.rank);
        let peers: Vec<u32> = tree.ancestors(rank).chain(tree.children(rank)).collect();
        peers
            .into_iter()
            .for_each(|peer| self.transport.watch(peer));
    }

    fn run(&mut self, commands: &Receiver<Command>) {
        loop {
            let mut is_idle = true;
            while let Ok(command) = commands.try_recv() {
                is_idle = false;
                if self.obeys(command) {
                    let whole = self.end == Some(End::Finished) && self.node.is_whole();
                    self.transport.close(whole);
                    return;
                }
            }
            while let Some((from, received)) = self.transport.receive() {
                is_idle = false;
                self.take(from, received);
            }
            self.keep_going();
            match is_idle {
                false => {}
                true if self.node.measures_clock() => std::thread::yield_now(),
                true if self.shared.measures.load(Ordering::Relaxed) => {
                    std::thread::sleep(LOOK_MEASURING);
                }
                true => std::thread::sleep(LOOK_AGREEING),
            }
        }
    }

    /// Returns whether it was the last command.
    fn obeys(&mut self, command: Command) -> bool {
        let now = self.shared.now();
        let actions = match command {
            Command::Order(kind, moment, body) => self.node.order(kind, moment, body, now),
            Command::Answer(step, body, sums) => self.node.answer(step, body, sums),
            Command::Alarm => self.node.alarm(),
            Command::Abort => {
                self.transport.abort();
                Vec::new()
            }
            Command::Close => return true,
        };
        self.act(actions);
        false
    }

    fn take(&mut self, from: u32, received: Received) {
        let now = self.shared.now();
        let actions = match received {
            Received::Gone(reason) => self.node.gone(from, &reason, now),
            Received::Frame(bytes) => match Frame::decode(&bytes) {
                Ok(frame) => self.node.receive(from, frame, now),
                Err(error) => self.node.gone(from, &error.to_string(), now),
            },
        };
        self.act(actions);
    }

    /// Signs of life, the stop flag, and what all counted.
    fn keep_going(&mut self) {
        let [ios, bytes] = &self.shared.own;
        self.node.set_progress(Progress {
            ios: ios.load(Ordering::Relaxed),
            bytes: bytes.load(Ordering::Relaxed),
        });
        let sum = self.node.progress();
        let [ios, bytes] = &self.shared.all;
        ios.store(sum.ios, Ordering::Relaxed);
        bytes.store(sum.bytes, Ordering::Relaxed);
        if self.transport.rank() == 0 && self.shared.stops() {
            let actions = self.node.halt();
            self.act(actions);
        }
        let now = self.shared.now();
        if now >= self.node.due() {
            let actions = self.node.tick(now);
            self.act(actions);
        }
    }

    fn act(&mut self, actions: Vec<Action>) {
        for action in actions {
            let event = match action {
                Action::Send(to, frame) => {
                    self.transport.send(to, frame.encode());
                    continue;
                }
                Action::Watch(rank) => {
                    self.transport.watch(rank);
                    continue;
                }
                Action::Halt => {
                    if let Some(stop) = self.shared.stop.get() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    continue;
                }
                Action::Perform(order) => Event::Perform(order),
                Action::Done(reply) => {
                    if !reply.lost.is_empty() {
                        self.shared.lost_any.store(true, Ordering::Relaxed);
                    }
                    Event::Done(self.node.step(), reply)
                }
                Action::Alarm(rank) => {
                    if self.shared.halts_on_alarm.load(Ordering::Relaxed) {
                        let actions = self.node.halt();
                        self.act(actions);
                    }
                    Event::Alarm(rank)
                }
                Action::End(end) => {
                    self.end = Some(end);
                    Event::End(end)
                }
            };
            let _ = self.events.send(event); // there is no receiver at the end
        }
    }
}
