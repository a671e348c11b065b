//! Several sizes in one workload, and work that ends by its amount, on a real file with every engine.

use crate::contract::{engines, job, marked_file, run_it};
use model::*;

const SIZE: u64 = 8 << 20;

fn lines() -> Vec<MixedLine> {
    let large = MixedLine {
        share: 3,
        write: Ratio::ALL,
        random: Ratio::percent(50).unwrap(),
        align: Bytes::kib(4),
        burst: 2,
        ..MixedLine::new(Bytes::kib(16))
    };
    vec![MixedLine::new(Bytes::kib(4)), large]
}

#[test]
fn lines_are_counted_apart_and_add_up_to_the_whole() {
    for (engine, depth) in engines() {
        let (_folder, path) = marked_file(SIZE);
        let record = run_it(job(&path, engine, &|span| {
            span.targets[0].workload = Workload::mixed(lines(), QueueDepth(depth));
        }));
        let [reads, writes] = Operation::ALL.map(|operation| record.tally(operation, None));
        let counts: Vec<LineCount> = record
            .engine
            .workers
            .iter()
            .flat_map(|worker| worker.lines.clone())
            .collect();
        let sum = |line: u32, which: usize| {
            counts
                .iter()
                .filter(|count| count.line == line)
                .map(|count| count.ios[which])
                .sum::<u64>()
        };
        assert_eq!([sum(0, 0), sum(0, 1)], [reads.ios, 0], "{engine}");
        assert_eq!([sum(1, 0), sum(1, 1)], [0, writes.ios], "{engine}");
        assert_eq!(
            (reads.bytes.0, writes.bytes.0),
            (reads.ios * 4096, writes.ios * 16384),
            "{engine}"
        );
        assert_eq!((reads.short_ios, writes.short_ios), (0, 0), "{engine}");
        // Six of seven I/Os are of the second line: three of four bursts, of two each.
        let all = (reads.ios + writes.ios) as f64;
        let share = writes.ios as f64 / all;
        assert!(
            (share - 6.0 / 7.0).abs() < 0.1 + 8.0 / all, // the last bursts may be cut
            "{engine}: {share}"
        );
        let file = std::fs::read(&path).unwrap();
        assert!(
            file.chunks(4096)
                .filter(|block| block_header::is_whole(block))
                .count()
                > 16,
            "{engine}"
        );
    }
}

#[test]
fn an_amount_is_moved_to_the_block_and_ends_the_run() {
    for (engine, depth) in engines() {
        let (_folder, path) = marked_file(SIZE);
        let record = run_it(job(&path, engine, &|span| {
            span.phases = Phases {
                warmup: Nanos(0),
                measured: Nanos::seconds(3600),
                cooldown: Nanos(0),
            };
            let target = &mut span.targets[0];
            target.threads = 3;
            target.amount = Some(Bytes(1 << 20));
            target.workload.queue_depth = QueueDepth(depth);
        }));
        assert_eq!(record.outcome, Outcome::Complete, "{engine}");
        let each: Vec<u64> = record
            .threads
            .iter()
            .map(|thread| thread.measured[0].bytes.0)
            .collect();
        assert_eq!(each, [1 << 20; 3], "{engine}");
        assert!(record.phases.measured() < Nanos::seconds(3600));
    }
}
