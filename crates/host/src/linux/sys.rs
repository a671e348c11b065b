//! The system calls that the standard library does not offer. The only file of this crate with `unsafe`.
//!
//! Each function is safe to call and answers `None` or `false` where the system does not report it.
#![allow(unsafe_code)]

use model::{Bytes, DirectIo, Nanos, ProcessCpu};
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What `statx` reports beyond the standard library's metadata. // statx(2)
#[derive(Clone, Copy, Default)]
pub(super) struct Extended {
    /// Of the mount that it is on, as in the first column of mountinfo. Kernel 5.8.
    pub(super) mount_id: Option<u64>,
    /// The file system's answer on unbuffered I/O: `Some(None)` is a plain no. Kernel 6.1.
    pub(super) direct: Option<Option<DirectIo>>,
    /// May only grow. Permissions do not show it.
    pub(super) append_only: bool,
    /// May not be changed at all.
    pub(super) immutable: bool,
}

/// Of an open file, with any access.
pub(super) fn extended(file: &File) -> Extended {
    let (file, flags) = (file.as_raw_fd(), libc::AT_EMPTY_PATH);
    let mask = libc::STATX_DIOALIGN | libc::STATX_MNT_ID;
    let mut facts = MaybeUninit::<libc::statx>::zeroed();
    // SAFETY: the text ends in a zero byte and `facts` is large enough; both outlive the call.
    let code = unsafe { libc::statx(file, c"".as_ptr(), flags, mask, facts.as_mut_ptr()) };
    if code != 0 {
        return Extended::default();
    }
    // SAFETY: it was zeroed, the call filled it, and every bit pattern of its integers is a value.
    let facts = unsafe { facts.assume_init() };
    let has = |bit| facts.stx_mask & bit != 0;
    let possible = facts.stx_dio_offset_align != 0 && facts.stx_dio_mem_align != 0;
    let direct = possible.then_some(DirectIo {
        memory: Bytes(u64::from(facts.stx_dio_mem_align)),
        offset: Bytes(u64::from(facts.stx_dio_offset_align)),
    });
    Extended {
        mount_id: has(libc::STATX_MNT_ID).then_some(facts.stx_mnt_id),
        direct: has(libc::STATX_DIOALIGN).then_some(direct),
        append_only: facts.stx_attributes & libc::STATX_ATTR_APPEND as u64 != 0,
        immutable: facts.stx_attributes & libc::STATX_ATTR_IMMUTABLE as u64 != 0,
    }
}

/// Returns which device a node is, as the kernel has it: a server that does not answer is not asked.
pub(super) fn device_of(node: &Path) -> Option<u64> {
    let node = CString::new(node.as_os_str().as_bytes()).ok()?;
    let flags = libc::AT_STATX_DONT_SYNC;
    let mut facts = MaybeUninit::<libc::statx>::zeroed();
    let (at, mask) = (libc::AT_FDCWD, libc::STATX_BASIC_STATS);
    // SAFETY: the text ends in a zero byte and `facts` is large enough; both outlive the call.
    let code = unsafe { libc::statx(at, node.as_ptr(), flags, mask, facts.as_mut_ptr()) };
    if code != 0 {
        return None;
    }
    // SAFETY: it was zeroed, the call filled it, and every bit pattern of its integers is a value.
    let facts = unsafe { facts.assume_init() };
    Some(libc::makedev(facts.stx_rdev_major, facts.stx_rdev_minor))
}

/// Room on a file system. // statvfs(3)
pub(super) struct Room {
    pub(super) size: Bytes,
    /// For this user.
    pub(super) free: Bytes,
    pub(super) read_only: bool,
}

pub(super) fn room(file: &File) -> Option<Room> {
    let mut facts = MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: the descriptor is open as long as `file` is borrowed; `facts` is large enough and outlives the call.
    let code = unsafe { libc::fstatvfs(file.as_raw_fd(), facts.as_mut_ptr()) };
    if code != 0 {
        return None;
    }
    // SAFETY: it was zeroed, the call filled it, and every bit pattern of its integers is a value.
    let facts = unsafe { facts.assume_init() };
    Some(Room {
        size: Bytes(facts.f_blocks.saturating_mul(facts.f_frsize)),
        free: Bytes(facts.f_bavail.saturating_mul(facts.f_frsize)),
        read_only: facts.f_flag & libc::ST_RDONLY != 0,
    })
}

