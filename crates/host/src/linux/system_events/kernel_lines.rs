//! Lines of the kernel's log that report a change of a path, a session, a controller, an array, a server or a link.
//!
//! A table of literal parts: a line begins with the head of a group and contains all parts of a row in order. No regular
//! expressions, because most lines of a log are of something else and are passed by their first letters. Sources: the
//! kernel's `drivers/md/dm-mpath.c`, `drivers/md/raid1.c` and `md.c`, `drivers/scsi/`, `drivers/nvme/host/`,
//! `drivers/block/drbd/`, `net/sunrpc/clnt.c`, `fs/`, `kernel/hung_task.c`. Omitted: drivers' own words for their adapters.

use super::scope::Scope;
use model::record::EventKind;

/// What a line has to name, so that it is about the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// A device, session or controller of the target's chain.
    Device,
    /// Its file server.
    Server,
    /// A file system or device of this kind is in use; the line need not name it.
    Kind(&'static str),
    /// A network interface of this machine.
    Interface,
    /// Nothing.
    Anything,
}

/// A kind of event and the parts that its line has.
type Row = (EventKind, &'static [&'static str]);

/// Lines that begin in the same way.
struct Group {
    head: &'static str,
    about: About,
    rows: &'static [Row],
}

use EventKind::{
    BlockedTask, ControllerReset, FileSystemError, IoError, Link, MemberFailed, Ownership,
    PathFailed, PathRestored, Rebuild, ReplicaLost, ReplicaRestored, ServerAnswers, ServerSilent,
    SessionLost, SessionRestored,
};

