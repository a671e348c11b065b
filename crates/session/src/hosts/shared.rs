//! What ranks agree on before a step: each checks its own part of it. Of a target that all share rank 0 creates the file and
//! proves it, once for all.
//!
//! Omitted: which part that is (`layout`).

use super::answers::{self, Agreed};
use super::keys::{self, TargetKey};
use super::layout::{Sharing, place, task};
use super::{HostAnswer, Hosts, orders, read_all, to_bytes};
use crate::admission::{Admission, CheckedPlan};
use crate::schedule::{RankPart, Step};
use engine::{Silent, Stop};
use model::{Allocation, Claim, CommandError, Content, ErrorKind, JobLayout, Profile, TargetFacts};
use serde::Serialize;
use serde::de::DeserializeOwned;

impl Hosts {
    /// Has every rank check a step against its own machine, without running it.
    ///
    /// # Errors
    /// What any rank refuses, with its name.
    pub fn check_request(
        &self,
        step: &Step,
        admission: &Admission<'_>,
    ) -> Result<CheckedPlan, CommandError> {
        self.agree(&orders::Check::of(step), admission, &[])
    }

    /// The same; a file that all ranks share is there behind it.
    pub(crate) fn check(
        &self,
        step: &Step,
        admission: &Admission<'_>,
        known: &[TargetFacts],
        stop: &Stop,
    ) -> Result<CheckedPlan, CommandError> {
        let mut wanted = orders::Check::of(step);
        let checked = self.agree(&wanted, admission, known)?;
        let mut targets = checked.plan.targets.iter();
        let creates = targets.any(|target| target.create.is_some());
        if self.sharing.get().layout == JobLayout::Own || !creates {
            return Ok(checked);
        }
        let CheckedPlan { mut plan, facts } = checked;
        admission.prepare(&mut plan, &facts, &Silent, stop)?;
        // They are those of the file that is there now.
        let places = plan.targets.iter().map(|target| &target.location);
        let facts: Vec<TargetFacts> = places.map(|place| admission.look(place)).collect();
        wanted.created = keys::of(&facts, admission.root);
        for target in &mut wanted.timespan.targets {
            target.create = None;
            target.allocation = Allocation::default();
        }
        self.agree(&wanted, admission, known)
    }

    fn agree(
        &self,
        wanted: &orders::Check,
        admission: &Admission<'_>,
        known: &[TargetFacts],
    ) -> Result<CheckedPlan, CommandError> {
        self.gathered.take(); // of an earlier step
        let mut own = None;
        let reply = self.round(orders::CHECK, None, wanted, &mut |_| {
            let (checked, answer) = self.checked(wanted, admission, known);
            own = checked;
            to_bytes(&answer)
        })?;
        self.all_here(&reply)?;
        let answers: Vec<(u32, Agreed)> = read_all(&reply.items)?;
        answers::agreed(&answers, &self.names.borrow(), self.sharing.get().layout)?;
        own.ok_or_else(|| CommandError::failed("rank 0 has no plan"))
    }

    /// Checks this rank's part of a step on this machine; neither a plan nor problems where it has no part.
    pub(super) fn checked(
        &self,
        wanted: &orders::Check,
        admission: &Admission<'_>,
        known: &[TargetFacts],
    ) -> (Option<CheckedPlan>, Agreed) {
        let checked = match self.part(wanted, &admission.host.hostname) {
            Ok(None) => return (None, Agreed::default()),
            Ok(Some(profile)) => check_part(&profile, &wanted.created, admission, known),
            Err(error) => Err(error),
        };
        match checked {
            Ok(checked) => {
                let keys = keys::of(&checked.facts, admission.root);
                let agreed = Agreed {
                    keys,
                    ..Agreed::default()
                };
                (Some(checked), agreed)
            }
            Err(error) => {
                let agreed = Agreed {
                    keys: Vec::new(),
                    problems: error.messages().to_vec(),
                    unfit: error.kind() == ErrorKind::Unfit,
                };
                (None, agreed)
            }
        }
    }

