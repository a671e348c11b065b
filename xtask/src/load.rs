//! A load for `cargo xtask test --busy`: one thread per processor that computes without a pause, until it is dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// The threads. They end with this process at the latest.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts one thread per processor.
    pub(crate) fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let thread = |_| {
            let stop = Arc::clone(&stop);
            std::thread::spawn(move || {
                let mut number = 1_u64;
                while !stop.load(Ordering::Relaxed) {
                    for _ in 0..1000 {
                        number =
                            std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005));
                    }
                }
            })
        };
        let threads = (0..processors).map(thread).collect();
        Load { stop, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join(); // a thread that only computes does not panic
        }
    }
}
