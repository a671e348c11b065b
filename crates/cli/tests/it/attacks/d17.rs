//! D17: `fathom report --force` replaced the image behind a mounted loop device, and the results database that it had read.

use super::RUN;
use super::tools::{Loop, foreign};
use crate::bench::Bench;

#[test]
fn no_option_puts_a_page_in_the_place_of_a_database_or_of_a_file_in_use() {
    let bench = Bench::new();
    bench.line(RUN).good();
    for line in ["report 1 --force -o s.db", "report 1 --force -o ./s.db"] {
        bench.line(line).refused("it is a database");
    }
    bench.line("show 1").good();
    let image = foreign(1 << 20);
    let Some(_device) = Loop::over_new(&bench.path("img"), &image) else {
        return;
    };
    bench.line("report 1 --force -o img").refused("uses");
    assert!(std::fs::read(bench.path("img")).unwrap() == image);
    bench.write("page", 5000);
    bench.line("report 1 --force -o page").good();
}
