//! One rank as a state machine without input and output: frames and the time come in, actions come out.
//!
//! An order passes down the tree, is performed by each rank, and its answers come up joined. A child that is silent for too
//! long is lost: its parent names it and adopts its children. A rank whose parent is silent waits to be adopted, and ends
//! where that does not happen. Omitted: what an order means, and how frames travel.

use crate::clock::Exchanges;
use crate::frame::{Frame, Kind};
use crate::reply::{Item, Lost, Reply};
use crate::sums::Sums;
use crate::tree::Tree;
use model::Nanos;
use std::collections::BTreeSet;
use std::mem;

/// Measure the clock; each node does this by itself.
pub const CLOCK: u8 = 255;
/// The job is over.
pub const FINISH: u8 = 254;
/// From one sign of life to the next.
pub(crate) const HEARTBEAT: Nanos = Nanos::seconds(1);
/// An order without a moment.
const NO_MOMENT: u64 = u64::MAX;

/// What a node is given.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// All ranks.
    pub tree: Tree,
    /// Its number.
    pub rank: u32,
    /// How long another rank may be silent before it is lost.
    pub host_timeout: Nanos,
}

/// Something to perform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Its number, from 1.
    pub step: u32,
    /// What it is, in the words of the session.
    pub kind: u8,
    /// When, on this rank's clock; none where the order has no time, or this clock was not compared with that of rank 0.
    pub moment: Option<u64>,
    /// What belongs to it.
    pub body: Vec<u8>,
}

/// What was counted so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Completed.
    pub ios: u64,
    /// Transferred.
    pub bytes: u64,
}

/// How a rank's part ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By rank 0.
    Finished,
    /// Another rank counts it as lost.
    Dismissed,
    /// No rank above was heard for too long.
    Abandoned,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Send a frame to a rank.
    Send(u32, Frame),
    /// Frames of this rank may come from now on.
    Watch(u32),
    /// Perform an order, and answer it.
    Perform(Order),
    /// Rank 0: all answers to the current order.
    Done(Box<Reply>),
    /// Stop issuing I/Os.
    Halt,
    /// Rank 0: a rank could not complete its run.
    Alarm(u32),
    /// Nothing more comes.
    End(End),
}

#[derive(Debug)]
struct Child {
    rank: u32,
    heard: Nanos,
    /// Its answers to the current order are in.
    done: bool,
    progress: Progress,
}

/// The rank above.
#[derive(Debug)]
struct Above {
    /// Which; none of rank 0.
    rank: Option<u32>,
    heard: Nanos,
    /// Of the running measurement of the clock.
    exchanges: Option<Exchanges>,
    /// By how much its clock is ahead.
    edge_ns: Option<i64>,
}

/// One rank.
#[derive(Debug)]
pub struct Node {
    settings: Settings,
    above: Above,
    children: Vec<Child>,
    order: Option<Order>,
    /// Its own answer to the order.
    own: Option<Reply>,
    /// Those of its children, and what was lost.
    gathered: Reply,
    /// What was sent up, for a new parent.
    sent_up: Option<Vec<u8>>,
    beat: Nanos,
    is_halted: bool,
    progress: Progress,
    end: Option<End>,
}

impl Node {
    /// A rank that begins now. Its peers are those of [`Tree::ancestors`] and [`Tree::children`].
    pub fn new(settings: Settings, now: Nanos) -> Node {
        let tree = settings.tree;
        let mut node = Node {
            settings,
            above: Above {
                rank: tree.parent(settings.rank),
                heard: now,
                exchanges: None,
                edge_ns: (settings.rank == 0).then_some(0),
            },
            children: Vec::new(),
            order: None,
            own: None,
            gathered: Reply::default(),
            sent_up: None,
            beat: now,
            is_halted: false,
            progress: Progress::default(),
            end: None,
        };
        node.children = node.child_states(settings.rank, false, now);
        node
    }

    /// Rank 0: gives an order, in place of the one before.
    pub fn order(
        &mut self,
        kind: u8,
        moment: Option<u64>,
        body: Vec<u8>,
        now: Nanos,
    ) -> Vec<Action> {
        let step = self.step() + 1;
        let mut out = Vec::new();
        self.take_order(
            Order {
                step,
                kind,
                moment,
                body,
            },
            now,
            &mut out,
        );
        out
    }

