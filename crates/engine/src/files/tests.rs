//! The whole of it, in folders that the tests make.

use super::*;
use model::{Bytes, FilesOrder, TreeStep};
use std::fs;

fn work() -> TreeWork {
    TreeWork {
        files: 120,
        file_size: Bytes(100),
        folders: 7,
        threads: 3,
        data: Bytes::mib(1),
        block: Bytes::kib(8),
        step_limit: Nanos::seconds(60),
        seed: 1,
        drops_caches: false,
        skipped: Vec::new(),
    }
}

fn job(folder: &Path) -> FilesJob {
    FilesJob {
        folder: folder.to_owned(),
        work: work(),
        device: None,
        patience: Nanos::seconds(600),
        together: false,
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn done(job: &FilesJob, stop: &Stop) -> (FilesEnd, Vec<FilesStep>) {
    let mut steps = Vec::new();
    let end = run_files(job, &Root::live(), stop, &mut |event| {
        if let FilesEvent::Ended(step, _) = event {
            steps.push(step.clone());
        }
    });
    (end.unwrap(), steps)
}

#[test]
fn every_step_is_done_as_often_as_planned_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("letter"), b"mine").unwrap();
    let (end, steps) = done(&job(folder.path()), &Stop::new());
    assert_eq!(end, FilesEnd::Complete);
    assert_eq!(steps.len(), 6 + 2 * 9);
    for step in &steps {
        assert_eq!(step.unmeasured, None, "{step:?}");
        let planned = step.planned.unwrap_or(Bytes::mib(1).0);
        assert_eq!(step.operations(), planned, "{}", step.label());
        assert_eq!(step.latency().count(), planned, "{}", step.label());
        assert!(step.elapsed > Nanos(0) && !step.cut);
    }
    let create = &steps[7];
    assert_eq!(create.label(), "create, sequential");
    assert_eq!(create.bytes(), Bytes(120 * 100));
    assert_eq!(create.threads.len(), 3);
    let random = steps.iter().filter(|step| step.order == FilesOrder::Random);
    assert_eq!(random.count(), 10);
    assert_eq!(names(folder.path()), ["letter"]);
}

#[test]
fn steps_that_are_left_out_are_not_done_and_the_others_are_as_often_as_planned() {
    for skipped in [
        vec![TreeStep::WriteBytes, TreeStep::ReadBytes],
        vec![TreeStep::Rename, TreeStep::RemoveFolder],
        vec![TreeStep::Delete, TreeStep::RemoveFolder],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut job = job(folder.path());
        (job.work.files, job.work.skipped) = (24, skipped.clone());
        let (end, steps) = done(&job, &Stop::new());
        assert_eq!(end, FilesEnd::Complete, "{skipped:?}");
        let all = TreeStep::LARGE
            .iter()
            .chain([TreeStep::SMALL; 2].as_flattened());
        let left: Vec<&str> = all
            .filter(|step| !skipped.contains(step))
            .map(|step| step.name())
            .collect();
        let done: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(done, left);
        for step in &steps {
            let planned = step.planned.unwrap_or(Bytes::mib(1).0);
            assert_eq!(step.operations(), planned, "{skipped:?} {step:?}");
        }
        assert_eq!(names(folder.path()), [""; 0]);
    }
}

#[test]
fn a_word_to_stop_ends_it_and_removes_what_was_made() {
    let folder = tempfile::tempdir().unwrap();
    let stop = Stop::new();
    let word = stop.clone();
    let mut seen = 0;
    let end = run_files(&job(folder.path()), &Root::live(), &stop, &mut |event| {
        if matches!(event, FilesEvent::Begins(label) if label.starts_with("create")) {
            seen += 1;
            word.ask();
        }
    });
    assert_eq!(end.unwrap(), FilesEnd::Interrupted);
    assert_eq!(seen, 1);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn what_a_killed_one_left_is_removed_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let left = |name: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.join("d0000001")).unwrap();
        fs::write(path.join("d0000001/f000000001"), b"x").unwrap();
        fs::write(path.join("large"), b"x").unwrap();
        path
    };
    let text = "fathom files created this folder and everything in it. It may be removed.\n";
    let ours = left(".fathom-files-1-0");
    fs::write(ours.join("fathom.mark"), text).unwrap();
    left(".fathom-files-1-1"); // without a mark: perhaps a person's
    let mixed = left(".fathom-files-1-2");
    fs::write(mixed.join("fathom.mark"), text).unwrap();
    fs::write(mixed.join("letter"), b"mine").unwrap();
    let used = left(".fathom-files-1-3");
    fs::write(used.join("fathom.mark"), text).unwrap();
    let held = fs::File::open(used.join("fathom.mark")).unwrap();
    held.lock().unwrap();
    let (end, _) = done(&job(folder.path()), &Stop::new());
    assert_eq!(end, FilesEnd::Complete);
    let still = [
        ".fathom-files-1-1",
        ".fathom-files-1-2",
        ".fathom-files-1-3",
    ];
    assert_eq!(names(folder.path()), still);
    assert_eq!(fs::read(mixed.join("letter")).unwrap(), b"mine");
    assert!(folder.path().join(".fathom-files-1-1/large").exists());
    assert!(used.join("d0000001/f000000001").exists());
}

#[test]
fn a_step_that_is_cut_short_is_followed_by_steps_on_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = job(folder.path());
    job.work.step_limit = Nanos(0);
    let (end, steps) = done(&job, &Stop::new());
    assert_eq!(end, FilesEnd::Complete, "{steps:?}");
    let of = |name: &str| steps.iter().find(|step| step.name == name).unwrap();
    assert!(of("write blocks").cut);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn nothing_is_made_where_nothing_can_be_made() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    let end = run_files(&job(&gone), &Root::live(), &Stop::new(), &mut |_| {});
    assert!(matches!(end, Err(FilesError::Look { .. })), "{end:?}");
    assert!(room_of(&gone, Nanos::seconds(60)).is_err());
    let room = room_of(folder.path(), Nanos::seconds(60)).unwrap();
    assert!(room.is_folder && room.writable && !room.read_only && room.free > Bytes(0));
}

#[test]
fn a_pulse_that_stands_still_is_noticed_and_one_that_beats_is_not() {
    let mut watch = Watch::new(Nanos(0));
    assert!((0..).any(|_: u32| watch.stalls(0)));
    let mut patient = Watch::new(Nanos::seconds(3600));
    assert!((1..1000).all(|pulse| !patient.stalls(pulse)));
}
