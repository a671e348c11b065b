//! Compressed traces, gzip and zstd, as the bytes that were compressed, in bounded memory.
//!
//! Files may have several members or frames one after another, as pigz, pzstd and `cat` write them. What a file expands to
//! is only limited by its reader, which takes lines and frames of bounded length. Omitted: xz and bzip2, which are refused
//! with the command that decompresses them.

use flate2::bufread::GzDecoder;
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// A frame of zstd refers back by so much at most, which has to be in memory: that of level 20.
const WINDOW_MAX: u64 = 32 << 20;
/// Its error where a frame needs more.
pub(crate) const WINDOW_TOO_LARGE: io::ErrorKind = io::ErrorKind::OutOfMemory;
const ZSTD: [u8; 4] = *b"\x28\xb5\x2f\xfd";
/// Frames that contain no data begin so; the low four bits of the first byte are free.
const SKIPPABLE: [u8; 4] = *b"\x50\x2a\x4d\x18";

/// Bytes as they come.
pub(crate) type Bytes = Box<dyn Read + Send>;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// Returns how a file that begins so is compressed, if it is.
    pub(crate) fn of(head: &[u8]) -> Option<Packing> {
        if head.starts_with(b"\x1f\x8b") {
            return Some(Packing::Gzip);
        }
        let first: &[u8; 4] = head.first_chunk()?;
        (*first == ZSTD || is_skippable(first)).then_some(Packing::Zstd)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        }
    }

    /// Returns the bytes that were compressed.
    pub(crate) fn unpack(self, packed: BufReader<Bytes>) -> Bytes {
        match self {
            Packing::Gzip => Box::new(Filled::of(Members(Some(GzDecoder::new(packed))))),
            Packing::Zstd => Box::new(Filled::of(Frames {
                state: State::Between(packed),
                decoder: None,
            })),
        }
    }
}

fn is_skippable(magic: &[u8; 4]) -> bool {
    magic[0] & 0xf0 == SKIPPABLE[0] && magic[1..] == SKIPPABLE[1..]
}

/// Fills what it is given as far as there are bytes, so that the first lines are there when the format is decided.
struct Filled<R> {
    from: R,
    failed: Option<io::Error>,
}

impl<R: Read> Filled<R> {
    fn of(from: R) -> Filled<R> {
        Filled { from, failed: None }
    }
}

impl<R: Read> Read for Filled<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut filled = 0;
        while filled < into.len() {
            match self.from.read(&mut into[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if filled == 0 => return Err(error),
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        Ok(filled)
    }
}

/// The members of a gzip file. Zeros behind one, as tapes and blocks fill up, are no data. // gzip(1)
struct Members(Option<GzDecoder<Packed>>);

impl Read for Members {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(member) = &mut self.0 else {
                return Ok(0);
            };
            let read = member.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            let ended = self.0.take().map(GzDecoder::into_inner);
            let mut packed = ended.expect("it was there");
            while let zeros @ 1.. = zeros_of(packed.fill_buf()?) {
                packed.consume(zeros);
            }
            if !packed.fill_buf()?.is_empty() {
                self.0 = Some(GzDecoder::new(packed));
            }
        }
    }
}

fn zeros_of(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte == 0).count()
}

/// The frames of a zstd file.
struct Frames {
    state: State,
    decoder: Option<FrameDecoder>, // between frames
}

type Packed = BufReader<Bytes>;
type FrameBytes = io::Chain<Cursor<[u8; 4]>, Packed>;

enum State {
    Between(Packed),
    In(Box<StreamingDecoder<FrameBytes, FrameDecoder>>),
    Ended,
}

impl Read for Frames {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Ended => return Ok(0),
                State::In(mut frame) => {
                    let read = frame.read(into)?;
                    if read > 0 || into.is_empty() {
                        self.state = State::In(frame);
                        return Ok(read);
                    }
                    let (bytes, decoder) = frame.into_parts();
                    check_sum(&decoder)?;
                    self.decoder = Some(decoder);
                    self.state = State::Between(bytes.into_inner().1);
                }
                State::Between(packed) => self.state = self.next(packed)?,
            }
        }
    }
}

