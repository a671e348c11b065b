//! Fields of results: the page that lists them, and the tables that show them.

use analysis::columns::{Column, Selection, columns_of, usual};
use expect_test::expect;
use model::{Bytes, CacheMode, Nanos, ResultRow, RowFigures, RowTimes, RowWork};
use views::Paper;

fn fields(columns: usize) -> String {
    let paper = Paper {
        columns: Some(columns),
        ..Paper::default()
    };
    let mut fields = Vec::new();
    views::fields_table(&paper, &mut fields).unwrap();
    String::from_utf8(fields).unwrap()
}

#[test]
fn the_table_of_fields_is_as_wide_as_the_page_and_tells_all_of_each() {
    let (narrow, wide) = (fields(80), fields(400));
    assert!(narrow.lines().all(|line| line.chars().count() <= 80));
    let words = |page: &str| {
        page.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (mut narrow, mut wide) = (words(&narrow), words(&wide));
    narrow.sort();
    wide.sort();
    assert_eq!(narrow, wide);
}

#[test]
fn the_page_of_fields_lists_all_of_them() {
    let fields = fields(120);
    let page = include_str!("../../../../docs/fields.md");
    assert!(
        page.contains(fields.trim_end()),
        "docs/fields.md: put the output of `fathom table --fields` on a terminal of 120 columns into its last block"
    );
}

/// As wide as fields get: all differ from row to row, and each figure has all its digits.
fn wide_rows() -> Vec<ResultRow> {
    let row = |number: u32| ResultRow {
        session: 123,
        number,
        kind: ["sweep", "survey", "import"][number as usize % 3].to_owned(),
        label: format!("a label with a good many words in it, number {number}"),
        tool: format!("diskspd {number}"),
        source: Some(format!("results/of/a/long/path/file-{number}.txt")),
        host: Some(format!("server-{number}.storage.example")),
        target: format!("/mnt/array/of/some/vendor/{number}/fathom.dat"),
        tags: vec![format!("baseline-{number}")],
        reason: (number > 1).then(|| format!("there was no space left for file {number}")),
        work: RowWork {
            block: Some(Bytes::kib(4 << number)),
            queue_depth: Some(100 + number),
            threads: Some(100 + number),
            write_percent: Some(100 - u8::try_from(number).unwrap()),
            pattern: Some(["sequential", "random"][number as usize % 2].to_owned()),
            cache: Some([CacheMode::Unbuffered, CacheMode::Cached][number as usize % 2]),
            ..RowWork::default()
        },
        measured: Some(Nanos::seconds(1)),
        total: RowFigures {
            ios: Some(1_234_567),
            bytes: Some(Bytes::gib(12)),
            errors: Some(100_000 + u64::from(number)),
            latency: RowTimes {
                mean: Some(Nanos(123_456_789)),
                max: Some(Nanos(123_456_789)),
                percentiles: vec![(0.99, Nanos(123_456_789))],
                ..RowTimes::default()
            },
            ..RowFigures::default()
        },
        ..ResultRow::default()
    };
    (1..=6).map(row).collect()
}

fn table(selection: &Selection, columns: usize) -> String {
    let paper = Paper {
        columns: Some(columns),
        ..Paper::default()
    };
    let mut page = Vec::new();
    views::rows_table(selection, &paper, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

#[test]
fn a_table_of_the_usual_fields_is_as_wide_as_the_page_and_says_what_it_leaves_out() {
    let selection = usual(&wide_rows());
    let narrow = table(&selection, 80);
    let first: Vec<&str> = narrow.lines().take(7).collect();
    expect![[r#"
        6 results
        omitted at 80 columns: kind, tool, source, host, target, tags, cache,
        bytes_per_s, latency_mean, latency_max, reason; fathom table --columns NAMES
        shows those that you specify, --csv all there are

        id       block  depth  threads  write  pattern      iops  latency_p99  errors
        123.1    8 KiB    101      101    99%  random      1.23M       123 ms  100001"#]]
    .assert_eq(&first.join("\n"));
    for columns in [80, 100, 132, 200] {
        let page = table(&selection, columns);
        let widest = page.lines().map(|line| line.chars().count()).max();
        assert!(widest.unwrap() <= columns, "{page}");
        assert!(
            page.contains("iops") && page.contains("latency_p99"),
            "{page}"
        );
    }
    assert!(!table(&selection, 1000).contains("omitted"));
}

#[test]
fn what_stays_on_every_page_takes_70_columns_at_most() {
    let rows = wide_rows();
    let selection = usual(&rows);
    let stays = |column: &&&Column| !selection.dispensable.contains(&column.short);
    let names = selection.columns.iter().filter(stays);
    let names: Vec<&str> = names.map(|column| column.name).collect();
    assert_eq!(
        names.join(","),
        "id,block_bytes,queue_depth,threads,write_percent,iops,latency_p99_ns"
    );
    let columns = columns_of(&names.join(",")).unwrap();
    let page = table(&Selection::of(columns, &rows), 80);
    let widest = page.lines().map(|line| line.chars().count()).max();
    assert!(widest.unwrap() <= 70, "{page}");
}

#[test]
fn fields_that_were_named_are_all_there() {
    let columns = columns_of("id,source,host,tool,target,label,latency_max").unwrap();
    let page = table(&Selection::of(columns, &wide_rows()), 80);
    assert!(
        page.contains("latency_max") && !page.contains("omitted"),
        "{page}"
    );
}

#[test]
fn the_rows_of_a_long_table_are_those_of_a_short_one_in_their_order() {
    let columns = || columns_of("label,iops,latency_p99").unwrap();
    let few = wide_rows();
    let many: Vec<ResultRow> = (0..5000).flat_map(|_| few.clone()).collect();
    let short = table(&Selection::of(columns(), &few), 120);
    let long = table(&Selection::of(columns(), &many), 120);
    let rows = |page: &str| -> Vec<String> {
        let page: Vec<&str> = page.lines().collect();
        page[page.len() - page.len() / 6 * 6..]
            .iter()
            .map(|&line| line.to_owned())
            .collect()
    };
    let short = rows(&short);
    assert!(rows(&long).chunks(6).all(|chunk| chunk == short));
    assert_eq!(long.lines().count(), 3 + 30_000);
}

/// A file of Parquet has the names, and the values of the whole numbers and fractions, of the table of fields.
#[cfg(feature = "parquet")]
#[test]
fn a_parquet_file_has_the_names_and_values_of_the_fields() {
    use analysis::columns::{Value, columns};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    let rows = wide_rows();
    let selection = Selection::of(columns().collect(), &rows);
    let mut file = tempfile::tempfile().unwrap();
    (views::export("parquet").unwrap().write)(&selection, &mut file).unwrap();
    let file = SerializedFileReader::new(file).unwrap();
    let stored: Vec<_> = file
        .get_row_iter(None)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(stored.len(), rows.len());
    for (stored, row) in stored.iter().zip(&rows) {
        for ((name, field), column) in stored.get_column_iter().zip(columns()) {
            assert_eq!(name, column.name);
            match ((column.read)(row), field) {
                (Value::Whole(number), Field::Long(found)) => {
                    assert_eq!(i64::try_from(number), Ok(*found), "{name}");
                }
                (Value::Real(number), Field::Double(found)) => assert_eq!(number, *found, "{name}"),
                (Value::Nothing, found) => assert_eq!(*found, Field::Null, "{name}"),
                (Value::Text(text), Field::Str(found)) => assert_eq!(*text, **found, "{name}"),
                _ => {}
            }
        }
    }
}
