//! `fathom watch`, `fathom check` and `--live`: on a real terminal, compared with iostat, and what they cost.

use crate::bench::{Bench, until};
use crate::looped::Loop;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Seconds that are compared with iostat.
const COMPARED: u32 = 10;
/// Two programs do not start at the same moment, and a busy machine makes that longer.
const APART_MAX: f64 = 0.05;

fn runs(program: &str) -> bool {
    let there = Command::new(program)
        .arg("-V")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if there.is_err() {
        println!("skipped: {program} is not installed (cargo xtask setup)");
    }
    there.is_ok()
}

/// A terminal of its own; its server has no other use and goes with the value.
struct Tmux {
    socket: std::path::PathBuf,
}

impl Tmux {
    fn start(bench: &Bench, (columns, lines): (u16, u16), line: &str) -> Self {
        let tmux = Tmux {
            socket: bench.short().join("tmux"),
        };
        let program = env!("CARGO_BIN_EXE_fathom");
        let shell = format!(
            "cd '{}' && FATHOM_STORE=s.db '{program}' {line}; echo ended $?; exec sleep 1000",
            bench.path("").display()
        );
        let (columns, lines) = (columns.to_string(), lines.to_string());
        let status = tmux
            .command(&[
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                &columns,
                "-y",
                &lines,
            ])
            .arg(shell)
            .env("TERM", "xterm-256color")
            .status();
        assert!(status.unwrap().success());
        tmux
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket).args(words);
        command
    }

    fn screen(&self) -> String {
        let output = self.command(&["capture-pane", "-p"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// The screen as soon as it shows this.
    fn shows(&self, words: &str) -> String {
        let mut screen = String::new();
        until(|| {
            screen = self.screen();
            let is_shown = screen.contains(words);
            assert!(
                is_shown || words.starts_with("ended") || !screen.contains("ended "),
                "{words}: {screen}"
            );
            is_shown
        });
        screen
    }

    fn press(&self, key: &str) {
        assert!(
            self.command(&["send-keys", key])
                .status()
                .unwrap()
                .success()
        );
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command(&["kill-server"]).status();
    }
}

fn loop_device() -> Option<(Loop, String)> {
    let device = Loop::new(&["--direct-io=off"])?;
    let path = device.device.display().to_string();
    Some((device, path))
}

#[test]
fn a_watch_draws_on_a_terminal_and_gives_it_back() {
    let (true, Some((_device, path))) = (runs("tmux"), loop_device()) else {
        return;
    };
    for size in [(80, 24), (40, 10)] {
        let bench = Bench::new();
        let tmux = Tmux::start(&bench, size, &format!("watch {path} --interval 200ms"));
        let name = Path::new(&path).file_name().unwrap().to_str().unwrap();
        let screen = tmux.shows(name);
        println!("{screen}");
        assert!(tmux.shows("fathom watch").starts_with("fathom watch"));
        if size.0 == 80 {
            assert!(tmux.shows(": IOPS, last ").contains("Disk Reads/sec"));
            tmux.press("Right");
            tmux.shows(": MiB/s, last ");
        }
        tmux.press("q");
        let after = tmux.shows("ended 0");
        assert!(
            !after.contains("Disk Reads/sec"),
            "the screen before is back: {after}"
        );
    }
}

/// A process of this program in this folder, by its number.
fn here(bench: &Bench) -> Option<u32> {
    let folder = bench.path("").canonicalize().unwrap();
    let numbers = std::fs::read_dir("/proc").unwrap().flatten();
    numbers
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .find(|pid: &u32| {
            let of = |name| std::fs::read_link(format!("/proc/{pid}/{name}")).ok();
            of("exe").as_deref() == Some(Path::new(env!("CARGO_BIN_EXE_fathom")))
                && of("cwd").as_deref() == Some(folder.as_path())
        })
}

#[test]
fn a_screen_ends_with_its_terminal() {
    if !runs("tmux") {
        return;
    }
    for (line, words) in [
        ("watch --interval 200ms", "fathom watch"),
        (
            "run --engine null --null-delay 100us -d 300s --live --no-store",
            "IOPS",
        ),
    ] {
        let bench = Bench::new();
        let tmux = Tmux::start(&bench, (80, 24), line);
        tmux.shows(words);
        assert!(here(&bench).is_some(), "{line}");
        drop(tmux);
        let gone = (0..6000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            here(&bench).is_none()
        });
        assert!(gone, "{line} goes on without a screen");
    }
}

#[test]
fn a_run_may_be_looked_at_live_and_ended_by_a_key() {
    if !runs("tmux") {
        return;
    }
    let bench = Bench::new();
    let tmux = Tmux::start(
        &bench,
        (80, 24),
        "run --engine null --null-delay 100us -d 300s --live --no-store",
    );
    tmux.shows("IOPS");
    tmux.shows("q or Ctrl-C ends the run");
    println!("{}", tmux.shows("p99"));
    tmux.press("q");
    tmux.shows("ended 1");
    let bench = Bench::new();
    let tmux = Tmux::start(
        &bench,
        (40, 10),
        "run --engine null -d 1s --warmup 0s --live --no-store >/dev/null",
    );
    tmux.shows("ended 0");
}

#[test]
fn without_a_terminal_live_is_said_not_to_be() {
    let bench = Bench::new();
    let said = bench
        .line("run --engine null -d 10ms --warmup 0s --live --no-store")
        .good();
    assert!(
        said.err
            .contains("--live: standard error or input is no terminal"),
        "{said:?}"
    );
}

/// Reads for ever at about this rate, so that both see a steady load.
fn load(bench: &Bench, path: &str) -> Child {
    let line = format!("run {path} -d 60s -o 4 --rate 3000 --no-store --json");
    let words: Vec<&str> = line.split(' ').collect();
    bench
        .command(&words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn end(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_watch_agrees_with_iostat_over_the_same_time() {
    let (true, Some((_device, path))) = (runs("iostat"), loop_device()) else {
        return;
    };
    let bench = Bench::new();
    let load = load(&bench, &path);
    let line = format!("watch {path} --json --interval {COMPARED}s --count 1");
    let watch = bench
        .command(&line.split(' ').collect::<Vec<_>>())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut iostat = Command::new("iostat");
    iostat.args(["-x", "-y", "-o", "JSON", &path, &COMPARED.to_string(), "1"]);
    let iostat = iostat.output().unwrap();
    let watch = watch.wait_with_output().unwrap();
    end(load);
    let theirs: serde_json::Value = serde_json::from_slice(&iostat.stdout).unwrap();
    let theirs = &theirs["sysstat"]["hosts"][0]["statistics"][0]["disk"][0];
    let ours: serde_json::Value = serde_json::from_slice(&watch.stdout).unwrap();
    let ours = &ours["devices"][0];
    let pairs = [
        (
            "reads/s",
            ours["read_iops"].as_f64(),
            theirs["r/s"].as_f64(),
            1.0,
        ),
        (
            "KiB/s",
            ours["read_bytes_per_s"].as_f64(),
            theirs["rkB/s"].as_f64(),
            1024.0,
        ),
    ];
    for (what, ours, theirs, scale) in pairs {
        let (ours, theirs) = (ours.unwrap() / scale, theirs.unwrap());
        println!("{what}: fathom {ours:.1}, iostat {theirs:.1}");
        assert!(
            (ours - theirs).abs() <= theirs * APART_MAX,
            "{what}: {ours} and {theirs}"
        );
    }
    let of = |value: &serde_json::Value| value.as_f64().unwrap();
    println!(
        "read mean ms: fathom {:.3}, iostat {:.3}; queue: {:.3}, {:.3}; busy %: {:.1}, {:.1}",
        of(&ours["read_latency_mean_ns"]) / 1e6,
        of(&theirs["r_await"]),
        of(&ours["in_flight_mean"]),
        of(&theirs["aqu-sz"]),
        of(&ours["busy_share"]) * 100.0,
        of(&theirs["util"])
    );
}

#[test]
fn percentiles_come_from_a_trace_that_goes_away_again() {
    let (true, Some((_device, path))) = (runs("unshare"), loop_device()) else {
        return;
    };
    let bench = Bench::new();
    let program = env!("CARGO_BIN_EXE_fathom");
    let shell = format!(
        "test -d /sys/kernel/tracing/instances || mount -t tracefs nodev /sys/kernel/tracing || exit 77; \
         '{program}' watch {path} --json --count 3; \
         ls /sys/kernel/tracing/instances | grep -c fathom-watch-$$; exit 0"
    );
    let load = load(&bench, &path);
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c", &shell])
        .output()
        .unwrap();
    end(load);
    if output.status.code() != Some(0) {
        println!("skipped: no tracing file system can be mounted: not root, or not in this kernel");
        return;
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    let last: serde_json::Value = serde_json::from_str(lines.nth(2).unwrap()).unwrap();
    let device = &last["devices"][0];
    println!("{device}");
    let number = |name: &str| {
        device[name]
            .as_f64()
            .unwrap_or_else(|| panic!("{name}: {device}"))
    };
    assert!(number("timed") > 100.0, "{device}");
    assert!(
        number("latency_p50_ns") <= number("latency_p99_ns")
            && number("latency_p99_ns") <= number("latency_max_ns")
    );
    assert_eq!(lines.next(), Some("0"), "the instance is gone");
}

#[test]
fn watching_costs_next_to_nothing() {
    let Some((_device, path)) = loop_device() else {
        return;
    };
    let bench = Bench::new();
    let load = load(&bench, &path);
    let program = env!("CARGO_BIN_EXE_fathom");
    let shell = format!("'{program}' watch --plain --count 5 > /dev/null; cat /proc/$$/stat");
    let output = Command::new("sh").args(["-c", &shell]).output().unwrap();
    end(load);
    let stat = String::from_utf8(output.stdout).unwrap();
    let fields: Vec<u64> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .filter_map(|w| w.parse().ok())
        .collect();
    // From the third field on; the letter of the state is no number: cutime and cstime are fields 16 and 17.
    let ticks = fields[12] + fields[13];
    let share = ticks as f64 / 100.0 / 5.0;
    println!(
        "5 refreshes in 5 s: {ticks} ticks of 10 ms, {:.2}% of a core",
        share * 100.0
    );
    assert!(share <= 0.05, "far more than a watch should cost: {share}");
}

#[test]
fn what_was_watched_is_kept_listed_shown_and_exported() {
    let Some((_device, path)) = loop_device() else {
        return;
    };
    let bench = Bench::new();
    let said = bench
        .line(&format!(
            "watch {path} --plain --interval 100ms --count 3 --record"
        ))
        .good();
    assert_eq!(said.out.lines().count(), 4, "{said:?}");
    assert!(bench.line("list").good().out.contains("watch"));
    let name = path.trim_start_matches("/dev/");
    let page = bench.line("show 1").good().out;
    assert!(page.starts_with(&format!("{name}: ")), "{page}");
    let document = bench.line("show 1 --json").good().json();
    assert_eq!(
        document["watched"][0]["moments"].as_array().unwrap().len(),
        3
    );
    let exported = bench.line("export 1 --csv").good().out;
    assert!(exported.contains(&path), "{exported}");
    bench.line("db check").good();
}

#[test]
fn a_collector_fetches_what_the_kernel_counted() {
    let Some((_device, path)) = loop_device() else {
        return;
    };
    let bench = Bench::new();
    let line = format!("watch {path} --plain --interval 100ms --openmetrics=:0");
    let mut child = bench
        .command(&line.split(' ').collect::<Vec<_>>())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reported = Vec::new();
    let mut err = child.stderr.take().unwrap();
    let mut byte = [0];
    while !reported.ends_with(b"/metrics\n") && err.read(&mut byte).unwrap() == 1 {
        reported.push(byte[0]);
    }
    let reported = String::from_utf8(reported).unwrap();
    let at = reported
        .split("http://")
        .nth(1)
        .unwrap()
        .split('/')
        .next()
        .unwrap()
        .to_owned();
    let text = loop {
        let mut stream = TcpStream::connect(&at).unwrap();
        stream
            .write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        if text.contains("_total{") {
            break text;
        }
    };
    end(child);
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    assert!(
        text.contains("fathom_device_reads_total{device=\"loop"),
        "{text}"
    );
    assert!(text.ends_with("# EOF\n"), "{text}");
}

#[test]
fn what_cannot_be_watched_is_refused_with_all_that_is_wrong() {
    let bench = Bench::new();
    let said = bench.line("watch /dev/null nothing --interval 1ms --count 0");
    said.refused("/dev/null: no block device of this machine");
    for words in [
        "nothing: no block device",
        "invalid value '1ms' for --interval",
        "--count: read 0",
    ] {
        said.refused(words);
    }
    bench
        .line("watch --openmetrics=somewhere")
        .refused("invalid value 'somewhere' for --openmetrics");
}

#[test]
fn a_check_says_first_whether_to_measure() {
    let bench = Bench::new();
    let missing = bench.line("check no/such/folder/f --duration 1s");
    assert_eq!(missing.code, Some(3), "{missing:?}");
    assert!(
        missing.out.starts_with("NOT READY: no/such/folder/f "),
        "{missing:?}"
    );
    let document = bench.line("check f --duration 1s --json");
    assert!(matches!(document.code, Some(0 | 3)), "{document:?}");
    let document = document.json();
    assert!(["ready", "caution", "not_ready"].contains(&document["answer"].as_str().unwrap()));
    bench
        .line("check f --duration 0s")
        .refused("invalid value '0s' for --duration");
    let Some((_device, path)) = loop_device() else {
        return;
    };
    let load = load(&bench, &path);
    let busy = bench.line(&format!("check {path} --duration 2s"));
    end(load);
    println!("{}", busy.out);
    assert!(busy.out.contains("other load"), "{busy:?}");
    assert!(!busy.out.starts_with("READY"), "{busy:?}");
}
