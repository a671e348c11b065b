//! What experts say of eleven printed results, said by `fathom import` and `fathom show`: each result is printed text of
//! a public page, each sentence has its numbers.
//!
//! Of the fourth page only the figures are text (its tables are pictures), and of the third only the counters of most
//! runs; the files hold just these, in the layout of their tool. That 3-nines are not the 99th percentile is held beside
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

#[test]
fn g1_little_holds_so_the_latency_is_waiting() {
    says(
        &shown(SEED_000, "show 1"),
        "20.6k IOPS x 3.11 ms = 63.9 of 64.0 in flight (99.9%): the queue was always full, so 3.11 ms is waiting under \
         full load, not service time; to know the service time, measure at a lower depth; see docs/findings.md#little",
    );
}

#[test]
fn g2_only_8_of_32_processors_were_counted() {
    says(
        &shown(SEED_000, "show 1"),
        "only 8 of 32 processors were counted: those were busy 9.96%, and the printed average of 2.49% is wrong by a \
         factor of 4.00",
    );
}

#[test]
fn g3_a_plateau_is_pauses_and_nines_rest_on_nothing() {
    let page = shown(SEED_000, "show 1");
    says(
        &page,
        "the slowest I/Os, at least 247, took 208 ms to 211 ms, 5.28 times what 99.9% of all stayed below: at least 4 \
         pauses of the whole queue of 211 ms, an event and no tail",
    );
    says(
        &page,
        "of 2469840 I/Os 24.7 beyond 99.999% (5-nines), 2.47 beyond 99.9999% (6-nines), 99.99999% (7-nines) to \
         99.9999999% (9-nines) are only the largest I/O under other names",
    );
}

#[test]
fn g4_a_rate_at_the_cap_of_the_machine() {
    let page = shown(SEED_003, "show 1");
    says(
        &page,
        "the rate is held at 1953 IOPS: the rate varies by 0.91% while latencies vary by 64.1%, as behind a limiter; \
         1.7% above the published cap of Azure VM size Standard_B2ms, 1920 IOPS",
    );
    says(&page, "the same IOPS are an IOPS limit");
    says(&page, "= 64.0 of 64.0 in flight");
    says(
        &shown(SEED_003, "show 1 --cap-iops 1920"),
        "that is 1.7% above the cap of 1920 IOPS that you named",
    );
}

#[test]
fn g6_whole_milliseconds_and_depth_that_brings_nothing() {
    says(
        &shown(SEED_002_DEPTHS, "show 1.1"),
        "latencies are cut to whole steps of 1 ms, so a mean of 3 ms is 4.43 ms by Little's law",
    );
    says(
        &shown(SEED_002_DEPTHS, "show 1.2"),
        "a mean of 17 ms is 18.0 ms by Little's law",
    );
    says(
        &shown(SEED_002_DEPTHS, "show 1"),
        "8 KiB random writes are at their end at 1 in flight: from there to 4 the rate goes 226 to 222 IOPS \
         (-1.8%) and the latency 4.43 ms to 18.0 ms, 4.07 times",
    );
}

#[test]
fn g7_one_rotating_disk_by_its_line_over_sizes() {
    says(
        &shown(SEED_002_SIZES, "show 1"),
        "random writes of 4 sizes take 4.39 ms + 10.4 µs a KiB, as one rotating disk does: 4.39 ms to position, then \
         93.5 MiB/s of medium",
    );
}

#[test]
fn g8_more_than_two_rotating_disks_can_do_and_one_full_core() {
    let page = shown(SEED_001, "show 1 --medium hdd:2");
    says(
        &page,
        "2432 MiB/s is impossible for 2 rotating disks: a cache answered, or it is another medium",
    );
    says(
        &page,
        "unbuffered I/O cannot switch off a controller's cache",
    );
    says(
        &page,
        "processor 0 of 32 was busy all the time (user 3.71%, kernel 96.3%), so one core was the limit",
    );
    let unsaid = shown(SEED_001, "show 1");
    says(
        &unsaid,
        "I/O went through the page cache, so memory may have answered instead of the disk",
    );
}

#[test]
fn g9_what_the_file_system_costs_and_that_part_was_still_in_memory() {
    says(
        &shown(DD, "show 1"),
        "sequential writes through the file system are 11.1 MB/s (14.6%) slower than on the raw device: 64.8 against \
         75.9 MB/s; without a flush at the end part of what was written was still in memory",
    );
    says(&shown(DD, "show 1.3"), "I/O went through the page cache");
}

#[test]
fn g10_what_was_too_short_to_time_is_not_measured_and_never_a_blank() {
    says(
        &shown(BONNIE, "show 1"),
        "6 of 10 runs not measured: too short to time",
    );
    says(
        &shown(BONNIE, "show 1.5"),
        "sequential creates: not measured: it was over too soon to be timed (+++++)",
    );
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
    says(&page, "of making files");
    says(&page, "f.dat: is made, with 64 MiB");
    let line = "sweep f.dat --create 64M -b 4K,8K,16K,32K,64K,128K,256K,512K -o 1,2,4,8,16,32,64,128 \
                -t 1,2,3,4,5,6,7,8 -d 120s --warmup 5s --dry-run";
    let page = one_line(&bench.line(line).good().out);
    says(&page, "512 cells");
    says(&page, "17 h 4");
    // The making of the file is in the time, and is said: it would have been left out of 512 x 125 s.
    let ahead = bench.line(&format!("{line} --json")).good().json();
    let time = ahead["duration_least_ns"].as_u64().unwrap();
    assert!(time >= 512 * 125 * 1_000_000_000, "{time}");
}
