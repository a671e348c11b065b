//! Queues between the threads of one process, for tests.

use super::{Received, Transport};
use std::sync::mpsc::{Receiver, Sender, channel};

/// One rank of a job in one process.
#[derive(Debug)]
pub struct Inside {
    rank: u32,
    all: Vec<Sender<(u32, Vec<u8>)>>,
    arrived: Receiver<(u32, Vec<u8>)>,
}

impl Inside {
    /// Connects so many ranks.
    pub fn ranks(size: u32) -> Vec<Inside> {
        let (all, arrived): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
        let ranks = (0..size).zip(arrived);
        ranks
            .map(|(rank, arrived)| Inside {
                rank,
                all: all.clone(),
                arrived,
            })
            .collect()
    }
}

impl Transport for Inside {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        u32::try_from(self.all.len()).expect("its length was a u32")
    }

    fn name(&self) -> String {
        "threads".to_owned()
    }

    fn watch(&mut self, _rank: u32) {}

    fn send(&mut self, to: u32, bytes: Vec<u8>) {
        // A receiver that is gone misses nothing.
        let _ = self.all[to as usize].send((self.rank, bytes));
    }

    fn receive(&mut self) -> Option<(u32, Received)> {
        let (from, bytes) = self.arrived.try_recv().ok()?;
        Some((from, Received::Frame(bytes)))
    }

    fn close(&mut self, _whole: bool) {}

    fn abort(&mut self) {}
}
