//! Ranks in simulated time: frames take time, clocks differ, and ranks die when a test requests it.

use job::{
    Action, CLOCK, End, FINISH, Frame, Lost, Node, Offset, Order, Reply, Settings, Sums, Tree,
    compose,
};
use model::Nanos;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

pub(crate) const CHECK: u8 = 1;
pub(crate) const GO: u8 = 2;
pub(crate) const RUN: u8 = 3;
pub(crate) const GATHER: u8 = 4;
/// What rank 0 orders, one after another.
pub(crate) const SCRIPT: [u8; 7] = [CHECK, CLOCK, GO, RUN, CLOCK, GATHER, FINISH];
pub(crate) const TIMEOUT: Nanos = Nanos::seconds(5);

enum What {
    Arrives { from: u32, frame: Vec<u8> },
    Answers(Order),
    Ticks,
    Hears(u32),
}

/// Everything that a test asks afterwards.
pub(crate) struct World {
    pub(crate) now: u64,
    pub(crate) events: u64,
    pub(crate) ends: Vec<Option<End>>,
    pub(crate) dead: Vec<bool>,
    pub(crate) skews: Vec<u64>,
    /// Answers to each order of the script, as far as it came.
    pub(crate) replies: Vec<Reply>,
    pub(crate) lost: Vec<Lost>,
    /// Which rank performed which kind, and how many had answered the check by then.
    pub(crate) performed: Vec<(u32, u8, Option<u64>, u32)>,
    pub(crate) offsets: Vec<Option<Offset>>,
    pub(crate) cpu_of_rank_0: Duration,
    pub(crate) frame_max: usize,
    nodes: Vec<Node>,
    checked: u32,
    step: usize,
    queue: BinaryHeap<Reverse<(u64, u64, u32, usize)>>,
    whats: Vec<Option<What>>,
    random: u64,
    latency_ns: u64,
    run_ns: u64,
    sums: fn(u32) -> Sums,
}

pub(crate) struct Death {
    pub(crate) rank: u32,
    pub(crate) at_event: u64,
    /// The transport reports it.
    pub(crate) is_noticed: bool,
}

impl World {
    pub(crate) fn new(tree: Tree, seed: u64, run: Nanos, sums: fn(u32) -> Sums) -> World {
        let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let skews: Vec<u64> = (0..tree.size)
            .map(|rank| {
                if rank == 0 {
                    0
                } else {
                    next(&mut random) % 1_000_000_000_000
                }
            })
            .collect();
        let nodes = (0..tree.size).zip(&skews).map(|(rank, &skew)| {
            Node::new(
                Settings {
                    tree,
                    rank,
                    host_timeout: TIMEOUT,
                },
                Nanos(skew),
            )
        });
        World {
            now: 0,
            events: 0,
            ends: vec![None; tree.size as usize],
            dead: vec![false; tree.size as usize],
            nodes: nodes.collect(),
            skews,
            replies: Vec::new(),
            lost: Vec::new(),
            performed: Vec::new(),
            offsets: Vec::new(),
            cpu_of_rank_0: Duration::ZERO,
            frame_max: 0,
            checked: 0,
            step: 0,
            queue: BinaryHeap::new(),
            whats: Vec::new(),
            random,
            latency_ns: 50_000,
            run_ns: run.0,
            sums,
        }
    }

    /// Runs until nothing is left to do.
    pub(crate) fn run(&mut self, death: Option<&Death>) {
        for rank in 0..self.size() {
            self.schedule(1_000_000_000, rank, What::Ticks);
        }
        self.give_order();
        while let Some(Reverse((at, _, rank, what))) = self.queue.pop() {
            let what = self.whats[what].take().expect("it happens once");
            if let Some(death) = death.filter(|death| death.at_event == self.events) {
                self.kill(death);
            }
            self.events += 1;
            if self.is_over(rank) {
                continue;
            }
            self.now = at;
            self.happens(rank, what);
        }
    }

