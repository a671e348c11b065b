//! Checksums over what is kept, so that a damaged or altered byte is found, and in which result.
//!
//! Form, fixed for good: the CRC-32 of Ethernet and gzip over the values of the listed columns, row after row. A value is
//! one byte for its type (0 null, 1 integer, 2 real, 3 text, 4 blob), then eight bytes of an integer or real (little end
//! first), or eight bytes of length and the bytes. Deliberately absent: what only a person writes (tags).

use crate::error::Fault;
use crc_fast::{CrcAlgorithm, Digest};
use rusqlite::types::ValueRef;
use rusqlite::{Row, Transaction};

/// CRC-32 of everything in one piece.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    crc_fast::crc32_iso_hdlc(bytes)
}

/// How many bytes wait at most, so that the checksum takes them together: one by one, most values are too short for it.
const TOGETHER: usize = 1 << 14;

/// A checksum that grows.
#[derive(Clone, Default)]
pub(crate) struct Seal {
    before: Option<Digest>,
    waiting: Vec<u8>,
}

impl Seal {
    pub(crate) fn value(&self) -> u32 {
        match &self.before {
            None => crc32(&self.waiting),
            Some(before) => {
                let mut whole = *before;
                whole.update(&self.waiting);
                whole.finalize() as u32
            }
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if self.waiting.len() + bytes.len() <= TOGETHER {
            self.waiting.extend_from_slice(bytes);
            return;
        }
        let crc = || Digest::new(CrcAlgorithm::Crc32IsoHdlc);
        let before = self.before.get_or_insert_with(crc);
        before.update(&self.waiting);
        before.update(bytes);
        self.waiting.clear();
    }

    /// Values as SQLite gives them back.
    pub(crate) fn values(&mut self, values: &[ValueRef<'_>]) {
        values.iter().for_each(|value| self.one(*value));
    }

    fn one(&mut self, value: ValueRef<'_>) {
        let (kind, eight) = match value {
            ValueRef::Null => return self.bytes(&[0]),
            ValueRef::Integer(number) => (1, number.to_le_bytes()),
            ValueRef::Real(number) => (2, number.to_le_bytes()),
            ValueRef::Text(text) => (3, (text.len() as u64).to_le_bytes()),
            ValueRef::Blob(blob) => (4, (blob.len() as u64).to_le_bytes()),
        };
        let mut nine = [kind; 9];
        nine[1..].copy_from_slice(&eight);
        self.bytes(&nine);
        if let ValueRef::Text(long) | ValueRef::Blob(long) = value {
            self.bytes(long);
        }
    }

    /// All values of a row but its first ones, which are for joins.
    pub(crate) fn row(&mut self, row: &Row<'_>, skip: usize) -> rusqlite::Result<()> {
        for column in skip..row.as_ref().column_count() {
            self.one(row.get_ref(column)?);
        }
        Ok(())
    }

    /// The first values of a row.
    pub(crate) fn first(&mut self, row: &Row<'_>, count: usize) -> rusqlite::Result<()> {
        (0..count).try_for_each(|column| row.get_ref(column).map(|value| self.one(value)))
    }

    /// All rows of a query with one parameter.
    pub(crate) fn rows(
        &mut self,
        transaction: &Transaction<'_>,
        query: &str,
        of: i64,
    ) -> Result<(), Fault> {
        let mut select = transaction.prepare_cached(query)?;
        let mut rows = select.query([of])?;
        while let Some(row) = rows.next()? {
            self.row(row, 0)?;
        }
        Ok(())
    }
}

/// The seal of a result that is one document.
pub(crate) fn of_text(document: &str) -> u32 {
    let mut seal = Seal::default();
    seal.values(&[ValueRef::Text(document.as_bytes())]);
    seal.value()
}

/// The columns of a line that its seal covers, in this order; also how a line is read.
pub(crate) const LINE: &str = "
    number, origin, label, key, reason, tool, tool_version, source, started_utc_ns, host, target, outcome,
    block_bytes, queue_depth, threads, write_percent, pattern, random_percent, cache, write_through, size_bytes,
    rate_per_s, engine, measured_ns";

/// The same of its figures.
pub(crate) const FIGURES: &str = "
    operation, ios, bytes, errors, ios_per_s, bytes_per_s, latency_mean_ns, latency_sd_ns, latency_min_ns,
    latency_max_ns, response_mean_ns, response_min_ns, response_max_ns";

/// The same of its percentiles.
pub(crate) const PERCENTILES: &str = "operation, time, quantile, ns";

/// A session's own row, which its seal covers from its first column on.
pub(crate) const SESSION: &str = "
    id, kind, started_utc_ns, command_json, tool_version, target, outcome, context, fingerprint, results";

/// The seal of a session's own row.
pub(crate) fn of_session(transaction: &Transaction<'_>, session: i64) -> Result<u32, Fault> {
    let mut seal = Seal::default();
    let query = format!("SELECT {SESSION} FROM sessions WHERE id = ?1");
    seal.rows(transaction, &query, session)?;
    Ok(seal.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_usual_crc_32() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(crc32(&bytes), 0x2905_8C73);
        let long = bytes.repeat(200);
        for piece in [1, 9, 1000, TOGETHER, TOGETHER + 1, long.len()] {
            let mut seal = Seal::default();
            long.chunks(piece).for_each(|piece| seal.bytes(piece));
            assert_eq!(seal.value(), crc32(&long), "{piece}");
        }
    }
}
