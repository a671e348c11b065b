//! Reading a target to see what is on it. Never writes.
//!
//! Plain reads with reading ahead switched off. What was in the page cache stays there, and what was not is dropped at
//! once, so that a run finds the cache as it was before the look, whether it goes past it or through it. Unbuffered reads
//! would leave no trace either, but cannot read the last piece of every file. A look ends when its patience does, so that
//! a slow device costs seconds, not minutes; only a single read that hangs is waited for. A look is at a sample; all of a
//! device is read only where that was asked for by itself. Deliberately absent: judgement, which is `content`'s and
//! `signature`'s.

use super::block::Node;
use super::extents::extents;
use super::sys::{self, Advice};
use super::target::device_number;
use super::unmarked::open_unmarked;
use crate::content;
use crate::press;
use crate::signature::{Ends, signatures};
use model::{Bytes, CachedPages, Claim, Content, DataSample, Layout};
use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest look at one target: a fast disk shows half a gibibyte in that time.
const PATIENCE: Duration = Duration::from_secs(2);
/// The same where every block so far is marked as ours: a spinning disk or a far one then only takes its time, and is not to
/// be called somebody else's.
const PATIENCE_OURS: Duration = Duration::from_secs(10);
/// Largest device that is read whole to prove that it is empty.
pub(super) const WHOLE_MAX: Bytes = Bytes::gib(1);
/// Extents of a sparse file that are looked at beside the even sample.
const EXTENTS_MAX: usize = 64;
/// Asked of the page cache at a time. What it does not have it may begin to bring in, so that a question must not reach
/// farther than what is dropped after it.
const ASKED_BYTES: usize = 64 << 10;

/// Blocks that are read to see what the data is like where judging it ended at the first one, and how long that may take:
/// as many as a fast device gives in the short time, and on a slow one few.
const SAMPLE_BLOCKS: u64 = 32;
const SAMPLE_BLOCKS_FEW: u32 = 8;
const SAMPLE_BLOCK_BYTES: u64 = 4096;
const SAMPLE_PATIENCE: Duration = Duration::from_millis(10);
const SAMPLE_PATIENCE_MAX: Duration = Duration::from_millis(100);
/// Stretches that the page cache is asked about, and how long each is.
const CACHE_STRETCHES: u64 = 64;
const CACHE_STRETCH_BYTES: u64 = 64 << 10;

/// Opens for reading. Does not wait for a medium or for a writer, should the name change meanwhile.
fn open(path: &Path, flags: i32) -> std::io::Result<File> {
    open_unmarked(
        OpenOptions::new().read(true),
        libc::O_NONBLOCK | flags,
        path,
    )
}

/// How long a look may take. Begins with the look.
pub(super) struct Patience(Instant);

impl Patience {
    #[allow(
        clippy::disallowed_methods,
        reason = "a limit, not a measurement: no number depends on it"
    )]
    pub(super) fn begin() -> Self {
        Patience(Instant::now())
    }

    /// With none left from the start.
    #[cfg(test)]
    pub(super) fn none() -> Self {
        Patience(Self::begin().0 - PATIENCE)
    }

    /// With none left for what is not ours either.
    #[cfg(test)]
    fn none_at_all() -> Self {
        Patience(Self::begin().0 - PATIENCE_OURS)
    }

    fn lasts(&self) -> bool {
        self.0.elapsed() < PATIENCE
    }

    fn lasts_for_ours(&self) -> bool {
        self.0.elapsed() < PATIENCE_OURS
    }
}

/// A target that is open for looking.
pub(super) struct Look {
    path: PathBuf,
    file: File,
    pub(super) size: Bytes,
    /// Names of the formats whose marks it carries; `None` when an end could not be read.
    signatures: Option<Vec<&'static str>>,
    /// What the blocks that were looked at are like.
    blocks: RefCell<DataSample>,
}

