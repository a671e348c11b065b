//! Serves one file from memory and damages its data in a known way: `faultfs FOLDER sim:ssd,data=4M,lose=1/150 [SEED]`.
//!
//! The folder becomes a FUSE file system with three files. `f` is the data of a simulated device
//! ([`engine::Store`](../../crates/engine/src/simulated/store.rs)), so the faults, their names and the volatile cache are
//! those of `sim:` targets, below a real kernel. A word that is written to `control` has its effect at once: `arm` begins
//! the faults, `fail` lets one of 50 writes fail, `cut` is a power cut. `injected` is the record of what was done, in JSON.
//! Nothing is cached between (`FOPEN_DIRECT_IO`), and the times of the device's model have no effect. It ends when it is
//! unmounted. For `cargo xtask lab verify`. Omitted: creating, removing and resizing files.

#![allow(
    clippy::print_stderr,
    reason = "this program talks to the person at the terminal"
)]

use engine::Store;
use fuser::{
    Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    KernelConfig, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory,
    ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, Request, WriteFlags,
};
use model::block_header::{BLOCK, BLOCK_BYTES};
use model::{Bytes, DataFaults, SimulatedDevice};
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

const USAGE: &str = "usage: faultfs FOLDER sim:MODEL,data=SIZE[,KEY=VALUE…] [SEED]";
const DATA: u64 = 2;
const CONTROL: u64 = 3;
const INJECTED: u64 = 4;
/// Names of the files, whose inode numbers follow that of the folder.
const NAMES: [&str; 3] = ["f", "control", "injected"];
/// The largest request.
const REQUEST_MAX: u32 = 1 << 20;
/// When writes fail, one of so many does.
const FAILS_ONE_IN: u64 = 50;
/// A file that was opened with it has to be durable after each write (`O_DSYNC` in fcntl.h).
const DSYNC: i32 = 0o10000;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match serve(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("faultfs: {why}");
            ExitCode::FAILURE
        }
    }
}

fn serve(words: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let (folder, device, seed) = match words {
        [folder, device] => (folder, device, 0),
        [folder, device, seed] => (folder, device, seed.parse()?),
        _ => return Err(USAGE.into()),
    };
    let mut device: SimulatedDevice = device.parse()?;
    if device.data.0 == 0 || !device.data.0.is_multiple_of(BLOCK.0) {
        return Err("data=SIZE is missing, or no multiple of 4096".into());
    }
    let faults = std::mem::take(&mut device.data_faults);
    let store = Store::new(&device, Bytes(0)..device.data, seed).ok_or(USAGE)?;
    let served = Served {
        size: device.data.0,
        faults,
        store: Mutex::new(store),
        fails: AtomicBool::new(false),
        writes: AtomicU64::new(0),
    };
    let mut options = fuser::Config::default();
    options.mount_options = vec![MountOption::FSName("faultfs".to_owned())];
    Ok(fuser::mount(served, Path::new(folder), &options)?)
}

/// The file system.
struct Served {
    size: u64,
    /// Those of the device, until they are armed.
    faults: DataFaults,
    store: Mutex<Store>,
    fails: AtomicBool,
    writes: AtomicU64,
}

impl Served {
    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attributes(&self, file: u64) -> FileAttr {
        let is_folder = file == INodeNo::ROOT.0;
        let size = match file {
            DATA => self.size,
            _ => 0, // reads of these files reach their end, at any size
        };
        FileAttr {
            ino: INodeNo(file),
            size,
            blocks: size / 512,
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind: if is_folder {
                FileType::Directory
            } else {
                FileType::RegularFile
            },
            perm: if is_folder { 0o755 } else { 0o644 },
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            flags: 0,
            blksize: BLOCK_BYTES as u32,
        }
    }

