//! The input parameters as text, in both layouts.

use crate::facts::profile;
use expect_test::expect_file;
use tools::diskspd::{Compat, RangeLine, print_text, range_line, read_xml};

fn text(line: &str, compat: Compat) -> String {
    print_text(&profile(line), &format!("diskspd {line}"), compat)
}

#[test]
fn a_request_without_switches_is_printed_as_the_original_prints_it() {
    expect_file!["expect/default.txt"].assert_eq(&text("testfile.dat", Compat::V2_2));
}

#[test]
fn two_targets_with_latency_and_intervals() {
    expect_file!["expect/two.txt"].assert_eq(&text(
        "-b4K -r -w30 -o1 -Sh -d2 -W0 -L -D500 a.dat b.dat",
        Compat::V2_2,
    ));
}

#[test]
fn a_weighted_pool_in_a_second_time_span() {
    let profile = read_xml(include_str!("expect/pool.xml")).unwrap();
    expect_file!["expect/pool.txt"].assert_eq(&print_text(
        &profile,
        "diskspd -Xtwo.xml",
        Compat::V2_2,
    ));
}

#[test]
fn the_old_layout_has_plain_bytes() {
    let line = "-Suw -L -W5 -Z1G -d120 -c440G -t16 -o4 -b64K -r -w10 /data/iotest.dat";
    expect_file!["expect/old.txt"].assert_eq(&text(line, Compat::V2_0));
}

/// Id, switches, a line that is there.
const LINES: &[(&str, &str, &str)] = &[
    ("T017", "", "\t\tblock size: 64KiB"),
    ("T018", "", "\t\tusing sequential I/O (stride: 64KiB)"),
    ("T020", "-r4k", "\t\tusing random I/O (alignment: 4KiB)"),
    (
        "T021",
        "-rs50 -r8k",
        "\t\tusing mixed random/sequential I/O (50% random) (alignment/stride: 8KiB)",
    ),
    (
        "T022",
        "-w30",
        "\t\tperforming mix test (read/write ratio: 70/30)",
    ),
    ("T024", "-w0", "\t\tperforming read test"),
    ("T024", "-w100", "\t\tperforming write test"),
    ("T025", "-Sb", "\t\tusing software cache"),
    ("T026", "-Su", "\t\tsoftware cache disabled"),
    (
        "T028",
        "-Suw",
        "\t\thardware write cache disabled, writethrough on",
    ),
    (
        "T029",
        "-Sw",
        "\t\thardware and software write caches disabled, writethrough on",
    ),
    (
        "T030",
        "",
        "\t\tusing hardware write cache, writethrough off",
    ),
    (
        "-Sr",
        "-Sr",
        "\t\tlocal software cache disabled, remote cache enabled",
    ),
    ("-Sm", "-Sm", "\t\tmemory mapped I/O enabled"),
    (
        "-Nv",
        "-Sm -Nv",
        "\t\tmemory mapped I/O enabled, flush mode: FlushViewOfFile",
    ),
    (
        "-Ni",
        "-Sm -Ni",
        "\t\tmemory mapped I/O enabled, flush mode: FlushNonVolatileMemory with no drain",
    ),
    ("T032", "-f2000k", "\t\tmax file size: 1.95MiB"),
    ("T033", "-B2m", "\t\tbase file offset: 2MiB"),
    ("T034", "-g1000", "\t\tthroughput rate-limited to 1000 B/ms"),
    ("-gi", "-g1000i", "\t\tthroughput rate-limited to 1000 IOPS"),
    ("T036", "-Z12341234", "\t\twrite buffer size: 11.77MiB"),
    ("T037", "-Z12341234", "\t\twrite buffer source: random fill"),
    ("-Z,", "-Z1M,/e", "\t\twrite buffer source: '/e'"),
    ("T038", "-Z", "\t\tzeroing write buffers"),
    ("T040", "-o2", "\t\tusing I/O Completion Ports"),
    (
        "-x",
        "-x",
        "\t\tusing completion routines (ReadFileEx/WriteFileEx)",
    ),
    (
        "T044",
        "-F4 -O8",
        "\t\trelative IO weight in thread pool: 1",
    ),
    (
        "T045",
        "-a1,2",
        "\tadvanced affinity round robin (group/core): 0/1, 0/2",
    ),
    (
        "T045",
        "-ag1,3",
        "\tadvanced affinity round robin (group/core): 1/3",
    ),
    ("T046", "-n", "\taffinity disabled"),
    ("T048", "-v", "\tusing verbose mode\n\ttimespan:   1"),
    (
        "T049",
        "-:1",
        "\n\nExperiment Flags: 0x1 (1)\n\nInput parameters:",
    ),
    (
        "T050",
        "-frst",
        "\t\tusing FILE_FLAG_SEQUENTIAL_SCAN hint\n\t\tusing FILE_FLAG_RANDOM_ACCESS hint\n\t\tusing FILE_ATTRIBUTE_TEMPORARY hint",
    ),
    (
        "T052",
        "-r -rdabs10/1G:10/1G:0/100G",
        "\t\tIO Distribution:\n\t\t    10% of IO => [     0    -      1GiB)\n\t\t    10% of IO => [     1GiB -      2GiB)\n\t\t     0% of IO => [     2GiB -    102GiB)\n\t\t    80% of IO => [   102GiB -       end)",
    ),
    (
        "pct",
        "-r -rdpct90/5",
        "\t\t    90% of IO => [ 0% -   5%) of target\n\t\t    10% of IO => [ 5% - 100%) of target",
    ),
    (
        "-Zr",
        "-Zr",
        "\tgenerating random data for each write IO\n\t  WARNING: this increases the CPU cost of issuing writes and should only\n\t           be compared to other results using the -Zr flag",
    ),
    ("-I", "-I1", "\t\tIO priority: very low"),
    ("-p", "-p", "\t\tusing parallel async I/O"),
    (
        "-si",
        "-si -t2",
        "\t\tusing interlocked sequential I/O (stride: 64KiB)",
    ),
    (
        "-T",
        "-T1m -t2",
        "\t\tthread stride size: 1MiB\n\t\tthreads per file: 2",
    ),
];

#[test]
fn lines_are_those_of_the_list_of_cases() {
    for (id, switches, expected) in LINES {
        let found = text(&format!("{switches} f"), Compat::V2_2);
        assert!(
            found.contains(&format!("\n{}\n", expected.trim_start_matches('\n'))),
            "{id}: {found}"
        );
    }
    assert!(
        text("-Rp *1", Compat::V2_2).contains("\n\tpath: template target '1'\n"),
        "T041"
    );
    assert!(!text("-o1 f", Compat::V2_2).contains("Completion"), "T042");
    assert!(
        !text("-F4 -O8 f", Compat::V2_2).contains("\t\tnumber of outstanding"),
        "T044"
    );
}

#[test]
fn t053_a_trimmed_list_is_made_whole() {
    let line = |io, from, to| {
        range_line(&RangeLine {
            io,
            io_of: 60,
            from,
            to: Some(to),
        })
    };
    assert_eq!(
        line(10, 0, 50 << 10),
        "    16.7% of IO => [     0    -     50KiB)"
    );
    assert_eq!(
        line(20, 50 << 10, 60 << 10),
        "    33.3% of IO => [    50KiB -     60KiB)"
    );
    assert_eq!(
        line(30, 60 << 10, 100 << 10),
        "    50.0% of IO => [    60KiB -    100KiB)"
    );
}
