//! The tables `Total IO`, `Read IO`, `Write IO`: columns by their names, because versions and switches have others.

use crate::imports::number::{Cell, bytes, cell, nanos, size, whole};
use model::{ImportedOperation, Nanos};

/// Which of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Total,
    Read,
    Write,
}

impl Kind {
    pub(super) fn of(line: &str) -> Option<Kind> {
        match line {
            "Total IO" => Some(Kind::Total),
            "Read IO" => Some(Kind::Read),
            "Write IO" => Some(Kind::Write),
            _ => None,
        }
    }
    pub(super) const fn title(self) -> &'static str {
        match self {
            Kind::Total => "Total IO",
            Kind::Read => "Read IO",
            Kind::Write => "Write IO",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Thread,
    Bytes,
    Ios,
    Rate,
    IosRate,
    Mean,
    IopsSd,
    Sd,
    File,
    Other,
}

/// A table that is being read.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) kind: Kind,
    columns: Vec<Column>,
    pub(super) rows: Vec<Row>,
    pub(super) total: Option<ImportedOperation>,
    /// Whether a cell of the total is no number, and which.
    pub(super) strange: Option<String>,
    /// The last row, while its path is not at its end.
    open: Option<String>,
    pub(super) odd: Odd,
}

/// A thread's figures in one table.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) thread: Option<u32>,
    pub(super) target: String,
    pub(super) size: Option<model::Bytes>,
    pub(super) figures: ImportedOperation,
}

/// What was seen that a person should know; the first of each kind.
#[derive(Debug, Default)]
pub(super) struct Odd {
    pub(super) commas: bool,
    pub(super) not_a_number: Option<String>,
    pub(super) strange: Option<String>,
}

impl Odd {
    /// The number of a cell; what is odd about it is noted.
    pub(super) fn number(&mut self, text: &str, decimals: usize) -> Option<f64> {
        match cell(text, decimals) {
            Cell::Number(value, comma) => {
                self.commas |= comma;
                return Some(value);
            }
            Cell::NotANumber => {
                self.not_a_number
                    .get_or_insert_with(|| text.trim().to_owned());
            }
            Cell::Strange => self.strange(text),
            Cell::Nothing => {}
        }
        None
    }

    pub(super) fn strange(&mut self, text: &str) {
        self.strange
            .get_or_insert_with(|| crate::imports::section::short(text));
    }

    pub(super) fn merge(&mut self, other: Odd) {
        self.commas |= other.commas;
        self.not_a_number = self.not_a_number.take().or(other.not_a_number);
        self.strange = self.strange.take().or(other.strange);
    }
}

impl Table {
    /// `thread | bytes | …`, if the line is such a head.
    pub(super) fn begin(kind: Kind, line: &str) -> Option<Table> {
        let mut names = line.split('|').map(str::trim);
        if names.next() != Some("thread") {
            return None;
        }
        let column = |name: &str| match name {
            "bytes" => Column::Bytes,
            "I/Os" => Column::Ios,
            "MB/s" | "MiB/s" => Column::Rate,
            "I/O per s" => Column::IosRate,
            "AvgLat" => Column::Mean,
            "IopsStdDev" => Column::IopsSd,
            "LatStdDev" => Column::Sd,
            "file" => Column::File,
            _ => Column::Other,
        };
        /// More than any version prints.
        const COLUMNS_MAX: usize = 64;
        let columns = std::iter::once(Column::Thread)
            .chain(names.map(column))
            .take(COLUMNS_MAX)
            .collect();
        Some(Table {
            kind,
            columns,
            rows: Vec::new(),
            total: None,
            strange: None,
            open: None,
            odd: Odd::default(),
        })
    }

