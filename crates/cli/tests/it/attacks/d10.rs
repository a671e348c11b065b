//! D10: `fathom man DIR` overwrote what was there, through links, too.

use crate::bench::Bench;
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn man_pages_replace_nothing_without_the_option_and_no_link_with_it() {
    let bench = Bench::new();
    bench.write("thesis", 5000);
    fs::create_dir(bench.path("man")).unwrap();
    symlink("../thesis", bench.path("man/fathom.1")).unwrap();
    bench.write("man/fathom-run.1", 100);
    let own = fs::read(bench.path("man/fathom-run.1")).unwrap();
    let thesis = fs::read(bench.path("thesis")).unwrap();
    let names = || fs::read_dir(bench.path("man")).unwrap().count();
    bench.line("man man").refused("--overwrite");
    bench.line("man man --overwrite").refused("a link");
    assert_eq!(names(), 2, "all or nothing");
    assert_eq!(fs::read(bench.path("man/fathom-run.1")).unwrap(), own);
    fs::remove_file(bench.path("man/fathom.1")).unwrap();
    bench
        .line("man man")
        .refused("fathom-run.1: already exists");
    assert_eq!(names(), 1);
    bench.line("man man --overwrite").done();
    let page = fs::read_to_string(bench.path("man/fathom-run.1")).unwrap();
    assert!(page.contains("EXIT STATUS"), "{page}");
    bench.line("man man").refused("already exists");
    assert_eq!(fs::read(bench.path("thesis")).unwrap(), thesis);
}