    /// Answers an order for this rank. An answer to an earlier one is ignored.
    pub fn answer(&mut self, step: u32, body: Vec<u8>, sums: Option<Sums>) -> Vec<Action> {
        let mut out = Vec::new();
        if step == self.step() && self.own.is_none() {
            let item = Item {
                rank: self.settings.rank,
                body,
            };
            self.own = Some(Reply {
                items: vec![item],
                lost: Vec::new(),
                sums,
            });
            self.reply_if_complete(&mut out);
        }
        out
    }

    /// Rank 0: stops all ranks.
    pub fn halt(&mut self) -> Vec<Action> {
        let mut out = Vec::new();
        self.pass_halt(&mut out);
        out
    }

    /// Reports to rank 0 that this rank could not complete its run.
    pub fn alarm(&self) -> Vec<Action> {
        vec![self.report(self.settings.rank)]
    }

    /// Reports upward that a rank cannot complete its run.
    fn report(&self, rank: u32) -> Action {
        match self.above.rank {
            None => Action::Alarm(rank),
            Some(parent) => self.send(parent, Kind::Alarm, rank.to_le_bytes().to_vec()),
        }
    }

    /// Takes what this rank counted so far.
    pub fn set_progress(&mut self, progress: Progress) {
        self.progress = progress;
    }

    /// Returns what this rank and all below it counted so far.
    pub fn progress(&self) -> Progress {
        let all = self.children.iter().map(|child| child.progress);
        all.fold(self.progress, |sum, one| Progress {
            ios: sum.ios.saturating_add(one.ios),
            bytes: sum.bytes.saturating_add(one.bytes),
        })
    }

    /// Returns whether exchanges for the clock are on their way, whose round trips a sleep would lengthen.
    pub fn measures_clock(&self) -> bool {
        self.order.as_ref().is_some_and(|order| order.kind == CLOCK) && self.sent_up.is_none()
    }

    /// Returns whether the job ended with all of its ranks.
    pub fn is_whole(&self) -> bool {
        let order = self.order.as_ref();
        order.is_some_and(|order| order.kind == FINISH && order.body == [1])
    }

    /// Returns when [`Node::tick`] has something to do.
    pub fn due(&self) -> Nanos {
        self.beat.plus(HEARTBEAT)
    }

    /// Takes a frame that was received from `from`. `now` is when.
    pub fn receive(&mut self, from: u32, frame: Frame, now: Nanos) -> Vec<Action> {
        let mut out = Vec::new();
        if self.end.is_some() || frame.from != from {
            return out;
        }
        let is_above = self.is_below(self.settings.rank, from);
        if frame.kind == Kind::Adopt {
            if is_above {
                self.take_parent(from, &frame, now, &mut out);
            }
            return out;
        }
        if self.above.rank == Some(from) {
            self.above.heard = now;
            self.hear_parent(&frame, now, &mut out);
        } else if let Some(child) = self.children.iter_mut().find(|child| child.rank == from) {
            child.heard = now;
            self.hear_child(from, frame, now, &mut out);
        } else if frame.kind == Kind::Dismiss && is_above {
            self.finish(End::Dismissed, &mut out);
        }
        out
    }

    /// Takes that a rank is no longer there.
    pub fn gone(&mut self, rank: u32, reason: &str, now: Nanos) -> Vec<Action> {
        let mut out = Vec::new();
        if self.end.is_none() && rank == 0 && self.above.rank == Some(0) {
            self.finish(End::Abandoned, &mut out); // it has no parent
        } else if self.end.is_none() && self.children.iter().any(|child| child.rank == rank) {
            self.lose(rank, reason.to_owned(), now, &mut out);
        }
        out
    }

    /// Gives signs of life, and finds who gives none.
    pub fn tick(&mut self, now: Nanos) -> Vec<Action> {
        let mut out = Vec::new();
        if self.end.is_some() || now < self.due() {
            return out;
        }
        self.beat = now;
        let timeout = self.settings.host_timeout;
        let ends = self.ends();
        let silent: Vec<u32> = self
            .children
            .iter()
            .filter(|child| now.minus(child.heard) > timeout && !(ends && child.done))
            .map(|child| child.rank)
            .collect();
        for rank in silent {
            let reason = format!("it was silent for {} s", timeout.0 / 1_000_000_000);
            self.lose(rank, reason, now, &mut out);
        }
        // Twice as long as its parent's parent waits before it adopts this rank.
        if self.above.rank.is_some() && now.minus(self.above.heard) > timeout.plus(timeout) {
            self.finish(End::Abandoned, &mut out);
            return out;
        }
        let sum = self.progress();
        let body = [sum.ios.to_le_bytes(), sum.bytes.to_le_bytes()].concat();
        out.extend(
            self.above
                .rank
                .map(|parent| self.send(parent, Kind::Working, body)),
        );
        out.extend(self.to_children(Kind::Working));
        out
    }

