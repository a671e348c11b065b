//! Operands as people type them, and what becomes of them.

use super::number::number;
use super::*;
use proptest::prelude::*;

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn refused(line: &str) -> String {
    let problems = read(&words(line)).unwrap_err();
    let reported: Vec<String> = problems.iter().map(ToString::to_string).collect();
    reported.join("\n")
}

#[test]
fn numbers_have_the_suffixes_of_the_manual() {
    for (text, bytes) in [
        ("1", 1),
        ("3c", 3),
        ("3w", 6),
        ("2b", 1024),
        ("1kB", 1000),
        ("1K", 1024),
        ("1k", 1024),
        ("1KiB", 1024),
        ("2MB", 2_000_000),
        ("2M", 2 << 20),
        ("2xM", 2 << 20),
        ("1GB", 1_000_000_000),
        ("1G", 1 << 30),
        ("2x80x512", 2 * 80 * 512),
        ("1T", 1 << 40),
    ] {
        assert_eq!(number(text).map(|(bytes, _)| bytes), Some(bytes), "{text}");
    }
    for text in [
        "",
        "x",
        "1Q",
        "K",
        "-1",
        "1.5M",
        "0x10",
        "99999999999999999999",
        "16E",
    ] {
        assert_eq!(number(text), None, "{text}");
    }
}

#[test]
fn a_line_of_the_seed_is_read() {
    let asked = read(&words("if=/dev/zero of=/mnt/sda/testfile bs=1M count=2048")).unwrap();
    assert_eq!(
        (asked.input.block, asked.output.block),
        (Bytes::mib(1), Bytes::mib(1))
    );
    assert_eq!(
        asked.count,
        Some(Amount {
            number: 2048,
            in_bytes: false
        })
    );
    assert!(!asked.joins);
    let usual = read(&words("if=a of=b")).unwrap();
    assert_eq!(
        (usual.input.block, usual.output.block, usual.joins),
        (BLOCK, BLOCK, true)
    );
}

#[test]
fn flags_add_up_and_the_last_value_counts() {
    let asked = read(&words(
        "if=a of=b bs=4K bs=8K iflag=direct,fullblock oflag=direct oflag=dsync,append conv=fdatasync,notrunc \
         count=10MB skip=3 seek=4K oflag=seek_bytes status=none",
    ))
    .unwrap();
    assert_eq!(asked.input.block, Bytes::kib(8));
    assert!(asked.input.flags.direct && asked.input.flags.fullblock);
    assert!(asked.output.flags.direct && asked.output.flags.dsync && asked.output.flags.append);
    assert!(asked.conversions.fdatasync && asked.conversions.notrunc);
    assert_eq!(
        asked.count,
        Some(Amount {
            number: 10_000_000,
            in_bytes: true
        })
    );
    assert_eq!(asked.input.offset(), Bytes::kib(24));
    assert_eq!(asked.output.offset(), Bytes::kib(4));
    assert_eq!(asked.status, DdStatus::None);
}

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
    let reported =
        refused("if=a bs=0 count=1Q conv=ucase,purple oflag=nocache status=loud foo=1 bar");
    for part in [
        "invalid value '0' for bs=",
        "invalid value '1Q' for count=",
        "conv=ucase: this changes the data",
        "conv=purple: of conversions",
        "oflag=nocache: of output flags",
        "status=loud: must be",
        "foo=: dd has no such operand",
        "`bar`: an operand is name=value",
        "of=: specify where it goes",
    ] {
        assert!(reported.contains(part), "{part} in {reported}");
    }
}

proptest! {
    #[test]
    fn nothing_that_is_typed_ends_the_reader(lines in proptest::collection::vec(".{0,40}", 0..6)) {
        let _ = read(&lines);
    }

    #[test]
    fn plain_numbers_are_themselves(value in any::<u64>()) {
        prop_assert_eq!(number(&value.to_string()), Some((value, false)));
    }
}
