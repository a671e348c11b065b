//! The screen of a run, drawn without a terminal.

use super::draw::draw;
use super::model::{Running, Update};
use crate::watch::sample::moment;
use expect_test::expect;
use model::{Bytes, Nanos};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn running() -> Running {
    let mut running = Running::default();
    let reported = [
        Update::What("random read 4 KiB, depth 8".to_owned()),
        Update::Progress(Nanos::seconds(4), Nanos::seconds(10)),
        Update::Phase("measuring".to_owned()),
        Update::Line("f: created".to_owned()),
    ];
    reported
        .into_iter()
        .for_each(|update| running.update(update, Nanos(0)));
    for second in 1..=4 {
        let tick = Update::Tick {
            elapsed: Nanos::seconds(second),
            ios: second * 20_000,
            bytes: Bytes(second * 20_000 * 4096),
            p99: Some(Nanos::micros(850)),
        };
        running.update(tick, Nanos::seconds(second));
    }
    running.moment = Some(moment(4));
    running
}

fn drawn(running: &Running, columns: u16, lines: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
    terminal.draw(|frame| draw(running, frame)).unwrap();
    let buffer = terminal.backend().buffer().clone();
    let line = |row: u16| -> String {
        let cells = (0..columns).map(|column| buffer[(column, row)].symbol());
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    (0..lines).map(line).collect()
}

#[test]
fn rates_latency_device_and_cores_are_on_one_screen() {
    expect![[r#"
        fathom random read 4 KiB, depth 8  measuring  4 s of 10 s
        20.0k IOPS  78.1 MiB/s
        p99 850 µs (measured so far, the slowest thread's)
        22.0k IOPS│
                  │                                                          ⠈⠉⠉
                  │
                  │
                  │
                  │
                  │
                  │
                  │
        0         │
        cores   25% programs, 12% kernel, 0% taken by the hypervisor; 2 want one
        sda     1200 IOPS, mean 750 µs, queue 0.9, util 70%
        sdb     0 IOPS, mean -, queue 0.0, util 0%
        f: created
        q or Ctrl-C ends the run; its result follows
    "#]]
    .assert_eq(&drawn(&running(), 72, 18));
}

#[test]
fn no_size_makes_it_stumble() {
    for columns in [1, 5, 40, 200] {
        for lines in [1, 2, 4, 7, 10, 60] {
            drawn(&running(), columns, lines);
            drawn(&Running::default(), columns, lines);
        }
    }
}

#[test]
fn a_run_that_begins_anew_has_the_rate_of_its_own_ticks() {
    let mut running = running();
    assert_eq!(running.rate.unwrap().ios_per_s, 20_000.0);
    let tick = |elapsed: u64, ios: u64| Update::Tick {
        elapsed: Nanos::millis(elapsed),
        ios,
        bytes: Bytes(0),
        p99: None,
    };
    running.update(tick(500, 100), Nanos::seconds(9));
    assert_eq!(running.rate.unwrap().ios_per_s, 200.0);
}

#[test]
fn between_two_short_cells_the_rate_of_the_one_before_stands_and_is_called_so() {
    let mut running = running();
    assert!(drawn(&running, 72, 18).contains("20.0k IOPS  78.1 MiB/s\n"));
    running.update(Update::What("next".to_owned()), Nanos::seconds(9));
    let shown = drawn(&running, 72, 18);
    assert!(
        shown.contains("20.0k IOPS  78.1 MiB/s (the one before)\n"),
        "{shown}"
    );
    assert!(!shown.contains("no I/O completed yet"), "{shown}");
    let tick = Update::Tick {
        elapsed: Nanos::millis(200),
        ios: 0,
        bytes: Bytes(0),
        p99: None,
    };
    running.update(tick, Nanos::seconds(9));
    let shown = drawn(&running, 72, 18);
    assert!(shown.contains("\n0 IOPS  0 MiB/s\n"), "{shown}");
}
