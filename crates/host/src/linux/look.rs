//! Reading a target to see what is on it. Never writes.
//!
//! Plain reads with reading ahead switched off. What was in the page cache stays there, and what was not is dropped at
//! once, so that a run finds the cache as it was before the look, whether it goes past it or through it. Unbuffered reads
//! would leave no trace either, but cannot read the last piece of every file. A look ends when its patience does, so that
//! a slow device costs seconds, not minutes. Reads are done by a thread of their own, which is left behind where one of them
//! does not return in time. A look is at a sample; all of a device is read only where that was asked for by itself.
//! Deliberately absent: judgement, which is `content`'s and `signature`'s.

use super::block::Node;
use super::extents::extents;
use super::sys::{self, Advice};
use crate::content;
use crate::press;
use crate::signature::{Ends, signatures};
use gate::{Access, Pin, Pins};
use model::{Bytes, CachedPages, Claim, Content, DataSample, Layout};
use std::cell::RefCell;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// Longest scan of a target that was named: a spinning disk that others use gives a gibibyte, or some hundred blocks,
/// in that time, and what fathom wrote is not refused only because the machine is busy.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest scan of each device of a list.
const PATIENCE_OF_LISTS: Duration = Duration::from_secs(2);
/// Largest device that is read whole to prove that it is empty.
pub(super) const WHOLE_MAX: Bytes = Bytes::gib(1);
/// Extents of a sparse file that are looked at in addition to the even sample.
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

/// Opens for reading. Does not wait for a medium or for a writer.
fn open(pin: &Pin, access: Access) -> std::io::Result<File> {
    pin.reopen(access.without_waiting())
}

/// How long all checks of one target may take together: at its ends, its partitions, its data. Begins with the first.
#[derive(Clone)]
pub(super) struct Patience {
    began: Instant,
    whole: Duration,
}

impl Patience {
    /// Of a target that was named.
    pub(super) fn begin() -> Self {
        Self::begun(Duration::ZERO)
    }

    /// Of one device of a list.
    pub(super) fn of_list() -> Self {
        Patience {
            whole: PATIENCE_OF_LISTS,
            ..Self::begin()
        }
    }

    /// As if it had begun so long ago.
    #[allow(
        clippy::disallowed_methods,
        reason = "a limit, not a measurement: no number depends on it"
    )]
    fn begun(ago: Duration) -> Self {
        Patience {
            began: Instant::now() - ago,
            whole: PATIENCE,
        }
    }

    /// With none left from the start.
    #[cfg(test)]
    pub(super) fn none() -> Self {
        Self::begun(PATIENCE)
    }

    fn left(&self) -> Duration {
        self.whole.saturating_sub(self.began.elapsed())
    }

    fn lasts(&self) -> bool {
        !self.left().is_zero()
    }

    /// Does work that reads in a thread of its own; `None` where it does not return in time. Then the thread is left to a
    /// read that may never return.
    pub(super) fn wait_for<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, done) = mpsc::channel();
        let read = move || {
            let _ = sender.send(work()); // the receiver may be gone
        };
        let reader = thread::Builder::new().name("look".to_owned());
        reader.spawn(read).ok()?;
        done.recv_timeout(self.left()).ok()
    }
}

/// A target that is open for looking.
#[derive(Clone)]
pub(super) struct Look {
    file: Arc<File>,
    pub(super) size: Bytes,
    /// Names of the formats whose marks it carries; `None` when an end could not be read.
    signatures: Option<Vec<&'static str>>,
    /// What the blocks that were looked at are like.
    blocks: RefCell<DataSample>,
}

impl Look {
    /// Opens it and reads both ends; `None` when it cannot be opened.
    pub(super) fn at(pin: &Pin, patience: &Patience) -> Option<Self> {
        let mut look = Self::without_reading(pin)?;
        sys::advise(&look.file, 0, 0, Advice::Random);
        let (there, time) = (look.clone(), patience.clone());
        let read_ends = move || {
            let ends = Ends::read(there.size, |offset, piece| {
                read(&there.file, offset, piece, &|| time.lasts())
            });
            ends.map(|ends| signatures(&ends))
        };
        look.signatures = patience.wait_for(read_ends).flatten();
        Some(look)
    }

    /// Opens it and asks its size; `None` when it cannot be opened.
    pub(super) fn without_reading(pin: &Pin) -> Option<Self> {
        let mut file = open(pin, Access::READ).ok()?;
        let size = Bytes(file.seek(SeekFrom::End(0)).ok()?);
        Some(Look {
            file: Arc::new(file),
            size,
            signatures: None,
            blocks: RefCell::default(),
        })
    }

