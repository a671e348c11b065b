//! Attacks that reviewers found with the documents alone: files without a name, files that something has open without a process, empty files
//! of programs that will write, results that their user edited, links and files that a mount shows as one's own.

use super::RUN;
use super::tools::{Loop, is_root, own_file, tool};
use crate::bench::Bench;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::process::{Command, Stdio};

const WRITE: &str = "run --no-store -w 100 -d 20ms --warmup 0s";
const NOBODY: u32 = 65534;

/// A command line in a shell that has `name` open for writing as descriptor 3 in the meantime.
fn beside_writer(bench: &Bench, name: &str, line: &str) -> Option<i32> {
    let program = env!("CARGO_BIN_EXE_fathom");
    let script =
        format!("exec 3>>'{name}'; '{program}' {line} 3>&-; code=$?; echo late >&3; exit $code");
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &script])
        .current_dir(bench.path("."))
        .env("FATHOM_STORE", bench.path("s.db"))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    shell.status().unwrap().code()
}

#[test]
fn a_deleted_file_that_a_process_still_has_open_is_not_written() {
    let bench = Bench::new();
    let program = env!("CARGO_BIN_EXE_fathom");
    for line in [
        "dd if=/dev/zero of=/dev/fd/3 bs=4k count=1",
        "dd if=/dev/zero of=/dev/fd/3 bs=4k count=1 oflag=append",
        "lmdd if=internal of=/dev/fd/3 bs=4k count=1",
        "run -w 100 -d 20ms --warmup 0s /dev/fd/3",
    ] {
        let script = format!(
            "exec 3<>gone; yes precious | head -c 8192 >&3; rm gone; '{program}' {line} --no-store; echo $?; cksum < /proc/self/fd/3; \
             yes precious | head -c 8192 | cksum"
        );
        let mut shell = Command::new("sh");
        let output = shell
            .args(["-c", &script])
            .current_dir(bench.path("."))
            .output();
        let output = String::from_utf8(output.unwrap().stdout).unwrap();
        let lines: Vec<&str> = output.lines().collect();
        assert_eq!(lines.len(), 3, "{line}: {output}");
        assert_eq!((lines[0], lines[1]), ("2", lines[2]), "{line}");
    }
}

#[test]
fn an_empty_file_that_another_program_writes_later_is_none_that_may_be_written() {
    let bench = Bench::new();
    bench.line(RUN).good();
    for line in [
        "run --no-store -w 100 -d 20ms --warmup 0s --create 64K log",
        "dd if=/dev/zero of=log bs=4k count=1 --no-store",
        "export --csv --out log",
        "report 1 -o log",
        "report 1 --force -o log",
        "fio --name=a --filename=f --size=64k --rw=randread --runtime=1 --time_based --no-store --output=log",
    ] {
        fs::write(bench.path("log"), "").unwrap();
        assert_eq!(beside_writer(&bench, "log", line), Some(2), "{line}");
        assert_eq!(fs::read(bench.path("log")).unwrap(), b"late\n", "{line}");
    }
    fs::write(bench.path("log"), "").unwrap();
    bench.line("report 1 -o log").good(); // no program has it open
}

#[test]
fn a_result_that_its_user_edited_is_kept() {
    let bench = Bench::new();
    bench.line(RUN).good();
    bench.line("report 1 -o r.html").good();
    bench.line("report 1 -o r.html").good();
    let edited = fs::read_to_string(bench.path("r.html")).unwrap() + "my notes";
    let cut = edited[..edited.len() / 2].to_owned() + "of mine";
    for (name, text) in [("r.html", &edited), ("copy.html", &cut)] {
        fs::write(bench.path(name), text).unwrap();
        let said = bench.line(&format!("report 1 -o {name}"));
        assert_eq!(said.code, Some(2), "{said:?}");
        assert_eq!(&fs::read_to_string(bench.path(name)).unwrap(), text);
    }
    bench.line("report 1 --force -o r.html").good();
    let mine = "{\"thesis\": \"mine\", \"runs\": [{\"fio version\": \"fio-3.33\"}]}";
    fs::write(bench.path("all.json"), mine).unwrap();
    let line = "fio --name=a --filename=f --size=64k --rw=randread --runtime=1 --time_based --no-store --output-format=json --output=all.json";
    let said = bench.line(line);
    assert_ne!(said.code, Some(0), "{said:?}");
    assert_eq!(fs::read_to_string(bench.path("all.json")).unwrap(), mine);
}

