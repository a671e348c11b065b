//! Histograms and time series in few bytes, for columns that are not queried by hand.
//!
//! Forms, each fixed for good: one letter (`H` histogram, `I` intervals), one version byte, numbers, and a CRC-32
//! (the polynomial of Ethernet and gzip) of everything before it, little end first. A number is a base-128
//! varint: seven bits a byte, low ones first, a set top bit means that more follow.
//!
//! - `H` 1: used buckets; for each the distance from the bucket before (the first: from -1) and its
//!   count; then, unless there is none, the sum, the minimum and the maximum in nanoseconds.
//! - `I` 2: steps; for each I/Os, bytes, sum of latencies and largest latency in nanoseconds; then the smallest
//!   latency plus one and the sum of squared latencies in ns², or a single 0 where these are not known.
//! - `I` 1: the same without smallest latency and squares: what the first version of the database wrote. Read only.
//!
//! A damaged blob is an error, never a panic, and no length in it is believed before the bytes are there.
//! We compress no further: a survey's cell takes a few KiB, and plain varints read back in any language.

use crate::seal::crc32;
use model::{Bytes, Interval, LatencyHistogram, LatencySpread, Nanos};

const HISTOGRAM: u8 = 1;
/// The first form of intervals, which has no spread.
const INTERVALS_PLAIN: u8 = 1;
const INTERVALS: u8 = 2;
const CRC_BYTES: usize = 4;

/// What is wrong with a blob, in a few words.
pub(crate) type Damage = &'static str;

pub(crate) fn encode_histogram(histogram: &LatencyHistogram) -> Vec<u8> {
    let mut out = vec![b'H', HISTOGRAM];
    put(&mut out, histogram.sparse().count() as u128);
    let mut next = 0;
    for (bucket, count) in histogram.sparse() {
        put(&mut out, u128::from(bucket + 1 - next));
        put(&mut out, u128::from(count));
        next = bucket + 1;
    }
    if let Some((min, max)) = histogram.min().zip(histogram.max()) {
        put(&mut out, histogram.sum_ns());
        put(&mut out, u128::from(min.0));
        put(&mut out, u128::from(max.0));
    }
    seal(out)
}

pub(crate) fn decode_histogram(blob: &[u8]) -> Result<LatencyHistogram, Damage> {
    let (_, mut reader) = Reader::open(blob, b'H', &[HISTOGRAM])?;
    let held = reader.length(2)?;
    let mut counts = Vec::with_capacity(held);
    let mut next = 0u32;
    for _ in 0..held {
        let distance = u32::try_from(reader.number()?).map_err(|_| "a bucket beyond the last")?;
        next = next
            .checked_add(distance)
            .ok_or("a bucket beyond the last")?;
        let bucket = next.checked_sub(1).filter(|_| distance > 0);
        counts.push((bucket.ok_or("a bucket twice")?, reader.number()?));
    }
    let mut figures = (0, None);
    if held > 0 {
        let sum = reader.wide()?;
        figures = (
            sum,
            Some((Nanos(reader.number()?), Nanos(reader.number()?))),
        );
    }
    reader.close()?;
    LatencyHistogram::from_sparse(counts, figures.0, figures.1)
        .ok_or("counts, sum and extremes contradict each other")
}

pub(crate) fn encode_intervals(intervals: &[Interval]) -> Vec<u8> {
    let mut out = vec![b'I', INTERVALS];
    put(&mut out, intervals.len() as u128);
    for interval in intervals {
        let Interval {
            ios,
            bytes,
            latency_sum,
            latency_max,
            latency_spread,
        } = interval;
        for number in [*ios, bytes.0, latency_sum.0, latency_max.0] {
            put(&mut out, u128::from(number));
        }
        match latency_spread {
            Some(LatencySpread { min, squares_ns2 }) => {
                put(&mut out, u128::from(min.0) + 1);
                put(&mut out, *squares_ns2);
            }
            None => put(&mut out, 0),
        }
    }
    seal(out)
}

pub(crate) fn decode_intervals(blob: &[u8]) -> Result<Vec<Interval>, Damage> {
    let (version, mut reader) = Reader::open(blob, b'I', &[INTERVALS_PLAIN, INTERVALS])?;
    let steps = reader.length(if version == INTERVALS { 5 } else { 4 })?;
    let mut intervals = Vec::with_capacity(steps);
    for _ in 0..steps {
        intervals.push(Interval {
            ios: reader.number()?,
            bytes: Bytes(reader.number()?),
            latency_sum: Nanos(reader.number()?),
            latency_max: Nanos(reader.number()?),
            latency_spread: match version {
                INTERVALS => decode_spread(&mut reader)?,
                _ => None,
            },
        });
    }
    reader.close()?;
    Ok(intervals)
}

