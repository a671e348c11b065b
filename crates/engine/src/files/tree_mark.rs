//! The mark in a test folder of `fathom mdtest`: whose it is, and the shape of the tree that was left whole.

use super::scratch::MARK;
use gate::{Folder, Name, Owner, Use};
use model::record::mdtest::{MdtestPhase, MdtestShape, MdtestWork};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

const MARK_TEXT: &str =
    "fathom mdtest created this folder and everything in it. It may be removed.\n";
/// Length of a mark: more than any state needs, so that a new one covers the one before. Empty lines follow the text.
const MARK_BYTES: usize = 512;

/// What the mark has of the tree.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The work that goes on, or was ended before its end.
    pub(super) running: Option<String>,
    /// The tree as it was left whole.
    pub(super) shape: Option<MdtestShape>,
}

/// The mark with its content, where it is ours.
pub(super) fn marked(folder: &Folder) -> Option<(File, State)> {
    let mut file = folder.open_file(&Name::new(MARK).ok()?, Use::Write).ok()?;
    let is_file = file.metadata().is_ok_and(|there| there.is_file());
    if !is_file || Owner::of(&file).ok()? != folder.owner() {
        return None;
    }
    let mut text = String::new();
    let read = Read::by_ref(&mut file)
        .take(MARK_BYTES as u64)
        .read_to_string(&mut text);
    read.ok()?;
    if text.is_empty() {
        return Some((file, State::default())); // killed before it was written
    }
    let mut state = State::default();
    for line in text.strip_prefix(MARK_TEXT)?.lines() {
        match line.split_once(' ') {
            Some(("run", run)) => state.running = Some(run.to_owned()),
            Some(("tree", shape)) => state.shape = shape_of(shape),
            _ => {}
        }
    }
    Some((file, state))
}

pub(super) fn write_mark(file: &mut File, state: &State) -> io::Result<()> {
    let run = state.running.iter().map(|run| format!("run {run}\n"));
    let shape = state
        .shape
        .iter()
        .map(|shape| format!("tree {}\n", text_of(shape)));
    let lines: String = run.chain(shape).collect();
    file.seek(SeekFrom::Start(0))?;
    file.write_all(format!("{:\n<MARK_BYTES$}", format!("{MARK_TEXT}{lines}")).as_bytes())?;
    file.sync_all()
}

/// A shape as numbers in the order of its fields.
fn text_of(shape: &MdtestShape) -> String {
    let MdtestShape {
        tasks,
        depth,
        branches,
        per_folder,
        leaves_only,
        own_trees,
        trees_shift,
        folders,
        files,
        file_size,
    } = shape;
    let numbers = [
        u64::from(*tasks),
        u64::from(*depth),
        *branches,
        *per_folder,
        u64::from(*leaves_only),
        u64::from(*own_trees),
        u64::from(*trees_shift),
        u64::from(*folders),
        u64::from(*files),
        file_size.0,
    ];
    numbers.map(|number| number.to_string()).join(" ")
}

fn shape_of(text: &str) -> Option<MdtestShape> {
    let numbers: Option<Vec<u64>> = text.split(' ').map(|word| word.parse().ok()).collect();
    let [
        tasks,
        depth,
        branches,
        per_folder,
        leaves,
        own,
        shift,
        folders,
        files,
        size,
    ] = numbers?.try_into().ok()?;
    Some(MdtestShape {
        tasks: u32::try_from(tasks).ok()?,
        depth: u32::try_from(depth).ok()?,
        branches,
        per_folder,
        leaves_only: leaves > 0,
        own_trees: own > 0,
        trees_shift: u32::try_from(shift).ok()?,
        folders: folders > 0,
        files: files > 0,
        file_size: model::Bytes(size),
    })
}

/// The options that describe a shape.
pub(super) fn described(shape: &MdtestShape) -> String {
    let flags = [
        (shape.folders && !shape.files, " -D"),
        (shape.files && !shape.folders, " -F"),
        (shape.leaves_only, " -L"),
        (shape.own_trees, " -u"),
    ];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
    let flags: String = flags.map(|(_, flag)| flag).collect();
    let tree = match shape.depth {
        0 => String::new(),
        depth => format!(" -z {depth} -b {}", shape.branches),
    };
    let size = match shape.file_size.0 {
        0 => String::new(),
        size => format!(" -w {size}"),
    };
    let shift = match shape.trees_shift {
        0 => String::new(),
        shift => format!(" -N {shift}"),
    };
    format!(
        "{} tasks, -I {}{tree}{size}{shift}{flags}",
        shape.tasks, shape.per_folder
    )
}

/// Why a tree that is there is not the one that the work needs.
pub(super) fn mismatch(there: &MdtestShape, work: &MdtestWork) -> Option<String> {
    let wanted = &work.shape;
    let same = MdtestShape {
        folders: wanted.folders,
        files: wanted.files,
        file_size: wanted.file_size,
        ..there.clone()
    };
    let kinds = match work.leaves_tree() {
        true => (there.folders || !wanted.folders) && (there.files || !wanted.files),
        false => (there.folders, there.files) == (wanted.folders, wanted.files),
    };
    let reads = work.phases.contains(&MdtestPhase::FileRead) && work.read > there.file_size;
    match same == *wanted && kinds {
        true if reads => Some(format!(
            "-e {}: its files have {} bytes each",
            work.read.0, there.file_size.0
        )),
        true => None,
        false => Some(format!(
            "it has another tree than the options describe; hint: it was created with {}",
            described(there)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_read_as_it_was_written_and_compared_with_the_options() {
        let shape = MdtestShape {
            tasks: 2,
            depth: 1,
            branches: 3,
            per_folder: 5,
            own_trees: true,
            trees_shift: 1,
            files: true,
            file_size: model::Bytes(64),
            ..MdtestShape::default()
        };
        assert_eq!(shape_of(&text_of(&shape)), Some(shape.clone()));
        assert_eq!(shape_of("1 2"), None);
        assert_eq!(
            described(&shape),
            "2 tasks, -I 5 -z 1 -b 3 -w 64 -N 1 -F -u"
        );
        let mut work = MdtestWork {
            shape: shape.clone(),
            phases: vec![MdtestPhase::FileRead],
            read: model::Bytes(64),
            ..MdtestWork::default()
        };
        assert_eq!(mismatch(&shape, &work), None);
        work.read = model::Bytes(65);
        assert!(mismatch(&shape, &work).is_some());
        work.shape.per_folder = 6;
        assert!(mismatch(&shape, &work).is_some());
    }
}
