//! The choice on Linuxes that refuse some of its backends.

use super::*;

const OFF: &str =
    "it is switched off here (sysctl kernel.io_uring_disabled, or the container's seccomp filter)";

/// A system that refuses these.
fn without(refused: &[&'static str]) -> impl Fn(&Row) -> Result<(), Unavailable> {
    let refused = refused.to_vec();
    move |row| {
        if refused.contains(&row.name) {
            return Err(Unavailable {
                reason: "Operation not permitted".to_owned(),
                remedy: OFF,
            });
        }
        Ok(())
    }
}

#[test]
fn auto_takes_the_first_that_runs_and_says_why_the_better_ones_do_not() {
    let chosen =
        |refused: &[&'static str]| settle(EngineChoice::Auto, 1, &without(refused)).unwrap();
    let (first, notes) = chosen(&[]);
    assert_eq!((first.name, notes.len()), ("io_uring", 0));
    let (backend, notes) = chosen(&["io_uring"]);
    assert_eq!(backend.name, "libaio");
    assert_eq!(
        notes,
        [format!(
            "the engine libaio was used, because a faster one does not run here (io_uring: Operation not permitted); \
             {OFF}"
        )]
    );
    let (backend, notes) = chosen(&["io_uring", "libaio"]);
    assert_eq!(backend.name, "sync");
    assert!(
        notes[0].contains("libaio: Operation not permitted"),
        "{notes:?}"
    );
}

#[test]
fn a_depth_goes_to_libaio_where_there_is_no_ring_and_is_refused_where_there_is_neither() {
    let deep = |refused: &[&'static str]| settle(EngineChoice::Auto, 32, &without(refused));
    assert_eq!(deep(&["io_uring"]).unwrap().0.name, "libaio");
    let refused = deep(&["io_uring", "libaio"]).unwrap_err().to_string();
    assert!(
        refused.contains("take depth 1 and more threads"),
        "{refused}"
    );
    assert!(refused.contains("kernel.io_uring_disabled"), "{refused}");
}

#[test]
fn what_is_named_is_taken_or_refused_and_never_replaced() {
    let refused = settle(EngineChoice::IoUring, 1, &without(&["io_uring"]));
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("the engine io_uring does not run here"),
        "{refused}"
    );
    assert!(refused.contains("kernel.io_uring_disabled"), "{refused}");
}

#[test]
fn an_engine_without_polling_is_not_taken_for_it() {
    let submissions = Polling {
        completions: false,
        submissions: true,
    };
    let ask = |row: &Row| match row.name {
        "io_uring" => without(&["io_uring"])(row),
        _ => row.asked(submissions),
    };
    let refused = settle(EngineChoice::Auto, 1, &ask).unwrap_err().to_string();
    assert!(refused.contains("io_uring does not run here"), "{refused}");
    for choice in [EngineChoice::Libaio, EngineChoice::Sync] {
        let refused = settle(choice, 1, &ask).unwrap_err().to_string();
        assert!(refused.contains("no submission queue to poll"), "{refused}");
    }
}
