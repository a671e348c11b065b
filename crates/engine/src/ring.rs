//! The slots that are not in flight, the longest free first. Sized once; a slot that goes out comes back.

/// A queue of slots.
#[derive(Debug)]
pub(crate) struct Ring {
    slots: Box<[u32]>, // a power of two
    head: u32,         // counts for ever and wraps, as does `tail`
    tail: u32,
}

impl Ring {
    /// All of `count` slots, in order.
    pub(crate) fn full(count: u32) -> Self {
        let mut slots: Vec<u32> = (0..count).collect();
        slots.resize((count as usize).next_power_of_two(), 0);
        Ring {
            slots: slots.into(),
            head: 0,
            tail: count,
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.tail.wrapping_sub(self.head) as usize
    }

    /// The slot that has been free for longest. // never called on an empty queue
    #[inline]
    pub(crate) fn take(&mut self) -> u32 {
        debug_assert!(self.len() > 0, "as many are taken as are there");
        let slot = self.slots[self.place(self.head)];
        self.head = self.head.wrapping_add(1);
        slot
    }

    #[inline]
    pub(crate) fn put(&mut self, slot: u32) {
        debug_assert!(self.len() < self.slots.len(), "no slot comes back twice");
        let place = self.place(self.tail);
        self.slots[place] = slot;
        self.tail = self.tail.wrapping_add(1);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.len() as u32).map(|at| self.slots[self.place(self.head.wrapping_add(at))])
    }

    #[inline]
    fn place(&self, at: u32) -> usize {
        at as usize & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_come_out_in_the_order_in_which_they_came_in() {
        let mut ring = Ring::full(3);
        (ring.head, ring.tail) = (u32::MAX - 3, u32::MAX); // a long run, its counts about to wrap
        ring.slots = vec![0, 1, 2, 9].into();
        for _ in 0..10 {
            let taken = [ring.take(), ring.take(), ring.take()];
            assert_eq!(taken, [0, 1, 2]);
            taken.iter().for_each(|&slot| ring.put(slot));
            assert_eq!(
                (ring.len(), ring.iter().collect::<Vec<_>>()),
                (3, vec![0, 1, 2])
            );
        }
    }
}
