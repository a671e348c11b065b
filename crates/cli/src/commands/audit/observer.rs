//! Readings around a command: counters, processes, memory, and the files that it has open. Omitted: what they mean.

use super::super::command_line;
use host::{CounterReader, EndedProgram, ProgramReader, Root};
use model::record::audited::{Audit, AuditPlace, Pressure, Unwritten};
use model::{BlockDevice, CommandError, CounterWindow, Counters, Nanos, WatchMoment, WatchRecord};
use session::VERSION;
use session::clock::{self, Stopwatch};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// Files that are looked at, and those that are kept: with direct I/O, or as long as this.
const SEEN_MAX: usize = 512;
const KEPT_MAX: usize = 8;
const KEPT_BYTES_MIN: u64 = 1 << 20;

/// What is read before, while and after a command runs.
pub(crate) struct Observer {
    since: Stopwatch,
    named: Vec<AuditPlace>,
    devices: Vec<BlockDevice>,
    counters: CounterReader,
    before: Counters,
    programs: ProgramReader,
    pressure: Pressure,
    unwritten: Unwritten,
    files: Files,
}

impl Observer {
    /// Finds the devices of the named places, or all of the machine.
    ///
    /// # Errors
    /// A place cannot be read.
    pub(crate) fn start(root: &Root, named: &[PathBuf]) -> Result<Observer, CommandError> {
        let mut devices: Vec<BlockDevice> = Vec::new();
        let (mut problems, mut places) = (Vec::new(), Vec::new());
        for path in named {
            match host::place_of(root, path) {
                Ok((place, chain)) => {
                    devices.extend(chain);
                    places.push(AuditPlace {
                        named: true,
                        ..place
                    });
                }
                Err(error) => problems.push(format!(
                    "invalid value '{}' for --on: must be a file, folder or device: {}",
                    path.display(),
                    model::errno_text(&error)
                )),
            }
        }
        if !problems.is_empty() {
            return Err(CommandError::refused_for(problems));
        }
        if named.is_empty() {
            devices = host::whole_devices(root);
        }
        let mut known = std::collections::HashSet::new();
        devices.retain(|device| known.insert(device.name.clone()));
        let names: Vec<String> = devices.iter().map(|device| device.name.clone()).collect();
        Ok(Observer {
            since: Stopwatch::start(),
            named: places,
            devices,
            counters: CounterReader::open(root, &names),
            before: Counters::default(),
            programs: ProgramReader::default(),
            pressure: Pressure::default(),
            unwritten: Unwritten::default(),
            files: Files::watch(root, named),
        })
    }

    /// Takes the first reading, the counters of devices last.
    pub(crate) fn begin(&mut self, root: &Root) {
        self.programs = ProgramReader::open(root);
        self.pressure = host::pressure(root);
        self.unwritten.dirty_before = self.counters.waiting_writes().0;
        let since = self.since;
        self.before = self.counters.read(&mut || since.elapsed());
    }

    /// Looks which files the processes have open.
    pub(crate) fn sample(&self, processes: &[u32]) {
        self.files.sample(processes);
    }

    /// Takes the last reading, the counters of devices first.
    pub(crate) fn record(mut self, root: &Root, ended: &EndedProgram) -> WatchRecord {
        let since = self.since;
        let after = self.counters.read(&mut || since.elapsed());
        let (dirty, writeback) = self.counters.waiting_writes();
        self.unwritten.dirty_after = dirty;
        self.unwritten.writeback_after = writeback;
        let mut others = std::mem::take(&mut self.programs).used(root);
        others.retain(|one| !ended.running.contains(&one.process));
        let (_, refused) = host::process_ios(root);
        let mut notes = Vec::new();
        if refused > 0 {
            notes.push(format!(
                "other load: {} may not be read, so that the devices' counters alone contain what they did",
                analysis::say::counted(refused as u64, "process")
            ));
        }
        let places = self.files.finish().unwrap_or_else(|| {
            notes.push(
                "a file system does not answer: the files are as they were before".to_owned(),
            );
            self.named
        });
        let window = CounterWindow {
            before: self.before,
            after,
        };
        let (device, moments) = device_of(&self.devices, &places, &window);
        WatchRecord {
            tool_version: VERSION.to_owned(),
            command: command_line(),
            started_utc: clock::utc(),
            host: host::host_record(root),
            device,
            interval: Nanos(0),
            traced: false,
            moments,
            audit: Some(Box::new(Audit {
                program: Vec::new(),
                ending: ended.ending,
                io: ended.io,
                window,
                devices: self.devices,
                places,
                remote_mounts: host::remote_mounts(root),
                unwritten: self.unwritten,
                others,
                pressure: host::pressure(root).since(&self.pressure),
                printed: Vec::new(),
                notes,
            })),
        }
    }
}