/// How many seconds the zone of this machine is ahead of UTC at a moment, in seconds since 1970. // localtime_r(3)
pub(super) fn seconds_ahead_of_utc(moment: i64) -> i64 {
    let mut parts = MaybeUninit::<libc::tm>::zeroed();
    // SAFETY: both pointers are to memory of the types that the call expects, and outlive it.
    let answer = unsafe { libc::localtime_r(&raw const moment, parts.as_mut_ptr()) };
    if answer.is_null() {
        return 0;
    }
    // SAFETY: it was zeroed, which is a value of all its fields, and the call filled it.
    unsafe { parts.assume_init() }.tm_gmtoff
}

/// Whether this user may write; for a folder: make files in it. // faccessat(2)
pub(super) fn may_write(path: &Path, is_folder: bool) -> bool {
    may(
        path,
        if is_folder {
            libc::W_OK | libc::X_OK
        } else {
            libc::W_OK
        },
    )
}

/// Asks whether this user may read. // faccessat(2)
///
/// # Errors
/// The kernel's answer, where that is no.
pub(super) fn may_read(path: &Path) -> io::Result<()> {
    match may(path, libc::R_OK) {
        true => Ok(()),
        false => Err(io::Error::last_os_error()),
    }
}

fn may(path: &Path, mode: i32) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: `path` ends in a zero byte and outlives the call, which only looks.
    let code = unsafe { libc::faccessat(libc::AT_FDCWD, path.as_ptr(), mode, libc::AT_EACCESS) };
    code == 0
}

/// Ticks a second in `/proc/stat`. // sysconf(3)
pub(super) fn ticks_per_second() -> u64 {
    // SAFETY: takes a number and returns one.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    u64::try_from(ticks).ok().filter(|&t| t > 0).unwrap_or(100)
}

/// The monotonic clock, which the kernel counts from the start of the system. // clock_gettime(2)
pub(super) fn monotonic() -> Nanos {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the kernel writes one such structure where the pointer shows, which outlives the call.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, time.as_mut_ptr()) };
    if code != 0 {
        return Nanos(0);
    }
    // SAFETY: it was zeroed, the call filled it, and every bit pattern of its integers is a value.
    let time = unsafe { time.assume_init() };
    let seconds = time.tv_sec.unsigned_abs().saturating_mul(1_000_000_000);
    Nanos(seconds.saturating_add(time.tv_nsec.unsigned_abs()))
}

/// CPU time of this process, all its threads; `None` where the system does not report it. // getrusage(2)
pub(super) fn process_cpu() -> Option<ProcessCpu> {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the kernel writes one such structure where the pointer shows, which outlives the call.
    let code = unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
    if code != 0 {
        return None;
    }
    // SAFETY: it was zeroed, the call filled it, and every bit pattern of its integers is a value.
    let usage = unsafe { usage.assume_init() };
    let nanos = |time: libc::timeval| {
        let seconds = time.tv_sec.unsigned_abs().saturating_mul(1_000_000_000);
        Nanos(seconds.saturating_add(time.tv_usec.unsigned_abs() * 1000))
    };
    Some(ProcessCpu {
        user: nanos(usage.ru_utime),
        kernel: nanos(usage.ru_stime),
    })
}

/// Where the next data of a sparse file begins, from an offset on. // lseek(2), SEEK_DATA
pub(crate) fn next_data(file: &File, from: u64) -> Option<u64> {
    seek(file, from, libc::SEEK_DATA).ok()
}

/// Whether the file system reports no data at all. A file system that does not keep track of
/// holes calls everything data. // lseek(2), ENXIO
pub(crate) fn has_no_data(file: &File) -> bool {
    let begin = seek(file, 0, libc::SEEK_DATA);
    begin.is_err_and(|error| error.raw_os_error() == Some(libc::ENXIO))
}

/// Where the data at this offset ends. // lseek(2), SEEK_HOLE
pub(crate) fn next_hole(file: &File, from: u64) -> Option<u64> {
    seek(file, from, libc::SEEK_HOLE).ok()
}