const GROUPS: &[Group] = &[
    Group {
        head: "device-mapper: multipath: ",
        about: About::Device,
        rows: &[
            (PathFailed, &["Failing path "]),
            (PathRestored, &["Reinstating path "]),
        ],
    },
    Group {
        head: "connection",
        about: About::Device,
        rows: &[
            (SessionLost, &[": detected conn error ("]),
            (SessionLost, &[": ping timeout of "]),
        ],
    },
    Group {
        head: "session",
        about: About::Device,
        rows: &[(SessionLost, &[": session recovery timed out after "])],
    },
    Group {
        head: "rport-",
        about: About::Device,
        rows: &[(PathFailed, &[": blocked FC remote port time out"])],
    },
    Group {
        head: "sd ",
        about: About::Device,
        rows: &[
            (PathFailed, &["rejecting I/O to offline device"]),
            (PathFailed, &["rejecting I/O to dead device"]),
            (
                PathFailed,
                &["Device offlined - not ready after error recovery"],
            ),
            (
                PathFailed,
                &["Medium access timeout failure. Offlining disk!"],
            ),
            (PathFailed, &["hostbyte=DID_NO_CONNECT"]),
            (PathFailed, &["hostbyte=DID_TRANSPORT_FAILFAST"]),
            (ControllerReset, &["hostbyte=DID_TRANSPORT_DISRUPTED"]),
            (ControllerReset, &["hostbyte=DID_RESET"]),
            (ControllerReset, &["Power-on or device reset occurred"]),
            (Ownership, &["alua: port group ", " state "]),
            (Ownership, &["Asymmetric access state changed"]),
        ],
    },
    Group {
        head: "scsi host",
        about: About::Device,
        rows: &[(ControllerReset, &["reset"])],
    },
    Group {
        head: "ata",
        about: About::Device,
        rows: &[
            (ControllerReset, &[": hard resetting link"]),
            (ControllerReset, &[": soft resetting link"]),
            (ControllerReset, &[": exception Emask ", " frozen"]),
            (PathFailed, &[": SATA link down"]),
        ],
    },
    Group {
        head: "nvme",
        about: About::Device,
        rows: &[
            (ControllerReset, &[" timeout, "]),
            (ControllerReset, &["controller is down; will reset"]),
            (ControllerReset, &["resetting controller"]),
            (PathFailed, &["Device not ready; aborting "]),
            (PathFailed, &["isabling device after reset failure"]),
            (PathFailed, &["Removing after probe failure"]),
            (PathFailed, &["Removing controller"]),
            (SessionLost, &["starting error recovery"]),
            (SessionLost, &["Reconnecting in "]),
            (SessionLost, &["Failed reconnect attempt "]),
            (SessionLost, &["failed nvme_keep_alive_end_io error"]),
            (SessionRestored, &["Successfully reconnected ("]),
            (IoError, &["I/O Error (sct "]),
        ],
    },
    Group {
        head: "md/raid",
        about: About::Device,
        rows: &[(MemberFailed, &[": Disk failure on "])],
    },
    Group {
        head: "md: ",
        about: About::Device,
        rows: &[
            (Rebuild, &["recovery of RAID array "]),
            (Rebuild, &["resync of RAID array "]),
            (Rebuild, &["data-check of RAID array "]),
            (Rebuild, &["reshape of RAID array "]),
            (Rebuild, &[": recovery done"]),
            (Rebuild, &[": resync done"]),
            (Rebuild, &[": data-check done"]),
            (Rebuild, &[": reshape done"]),
            (Rebuild, &[": recovery interrupted"]),
            (Rebuild, &[": resync interrupted"]),
        ],
    },
    Group {
        head: "drbd ",
        about: About::Kind("drbd"),
        rows: DRBD,
    },
    Group {
        head: "block drbd",
        about: About::Device,
        rows: DRBD,
    },
    Group {
        head: "block nvme",
        about: About::Device,
        rows: &[
            (PathFailed, &["no usable path - requeuing I/O"]),
            (PathFailed, &["no available path - failing I/O"]),
        ],
    },
    Group {
        head: "nfs: server ",
        about: About::Server,
        rows: &[
            (ServerSilent, &[" not responding"]),
            (ServerAnswers, &[" OK"]),
        ],
    },
    Group {
        head: "CIFS: ",
        about: About::Server,
        rows: &[(ServerSilent, &[" has not responded in "])],
    },
    Group {
        head: "libceph: ",
        about: About::Kind("ceph"),
        rows: &[
            (SessionLost, &[" socket closed"]),
            (SessionLost, &[" socket error on "]),
            (SessionLost, &[" session lost, hunting for new mon"]),
            (SessionRestored, &[" session established"]),
            (ServerSilent, &["osd", " down"]),
            (ServerAnswers, &["osd", " up"]),
        ],
    },
    Group {
        head: "ceph: ",
        about: About::Kind("ceph"),
        rows: &[
            (ServerSilent, &["mds", " hung"]),
            (ServerAnswers, &["mds", " came back"]),
        ],
    },
    Group {
        head: "Lustre: ",
        about: About::Kind("lustre"),
        rows: &[
            (SessionLost, &[": Connection to ", " was lost"]),
            (SessionRestored, &[": Connection restored to "]),
        ],
    },
    Group {
        head: "EXT4-fs error (device ",
        about: About::Device,
        rows: &[(FileSystemError, &[])],
    },
    Group {
        head: "EXT4-fs (",
        about: About::Device,
        rows: &[(FileSystemError, &["Remounting filesystem read-only"])],
    },
    Group {
        head: "Aborting journal on device ",
        about: About::Device,
        rows: &[(FileSystemError, &[])],
    },
    Group {
        head: "XFS (",
        about: About::Device,
        rows: &[
            (FileSystemError, &["metadata I/O error"]),
            (FileSystemError, &["log I/O error"]),
            (FileSystemError, &["orruption detected"]),
            (FileSystemError, &["has been shut down"]),
        ],
    },
    Group {
        head: "BTRFS error (device ",
        about: About::Device,
        rows: &[(FileSystemError, &[])],
    },
    Group {
        head: "BTRFS critical (device ",
        about: About::Device,
        rows: &[(FileSystemError, &[])],
    },
    Group {
        head: "Buffer I/O error on dev ",
        about: About::Device,
        rows: &[(IoError, &[])],
    },
    Group {
        head: "blk_update_request: ",
        about: About::Device,
        rows: &[(IoError, &[" error, dev "])],
    },
    Group {
        head: "print_req_error: ",
        about: About::Device,
        rows: &[(IoError, &[" error, dev "])],
    },
    Group {
        head: "I/O error, dev ",
        about: About::Device,
        rows: &[(IoError, &[])],
    },
    Group {
        head: "timeout error, dev ",
        about: About::Device,
        rows: &[(IoError, &[])],
    },
    Group {
        head: "recoverable transport error, dev ",
        about: About::Device,
        rows: &[(IoError, &[])],
    },
    Group {
        head: "critical ",
        about: About::Device,
        rows: &[(IoError, &[" error, dev "])],
    },
    Group {
        head: "INFO: task ",
        about: About::Anything,
        rows: &[(BlockedTask, &[" blocked for more than ", " seconds"])],
    },
];

