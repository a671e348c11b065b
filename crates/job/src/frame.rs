//! What travels between two ranks: a header of 24 bytes and a body. Numbers have their little end first on every machine.
//!
//! Omitted: what a body means (`node`, `reply`).

use thiserror::Error;

/// Length of a header in bytes.
pub(crate) const HEADER: usize = 24;
/// The longest body in bytes.
pub(crate) const BODY_MAX: usize = 64 << 20;
/// The first four bytes, as a number.
const MAGIC: u32 = 0x4a48_5446;
/// Version of what travels; ranks of different versions refuse each other.
const PROTOCOL: u16 = 1;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Down: something to perform.
    Order,
    /// Up: the answers of a rank and of all below it.
    Reply,
    /// To both sides once a second: the sender is there. Up it has what was counted so far.
    Working,
    /// Down: stop issuing I/Os.
    Halt,
    /// Up: a rank could not complete its run.
    Alarm,
    /// Up: asks for the time.
    Ping,
    /// Down: the time.
    Pong,
    /// Down: the sender is the parent from now on. Its body is that of the current order.
    Adopt,
    /// Down: the receiver counts as lost and has to end.
    Dismiss,
}

impl Kind {
    const ALL: [Kind; 9] = [
        Kind::Order,
        Kind::Reply,
        Kind::Working,
        Kind::Halt,
        Kind::Alarm,
        Kind::Ping,
        Kind::Pong,
        Kind::Adopt,
        Kind::Dismiss,
    ];

    fn number(self) -> u8 {
        let at = Kind::ALL.iter().position(|kind| *kind == self);
        u8::try_from(at.expect("every kind is listed") + 1).expect("nine kinds")
    }

    fn of_number(number: u8) -> Option<Kind> {
        let at = usize::from(number).checked_sub(1)?;
        Kind::ALL.get(at).copied()
    }
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it is.
    pub kind: Kind,
    /// The kind of the order that it is about.
    pub flags: u8,
    /// Who sent it.
    pub from: u32,
    /// The order that it is about, counted from 1.
    pub step: u32,
    /// What it contains.
    pub body: Vec<u8>,
}

/// Why bytes are no frame.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the message describes each variant")]
pub enum FrameError {
    #[error("{0} bytes are no whole frame")]
    Short(usize),
    #[error("the frame does not begin with fathom's magic number")]
    Magic,
    #[error("the numbers of the frame have their big end first")]
    ByteOrder,
    #[error(
        "the other side speaks protocol {0}, this one {PROTOCOL}: use one version of fathom on all hosts"
    )]
    Protocol(u16),
    #[error("no frame is of kind {0}")]
    Kind(u8),
    #[error("a body of {0} bytes is longer than {BODY_MAX}")]
    Length(u64),
}

impl Frame {
    /// Returns its bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + self.body.len());
        bytes.extend(MAGIC.to_le_bytes());
        bytes.extend(PROTOCOL.to_le_bytes());
        bytes.extend([self.kind.number(), self.flags]);
        bytes.extend(self.from.to_le_bytes());
        bytes.extend(self.step.to_le_bytes());
        bytes.extend((self.body.len() as u64).to_le_bytes());
        bytes.extend(&self.body);
        bytes
    }

    /// Returns the length of a whole frame by its first bytes.
    ///
    /// # Errors
    /// They are no header.
    pub fn whole_length(bytes: &[u8]) -> Result<usize, FrameError> {
        Frame::header(bytes).map(|(_, length)| HEADER + length)
    }

    /// Reads one frame, which is all of `bytes`.
    ///
    /// # Errors
    /// They are none.
    pub fn decode(bytes: &[u8]) -> Result<Frame, FrameError> {
        let (frame, length) = Frame::header(bytes)?;
        let body = &bytes[HEADER..];
        match body.len() == length {
            true => Ok(Frame {
                body: body.to_vec(),
                ..frame
            }),
            false => Err(FrameError::Short(bytes.len())),
        }
    }

    fn header(bytes: &[u8]) -> Result<(Frame, usize), FrameError> {
        let head: &[u8; HEADER] = bytes.first_chunk().ok_or(FrameError::Short(bytes.len()))?;
        let number = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("4 bytes"));
        match number(0) {
            MAGIC => {}
            other if other.swap_bytes() == MAGIC => return Err(FrameError::ByteOrder),
            _ => return Err(FrameError::Magic),
        }
        let protocol = u16::from_le_bytes([head[4], head[5]]);
        if protocol != PROTOCOL {
            return Err(FrameError::Protocol(protocol));
        }
        let length = u64::from_le_bytes(head[16..24].try_into().expect("8 bytes"));
        let frame = Frame {
            kind: Kind::of_number(head[6]).ok_or(FrameError::Kind(head[6]))?,
            flags: head[7],
            from: number(8),
            step: number(12),
            body: Vec::new(),
        };
        let fits = usize::try_from(length)
            .ok()
            .filter(|length| *length <= BODY_MAX);
        Ok((frame, fits.ok_or(FrameError::Length(length))?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(body: &[u8]) -> Frame {
        Frame {
            kind: Kind::Reply,
            flags: 7,
            from: 9_999,
            step: 3,
            body: body.to_vec(),
        }
    }

    #[test]
    fn a_frame_is_read_as_it_was_written() {
        for kind in Kind::ALL {
            let frame = Frame {
                kind,
                ..frame(b"abc")
            };
            assert_eq!(Frame::decode(&frame.encode()), Ok(frame));
        }
    }

    #[test]
    fn bytes_that_are_no_frame_are_refused_with_the_reason() {
        let good = frame(b"abc").encode();
        let changed = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            Frame::decode(&bytes).unwrap_err()
        };
        assert_eq!(changed(0, b'X'), FrameError::Magic);
        assert_eq!(changed(4, 2), FrameError::Protocol(2));
        assert_eq!(changed(6, 0), FrameError::Kind(0));
        assert_eq!(changed(23, 1), FrameError::Length((1 << 56) + 3));
        assert_eq!(changed(16, 4), FrameError::Short(27));
        assert_eq!(Frame::decode(&good[..20]), Err(FrameError::Short(20)));
        let mut swapped = good.clone();
        swapped[..4].reverse();
        assert_eq!(Frame::decode(&swapped), Err(FrameError::ByteOrder));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = Frame::decode(&bytes);
        }
    }
}