    /// A device that was looked at before, without reading it; `None` when its name means another one by now, or it is not
    /// as large as it was.
    pub(super) fn again(pin: &Pin, number: u64, size: Bytes) -> Option<Self> {
        let look = Self::without_reading(pin)?;
        let there = look.file.metadata().ok()?;
        let is_it = there.file_type().is_block_device() && there.rdev() == number;
        sys::advise(&look.file, 0, 0, Advice::Random);
        (is_it && look.size == size).then_some(look)
    }

    /// A device by its name in `/dev`; `None` also when that name means another one.
    pub(super) fn at_device(node: &Node, patience: &Patience) -> Option<Self> {
        Self::at(&pin_of(node)?, patience)
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

    /// Content of a file. Unknown as well when signatures could not be looked for, or patience ended.
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
        let (look, time) = (self.clone(), patience.clone());
        let judge = move || {
            content::judge_whole(look.size, |at, piece| {
                read(&look.file, at, piece, &|| time.lasts())
            })
        };
        patience.wait_for(judge).unwrap_or(Content::Unproven)
    }

    /// What it shows to a sample, which proves of nothing but what has no length that it is empty.
    pub(super) fn content_of_sample(&self, patience: &Patience) -> Content {
        if self.signatures.is_none() {
            return Content::Unknown;
        }
        let (look, time) = (self.clone(), patience.clone());
        let judge = move || (look.judge_sample(&time), look.blocks.take());
        let (found, blocks) = patience
            .wait_for(judge)
            .unwrap_or((Content::Unknown, DataSample::default()));
        // Where it ended early, they are of the beginning alone.
        if !matches!(found, Content::Foreign | Content::Unknown) {
            self.blocks.replace(blocks);
        }
        found
    }

    fn judge_sample(&self, patience: &Patience) -> Content {
        let offsets = content::sample(self.size, &self.extents());
        content::judge(self.size, &offsets, |at, piece| {
            let done = read(&self.file, at, piece, &|| patience.lasts());
            if done && piece.len() as u64 == SAMPLE_BLOCK_BYTES {
                press::add(&mut self.blocks.borrow_mut(), piece);
            }
            done
        })
    }

    /// How its data lies, what the page cache has of it, and, where it may be read, what a sample of it is like.
    pub(super) fn layout(&self, patience: &Patience) -> Layout {
        let (look, time) = (self.clone(), patience.clone());
        let read = move || {
            let is_file = look.file.metadata().is_ok_and(|there| there.is_file());
            Layout {
                cached: look.cached(),
                extents: is_file.then(|| extents(&look.file, look.size)).flatten(),
                sample: look
                    .signatures
                    .is_some()
                    .then(|| look.data_sample(&time))
                    .flatten(),
            }
        };
        // All but the sample is asked for even where no patience is left for reading.
        Patience::begin().wait_for(read).unwrap_or_default()
    }

    /// `count` places spread evenly, each a multiple of `step`.
    fn spread(&self, count: u64, step: u64) -> impl Iterator<Item = u64> {
        let whole = self.size.0 / step;
        let count = count.min(whole);
        (0..count)
            .map(move |i| (u128::from(whole) * u128::from(i) / u128::from(count)) as u64 * step)
    }

