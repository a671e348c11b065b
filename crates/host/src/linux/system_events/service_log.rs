//! Logs of services that a request names: read once, when a run is over, for lines from its time.
//!
//! A line has its time first: as of RFC 3339 (rsyslog, `journalctl -o short-iso-precise`), as of RFC 3164 in the zone of this machine, or as
//! an event of Windows in XML (`wevtutil qe`). Lines of the kernel are read as those of its own log are. The words of services are a
//! table of literal parts. Sources: multipath-tools, open-iscsi, corosync and pacemaker; failover clustering's event numbers. Omitted:
//! files that grow while they are read.

use super::super::sys;
use super::kernel_lines::{About, contains, recognise, subject};
use super::scope::Scope;
use model::Nanos;
use model::calendar::days_since_1970;
use model::record::{EventKind, EventSource, SystemEvent};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use EventKind::{
    Fencing, Membership, PathFailed, PathRestored, Quorum, ResourceMoved, SessionLost,
    SessionRestored,
};

/// Of a longer file only the end is read.
const BYTES_MAX: u64 = 64 << 20;
const SECOND_NS: i64 = 1_000_000_000;
/// What is logged before and after a run belongs to it up to this.
const BEFORE_NS: i64 = 60 * SECOND_NS;
const AFTER_NS: i64 = 10 * SECOND_NS;
/// From an event to the time that a service writes in its line.
const LATE: Nanos = Nanos::millis(100);
/// A time without a fraction is somewhere in its second.
const HALF_SECOND: Nanos = Nanos::millis(500);

/// Program, kind, the parts of its line, and what the line has to name.
type Row = (&'static str, EventKind, &'static [&'static str], About);

const SERVICES: &[Row] = &[
    (
        "multipathd",
        PathFailed,
        &["checker failed path "],
        About::Device,
    ),
    (
        "multipathd",
        PathFailed,
        &[": mark as failed"],
        About::Device,
    ),
    ("multipathd", PathRestored, &[": reinstated"], About::Device),
    ("multipathd", PathRestored, &["path is up"], About::Device),
    (
        "iscsid",
        SessionLost,
        &["Kernel reported iSCSI connection ", " error ("],
        About::Device,
    ),
    (
        "iscsid",
        SessionRestored,
        &[" is operational after recovery"],
        About::Device,
    ),
    (
        "corosync",
        Membership,
        &["A processor failed, forming new configuration"],
        About::Anything,
    ),
    (
        "corosync",
        Membership,
        &["A new membership ("],
        About::Anything,
    ),
    (
        "corosync",
        Quorum,
        &["within the non-primary component"],
        About::Anything,
    ),
    (
        "corosync",
        Quorum,
        &["within the primary component"],
        About::Anything,
    ),
    ("pacemaker", Fencing, &[" will be fenced"], About::Anything),
    ("pacemaker", Fencing, &["was terminated ("], About::Anything),
    (
        "pacemaker",
        ResourceMoved,
        &["Result of ", " operation for ", " on "],
        About::Anything,
    ),
];

/// Numbers of events of Windows' failover clustering.
const CLUSTER: &[(u32, EventKind)] = &[
    (1069, ResourceMoved), // a resource failed
    (1135, Membership),    // a node was removed
    (1177, Quorum),        // the quorum was lost
    (1201, ResourceMoved), // a role is online
    (1204, ResourceMoved), // a role is offline
    (1205, ResourceMoved), // a role did not move completely
    (5120, SessionLost),   // a cluster shared volume is paused
    (5142, SessionLost),   // a cluster shared volume is not reachable
];

/// A time that lines are from, and how it becomes that of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// The start of the run, in nanoseconds since 1970.
    pub(super) start: i64,
    /// Now, likewise.
    pub(super) now: i64,
}

/// Reads a file, and passes on what is about the target, its times from the start of the run on.
///
/// # Errors
/// It cannot be read.
pub(super) fn read(
    path: &Path,
    window: Window,
    scope: &Scope,
    each: &mut dyn FnMut(SystemEvent),
) -> io::Result<()> {
    let mut file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("must be a regular file"));
    }
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(BYTES_MAX)))?;
    let mut bytes = Vec::new();
    file.take(BYTES_MAX).read_to_end(&mut bytes)?;
    for line in String::from_utf8_lossy(&bytes).lines() {
        if let Some(event) = event(line, window, scope) {
            each(event);
        }
    }
    Ok(())
}

