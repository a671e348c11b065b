//! Problems of working in a folder, before anything is created in it: all of it at once.

use super::request::Asked;
use analysis::say::{bytes, count};
use engine::Room;
use model::{Bytes, CommandError, Nanos, TreeStep, TreeWork};

/// So much a file takes at least: a block of most file systems, and its own entry.
const FILE_BYTES_MIN: u64 = 4096;
const ENTRY_BYTES: u64 = 512;
/// An append adds so much to a file's own bytes.
const APPENDED_BYTES: u64 = 4096;
/// A check of a folder that answers takes no time.
const LOOK_MAX: Nanos = Nanos::seconds(30);

/// What is created at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Need {
    /// Bytes on the file system.
    pub(crate) bytes: Bytes,
    /// Files and folders.
    pub(crate) names: u64,
    /// What makes it less.
    pub(crate) fewer: &'static str,
}

impl Need {
    fn of(work: &TreeWork) -> Need {
        Need {
            bytes: needed(work),
            names: work.files.saturating_add(work.folders).saturating_add(3),
            fewer: "fewer --files and less --data",
        }
    }
}

/// Refuses a folder that cannot be worked in.
pub(super) fn must_serve(asked: &Asked) -> Result<(), CommandError> {
    let room = engine::room_of(&asked.folder, asked.patience.min(LOOK_MAX));
    let room = room.map_err(CommandError::refused)?;
    let against = against(&room, &Need::of(&asked.work));
    let path = asked.folder.display();
    let mut reported: Vec<String> = against.iter().map(|why| format!("{path}: {why}")).collect();
    if asked.work.drops_caches
        && let Err(why) = engine::may_drop_caches()
    {
        reported.push(format!(
            "--drop-caches: the system's caches may not be emptied ({why}): run as root, or use more files and a file larger \
             than memory (--files, --data)"
        ));
    }
    match reported.is_empty() {
        true => Ok(()),
        false => Err(CommandError::refused_for(reported)),
    }
}

/// Why a folder with this room cannot be worked in.
pub(crate) fn against(room: &Room, need: &Need) -> Vec<String> {
    if !room.is_folder {
        return vec![
            "this is no folder: specify a folder (fathom run measures files and devices)"
                .to_owned(),
        ];
    }
    if room.read_only {
        return vec![
            "its file system is mounted read-only: mount it for writing, or specify another folder"
                .to_owned(),
        ];
    }
    let mut reported = Vec::new();
    if !room.writable {
        reported.push(
            "you may not create anything in it: get access, or specify another folder".to_owned(),
        );
    }
    if need.bytes > room.free {
        reported.push(format!(
            "it has {} free, and this needs up to {}: free space, or use {}",
            bytes(room.free.0),
            bytes(need.bytes.0),
            need.fewer
        ));
    }
    if room.files_free.is_some_and(|free| free < need.names) {
        reported.push(format!(
            "its file system has room for {} more files, and this creates {}: use {}",
            count(room.files_free.unwrap_or(0)),
            count(need.names),
            need.fewer
        ));
    }
    reported
}

/// At most, with a fiftieth for what file systems keep for themselves.
fn needed(work: &TreeWork) -> Bytes {
    let appends = [TreeStep::Append, TreeStep::AppendAndFsync];
    let appends = appends.iter().filter(|step| !work.skipped.contains(step));
    let own = work
        .file_size
        .0
        .saturating_add(APPENDED_BYTES * appends.count() as u64)
        .next_multiple_of(FILE_BYTES_MIN);
    let small = work.files.saturating_mul(own.saturating_add(ENTRY_BYTES));
    let folders = work.folders.saturating_mul(FILE_BYTES_MIN);
    let all = small.saturating_add(folders).saturating_add(work.data.0);
    Bytes(all.saturating_add(all / 50))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room() -> Room {
        Room {
            is_folder: true,
            writable: true,
            read_only: false,
            free: Bytes::gib(1),
            files_free: Some(10_000),
            ..Room::default()
        }
    }

    fn work(files: u64, data: Bytes) -> TreeWork {
        TreeWork {
            files,
            data,
            folders: 1,
            threads: 1,
            ..TreeWork::default()
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_before_anything_is_made() {
        assert_eq!(
            against(&room(), &Need::of(&work(1000, Bytes::mib(512)))),
            [""; 0]
        );
        let full = against(&room(), &Need::of(&work(0, Bytes::gib(1))));
        assert!(
            full[0].starts_with("it has 1 GiB free, and this needs up to 1.02 GiB"),
            "{full:?}"
        );
        let names = against(&room(), &Need::of(&work(10_000, Bytes(0))));
        assert_eq!(names.len(), 1);
        assert!(
            names[0].contains("room for 10000 more files, and this creates 10004"),
            "{names:?}"
        );
        let without = TreeWork {
            skipped: vec![TreeStep::Append, TreeStep::AppendAndFsync],
            ..work(1000, Bytes(0))
        };
        assert!(needed(&without) < Bytes::mib(1) && needed(&work(1000, Bytes(0))) > Bytes::mib(8));
        let forbidden = Room {
            writable: false,
            ..room()
        };
        assert_eq!(
            against(&forbidden, &Need::of(&work(20_000, Bytes::gib(2)))).len(),
            3
        );
    }
}
