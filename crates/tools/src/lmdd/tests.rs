//! Cases 54 to 57 of lmdd's operands, what is refused, and its line.

use super::*;
use model::Bytes;

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn refused(line: &str) -> String {
    read(&words(line)).map(|_| line).unwrap_err().join("\n")
}

fn asked(line: &str) -> CopyRequest {
    read(&words(line)).unwrap()
}

#[test]
fn l54_zeros_into_a_file_with_the_flush_in_the_time() {
    let request = asked("if=internal of=f bs=64k count=100 fsync=1");
    let work = request.transfers.unwrap();
    assert!(work.no_input && !work.no_output && request.copy.conversions.fsync);
    assert!(!request.copy.conversions.notrunc);
    assert_eq!(request.copy.output.block, Bytes::kib(64));
    assert_eq!(request.copy.count, Some(crate::dd::Amount::blocks(100)));
}

#[test]
fn l55_move_is_whole_blocks_and_large_letters_are_thousands() {
    let request = asked("if=f bs=4K move=1m");
    assert_eq!(request.copy.input.block, Bytes(4000));
    assert_eq!(request.copy.count, Some(crate::dd::Amount::blocks(262)));
    assert!(request.transfers.unwrap().no_output);
    let default = asked("if=f");
    assert_eq!(
        (default.copy.input.block, default.copy.count),
        (Bytes(8192), None)
    );
}

#[test]
fn l56_shortened_names_are_refused_with_the_long_one() {
    let why = refused("if=f b=8k");
    assert!(
        why.contains("b=: lmdd has no such operand; hint: bs="),
        "{why}"
    );
}

#[test]
fn l57_random_places() {
    let random = asked("if=f rand=1g count=1000 srand=7")
        .transfers
        .unwrap()
        .random
        .unwrap();
    assert_eq!(
        (random.length, random.seed, random.ends),
        (Bytes::gib(1), 7, None)
    );
}

#[test]
fn skip_is_of_both_ends_and_flags_are_words() {
    let request = asked("if=f of=g skip=3 bs=4k direct=1 osync=1 notrunc=1");
    let copy = request.copy;
    assert_eq!((copy.input.start.number, copy.output.start.number), (3, 3));
    assert!(copy.input.flags.direct && copy.output.flags.direct && copy.output.flags.sync);
    assert!(copy.conversions.notrunc && !copy.conversions.nocreat);
}

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
    let why =
        refused("if=internal bs=3 print=9 ipat=1 direct=0 srand=1 bs=4 nonsense rtmax=5 time=0");
    for part in [
        "bs=: it is given twice",
        "bs=: must be 4 bytes",
        "print=: must be from 0 to 5",
        "ipat=1: patterns",
        "direct=0: lmdd takes any value",
        "srand=: they need rand=",
        "`nonsense`: an operand is name=value",
        "rtmax=5: single slow",
        "if=, of=: nothing is read",
        "time=: must be from 1",
    ] {
        assert!(why.contains(part), "{part} in {why}");
    }
    for (line, part) in [
        ("if=internal of=f", "it never ends"),
        ("if=f rand=1g", "it never ends"),
        ("if=- of=f", "standard input and output are not measured"),
        ("if=f rand=1k count=1", "rand=: must be one block"),
        (
            "if=f count=1q",
            "invalid value '1q' for count=: must be a whole number",
        ),
        ("if=f move=99999999999999999999", "invalid value"),
        ("if=f of=g append=1 rand=1g count=1", "rand=: append=1"),
    ] {
        assert!(refused(line).contains(part), "{line}: {}", refused(line));
    }
}

/// Lines that lmdd of lmbench 3 prints for these numbers.
#[test]
fn the_line_is_that_of_lmdd() {
    let copy = CopyDigest {
        copied_bytes: 6_553_600,
        elapsed_ns: 12_500_000,
        output_block_bytes: 65_536,
        ..CopyDigest::default()
    };
    let line = |print| copy_lines(&copy, print, "").concat();
    assert_eq!(line(None), "6.5536 MB in 0.0125 secs, 524.2880 MB/sec");
    assert_eq!(line(Some(0)), "");
    assert_eq!(
        line(Some(1)),
        "100 65KB xfers in 0.01 secs, 0.1250 millisec/xfer, 524.29 MB/sec"
    );
    assert_eq!(line(Some(2)), ": 125.0000 microseconds");
    assert_eq!(line(Some(3)), "524288 KB/sec");
    assert_eq!(line(Some(4)), "524.29 MB/sec");
    assert_eq!(line(Some(5)), "6.55 524.29");
    // Lines of lmdd without any transfer: no latency.
    let none = CopyDigest {
        copied_bytes: 0,
        ..copy.clone()
    };
    let line = |print| copy_lines(&none, Some(print), "").concat();
    assert_eq!(line(1), "65.5KB in inf millisecs, 0.00 KB/sec");
    assert_eq!(line(2), ": inf microseconds");
    assert!(copy_lines(&copy, None, "disk: ")[0].starts_with("disk: 6.5536 MB"));
}
