//! D14: `unlink=1` of fio over a link removed the file that the link leads to, where fio removes the link.

use super::tools::own_file;
use crate::bench::Bench;
use std::os::unix::fs::symlink;

#[test]
fn unlink_over_a_link_is_refused_and_removes_nothing() {
    let bench = Bench::new();
    own_file(&bench, "own");
    symlink("own", bench.path("link")).unwrap();
    let line = "fio --name=a --rw=read --bs=4k --filename=link --unlink=1";
    bench.line(line).refused("is a symbolic link");
    assert!(bench.path("own").exists() && bench.path("link").is_symlink());
    bench.write("thesis", 5000);
    let line = "fio --name=a --rw=read --bs=4k --size=4k --filename=thesis --unlink=1";
    let said = bench.line(line);
    said.refused("hint: --overwrite");
    assert!(
        bench.path("thesis").exists() && !said.err.contains("\\n"),
        "{said:?}"
    );
}
