//! The output read as common scripts read it, in the layout of every version: rows by the front of a line, sections between
//! blank lines, elements by name.

use super::desk::{text, xml};
use super::examples::two_targets;
use tools::diskspd::{Compat, DiskspdResults, Profile};

const ALL: [Compat; 5] = [
    Compat::V2_0,
    Compat::V2_0_21,
    Compat::V2_1,
    Compat::V2_2,
    Compat::V2_3,
];

fn page(profile: &Profile, run: &model::RunRecord, compat: Compat) -> String {
    let page: DiskspdResults<'_> = super::desk::results(profile, "diskspd a b", compat, &[run]);
    text(&page)
}

/// The cells of the first line that begins so: `-like 'total:*'`, then a split at `|`.
fn first<'t>(page: &'t str, front: &str) -> Vec<&'t str> {
    let line = page
        .lines()
        .find(|line| line.trim_start().starts_with(front));
    let line = line.unwrap_or_else(|| panic!("no line {front} in\n{page}"));
    line.split('|').map(str::trim).collect()
}

#[test]
fn rows_are_found_by_the_front_of_their_line() {
    let (profile, run) = two_targets();
    for compat in ALL {
        let page = page(&profile, &run, compat);
        let total = first(&page, "total:");
        let number = |place: usize| -> f64 { total[place].parse().unwrap() };
        assert_eq!((number(1), number(3)), (15.0, 7.5), "{compat:?}");
        assert_eq!(total[2], "0.03", "{compat:?}: MiB/s");
        assert!((number(4) - 0.211).abs() < 0.001, "{compat:?}: {total:?}");
        let cpu = first(&page, "avg.");
        assert_eq!((cpu[1], cpu.len()), ("7.50%", 5), "{compat:?}");
        let depth = page.lines().find(|line| line.contains("outstanding"));
        let depth = depth.and_then(|line| line.rsplit(": ").next());
        assert!(
            depth.is_some_and(|depth| depth.parse::<u32>().is_ok()),
            "{compat:?}"
        );
        let nines: Vec<&str> = page
            .lines()
            .filter(|line| line.contains("99th |"))
            .collect();
        assert_eq!(nines.last().unwrap().split('|').count(), 4, "{compat:?}");
    }
}

#[test]
fn sections_stand_between_blank_lines_with_their_title_first() {
    let (profile, run) = two_targets();
    for compat in ALL {
        let page = page(&profile, &run, compat);
        let sections: Vec<&str> = page.split("\n\n").map(str::trim_start).collect();
        for title in ["Total IO\n", "Read IO\n", "Write IO\n"] {
            let found = sections.iter().filter(|section| section.starts_with(title));
            let [section] = found.collect::<Vec<_>>()[..] else {
                panic!("{compat:?}: {title}");
            };
            // A head, a rule, two rows, a rule, the total.
            assert_eq!(section.trim_end().lines().count(), 7, "{compat:?}: {title}");
        }
        let whole = ["total:\n", "Total latency distribution:\n", "%-ile |"];
        let charts = sections
            .iter()
            .filter(|section| whole.iter().any(|front| section.starts_with(front)));
        assert_eq!(charts.count(), 1, "{compat:?}");
    }
}

#[test]
fn elements_are_found_by_their_names() {
    let (profile, run) = two_targets();
    for compat in ALL {
        let page = xml(&super::desk::results(
            &profile,
            "diskspd a b",
            compat,
            &[&run],
        ));
        let (elements, error) = tools::diskspd::read_xml_results(&page);
        assert!(error.is_none(), "{compat:?}: {error:?}");
        let of = |name: &str| {
            elements
                .iter()
                .find(|element| element.name() == name)
                .unwrap()
        };
        let version = of("System")
            .child("Tool")
            .unwrap()
            .child("Version")
            .unwrap()
            .value();
        let expected = if compat == Compat::V2_3 {
            "2.3.0"
        } else {
            "2.2.0"
        };
        assert_eq!(version, expected, "{compat:?}");
        let span = of("TimeSpan");
        let seconds: f64 = span
            .child("TestTimeSeconds")
            .unwrap()
            .value()
            .parse()
            .unwrap();
        let threads = span
            .children()
            .iter()
            .filter(|child| child.name() == "Thread");
        let targets = threads
            .flat_map(|thread| thread.children())
            .filter(|child| child.name() == "Target");
        let ios: u64 = targets
            .map(|target| {
                target
                    .child("IOCount")
                    .unwrap()
                    .value()
                    .parse::<u64>()
                    .unwrap()
            })
            .sum();
        assert!((ios as f64 / seconds - 7.5).abs() < 1e-9, "{compat:?}");
        let latency = span.child("Latency").unwrap();
        let buckets = latency
            .children()
            .iter()
            .filter(|child| child.name() == "Bucket");
        assert!(buckets.count() > 90, "{compat:?}");
    }
}

/// Every layout is read back as the version that it is of, with the same figures.
#[test]
fn each_layout_is_read_back_as_its_version() {
    let (mut profile, run) = two_targets();
    for (compat, version) in [
        (Compat::V2_0_21, "2.0.21"),
        (Compat::V2_1, "2.1"),
        (Compat::V2_2, "2.2"),
        (Compat::V2_3, "2.3"),
    ] {
        if compat == Compat::V2_3 {
            profile.time_spans[0].buffers = Some(tools::diskspd::BufferSeparation::Apart);
            profile.time_spans[0].affinity.order.efficiency =
                Some(model::EfficiencyOrder::PerformanceFirst);
        }
        let page = page(&profile, &run, compat);
        let reading = tools::imports::read("a.txt", page.as_bytes()).unwrap();
        let [run] = reading.runs.as_slice() else {
            panic!("{compat:?}: {} runs", reading.runs.len());
        };
        assert_eq!(run.tool_version.as_deref(), Some(version));
        assert_eq!(run.figures.total.ios, Some(15), "{compat:?}");
        assert_eq!(
            run.rows.iter().filter(|row| row.thread.is_some()).count(),
            2,
            "{compat:?}"
        );
        let named = |what: &str| run.notes.iter().any(|note| note.contains(what));
        assert_eq!(
            named("P-cores first"),
            compat == Compat::V2_3,
            "{:?}",
            run.notes
        );
    }
    let page = xml(&super::desk::results(
        &profile,
        "diskspd a b",
        Compat::V2_3,
        &[&run],
    ));
    let reading = tools::imports::read("a.xml", page.as_bytes()).unwrap();
    assert_eq!(reading.runs[0].tool_version.as_deref(), Some("2.3.0"));
    assert!(
        reading.runs[0]
            .notes
            .iter()
            .any(|note| note.contains("PDECacheLine"))
    );
}