    /// The number of the current order; 0 before the first.
    pub fn step(&self) -> u32 {
        self.order.as_ref().map_or(0, |order| order.step)
    }

    /// Whether the current order is the last one.
    fn ends(&self) -> bool {
        self.order
            .as_ref()
            .is_some_and(|order| order.kind == FINISH)
    }

    fn send(&self, to: u32, kind: Kind, body: Vec<u8>) -> Action {
        let order = self.order.as_ref();
        Action::Send(
            to,
            Frame {
                kind,
                flags: order.map_or(0, |order| order.kind),
                from: self.settings.rank,
                step: self.step(),
                body,
            },
        )
    }

    fn to_children(&self, kind: Kind) -> Vec<Action> {
        let children = self.children.iter();
        children
            .map(|child| self.send(child.rank, kind, Vec::new()))
            .collect()
    }

    fn child_states(&self, of: u32, done: bool, now: Nanos) -> Vec<Child> {
        let children = self.settings.tree.children(of);
        let state = |rank| Child {
            rank,
            heard: now,
            done,
            progress: Progress::default(),
        };
        children.map(state).collect()
    }

    /// The order as a child receives it: its moment is on this rank's clock.
    fn order_body(order: &Order) -> Vec<u8> {
        let moment = order.moment.unwrap_or(NO_MOMENT).to_le_bytes();
        [&moment[..], &order.body].concat()
    }

    fn take_order(&mut self, order: Order, now: Nanos, out: &mut Vec<Action>) {
        let body = Node::order_body(&order);
        self.order = Some(order.clone());
        self.own = None;
        self.sent_up = None;
        self.is_halted = false;
        self.progress = Progress::default();
        // What was lost since the last answer belongs to the next one.
        let lost = mem::take(&mut self.gathered.lost);
        self.gathered = Reply {
            lost,
            ..Reply::default()
        };
        for child in &mut self.children {
            (child.done, child.progress) = (false, Progress::default());
        }
        for child in &self.children {
            out.push(self.send(child.rank, Kind::Order, body.clone()));
        }
        match (order.kind, self.above.rank) {
            (CLOCK, Some(parent)) => {
                self.above.exchanges = Some(Exchanges::default());
                out.push(self.ping(parent, now));
            }
            (CLOCK | FINISH, _) => out.extend(self.answer(order.step, Vec::new(), None)),
            _ => out.push(Action::Perform(order)),
        }
    }

    fn ping(&self, parent: u32, now: Nanos) -> Action {
        self.send(parent, Kind::Ping, now.0.to_le_bytes().to_vec())
    }

    fn read_order(&self, frame: &Frame) -> Option<Order> {
        let (moment, body) = frame.body.split_first_chunk()?;
        let moment = Some(u64::from_le_bytes(*moment)).filter(|moment| *moment != NO_MOMENT);
        Some(Order {
            step: frame.step,
            kind: frame.flags,
            moment: moment
                .zip(self.above.edge_ns)
                .map(|(moment, edge)| moment.wrapping_add_signed(-edge)),
            body: body.to_vec(),
        })
    }

    fn hear_parent(&mut self, frame: &Frame, now: Nanos, out: &mut Vec<Action>) {
        match frame.kind {
            Kind::Order if frame.step > self.step() => {
                if let Some(order) = self.read_order(frame) {
                    self.take_order(order, now, out);
                }
            }
            Kind::Halt if frame.step == self.step() => self.pass_halt(out),
            Kind::Pong if frame.step == self.step() => self.take_pong(&frame.body, now, out),
            Kind::Dismiss => self.finish(End::Dismissed, out),
            _ => {}
        }
    }