fn decode_spread(reader: &mut Reader<'_>) -> Result<Option<LatencySpread>, Damage> {
    let Some(min) = reader.wide()?.checked_sub(1) else {
        return Ok(None);
    };
    Ok(Some(LatencySpread {
        min: Nanos(u64::try_from(min).map_err(|_| "a number too large")?),
        squares_ns2: reader.wide()?,
    }))
}

pub(crate) fn put(out: &mut Vec<u8>, mut number: u128) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(crate) fn seal(mut out: Vec<u8>) -> Vec<u8> {
    let crc = crc32(&out);
    out.extend_from_slice(&crc.to_le_bytes());
    out
}

/// What is left of a blob whose checksum matches.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads a text into the memory of the one before it.
    pub(crate) fn text(&mut self, into: &mut String) -> Result<(), Damage> {
        into.clear();
        into.push_str(self.word()?);
        Ok(())
    }

    pub(crate) fn word(&mut self) -> Result<&'a str, Damage> {
        let length = self.length(1)?;
        self.letters(length)
    }

    /// Skips a text; its bytes are not examined.
    pub(crate) fn skip_text(&mut self) -> Result<(), Damage> {
        let length = self.length(1)?;
        self.bytes(length).map(|_| ())
    }

    pub(crate) fn letters(&mut self, length: usize) -> Result<&'a str, Damage> {
        std::str::from_utf8(self.bytes(length)?).map_err(|_| "text that is not UTF-8")
    }

    /// The blob's version, one of those `known`, and what follows it.
    pub(crate) fn open(blob: &'a [u8], letter: u8, known: &[u8]) -> Result<(u8, Self), Damage> {
        let body = blob.len().checked_sub(CRC_BYTES).ok_or("too short")?;
        let (body, crc) = blob.split_at(body);
        if crc != crc32(body).to_le_bytes() {
            return Err("its checksum does not match");
        }
        match body {
            [kind, version, rest @ ..] if *kind == letter && known.contains(version) => {
                Ok((*version, Reader { rest }))
            }
            [kind, ..] if *kind == letter => Err("its version is not known"),
            _ => Err("not of the expected kind"),
        }
    }

    pub(crate) fn wide(&mut self) -> Result<u128, Damage> {
        if let Some(number) = self.short() {
            return Ok(u128::from(number));
        }
        let mut number = 0u128;
        for shift in (0..).step_by(7) {
            let (byte, rest) = self.rest.split_first().ok_or("cut short")?;
            self.rest = rest;
            let bits = u128::from(byte & 0x7f);
            if shift >= 128 || (bits << shift) >> shift != bits {
                return Err("a number too large");
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        Ok(number)
    }

    pub(crate) fn number(&mut self) -> Result<u64, Damage> {
        match self.short() {
            Some(number) => Ok(number),
            None => u64::try_from(self.wide()?).map_err(|_| "a number too large"),
        }
    }

    /// A number of nine bytes at most, which nearly all have: arithmetic of 128 bits takes several times as long.
    fn short(&mut self) -> Option<u64> {
        let mut number = 0;
        for (at, byte) in self.rest.iter().take(9).enumerate() {
            number |= u64::from(byte & 0x7f) << (7 * at);
            if byte & 0x80 == 0 {
                self.rest = &self.rest[at + 1..];
                return Some(number);
            }
        }
        None
    }

    /// How many items follow, each of at least `least` bytes: no more than there are bytes for.
    pub(crate) fn length(&mut self, least: usize) -> Result<usize, Damage> {
        let items = usize::try_from(self.number()?).map_err(|_| "a number too large")?;
        (items <= self.rest.len() / least)
            .then_some(items)
            .ok_or("cut short")
    }

    /// So many bytes as they are.
    pub(crate) fn bytes(&mut self, length: usize) -> Result<&'a [u8], Damage> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or("cut short")?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(crate) fn close(self) -> Result<(), Damage> {
        self.rest.is_empty().then_some(()).ok_or("bytes left over")
    }
}

