//! SQLIO's page, by the ids of the list of cases and by what its readme and published outputs show.

use tools::sqlio::figures::{Figures, Latency, Processors, Use};
use tools::sqlio::{Action, Environment, Profile, Size, parse};
use tools::sqlio::{SqlioResults, sqlio_latency, sqlio_text};

fn profile(line: &str) -> Profile {
    let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    match parse(&args, &Environment::BARE).unwrap().action {
        Action::Run(profile) => profile,
        Action::Usage => panic!("{line}"),
    }
}

fn one(dpc: f64, interrupt: f64, privileged: f64, processor: f64, user: f64) -> Use {
    Use {
        dpc: Some(dpc),
        interrupt: Some(interrupt),
        privileged,
        processor,
        user,
    }
}

/// 421.5 IOPS of 8 KiB; the latencies of a published run; processors as in the readme.
fn figures() -> Figures {
    let mut percents = [0; 25];
    percents[..13].copy_from_slice(&[4, 6, 6, 31, 23, 15, 5, 3, 2, 1, 1, 1, 1]);
    Figures {
        ios_per_s: 421.5,
        bytes_per_s: 421.5 * 8192.0,
        latency: Some(Latency {
            min_ns: 999_999,
            mean_ns: 3_999_999.9,
            max_ns: 111_000_000,
            percents,
        }),
        processors: Processors {
            all: one(22.30, 30.19, 95.35, 98.99, 3.64),
            each: vec![
                (0, one(24.06, 31.87, 95.05, 98.90, 3.85)),
                (1, one(21.87, 28.64, 95.94, 98.64, 3.69)),
            ],
            interrupts_per_s: Some(11_608.76),
        },
    }
}

/// What stands behind the dialect's part.
fn results(line: &str, figures: &Figures) -> String {
    let size = Size {
        needed: 1 << 30,
        current: 1 << 30,
        specified_mib: None,
    };
    let mut page = Vec::new();
    let results = SqlioResults {
        profile: &profile(line),
        sizes: &[size],
        figures,
    };
    sqlio_text(&results, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let (head, rest) = page.split_once("initialization done\n").unwrap();
    assert!(head.starts_with("sqlio v1.5.SG\n"), "{head}");
    rest.to_owned()
}

#[test]
fn o030_o032_rates_are_nine_wide_and_without_latencies_the_page_ends_there() {
    assert_eq!(
        results("-frandom -b8 f", &figures()),
        "CUMULATIVE DATA:\nthroughput metrics:\nIOs/sec:   421.50\nMBs/sec:     3.29\n"
    );
}

#[test]
fn latencies_are_cut_off_to_milliseconds_above_the_histogram() {
    let page = results("-frandom -b8 -LS f", &figures());
    let (_, latencies) = page.split_once("MBs/sec:     3.29\n").unwrap();
    assert_eq!(
        latencies,
        "latency metrics:\n\
         Min_Latency(ms): 0\n\
         Avg_Latency(ms): 3\n\
         Max_Latency(ms): 111\n\
         histogram:\n\
         ms: 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24+\n\
         %:  4  6  6 31 23 15  5  3  2  1  1  1  1  0  0  0  0  0  0  0  0  0  0  0  0\n"
    );
}

#[test]
fn all_in_one_column_keeps_the_columns_in_place() {
    let mut all = figures();
    if let Some(latency) = &mut all.latency {
        latency.percents = [0; 25];
        latency.percents[0] = 100;
    }
    let page = results("-LS f", &all);
    assert!(
        page.ends_with(
            "%:100  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0\n"
        ),
        "{page}"
    );
}

#[test]
fn processor_use_has_the_columns_of_the_readme() {
    let page = results("-Up f", &figures());
    let (_, table) = page.split_once("MBs/sec:     3.29\n").unwrap();
    assert_eq!(
        table,
        "ProcessorNumber:         ALL        0        1\n\
         DPCTime(%):             22.30    24.06    21.87\n\
         InterruptTime(%):       30.19    31.87    28.64\n\
         PrivilegedTime(%):      95.35    95.05    95.94\n\
         ProcessorTime(%):       98.99    98.90    98.64\n\
         UserTime(%):             3.64     3.85     3.69\n\
         Interrupts/sec:      11608.76      N/A      N/A\n"
    );
    let page = results("-U f", &figures());
    assert!(
        page.contains("ProcessorNumber:         ALL\nDPCTime(%):             22.30\n"),
        "{page}"
    );
}

#[test]
fn what_is_not_known_is_no_number() {
    let mut none = figures();
    none.latency = None;
    (none.processors.all.dpc, none.processors.interrupts_per_s) = (None, None);
    let page = results("-LS -U f", &none);
    assert!(
        page.contains(
            "Min_Latency(ms): N/A\nAvg_Latency(ms): N/A\nMax_Latency(ms): N/A\nProcessorNumber"
        ),
        "{page}"
    );
    assert!(
        page.contains("DPCTime(%):               N/A\n") && page.ends_with("      N/A\n"),
        "{page}"
    );
}

#[test]
fn microseconds_are_reported_beside_the_page() {
    assert_eq!(
        sqlio_latency(&figures()).unwrap(),
        "latency in µs, not cut off to milliseconds: min 1000.0, avg 4000.0, max 111000.0"
    );
}
