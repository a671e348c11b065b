//! The laws of the fuzzers, on the seeds they start from and on what is left of seeds that were damaged.

use proptest::prelude::*;
use std::path::Path;
use std::sync::OnceLock;

#[path = "../../../../fuzz/laws.rs"]
mod laws;

type Law = fn(&str);
const LAWS: [(&str, Law); 8] = [
    ("diskspd_args", laws::diskspd_args),
    ("diskspd_xml", laws::diskspd_xml),
    ("sqlio_args", laws::sqlio_args),
    ("sqlio_params", laws::sqlio_params),
    ("sweep_plan", laws::sweep_plan),
    ("fio_jobs", laws::fio_jobs),
    ("iometer_icf", laws::iometer_icf),
    ("dd_operands", laws::dd_operands),
];

/// The seeds of one target.
fn seeds(target: usize) -> &'static [String] {
    static SEEDS: [OnceLock<Vec<String>>; LAWS.len()] = [const { OnceLock::new() }; LAWS.len()];
    SEEDS[target].get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fuzz/seeds")
            .join(LAWS[target].0);
        let mut paths: Vec<_> = std::fs::read_dir(folder)
            .expect("the seeds are there")
            .map(|entry| entry.expect("they can be listed").path())
            .collect();
        paths.sort();
        let text = |path| {
            String::from_utf8_lossy(&std::fs::read(path).expect("a seed can be read")).into_owned()
        };
        paths.into_iter().map(text).collect()
    })
}

#[test]
fn the_laws_of_the_fuzzers_hold_for_their_seeds() {
    for (target, (name, law)) in LAWS.iter().enumerate() {
        assert!(seeds(target).len() >= 5, "{name}");
        for seed in seeds(target) {
            law(seed);
        }
    }
}

/// A seed with a piece of another, or of anything, in the place of one of its own.
fn damaged(target: usize) -> impl Strategy<Value = String> {
    let seeds = seeds(target);
    let number = 0..seeds.len();
    let piece = prop_oneof![
        "\\PC{0,6}",
        "[-/0-9<>&;:,.!\"\\n\u{0}\u{1}]{0,4}",
        Just(String::new())
    ];
    (
        number.clone(),
        number,
        any::<[u16; 4]>(),
        proptest::option::of(piece),
    )
        .prop_map(move |(one, other, places, piece)| {
            let characters = |number: usize| seeds[number].chars().collect::<Vec<_>>();
            let (one, other) = (characters(one), characters(other));
            let range = |text: &[char], a: u16, b: u16| {
                let place = |at: u16| usize::from(at) % (text.len() + 1);
                place(a).min(place(b))..place(a).max(place(b))
            };
            let [a, b, c, d] = places;
            let cut = range(&one, a, b);
            let filling = piece.unwrap_or_else(|| other[range(&other, c, d)].iter().collect());
            let front = one[..cut.start].iter();
            front
                .copied()
                .chain(filling.chars())
                .chain(one[cut.end..].iter().copied())
                .collect()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_law_of_arguments_holds_for_damaged_seeds(text in damaged(0)) {
        laws::diskspd_args(&text);
    }

    #[test]
    fn the_law_of_documents_holds_for_damaged_seeds(text in damaged(1)) {
        laws::diskspd_xml(&text);
    }

    #[test]
    fn the_law_of_sqlio_s_arguments_holds_for_damaged_seeds(text in damaged(2)) {
        laws::sqlio_args(&text);
    }

    #[test]
    fn the_law_of_parameter_files_holds_for_damaged_seeds(text in damaged(3)) {
        laws::sqlio_params(&text);
    }

    #[test]
    fn the_law_of_plans_holds_for_damaged_seeds(text in damaged(4)) {
        laws::sweep_plan(&text);
    }

    #[test]
    fn the_law_of_job_files_holds_for_damaged_seeds(text in damaged(5)) {
        laws::fio_jobs(&text);
    }

    #[test]
    fn the_law_of_configurations_holds_for_damaged_seeds(text in damaged(6)) {
        laws::iometer_icf(&text);
    }

    #[test]
    fn the_law_of_dd_s_operands_holds_for_damaged_seeds(text in damaged(7)) {
        laws::dd_operands(&text);
    }
}
