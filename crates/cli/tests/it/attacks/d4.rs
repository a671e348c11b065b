//! D4: of each 4096 bytes only 8 were looked at, so that foreign bytes in a block of fathom's were overwritten.

use crate::bench::Bench;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// A file of fathom with these bytes written over it, and what the file contains then.
pub(crate) fn own_file_with(bench: &Bench, size: &str, at: u64, bytes: &[u8]) -> Vec<u8> {
    let create = format!("run --create {size} -b 4K -w 0 -d 10ms --warmup 0s --no-store f");
    bench.line(&create).good();
    let file = File::options().write(true).open(bench.path("f")).unwrap();
    file.write_all_at(bytes, at).unwrap();
    std::fs::read(bench.path("f")).unwrap()
}

#[test]
fn foreign_bytes_inside_a_block_are_not_overwritten() {
    let text = [b't'; 3584];
    for (at, bytes, block) in [
        (9, &b"x"[..], 0),
        (81 * 512, &text, 40960),
        (4096 * 5000 + 4095, b"\n", 4096 * 5000),
    ] {
        let bench = Bench::new();
        let before = own_file_with(&bench, "64M", at, bytes);
        for line in [
            "run -b 4K -w 100 -d 20ms --warmup 0s f",
            "run -b 512 -w 100 -d 20ms --warmup 0s --no-store f",
            "run --create 80M -b 4K -d 20ms --warmup 0s f",
            "diskspd -w100 -b4K -d1 -W0 f",
        ] {
            let said = bench.line(line);
            assert!(matches!(said.code, Some(1..=3)), "{line}: {said:?}");
            assert!(
                said.err.contains(&format!("offset {block} ")),
                "{line}: {said:?}"
            );
            assert!(
                std::fs::read(bench.path("f")).unwrap() == before,
                "{line}: the file was changed"
            );
        }
    }
}