    fn take_pong(&mut self, body: &[u8], now: Nanos, out: &mut Vec<Action>) {
        let (Some(parent), Some(exchanges)) = (self.above.rank, &mut self.above.exchanges) else {
            return;
        };
        let Some((sent, answered)) = body.split_first_chunk().zip(body.last_chunk()) else {
            return;
        };
        exchanges.take(
            u64::from_le_bytes(*sent.0),
            u64::from_le_bytes(*answered),
            now.0,
        );
        match exchanges.found(parent) {
            None => out.push(self.ping(parent, now)),
            Some(edge) => {
                self.above.exchanges = None;
                self.above.edge_ns = Some(edge.offset.offset_ns);
                let body = serde_json::to_vec(&edge).expect("numbers become text");
                out.extend(self.answer(self.step(), body, None));
            }
        }
    }

    fn hear_child(&mut self, from: u32, frame: Frame, now: Nanos, out: &mut Vec<Action>) {
        match frame.kind {
            Kind::Ping => {
                let pong = [&frame.body[..], &now.0.to_le_bytes()].concat();
                out.push(self.send(from, Kind::Pong, pong));
            }
            Kind::Alarm => match (self.above.rank, frame.body.first_chunk()) {
                (Some(parent), _) => out.push(self.send(parent, Kind::Alarm, frame.body)),
                (None, Some(rank)) => out.push(Action::Alarm(u32::from_le_bytes(*rank))),
                (None, None) => {}
            },
            Kind::Reply if frame.step == self.step() => match Reply::decode(&frame.body) {
                Ok(reply) => self.take_reply(from, reply, out),
                Err(error) => self.lose(from, error.to_string(), now, out),
            },
            Kind::Working => self.take_progress(from, &frame.body),
            _ => {}
        }
    }

    /// Whether a rank is below another one in the tree of all ranks.
    fn is_below(&self, rank: u32, above: u32) -> bool {
        let tree = self.settings.tree;
        rank < tree.size && tree.ancestors(rank).any(|one| one == above)
    }

    /// A rank answers for itself and for those below it, once each: it cannot answer in the name of another.
    fn take_reply(&mut self, from: u32, mut reply: Reply, out: &mut Vec<Action>) {
        let mut seen = BTreeSet::new();
        let mut is_its_own =
            |rank: u32| (rank == from || self.is_below(rank, from)) && seen.insert(rank);
        reply.items.retain(|item| is_its_own(item.rank));
        reply.lost.retain(|lost| self.is_below(lost.rank, from));
        let child = self
            .children
            .iter_mut()
            .find(|child| child.rank == from && !child.done);
        if let Some(child) = child {
            child.done = true;
            self.gathered.join(reply);
            self.reply_if_complete(out);
        }
    }

    fn take_progress(&mut self, from: u32, body: &[u8]) {
        let number = |at: usize| Some(u64::from_le_bytes(body.get(at..at + 8)?.try_into().ok()?));
        let child = self.children.iter_mut().find(|child| child.rank == from);
        if let (Some(child), Some(ios), Some(bytes)) = (child, number(0), number(8)) {
            child.progress = Progress { ios, bytes };
        }
    }

    fn reply_if_complete(&mut self, out: &mut Vec<Action>) {
        let waits = self.own.is_none() || self.children.iter().any(|child| !child.done);
        if waits || self.sent_up.is_some() {
            return;
        }
        let mut reply = mem::take(&mut self.gathered);
        reply.join(self.own.clone().expect("it was just seen"));
        let bytes = reply.encode();
        match self.above.rank {
            Some(parent) => out.push(self.send(parent, Kind::Reply, bytes.clone())),
            None => out.push(Action::Done(Box::new(reply))),
        }
        self.sent_up = Some(bytes);
        if self
            .order
            .as_ref()
            .is_some_and(|order| order.kind == FINISH)
        {
            self.finish(End::Finished, out);
        }
    }

    fn pass_halt(&mut self, out: &mut Vec<Action>) {
        if !mem::replace(&mut self.is_halted, true) {
            out.extend(self.to_children(Kind::Halt));
            out.push(Action::Halt);
        }
    }

