//! Reference tables of the documents that are generated from the code: thresholds of `fathom check`, keys of simulated
//! devices, workloads of the survey, published limits.
//!
//! A section lies between `<!-- generated: NAME -->` and `<!-- end of generated -->`; `UPDATE_EXPECT=1` writes it. Omitted: the
//! prose around it.

use expect_test::expect_file;
use model::{SIMULATED_KEYS, SimulatedKey, SimulatedUnit};
use std::path::PathBuf;

const END: &str = "<!-- end of generated -->";

fn document(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs")).join(name)
}

/// Compares one section of a page with the tables of the code, or writes it.
#[allow(clippy::disallowed_methods, reason = "the convention of expect-test")]
fn check_section(page: &str, section: &str, expected: &str) {
    let path = document(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let begin = format!("<!-- generated: {section} -->\n");
    let (before, rest) = text.split_once(&begin).expect("the section begins");
    let (current, after) = rest.split_once(END).expect("the section ends");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, format!("{before}{begin}{expected}{END}{after}")).unwrap();
    } else {
        assert_eq!(
            current, expected,
            "{page}: run this test with UPDATE_EXPECT=1"
        );
    }
}

fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let heads: Vec<String> = heads.iter().map(ToString::to_string).collect();
    let rule = format!("|{}\n", "---|".repeat(heads.len()));
    let rows: String = rows.map(|row| line(&row)).collect();
    line(&heads) + &rule + &rows
}

#[test]
fn the_thresholds_of_the_check_are_documented() {
    let or_dash = |text: String| {
        if text.is_empty() {
            "–".to_owned()
        } else {
            text
        }
    };
    let rows = analysis::check_thresholds().into_iter();
    let rows = rows.map(|row| {
        vec![
            row.check.to_owned(),
            or_dash(row.caution),
            or_dash(row.not_ready),
        ]
    });
    check_section(
        "check.md",
        "thresholds",
        &table(&["check", "CAUTION", "NOT READY"], rows),
    );
}

#[test]
fn the_keys_of_simulated_devices_are_documented() {
    for (section, is_fault) in [("keys", false), ("faults", true)] {
        let row = |key: &SimulatedKey| {
            let what = key.what.strip_prefix("fault: ");
            (what.is_some() == is_fault).then(|| {
                let what = what.unwrap_or(key.what);
                vec![format!("`{}`", key.name), value(key), what.to_owned()]
            })
        };
        let rows = SIMULATED_KEYS.iter().filter_map(row);
        check_section(
            "simulated.md",
            section,
            &table(&["key", "value", "meaning"], rows),
        );
    }
}

fn value(key: &SimulatedKey) -> String {
    let (least, most) = key.range;
    match key.unit {
        SimulatedUnit::Count => format!("{least} to {most}"),
        SimulatedUnit::Percent => format!("{least}% to {most}%"),
        SimulatedUnit::Time => format!("time, at most {}h", most / 3_600_000_000_000),
        SimulatedUnit::Size => "size".to_owned(),
        SimulatedUnit::Rate => "size per second, as `180M` or `180M/s`".to_owned(),
        SimulatedUnit::Law => "`constant`, `lognormal`, `exponential`".to_owned(),
        SimulatedUnit::Fault => {
            "`1/500`: one of so many blocks; `@128M`: the block there".to_owned()
        }
        SimulatedUnit::Flush => "`honest`, `ignored`, `reordered`".to_owned(),
    }
}

#[test]
fn the_workloads_of_the_survey_are_documented() {
    let mut page = String::from(
        "# Workloads of the survey\n\n`fathom survey --workload SET` measures these; without the option it is the first set \
         ([survey](survey.md#workloads)).\n\nThis page is generated from the code (`UPDATE_EXPECT=1 cargo test -p fathom --test cases`).\n",
    );
    for set in sweep::SETS {
        let row = |one: sweep::SurveyWorkload| {
            let write = format!("{}%", one.write.as_percent());
            let access = format!("{:?}", one.access).to_lowercase();
            vec![
                one.name,
                format!("{} KiB", one.block.0 / 1024),
                write,
                access,
            ]
        };
        let heads = ["workload", "block size", "writes", "pattern"];
        page += &format!(
            "\n## {}\n\nFor {}.\n\n",
            set.name,
            set.what.trim_end_matches('.')
        );
        page += &table(&heads, set.workloads().into_iter().map(row));
    }
    expect_file![document("workloads.md")].assert_eq(&page);
}

/// The families of rotating disks, by name.
fn families() -> String {
    use analysis::device_classes::{DISK_FAMILIES, DiskFamily};
    let mut page = String::new();
    page += "\nA disk counts as rotating if the system reports it, or by its model's name (`#` is a digit, `@` a letter):\n\n";
    let family = |one: &DiskFamily| {
        let speed = one
            .per_minute
            .map_or_else(|| "–".to_owned(), |speed| speed.to_string());
        vec![
            one.name.to_owned(),
            format!("`{}`", one.pattern),
            speed,
            one.source.to_owned(),
        ]
    };
    let heads = [
        "family",
        "model begins with",
        "rotations per minute",
        "source",
    ];
    page += &table(&heads, DISK_FAMILIES.iter().map(family));
    page
}