impl Frames {
    /// Begins the next frame, if there is one.
    fn next(&mut self, mut packed: Packed) -> io::Result<State> {
        if packed.fill_buf()?.is_empty() {
            return Ok(State::Ended);
        }
        let mut magic = [0; 4];
        packed.read_exact(&mut magic)?;
        if is_skippable(&magic) {
            let mut length = [0; 4];
            packed.read_exact(&mut length)?;
            let length = u64::from(u32::from_le_bytes(length));
            let skipped = io::copy(&mut (&mut packed).take(length), &mut io::sink())?;
            return match skipped == length {
                true => Ok(State::Between(packed)),
                false => Err(io::ErrorKind::UnexpectedEof.into()),
            };
        }
        let mut decoder = self.decoder.take().unwrap_or_default();
        decoder.set_max_window_size(WINDOW_MAX);
        let frame = StreamingDecoder::new_with_decoder(Cursor::new(magic).chain(packed), decoder);
        let frame = frame.map_err(|error| match error {
            FrameDecoderError::WindowSizeTooBig { .. } => WINDOW_TOO_LARGE.into(),
            error => io::Error::other(error),
        });
        Ok(State::In(Box::new(frame?)))
    }
}

/// Compares the checksum at the end of a frame, if it has one.
fn check_sum(decoder: &FrameDecoder) -> io::Result<()> {
    let (written, found) = (
        decoder.get_checksum_from_data(),
        decoder.get_calculated_checksum(),
    );
    match written.is_none_or(|written| found == Some(written)) {
        true => Ok(()),
        false => Err(io::Error::other("the checksum of a frame is wrong")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(plain).unwrap();
        out.finish().unwrap()
    }

    fn zstd(plain: &[u8]) -> Vec<u8> {
        compress_to_vec(plain, CompressionLevel::Fastest)
    }

    fn unpacked(packed: &[u8]) -> io::Result<Vec<u8>> {
        let packing = Packing::of(packed).unwrap();
        let bytes: Bytes = Box::new(Cursor::new(packed.to_vec()));
        let mut plain = Vec::new();
        packing
            .unpack(BufReader::new(bytes))
            .read_to_end(&mut plain)?;
        Ok(plain)
    }

    #[test]
    fn members_and_frames_one_after_another_are_one_trace() {
        let text = b"0,8:0,read,0,4096\n".repeat(20_000);
        assert_eq!(unpacked(&gzip(&text)).unwrap(), text);
        assert_eq!(unpacked(&zstd(&text)).unwrap(), text);
        let (one, other) = text.split_at(text.len() / 3);
        assert_eq!(unpacked(&[gzip(one), gzip(other)].concat()).unwrap(), text);
        let skippable = [
            b"\x53\x2a\x4d\x18".as_slice(),
            &5u32.to_le_bytes(),
            b"12345",
        ]
        .concat();
        let frames = [skippable.clone(), zstd(one), skippable, zstd(other)].concat();
        assert_eq!(unpacked(&frames).unwrap(), text);
    }

    #[test]
    fn what_is_cut_is_an_error() {
        let text = b"0,8:0,read,0,4096\n".repeat(2000);
        for packed in [gzip(&text), zstd(&text)] {
            for length in [5, 10, packed.len() / 2, packed.len() - 1] {
                assert!(unpacked(&packed[..length]).is_err(), "{length}");
            }
        }
    }

    #[test]
    fn a_window_that_needs_too_much_memory_is_refused() {
        // Frame_Header_Descriptor 0, Window_Descriptor: exponent 31, that is 2 TiB.
        let bomb = [ZSTD.as_slice(), &[0, 0xf8, 0, 0, 0]].concat();
        assert_eq!(unpacked(&bomb).unwrap_err().kind(), WINDOW_TOO_LARGE);
    }

    #[test]
    fn zeros_behind_a_member_of_gzip_are_no_data() {
        let text = b"0,8:0,read,0,4096\n".repeat(2000);
        let padded = |packed: &[u8]| [packed, &[0; 70_000]].concat();
        assert_eq!(unpacked(&padded(&gzip(&text))).unwrap(), text);
        let two = padded(&[gzip(&text), gzip(b""), gzip(b"x")].concat());
        assert_eq!(unpacked(&two).unwrap().len(), text.len() + 1);
        assert!(unpacked(&[&padded(&gzip(&text))[..], b"x"].concat()).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..400), packing in 0..2u8) {
            let magic: &[u8] = if packing == 0 { b"\x1f\x8b\x08" } else { &ZSTD };
            let _ = unpacked(&[magic, &bytes].concat());
        }
    }
}
