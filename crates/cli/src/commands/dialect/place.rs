//! Where another tool's line is run: in this process alone, or as rank 0 of several.

use super::{StoredSession, look};
use crate::commands::hosts::Member;
use crate::run_context::RunContext;
use engine::Stop;
use model::{CommandError, Location, Profile, Timespan};
use session::{Admission, CheckedPlan, Hosts, Step};
use std::path::Path;
use std::rc::Rc;
use store::NewSession;
use tools::fio::There;

/// What a run of the line has around it.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) ground: &'a RunContext,
    pub(crate) gate: &'a Admission<'a>,
    pub(crate) stop: &'a Stop,
    /// The processes of the job, where there are several.
    pub(crate) hosts: Option<&'a Rc<Hosts>>,
}

impl<'a> Place<'a> {
    /// That of a run alone.
    pub(crate) fn alone(ground: &'a RunContext, gate: &'a Admission<'a>, stop: &'a Stop) -> Self {
        Place {
            ground,
            gate,
            stop,
            hosts: None,
        }
    }

    /// That of rank 0.
    pub(crate) fn of_ranks(member: &Member<'a>) -> Place<'a> {
        Place {
            ground: member.ground,
            gate: member.gate,
            stop: member.stop,
            hosts: Some(member.hosts),
        }
    }

    /// Returns what this process has under a name of the request.
    pub(crate) fn look(&self, path: &Path) -> Option<There> {
        let own = self.own(&Location::Path(path.to_owned()));
        look(self.gate, own.ok()?.path()?) // the check refuses a wrong name
    }

    /// Returns the target of this process by that of the request.
    ///
    /// # Errors
    /// Its name does not fit the layout.
    pub(crate) fn own(&self, target: &Location) -> Result<Location, CommandError> {
        match (self.hosts, target) {
            (Some(hosts), Location::Path(path)) => {
                let own = hosts.own_path(path, &self.gate.host.hostname)?;
                Ok(Location::Path(own))
            }
            _ => Ok(target.clone()),
        }
    }

    /// Checks all time spans, on each machine, before anything is written. Returns the plans of this process.
    ///
    /// # Errors
    /// What any rank refuses.
    pub(crate) fn check(&self, profile: &Profile) -> Result<Vec<CheckedPlan>, CommandError> {
        let Some(hosts) = self.hosts else {
            return self.gate.check(profile);
        };
        let check = |span: &Timespan| {
            let step = Step::new(String::new(), span.clone());
            hosts.check_request(&step, self.gate)
        };
        profile.timespans.iter().map(check).collect()
    }

    /// Opens the session of so many time spans.
    ///
    /// # Errors
    /// The results database cannot be written.
    pub(crate) fn open(
        &self,
        session: NewSession,
        spans: usize,
    ) -> Result<StoredSession, CommandError> {
        let kept_in = self.ground.place.as_ref();
        match self.hosts {
            Some(hosts) => StoredSession::of_job(kept_in, session, spans * hosts.size() as usize),
            None => StoredSession::open(kept_in, session, spans),
        }
    }
}
