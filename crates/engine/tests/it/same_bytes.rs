//! One seed gives the same offsets and the same data through every engine of every system: what a file contains after a run
//! is compared with digests that Linux's engines gave.

use crate::contract::{engines, marked_file, run_it};
use crate::jobs;
use model::*;
use std::path::Path;

const SIZE: u64 = 1 << 20;
/// Moved by one run.
const AMOUNT: Bytes = Bytes::kib(256);

/// Each pattern with the digest of what all of its runs leave behind.
fn patterns() -> Vec<(&'static str, Access, u64)> {
    let runs = Access::Runs {
        run: 2,
        columns: 4,
        first: 1,
    };
    let skewed = |text| Access::Skewed(Skew::read(text).unwrap());
    vec![
        ("sequential", Access::Sequential, 0xd369_b7c3_4e1f_40b9),
        ("random", Access::Random, 0x8989_ce9b_c610_8d27),
        (
            "permuted",
            Access::Permuted(PermutedAccess::Shared),
            0x9268_4a71_d7a1_5229,
        ),
        ("runs", runs, 0x1046_a0a8_65ce_22fd),
        ("zipf", skewed("zipf:1.2"), 0x2108_8371_f1fc_496f),
        ("pareto", skewed("pareto:0.2"), 0x3f2a_af96_eb0a_a93f),
        ("normal", skewed("normal:20"), 0xdb2f_3288_cb3a_3a94),
    ]
}

fn contents() -> Vec<WriteContent> {
    let source = WriteContent::Source {
        bytes: Bytes::mib(2),
        file: None,
    };
    vec![
        WriteContent::Pattern,
        WriteContent::Repeated(b"fathom".to_vec()),
        WriteContent::Zero,
        source,
    ]
}

/// FNV-1a, of 64 bits.
fn digest(begin: u64, data: &[u8]) -> u64 {
    data.iter().fold(begin, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Of a marked file after a run with this pattern, for each size, mix and content.
fn after_runs(path: &Path, before: &[u8], engine: EngineChoice, access: &Access) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325;
    for (block, write) in [(4, 100), (4, 50), (64, 100), (64, 30)] {
        for content in contents() {
            std::fs::write(path, before).unwrap();
            let job = jobs::file(path, Bytes(SIZE), Content::Fathom, engine, &|span| {
                span.phases.measured = Nanos::seconds(60); // or when all is moved
                span.seed = 7;
                let target = &mut span.targets[0];
                (target.amount, target.content) = (Some(AMOUNT), content.clone());
                target.length = Some(Bytes(SIZE));
                target.workload.block = Bytes::kib(block);
                target.workload.write = Ratio::percent(write).unwrap();
                target.workload.access = access.clone();
            });
            let record = run_it(job);
            assert_eq!(record.total().bytes, AMOUNT);
            sum = digest(sum, &std::fs::read(path).unwrap());
        }
    }
    sum
}

#[test]
fn a_seed_leaves_the_same_bytes_through_every_engine_of_every_system() {
    let (_folder, path) = marked_file(SIZE);
    let before = std::fs::read(&path).unwrap();
    let mut others = Vec::new();
    for (engine, _) in engines() {
        for (name, access, expected) in patterns() {
            let found = after_runs(&path, &before, engine, &access);
            if found != expected {
                others.push(format!("{engine} {name}: {found:#018x}"));
            }
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}