fn ports() -> String {
    use analysis::device_classes::{PORTS, PortClass};
    let port = |one: &PortClass| {
        let moves = format!(
            "{} to {} MB/s",
            one.from_bytes_per_s / 1e6,
            one.to_bytes_per_s / 1e6
        );
        vec![one.name.to_owned(), moves, one.source.to_owned()]
    };
    let heads = ["port", "sequential I/O in practice", "source"];
    let about = "Equal rates of sequential reads and writes in such a range are reported as `bandwidth-limit`; not those of SATA 6 Gbit/s, which disks have by design. The sources give what a port can move at most; the ranges below that are estimates.";
    format!(
        "\n## Ports\n\n{about}\n\n{}",
        table(&heads, PORTS.iter().map(port))
    )
}

#[test]
fn the_classes_of_devices_are_documented() {
    use analysis::device_classes::{
        ETHERNET, LINKS, LinkClass, PCIE_GENERATIONS, PcieGeneration, ROTATIONS, Rotation,
    };
    let mb = |bytes: f64| format!("{} MB/s", bytes / 1e6);
    let mut page = String::from(
        "# Device classes\n\nWhat bounds a device. A result beyond such a bound is reported as `impossible-for-medium`: something \
         else answered, usually a cache.\n\nThis page is generated from the code (`UPDATE_EXPECT=1 cargo test -p fathom --test cases`).\n",
    );
    page += "\n## Links\n\n";
    let link = |one: &LinkClass| {
        vec![
            one.name.to_owned(),
            mb(one.bytes_per_s),
            one.source.to_owned(),
        ]
    };
    page += &table(
        &["link", "most payload in one direction", "source"],
        LINKS.iter().map(link),
    );
    page += "\n## Ethernet\n\nA remote target at 92% of such a link or more is reported as `bandwidth-limit`.\n\n";
    page += &table(
        &["link", "most payload in one direction", "source"],
        ETHERNET.iter().map(link),
    );
    page += &ports();
    page += "\n## PCI Express, one lane\n\n";
    let lane = |one: &PcieGeneration| {
        let (number, speed) = (one.number.to_string(), format!("{} GT/s", one.gt_per_s));
        vec![
            number,
            speed,
            mb(one.lane_bytes_per_s),
            one.source.to_owned(),
        ]
    };
    let heads = [
        "generation",
        "transfers",
        "most payload in one direction",
        "source",
    ];
    page += &table(&heads, PCIE_GENERATIONS.iter().map(lane));
    page += "\n## Rotating disks\n\n";
    let rotation = |one: &Rotation| {
        let turn = format!("{:.2} ms", 60e3 / one.per_minute);
        vec![
            one.per_minute.to_string(),
            turn,
            format!("{:.0}", one.random_iops_max),
            one.source.to_owned(),
        ]
    };
    let heads = [
        "rotations per minute",
        "one turn",
        "most random IOPS",
        "source",
    ];
    page += &table(&heads, ROTATIONS.iter().map(rotation));
    page += &families();
    expect_file![document("device-classes.md")].assert_eq(&page);
}

#[test]
fn the_published_limits_are_documented() {
    let text = std::fs::read_to_string(document("caps.toml")).unwrap();
    let row = |row: &str| {
        let field = |name: &str| {
            let mut lines = row.lines().filter_map(|line| line.split_once(" = "));
            let found = lines.find(|(field, _)| *field == name);
            found.map(|(_, value)| value.trim_matches('"').to_owned())
        };
        let bandwidth = field("mib_per_s").map(|value| format!("{value} MiB/s"));
        let bandwidth =
            bandwidth.or_else(|| field("mb_per_s").map(|value| format!("{value} MB/s")));
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        let name = field("name").expect("a name");
        let direction = field("direction");
        assert!(field("kind").is_none_or(|kind| kind == "nfs"));
        let burst = match field("burst").as_deref() {
            Some("true") => Some("burst".to_owned()),
            Some(_) => Some("sustained".to_owned()),
            None => None,
        };
        let stated = field("stated");
        let source = field("source").expect("a source");
        let read = field("read").expect("when the source was read");
        vec![
            name,
            or_dash(field("iops")),
            or_dash(bandwidth),
            or_dash(direction),
            or_dash(burst),
            or_dash(stated),
            source,
            read,
        ]
    };
    let rows = text.split("[[cap]]\n").skip(1).map(row);
    let page = "# Published limits\n\nA result within 2.5% of one of these is reported with its name \
                ([limits of a cloud volume](guides/cloud-limits.md)).\n\
                A limit of reads is not named for writes. A dash is what the source does not state.\n\
                Providers change them: `--cap-iops` and `--cap-mibs` specify yours.\n\n\
                This page is generated from `docs/caps.toml` (`UPDATE_EXPECT=1 cargo test -p fathom --test cases`).\n\n";
    let heads = [
        "volume or machine",
        "IOPS",
        "bandwidth",
        "limits",
        "kind",
        "stated",
        "source",
        "read",
    ];
    expect_file![document("published-limits.md")]
        .assert_eq(&format!("{page}{}", table(&heads, rows)));
}