fn event(line: &str, window: Window, scope: &Scope) -> Option<SystemEvent> {
    let stamp = match line.contains("<TimeCreated ") {
        true => of_windows(line)?,
        false => iso(line).or_else(|| classic(line, window.now))?,
    };
    let (at_ns, uncertainty) = match stamp.is_exact {
        true => (stamp.utc_ns, LATE),
        false => (stamp.utc_ns + SECOND_NS / 2, HALF_SECOND.plus(LATE)),
    };
    let is_near = window.start - BEFORE_NS <= at_ns && at_ns <= window.now + AFTER_NS;
    let (kind, subject, text) = match stamp.rest {
        Rest::Line(rest) if is_near => of_service(rest, scope)?,
        Rest::Windows if is_near => of_cluster(line)?,
        _ => return None,
    };
    Some(SystemEvent {
        at_ns: at_ns.saturating_sub(window.start),
        uncertainty,
        source: EventSource::File,
        kind,
        subject: SystemEvent::cut(&subject).to_owned(),
        text: SystemEvent::cut(&text).to_owned(),
    })
}

struct Stamp<'a> {
    utc_ns: i64,
    is_exact: bool,
    rest: Rest<'a>,
}

enum Rest<'a> {
    Line(&'a str),
    Windows,
}

/// `2026-11-21T10:30:12.345678+01:00 host program[12]: text`; the zone also as `+0100` or `Z`.
fn iso(line: &str) -> Option<Stamp<'_>> {
    let (stamp, rest) = line.split_once(' ')?;
    let (utc_ns, is_exact) = iso_time(stamp)?;
    Some(Stamp {
        utc_ns,
        is_exact,
        rest: Rest::Line(rest),
    })
}

fn iso_time(stamp: &str) -> Option<(i64, bool)> {
    let (date, time) = stamp.split_once('T')?;
    let mut date = date.split('-').map(|part| part.parse::<u64>().ok());
    let days = days_since_1970(date.next()??, date.next()??, date.next()??)?;
    let (clock, ahead_s) = match time.find(['Z', '+', '-']) {
        Some(at) => (time.get(..at)?, zone(time.get(at..)?)?),
        None => return None,
    };
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, ""));
    let seconds = seconds_of(clock)?;
    let digits = fraction.get(..fraction.len().min(9))?;
    let nanos: i64 = match digits {
        "" => 0,
        digits => digits.parse::<i64>().ok()? * 10i64.pow(9 - digits.len() as u32),
    };
    let utc_s = days as i64 * 86_400 + seconds - ahead_s;
    Some((utc_s * SECOND_NS + nanos, !digits.is_empty()))
}

/// `12:34:56`, in seconds.
fn seconds_of(clock: &str) -> Option<i64> {
    let mut parts = clock.split(':').map(|part| part.parse::<i64>().ok());
    let [hour, minute, second] = [parts.next()??, parts.next()??, parts.next()??];
    let fits = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..61).contains(&second);
    (fits && parts.next().is_none()).then_some((hour * 60 + minute) * 60 + second)
}

/// `Z`, `+01:00` or `-0500`, in seconds ahead of UTC.
fn zone(text: &str) -> Option<i64> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let sign = match text.as_bytes().first()? {
        b'Z' => return Some(0),
        b'-' => -1,
        _ => 1,
    };
    let (hours, minutes) = (digits.get(..2)?.parse::<i64>().ok()?, digits.get(2..4)?);
    Some(sign * (hours * 60 + minutes.parse::<i64>().ok()?) * 60)
}

