//! A shared mapping of a target that survives the target being cut short.
//!
//! A page of a mapping that lies beyond the end of its file cannot be touched: the kernel sends SIGBUS, which would end
//! the program without a word. Here a handler, which has the range of the current copy, puts an empty page in the place
//! and marks the mapping as broken; the copy ends, its I/O fails, and so do all that follow on it. A SIGBUS from
//! anywhere else does what it did before. The handler touches only this thread's own cells and makes one system
//! call, both of which signal handlers may.
#![allow(
    unsafe_code,
    reason = "maps files and handles the signal that they may raise"
)]

use crate::RunError;
use gate::Descriptor;
use model::PlannedTarget;
use std::cell::Cell;
use std::io;
use std::ptr::NonNull;
use std::sync::OnceLock;

thread_local! {
    /// Where the copy at hand may go: first byte and length; length 0 between copies.
    static AT_HAND: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    /// Set by the handler.
    static BROKEN: Cell<bool> = const { Cell::new(false) };
}

/// Whether the handler is installed, or why not. All threads wait for the one that installs it.
static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
/// The action for SIGBUS before that. Set before the handler, which reads it, is installed.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// The part of a file that a target uses, in memory.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
    first: u64, // offset of `start` in the target, a multiple of the page size
    page: usize,
    broken: bool,
}

impl Mapping {
    /// The call that flushes.
    pub(crate) const FLUSH: &str = "msync";

