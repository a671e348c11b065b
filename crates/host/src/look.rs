//! Reading a target to see what is on it. Never writes.
//!
//! A look ends when its patience does, so that a slow device costs seconds, not minutes. It is at a sample; all of a device
//! is read only where that was asked for by itself. Deliberately absent: judgement, which is `content`'s and `signature`'s;
//! how the system reads without leaving a trace in its cache.

use crate::content;
use crate::patience::Patience;
use crate::press;
use crate::signature::{Ends, signatures};
use crate::system::reads;
use gate::{Access, FileFacts, NodeKind, Pin, file_facts};
use model::{Bytes, CachedPages, Claim, Content, DataSample, Layout};
use std::cell::RefCell;
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

/// Largest device that is read whole to prove that it is empty.
pub(crate) const WHOLE_MAX: Bytes = Bytes::gib(1);
/// Extents of a sparse file that are looked at in addition to the even sample.
const EXTENTS_MAX: usize = 64;
/// Bytes of one read, before which the time is looked at.
const PART_BYTES: usize = 64 << 10;

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

/// A target that is open for looking.
#[derive(Clone)]
pub(crate) struct Look {
    file: Arc<File>,
    pub(crate) size: Bytes,
    /// Names of the formats whose marks it carries; `None` when an end could not be read.
    signatures: Option<Vec<&'static str>>,
    /// What the blocks that were looked at are like.
    blocks: RefCell<DataSample>,
}

impl Look {
    /// Opens it and reads both ends; `None` when it cannot be opened.
    pub(crate) fn at(pin: &Pin, patience: &Patience) -> Option<Self> {
        let mut look = Self::without_reading(pin)?;
        reads::expect_random(&look.file);
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
    pub(crate) fn without_reading(pin: &Pin) -> Option<Self> {
        let mut file = pin.reopen(Access::READ.without_waiting()).ok()?;
        let size = reads::length(&mut file)?;
        Some(Look {
            file: Arc::new(file),
            size,
            signatures: None,
            blocks: RefCell::default(),
        })
    }

    /// A device that was looked at before, without reading it; `None` when its name means another one by now, or it is not
    /// as large as it was.
    pub(crate) fn again(pin: &Pin, number: u64, size: Bytes) -> Option<Self> {
        let look = Self::without_reading(pin)?;
        let there = file_facts(&look.file).ok()?;
        let is_it = there.kind == NodeKind::BlockDevice && there.device == number;
        reads::expect_random(&look.file);
        (is_it && look.size == size).then_some(look)
    }

    /// Signatures in the words of a claim.
    pub(crate) fn signature_claims(&self, device: &str) -> Vec<Claim> {
        let found = self.signatures.iter().flatten();
        found
            .map(|what| Claim::Signature {
                device: device.to_owned(),
                what: (*what).to_owned(),
            })
            .collect()
    }

    /// Content of a file. Unknown as well when signatures could not be looked for, or patience ended.
    pub(crate) fn content_of_file(&self, patience: &Patience) -> Content {
        if self.signatures.is_some() && reads::has_no_data(&self.file) {
            return Content::Empty;
        }
        self.content_of_sample(patience)
    }

    /// Whether a device whose sample showed only zeros is empty, by reading all of it. One that is large stays unproven.
    pub(crate) fn content_of_whole(&self, patience: &Patience) -> Content {
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
    pub(crate) fn content_of_sample(&self, patience: &Patience) -> Content {
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
    pub(crate) fn layout(&self, patience: &Patience) -> Layout {
        let (look, time) = (self.clone(), patience.clone());
        let read = move || {
            let is_file = |there: FileFacts| there.kind == NodeKind::File;
            let is_file = file_facts(&look.file).is_ok_and(is_file);
            Layout {
                cached: look.cached(),
                extents: is_file
                    .then(|| reads::extents(&look.file, look.size))
                    .flatten(),
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
            let spent = began.spent();
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
        let pages = (CACHE_STRETCH_BYTES / reads::page_bytes()).max(1);
        for at in self.spread(CACHE_STRETCHES, CACHE_STRETCH_BYTES) {
            let held = reads::cached_pages(&self.file, at, CACHE_STRETCH_BYTES)?;
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
            let Some(data) = reads::next_data(&self.file, from) else {
                break;
            };
            begins.push(data);
            match reads::next_hole(&self.file, data) {
                Some(hole) if hole > data => from = hole,
                _ => break,
            }
        }
        begins
    }
}

/// Fills the piece part by part. Reads no further part once the time is used up.
fn read(file: &File, offset: u64, piece: &mut [u8], time: &dyn Fn() -> bool) -> bool {
    let parts = (offset..).step_by(PART_BYTES);
    let mut parts = parts.zip(piece.chunks_mut(PART_BYTES));
    parts.all(|(at, part)| time() && reads::read_part(file, at, part))
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
        let mut piece = vec![0; 4 * PART_BYTES];
        assert!(!read(&late.file, 0, &mut piece, &time));
        assert_eq!(asked.get(), 3);
        assert_eq!((piece[2 * PART_BYTES - 1], piece[2 * PART_BYTES]), (7, 0));
        let sample = late.layout(&Patience::none()).sample;
        assert!(sample.is_none());
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
    fn zeros_are_empty_only_where_all_of_them_were_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, vec![0; 2 << 20]).unwrap();
        let sample = || look(&path).content_of_sample(&Patience::begin());
        let whole = || look(&path).content_of_whole(&Patience::begin());
        assert_eq!((sample(), whole()), (Content::Unproven, Content::Empty));
        let between = 4096 + 7; // of 512 blocks the sample has every second one
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        gate::write_at(&file, b"x", between).unwrap();
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