    fn happens(&mut self, rank: u32, what: What) {
        let now = self.clock(rank);
        let begin = began();
        let node = &mut self.nodes[rank as usize];
        let actions = match what {
            What::Arrives { from, frame } => {
                node.receive(from, Frame::decode(&frame).unwrap(), now)
            }
            What::Hears(gone) => node.gone(gone, "closed", now),
            What::Ticks => {
                let actions = node.tick(now);
                self.schedule(1_000_000_000, rank, What::Ticks);
                actions
            }
            What::Answers(order) => {
                self.checked += u32::from(order.kind == CHECK);
                let sums = (order.kind == GATHER).then(|| (self.sums)(rank));
                node.answer(order.step, rank.to_le_bytes().to_vec(), sums)
            }
        };
        if rank == 0 {
            self.cpu_of_rank_0 += begin.elapsed();
        }
        self.act(rank, actions);
    }

    fn act(&mut self, rank: u32, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Send(to, frame) => {
                    let begin = began();
                    let frame = frame.encode();
                    if rank == 0 {
                        self.cpu_of_rank_0 += begin.elapsed();
                    }
                    self.frame_max = self.frame_max.max(frame.len());
                    let spread = self.latency_ns * 7 / 10
                        + next(&mut self.random) % (self.latency_ns * 6 / 10);
                    self.schedule(spread, to, What::Arrives { from: rank, frame });
                }
                Action::Perform(order) => {
                    self.performed
                        .push((rank, order.kind, order.moment, self.checked));
                    let takes = match order.kind {
                        RUN => self.run_ns,
                        _ => next(&mut self.random) % 2_000_000,
                    };
                    self.schedule(takes, rank, What::Answers(order));
                }
                Action::Done(reply) => self.done(*reply),
                Action::End(end) => self.ends[rank as usize] = Some(end),
                Action::Watch(_) | Action::Halt | Action::Alarm(_) => {}
            }
        }
    }

    /// What rank 0 does with all answers to an order.
    fn done(&mut self, reply: Reply) {
        let kind = SCRIPT[self.step];
        if kind == CLOCK {
            let composed = compose(&reply.items, self.size());
            self.offsets = composed
                .iter()
                .map(|one| one.map(|(offset, _)| offset))
                .collect();
        }
        self.lost.extend(reply.lost.iter().cloned());
        self.replies.push(reply);
        if kind == FINISH {
            return;
        }
        let missing = self.lost.len();
        self.step = match kind {
            CHECK | CLOCK | GO if missing > 0 && self.step < 3 => SCRIPT.len() - 1,
            _ => self.step + 1,
        };
        self.give_order();
    }

    fn give_order(&mut self) {
        let kind = SCRIPT[self.step];
        let moment = (kind == GO).then_some(self.now + 100_000_000);
        let now = self.clock(0);
        let actions = self.nodes[0].order(kind, moment, vec![1], now);
        self.act(0, actions);
    }

    fn kill(&mut self, death: &Death) {
        self.dead[death.rank as usize] = true;
        if death.is_noticed {
            for rank in 0..self.size() {
                self.schedule(1_000_000, rank, What::Hears(death.rank));
            }
        }
    }

    fn is_over(&self, rank: u32) -> bool {
        self.dead[rank as usize] || self.ends[rank as usize].is_some()
    }

    fn clock(&self, rank: u32) -> Nanos {
        Nanos(self.now + self.skews[rank as usize])
    }

    fn schedule(&mut self, after: u64, rank: u32, what: What) {
        let number = self.whats.len();
        self.whats.push(Some(what));
        self.queue
            .push(Reverse((self.now + after, number as u64, rank, number)));
    }

    pub(crate) fn size(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap()
    }
}

#[allow(clippy::disallowed_methods, reason = "a figure that is printed")]
fn began() -> Instant {
    Instant::now()
}

/// Xorshift; source: Marsaglia, Xorshift RNGs, Journal of Statistical Software 8 (2003).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