    /// Returns what is read of a file, or an errno.
    fn bytes(&self, file: u64, offset: u64, size: u32) -> Result<Vec<u8>, Errno> {
        match file {
            DATA => {
                let end = (offset + u64::from(size)).min(self.size);
                let length = end.saturating_sub(offset);
                if !(offset | length).is_multiple_of(BLOCK.0) {
                    return Err(Errno::EINVAL);
                }
                let mut bytes = vec![0; length as usize];
                let read = self.store().read(offset, &mut bytes);
                read.map_err(Errno::from_i32)?;
                Ok(bytes)
            }
            INJECTED => {
                let mut text = self.record().map_err(|_| Errno::EIO)?;
                Ok(text.split_off((offset as usize).min(text.len())))
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Returns what was done, and whether a read returned it.
    fn record(&self) -> serde_json::Result<Vec<u8>> {
        let store = self.store();
        let mut record = serde_json::to_value(store.injected())?;
        for one in record.as_array_mut().into_iter().flatten() {
            let place = Bytes(one["offset"].as_u64().unwrap_or(0));
            one["was_read"] = store.was_read_damaged(place).into();
        }
        serde_json::to_vec(&record)
    }

    fn written(&self, file: u64, offset: u64, data: &[u8], flags: OpenFlags) -> Result<(), Errno> {
        let end = offset + data.len() as u64;
        match file {
            DATA if end > self.size => Err(Errno::ENOSPC),
            DATA if !(offset | end).is_multiple_of(BLOCK.0) => Err(Errno::EINVAL),
            DATA => self.write_data(offset, data, flags.0 & DSYNC != 0),
            CONTROL => match data.trim_ascii() {
                b"arm" => {
                    self.store().set_faults(self.faults);
                    Ok(())
                }
                b"fail" => {
                    self.fails.store(true, Ordering::Relaxed);
                    Ok(())
                }
                b"cut" => {
                    let mut store = self.store();
                    store.journaled();
                    store.cut();
                    Ok(())
                }
                _ => Err(Errno::EINVAL),
            },
            _ => Err(Errno::EACCES),
        }
    }
}

impl Served {
    /// A write that fails has written nothing, all, or its first half.
    fn write_data(&self, offset: u64, data: &[u8], through: bool) -> Result<(), Errno> {
        let number = self.writes.fetch_add(1, Ordering::Relaxed);
        let fails = self.fails.load(Ordering::Relaxed) && number.is_multiple_of(FAILS_ONE_IN);
        let length = match number / FAILS_ONE_IN % 3 {
            _ if !fails => data.len(),
            0 => 0,
            1 => data.len(),
            _ => data.len() / 2 / BLOCK_BYTES * BLOCK_BYTES,
        };
        self.store().write(offset, &data[..length], through);
        if fails { Err(Errno::EIO) } else { Ok(()) }
    }
}

/// Attributes are asked for each time.
const NOT_KEPT: Duration = Duration::ZERO;

impl Filesystem for Served {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        let set = config.set_max_write(REQUEST_MAX);
        set.map(drop)
            .map_err(|most| io::Error::other(format!("requests of at most {most} bytes")))
    }

    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match (DATA..).zip(NAMES).find(|(_, known)| name == *known) {
            Some((file, _)) => reply.entry(&NOT_KEPT, &self.attributes(file), Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, file: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&NOT_KEPT, &self.attributes(file.0));
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "the trait of the library has them"
    )]
    fn setattr(
        &self,
        _: &Request,
        file: INodeNo,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<fuser::TimeOrNow>,
        _: Option<fuser::TimeOrNow>,
        _: Option<std::time::SystemTime>,
        _: Option<FileHandle>,
        _: Option<std::time::SystemTime>,
        _: Option<std::time::SystemTime>,
        _: Option<std::time::SystemTime>,
        _: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        match (file.0, size) {
            (DATA, Some(size)) if size != self.size => reply.error(Errno::EPERM),
            (file, _) => reply.attr(&NOT_KEPT, &self.attributes(file)),
        }
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let flags = FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES;
        reply.opened(FileHandle(0), flags);
    }

    fn read(
        &self,
        _: &Request,
        file: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.bytes(file.0, offset, size) {
            Ok(bytes) => reply.data(&bytes),
            Err(errno) => reply.error(errno),
        }
    }

    fn write(
        &self,
        _: &Request,
        file: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.written(file.0, offset, data, flags) {
            Ok(()) => reply.written(data.len() as u32),
            Err(errno) => reply.error(errno),
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok(); // a close makes nothing durable
    }

    fn fsync(&self, _: &Request, file: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        if file.0 == DATA {
            self.store().flush();
        }
        reply.ok();
    }

    fn readdir(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let files = (DATA..).zip(NAMES).skip(offset as usize);
        for (file, name) in files {
            if reply.add(INodeNo(file), file - 1, FileType::RegularFile, name) {
                break;
            }
        }
        reply.ok();
    }
}