fn seek(file: &File, from: u64, whence: i32) -> io::Result<u64> {
    let from = i64::try_from(from).map_err(io::Error::other)?;
    // SAFETY: the descriptor is open as long as `file` is borrowed; no memory is submitted.
    let at = unsafe { libc::lseek64(file.as_raw_fd(), from, whence) };
    u64::try_from(at).map_err(|_| io::Error::last_os_error())
}

/// What is behind a loop device, known by numbers, which no other name and no deletion hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Backing {
    /// Device and inode number of the file.
    pub(super) file: (u64, u64),
    /// Its own number where the file is a device; 0 otherwise.
    pub(super) device: u64,
}

/// Source: `struct loop_info64` of the kernel's `include/uapi/linux/loop.h`.
#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    device_behind: u64,
    rest: [u64; 26],
}
const _: () = assert!(size_of::<LoopInfo>() == 232, "as the kernel has it");
const LOOP_GET_STATUS64: libc::Ioctl = 0x4c05;

/// Of an open loop device; `None` for one without a file, and for what is no loop device.
pub(super) fn loop_backing(device: &File) -> Option<Backing> {
    let mut info = MaybeUninit::<LoopInfo>::zeroed();
    let descriptor = device.as_raw_fd();
    // SAFETY: the descriptor is open; the kernel writes at most this structure, which outlives the call.
    let code = unsafe { libc::ioctl(descriptor, LOOP_GET_STATUS64, info.as_mut_ptr()) };
    if code != 0 {
        return None;
    }
    // SAFETY: it was zeroed, the call filled it, and every bit pattern of its integers is a value.
    let info = unsafe { info.assume_init() };
    Some(Backing {
        file: (info.device, info.inode),
        device: info.device_behind,
    })
}

/// How a file will be read. // posix_fadvise(2)
#[derive(Clone, Copy)]
pub(super) enum Advice {
    /// Here and there: no reading ahead.
    Random,
    /// Not again: the page cache may drop it.
    DontNeed,
}

pub(super) fn advise(file: &File, offset: u64, length: u64, advice: Advice) {
    let (Ok(offset), Ok(length)) = (i64::try_from(offset), i64::try_from(length)) else {
        return;
    };
    let advice = match advice {
        Advice::Random => libc::POSIX_FADV_RANDOM,
        Advice::DontNeed => libc::POSIX_FADV_DONTNEED,
    };
    // SAFETY: the descriptor is open as long as `file` is borrowed; no memory is submitted.
    // Advice that is not taken changes nothing, so the answer is not looked at.
    let _ = unsafe { libc::posix_fadvise64(file.as_raw_fd(), offset, length, advice) };
}

/// Reads what of a stretch is in the page cache, from its start on; returns their number in bytes. 0 as well where the
/// file system cannot report it. // preadv2(2), RWF_NOWAIT
pub(super) fn read_cached(file: &File, offset: u64, into: &mut [u8]) -> usize {
    let Ok(offset) = i64::try_from(offset) else {
        return 0;
    };
    let piece = libc::iovec {
        iov_base: into.as_mut_ptr().cast(),
        iov_len: into.len(),
    };
    let (descriptor, flags) = (file.as_raw_fd(), libc::RWF_NOWAIT);
    // SAFETY: the piece lies in `into`, which is borrowed for the call; the descriptor is open as long as `file` is.
    let read = unsafe { libc::preadv2(descriptor, &raw const piece, 1, offset, flags) };
    usize::try_from(read).unwrap_or(0)
}

/// A piece of a file on its file system. Source: `struct fiemap_extent` of the kernel's `include/uapi/linux/fiemap.h`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) logical: u64,
    pub(super) length: u64,
    /// Where on the device; `None` for what has no place yet, or shares one with the file's attributes.
    pub(super) physical: Option<u64>,
    pub(super) unwritten: bool,
    /// In another form than it is read.
    pub(super) encoded: bool,
    /// Other files have it, too: a write goes elsewhere.
    pub(super) shared: bool,
    /// No piece after it.
    pub(super) last: bool,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct MapExtent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved: [u64; 2],
    flags: u32,
    rest: [u32; 3],
}

