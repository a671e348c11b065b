//! One large file: byte by byte, block by block, rewritten in place, and at random places.
//!
//! The operations are those of bonnie++ 2.00, through the system's cache as there: a write ends with a flush, and a seek
//! reads a block and writes each tenth back. Deliberately absent: any way with direct I/O; for that there is the block
//! engine (`fathom run`).

use super::crew::{Beat, Ended};
use crate::clock::Clock;
use crate::prepare::raw::{read_exact_at, write_whole};
use crate::rng::Rng;
use gate::{Folder, Name, Use};
use model::{Bytes, FilesThread, Nanos};
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Name of the large file in our folder.
pub(super) const NAME: &str = "large";
/// Threads that seek at once, as in bonnie++ 2.00.
pub(super) const SEEKERS: u64 = 5;
/// Seeks of all of them together, as in bonnie++ 2.00.
pub(super) const SEEKS: u64 = 8192;
/// One block of so many that were sought is written back, as in bonnie++.
const WRITTEN_BACK: u64 = 10;

/// The large file.
#[derive(Clone, Debug)]
pub(crate) struct Large {
    folder: Arc<Folder>,
    name: Name,
    pub(crate) size: Bytes,
    pub(crate) block: Bytes,
    seed: u64,
}

/// A step of the large file: what the threads counted, and the flush at its end.
pub(crate) type Streamed = (Vec<Ended>, Option<Nanos>);

impl Large {
    pub(crate) fn new(folder: &Arc<Folder>, size: Bytes, block: Bytes, seed: u64) -> Self {
        Large {
            folder: Arc::clone(folder),
            name: Name::new(NAME).expect("one component"),
            size,
            block,
            seed,
        }
    }

    fn blocks(&self) -> u64 {
        self.size.0 / self.block.0.max(1)
    }

    fn buffer(&self) -> Vec<u8> {
        let mut buffer = vec![0; usize::try_from(self.block.0).unwrap_or(0)];
        Rng::new(self.seed, 0).fill(&mut buffer);
        buffer
    }

    fn fresh(&self) -> io::Result<File> {
        match self.folder.remove_file(&self.name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.folder.create_new(&self.name, 0o666)
    }

    fn open(&self) -> io::Result<File> {
        self.folder.open_file(&self.name, Use::Write)
    }

    /// Each byte a system call of its own.
    pub(crate) fn write_bytes(&self, beat: &Beat<'_>) -> io::Result<Streamed> {
        let mut file = self.fresh()?;
        let one = |number: u64| (number < self.size.0).then_some([number as u8]);
        let ended = beat.each(one, |byte| file.write_all(&byte).map(|()| 1));
        flushed(ended, &file, beat)
    }

    pub(crate) fn write_blocks(&self, beat: &Beat<'_>) -> io::Result<Streamed> {
        let (mut file, mut buffer) = (self.fresh()?, self.buffer());
        let block = self.block.0;
        let one = |number: u64| (number < self.blocks()).then_some(number);
        let ended = beat.each(one, |number| {
            // No two blocks are the same, so that nothing below can join them.
            let head = buffer.len().min(8);
            buffer[..head].copy_from_slice(&number.to_le_bytes()[..head]);
            file.write_all(&buffer).map(|()| block)
        });
        flushed(ended, &file, beat)
    }

    /// Reads each block, changes it and writes it back. Counted once: its bytes are those of the block.
    pub(crate) fn rewrite(&self, beat: &Beat<'_>) -> io::Result<Streamed> {
        let (file, mut buffer) = (self.open()?, self.buffer());
        let block = self.block.0;
        let ended = beat.each(self.within(&file)?, |number| {
            read_exact_at(&file, &mut buffer, number * block)?;
            buffer[0] ^= 1;
            write_whole(&file, &buffer, number * block).map(|()| block)
        });
        flushed(ended, &file, beat)
    }

    pub(crate) fn read_bytes(&self, beat: &Beat<'_>) -> io::Result<Streamed> {
        let mut file = self.open()?;
        let length = file.metadata()?.len();
        let mut byte = [0];
        let one = |number: u64| (number < length).then_some(());
        let ended = beat.each(one, |()| file.read_exact(&mut byte).map(|()| 1));
        Ok((vec![ended], None))
    }

    pub(crate) fn read_blocks(&self, beat: &Beat<'_>) -> io::Result<Streamed> {
        let (mut file, mut buffer) = (self.open()?, self.buffer());
        let block = self.block.0;
        let within = self.within(&file)?;
        let ended = beat.each(within, |_| file.read_exact(&mut buffer).map(|()| block));
        Ok((vec![ended], None))
    }

    pub(crate) fn seek(&self, beat: &Beat<'_>) -> io::Result<Streamed> {
        let file = self.open()?;
        let blocks = (file.metadata()?.len() / self.block.0.max(1)).max(1);
        let threads = std::thread::scope(|scope| {
            let seekers: Vec<_> = (0..SEEKERS)
                .map(|seeker| {
                    let file = &file;
                    scope.spawn(move || self.seeker(file, seeker, blocks, beat))
                })
                .collect();
            let joined = seekers.into_iter().map(|one| one.join().ok());
            joined.collect::<Option<Vec<Ended>>>()
        });
        let threads = threads.ok_or_else(|| io::Error::other("a thread ended without a word"))?;
        Ok((threads, None))
    }

    fn seeker(&self, file: &File, seeker: u64, blocks: u64, beat: &Beat<'_>) -> Ended {
        let mut buffer = self.buffer();
        let mut rng = Rng::new(self.seed, seeker + 1);
        let block = self.block.0;
        let mine = SEEKS / SEEKERS + u64::from(seeker < SEEKS % SEEKERS);
        let one = |number: u64| (number < mine).then(|| (number, rng.below(blocks) * block));
        beat.each(one, |(number, offset)| {
            read_exact_at(file, &mut buffer, offset)?;
            if number % WRITTEN_BACK == 0 {
                buffer[0] ^= 1;
                write_whole(file, &buffer, offset)?;
            }
            Ok(block)
        })
    }

    /// The numbers of the whole blocks that the file contains now: the step that created it may have been cut short.
    fn within(&self, file: &File) -> io::Result<impl FnMut(u64) -> Option<u64> + use<>> {
        let blocks = file.metadata()?.len() / self.block.0.max(1);
        Ok(move |number| (number < blocks).then_some(number))
    }
}

/// Flushes, and counts it as a part of the step.
fn flushed(mut ended: Ended, file: &File, beat: &Beat<'_>) -> io::Result<Streamed> {
    let begin = beat.clock.now();
    file.sync_all()?;
    let end = beat.clock.now();
    let counted: &mut FilesThread = &mut ended.counted;
    counted.ended = end;
    Ok((vec![ended], Some(end.minus(begin))))
}
