//! Which operations there are, in which order they come, and how one of them becomes a step of the record.
//!
//! Their names and their order are the model's ([`TreeStep`]). A new operation is a variant there and an arm in
//! [`Task::act`].

use super::crew::{Beat, Ended};
use super::stream::{Large, SEEKS, Streamed};
use super::tree::{self, APPEND_BYTES, Last, MADE, RENAMED, Tree};
use crate::clock::Clock;
use gate::Folder;
use model::errno_text;
use model::{Bytes, FilesOrder, FilesOutcome, FilesStep, Nanos, TreeStep, TreeWork};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// One step to do.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    what: TreeStep,
    order: FilesOrder,
}

/// What the steps share: where everything lies, and how far the making of it came.
pub(crate) struct Site {
    tree: Tree,
    large: Large,
    content: Vec<u8>,
    /// Small files that each thread created in this order.
    made: Vec<u64>,
    /// Of these, how many were renamed.
    renamed: Vec<u64>,
    files: u64,
    folders: u64,
    /// The first round does not remove all that it created, because a step was omitted.
    is_left: bool,
}

impl Site {
    pub(crate) fn new(folder: &Arc<Folder>, work: &TreeWork) -> Self {
        let tree = Tree::new(folder, work);
        let threads = usize::try_from(tree.threads()).expect("few threads");
        Site {
            large: Large::new(folder, work.data, work.block, work.seed),
            content: vec![0x61; usize::try_from(work.file_size.0).unwrap_or(0)],
            made: vec![0; threads],
            renamed: vec![0; threads],
            files: work.files,
            folders: work.folders.max(1),
            is_left: [TreeStep::Delete, TreeStep::RemoveFolder]
                .iter()
                .any(|step| work.skipped.contains(step)),
            tree,
        }
    }
}

