//! The first thousand lines of published sets, drawn by a formula in their columns, and the records that these mean.
//!
//! The formula has every column vary by itself; the table is computed without the readers. No data of a set is copied.

use crate::read;
use model::Nanos;
use model::trace::{TraceOperation, TraceRecord};

/// Lines of a head.
const LINES: u64 = 1000;

/// What line `n` means, in the units of the record; a format rounds what it has no digits for.
struct Row {
    n: u64,
    at_us: u64,
    device: u16,
    operation: TraceOperation,
    sector: u64,
    sectors: u64,
    thread: u32,
    latency_us: u64,
}

impl Row {
    fn new(n: u64) -> Row {
        Row {
            n,
            at_us: n * 1237,
            device: (n % 3) as u16,
            operation: match n * n % 7 {
                0..=3 => TraceOperation::Read,
                _ => TraceOperation::Write,
            },
            sector: n * 7919 % 1_000_003 * 8 + 3,
            sectors: 1 + n * 31 % 256,
            thread: (n * 13 % 40) as u32 + 4,
            latency_us: 57 + n * 101 % 9000,
        }
    }

    /// A letter or a word, by the operation.
    fn op<'a>(&self, read: &'a str, write: &'a str) -> &'a str {
        match self.operation {
            TraceOperation::Read => read,
            _ => write,
        }
    }
}

/// A set: its line, and what of a row it has.
struct Set {
    format: &'static str,
    head: &'static str,
    line: fn(&Row) -> String,
    record: fn(&Row) -> TraceRecord,
    label: fn(u16) -> String,
}

/// The record with all that a row has.
fn whole(row: &Row) -> TraceRecord {
    TraceRecord {
        at: Nanos::micros(row.at_us),
        offset: row.sector * 512,
        length: row.sectors * 512,
        operation: row.operation,
        device: row.device,
        thread: row.thread,
        latency: Some(Nanos::micros(row.latency_us)),
        ..TraceRecord::default()
    }
}

/// Without what only some sets have.
fn plain(row: &Row) -> TraceRecord {
    TraceRecord {
        thread: 0,
        latency: None,
        ..whole(row)
    }
}

const SETS: &[Set] = &[
    Set {
        format: "msr",
        head: "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n",
        line: |row| {
            let (at, latency) = (
                128_166_372_003_061_629 + row.at_us * 10,
                row.latency_us * 10,
            );
            let (op, device) = (row.op("Read", "Write"), row.device);
            let (offset, length) = (row.sector * 512, row.sectors * 512);
            format!("{at},prxy,{device},{op},{offset},{length},{latency}\n")
        },
        record: |row| TraceRecord {
            thread: 0,
            ..whole(row)
        },
        label: |device| format!("prxy:{device}"),
    },
    Set {
        format: "fiu",
        head: "",
        line: |row| {
            let (at, op) = (89_966_321 + row.at_us * 1000, row.op("R", "W"));
            let Row {
                thread,
                sector,
                sectors,
                device,
                n,
                ..
            } = row;
            format!("{at} {thread} nfsd {sector} {sectors} {op} 6 {device} {n:032x}\n")
        },
        record: |row| TraceRecord {
            latency: None,
            ..whole(row)
        },
        label: |device| format!("6:{device}"),
    },
    Set {
        format: "alibaba",
        head: "",
        line: |row| {
            let (op, at) = (row.op("R", "W"), 1_577_808_000_000_046 + row.at_us);
            let (offset, length) = (row.sector * 512, row.sectors * 512);
            format!("{},{op},{offset},{length},{at}\n", row.device + 400)
        },
        record: plain,
        label: |device| (device + 400).to_string(),
    },
    Set {
        format: "tencent",
        head: "",
        line: |row| {
            let (at, op) = (1_538_323_200 + row.at_us / 1_000_000, row.op("0", "1"));
            let (sector, sectors) = (row.sector, row.sectors);
            format!("{at},{sector},{sectors},{op},{}\n", row.device + 1063)
        },
        record: |row| TraceRecord {
            at: Nanos::seconds(row.at_us / 1_000_000),
            ..plain(row)
        },
        label: |device| (device + 1063).to_string(),
    },
    Set {
        format: "spc",
        head: "",
        line: |row| {
            // Either case, and fields behind those of the standard.
            let op = match row.n % 2 {
                0 => row.op("R", "W"),
                _ => row.op("r", "w"),
            };
            let (s, us) = (row.at_us / 1_000_000, row.at_us % 1_000_000);
            let more = if row.n % 5 == 4 { ",7,x" } else { "" };
            let (device, bytes) = (row.device, row.sectors * 512);
            format!("{device},{},{bytes},{op},{s}.{us:06}{more}\n", row.sector)
        },
        record: plain,
        label: |device| device.to_string(),
    },
    Set {
        format: "msps",
        head: "BeginHeader\n   DiskRead,  TimeStamp,  Process Name ( PID),   ThreadID,             IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  DiskNum\nEndHeader\nOS Version: 6.0.6001, Trace Size: 8192KB\n",
        line: |row| {
            let (kind, done) = (row.op("DiskRead", "DiskWrite"), row.at_us + row.latency_us);
            let begun = format!(
                "{kind}Init, {}, System (   4), {}, 0xf{:x}\n",
                row.at_us, row.thread, row.n
            );
            let place = format!("{:#012x}, {:#010x}", row.sector * 512, row.sectors * 512);
            let (thread, n, device) = (row.thread, row.n, row.device);
            let took = row.latency_us;
            format!(
                "{begun}{kind}, {done}, store.exe ( 99), {thread}, 0xf{n:x}, {place}, {took}, {device}, 0x060043, {took}, 2, 0, 0x0, \"Unknown\"\n"
            )
        },
        record: whole,
        label: |device| device.to_string(),
    },
];

#[test]
fn the_first_thousand_lines_of_published_sets_are_the_records_that_they_mean() {
    for set in SETS {
        let rows: Vec<Row> = (0..LINES).map(Row::new).collect();
        let lines = rows.iter().map(set.line);
        let text: String = std::iter::once(set.head.to_owned()).chain(lines).collect();
        let found = read(text, None).unwrap_or_else(|error| panic!("{}: {error}", set.format));
        assert_eq!(found.format, set.format);
        // Devices are numbered as they are found.
        let number = |label: String| {
            let place = found.devices.iter().position(|one| *one == label);
            place.unwrap_or_else(|| panic!("{}: {label}", set.format)) as u16
        };
        for (row, found) in rows.iter().zip(&found.records) {
            let expected = TraceRecord {
                device: number((set.label)(row.device)),
                ..(set.record)(row)
            };
            assert_eq!(*found, expected, "{}: line {}", set.format, row.n);
        }
        assert_eq!(found.records.len() as u64, LINES, "{}", set.format);
    }
}