    /// This rank's part of a step; none where there are fewer tasks than ranks.
    fn part(&self, wanted: &orders::Check, host: &str) -> Result<Option<Profile>, CommandError> {
        let share = self.share();
        let layout = self.options.layout;
        let RankPart::Task(further) = wanted.part else {
            self.sharing.set(Sharing {
                layout,
                ranks: share.size,
            });
            return place(&wanted.timespan, &self.options, share, host).map(Some);
        };
        let sharing = Sharing::of_tasks(&wanted.timespan);
        self.sharing.set(sharing);
        let has_task = share.rank < sharing.ranks;
        Ok(has_task.then(|| {
            task(
                &wanted.timespan,
                share,
                (share.rank + further) % sharing.ranks,
            )
        }))
    }

    /// Has every rank answer an order that the command defines, `own` for rank 0. Returns the answers of those that are not lost,
    /// in the order of their ranks.
    ///
    /// # Errors
    /// The job has ended, or an answer is unreadable.
    pub fn ask<T: Serialize + DeserializeOwned>(
        &self,
        wanted: &impl Serialize,
        own: impl FnOnce() -> T,
    ) -> Result<Vec<HostAnswer<T>>, CommandError> {
        let mut own = Some(own);
        let reply = self.round(orders::PERFORM, None, wanted, &mut |_| {
            own.take().map(|own| to_bytes(&own())).unwrap_or_default()
        })?;
        self.note_lost(&reply);
        let answers: Vec<(u32, T)> = read_all(&reply.items)?;
        let named = answers.into_iter().map(|(rank, answer)| HostAnswer {
            rank,
            host: self.name(rank),
            answer,
        });
        Ok(named.collect())
    }

    /// Returns why these targets, one of each rank, do not fit the layout.
    pub fn unfit_targets(&self, targets: &[HostAnswer<TargetKey>]) -> Vec<String> {
        let agreed = |one: &HostAnswer<TargetKey>| {
            let keys = vec![one.answer.clone()];
            (
                one.rank,
                Agreed {
                    keys,
                    ..Agreed::default()
                },
            )
        };
        let answers: Vec<(u32, Agreed)> = targets.iter().map(agreed).collect();
        let names = self.names.borrow();
        let fits = answers::agreed(&answers, &names, self.options.layout);
        fits.map_or_else(|error| error.messages().to_vec(), |()| Vec::new())
    }

    /// Has every rank perform its part of something that the command defines, `own` for rank 0. Returns what went wrong, with the
    /// rank.
    ///
    /// # Errors
    /// The job has ended.
    pub fn each(
        &self,
        wanted: &impl Serialize,
        own: impl FnOnce() -> Vec<String>,
    ) -> Result<Vec<String>, CommandError> {
        let answers = self.ask(wanted, own)?;
        let named = |rank: u32, why: &str| match rank {
            0 => why.to_owned(),
            _ => format!("{}: {why}", super::label(rank, &self.name(rank))),
        };
        let problems = answers.iter().flat_map(|one: &HostAnswer<Vec<String>>| {
            one.answer.iter().map(move |why| named(one.rank, why))
        });
        let lost = self.lost();
        let lost = lost
            .iter()
            .map(|lost| named(lost.rank, &format!("host-lost: {}", lost.reason)));
        Ok(problems.chain(lost).collect())
    }
}

/// Checks a part. The content of what rank 0 has created or proven is known: that it is the same file shows in its key.
fn check_part(
    profile: &Profile,
    created: &[TargetKey],
    admission: &Admission<'_>,
    known: &[TargetFacts],
) -> Result<CheckedPlan, CommandError> {
    admission.pins.forget_missing();
    if created.is_empty() {
        return Ok(admission.check_again(profile, known)?.remove(0));
    }
    let mut facts = admission.facts(profile);
    let keys = keys::of(&facts, admission.root);
    for (facts, key) in facts.iter_mut().zip(&keys) {
        if created.iter().any(|known| known.is_same(key)) {
            facts.content = Content::Fathom;
            let claims = &mut facts.claims;
            claims.retain(|claim| !matches!(claim, Claim::Signature { .. }));
        }
    }
    let mut checked = admission.check_again(profile, &facts)?.remove(0);
    let targets = checked.plan.targets.iter_mut().zip(&facts);
    for (target, _) in targets.filter(|(_, facts)| facts.content == Content::Fathom) {
        target.prove_ours = false;
    }
    Ok(checked)
}
