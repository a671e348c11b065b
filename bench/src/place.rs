//! Where the contenders do their I/O: files and a device that are created here and removed at the end.
//!
//! Nothing that was there before is opened. Unbuffered files are filled first, because a disk answers for a hole
//! without looking.

use crate::child::Stop;
use crate::error::{BenchError, doing};
use crate::options::Options;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Fits into any cache, so that the loop is the limit.
const CACHED_BYTES: u64 = 16 << 20;
const DISK_BYTES: u64 = 64 << 20;
const DEVICE_BYTES: u64 = 64 << 20;
const BLOCK: usize = 64 << 10;
/// How often a device that is still in use is asked to go, and how long in between.
const REMOVALS_MAX: u32 = 300;
const REMOVAL_PAUSE: Duration = Duration::from_millis(10);
const ZRAM: &str = "/sys/class/zram-control";

/// A target, by the name it has in `--places`.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) title: String,
    /// None: no I/O at all.
    pub(crate) path: Option<PathBuf>,
    pub(crate) unbuffered: bool,
}

/// All places, the programs, and what is to be taken down at the end.
pub(crate) struct Shop {
    pub(crate) places: Vec<Place>,
    pub(crate) fathom: PathBuf,
    pub(crate) own: PathBuf,
    pub(crate) fio: bool,
    pub(crate) stop: Stop,
    /// Places that could not be created, each with its reason.
    pub(crate) skipped: Vec<String>,
    _device: Option<Device>, // before the folder that may contain it
    folder: tempfile::TempDir,
}

impl Shop {
    pub(crate) fn open(options: &Options) -> Result<Shop, BenchError> {
        let stop = Stop::listen()?;
        let own = std::env::current_exe().map_err(doing("the path of this program"))?;
        let beside = own.parent().unwrap_or(Path::new("."));
        let folder = options.folder.as_deref().unwrap_or(beside);
        let folder = tempfile::Builder::new()
            .prefix("bench-")
            .tempdir_in(folder)
            .map_err(doing(format!("a folder in {}", folder.display())))?;
        let mut shop = Shop {
            places: Vec::new(),
            fathom: own.with_file_name("fathom"),
            own,
            fio: Command::new("fio").arg("--version").output().is_ok(),
            stop,
            skipped: Vec::new(),
            _device: None,
            folder,
        };
        if !shop.fio {
            shop.skipped.push("fio: not installed".to_owned());
        }
        let own = ["null", "cache", "disk", "device"];
        for name in options
            .places
            .iter()
            .filter(|name| own.contains(&name.as_str()))
        {
            shop.add(name)?;
        }
        Ok(shop)
    }

    fn add(&mut self, name: &str) -> Result<(), BenchError> {
        let in_folder = |file: &str| self.folder.path().join(file);
        let (title, path) = match name {
            "null" => ("no I/O".to_owned(), None),
            "cache" => (
                "page cache, 16 MiB file".to_owned(),
                Some(filled(in_folder("cache.dat"), CACHED_BYTES)?),
            ),
            "disk" => (
                "unbuffered, 64 MiB file".to_owned(),
                Some(filled(in_folder("disk.dat"), DISK_BYTES)?),
            ),
            _ => match Device::make() {
                Ok(device) => {
                    let title = format!("{} device, unbuffered", device.kind());
                    let path = device.path();
                    self._device = Some(device);
                    (title, Some(path))
                }
                Err(why) => {
                    self.skipped.push(format!("device: {why}"));
                    return Ok(());
                }
            },
        };
        let place = Place {
            title,
            path,
            unbuffered: matches!(name, "disk" | "device"),
        };
        if let Err(why) = place.opens() {
            self.skipped.push(format!("{}: {why}", place.title));
            return Ok(());
        }
        self.places.push(place);
        Ok(())
    }

    /// The file in the page cache, or any other file.
    pub(crate) fn cached(&self) -> Option<&Place> {
        let cached = |place: &&Place| place.path.is_some() && !place.unbuffered;
        self.places.iter().find(cached)
    }

    /// Where a contender that keeps its results keeps them.
    pub(crate) fn store(&self) -> PathBuf {
        self.folder().join("kept.db")
    }

