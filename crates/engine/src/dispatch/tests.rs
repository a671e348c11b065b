//! The choice of a backend. Omitted: the real system's answers.

use super::*;

#[cfg(target_os = "linux")]
mod linux;

/// Of each system the other one's.
#[test]
fn an_engine_of_another_system_is_refused_with_those_that_this_one_has() {
    let ask = |_: &Row| Ok(());
    let foreign = if cfg!(windows) {
        EngineChoice::IoUring
    } else {
        EngineChoice::Iocp
    };
    let refused = settle(foreign, 1, &ask).unwrap_err().to_string();
    assert!(refused.contains("another operating system"), "{refused}");
    assert!(refused.contains("sync, "), "{refused}");
    assert!(available().iter().all(|row| row.engine != foreign));
}

#[test]
fn targets_have_engines_of_their_own() {
    use crate::rehearsal::tests::{plan, planned};
    let mut targets = [planned(), planned()];
    targets[1].engine = Some(EngineChoice::Sync);
    let plan = plan(&targets);
    let (own, notes) = own_rows(&plan).unwrap();
    let names: Vec<&str> = own.iter().map(|(_, row)| row.name).collect();
    assert_eq!(names, ["sync"]);
    assert_eq!(notes, ["1 of 2 threads use the engine sync"]);
    assert_eq!(depth(&plan), Some(1), "of the other one");
}
