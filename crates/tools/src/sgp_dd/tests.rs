//! Cases 58 to 60 of sgp_dd's operands, what is refused, and its lines.

use super::*;

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn block_of(name: &str) -> Option<String> {
    (name == "sg1").then(|| "sdb".to_owned())
}

fn refused(line: &str) -> String {
    read(&words(line), &block_of)
        .map(|_| line)
        .unwrap_err()
        .join("\n")
}

fn asked(line: &str) -> CopyRequest {
    read(&words(line), &block_of).unwrap()
}

#[test]
fn s58_reads_of_bs_times_bpt_by_threads_to_the_end() {
    let request = asked("if=/dev/sdb of=. bs=512 thr=4 time=1");
    let work = request.transfers.unwrap();
    assert_eq!((work.threads, work.no_output), (4, true));
    assert_eq!(
        (request.copy.input.block, request.copy.count),
        (Bytes::kib(64), None)
    );
    let time = CopyLines::SgpDd {
        block: Bytes(512),
        time: true,
    };
    assert_eq!(request.lines, time);
    let large = asked("if=a of=b bs=2048 count=64");
    assert_eq!(large.copy.input.block, Bytes::kib(64));
    let part = asked("if=a of=b bs=4k bpt=0x10 count=1m skip=2 seek=3 oflag=direct,dsync");
    assert_eq!(part.copy.input.block, Bytes::kib(64));
    assert_eq!(part.copy.input.offset(), Bytes::kib(8));
    assert_eq!(part.copy.output.offset(), Bytes::kib(12));
    let flags = part.copy.output.flags;
    assert!(flags.direct && flags.sync && part.copy.conversions.notrunc);
    assert!(asked("if=a of=b count=-1").copy.count.is_none());
}

#[test]
fn s60_sg_devices_are_refused() {
    for name in ["/dev/sg1", "/dev/bsg/0:0:0:0"] {
        let why = refused(&format!("if={name} of=. bs=512"));
        assert!(why.contains("block device"), "{why}");
        assert_eq!(why.contains("/dev/sdb"), name == "/dev/sg1");
    }
    assert!(read(&words("if=/dev/sgx of=."), &block_of).is_ok());
}

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
    let why =
        refused("if=- of=b bs=1k ibs=2k thr=0 iflag=append oflag=fua time=2 coe=1 foo=1 count=1B");
    for part in [
        "for if=: standard input",
        "if=: specify a file",
        "must be the same as bs=",
        "thr=: must be",
        "iflag=append: it is for",
        "fua is for sg devices",
        "time=: must be 0 or 1",
        "coe=1: a failed",
        "foo=: sgp_dd has no such",
        "invalid value '1B' for count=",
    ] {
        assert!(why.contains(part), "{part} in {why}");
    }
    assert!(refused("if=a of=b oflag=append").contains("add thr=1"));
    assert!(refused("if=a of=b bs=1g bpt=2").contains("a transfer must be"));
    assert!(refused("if=a of=b count=0xffffffffffffffff").contains("at most 1 EiB"));
    assert_eq!(asked("if=a of=b bs=512 dio=1 cdbsz=16").notes.len(), 2);
}

/// Lines that sgp_dd of sg3_utils 1.46 printed.
#[test]
fn the_lines_are_those_of_sgp_dd() {
    let moved = Moved {
        block: Bytes(512),
        wanted: Bytes(512_000),
        read: Bytes(512_000),
        written: Bytes(512_000),
        elapsed_ns: 265_000,
    };
    assert_eq!(
        copy_lines(&moved, true),
        [
            "time to transfer data was 0.000265 secs, 1932.08 MB/sec",
            "1000+0 records in",
            "1000+0 records out",
        ]
    );
    let short = Moved {
        wanted: Bytes(10_000_000),
        block: Bytes(1000),
        read: Bytes(6_553_600),
        written: Bytes(6_553_600),
        ..moved
    };
    assert_eq!(
        copy_lines(&short, false),
        [
            "  remaining block count=3446",
            "6553+1 records in",
            "6553+1 records out"
        ]
    );
}
