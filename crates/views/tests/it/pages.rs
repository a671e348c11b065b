//! What every page keeps to, and the records that the tests show.

use analysis::sample::Sample;
use analysis::{RunReport, SurveyContext, SurveyReport, SurveyScope, run_report, survey_report};
use model::{Access, Bytes, Nanos, Ratio, RunRecord};
use std::path::PathBuf;
use views::{Paper, Stored, Zone, run_summary, survey_summary};

pub(crate) const WORKLOADS: [(&str, u64, u8, Access); 7] = [
    ("4K random read", 4, 0, Access::Random),
    ("4K random write", 4, 100, Access::Random),
    ("8K random 70/30", 8, 30, Access::Random),
    ("64K random read", 64, 0, Access::Random),
    ("512K sequential read", 512, 0, Access::Sequential),
    ("1M sequential read", 1024, 0, Access::Sequential),
    ("1M sequential write", 1024, 100, Access::Sequential),
];

pub(crate) fn paper() -> Paper {
    Paper {
        columns: Some(100),
        verbose: false,
        zone: Zone::fixed(1),
        stored: Some(Stored {
            notes: vec![],
            session: 12,
            run: None,
            path: PathBuf::from("/data/admin/.local/share/fathom/fathom.db"),
            named: false,
        }),
    }
}

const RUN_LINES: usize = 40;
const SURVEY_LINES: usize = 45;

/// Checks the limits of a page.
fn checked(page: Vec<u8>, columns: usize, lines_max: usize) -> String {
    let page = String::from_utf8(page).unwrap();
    assert!(
        page.lines().count() <= lines_max,
        "{} lines:\n{page}",
        page.lines().count()
    );
    for line in page.lines() {
        assert!(
            line.chars().count() <= columns,
            "{} columns: {line}",
            line.chars().count()
        );
        assert_eq!(line.trim_end(), line, "no blanks at the end of a line");
    }
    assert!(page.ends_with('\n'));
    page
}

pub(crate) fn run_page(record: &RunRecord) -> String {
    let mut page = Vec::new();
    run_summary(&run_report(record), &paper(), &mut page).unwrap();
    checked(page, 100, RUN_LINES)
}

pub(crate) fn survey_page(report: &SurveyReport) -> String {
    let mut page = Vec::new();
    survey_summary(report, &paper(), &mut page).unwrap();
    checked(page, 100, SURVEY_LINES)
}

/// Both pages on a terminal of 80 columns.
pub(crate) fn narrow_pages(record: &RunRecord, report: &SurveyReport) -> [String; 2] {
    let paper = Paper {
        columns: Some(80),
        ..paper()
    };
    let (mut run, mut survey) = (Vec::new(), Vec::new());
    run_summary(&run_report(record), &paper, &mut run).unwrap();
    survey_summary(report, &paper, &mut survey).unwrap();
    [
        checked(run, 80, RUN_LINES),
        checked(survey, 80, SURVEY_LINES),
    ]
}

/// One cell of a disk that moves up to 40000 small IOPS and 1.6 GiB/s.
pub(crate) fn cell(number: usize, depth: u32) -> Sample {
    let (_, kib, write, access) = WORKLOADS[number].clone();
    let most = (40_000.0_f64).min(1_638_400.0 / kib as f64);
    let load = f64::from(depth) / (f64::from(depth) + 6.0);
    let ios = (most * load * 2.0) as u64;
    let writes = ios * u64::from(write) / 100;
    Sample {
        block: Bytes::kib(kib),
        depth,
        write: Ratio::percent(write).unwrap(),
        access,
        planned: Nanos::seconds(2),
        measured: Nanos::seconds(2),
        reads: ios - writes,
        writes,
        ..Sample::default()
    }
}

pub(crate) fn cells(depths: &[u32]) -> Vec<(String, RunRecord)> {
    let all =
        (0..WORKLOADS.len()).flat_map(|number| depths.iter().map(move |&depth| (number, depth)));
    all.map(|(number, depth)| (WORKLOADS[number].0.to_owned(), cell(number, depth).build()))
        .collect()
}

pub(crate) fn context() -> SurveyContext {
    SurveyContext {
        workloads: WORKLOADS.iter().map(|row| row.0.to_owned()).collect(),
        scope: SurveyScope {
            budget_ns: Some(180_000_000_000),
            elapsed_ns: Some(151_300_000_000),
            read_only: Some(false),
            size_bytes: Some(8 << 30),
            size_reason: Some("as large as RAM".to_owned()),
            filled: Some(analysis::Filled {
                bytes: 8 << 30,
                elapsed_ns: 9_400_000_000,
            }),
        },
        cells_left: Some(0),
        queue_depth_max: Some(128),
        ..SurveyContext::default()
    }
}

pub(crate) fn survey(depths: &[u32]) -> SurveyReport {
    survey_report(&cells(depths), &context())
}

pub(crate) fn run(change: impl FnOnce(&mut Sample)) -> RunReport {
    let mut sample = Sample::default();
    change(&mut sample);
    run_report(&sample.build())
}