    pub(crate) fn new(file: Descriptor, target: &PlannedTarget) -> Result<Self, RunError> {
        let descriptor = file.raw();
        let path = target
            .location
            .path()
            .expect("only files are mapped")
            .to_owned();
        let refused = |source| RunError::Map {
            path: path.clone(),
            source,
        };
        guard().map_err(refused)?;
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).expect("a page has a size");
        let first = target.base.0 / page as u64 * page as u64;
        let bytes =
            usize::try_from(target.base.0 + target.length.0 - first).expect("64-bit addresses");
        let access = if target.writes() {
            libc::PROT_READ | libc::PROT_WRITE
        } else {
            libc::PROT_READ
        };
        let offset = first.cast_signed();
        // SAFETY: a fresh mapping at a place that the kernel chooses; it touches nothing that exists.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                access,
                libc::MAP_SHARED,
                descriptor,
                offset,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(refused(io::Error::last_os_error()));
        }
        let start = NonNull::new(start.cast()).expect("the kernel chooses no null address");
        let mapping = Mapping {
            start,
            bytes,
            first,
            page,
            broken: false,
        };
        mapping.advise(target.hint);
        Ok(mapping)
    }

    fn advise(&self, hint: model::Hint) {
        let advice = match hint {
            model::Hint::None => return,
            model::Hint::Sequential => libc::MADV_SEQUENTIAL,
            model::Hint::Random => libc::MADV_RANDOM,
        };
        // SAFETY: advice on our own mapping; it cannot do harm.
        unsafe { libc::madvise(self.start.as_ptr().cast(), self.bytes, advice) };
    }

    /// Copies out of the target; or the errno that an honest read would have given.
    #[inline]
    pub(crate) fn read(&mut self, offset: u64, into: NonNull<u8>, length: u32) -> Result<(), i32> {
        let (place, length) = (self.place(offset, length), length as usize);
        self.guarded(place, length, |mapped| {
            // SAFETY: `thread_plan` checked the mapped side, and the slot's memory has `length` bytes that no other
            // code touches.
            unsafe { std::ptr::copy_nonoverlapping(mapped, into.as_ptr(), length) }
        })
    }

    /// Copies into the target, and with `flush` waits until the touched pages are on stable storage.
    #[inline]
    pub(crate) fn write(
        &mut self,
        offset: u64,
        from: NonNull<u8>,
        length: u32,
        flush: bool,
    ) -> Result<(), i32> {
        let (place, length) = (self.place(offset, length), length as usize);
        self.guarded(place, length, |mapped| {
            // SAFETY: `thread_plan` checked the mapped side, and the write memory has `length` bytes.
            unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), mapped, length) }
        })?;
        if flush {
            self.flush(place, length)
        } else {
            Ok(())
        }
    }

    fn flush(&self, place: usize, length: usize) -> Result<(), i32> {
        let from = place / self.page * self.page;
        // SAFETY: `from` lies inside the mapping, because `thread_plan` does.
        let start = unsafe { self.start.as_ptr().add(from) };
        // SAFETY: the pages from `start` on are our own mapping.
        let refused =
            unsafe { libc::msync(start.cast(), place + length - from, libc::MS_SYNC) } != 0;
        if refused {
            Err(io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::EIO))
        } else {
            Ok(())
        }
    }

    #[inline]
    fn place(&self, offset: u64, length: u32) -> usize {
        let place = (offset - self.first) as usize;
        assert!(
            place + length as usize <= self.bytes,
            "offsets stay inside the range"
        );
        place
    }

    #[inline]
    fn guarded(
        &mut self,
        place: usize,
        length: usize,
        copy: impl FnOnce(*mut u8),
    ) -> Result<(), i32> {
        if self.broken {
            return Err(libc::ENODATA);
        }
        let from = place / self.page * self.page;
        let to = (place + length).next_multiple_of(self.page);
        AT_HAND.set((self.start.as_ptr() as usize + from, to - from));
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
        // SAFETY: `thread_plan` lies inside the mapping.
        copy(unsafe { self.start.as_ptr().add(place) });
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
        AT_HAND.set((0, 0));
        self.broken = BROKEN.take();
        if self.broken {
            Err(libc::ENODATA)
        } else {
            Ok(())
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length, and copies are over when they return.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// Returns when the handler is installed, which is done once for the process.
fn guard() -> io::Result<()> {
    let installed = *INSTALLED
        .get_or_init(|| install().map_err(|error| error.raw_os_error().unwrap_or(libc::EINVAL)));
    installed.map_err(io::Error::from_raw_os_error)
}

fn install() -> io::Result<()> {
    // SAFETY: all zeros is an action with an empty mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: asks what there is; both ends are our own.
    if unsafe { libc::sigaction(libc::SIGBUS, std::ptr::null(), &raw mut before) } != 0 {
        return Err(io::Error::last_os_error());
    }
    BEFORE.get_or_init(|| before);
    action.sa_sigaction = on_bus_error as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: the handler does only what handlers may.
    let refused =
        unsafe { libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut()) } != 0;
    if refused {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

extern "C" fn on_bus_error(_: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel submits a filled record with SA_SIGINFO.
    let info = unsafe { &*info };
    // SAFETY: a SIGBUS carries the address that could not be touched.
    let fault = unsafe { info.si_addr() } as usize;
    let (start, length) = AT_HAND.get();
    if (start..start + length).contains(&fault) {
        let (access, kind) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
        );
        // SAFETY: the pages at hand belong to this thread's mapping, which is marked as broken for good.
        let patched =
            unsafe { libc::mmap(start as *mut libc::c_void, length, access, kind, -1, 0) };
        if patched != libc::MAP_FAILED {
            BROKEN.set(true);
            return;
        }
    }
    if let Some(before) = BEFORE.get() {
        // SAFETY: restores the signal's former handler; the instruction is then tried again, and meets them.
        unsafe { libc::sigaction(libc::SIGBUS, before, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn the_handler_is_installed_when_guard_returns_on_any_thread() {
        let (threads, barrier) = (16, Barrier::new(16));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    barrier.wait();
                    guard().unwrap();
                    // SAFETY: all zeros is an action with an empty mask.
                    let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
                    // SAFETY: asks what there is; both ends are our own.
                    unsafe { libc::sigaction(libc::SIGBUS, std::ptr::null(), &raw mut now) };
                    assert_eq!(now.sa_sigaction, on_bus_error as *const () as usize);
                });
            }
        });
    }
}
