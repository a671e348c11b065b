//! D18: a file with a length and without data (sparse, or preallocated) was removed as if fathom had written it, by fio's
//! `unlink=1`, and by `fathom ior`, which removes its files without `-k`.

use crate::bench::Bench;
use std::fs::File;
use std::process::Command;

#[test]
fn a_file_without_data_is_not_removed() {
    let bench = Bench::new();
    let sparse = File::create(bench.path("sparse")).unwrap();
    sparse.set_len(1 << 20).unwrap();
    drop(sparse);
    let reserved = Command::new("fallocate")
        .args(["-l", "1M"])
        .arg(bench.path("reserved"))
        .status();
    assert!(reserved.unwrap().success());
    for file in ["sparse", "reserved"] {
        for line in [
            format!("ior -r -b 64k -t 4k -o {file} --no-store"),
            format!("fio --name=a --rw=read --bs=4k --filename={file} --unlink=1 --no-store"),
        ] {
            bench.line(&line).refused("--overwrite");
            let there = std::fs::metadata(bench.path(file)).unwrap();
            assert_eq!(there.len(), 1 << 20, "{line}");
        }
    }
}