    /// Takes a line below the head. Whether it belonged to the table.
    pub(super) fn line(&mut self, line: &str) -> bool {
        let is_rule = !line.is_empty() && line.bytes().all(|byte| byte == b'-');
        if let Some(rest) = line
            .strip_prefix("total:")
            .filter(|rest| rest.contains('|'))
        {
            self.close();
            self.take_total(rest);
        } else if is_rule {
            self.close();
        } else if is_row(line) {
            self.close();
            self.open = Some(line.to_owned());
        } else if let Some(open) = self
            .open
            .as_mut()
            .filter(|open| !line.is_empty() && !open.ends_with(')'))
        {
            // A blank at the edge may be lost; before a size there is one.
            if line.starts_with('(') && !open.ends_with(' ') {
                open.push(' ');
            }
            open.push_str(line);
        } else {
            self.close();
            return line.is_empty();
        }
        true
    }

    fn take_total(&mut self, rest: &str) {
        let columns: Vec<Column> = self
            .columns
            .iter()
            .copied()
            .filter(|c| !matches!(c, Column::Thread | Column::File))
            .collect();
        let cells: Vec<&str> = rest.split('|').take(self.columns.len()).collect();
        let (figures, odd) = operation(&columns, &cells);
        let missing = cells.len() < columns.len();
        self.strange = match &odd.strange {
            Some(text) => Some(format!(
                "read `{text}` in the line `total:`; a number is expected"
            )),
            None if missing => {
                Some("the line `total:` has fewer columns than the table's head".to_owned())
            }
            None => None,
        };
        self.odd.merge(odd);
        self.total = Some(figures);
    }

    /// The row that was open is whole.
    pub(super) fn close(&mut self) {
        let Some(line) = self.open.take() else {
            return;
        };
        let cells: Vec<&str> = line.splitn(self.columns.len(), '|').collect();
        let (figures, odd) = operation(&self.columns, &cells);
        self.odd.merge(odd);
        let mut row = Row {
            thread: None,
            target: String::new(),
            size: None,
            figures,
        };
        for (column, text) in self.columns.iter().zip(&cells) {
            match column {
                Column::Thread => row.thread = text.trim().parse().ok(),
                Column::File => (row.target, row.size) = file(text.trim()),
                _ => {}
            }
        }
        if self.rows.len() == self.rows.capacity() {
            self.rows.reserve_exact(self.rows.len() / 4 + 16);
        }
        self.rows.push(row);
    }
}

