//! Events that the system reported during a run: changes of paths, sessions, controllers, arrays, servers and links.
//!
//! Omitted: how they are read (`host`), and what follows from them (`analysis`).

use crate::units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Events of one run, and what of the system was not read for them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SystemEvents {
    /// In order of time; at most [`SystemEvents::KEPT_MAX`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<SystemEvent>,
    /// Further ones that were only counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u64,
    /// Why the kernel's log was not read; none where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_log_unread: Option<String>,
    /// Files of the request that could not be read, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_unread: Vec<String>,
    /// Lines of the kernel's log that were overwritten before they were read.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub kernel_log_lost: u64,
}

/// One event. Its texts are the system's and may contain anything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SystemEvent {
    /// When, on the run's clock, in nanoseconds; negative before the start of the warm-up.
    pub at_ns: i64,
    /// It was within this, either way.
    pub uncertainty: Nanos,
    /// What reported it.
    pub source: EventSource,
    /// What happened.
    pub kind: EventKind,
    /// Device, session, controller, server or network interface; empty where none is named.
    pub subject: String,
    /// The system's words, at most [`SystemEvent::TEXT_MAX`] bytes.
    pub text: String,
}

/// What reported an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EventSource {
    /// A state that the kernel shows in a file, read several times per second.
    State,
    /// A line of the kernel's log.
    KernelLog,
    /// A line of a file that the request named.
    File,
}

impl EventSource {
    /// Returns its name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            EventSource::State => "state",
            EventSource::KernelLog => "kernel-log",
            EventSource::File => "file",
        }
    }
}

/// What happened.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A path to the target failed.
    PathFailed,
    /// A path is in use again.
    PathRestored,
    /// A session or connection to the storage was lost.
    SessionLost,
    /// It is there again.
    SessionRestored,
    /// A controller, host adapter or device was reset, or did not answer in time.
    ControllerReset,
    /// Another controller owns the target, or a path is optimised that was not.
    Ownership,
    /// A member of an array failed.
    MemberFailed,
    /// An array began or ended to repair or check itself.
    Rebuild,
    /// A replica is not connected or not up to date.
    ReplicaLost,
    /// A replica is connected or up to date again.
    ReplicaRestored,
    /// A file server does not answer.
    ServerSilent,
    /// It answers again.
    ServerAnswers,
    /// A network link changed its state.
    Link,
    /// A task of the system waited for minutes.
    BlockedTask,
    /// The block layer reported a failed I/O.
    IoError,
    /// A file system reported an error.
    FileSystemError,
    /// A node joined or left a cluster.
    Membership,
    /// A cluster has its quorum no more, or again.
    Quorum,
    /// A node of a cluster is or was fenced.
    Fencing,
    /// A cluster started or stopped a resource on a node.
    ResourceMoved,
}

impl EventKind {
    /// Every kind with its name, as in JSON.
    pub const ALL: [(EventKind, &'static str); 20] = [
        (EventKind::PathFailed, "path-failed"),
        (EventKind::PathRestored, "path-restored"),
        (EventKind::SessionLost, "session-lost"),
        (EventKind::SessionRestored, "session-restored"),
        (EventKind::ControllerReset, "controller-reset"),
        (EventKind::Ownership, "ownership"),
        (EventKind::MemberFailed, "member-failed"),
        (EventKind::Rebuild, "rebuild"),
        (EventKind::ReplicaLost, "replica-lost"),
        (EventKind::ReplicaRestored, "replica-restored"),
        (EventKind::ServerSilent, "server-silent"),
        (EventKind::ServerAnswers, "server-answers"),
        (EventKind::Link, "link"),
        (EventKind::BlockedTask, "blocked-task"),
        (EventKind::IoError, "io-error"),
        (EventKind::FileSystemError, "file-system-error"),
        (EventKind::Membership, "membership"),
        (EventKind::Quorum, "quorum"),
        (EventKind::Fencing, "fencing"),
        (EventKind::ResourceMoved, "resource-moved"),
    ];

    /// Returns its name, as in JSON.
    pub fn name(self) -> &'static str {
        let row = EventKind::ALL.iter().find(|(kind, _)| *kind == self);
        row.expect("every kind has its row").1
    }
}

impl SystemEvent {
    /// A longer text is cut.
    pub const TEXT_MAX: usize = 200;

    /// Cuts a text at the end of a letter.
    pub fn cut(text: &str) -> &str {
        &text[..text.floor_char_boundary(SystemEvent::TEXT_MAX)]
    }
}

impl SystemEvents {
    /// Kept of one run.
    pub const KEPT_MAX: usize = 1000;
    /// Kept of one kind and subject, so that a flood of one leaves room for others.
    pub const SAME_MAX: usize = 50;

    /// Adds an event, or counts it where enough are kept.
    pub fn push(&mut self, event: SystemEvent) {
        let same = |one: &&SystemEvent| one.kind == event.kind && one.subject == event.subject;
        let is_full = self.events.len() >= SystemEvents::KEPT_MAX
            || self.events.iter().filter(same).count() >= SystemEvents::SAME_MAX;
        if is_full {
            self.omitted = self.omitted.saturating_add(1);
            return;
        }
        self.events.push(event);
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: EventKind, subject: &str) -> SystemEvent {
        SystemEvent {
            at_ns: -5,
            uncertainty: Nanos::millis(1),
            source: EventSource::KernelLog,
            kind,
            subject: subject.to_owned(),
            text: String::new(),
        }
    }

    #[test]
    fn a_flood_of_one_kind_leaves_room_for_others_and_is_counted() {
        let mut events = SystemEvents::default();
        for _ in 0..10_000 {
            events.push(event(EventKind::IoError, "sda"));
        }
        events.push(event(EventKind::PathFailed, "sda"));
        assert_eq!((events.events.len(), events.omitted), (51, 9950));
        for number in 0..2000 {
            events.push(event(EventKind::IoError, &format!("sd{number}")));
        }
        assert_eq!(events.events.len(), SystemEvents::KEPT_MAX);
        assert_eq!(events.omitted, 9950 + 2000 - 949);
    }

    #[test]
    fn names_are_those_of_json_and_a_text_is_cut_between_letters() {
        for (kind, name) in EventKind::ALL {
            assert_eq!(kind.name(), name);
        }
        for source in [
            EventSource::State,
            EventSource::KernelLog,
            EventSource::File,
        ] {
            assert!(!source.name().contains('_'));
        }
        let long = "ä".repeat(150);
        assert_eq!(SystemEvent::cut(&long).len(), 200);
        assert_eq!(SystemEvent::cut(&format!("x{long}")).len(), 199);
        assert_eq!(SystemEvent::cut("short"), "short");
    }
}
