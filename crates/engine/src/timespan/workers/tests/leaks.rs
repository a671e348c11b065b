//! A thread that panics with an I/O in flight leaves the ring, the memory and the descriptor to the kernel, as Linux lists
//! them.

use super::*;
use crate::backend::{Completion, Io};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A backend whose first wait panics.
struct Panics<'a> {
    memory: &'a AtomicUsize,
    dropped: &'a AtomicBool,
}

impl Drop for Panics<'_> {
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::Relaxed);
    }
}

impl Backend for Panics<'_> {
    fn used(&self) -> Used {
        Used::default()
    }

    fn push(&mut self, io: Io) -> Result<(), RunError> {
        self.memory
            .store(io.memory.as_ptr() as usize, Ordering::Relaxed);
        Ok(())
    }

    fn hand_over(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn reap<C: Clock>(&mut self, _: &C, _: Nanos, _: &mut Vec<Completion>) -> Result<(), RunError> {
        panic!("in flight")
    }
}

fn is_mapped(address: usize) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines().any(|line| {
        let range = line.split(' ').next().unwrap();
        let (from, to) = range.split_once('-').unwrap();
        let number = |text| usize::from_str_radix(text, 16).unwrap();
        (number(from)..number(to)).contains(&address)
    })
}

#[test]
fn a_panic_with_an_io_in_flight_leaks_what_the_kernel_may_still_use() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(1 << 30).unwrap();
    let (memory, dropped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut descriptor = -1;
    let (orders, heard) = orders(file.path());
    let lived = catch_unwind(AssertUnwindSafe(|| {
        live_with(&orders, |setup| {
            descriptor = setup.aims[0].descriptor.raw();
            Ok(Panics {
                memory: &memory,
                dropped: &dropped,
            })
        });
    }));
    assert!(lived.is_err());
    assert!(matches!(heard.recv(), Ok((0, Word::Ready(_)))));
    assert!(!dropped.load(Ordering::Relaxed), "the ring");
    assert!(is_mapped(memory.load(Ordering::Relaxed)), "the memory");
    let open = std::fs::read_link(format!("/proc/self/fd/{descriptor}"));
    assert_eq!(open.unwrap(), file.path(), "the descriptor");
}