/// The files that the command has open, looked at by a thread of their own: a file system that does not answer would keep
/// the command's end from being seen.
struct Files {
    processes: SyncSender<Vec<u32>>,
    places: Receiver<Vec<AuditPlace>>,
}

/// How long the last look may take.
const ANSWER: Duration = Duration::from_secs(5);

impl Files {
    fn watch(root: &Root, named: &[PathBuf]) -> Files {
        let (processes, received) = sync_channel::<Vec<u32>>(1);
        let (send, places) = sync_channel(1);
        let (root, named) = (root.clone(), named.to_vec());
        std::thread::spawn(move || {
            let mut seen = BTreeMap::new();
            for processes in received {
                look(&root, &processes, &mut seen);
            }
            let _ = send.send(places_of(&root, &named, seen.into_values().collect()));
        });
        Files { processes, places }
    }

    /// Where the last look is not complete, this one is omitted.
    fn sample(&self, processes: &[u32]) {
        let _ = self.processes.try_send(processes.to_vec());
    }

    fn finish(self) -> Option<Vec<AuditPlace>> {
        drop(self.processes);
        self.places.recv_timeout(ANSWER).ok()
    }
}

fn look(root: &Root, processes: &[u32], seen: &mut BTreeMap<String, AuditPlace>) {
    let places = processes
        .iter()
        .flat_map(|one| host::open_places(root, *one));
    for place in places {
        let is_direct = seen.get(&place.path).is_some_and(|known| known.direct);
        if seen.len() < SEEN_MAX || seen.contains_key(&place.path) {
            let direct = place.direct || is_direct;
            let place = AuditPlace { direct, ..place };
            seen.insert(place.path.clone(), place);
        }
    }
}

/// The named places as they are now, then the largest of the files that were seen open.
fn places_of(root: &Root, named: &[PathBuf], mut seen: Vec<AuditPlace>) -> Vec<AuditPlace> {
    let found = |path: &Path| host::place_of(root, path).map(|(place, _)| place).ok();
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut places = Vec::new();
    for path in named {
        let Some(mut place) = found(path) else {
            continue;
        };
        let name = real(path);
        let open = seen.iter().position(|one| Path::new(&one.path) == name);
        place.direct = open.is_some_and(|at| seen.remove(at).direct);
        place.named = true;
        places.push(place);
    }
    let is_large = |place: &AuditPlace| place.size.is_some_and(|size| size.0 >= KEPT_BYTES_MIN);
    let is_library = |place: &AuditPlace| place.path.contains(".so");
    seen.retain(|place| (place.direct || is_large(place)) && !is_library(place));
    seen.sort_by_key(|place| std::cmp::Reverse(place.size));
    seen.truncate(KEPT_MAX);
    let now = |place: AuditPlace| match found(Path::new(&place.path)) {
        Some(now) => AuditPlace {
            direct: place.direct,
            ..now
        },
        None => place,
    };
    places.extend(seen.into_iter().map(now));
    places
}

/// The device of which the result is listed: that of the first named place, else the one that moved most.
fn device_of(
    devices: &[BlockDevice],
    places: &[AuditPlace],
    window: &CounterWindow,
) -> (BlockDevice, Vec<WatchMoment>) {
    let named = places.iter().find(|place| place.named);
    let first = named.and_then(|place| place.chain.first());
    let moved = |device: &&BlockDevice| {
        let done = window.device(&device.name).unwrap_or_default();
        done.read_bytes.0.saturating_add(done.write_bytes.0)
    };
    let device = match named {
        Some(_) => devices.iter().find(|device| Some(&device.name) == first),
        None => devices.iter().max_by_key(moved),
    };
    let Some(device) = device else {
        return (BlockDevice::default(), Vec::new());
    };
    let of = |counters: &Counters| {
        let mut all = counters.devices.iter();
        all.find(|one| one.name == device.name).cloned()
    };
    let both = of(&window.before).zip(of(&window.after));
    let moment = both.map(|(before, after)| {
        WatchMoment::between(&before, &after, window.after.begun, window.elapsed())
    });
    (device.clone(), moment.into_iter().collect())
}
