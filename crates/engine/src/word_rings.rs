//! Rings of words from the threads of a run to one thread that takes them.
//!
//! A thread pushes without a lock or memory of its own; the taker comes every 10 ms, or when a ring is half full. Only a full ring
//! makes its thread wait, and that time is counted; no word is lost. Without a taker's thread, who finds a ring full takes itself.
//! Omitted: what the words mean (`io_log`, `verify::journal`).

use crate::RunError;
use crate::clock::monotonic;
use model::Nanos;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

/// From one taking to the next.
pub(crate) const TAKE_EVERY: Nanos = Nanos::millis(10);
/// How soon a thread tries again that found its ring full.
const TRY_AGAIN_AFTER: Duration = Duration::from_micros(20);

/// All rings of a run.
pub(crate) struct Rings {
    rings: Box<[Ring]>,
    waited_ns: AtomicU64,
    ended: AtomicBool,
    /// The taker's; without one the threads take themselves.
    thread: OnceLock<Thread>,
}

/// Words that one thread pushes and one takes.
struct Ring {
    words: Box<[AtomicU64]>,
    pushed: AtomicUsize,
    taken: AtomicUsize,
}

enum Pushed {
    Done,
    Half,
    Full,
}

impl Rings {
    /// Allocates so many, with `words` together; one has at least and at most `each`, powers of two.
    pub(crate) fn new(count: usize, words: usize, each: [usize; 2]) -> Rings {
        let capacity = (words / count.max(1)).clamp(each[0], each[1]);
        let ring = || Ring {
            words: (0..capacity.next_power_of_two())
                .map(|_| AtomicU64::new(0))
                .collect(),
            pushed: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
        };
        Rings {
            rings: (0..count).map(|_| ring()).collect(),
            waited_ns: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            thread: OnceLock::new(),
        }
    }

    /// Returns how many there are.
    pub(crate) fn count(&self) -> usize {
        self.rings.len()
    }

    /// Returns how many words a ring has room for.
    pub(crate) fn capacity(&self) -> usize {
        self.rings.first().map_or(0, |ring| ring.words.len())
    }

    /// Returns how long threads waited for room, all together.
    pub(crate) fn waited(&self) -> Nanos {
        Nanos(self.waited_ns.load(Ordering::Relaxed))
    }

    /// Pushes words that are taken together: always the same number to a ring, a power of two. `take` makes room where no
    /// thread does.
    #[inline]
    pub(crate) fn push<const N: usize>(&self, ring: usize, words: [u64; N], take: impl Fn()) {
        match self.rings[ring].push(words) {
            Pushed::Done => {}
            Pushed::Half => self.wake(),
            Pushed::Full => self.wait_and_push(ring, words, take),
        }
    }

    /// Adds what was pushed to a ring so far, until there are `most` words. One thread takes at a time.
    pub(crate) fn take(&self, ring: usize, words: &mut Vec<u64>, most: usize) {
        self.rings[ring].take(words, most);
    }

    #[cold]
    fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    #[cold]
    fn wait_and_push<const N: usize>(&self, ring: usize, words: [u64; N], take: impl Fn()) {
        let began = monotonic();
        while matches!(self.rings[ring].push(words), Pushed::Full) {
            match self.thread.get() {
                Some(thread) => {
                    thread.unpark();
                    std::thread::sleep(TRY_AGAIN_AFTER);
                }
                None => take(),
            }
        }
        if self.thread.get().is_some() {
            let waited = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.waited_ns.fetch_add(waited, Ordering::Relaxed);
        }
    }
}

impl Ring {
    #[inline]
    fn push<const N: usize>(&self, words: [u64; N]) -> Pushed {
        let pushed = self.pushed.load(Ordering::Relaxed);
        let used = pushed.wrapping_sub(self.taken.load(Ordering::Acquire));
        if used == self.words.len() {
            return Pushed::Full;
        }
        for (number, word) in words.into_iter().enumerate() {
            let place = pushed.wrapping_add(number) & (self.words.len() - 1);
            self.words[place].store(word, Ordering::Relaxed);
        }
        self.pushed.store(pushed.wrapping_add(N), Ordering::Release);
        match used == self.words.len() / 2 {
            true => Pushed::Half,
            false => Pushed::Done,
        }
    }

    fn take(&self, words: &mut Vec<u64>, most: usize) {
        let (taken, pushed) = (
            self.taken.load(Ordering::Relaxed),
            self.pushed.load(Ordering::Acquire),
        );
        let count = pushed.wrapping_sub(taken).min(most - words.len());
        let place = |at: usize| taken.wrapping_add(at) & (self.words.len() - 1);
        words.extend((0..count).map(|at| self.words[place(at)].load(Ordering::Relaxed)));
        self.taken
            .store(taken.wrapping_add(count), Ordering::Release);
    }
}

/// What takes the words of rings.
pub(crate) trait Taker: Send + Sync + 'static {
    /// Its rings.
    fn rings(&self) -> &Rings;

    /// Takes all words that are in the rings.
    fn take(&self);

    /// Called by its thread, after the last words.
    fn end(&self) {}
}

/// A taker's thread; it ends when this is dropped, after the last words.
pub(crate) struct TakerThread {
    taker: Arc<dyn Taker>,
    handle: Option<JoinHandle<()>>,
}

impl TakerThread {
    /// Starts it.
    pub(crate) fn spawn(taker: Arc<dyn Taker>, name: &str) -> Result<TakerThread, RunError> {
        let its = Arc::clone(&taker);
        let serve = move || {
            while !its.rings().ended.load(Ordering::Acquire) {
                std::thread::park_timeout(TAKE_EVERY.as_duration());
                its.take();
            }
            its.end();
        };
        let started = std::thread::Builder::new().name(name.to_owned());
        let started = started.spawn(serve);
        let handle = started.map_err(|source| RunError::Thread { number: 0, source })?;
        let _ = taker.rings().thread.set(handle.thread().clone());
        Ok(TakerThread {
            taker,
            handle: Some(handle),
        })
    }
}

impl Drop for TakerThread {
    fn drop(&mut self) {
        self.taker.rings().ended.store(true, Ordering::Release);
        self.taker.rings().wake();
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}