/// `Nov 21 10:30:12 host program[12]: text`, of the last twelve months before `now`.
fn classic(line: &str, now: i64) -> Option<Stamp<'_>> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (date, rest) = (line.get(..15)?, line.get(16..)?);
    let month = MONTHS.iter().position(|month| date.starts_with(month))? as u64 + 1;
    let day: u64 = date.get(4..6)?.trim().parse().ok()?;
    let seconds = seconds_of(date.get(7..15)?)?;
    let ahead_s = sys::seconds_ahead_of_utc(now / SECOND_NS);
    let year = 1970 + now / SECOND_NS / 31_556_952;
    let of_year = |year: i64| {
        let days = days_since_1970(u64::try_from(year).ok()?, month, day)?;
        Some((days as i64 * 86_400 + seconds - ahead_s) * SECOND_NS)
    };
    let years = [year + 1, year, year - 1];
    let utc_ns = years.into_iter().filter_map(of_year);
    Some(Stamp {
        utc_ns: utc_ns.into_iter().find(|&at| at <= now + AFTER_NS)?,
        is_exact: false,
        rest: Rest::Line(rest),
    })
}

fn of_windows(line: &str) -> Option<Stamp<'_>> {
    let time = attribute(line, "SystemTime=")?;
    let (utc_ns, is_exact) = iso_time(time)?;
    Some(Stamp {
        utc_ns,
        is_exact,
        rest: Rest::Windows,
    })
}

/// The value of an attribute in quotes.
fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, behind) = line.split_once(name)?;
    let quote = behind.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    behind.get(1..)?.split(quote).next()
}

type Found = (EventKind, String, String);

/// `host program[12]: text`, of which the program may have a folder or a part in front.
pub(super) fn of_service(rest: &str, scope: &Scope) -> Option<Found> {
    let (head, text) = rest.split_once(": ")?;
    let program = head.rsplit(' ').next()?.split('[').next()?;
    let text = text.trim();
    if program == "kernel" {
        let line = match text.split_once("] ") {
            Some((stamp, line)) if stamp.starts_with('[') => line,
            _ => text,
        };
        let (kind, subject) = recognise(line, scope)?;
        return Some((kind, subject.to_owned(), line.to_owned()));
    }
    let is_it = |row: &&Row| program.starts_with(row.0) && contains(text, row.2);
    let (name, kind, _, about) = SERVICES.iter().find(is_it)?;
    // iscsid writes `connection 1:0` where the kernel writes `connection1:0`.
    let named = subject(&text.replace("connection ", "connection"), *about, scope)?;
    let named = if named.is_empty() { name } else { named };
    Some((*kind, named.to_owned(), text.to_owned()))
}