    /// A child is lost: its children are this rank's from now on. What came from it before counts.
    fn lose(&mut self, rank: u32, reason: String, now: Nanos, out: &mut Vec<Action>) {
        let Some(at) = self.children.iter().position(|child| child.rank == rank) else {
            return;
        };
        let lost = self.children.remove(at);
        out.push(self.send(rank, Kind::Dismiss, Vec::new()));
        self.gathered.lost.push(Lost { rank, reason });
        // At the end no rank waits for the children of a lost rank: they may have ended already.
        let ends = self
            .order
            .as_ref()
            .is_some_and(|order| order.kind == FINISH);
        let adopted = self.child_states(rank, lost.done || ends, now);
        let body = self.order.as_ref().map_or(Vec::new(), Node::order_body);
        for child in &adopted {
            out.push(Action::Watch(child.rank));
            out.push(self.send(child.rank, Kind::Adopt, body.clone()));
            if self.is_halted {
                out.push(self.send(child.rank, Kind::Halt, Vec::new()));
            }
        }
        self.children.extend(adopted);
        if !self.ends() {
            out.push(self.report(rank));
        }
        if self.order.is_some() {
            self.reply_if_complete(out);
        }
    }

    /// The parent is lost, and `from` is the parent now. It receives what the old one may have taken with it.
    fn take_parent(&mut self, from: u32, frame: &Frame, now: Nanos, out: &mut Vec<Action>) {
        self.above.rank = Some(from);
        self.above.heard = now;
        self.above.edge_ns = None;
        if frame.step > self.step() {
            if let Some(order) = self.read_order(frame) {
                self.take_order(order, now, out);
            }
        } else if let Some(sent) = &self.sent_up {
            out.push(self.send(from, Kind::Reply, sent.clone()));
        } else if self.above.exchanges.is_some() {
            self.above.exchanges = Some(Exchanges::default());
            out.push(self.ping(from, now));
        }
    }

    fn finish(&mut self, end: End, out: &mut Vec<Action>) {
        if end != End::Finished {
            out.push(Action::Halt);
        }
        if end == End::Abandoned {
            out.extend(self.to_children(Kind::Dismiss)); // or each level would wait as long again
        }
        self.end = Some(end);
        out.push(Action::End(end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: u32 = 1;

    fn root() -> Node {
        let tree = Tree {
            size: 7,
            fan_out: 2,
        };
        let settings = Settings {
            tree,
            rank: 0,
            host_timeout: Nanos::seconds(9),
        };
        let mut node = Node::new(settings, Nanos(0));
        node.order(1, None, Vec::new(), Nanos(0));
        node
    }

    fn frame(from: u32, kind: Kind, body: Vec<u8>) -> Frame {
        Frame {
            kind,
            flags: 0,
            from,
            step: STEP,
            body,
        }
    }

    #[test]
    fn no_rank_commands_rank_0() {
        for from in [1, 2, 5, 6, 7, u32::MAX] {
            for kind in [Kind::Order, Kind::Halt, Kind::Adopt, Kind::Dismiss] {
                let mut node = root();
                let later = Frame {
                    step: STEP + 1,
                    ..frame(from, kind, vec![0; 64])
                };
                for frame in [frame(from, kind, vec![0; 64]), later] {
                    assert_eq!(node.receive(from, frame, Nanos(1)), []);
                }
                assert_eq!((node.end, node.is_halted), (None, false), "{kind:?}");
            }
        }
    }

    #[test]
    fn a_rank_answers_for_itself_and_those_below_it_and_once() {
        let mut node = root();
        let reply = |ranks: &[u32]| Reply {
            items: ranks
                .iter()
                .map(|&rank| Item {
                    rank,
                    body: vec![7],
                })
                .collect(),
            lost: vec![Lost {
                rank: 2,
                reason: "forged".to_owned(),
            }],
            sums: None,
        };
        let forged = reply(&[1, 0, 2, 5, 3, 3, 4, 1, 99]).encode();
        node.receive(1, frame(1, Kind::Reply, forged), Nanos(1));
        let ranks: Vec<u32> = node.gathered.items.iter().map(|item| item.rank).collect();
        assert_eq!(ranks, [1, 3, 4]);
        assert_eq!(node.gathered.lost, []);
        // What rank 2 lost itself is its own answer.
        let honest = Reply {
            lost: Vec::new(),
            ..reply(&[2, 5, 6])
        };
        node.receive(2, frame(2, Kind::Reply, honest.encode()), Nanos(1));
        assert_eq!(node.gathered.items.len(), 6);
    }
}
