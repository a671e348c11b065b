//! The law of the fuzzers, on the seeds they start from and on what is left of seeds that were damaged.

use super::desk::{DEFAULT, FIO_JOBS, SEED_000, SEED_002, TWO_SPANS, TWO_TARGETS, TWO_TARGETS_XML};
use proptest::prelude::*;
use std::path::Path;

#[path = "../../../../fuzz/import_law.rs"]
mod law;

const TARGETS: [&str; 9] = [
    "import_diskspd",
    "import_xml",
    "import_sqlio",
    "import_fio",
    "import_iometer",
    "import_script",
    "import_dd",
    "import_bonnie",
    "import_others",
];

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/seeds")
        .join(target);
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the seeds are there")
        .map(|entry| entry.expect("they can be listed").path())
        .collect();
    paths.sort();
    let read = |path| std::fs::read(path).expect("a seed can be read");
    paths.into_iter().map(read).collect()
}

#[test]
fn the_law_holds_for_every_seed() {
    for target in TARGETS {
        let seeds = seeds(target);
        assert!(seeds.len() >= 3, "{target}");
        for seed in seeds {
            law::import(&seed);
            assert!(tools::imports::read("a", seed).is_ok(), "{target}");
        }
    }
}

/// Every beginning of a text: what is whole is read, the rest is reported, nothing panics.
#[test]
fn the_law_holds_wherever_a_file_breaks_off() {
    let two = format!("{DEFAULT}{SEED_000}");
    for text in [two.as_str(), TWO_SPANS, SEED_002, TWO_TARGETS_XML, FIO_JOBS] {
        for end in (0..text.len()).step_by(101) {
            law::import(&text.as_bytes()[..end]);
        }
    }
}

fn texts() -> impl Strategy<Value = Vec<u8>> {
    let all: Vec<Vec<u8>> = TARGETS.iter().flat_map(|target| seeds(target)).collect();
    let count = all.len();
    let piece = prop_oneof![
        "\\PC{0,6}",
        "[-/0-9<>&;:,.|!\"\\n\u{0}\u{1}]{0,4}",
        Just("\n{ \"fio version\" : \"\n".to_owned()),
        Just("\nCommand Line: \n".to_owned()),
        Just("</Results>".to_owned()),
    ];
    (
        0..count,
        0..count,
        any::<[u16; 4]>(),
        proptest::option::of(piece),
    )
        .prop_map(move |(one, other, places, piece)| {
            let range = |text: &[u8], a: u16, b: u16| {
                let place = |at: u16| usize::from(at) % (text.len() + 1);
                place(a).min(place(b))..place(a).max(place(b))
            };
            let (one, other) = (&all[one], &all[other]);
            let [a, b, c, d] = places;
            let cut = range(one, a, b);
            let filling =
                piece.map_or_else(|| other[range(other, c, d)].to_vec(), String::into_bytes);
            [&one[..cut.start], &filling, &one[cut.end..]].concat()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_law_holds_for_damaged_seeds(bytes in texts()) {
        law::import(&bytes);
    }
}

/// Lines that each look like a beginning, or like the same trouble, a hundred thousand times.
#[test]
fn nothing_grows_with_the_square_of_the_file() {
    for line in [
        "Command Line: x\n",
        "Param -b4k, -t1, -o1 failed\n",
        "<Results>\n",
        "<Results><TimeSpan><Error/></TimeSpan></Results>\n",
        "{ \"fio version\" : 1\n",
        "{\n",
        "sqlio v1\n",
        "'Test Type,\n",
        "Results for timespan 1:\n",
        "Total IO\nthread | bytes | file\n",
        "ALL,\n",
        "-----------------------------------------------\n",
        "timespan: 1\n",
        "0 | x\n",
    ] {
        let text = format!(
            "Command Line: x\nInput parameters:\n'Results\n'Target Type,\n{}",
            line.repeat(100_000)
        );
        law::import(text.as_bytes());
        law::import(line.repeat(100_000).as_bytes());
    }
    assert!(TWO_TARGETS.len() > 1000);
}