/// An event of failover clustering in XML.
fn of_cluster(line: &str) -> Option<Found> {
    if !attribute(line, "Provider Name=")?.contains("FailoverClustering") {
        return None;
    }
    let (_, behind) = line.split_once("<EventID")?;
    let number: u32 = behind
        .split_once('>')?
        .1
        .split('<')
        .next()?
        .trim()
        .parse()
        .ok()?;
    let (_, kind) = CLUSTER.iter().find(|(of, _)| *of == number)?;
    let data = |name: &str| {
        let (_, behind) = line.split_once(&format!("Name='{name}'>"))?;
        behind.split('<').next()
    };
    let names = ["NodeName", "ResourceName", "ResourceGroup", "VolumeName"];
    let named = names.into_iter().find_map(data).unwrap_or("cluster");
    Some((
        *kind,
        named.to_owned(),
        format!("failover clustering, event {number}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21 10:30:00 UTC.
    const START: i64 = 1_795_257_000 * SECOND_NS;

    fn found(line: &str) -> Option<(f64, u64, EventKind, String)> {
        let window = Window {
            start: START,
            now: START + 30 * SECOND_NS,
        };
        let event = event(line, window, &Scope::default())?;
        let uncertainty_ms = event.uncertainty.0 / 1_000_000;
        Some((
            event.at_ns as f64 / 1e9,
            uncertainty_ms,
            event.kind,
            event.subject,
        ))
    }

    #[test]
    fn times_of_each_form_are_those_of_the_run() {
        let text = "n1 corosync[812]:   [TOTEM ] A processor failed, forming new configuration.";
        let is = |at: f64, off: u64| Some((at, off, Membership, "corosync".to_owned()));
        assert_eq!(
            found(&format!("2026-11-21T10:30:12.250000+00:00 {text}")),
            is(12.25, 100)
        );
        assert_eq!(
            found(&format!("2026-11-21T11:30:12.250+0100 {text}")),
            is(12.25, 100)
        );
        assert_eq!(found(&format!("2026-11-21T05:00:12Z {text}")), None);
        assert_eq!(
            found(&format!("2026-11-21T10:30:12Z {text}")),
            is(12.5, 600)
        );
        assert_eq!(found(&format!("2026-11-21T10:28:12Z {text}")), None); // before the run
        assert_eq!(found(&format!("2026-02-30T10:30:12Z {text}")), None);
        assert_eq!(found(&format!("2026-11-21T10:30:12 {text}")), None); // of no zone
        assert_eq!(found(text), None);
    }

    #[test]
    fn words_of_services_are_recognised_with_what_they_name() {
        let kind = |text: &str| {
            let found = found(&format!("2026-11-21T10:30:12.25Z n1 {text}"));
            found.map(|(_, _, kind, subject)| (kind, subject))
        };
        let is = |kind, subject: &str| Some((kind, subject.to_owned()));
        for (text, expected) in [
            (
                "corosync[1]: [QUORUM] This node is within the non-primary component and will NOT provide any services.",
                is(Quorum, "corosync"),
            ),
            (
                "pacemaker-schedulerd[1]: warning: Cluster node n2 will be fenced: peer is no longer part of the cluster",
                is(Fencing, "pacemaker"),
            ),
            (
                "pacemaker-controld[1]: notice: Result of start operation for fs on n1: ok",
                is(ResourceMoved, "pacemaker"),
            ),
            (
                "multipathd[1]: checker failed path 8:16 in map mpatha",
                None,
            ), // of no device of the target
            (
                "corosync[1]: [MAIN  ] Completed service synchronization",
                None,
            ),
            ("logger: A new membership (1.2)", None), // another program
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }

    #[test]
    fn events_of_windows_are_read_by_their_number() {
        let line = |id: u32, provider: &str| {
            format!(
                "<Event xmlns='x'><System><Provider Name='{provider}' Guid='y'/><EventID>{id}</EventID>\
                 <TimeCreated SystemTime='2026-11-21T10:30:12.3451234Z'/></System>\
                 <EventData><Data Name='NodeName'>NODE2</Data></EventData></Event>"
            )
        };
        let clustering = "Microsoft-Windows-FailoverClustering";
        let (at, _, kind, subject) = found(&line(1135, clustering)).unwrap();
        assert_eq!((kind, subject.as_str()), (Membership, "NODE2"));
        assert!((at - 12.345_123_4).abs() < 1e-6, "{at}");
        assert_eq!(found(&line(1135, "Other")), None);
        assert_eq!(found(&line(7, clustering)), None);
    }

    #[test]
    fn the_end_of_a_file_is_read_and_a_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let line = "2026-11-21T10:30:12.25Z n1 corosync[1]: [TOTEM ] A new membership (1.2)\n";
        let noise = b"\xff\x00 x\n2026-11-21T10:30:12.25Z n1\n".repeat(3_000_000);
        std::fs::write(&path, [line.as_bytes(), &noise, line.as_bytes()].concat()).unwrap();
        let window = Window {
            start: START,
            now: START + 30 * SECOND_NS,
        };
        let mut events = Vec::new();
        read(&path, window, &Scope::default(), &mut |event| {
            events.push(event);
        })
        .unwrap();
        assert_eq!(events.len(), 1);
        let folder = read(folder.path(), window, &Scope::default(), &mut |_| ());
        assert!(folder.is_err());
    }
}