#[test]
fn sessions_that_are_exported_are_as_private_as_the_database() {
    let bench = Bench::new();
    bench.line(RUN).good();
    bench.line("export --sessions --out x.json").done();
    let mode = fs::metadata(bench.path("x.json")).unwrap().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_device_that_a_program_has_open_for_writing_is_in_use() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    let Some(device) = Loop::over_new(&bench.path("img"), &vec![0; 8 << 20]) else {
        return;
    };
    let name = device.name().to_owned();
    let writer = File::options().read(true).write(true).open(&name).unwrap();
    for line in [
        format!("{WRITE} {name}"),
        format!("{WRITE} --destroy {name} {name}"),
        format!("dd if=/dev/zero of={name} bs=4k count=1 --no-store --destroy {name}"),
    ] {
        let said = bench.line(&line);
        assert_eq!(said.code, Some(2), "{line}: {said:?}");
    }
    drop(writer);
    let _reader = File::open(&name).unwrap();
    bench.line(&format!("{WRITE} {name}")).good();
}

/// Mounts by `script` in a namespace of their own, then runs the line there.
fn mounted(bench: &Bench, script: &str, line: &str) -> Option<Option<i32>> {
    Some(super::tools::without(bench, script, line)?.code)
}

#[test]
fn what_another_user_placed_below_an_overlay_is_not_relied_upon() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    bench.line(RUN).good();
    own_file(&bench, "t");
    for folder in ["low", "low/d", "up", "up/d", "work", "mg", "secret"] {
        fs::create_dir(bench.path(folder)).unwrap();
    }
    let here = |name: &str| bench.path(name).display().to_string();
    fs::write(bench.path("secret/f"), "root's").unwrap();
    for (link, to) in [("low/d/l", "secret/f"), ("low/d/kt", "secret/new")] {
        symlink(bench.path(to), bench.path(link)).unwrap();
        std::os::unix::fs::lchown(bench.path(link), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    fs::write(bench.path("low/d/planted"), "").unwrap();
    chown(bench.path("low/d/planted"), Some(NOBODY), Some(NOBODY)).unwrap();
    chown(bench.path("low/d"), Some(NOBODY), Some(NOBODY)).unwrap();
    let mount = format!(
        "mount -t overlay o -o lowerdir={},upperdir={},workdir={} {}",
        here("low"),
        here("up"),
        here("work"),
        here("mg")
    );
    for line in [
        "run --no-store -d 20ms --warmup 0s --keep-trace mg/d/kt t",
        "report 1 -o mg/d/planted",
        "report 1 --force -o mg/d/l",
    ] {
        match mounted(&bench, &mount, line) {
            None => return,
            Some(code) => assert_eq!(code, Some(2), "{line}"),
        }
    }
    assert!(!bench.path("secret/new").exists());
    assert_eq!(fs::read(bench.path("secret/f")).unwrap(), b"root's");
    assert_eq!(fs::metadata(bench.path("low/d/planted")).unwrap().len(), 0);
    // A result in a free place, and a link of one's own.
    symlink(bench.path("own.html"), bench.path("up/d/own")).unwrap();
    assert_eq!(
        mounted(&bench, &mount, "report 1 -o mg/d/own"),
        Some(Some(0))
    );
    assert!(bench.path("own.html").exists());
}

/// What one name leads to is exchanged between two calls of SQLite's.
#[test]
fn files_of_a_database_are_reached_in_the_folder_that_was_checked() {
    let bench = Bench::new();
    for folder in ["nb", "nb/sub", "priv"] {
        fs::create_dir(bench.path(folder)).unwrap();
    }
    for end in ["-journal", "-wal", "-shm"] {
        fs::write(bench.path(&format!("priv/s.db{end}")), "precious").unwrap();
    }
    if !tool("strace", &["-V"]) {
        println!("skipped: strace is not installed");
        return;
    }
    let delayed = "inject=unlink,unlinkat:delay_enter=300000";
    let mut run = Command::new("strace")
        .args([
            "-f",
            "-o",
            "/dev/null",
            "-e",
            "trace=unlink,unlinkat",
            "-e",
            delayed,
        ])
        .arg(env!("CARGO_BIN_EXE_fathom"))
        .args([
            "run",
            "--store",
            "nb/sub/s.db",
            "--engine",
            "null",
            "-d",
            "20ms",
            "--warmup",
            "0s",
        ])
        .current_dir(bench.path("."))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let journal = bench.path("nb/sub/s.db-journal");
    crate::bench::until(|| journal.exists() || bench.path("nb/sub/s.db-wal").exists());
    fs::rename(bench.path("nb/sub"), bench.path("nb/was")).unwrap();
    symlink(bench.path("priv"), bench.path("nb/sub")).unwrap();
    run.wait().unwrap();
    for end in ["-journal", "-wal", "-shm"] {
        let kept = fs::read(bench.path(&format!("priv/s.db{end}"))).unwrap();
        assert_eq!(kept, b"precious", "{end}");
    }
    assert_eq!(fs::read_dir(bench.path("priv")).unwrap().count(), 3);
}

#[test]
fn a_database_under_two_names_is_read_and_not_written() {
    let bench = Bench::new();
    bench.line(RUN).good();
    fs::create_dir(bench.path("second")).unwrap();
    fs::hard_link(bench.path("s.db"), bench.path("second/t.db")).unwrap();
    for store in ["s.db", "second/t.db"] {
        let said = bench.line(&format!("{RUN} --store {store}"));
        assert_eq!(said.code, Some(2), "{said:?}");
        bench.line(&format!("list --store {store}")).good();
    }
    fs::remove_file(bench.path("second/t.db")).unwrap();
    bench.line(RUN).good();
}

#[test]
fn standard_output_is_not_the_database() {
    let bench = Bench::new();
    bench.line(RUN).good();
    let before = fs::read(bench.path("s.db")).unwrap();
    let out = File::options()
        .write(true)
        .open(bench.path("s.db"))
        .unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .args([
            "run", "--engine", "null", "-d", "20ms", "--warmup", "0s", "--store", "s.db",
        ])
        .current_dir(bench.path("."))
        .stdout(out)
        .stderr(Stdio::null())
        .status();
    assert_eq!(status.unwrap().code(), Some(2));
    assert!(fs::read(bench.path("s.db")).unwrap() == before);
}

/// A database that was cut to length while a session goes on has nothing of what was measured before.
#[test]
fn a_database_that_is_emptied_meanwhile_is_noticed() {
    let bench = Bench::new();
    bench.line(RUN).good();
    let line = "sweep --engine null -d 100ms --warmup 0s -o 1..16 --store s.db";
    let mut sweep = bench.start(line);
    crate::bench::until(|| {
        let rows = bench.line("table 2 --csv --columns queue_depth");
        rows.out.lines().count() > 2
    });
    File::options()
        .write(true)
        .truncate(true)
        .open(bench.path("s.db"))
        .unwrap();
    assert_ne!(sweep.wait().unwrap().code(), Some(0));
}

#[test]
fn one_damaged_session_leaves_the_others() {
    let bench = Bench::new();
    for _ in 0..3 {
        bench.line(RUN).good();
    }
    let broken = "UPDATE headlines SET target = 'x' WHERE session_id = 2";
    if !tool("sqlite3", &[bench.path("s.db").to_str().unwrap(), broken]) {
        println!("skipped: sqlite3 is not installed");
        return;
    }
    let said = bench.line("import s.db --store n.db");
    assert_eq!(said.code, Some(1), "{said:?}");
    let listed = bench.line("list --store n.db --json");
    let listed: serde_json::Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!(
        listed["sessions"].as_array().map(Vec::len),
        Some(2),
        "{listed}"
    );
    let said = bench.line("export --sessions --out all.json");
    assert_eq!(said.code, Some(1), "{said:?}");
    bench.line("import all.json --store m.db").good();
}

#[test]
fn a_note_on_the_only_result_counts_where_its_session_is_shown() {
    let bench = Bench::new();
    bench.line("run sim:ssd -o 32 -d 1s --warmup 0s").good();
    let rate: serde_json::Value = serde_json::from_str(&bench.line("show 1 --json").out).unwrap();
    let rate = rate["operations"][0]["iops"].as_f64().unwrap();
    assert_eq!(
        bench.line(&format!("note 1.1 --cap-iops {rate:.0}")).code,
        Some(0)
    );
    let verdict = |name: &str| {
        let shown: serde_json::Value =
            serde_json::from_str(&bench.line(&format!("show {name} --json")).out).unwrap();
        shown["verdict"].clone()
    };
    assert_ne!(verdict("1.1")["validity"], "VALID");
    assert_eq!(verdict("1"), verdict("1.1"));
}

#[test]
fn an_answer_to_a_question_is_bounded() {
    let bench = Bench::new();
    bench.line(RUN).good();
    let many = "with recursive c(x) as (select 1 union all select x+1 from c) select x, x||'abcdefgh' from c";
    let said = bench.say(&["db", "sql", many]);
    assert_eq!(said.code, Some(2), "{said:?}");
    let few = "with recursive c(x) as (select 1 union all select x+1 from c where x<1000) select x from c";
    bench.say(&["db", "sql", few]).good();
}

/// On tmpfs a write through a mapping may leave the time of the last change as it was.
#[test]
fn no_record_stands_for_the_content_of_a_file_in_memory() {
    let bench = Bench::new();
    let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
        println!("skipped: no tmpfs");
        return;
    };
    let target = memory.path().join("x");
    let line = format!(
        "run {} --create 1M -w 100 -b 512 -d 20ms --warmup 0s --cache cached",
        target.display()
    );
    let line = line.as_str();
    bench.line(line).good();
    let said = bench.line(line);
    assert_eq!(said.code, Some(2), "{said:?}");
}
