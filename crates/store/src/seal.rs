//! Checksums over what is kept, so that a damaged or altered byte is found, and in which result.
//!
//! Form, fixed for good: the CRC-32 of Ethernet and gzip over the values of the listed columns, row after row. A value is
//! one byte for its type (0 null, 1 integer, 2 real, 3 text, 4 blob), then eight bytes of an integer or real (little end
//! first), or eight bytes of length and the bytes. Deliberately absent: what only a person writes (tags).

use crate::error::Fault;
use rusqlite::types::ValueRef;
use rusqlite::{Row, Transaction};

/// CRC-32 of everything in one piece.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut seal = Seal::default();
    seal.bytes(bytes);
    seal.value()
}

/// For each byte and each of eight places behind it, what so many steps of the polynomial make of it ("slicing by 8":
/// Kounavis and Berry, IEEE Transactions on Computers 57 (2008)).
const TABLES: [[u32; 256]; 8] = {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut place = 1;
    while place < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[place - 1][byte];
            tables[place][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        place += 1;
    }
    tables
};

/// A checksum that grows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seal(u32);

impl Default for Seal {
    fn default() -> Self {
        Seal(u32::MAX)
    }
}

impl Seal {
    pub(crate) fn value(self) -> u32 {
        !self.0
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        let mut crc = self.0;
        for eight in eights {
            let both = u64::from_le_bytes(*eight) ^ u64::from(crc);
            crc = 0;
            for (place, byte) in both.to_le_bytes().into_iter().enumerate() {
                crc ^= TABLES[7 - place][usize::from(byte)];
            }
        }
        for byte in rest {
            crc = (crc >> 8) ^ TABLES[0][((crc ^ u32::from(*byte)) & 0xff) as usize];
        }
        self.0 = crc;
    }

    /// All values of a row but its first ones, which are for joins.
    pub(crate) fn row(&mut self, row: &Row<'_>, skip: usize) -> rusqlite::Result<()> {
        let columns = row.as_ref().column_count();
        for column in skip..columns {
            let long = |bytes: &[u8]| (bytes.len() as u64).to_le_bytes();
            match row.get_ref(column)? {
                ValueRef::Null => self.bytes(&[0]),
                ValueRef::Integer(number) => {
                    self.bytes(&[1]);
                    self.bytes(&number.to_le_bytes());
                }
                ValueRef::Real(number) => {
                    self.bytes(&[2]);
                    self.bytes(&number.to_le_bytes());
                }
                ValueRef::Text(text) => {
                    self.bytes(&[3]);
                    self.bytes(&long(text));
                    self.bytes(text);
                }
                ValueRef::Blob(blob) => {
                    self.bytes(&[4]);
                    self.bytes(&long(blob));
                    self.bytes(blob);
                }
            }
        }
        Ok(())
    }

    /// All rows of a query with one parameter.
    fn rows(&mut self, transaction: &Transaction<'_>, query: &str, of: i64) -> Result<u64, Fault> {
        let mut select = transaction.prepare_cached(query)?;
        let mut rows = select.query([of])?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            self.row(row, 0)?;
            count += 1;
        }
        Ok(count)
    }
}

/// What belongs to a run beyond its line, by `runs.id`.
const OF_RUN: [&str; 5] = [
    "SELECT session_id, number, label, started_utc_ns, outcome, backend, block_bytes, queue_depth, threads,
            write_percent, access, ios, bytes, errors, measured_ns, measured_from_ns, measured_to_ns, drained_ns,
            tool_version, command_json, plan_json, host_json, engine_json, window_json, lifetime_json, outcome_json
     FROM runs WHERE id = ?1",
    "SELECT target, path, size_bytes, facts_json FROM targets WHERE run_id = ?1 ORDER BY target",
    "SELECT place, thread, target, abandoned FROM threads WHERE run_id = ?1 ORDER BY place",
    "SELECT place, operation, ios, bytes, short_ios, latency_mean_ns, lifetime_ios, lifetime_bytes, latency,
            intervals, response
     FROM tallies WHERE run_id = ?1 ORDER BY place, operation",
    "SELECT place, operation, rank, errno, count FROM errors WHERE run_id = ?1 ORDER BY place, operation, rank",
];

/// The seal of a run's record. // run is `runs.id`
pub(crate) fn of_run(transaction: &Transaction<'_>, run: i64) -> Result<u32, Fault> {
    let mut seal = Seal::default();
    for query in OF_RUN {
        seal.rows(transaction, query, run)?;
    }
    if has_series(transaction)? {
        seal.rows(transaction, SERIES_OF_RUN, run)?;
    }
    Ok(seal.value())
}

/// What came later, and changes no seal of a run without it.
const SERIES_OF_RUN: &str = "SELECT series FROM runs WHERE id = ?1 AND series IS NOT NULL";

/// A shelf of an older version that cannot be written has no such column.
fn has_series(transaction: &Transaction<'_>) -> rusqlite::Result<bool> {
    let query = "SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'series'";
    transaction
        .prepare_cached(query)?
        .query_row([], |row| row.get::<_, u32>(0))
        .map(|count| count > 0)
}

/// The seal of a result that is one document of this table.
pub(crate) fn of_document(
    transaction: &Transaction<'_>,
    table: &str,
    headline: i64,
) -> Result<u32, Fault> {
    let mut seal = Seal::default();
    let query = format!("SELECT document_json FROM {table} WHERE headline_id = ?1");
    seal.rows(transaction, &query, headline)?;
    Ok(seal.value())
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

/// The seal of a line: the line, its figures, its percentiles. // headline is `headlines.id`
pub(crate) fn of_line(transaction: &Transaction<'_>, headline: i64) -> Result<u32, Fault> {
    let mut seal = Seal::default();
    for query in LINE_QUERIES.iter() {
        seal.rows(transaction, query, headline)?;
    }
    Ok(seal.value())
}

static LINE_QUERIES: std::sync::LazyLock<[String; 3]> = std::sync::LazyLock::new(|| {
    [
        format!("SELECT {LINE} FROM headlines WHERE id = ?1"),
        format!("SELECT {FIGURES} FROM figures WHERE headline_id = ?1 ORDER BY operation"),
        format!(
            "SELECT {PERCENTILES} FROM percentiles WHERE headline_id = ?1 ORDER BY operation, time, quantile"
        ),
    ]
});

/// The seal of a session's own row.
pub(crate) fn of_session(transaction: &Transaction<'_>, session: i64) -> Result<u32, Fault> {
    let mut seal = Seal::default();
    let query = "SELECT id, kind, started_utc_ns, command_json, tool_version, target, outcome, context, fingerprint,
                        results
                 FROM sessions WHERE id = ?1";
    seal.rows(transaction, query, session)?;
    Ok(seal.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_usual_crc_32() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        let bytes: Vec<u8> = (0..=255).collect();
        let mut slow = Seal::default();
        bytes.iter().for_each(|byte| slow.bytes(&[*byte]));
        assert_eq!((crc32(&bytes), slow.value()), (0x2905_8C73, 0x2905_8C73));
    }
}
