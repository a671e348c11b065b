//! Statements of experts on eleven printed results, reported by `fathom import` and `fathom show`: each result is printed text of
//! a public page, each sentence has its numbers.
//!
//! Of the fourth page only the figures are text (its tables are pictures), and of the third only the counters of most
//! runs; the files contain just these, in the layout of their tool. That 3-nines are not the 99th percentile is checked next to
//! the rule (`undersampled-tail`), because the percentiles of that run are in a picture.

use crate::bench::Bench;

const SEED_000: &str = include_str!("../../../tools/tests/imports/texts/seed_000.txt");
const SEED_001: &str = include_str!("../../../tools/tests/imports/texts/seed_001.txt");
const SEED_002_DEPTHS: &str =
    include_str!("../../../tools/tests/imports/texts/seed_002_depths.txt");
const SEED_002_SIZES: &str = include_str!("../../../tools/tests/imports/texts/seed_002_sizes.txt");
const SEED_003: &str = include_str!("../../../tools/tests/imports/texts/seed_003.txt");
const DD: &str = include_str!("../../../tools/tests/imports/texts/seed_004_dd.txt");
const BONNIE: &str = include_str!("../../../tools/tests/imports/texts/seed_004_bonnie.txt");

/// Imports a text and shows it with these words; every line of the page in one, so that sentences are whole.
fn shown(text: &str, show: &str) -> String {
    let bench = Bench::new();
    std::fs::write(bench.path("page.txt"), text).unwrap();
    bench.line("import page.txt").good();
    one_line(&bench.line(show).good().out)
}

fn one_line(page: &str) -> String {
    page.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn says(page: &str, sentence: &str) {
    assert!(page.contains(sentence), "`{sentence}` is not in\n{page}");
}

/// Asserts that a page reports a finding, with these figures somewhere on the page.
#[track_caller]
fn reports(page: &str, id: &str, figures: &[&str]) {
    says(page, id);
    figures.iter().for_each(|figure| says(page, figure));
}

#[test]
fn g1_little_holds_so_the_latency_is_waiting() {
    let page = shown(SEED_000, "show 1");
    reports(&page, "saturated", &["63.9 of 64.0", "99.9%", "3.11 ms"]);
}

#[test]
fn g2_only_8_of_32_processors_were_counted() {
    let page = shown(SEED_000, "show 1");
    reports(
        &page,
        "cpu-stats-incomplete",
        &["8 of 32", "9.96%", "2.49%"],
    );
}

#[test]
fn g3_a_plateau_is_a_stall_and_nines_rest_on_nothing() {
    let page = shown(SEED_000, "show 1");
    reports(
        &page,
        "stall",
        &["247", "208 ms", "211 ms", "5.28", "99.9%"],
    );
    let tail = ["24.7", "99.999%", "2.47", "99.9999%", "99.99999%"];
    reports(&page, "undersampled-tail", &tail);
}

#[test]
fn g4_a_rate_at_the_cap_of_the_machine() {
    let page = shown(SEED_003, "show 1");
    let near = ["1953 IOPS", "0.91%", "64.1%", "1.7%", "1920 IOPS"];
    reports(&page, "iops-limit", &near);
    reports(&page, "Standard_B2ms", &["64.0 of 64.0"]);
    let named = shown(SEED_003, "show 1 --cap-iops 1920");
    reports(&named, "iops-limit", &["1.7%", "1920 IOPS"]);
}

#[test]
fn g6_whole_milliseconds_and_depth_that_brings_nothing() {
    let shallow = shown(SEED_002_DEPTHS, "show 1.1");
    reports(&shallow, "latency-resolution", &["1 ms", "3 ms", "4.43 ms"]);
    let deep = shown(SEED_002_DEPTHS, "show 1.2");
    reports(&deep, "latency-resolution", &["17 ms", "18.0 ms"]);
    let both = ["226", "222", "1.8%", "4.43 ms", "18.0 ms", "4.07"];
    reports(&shown(SEED_002_DEPTHS, "show 1"), "saturated", &both);
}

#[test]
fn g7_one_rotating_disk_by_its_line_over_sizes() {
    let line = ["4.39 ms", "10.4 µs", "93.5 MiB/s"];
    reports(&shown(SEED_002_SIZES, "show 1"), "single-spindle", &line);
}

#[test]
fn g8_more_than_two_rotating_disks_can_do_and_one_full_core() {
    let page = shown(SEED_001, "show 1 --medium hdd:2");
    reports(
        &page,
        "impossible-for-medium",
        &["2432 MiB/s", "2 rotating disks"],
    );
    reports(&page, "cpu-bound", &["0 of 32", "3.71%", "96.3%"]);
    reports(&shown(SEED_001, "show 1"), "page-cache", &[]);
}

#[test]
fn g9_what_the_file_system_costs_and_that_part_was_still_in_memory() {
    let both = ["11.1 MB/s", "14.6%", "64.8", "75.9"];
    reports(&shown(DD, "show 1"), "filesystem-overhead", &both);
    reports(&shown(DD, "show 1.3"), "page-cache", &[]);
}

#[test]
fn g10_what_was_too_short_to_time_is_not_measured_and_never_a_blank() {
    says(&shown(BONNIE, "show 1"), "6 of 10 runs");
    reports(&shown(BONNIE, "show 1.5"), "no-figures", &["+++++"]);
}

#[test]
fn g11_the_time_of_a_matrix_counts_the_making_of_its_file() {
    let bench = Bench::new();
    let to_21: Vec<String> = (1..=21).map(|n| n.to_string()).collect();
    let to_21 = to_21.join(",");
    let line = format!(
        "sweep f.dat --create 64M -o {to_21} -t {to_21} -d 10s --warmup 5s --rest 2s --dry-run"
    );
    let page = one_line(&bench.line(&line).good().out);
    says(&page, "441 cells");
    says(&page, "2 h 04 min");
    says(&page, "of creating files");
    says(&page, "f.dat: is created, with 64 MiB");
    let line = "sweep f.dat --create 64M -b 4K,8K,16K,32K,64K,128K,256K,512K -o 1,2,4,8,16,32,64,128 \
                -t 1,2,3,4,5,6,7,8 -d 120s --warmup 5s --dry-run";
    let page = one_line(&bench.line(line).good().out);
    says(&page, "512 cells");
    says(&page, "17 h 4");
    // The creation of the file is in the time, and is reported: it would have been omitted of 512 x 125 s.
    let ahead = bench.line(&format!("{line} --json")).good().json();
    let time = ahead["duration_least_ns"].as_u64().unwrap();
    assert!(time >= 512 * 125 * 1_000_000_000, "{time}");
}