/// Of DRBD 8 and 9, which change a line's head and not these parts.
const DRBD: &[Row] = &[
    (ReplicaLost, &["conn( ", "-> NetworkFailure )"]),
    (ReplicaLost, &["conn( ", "-> Timeout )"]),
    (ReplicaLost, &["conn( ", "-> BrokenPipe )"]),
    (ReplicaLost, &["conn( ", "-> TearDown )"]),
    (ReplicaLost, &["conn( ", "-> Disconnecting )"]),
    (ReplicaLost, &["conn( ", "-> ProtocolError )"]),
    (ReplicaLost, &["PingAck did not arrive in time"]),
    (ReplicaLost, &["pdsk( UpToDate -> "]),
    (MemberFailed, &[" disk( UpToDate -> "]),
    (ReplicaRestored, &["conn( ", "-> Connected )"]),
    (ReplicaRestored, &["pdsk( ", "-> UpToDate )"]),
    (Rebuild, &["Began resync as "]),
    (Rebuild, &["Resync done ("]),
];

/// The end of a line on a link, whose head is its driver's. Sources: `drivers/net/ethernet/`.
const LINKS: &[&str] = &[
    "Link is Down",
    "Link is down",
    "Link down",
    "link down",
    "Link is Up",
    "Link is up",
    "Link up",
    "link up",
];

/// Returns what a line of the kernel's log reports and of what, where it is about the target.
pub(super) fn recognise<'a>(line: &str, scope: &'a Scope) -> Option<(EventKind, &'a str)> {
    let of_group = |group: &Group| {
        let rest = line.strip_prefix(group.head)?;
        let row = group.rows.iter().find(|(_, parts)| contains(rest, parts))?;
        Some((row.0, subject(line, group.about, scope)?))
    };
    GROUPS
        .iter()
        .find_map(of_group)
        .or_else(|| link(line, scope))
}

fn link<'a>(line: &str, scope: &'a Scope) -> Option<(EventKind, &'a str)> {
    // One search in place of eight for most lines.
    let may_be = scope.has_interfaces() && line.contains("ink ");
    if !may_be || !LINKS.iter().any(|words| line.contains(words)) {
        return None;
    }
    Some((Link, subject(line, About::Interface, scope)?))
}

pub(super) fn subject<'a>(line: &str, about: About, scope: &'a Scope) -> Option<&'a str> {
    match about {
        About::Device => scope.device(line),
        About::Server => scope.server(line),
        About::Interface => scope.interface(line),
        About::Kind(kind) => Some(scope.device(line).unwrap_or(scope.of_kind(kind)?)),
        About::Anything => Some(""),
    }
}

/// Whether all parts are there, one behind the other.
pub(super) fn contains(mut text: &str, parts: &[&str]) -> bool {
    parts.iter().all(|part| match text.split_once(part) {
        Some((_, rest)) => {
            text = rest;
            true
        }
        None => false,
    })
}