impl Site {
    /// Outside of any step: what a deletion left that was cut short or omitted is in the way of the next steps.
    fn delete_rest(&self, beat: &Beat<'_>) {
        let mut last = Last::default();
        for number in (0..self.files).take_while(|_| !beat.stop.asked()) {
            if let Ok(folder) = self.tree.enter(number, &mut last) {
                for letter in [MADE, RENAMED] {
                    let _ = folder.remove_file(&tree::file(number, letter)); // most are gone
                }
            }
            beat.pulse.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn remove_folders(&mut self, beat: &Beat<'_>) {
        self.tree.release();
        for number in (0..self.folders).take_while(|_| !beat.stop.asked()) {
            let name = self.tree.folder(number);
            let _ = self.tree.top().remove_folder(&name); // one that stays is reported when it is created again
            beat.pulse.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// All steps of this work, in their order.
pub(crate) fn tasks(work: &TreeWork) -> Vec<Task> {
    let task = |what, order| Task { what, order };
    let mut tasks = Vec::new();
    if work.data.0 > 0 {
        tasks.extend(TreeStep::LARGE.map(|what| match what {
            TreeStep::Seek => task(what, FilesOrder::Random),
            _ => task(what, FilesOrder::Sequential),
        }));
    }
    if work.files > 0 {
        for order in [FilesOrder::Sequential, FilesOrder::Random] {
            tasks.extend(TreeStep::SMALL.map(|what| task(what, order)));
        }
    }
    tasks.retain(|task| !work.skipped.contains(&task.what));
    tasks
}

impl Task {
    pub(crate) fn label(&self) -> String {
        self.empty().label()
    }

    /// Its rate may be the cache's rather than the device's.
    pub(crate) const fn reads(&self) -> bool {
        matches!(
            self.what,
            TreeStep::RewriteBlocks
                | TreeStep::ReadBytes
                | TreeStep::ReadBlocks
                | TreeStep::Seek
                | TreeStep::Stat
                | TreeStep::Read
        )
    }

    /// Outside of any step: what steps that were omitted would have removed is in the way of the second round.
    pub(crate) fn make_way(&self, site: &mut Site, beat: &Beat<'_>) {
        if self.what == TreeStep::MakeFolder && self.order == FilesOrder::Random && site.is_left {
            site.delete_rest(beat);
            site.remove_folders(beat);
            site.renamed.fill(0);
        }
    }

    fn empty(&self) -> FilesStep {
        FilesStep {
            name: self.what.name().to_owned(),
            order: self.order,
            ..FilesStep::default()
        }
    }

    /// The step without a figure.
    pub(crate) fn unmeasured(&self, why: String) -> (FilesStep, FilesOutcome) {
        let step = FilesStep {
            unmeasured: Some(why),
            ..self.empty()
        };
        (step, FilesOutcome::Complete)
    }

    /// Does it, whole.
    pub(crate) fn run(&self, site: &mut Site, beat: &Beat<'_>) -> (FilesStep, FilesOutcome) {
        if let Some(why) = self.nothing_to_do(site) {
            return self.unmeasured(why.to_owned());
        }
        if self.what == TreeStep::RemoveFolder {
            site.tree.release();
        }
        let begin = beat.clock.now();
        let (mut ended, flush) = match self.act(site, beat) {
            Ok(streamed) => streamed,
            Err(error) => {
                let why = format!("{}: {}", self.what.name(), errno_text(&error));
                return (self.unmeasured(why.clone()).0, FilesOutcome::Failed(why));
            }
        };
        self.learn(site, &ended, beat);
        let outcome = outcome(self.what.name(), &mut ended);
        let first = ended.iter().map(|one| one.counted.began).min();
        let last = ended.iter().map(|one| one.counted.ended).max();
        let step = FilesStep {
            planned: self.planned(site),
            block: self.block(site),
            elapsed: last.unwrap_or(begin).minus(first.unwrap_or(begin)),
            flush,
            cut: ended.iter().any(|one| one.cut),
            threads: ended.into_iter().map(|one| one.counted).collect(),
            ..self.empty()
        };
        (too_short(step), outcome)
    }

    fn nothing_to_do(&self, site: &Site) -> Option<&'static str> {
        let of_files = matches!(
            self.what,
            TreeStep::Stat
                | TreeStep::Read
                | TreeStep::Append
                | TreeStep::AppendAndFsync
                | TreeStep::Rename
                | TreeStep::Delete
        );
        let none = of_files && site.made.iter().sum::<u64>() == 0;
        none.then_some("no file was created")
    }

    fn planned(&self, site: &Site) -> Option<u64> {
        let blocks = site.large.size.0 / site.large.block.0.max(1);
        match self.what {
            TreeStep::WriteBytes | TreeStep::ReadBytes => None,
            TreeStep::WriteBlocks | TreeStep::RewriteBlocks | TreeStep::ReadBlocks => Some(blocks),
            TreeStep::Seek => Some(SEEKS),
            TreeStep::MakeFolder | TreeStep::RemoveFolder => Some(site.folders),
            _ => Some(site.files),
        }
    }

    fn block(&self, site: &Site) -> Option<Bytes> {
        match self.what {
            TreeStep::WriteBytes | TreeStep::ReadBytes => Some(Bytes(1)),
            TreeStep::WriteBlocks
            | TreeStep::RewriteBlocks
            | TreeStep::ReadBlocks
            | TreeStep::Seek => Some(site.large.block),
            TreeStep::Create | TreeStep::Read => {
                Some(Bytes(site.content.len() as u64)).filter(|size| size.0 > 0)
            }
            TreeStep::Append | TreeStep::AppendAndFsync => Some(Bytes(APPEND_BYTES as u64)),
            _ => None,
        }
    }

    fn act(&self, site: &Site, beat: &Beat<'_>) -> io::Result<Streamed> {
        let large = &site.large;
        match self.what {
            TreeStep::WriteBytes => large.write_bytes(beat),
            TreeStep::WriteBlocks => large.write_blocks(beat),
            TreeStep::RewriteBlocks => large.rewrite(beat),
            TreeStep::ReadBytes => large.read_bytes(beat),
            TreeStep::ReadBlocks => large.read_blocks(beat),
            TreeStep::Seek => large.seek(beat),
            _ => Ok((self.crew(site, beat), None)),
        }
    }

    /// Each thread has its own part of the files.
    fn crew(&self, site: &Site, beat: &Beat<'_>) -> Vec<Ended> {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..site.tree.threads())
                .map(|thread| scope.spawn(move || self.thread(site, thread, beat)))
                .collect();
            let lost = || Ended {
                error: Some(io::Error::other("a thread ended without a word")),
                ..Ended::default()
            };
            let joined = threads.into_iter().map(|one| one.join());
            joined.map(|one| one.unwrap_or_else(|_| lost())).collect()
        })
    }

    fn thread(&self, site: &Site, thread: u64, beat: &Beat<'_>) -> Ended {
        let (tree, place) = (&site.tree, thread as usize);
        if matches!(self.what, TreeStep::MakeFolder | TreeStep::RemoveFolder) {
            let folders = || tree.folders_of(thread, self.order).into_iter();
            // All that follows needs all of them.
            let beat = Beat {
                limit: Nanos::MAX,
                ..*beat
            };
            let (top, mut names) = (tree.top(), folders().map(|number| tree.folder(number)));
            return match self.what {
                TreeStep::MakeFolder => beat.each(
                    |_| names.next(),
                    |name| top.create_folder(&name).map(|()| 0),
                ),
                _ => beat.each(
                    |_| names.next(),
                    |name| top.remove_folder(&name).map(|()| 0),
                ),
            };
        }
        let order = tree.files_of(thread, self.order, u64::MAX / 2);
        let all = match self.what {
            TreeStep::Create => order.len(),
            _ => usize::try_from(site.made[place]).unwrap_or(usize::MAX),
        };
        let renamed = site.renamed[place];
        let mut numbers = (0u64..).zip(order).take(all);
        let mut last = Last::default();
        let mut file = |_| {
            let (at, number) = numbers.next()?;
            let letter = if at < renamed { RENAMED } else { MADE };
            Some((
                tree.enter(number, &mut last),
                tree::file(number, letter),
                number,
            ))
        };
        let mut buffer = vec![0u8; 64 << 10];
        match self.what {
            TreeStep::Create => beat.each(file, |(at, name, _)| {
                tree::create(&*at?, &name, &site.content)
            }),
            TreeStep::Stat => beat.each(file, |(at, name, _)| tree::look_up(&*at?, &name)),
            TreeStep::Read => {
                beat.each(file, |(at, name, _)| tree::read(&*at?, &name, &mut buffer))
            }
            TreeStep::Append => beat.each(file, |(at, name, _)| tree::append(&*at?, &name, false)),
            TreeStep::AppendAndFsync => {
                beat.each(file, |(at, name, _)| tree::append(&*at?, &name, true))
            }
            TreeStep::Delete => beat.each(file, |(at, name, _)| at?.remove_file(&name).map(|()| 0)),
            _ => {
                let both = |number| {
                    let (folder, name, number) = file(number)?;
                    Some((folder, name, tree::file(number, RENAMED)))
                };
                beat.each(both, |(at, from, to)| at?.rename(&from, &to).map(|()| 0))
            }
        }
    }

    /// How far the making, the renaming and the deleting came: a step may have been cut short.
    fn learn(&self, site: &mut Site, ended: &[Ended], beat: &Beat<'_>) {
        let counts = || ended.iter().map(|one| one.counted.operations).collect();
        match self.what {
            TreeStep::MakeFolder => site.tree.hold(),
            TreeStep::Create => site.made = counts(),
            TreeStep::Rename => site.renamed = counts(),
            TreeStep::Delete => {
                if ended.iter().any(|one| one.cut) {
                    site.delete_rest(beat);
                }
                site.renamed.fill(0);
            }
            _ => {}
        }
    }
}

/// The first error of all threads, or a stop.
fn outcome(name: &str, ended: &mut [Ended]) -> FilesOutcome {
    let error = ended.iter_mut().find_map(|one| one.error.take());
    if let Some(error) = error {
        return FilesOutcome::Failed(format!("{name}: {}", errno_text(&error)));
    }
    match ended.iter().any(|one| one.interrupted) {
        true => FilesOutcome::Interrupted,
        false => FilesOutcome::Complete,
    }
}

/// A clock in nanoseconds can time all that there is; only what took no time at all cannot be divided by.
fn too_short(step: FilesStep) -> FilesStep {
    let none = step.operations() == 0 || step.elapsed == Nanos(0);
    FilesStep {
        unmeasured: none.then(|| "no operation was done".to_owned()),
        ..step
    }
}
