//! The screen, drawn without a terminal.

use super::sample::moment;
use super::{Figure, Next, Watch, draw, press};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use expect_test::expect;
use model::Nanos;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn watch() -> Watch {
    let mut watch = Watch {
        host: "box".to_owned(),
        interval: Nanos::seconds(1),
        ..Watch::default()
    };
    (1..=60).for_each(|second| watch.add(moment(second)));
    watch
}

fn drawn(watch: &Watch, columns: u16, lines: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
    terminal.draw(|frame| draw(watch, frame)).unwrap();
    let buffer = terminal.backend().buffer().clone();
    let line = |row: u16| -> String {
        let cells = (0..columns).map(|column| buffer[(column, row)].symbol());
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    (0..lines).map(line).collect()
}

#[test]
fn a_usual_terminal_shows_all_parts() {
    expect![[r#"
        fathom watch box  every 1 s
        device      r/s    w/s rMiB/s wMiB/s    read   write     p50     p99 queue  util
        sda        1000    200   4.00   2.00  500 µs    2 ms  450 µs    2 ms   0.9   70%
        sdb           0      0      0      0       -       -       -       -   0.0    0%
        sda: IOPS, last 59 s: now 1200, top 1200
        2000│
            │
            │
            │
            │⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉
            │
            │
            │
            │
        0   │
        Avg. Disk sec/Read        0.000500
        Avg. Disk sec/Write       0.002000
        Disk Reads/sec            1000.000
        Disk Writes/sec            200.000
        r 2  b 1  bi 4096  bo -  us 25  sy 12  id 62  st 0
         process name                  rMiB/s      wMiB/s
              42 cp?                     4.00           0
        util: time with an I/O in flight; 100% is no limit of SSDs and arrays
        q quit  up/down device  left/right graph
    "#]]
    .assert_eq(&drawn(&watch(), 80, 24));
}

#[test]
fn a_small_terminal_shows_what_matters_most() {
    expect![[r#"
        fathom watch box  every 1 s
        device    r/s    w/s     p99 queue  util
        sda      1000    200    2 ms   0.9   70%
        sdb         0      0       -   0.0    0%
        Avg. Disk sec/Read        0.000500
        Avg. Disk sec/Write       0.002000
        Disk Reads/sec            1000.000
        Disk Writes/sec            200.000
        r 2  b 1  bi 4096  bo -  us 25  sy 12  i
        q quit  up/down device  left/right graph
    "#]]
    .assert_eq(&drawn(&watch(), 40, 10));
}

#[test]
fn no_size_makes_it_stumble() {
    for columns in [1, 2, 7, 20, 79, 300] {
        for lines in [1, 2, 3, 5, 11, 12, 100] {
            drawn(&watch(), columns, lines);
            drawn(&Watch::default(), columns, lines);
        }
    }
}

#[test]
fn arrows_choose_the_device_and_what_the_graph_shows() {
    let mut watch = watch();
    let key = |code| KeyEvent::new(code, KeyModifiers::NONE);
    assert_eq!(press(&mut watch, key(KeyCode::Down)), Next::Draw);
    assert_eq!(watch.device().unwrap().name, "sdb");
    press(&mut watch, key(KeyCode::Down));
    assert_eq!(watch.device().unwrap().name, "sdb");
    press(&mut watch, key(KeyCode::Up));
    press(&mut watch, key(KeyCode::Left));
    assert_eq!(watch.figure, Figure::Busy);
    assert_eq!(watch.history().unwrap().last(), Some(70.0));
    assert_eq!(press(&mut watch, key(KeyCode::Char('x'))), Next::Stay);
    for (code, modifiers) in [
        (KeyCode::Char('q'), KeyModifiers::NONE),
        (KeyCode::Esc, KeyModifiers::NONE),
        (KeyCode::Char('c'), KeyModifiers::CONTROL),
    ] {
        assert_eq!(
            press(&mut watch, KeyEvent::new(code, modifiers)),
            Next::Leave
        );
    }
}

#[test]
fn without_percentiles_the_reason_is_said() {
    let mut watch = watch();
    watch.untraced = Some("only root may trace".to_owned());
    assert!(drawn(&watch, 80, 24).contains("averages only: only root may trace\n"));
}

#[test]
fn a_device_that_goes_away_leaves_the_choice_on_one_that_is_there() {
    let mut watch = watch();
    watch.chosen = 1;
    let mut fewer = moment(61);
    fewer.devices.truncate(1);
    watch.add(fewer);
    assert_eq!(watch.device().unwrap().name, "sda");
}

#[test]
fn it_opens_on_the_busiest_device_and_hides_idle_loops_until_a_person_chooses() {
    let mut watch = watch();
    let mut next = moment(61);
    let mut idle = next.devices[1].clone();
    idle.name = "loop0".to_owned();
    next.devices.insert(0, idle);
    next.devices.swap(1, 2); // sda is last
    watch.moment = None;
    watch.add(next.clone());
    let names: Vec<&str> = watch
        .moment
        .as_ref()
        .unwrap()
        .devices
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["sdb", "sda"]);
    assert_eq!(watch.device().unwrap().name, "sda");
    let up = KeyEvent::new(KeyCode::Up, KeyModifiers::NONE);
    assert_eq!(press(&mut watch, up), Next::Draw);
    watch.add(next);
    assert_eq!(watch.device().unwrap().name, "sdb");
}
