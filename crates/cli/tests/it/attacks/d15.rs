//! D15: of all that a command writes other than its targets (evidence, pages, traces, logs, files of jobs), nothing
//! foreign is changed: a file, a link, a hard link, or a link in a folder that others can change.

use super::tools::{foreign, own_file};
use crate::bench::Bench;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

const LOG: &str = "--runtime=1 --time_based --log_avg_msec=500";

/// Lines, and the file that each of them would write in the folder `{}`.
fn lines() -> Vec<(String, &'static str)> {
    let fio = "fio --name=a --bs=4k --size=64k";
    vec![
        ("verify bad --evidence {}".to_owned(), "evidence.txt"),
        (
            "verify bad --evidence {}".to_owned(),
            "block-0-000000002000.txt",
        ),
        (
            "verify bad --evidence {}".to_owned(),
            "block-0-000000002000.bin",
        ),
        ("report --all -o {}".to_owned(), "index.html"),
        ("report --all -o {}".to_owned(), "session-1.html"),
        ("report 1 -o {}/page.html".to_owned(), "page.html"),
        ("trace t.csv --convert iotrace --out {}/t".to_owned(), "t"),
        ("export --csv --out {}/all.csv".to_owned(), "all.csv"),
        (
            format!("{fio} --rw=read --filename=own {LOG} --write_bw_log={{}}/x"),
            "x_bw.1.log",
        ),
        (
            format!("{fio} --rw=read --filename=own {LOG} --write_iops_log={{}}/x"),
            "x_iops.1.log",
        ),
        (
            format!("{fio} --rw=read --filename=own {LOG} --write_lat_log={{}}/x"),
            "x_lat.1.log",
        ),
        (
            format!("{fio} --rw=write --directory={{}} --create_only=1"),
            "a.0.0",
        ),
        (format!("{fio} --rw=write --directory={{}}"), "a.0.0"),
        (
            format!("{fio} --rw=write --directory={{}} --unlink=1"),
            "a.0.0",
        ),
        (
            format!("{fio} --rw=write --directory={{}}:. --nrfiles=2"),
            "a.0.1",
        ),
        (
            format!("{fio} --rw=read --filename=own --output={{}}/o"),
            "o",
        ),
    ]
}

fn place(shape: &str, thesis: &Path, at: &Path) {
    match shape {
        "file" => drop(fs::copy(thesis, at).unwrap()),
        "hard link" => fs::hard_link(thesis, at).unwrap(),
        _ => symlink(thesis, at).unwrap(),
    }
}

#[test]
fn what_is_written_beside_targets_replaces_nothing_foreign() {
    let bench = Bench::new();
    bench
        .line("run --create 1M -w 100 -d 20ms --warmup 0s own")
        .good();
    let mut bad = fs::read(bench.path("own")).unwrap();
    bad[8192 + 100] ^= 1;
    fs::write(bench.path("bad"), bad).unwrap();
    own_file(&bench, "second");
    fs::write(
        bench.path("t.csv"),
        "fio version 2 iolog\nf add\nf open\nf read 0 4096\nf close\n",
    )
    .unwrap();
    let text = foreign(126_000);
    fs::write(bench.path("thesis"), &text).unwrap();
    for shape in ["file", "hard link", "link", "link in an open folder"] {
        for (line, name) in lines() {
            let folder = bench.path("place");
            fs::create_dir(&folder).unwrap();
            let mode = if shape.ends_with("folder") {
                0o1777
            } else {
                0o755
            };
            fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
            place(shape, &bench.path("thesis"), &folder.join(name));
            let said = bench.line(&line.replace("{}", "place"));
            assert!(
                !matches!(said.code, None | Some(0)),
                "{shape}, {line}: {said:?}"
            );
            assert_eq!(
                fs::read(bench.path("thesis")).unwrap(),
                text,
                "{shape}, {line}"
            );
            assert_eq!(
                fs::read(folder.join(name)).unwrap(),
                text,
                "{shape}, {line}"
            );
            fs::remove_dir_all(&folder).unwrap();
        }
    }
}
