//! The answers of several ranks to one order, joined on their way up. Omitted: what an answer means.

use crate::sums::Sums;
use thiserror::Error;

/// The answer of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Whose.
    pub rank: u32,
    /// What it answered.
    pub body: Vec<u8>,
}

/// A rank that is no longer there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Which.
    pub rank: u32,
    /// How that was noticed.
    pub reason: String,
}

/// The answers of some ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// One of each rank, in no order.
    pub items: Vec<Item>,
    /// Ranks that were found lost since the last order.
    pub lost: Vec<Lost>,
    /// What those ranks counted together, where the order asks for that.
    pub sums: Option<Sums>,
}

/// Bytes that are no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the answers do not add up to the length of their frame")]
pub struct ReplyError;

impl Reply {
    /// Adds the answers of other ranks.
    pub fn join(&mut self, other: Reply) {
        self.items.extend(other.items);
        self.lost.extend(other.lost);
        match (&mut self.sums, other.sums) {
            (Some(mine), Some(its)) => mine.merge(&its),
            (mine @ None, its) => *mine = its,
            (Some(_), None) => {}
        }
    }

    /// Returns its bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        count(&mut bytes, self.items.len());
        for item in &self.items {
            bytes.extend(item.rank.to_le_bytes());
            text(&mut bytes, &item.body);
        }
        count(&mut bytes, self.lost.len());
        for lost in &self.lost {
            bytes.extend(lost.rank.to_le_bytes());
            text(&mut bytes, lost.reason.as_bytes());
        }
        if let Some(sums) = &self.sums {
            bytes.extend(serde_json::to_vec(sums).expect("numbers become text"));
        }
        bytes
    }

    /// Reads one, which is all of `bytes`.
    ///
    /// # Errors
    /// They are none.
    pub fn decode(bytes: &[u8]) -> Result<Reply, ReplyError> {
        let mut rest = bytes;
        let mut reply = Reply::default();
        for _ in 0..number(&mut rest)? {
            let (rank, body) = (number(&mut rest)?, piece(&mut rest)?.to_vec());
            reply.items.push(Item { rank, body });
        }
        for _ in 0..number(&mut rest)? {
            let (rank, reason) = (number(&mut rest)?, piece(&mut rest)?);
            let reason = String::from_utf8_lossy(reason).into_owned();
            reply.lost.push(Lost { rank, reason });
        }
        if !rest.is_empty() {
            reply.sums = Some(serde_json::from_slice(rest).map_err(|_| ReplyError)?);
        }
        Ok(reply)
    }
}

fn count(bytes: &mut Vec<u8>, count: usize) {
    let count = u32::try_from(count).expect("a frame is shorter");
    bytes.extend(count.to_le_bytes());
}

fn text(bytes: &mut Vec<u8>, text: &[u8]) {
    count(bytes, text.len());
    bytes.extend(text);
}

fn number(rest: &mut &[u8]) -> Result<u32, ReplyError> {
    let (head, tail) = rest.split_first_chunk().ok_or(ReplyError)?;
    *rest = tail;
    Ok(u32::from_le_bytes(*head))
}

fn piece<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], ReplyError> {
    let length = number(rest)? as usize;
    let (head, tail) = rest.split_at_checked(length).ok_or(ReplyError)?;
    *rest = tail;
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;
    use proptest::prelude::*;

    fn sums(ios: u64) -> Sums {
        let mut sums = Sums {
            ranks: 1,
            ..Sums::default()
        };
        sums.operations[0].ios = ios;
        (0..ios).for_each(|at| sums.operations[0].latency.record(Nanos(at * 1000)));
        sums
    }

    fn reply(rank: u32) -> Reply {
        let item = Item {
            rank,
            body: vec![7; rank as usize],
        };
        let lost = Lost {
            rank: rank + 100,
            reason: "silent".to_owned(),
        };
        Reply {
            items: vec![item],
            lost: vec![lost],
            sums: Some(sums(u64::from(rank))),
        }
    }

    #[test]
    fn joined_answers_have_all_items_and_the_sum_of_all_counts() {
        let mut joined = Reply::default();
        (1..4).for_each(|rank| joined.join(reply(rank)));
        let read = Reply::decode(&joined.encode()).unwrap();
        assert_eq!(read, joined);
        let sums = read.sums.unwrap();
        assert_eq!((read.items.len(), read.lost.len(), sums.ranks), (3, 3, 3));
        assert_eq!(
            (sums.operations[0].ios, sums.operations[0].latency.count()),
            (6, 6)
        );
    }

    proptest! {
        #[test]
        fn no_bytes_panic_or_ask_for_more_memory_than_they_have(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            if let Ok(reply) = Reply::decode(&bytes) {
                let content: usize = reply.items.iter().map(|item| item.body.len()).sum();
                prop_assert!(content <= bytes.len());
            }
        }
    }
}
