//! L7: reads of a truncated file, half of them short, gave a line of text and a result that was valid.

use crate::bench::{Bench, Said};
use std::fs;

#[test]
fn reads_of_a_file_that_is_truncated_end_the_run_and_the_result_is_invalid() {
    for more in ["", "--continue-on-error"] {
        let bench = Bench::new();
        bench.write("f", 128 << 10);
        let line = format!(
            "run f -b 64K -d 3s --warmup 0s --no-store --json --cache cached --engine sync {more}"
        );
        let child = bench.start(&line);
        crate::attacks::wait_for_reads(&child, 4 << 20);
        let file = fs::OpenOptions::new().write(true).open(bench.path("f"));
        file.unwrap().set_len(96 << 10).unwrap();
        let said = Said::from(child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(1), "{said:?}");
        assert_eq!(said.json()["verdict"]["validity"], "INVALID");
        let findings = said.json()["findings"].to_string();
        assert!(findings.contains("target-changed"), "{findings}");
    }
}