impl Look {
    /// Opens it and reads both ends; `None` when it cannot be opened.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let mut look = Self::without_reading(path)?;
        sys::advise(&look.file, 0, 0, Advice::Random);
        let ends = Ends::read(look.size, |offset, piece| read(&look.file, offset, piece));
        look.signatures = ends.map(|ends| signatures(&ends));
        Some(look)
    }

    /// Opens it and asks its size; `None` when it cannot be opened.
    pub(super) fn without_reading(path: &Path) -> Option<Self> {
        let mut file = open(path, 0).ok()?;
        let size = Bytes(file.seek(SeekFrom::End(0)).ok()?);
        Some(Look {
            path: path.to_owned(),
            file,
            size,
            signatures: None,
            blocks: RefCell::default(),
        })
    }

    /// A device that was looked at before, without reading it; `None` when its name means another one by now, or it is not
    /// as large as it was.
    pub(super) fn again(path: &Path, number: u64, size: Bytes) -> Option<Self> {
        let look = Self::without_reading(path)?;
        let there = look.file.metadata().ok()?;
        let is_it = there.file_type().is_block_device() && there.rdev() == number;
        sys::advise(&look.file, 0, 0, Advice::Random);
        (is_it && look.size == size).then_some(look)
    }

    /// A device by its name in `/dev`; `None` also when that name means another one.
    pub(super) fn at_device(node: &Node) -> Option<Self> {
        let is_it = device_number(&node.path()) == node.number();
        is_it.then(|| Self::at(&node.path()))?
    }

    /// Signatures in the words of a claim.
    pub(super) fn signature_claims(&self, device: &str) -> Vec<Claim> {
        let found = self.signatures.iter().flatten();
        found
            .map(|what| Claim::Signature {
                device: device.to_owned(),
                what: (*what).to_owned(),
            })
            .collect()
    }

    /// What a file holds. Unknown as well when signatures could not be looked for, or patience ended.
    pub(super) fn content_of_file(&self, patience: &Patience) -> Content {
        if self.signatures.is_some() && sys::has_no_data(&self.file) {
            return Content::Empty;
        }
        self.content_of_sample(patience)
    }

    /// Whether a device whose sample showed only zeros is empty, by reading all of it. One that is large stays unproven.
    pub(super) fn content_of_whole(&self, patience: &Patience) -> Content {
        if self.size > WHOLE_MAX {
            return Content::Unproven;
        }
        content::judge_whole(self.size, |at, piece| {
            patience.lasts() && read(&self.file, at, piece)
        })
    }

    /// What it shows to a sample, which proves of nothing but what has no length that it is empty.
    pub(super) fn content_of_sample(&self, patience: &Patience) -> Content {
        if self.signatures.is_none() {
            return Content::Unknown;
        }
        let offsets = content::sample(self.size, &self.extents());
        let mut ours = false;
        let found = content::judge(self.size, &offsets, |at, piece| {
            let time = patience.lasts() || ours && patience.lasts_for_ours();
            let done = time && read(&self.file, at, piece);
            ours = done && content::is_marked(piece);
            if done && piece.len() as u64 == SAMPLE_BLOCK_BYTES {
                press::add(&mut self.blocks.borrow_mut(), piece);
            }
            done
        });
        if matches!(found, Content::Foreign | Content::Unknown) {
            self.blocks.take(); // it ended early, so these are of the beginning alone
        }
        found
    }

    /// How its data lies, what the page cache has of it, and, where it may be read, what a sample of it is like.
    pub(super) fn layout(&self) -> Layout {
        let is_file = self.file.metadata().is_ok_and(|there| there.is_file());
        Layout {
            cached: self.cached(),
            extents: is_file.then(|| extents(&self.file, self.size)).flatten(),
            sample: self
                .signatures
                .is_some()
                .then(|| self.data_sample())
                .flatten(),
        }
    }

    /// `count` places spread evenly, each a multiple of `step`.
    fn spread(&self, count: u64, step: u64) -> impl Iterator<Item = u64> {
        let whole = self.size.0 / step;
        let count = count.min(whole);
        (0..count)
            .map(move |i| (u128::from(whole) * u128::from(i) / u128::from(count)) as u64 * step)
    }

    fn data_sample(&self) -> Option<DataSample> {
        let mut sample = *self.blocks.borrow();
        if sample.blocks >= SAMPLE_BLOCKS_FEW {
            return Some(sample);
        }
        sample = DataSample::default();
        let began = Patience::begin();
        let mut block = [0; SAMPLE_BLOCK_BYTES as usize];
        for at in self.spread(SAMPLE_BLOCKS, SAMPLE_BLOCK_BYTES) {
            let spent = began.0.elapsed();
            let limit = match sample.blocks {
                ..SAMPLE_BLOCKS_FEW => SAMPLE_PATIENCE_MAX,
                _ => SAMPLE_PATIENCE,
            };
            if spent >= limit || !read(&self.file, at, &mut block) {
                break;
            }
            press::add(&mut sample, &block);
        }
        (sample.blocks > 0).then_some(sample)
    }

    fn cached(&self) -> Option<CachedPages> {
        let mut found = CachedPages::default();
        let pages = (CACHE_STRETCH_BYTES / sys::page_bytes()).max(1);
        for at in self.spread(CACHE_STRETCHES, CACHE_STRETCH_BYTES) {
            let held = sys::cached_pages(&self.file, at, CACHE_STRETCH_BYTES)?;
            found.asked += pages;
            found.held += held.min(pages);
        }
        (found.asked > 0).then_some(found)
    }

    /// Whether somebody holds this device exclusively. Asked by opening it so for a moment. // open(2)
    pub(super) fn is_busy(&self) -> bool {
        let opened = open(&self.path, libc::O_EXCL);
        opened.is_err_and(|error| error.raw_os_error() == Some(libc::EBUSY))
    }

    /// Where the data of a sparse file begins: the first extents, for a device nothing new.
    fn extents(&self) -> Vec<u64> {
        let mut begins = Vec::new();
        let mut from = 0;
        while begins.len() < EXTENTS_MAX {
            let Some(data) = sys::next_data(&self.file, from) else {
                break;
            };
            begins.push(data);
            match sys::next_hole(&self.file, data) {
                Some(hole) if hole > data => from = hole,
                _ => break,
            }
        }
        begins
    }
}

