//! D16: `unlink=1` of fio with `--overwrite` removed the image behind a mounted loop device.

use super::tools::{Loop, foreign};
use crate::bench::Bench;

#[test]
fn a_file_behind_a_loop_device_is_not_removed_with_any_option() {
    let bench = Bench::new();
    let Some(_device) = Loop::over_new(&bench.path("img"), &foreign(1 << 20)) else {
        return;
    };
    for more in ["", "--overwrite"] {
        let line =
            format!("fio --name=a --rw=read --bs=4k --size=64k --filename=img --unlink=1 {more}");
        bench.line(&line).refused("is in use");
        assert!(bench.path("img").exists(), "{line}");
    }
}
