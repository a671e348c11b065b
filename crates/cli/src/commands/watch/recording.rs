//! What is seen goes onto the database: a result a device, and a new one every so often, so that a long watch that is killed
//! loses its last minutes only.

use crate::commands::answer;
use crate::commands::{VERSION, command_line};
use crate::failure::Ending;
use crate::kinds::separate;
use crate::output;
use host::Root;
use model::{HostRecord, Nanos, WatchMoment, WatchRecord};
use monitor::{Moment, Sampler};
use session::{Journal, clock};
use store::{SessionOutcome, Store};

/// Moments in one result.
const MOMENTS_MAX: usize = 600;

/// A session that is being filled.
pub(super) struct Recording<'a> {
    journal: Journal<&'a Store>,
    host: HostRecord,
    interval: Nanos,
    traced: bool,
    pieces: Vec<WatchRecord>,
}

impl<'a> Recording<'a> {
    pub(super) fn begin(store: &'a Store, root: &Root, sampler: &Sampler, interval: Nanos) -> Self {
        let names = sampler
            .devices()
            .iter()
            .map(|device| format!("/dev/{}", device.name));
        let target = names.collect::<Vec<_>>().join(" ");
        let mut recording = Recording {
            journal: Journal::begin(
                Some(store),
                session::new_session(
                    separate::WATCH.stored(),
                    command_line(),
                    target,
                    clock::utc(),
                ),
            ),
            host: host::host_record(root),
            interval,
            traced: sampler.untraced().is_none(),
            pieces: Vec::new(),
        };
        recording.pieces = sampler
            .devices()
            .iter()
            .map(|device| recording.piece(device.clone()))
            .collect();
        recording
    }

    fn piece(&self, device: model::BlockDevice) -> WatchRecord {
        WatchRecord {
            tool_version: VERSION.to_owned(),
            command: command_line(),
            started_utc: clock::utc(),
            host: self.host.clone(),
            device,
            interval: self.interval,
            traced: self.traced,
            moments: Vec::new(),
            audit: None,
        }
    }

    pub(super) fn add(&mut self, moment: &Moment) {
        for piece in &mut self.pieces {
            let seen = moment
                .devices
                .iter()
                .find(|one| one.name == piece.device.name);
            piece.moments.extend(seen.map(|device| device.figures));
        }
        if self
            .pieces
            .iter()
            .any(|piece| piece.moments.len() >= MOMENTS_MAX)
        {
            self.save();
        }
    }

    /// What has been seen so far, and begins again.
    fn save(&mut self) {
        for piece in &mut self.pieces {
            let moments: Vec<WatchMoment> = std::mem::take(&mut piece.moments);
            if !moments.is_empty() {
                piece.moments = moments;
                self.journal.save_watch(piece);
                piece.moments.clear();
            }
            piece.started_utc = clock::utc();
        }
    }

    /// However it ended, what was seen is whole: a watch has no end of its own.
    pub(super) fn finish(mut self) -> Ending {
        self.save();
        let ending = answer::finish(&self.journal, SessionOutcome::Complete, None);
        if let Some(name) = self.journal.name() {
            output::tell(&format!("stored as {name}: fathom show {name}"));
        }
        ending
    }
}