/// What is behind a loop device, where this user may open it.
pub(super) fn loop_backing(node: &Node) -> Option<sys::Backing> {
    let path = node.path();
    let is_it = device_number(&path) == node.number();
    is_it.then(|| sys::loop_backing(&open(&path, 0).ok()?))?
}

/// Fills the piece and leaves the page cache as it was, to within [`ASKED_BYTES`] where only part was in it.
fn read(file: &File, offset: u64, piece: &mut [u8]) -> bool {
    let parts = (offset..).step_by(ASKED_BYTES);
    parts.zip(piece.chunks_mut(ASKED_BYTES)).all(|(at, part)| {
        let cached = sys::read_cached(file, at, part);
        let rest = &mut part[cached..];
        if rest.is_empty() {
            return true;
        }
        let from = at + cached as u64;
        let done = file.read_exact_at(rest, from).is_ok();
        sys::advise(file, from, rest.len() as u64, Advice::DontNeed);
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_without_patience_learns_nothing_of_data() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, vec![0; 1 << 20]).unwrap();
        let look = Look::at(&path).unwrap();
        assert_eq!(look.content_of_file(&Patience::none()), Content::Unknown);
        assert_eq!(look.content_of_sample(&Patience::none()), Content::Unknown);
        assert_eq!(look.content_of_whole(&Patience::none()), Content::Unproven);
        assert_eq!(look.content_of_file(&Patience::begin()), Content::Unproven);
    }

    #[test]
    fn what_is_marked_as_ours_is_looked_at_for_longer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let mut data = vec![0xA7; 1 << 20];
        model::stamp::stamp(&mut data, Bytes(0), 0);
        std::fs::write(&path, data).unwrap();
        let look = Look::at(&path).unwrap();
        let begun = || Patience(Patience::begin().0 - PATIENCE / 2);
        assert_eq!(look.content_of_file(&begun()), Content::Fathom);
        assert!(!Patience::none().lasts() && Patience::none().lasts_for_ours());
        assert!(!Patience::none_at_all().lasts_for_ours());
    }

    #[test]
    fn zeros_are_empty_only_where_all_of_them_were_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, vec![0; 2 << 20]).unwrap();
        let sample = || {
            Look::at(&path)
                .unwrap()
                .content_of_sample(&Patience::begin())
        };
        let whole = || {
            Look::at(&path)
                .unwrap()
                .content_of_whole(&Patience::begin())
        };
        assert_eq!((sample(), whole()), (Content::Unproven, Content::Empty));
        let between = 4096 + 7; // of 512 blocks the sample has every second one
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all_at(b"x", between).unwrap();
        assert_eq!((sample(), whole()), (Content::Unproven, Content::Foreign));
    }

    #[test]
    fn a_device_that_is_too_large_to_be_read_whole_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, b"not zeros").unwrap();
        let mut look = Look::at(&path).unwrap();
        look.size = Bytes(WHOLE_MAX.0 + 512);
        assert_eq!(look.content_of_whole(&Patience::begin()), Content::Unproven);
    }

    #[test]
    fn what_is_no_device_is_no_device_s_second_look() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, vec![0; 4096]).unwrap();
        assert!(Look::again(&path, 0, Bytes(4096)).is_none());
        assert!(Look::again(&folder.path().join("none"), 0, Bytes(4096)).is_none());
    }
}