/// `  12 | …`.
fn is_row(line: &str) -> bool {
    line.split_once('|').is_some_and(|(thread, _)| {
        let thread = thread.trim();
        !thread.is_empty() && thread.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// `E:\iotest.dat (440GB)`.
fn file(text: &str) -> (String, Option<model::Bytes>) {
    let parts = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once(" ("));
    match parts.map(|(path, amount)| (path, size(amount))) {
        Some((path, Some(size))) => (path.to_owned(), Some(size)),
        _ => (text.to_owned(), None),
    }
}

/// The figures of a row. Latencies count only where there is a sample: without one the mean is printed as 0.000.
fn operation(columns: &[Column], cells: &[&str]) -> (ImportedOperation, Odd) {
    let mut figures = ImportedOperation::default();
    let mut odd = Odd::default();
    let ms = Nanos::millis(1);
    for (column, text) in columns.iter().zip(cells) {
        match column {
            Column::Bytes | Column::Ios => {
                let count = whole(text);
                if count.is_none() {
                    odd.strange(text);
                }
                match column {
                    Column::Bytes => figures.bytes = count.map(model::Bytes),
                    _ => figures.ios = count,
                }
            }
            Column::Rate => {
                let mib = odd.number(text, 2);
                figures.bytes_per_s = mib.map(|mib| mib * f64::from(1 << 20));
            }
            Column::IosRate => figures.ios_per_s = odd.number(text, 2),
            Column::IopsSd => figures.ios_per_s_sd = odd.number(text, 2),
            Column::Mean => {
                figures.latency.mean = odd.number(text, 3).and_then(|v| nanos(v, ms));
                figures.latency.resolution = Some(Nanos::micros(1));
            }
            Column::Sd => figures.latency.sd = odd.number(text, 3).and_then(|v| nanos(v, ms)),
            Column::Thread | Column::File | Column::Other => {}
        }
    }
    let has_sd = columns.contains(&Column::Sd);
    if figures.ios == Some(0) || (has_sd && figures.latency.sd.is_none()) {
        figures.latency = model::ImportedLatency::default();
    }
    // Kept to what a rate can be: bytes below 2^64.
    figures.bytes_per_s = figures.bytes_per_s.filter(|rate| bytes(*rate, 1).is_some());
    (figures, odd)
}

#[cfg(test)]
mod tests {
    use super::{Kind, Table};
    use model::{Bytes, Nanos};

    fn read(head: &str, lines: &[&str]) -> Table {
        let mut table = Table::begin(Kind::Total, head).expect("it is a head");
        for line in lines {
            table.line(line.trim());
        }
        table
    }

    const HEAD: &str = "thread |       bytes     |     I/Os     |     MB/s   |  I/O per s |  AvgLat  | LatStdDev |  file";

    #[test]
    fn o001_a_total_has_the_columns_of_its_head() {
        let table = read(
            HEAD,
            &[
                "total:      161863434240 |      2469840 |    1286.37 |   20581.94 |    3.106 |     3.955",
            ],
        );
        let total = table.total.unwrap();
        assert_eq!(total.bytes, Some(Bytes(161_863_434_240)));
        assert_eq!(total.ios, Some(2_469_840));
        assert_eq!(total.bytes_per_s, Some(1286.37 * 1_048_576.0));
        assert_eq!(total.ios_per_s, Some(20_581.94));
        assert_eq!(total.latency.mean, Some(Nanos::micros(3106)));
        assert_eq!(total.latency.sd, Some(Nanos::micros(3955)));
    }

    #[test]
    fn o002_megabytes_and_mebibytes_are_the_same_column() {
        let line = &["total: 1048576 | 1 | 1.00 | 1.00 | 1.000 | 0.000"];
        let old = read(HEAD, line).total;
        let new = read(&HEAD.replace("MB/s", "MiB/s"), line).total;
        assert_eq!(old, new);
        assert_eq!(old.unwrap().bytes_per_s, Some(1_048_576.0));
    }

    #[test]
    fn o004_sizes_of_old_versions_are_1024_based() {
        let line =
            "     0 | 10107486208 | 154228 | 80.33 | 1285.23 | 3.109 | 3.640 | test.dat (1024MB)";
        let mut table = read(HEAD, &[line]);
        table.close();
        assert_eq!(table.rows[0].target, "test.dat");
        assert_eq!(table.rows[0].size, Some(Bytes::gib(1)));
    }

    #[test]
    fn a_path_may_be_broken_and_may_hold_anything() {
        let lines = [
            "     0 | 1 | 1 | 0.00 | 1.00 | 1.000 | 0.000 | C:\\some folder | x\\a very long",
            " name (1) of it.dat (10MiB)",
            "-------",
        ];
        let table = read(HEAD, &lines);
        assert_eq!(
            table.rows[0].target,
            "C:\\some folder | x\\a very longname (1) of it.dat"
        );
        assert_eq!(table.rows[0].size, Some(Bytes::mib(10)));
    }

    #[test]
    fn a_mean_without_samples_is_none() {
        let total = read(HEAD, &["total: 0 | 0 | 0.00 | 0.00 | 0.000 | N/A"])
            .total
            .unwrap();
        assert_eq!(total.latency.mean, None);
        let total = read(HEAD, &["total: 4096 | 1 | 0.00 | 0.00 | -nan | -nan"]);
        assert_eq!(total.odd.not_a_number.as_deref(), Some("-nan"));
        assert!(total.strange.is_none());
    }
}