const PIECES: usize = 512;
/// Source: `struct fiemap`, with room for what is reported.
#[repr(C)]
struct Map {
    start: u64,
    length: u64,
    flags: u32,
    reported: u32,
    room: u32,
    reserved: u32,
    extents: [MapExtent; PIECES],
}
const _: () = assert!(size_of::<Map>() == 32 + 56 * PIECES, "as the kernel has it");
const FS_IOC_FIEMAP: libc::Ioctl = 0xc020_660b_u32 as libc::Ioctl;
const LAST: u32 = 0x1;
/// Unknown place, not allocated yet, not aligned, within the inode, packed with others.
const NO_PLACE: u32 = 0x2 | 0x4 | 0x100 | 0x200 | 0x400;
const ENCODED: u32 = 0x8;
const UNWRITTEN: u32 = 0x800;
const SHARED: u32 = 0x2000; // FIEMAP_EXTENT_SHARED

/// The next pieces of a file from an offset on, some hundreds at most; `None` where the file system does not report it.
/// Flushes nothing. // ioctl_fiemap: the kernel's Documentation/filesystems/fiemap.rst
pub(super) fn pieces(file: &File, from: u64) -> Option<Vec<Piece>> {
    let mut map = Box::new(Map {
        start: from,
        length: u64::MAX - from,
        flags: 0,
        reported: 0,
        room: PIECES as u32,
        reserved: 0,
        extents: [MapExtent::default(); PIECES],
    });
    // SAFETY: the descriptor is open; the kernel writes at most `room` extents behind the head, which are there.
    let code = unsafe { libc::ioctl(file.as_raw_fd(), FS_IOC_FIEMAP, &raw mut *map) };
    if code != 0 {
        return None;
    }
    let reported = map.extents.iter().take(map.reported as usize);
    Some(reported.map(Piece::of).collect())
}

impl Piece {
    fn of(extent: &MapExtent) -> Piece {
        let has = |flags: u32| extent.flags & flags != 0;
        Piece {
            logical: extent.logical,
            length: extent.length,
            physical: (!has(NO_PLACE)).then_some(extent.physical),
            unwritten: has(UNWRITTEN),
            encoded: has(ENCODED),
            shared: has(SHARED),
            last: has(LAST),
        }
    }
}

/// The same number on every architecture. // syscalls(2): those from 424 on are common
const SYS_CACHESTAT: libc::c_long = 451;

/// Pages of a stretch that the page cache contains; `None` before Linux 6.5. Brings nothing in. // cachestat(2)
pub(crate) fn cached_pages(file: &File, offset: u64, length: u64) -> Option<u64> {
    let range = [offset, length];
    // Present, dirty, being written, evicted, evicted lately.
    let mut reported = [0u64; 5];
    let (from, into) = (range.as_ptr(), reported.as_mut_ptr());
    // SAFETY: both arrays are as long as the kernel's structures and outlive the call; the descriptor is open.
    let code = unsafe { libc::syscall(SYS_CACHESTAT, file.as_raw_fd(), from, into, 0) };
    (code == 0).then_some(reported[0])
}

/// Whether the I/Os of this thread have the idle class, which `ionice -c 3` and the scheduling policy `SCHED_IDLE` give.
/// // ioprio_get(2)
pub(super) fn has_idle_io_class() -> bool {
    const WHO_PROCESS: libc::c_long = 1;
    const CLASS_SHIFT: u32 = 13;
    const IDLE: libc::c_long = 3;
    // SAFETY: takes numbers and returns one.
    let priority = unsafe { libc::syscall(libc::SYS_ioprio_get, WHO_PROCESS, 0) };
    priority > 0 && priority >> CLASS_SHIFT == IDLE
}

/// Bytes of a page. // sysconf(3)
pub(crate) fn page_bytes() -> u64 {
    // SAFETY: takes a number and returns one.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).ok().filter(|&b| b > 0).unwrap_or(4096)
}

