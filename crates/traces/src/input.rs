//! The bytes of a trace: a file or standard input, read in order, line by line or frame by frame, in bounded memory.
//!
//! Omitted: decompression (`unpack`); a file in a format that it does not have is refused with the command that
//! decompresses it.

use crate::error::{Flaw, Place, TraceError};
use crate::unpack::{self, Bytes, Packing};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A line may be so long.
const LINE_MAX: u64 = 64 << 10;
/// So much is read at a time; the format is decided by it.
const CHUNK: usize = 256 << 10;
/// The first bytes of compressed files, with the command that decompresses them.
const COMPRESSED: [(&[u8], &str); 2] = [(b"\xfd7zXZ", "xzcat"), (b"BZh", "bzcat")];

/// One file that is being read.
pub(crate) struct Input {
    path: PathBuf,
    reader: BufReader<Bytes>,
    packing: Option<Packing>,
    line: Vec<u8>,
    lines: u64,
    bytes: u64,
    stop: Option<Arc<AtomicBool>>,
}

/// Fails as soon as a stop is requested: below the decompression, so that a file without any I/O ends, too.
struct Stoppable {
    from: Bytes,
    stop: Arc<AtomicBool>,
}

impl Read for Stoppable {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(io::Error::other("stopped")),
            false => self.from.read(into),
        }
    }
}

impl Input {
    /// Opens a file; `-` is standard input. `stop` ends the reading.
    pub(crate) fn open(path: &Path, stop: Option<&Arc<AtomicBool>>) -> Result<Input, TraceError> {
        let io = |error| TraceError::Io {
            path: path.to_owned(),
            error,
        };
        if path == Path::new("-") {
            let input = gate::Input::standard().map_err(io)?;
            return Input::stopped_by(Path::new("stdin"), Box::new(input), stop);
        }
        let file = gate::Input::open(path).map_err(io)?;
        if file.metadata().map_err(io)?.is_dir() {
            return Err(io(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        Input::stopped_by(path, Box::new(file), stop)
    }

    /// Reads from `from`; `path` is its name in messages.
    fn stopped_by(
        path: &Path,
        from: Bytes,
        stop: Option<&Arc<AtomicBool>>,
    ) -> Result<Input, TraceError> {
        let reader: Bytes = match stop.cloned() {
            Some(stop) => Box::new(Stoppable { from, stop }),
            None => from,
        };
        let mut input = Input {
            path: path.to_owned(),
            reader: BufReader::with_capacity(CHUNK, reader),
            packing: None,
            line: Vec::new(),
            lines: 0,
            bytes: 0,
            stop: stop.cloned(),
        };
        if let Some(packing) = Packing::of(input.head()?) {
            let bytes = packing.unpack(input.reader);
            input.reader = BufReader::with_capacity(CHUNK, bytes);
            input.packing = Some(packing);
        }
        let head = input.head()?;
        if head.is_empty() {
            return Err(input.flawed(&Flaw("the file is empty: must be a trace".to_owned())));
        }
        if let Some(inner) = Packing::of(head) {
            let flaw = format!(
                "the file is compressed twice, with {} inside: must be compressed once",
                inner.name()
            );
            return Err(input.flawed(&Flaw(flaw)));
        }
        if let Some((_, command)) = COMPRESSED.iter().find(|(magic, _)| head.starts_with(magic)) {
            let hint = format!(
                "the file is compressed: must be the trace itself; hint: {command} {} | fathom trace -",
                model::shell_word(path)
            );
            return Err(input.flawed(&Flaw(hint)));
        }
        Ok(input)
    }

    /// Returns what can be seen of the bytes that are next.
    pub(crate) fn head(&mut self) -> Result<&[u8], TraceError> {
        if let Err(error) = self.reader.fill_buf() {
            return Err(self.io(error));
        }
        Ok(self.reader.buffer())
    }

    /// Reads the next line, without its end; `None` at the end of the file.
    pub(crate) fn line(&mut self) -> Result<Option<&[u8]>, TraceError> {
        self.line.clear();
        let read = (&mut self.reader)
            .take(LINE_MAX)
            .read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| self.io(error))?;
        if read == 0 {
            return Ok(None);
        }
        self.lines += 1;
        self.bytes += read as u64;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        } else if read as u64 == LINE_MAX {
            let flaw = Flaw::new(&self.line, "line", "must have at most 65536 bytes");
            return Err(self.flawed(&flaw));
        }
        Ok(Some(&self.line))
    }

    /// Fills `frame`; false at the end of the file.
    pub(crate) fn frame(&mut self, frame: &mut [u8], name: &str) -> Result<bool, TraceError> {
        let mut filled = 0;
        while filled < frame.len() {
            match self.reader.read(&mut frame[filled..]) {
                Ok(0) if filled == 0 => return Ok(false),
                Ok(0) => {
                    let flaw = format!(
                        "the file ends after {filled} of {} bytes of a {name}: must be whole",
                        frame.len()
                    );
                    return Err(self.flawed(&Flaw(flaw)));
                }
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.io(error)),
            }
        }
        self.bytes += filled as u64;
        Ok(true)
    }

    /// Returns the error for what was read last.
    pub(crate) fn flawed(&self, flaw: &Flaw) -> TraceError {
        TraceError::Content {
            path: self.path.clone(),
            place: match self.lines {
                0 => Place::Byte(self.bytes),
                lines => Place::Line(lines),
            },
            problem: flaw.0.clone(),
        }
    }

    fn io(&self, error: io::Error) -> TraceError {
        let stop = self.stop.as_ref();
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return TraceError::Stopped;
        }
        // An error of the system has a number; what the decompression finds has none.
        if let (Some(packing), None) = (self.packing, error.raw_os_error()) {
            let name = packing.name();
            let flaw = match error.kind() {
                unpack::WINDOW_TOO_LARGE => format!(
                    "the {name} data needs more than 32 MiB of memory: must need less; hint: {name} -dc --long=31 {} | fathom trace -",
                    model::shell_word(&self.path)
                ),
                io::ErrorKind::UnexpectedEof => {
                    format!("the {name} data is cut off: must be whole")
                }
                _ => format!("the {name} data is damaged or cut off: must be whole"),
            };
            return self.flawed(&Flaw(flaw));
        }
        TraceError::Io {
            path: self.path.clone(),
            error,
        }
    }
}