    /// Where files are created; removed at the end.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The reasons why something is not in the table.
    pub(crate) fn reported_skips(&self) -> Vec<String> {
        self.skipped
            .iter()
            .map(|why| format!("skipped: {why}"))
            .collect()
    }
}

impl Place {
    pub(crate) fn open(&self) -> std::io::Result<Option<File>> {
        let Some(path) = &self.path else {
            return Ok(None);
        };
        let past_cache = if self.unbuffered { libc::O_DIRECT } else { 0 };
        // As fathom and fio open it. The file is the bench's own, so it may.
        let flags = past_cache | libc::O_NOATIME;
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
        opened.map(Some)
    }

    fn opens(&self) -> std::io::Result<()> {
        self.open().map(|_| ())
    }

    /// Reads a cached file once, so that it is in the cache although memory was needed elsewhere meanwhile.
    pub(crate) fn warm(&self) -> Result<(), BenchError> {
        if self.unbuffered {
            return Ok(());
        }
        let Some(mut file) = self.open().map_err(doing("warming"))? else {
            return Ok(());
        };
        // A small block: what this process uses counts for the memory of its children.
        let mut block = vec![0; BLOCK];
        while file.read(&mut block).map_err(doing("warming"))? > 0 {}
        Ok(())
    }
}

/// A file of numbers that no layer below can fold together, on stable storage.
pub(crate) fn filled(path: PathBuf, bytes: u64) -> Result<PathBuf, BenchError> {
    let fill = |path: &Path| {
        let mut file = File::create_new(path)?;
        let mut next = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..bytes / BLOCK as u64 {
            let mut block = Vec::with_capacity(BLOCK);
            while block.len() < BLOCK {
                next = crate::bare::stirred(next);
                block.extend_from_slice(&next.to_le_bytes());
            }
            file.write_all(&block)?;
        }
        file.sync_all()
    };
    fill(&path).map_err(doing(format!("{}", path.display())))?;
    Ok(path)
}

/// A block device in memory.
pub(crate) enum Device {
    Zram(String), // its number
    Loop {
        path: PathBuf,
        _backing: tempfile::NamedTempFile,
    },
}

impl Device {
    /// A zram device, which has no blocking path below it; otherwise a loop device over a file in memory.
    pub(crate) fn make() -> Result<Device, String> {
        Device::zram().or_else(|_| Device::looped())
    }

    pub(crate) fn zram() -> std::io::Result<Device> {
        let number = std::fs::read_to_string(format!("{ZRAM}/hot_add"))?;
        let device = Device::Zram(number.trim().to_owned());
        let size = format!("/sys/block/zram{}/disksize", number.trim());
        std::fs::write(size, DEVICE_BYTES.to_string())?;
        Ok(device)
    }

    fn looped() -> Result<Device, String> {
        let backing = tempfile::NamedTempFile::new_in("/dev/shm").map_err(|e| e.to_string())?;
        let sized = backing.as_file().set_len(DEVICE_BYTES);
        sized.map_err(|e| e.to_string())?;
        let made = Command::new("losetup")
            .args(["--find", "--show"])
            .arg(backing.path())
            .output()
            .map_err(|error| format!("losetup: {error}"))?;
        if !made.status.success() {
            return Err(String::from_utf8_lossy(&made.stderr).trim().to_owned());
        }
        let path = PathBuf::from(String::from_utf8_lossy(&made.stdout).trim());
        Ok(Device::Loop {
            path,
            _backing: backing,
        })
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Device::Zram(_) => "zram",
            Device::Loop { .. } => "loop",
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        match self {
            Device::Zram(number) => PathBuf::from(format!("/dev/zram{number}")),
            Device::Loop { path, .. } => path.clone(),
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        match self {
            Device::Zram(number) => {
                // The kernel lets go of a ring, and of what was registered in it, some time after its process ended.
                let mut tries = 0;
                while let Err(error) = std::fs::write(format!("{ZRAM}/hot_remove"), &*number) {
                    tries += 1;
                    if tries == REMOVALS_MAX {
                        eprintln!("bench: /dev/zram{number} stays: {error}");
                        break;
                    }
                    std::thread::sleep(REMOVAL_PAUSE);
                }
            }
            Device::Loop { path, .. } => {
                let _ = Command::new("losetup").arg("--detach").arg(path).status();
            }
        }
    }
}