/// Waits until something can be read from a terminal, at most so long; a signal ends the wait, too. Whether there is
/// still a process at its other end. // poll(2)
pub(super) fn wait_to_read(terminal: BorrowedFd<'_>, most: Duration) -> io::Result<bool> {
    let mut asked = libc::pollfd {
        fd: terminal.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    let most_ms = i32::try_from(most.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: one entry is passed and one exists; it outlives the call, and so does the descriptor in it.
    let code = unsafe { libc::poll(&raw mut asked, 1, most_ms) };
    if code < 0 {
        let error = io::Error::last_os_error();
        return match error.kind() {
            io::ErrorKind::Interrupted => Ok(true),
            _ => Err(error),
        };
    }
    Ok(asked.revents & (libc::POLLHUP | libc::POLLERR | libc::POLLNVAL) == 0)
}

/// Whether standard output was closed when the program started. The Rust runtime opens `/dev/null` in its place before
/// `main`, so that every write to it succeeds; this is therefore asked before that.
pub fn output_was_closed() -> bool {
    OUTPUT_WAS_CLOSED.load(Ordering::Relaxed)
}

static OUTPUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

extern "C" fn look_at_output() {
    // SAFETY: asks for the flags of a descriptor, which may be closed. // fcntl(2)
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    OUTPUT_WAS_CLOSED.store(flags == -1, Ordering::Relaxed);
}

// SAFETY: the C library calls each function of this section once before `main`; this one makes a system call and a store.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_START: extern "C" fn() = look_at_output;
/// Which file of those that had this inode number it is. Source: `FS_IOC_GETVERSION`, ioctl_iflags(2).
pub(super) fn inode_generation(file: &File) -> Option<u32> {
    const FS_IOC_GETVERSION: libc::c_ulong = 0x8008_7601; // _IOR('v', 1, long); an int is written
    let mut generation: libc::c_long = 0;
    // SAFETY: the descriptor is ours, and the kernel writes an int into a long that outlives the call.
    let code = unsafe {
        libc::ioctl(
            file.as_raw_fd(),
            FS_IOC_GETVERSION as _,
            &raw mut generation,
        )
    };
    (code == 0).then_some(generation as u32)
}

/// Whether the file lies on a local file system that keeps the time of the last change in nanoseconds of the kernel's
/// clock: ext2 to ext4, xfs, btrfs, tmpfs. // statfs(2)
pub(super) fn keeps_change_times(file: &File) -> bool {
    const KNOWN: [i128; 3] = [0xef53, 0x5846_5342, 0x9123_683e];
    let mut facts = MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: the descriptor is ours, and `facts` is large enough and outlives the call.
    let code = unsafe { libc::fstatfs(file.as_raw_fd(), facts.as_mut_ptr()) };
    if code != 0 {
        return false;
    }
    // SAFETY: it was zeroed, the call filled it, and every bit pattern of its integers is a value.
    let facts = unsafe { facts.assume_init() };
    KNOWN.iter().any(|&known| known == i128::from(facts.f_type))
}

/// The clock from which file systems take their time stamps, in nanoseconds since 1970. // clock_gettime(2)
pub(super) fn stamp_clock_ns() -> Option<i64> {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel writes one timespec that outlives the call.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_REALTIME_COARSE, &raw mut now) };
    (code == 0).then_some(now.tv_sec * 1_000_000_000 + now.tv_nsec)
}

const PROOF_ATTRIBUTE: &std::ffi::CStr = c"user.fathom.proof";
/// Longest text of the attribute that is read.
const PROOF_BYTES: usize = 256;

/// The text of fathom's own attribute. // xattr(7)
pub(super) fn proof_attribute(file: &File) -> Option<String> {
    let mut text = vec![0u8; PROOF_BYTES];
    let (name, start) = (PROOF_ATTRIBUTE.as_ptr(), text.as_mut_ptr().cast());
    // SAFETY: the name ends in a zero byte, and the buffer has the given length; both outlive the call.
    let length = unsafe { libc::fgetxattr(file.as_raw_fd(), name, start, PROOF_BYTES) };
    text.truncate(usize::try_from(length).ok()?);
    String::from_utf8(text).ok()
}

/// Sets fathom's own attribute; whether that could be done.
pub(super) fn set_proof_attribute(file: &File, text: &str) -> bool {
    let (name, start) = (PROOF_ATTRIBUTE.as_ptr(), text.as_ptr().cast());
    // SAFETY: the name ends in a zero byte, and the text has the given length; both outlive the call.
    unsafe { libc::fsetxattr(file.as_raw_fd(), name, start, text.len(), 0) == 0 }
}

/// The user as whom files are opened. // geteuid(2)
pub(super) fn effective_user() -> u32 {
    // SAFETY: no arguments, cannot fail.
    unsafe { libc::geteuid() }
}
