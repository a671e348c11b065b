//! Reading a target to see what is on it. Never writes.
//!
//! Plain reads with reading ahead switched off; afterwards the page cache is told to drop exactly the
//! stretches that were read, so that a run does not find them there. Unbuffered reads would leave no
//! trace at all, but cannot read the last piece of every file. Deliberately absent: judgement, which is
//! `content`'s and `signature`'s.

use super::block::Node;
use super::sys::{self, Advice};
use super::target::device_number;
use crate::content;
use crate::signature::{Ends, signatures};
use model::{Bytes, Claim, Content};
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Extents of a sparse file that are looked at beside the even sample.
const EXTENTS_MAX: usize = 64;

/// Opens for reading. Does not wait for a medium or for a writer, should the name change meanwhile.
fn open(path: &Path, flags: i32) -> std::io::Result<File> {
    OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | flags)
        .open(path)
}

/// A target that is open for looking.
pub(super) struct Look {
    path: PathBuf,
    file: File,
    pub(super) size: Bytes,
    /// Names of the formats whose marks it carries; `None` when an end could not be read.
    signatures: Option<Vec<&'static str>>,
}

impl Look {
    /// Opens it and reads both ends; `None` when it cannot be opened.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let mut file = open(path, 0).ok()?;
        let size = Bytes(file.seek(SeekFrom::End(0)).ok()?);
        sys::advise(&file, 0, 0, Advice::Random);
        let ends = Ends::read(size, |offset, piece| read(&file, offset, piece));
        for (offset, length) in Ends::stretches(size) {
            sys::advise(&file, offset, length, Advice::DontNeed);
        }
        Some(Look {
            path: path.to_owned(),
            file,
            size,
            signatures: ends.map(|ends| signatures(&ends)),
        })
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

    /// What it holds. Unknown as well when signatures could not be looked for.
    pub(super) fn content(&self) -> Content {
        if self.signatures.is_none() {
            return Content::Unknown;
        }
        let offsets = content::sample(self.size, &self.extents());
        let content = content::judge(self.size, &offsets, |at, piece| read(&self.file, at, piece));
        for offset in offsets {
            sys::advise(&self.file, offset, 4096, Advice::DontNeed);
        }
        content
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

fn read(file: &File, offset: u64, piece: &mut [u8]) -> bool {
    file.read_exact_at(piece, offset).is_ok()
}