    fn data_sample(&self, patience: &Patience) -> Option<DataSample> {
        let mut sample = *self.blocks.borrow();
        if sample.blocks >= SAMPLE_BLOCKS_FEW {
            return Some(sample);
        }
        sample = DataSample::default();
        let began = Patience::begin();
        let mut block = [0; SAMPLE_BLOCK_BYTES as usize];
        for at in self.spread(SAMPLE_BLOCKS, SAMPLE_BLOCK_BYTES) {
            let spent = began.began.elapsed();
            let limit = match sample.blocks {
                ..SAMPLE_BLOCKS_FEW => SAMPLE_PATIENCE_MAX,
                _ => SAMPLE_PATIENCE,
            };
            let time = || spent < limit && patience.lasts();
            if !read(&self.file, at, &mut block, &time) {
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

/// A device by its name in `/dev`; `None` where that name means another one.
pub(super) fn pin_of(node: &Node) -> Option<Pin> {
    let pin = Pin::new(&node.path()).ok()?;
    let there = pin.metadata()?;
    let is_it = there.file_type().is_block_device() && Some(there.rdev()) == node.number();
    is_it.then_some(pin)
}

/// Takes a device exclusively for the session, because it is below one that is written.
pub(super) fn claim(pins: &Pins, node: &Node) -> Claimed {
    let Some(pin) = pin_of(node) else {
        return Claimed::Unknown;
    };
    match pins.claim(&pin) {
        Ok(()) => Claimed::Taken,
        Err(error) if error.raw_os_error() == Some(libc::EBUSY) => Claimed::Busy,
        Err(_) => Claimed::Unknown,
    }
}

/// The result of taking a device exclusively.
pub(super) enum Claimed {
    Taken,
    /// Another process uses it.
    Busy,
    /// It could not be opened.
    Unknown,
}

/// Whether another process has this device open exclusively. Asked by opening it so for a moment, unless this session
/// has it open. // open(2)
pub(super) fn is_busy(pins: &Pins, pin: &Pin) -> bool {
    let busy = |error: &std::io::Error| error.raw_os_error() == Some(libc::EBUSY);
    !pins.claims(pin) && open(pin, Access::READ.exclusive()).is_err_and(|error| busy(&error))
}

/// What is behind a loop device, where this user may open it.
pub(super) fn loop_backing(node: &Node) -> Option<sys::Backing> {
    sys::loop_backing(&open(&pin_of(node)?, Access::READ).ok()?)
}

/// Fills the piece and leaves the page cache as it was, to within [`ASKED_BYTES`] where only part was in it. Reads no
/// further part once the time is used up.
fn read(file: &File, offset: u64, piece: &mut [u8], time: &dyn Fn() -> bool) -> bool {
    let parts = (offset..).step_by(ASKED_BYTES);
    parts.zip(piece.chunks_mut(ASKED_BYTES)).all(|(at, part)| {
        if !time() {
            return false;
        }
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
    use std::fs::OpenOptions;
    use std::path::Path;

    fn look(path: &Path) -> Look {
        Look::at(&Pin::new(path).unwrap(), &Patience::begin()).unwrap()
    }

    /// H3: a device of which each read takes long was read for 22 s, because each part had a patience of its own.
    #[test]
    fn no_read_begins_once_the_patience_that_all_share_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, vec![7; 1 << 20]).unwrap();
        let late = Look::at(&Pin::new(&path).unwrap(), &Patience::none()).unwrap();
        assert!(late.signatures.is_none(), "its ends were not read");
        assert_eq!(late.content_of_file(&Patience::begin()), Content::Unknown);
        let asked = std::cell::Cell::new(0);
        let time = || asked.replace(asked.get() + 1) < 2;
        let mut piece = vec![0; 4 * ASKED_BYTES];
        assert!(!read(&late.file, 0, &mut piece, &time));
        assert_eq!(asked.get(), 3);
        assert_eq!((piece[2 * ASKED_BYTES - 1], piece[2 * ASKED_BYTES]), (7, 0));
        let sample = late.layout(&Patience::none()).sample;
        assert!(sample.is_none());
    }

    /// H3: a read that does not return is waited for as long as the patience lasts, and not longer.
    #[test]
    fn a_read_that_hangs_is_left_behind() {
        let (release, hung) = mpsc::channel::<()>();
        let nearly_over = Patience::begun(PATIENCE - Duration::from_millis(20));
        assert_eq!(nearly_over.wait_for(move || hung.recv().is_ok()), None);
        assert!(!nearly_over.lasts());
        drop(release);
        assert_eq!(Patience::begin().wait_for(|| 7), Some(7));
    }

    #[test]
    fn a_look_without_patience_learns_nothing_of_data() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, vec![0; 1 << 20]).unwrap();
        let look = look(&path);
        assert_eq!(look.content_of_file(&Patience::none()), Content::Unknown);
        assert_eq!(look.content_of_sample(&Patience::none()), Content::Unknown);
        assert_eq!(look.content_of_whole(&Patience::none()), Content::Unproven);
        assert_eq!(look.content_of_file(&Patience::begin()), Content::Unproven);
    }

    #[test]
    fn a_list_waits_for_each_device_a_shorter_time() {
        let lasts = |whole: Duration, ago: Duration| {
            let patience = Patience {
                whole,
                ..Patience::begun(ago)
            };
            patience.lasts()
        };
        assert!(lasts(PATIENCE, PATIENCE_OF_LISTS));
        assert!(!lasts(PATIENCE, PATIENCE) && !lasts(PATIENCE_OF_LISTS, PATIENCE_OF_LISTS));
        assert_eq!(Patience::of_list().whole, PATIENCE_OF_LISTS);
    }

    #[test]
    fn zeros_are_empty_only_where_all_of_them_were_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, vec![0; 2 << 20]).unwrap();
        let sample = || look(&path).content_of_sample(&Patience::begin());
        let whole = || look(&path).content_of_whole(&Patience::begin());
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
        let mut look = look(&path);
        look.size = Bytes(WHOLE_MAX.0 + 512);
        assert_eq!(look.content_of_whole(&Patience::begin()), Content::Unproven);
    }

    #[test]
    fn what_is_no_device_is_no_device_s_second_look() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, vec![0; 4096]).unwrap();
        let again = |path: &Path| Look::again(&Pin::new(path).unwrap(), 0, Bytes(4096));
        assert!(again(&path).is_none());
        assert!(again(&folder.path().join("none")).is_none());
    }
}