/// Adds the length of a text and its bytes.
pub(crate) fn text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u128);
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> LatencyHistogram {
        let mut histogram = LatencyHistogram::new();
        for &value in values {
            histogram.record(Nanos(value));
        }
        histogram
    }

    fn step([ios, bytes, sum, max]: [u64; 4], spread: Option<(u64, u128)>) -> Interval {
        Interval {
            ios,
            bytes: Bytes(bytes),
            latency_sum: Nanos(sum),
            latency_max: Nanos(max),
            latency_spread: spread.map(|(min, squares_ns2)| LatencySpread {
                min: Nanos(min),
                squares_ns2,
            }),
        }
    }

    /// A body that passes the checksum, to reach what stands behind it.
    fn sealed(body: &[u8]) -> Vec<u8> {
        seal(body.to_vec())
    }

    #[test]
    fn a_histogram_keeps_its_bytes_for_good() {
        let golden = [
            b'H', 1, 3, 4, 2, 253, 1, 1, 137, 27, 1, 166, 198, 196, 1, 3, 160, 196, 196, 1,
        ];
        let blob = encode_histogram(&of(&[3, 3, 256, 3_220_000]));
        assert_eq!(blob[..blob.len() - CRC_BYTES], golden, "{blob:?}");
        assert_eq!(encode_histogram(&of(&[])), sealed(&[b'H', 1, 0]));
    }

    #[test]
    fn intervals_keep_their_bytes_for_good() {
        let golden = [
            b'I', 2, 3, 2, 128, 64, 172, 2, 173, 1, 128, 1, 146, 229, 2, 1, 0, 0, 0, 1, 0, 0, 0, 0,
            0, 0,
        ];
        let steps = [
            step([2, 8192, 300, 173], Some((127, 45_714))),
            step([1, 0, 0, 0], Some((0, 0))),
            Interval::default(),
        ];
        let blob = encode_intervals(&steps);
        assert_eq!(blob, sealed(&golden), "{blob:?}");
        assert_eq!(decode_intervals(&blob).as_deref(), Ok(&steps[..]));
    }

    #[test]
    fn intervals_of_the_first_version_have_no_spread() {
        let golden = [b'I', 1, 2, 1, 128, 32, 172, 2, 127, 0, 0, 0, 0];
        let steps = vec![step([1, 4096, 300, 127], None), Interval::default()];
        assert_eq!(decode_intervals(&sealed(&golden)), Ok(steps));
    }

    #[test]
    fn damage_behind_the_checksum_is_reported() {
        for (body, damage) in [
            (&[b'I', 1, 0][..], "not of the expected kind"),
            (&[b'H', 2, 0], "its version is not known"),
            (&[b'H', 1], "cut short"),
            (&[b'H', 1, 0, 0], "bytes left over"),
            (&[b'H', 1, 1, 0, 1, 1, 1, 1], "a bucket twice"),
            (
                &[b'H', 1, 1, 255, 255, 3, 1, 1, 1, 1],
                "counts, sum and extremes contradict each other",
            ),
            (
                &[b'H', 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
                "cut short",
            ),
            (
                &[b'H', 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2],
                "a number too large",
            ),
        ] {
            assert_eq!(decode_histogram(&sealed(body)), Err(damage), "{body:?}");
        }
        assert_eq!(decode_histogram(&[1, 2]), Err("too short"));
        for (body, damage) in [
            (&[b'I', 3, 0][..], "its version is not known"),
            (&[b'I', 2, 1, 1, 1, 1, 1, 2], "cut short"),
            (&[b'I', 2, 1, 1, 1, 1, 1, 0, 9], "bytes left over"),
            (&[b'I', 2, 1, 1, 1, 1], "cut short"),
        ] {
            assert_eq!(decode_intervals(&sealed(body)), Err(damage), "{body:?}");
        }
    }

    proptest! {
        #[test]
        fn histograms_read_back_the_same(values in prop::collection::vec(any::<u64>(), 0..80)) {
            let histogram = of(&values);
            prop_assert_eq!(decode_histogram(&encode_histogram(&histogram)), Ok(histogram));
        }

        #[test]
        fn intervals_read_back_the_same(
            steps in prop::collection::vec(any::<([u64; 4], Option<(u64, u128)>)>(), 0..60),
        ) {
            let steps: Vec<_> = steps.iter().map(|(plain, spread)| step(*plain, *spread)).collect();
            prop_assert_eq!(decode_intervals(&encode_intervals(&steps)), Ok(steps));
        }

        #[test]
        fn one_wrong_bit_is_an_error(values in prop::collection::vec(any::<u64>(), 0..20), bit in any::<usize>()) {
            let mut blob = encode_histogram(&of(&values));
            let bit = bit % (blob.len() * 8);
            blob[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(decode_histogram(&blob).is_err());
        }

        #[test]
        fn no_bytes_make_the_decoders_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..60),
            head in prop::sample::select(vec![*b"H\x01", *b"I\x01", *b"I\x02"]),
        ) {
            let body = [&head[..], &bytes].concat();
            for blob in [bytes, sealed(&body)] {
                let _ = (decode_histogram(&blob), decode_intervals(&blob));
            }
        }
    }
}
