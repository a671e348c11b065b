//! Records of one program each: each case of a first line, with its answer.

use super::*;
use model::record::audited::AuditPlace;
use model::{
    BlockDevice, Bytes, Counters, DeviceCounters, FileSystem, ImportFormat, ImportedFigures,
    ImportedOperation, ImportedRun, Nanos,
};

/// What a device did: reads and writes, each with its KiB.
type Did = [(u64, u64); 2];

struct Case {
    printed: Option<(Operation, f64, u64)>, // IOPS and I/Os of 4 KiB
    chain: Vec<(&'static str, &'static str, Did)>,
    place: AuditPlace,
    own: [u64; 2], // KiB
    others_kib: [u64; 2],
}

const NOTHING: Did = [(0, 0); 2];

fn kib(count: u64) -> Bytes {
    Bytes(count << 10)
}

fn fio(operation: Operation, chain: &[(&'static str, &'static str, Did)]) -> Case {
    let on = FileSystem {
        kind: "ext4".to_owned(),
        ..FileSystem::default()
    };
    let own = match operation {
        Operation::Read => [16 << 10, 0],
        Operation::Write => [0, 16 << 10],
    };
    Case {
        printed: Some((operation, 341_000.0, 4096)),
        chain: chain.to_vec(),
        place: AuditPlace {
            path: "/m/f".to_owned(),
            named: true,
            file_system: Some(on),
            size: Some(kib(16 << 10)),
            allocated: Some(kib(16 << 10)),
            ..AuditPlace::default()
        },
        own,
        others_kib: [0; 2],
    }
}

fn run(operation: Operation, ios_per_s: f64, ios: u64) -> ImportedRun {
    let text = r#"{"format":"fio_json","source":"","place":1,"line":1,"workload":{"targets":[]},"rows":[],"notes":[],"figures":
        {"total":{"latency":{"percentiles":[],"histogram":[]}},"read":{"latency":{"percentiles":[],"histogram":[]}},
        "write":{"latency":{"percentiles":[],"histogram":[]}}}}"#;
    let empty: ImportedRun = serde_json::from_str(text).unwrap();
    let one = ImportedOperation {
        ios: Some(ios),
        bytes: Some(kib(4 * ios)),
        ios_per_s: Some(ios_per_s),
        ..ImportedOperation::default()
    };
    let mut figures = ImportedFigures::default();
    match operation {
        Operation::Read => figures.read = one,
        Operation::Write => figures.write = one,
    }
    ImportedRun {
        format: ImportFormat::FioJson,
        figures,
        ..empty
    }
}

fn device((name, kind, _): &(&str, &str, Did)) -> BlockDevice {
    BlockDevice {
        name: (*name).to_owned(),
        kind: (*kind).to_owned(),
        ..BlockDevice::default()
    }
}

impl Case {
    fn record(self) -> WatchRecord {
        let devices = self.chain.iter().map(device);
        let after = self
            .chain
            .iter()
            .map(|(name, _, [read, write])| DeviceCounters {
                name: (*name).to_owned(),
                reads: read.0,
                read_bytes: kib(read.1),
                writes: write.0,
                write_bytes: kib(write.1),
                ..DeviceCounters::default()
            });
        let after: Vec<DeviceCounters> = after.collect();
        let before = after.iter().map(|device| DeviceCounters {
            name: device.name.clone(),
            ..DeviceCounters::default()
        });
        let [read, written] = self.others_kib.map(kib);
        let names = self.chain.iter().map(|(name, ..)| (*name).to_owned());
        let audit = Audit {
            program: vec!["/usr/bin/fio".to_owned()],
            io: ProgramIo {
                processes: 1,
                read_bytes: kib(self.own[0]),
                write_bytes: kib(self.own[1]),
                ..ProgramIo::default()
            },
            window: CounterWindow {
                before: Counters {
                    devices: before.collect(),
                    ..Counters::default()
                },
                after: Counters {
                    begun: Nanos::seconds(1),
                    devices: after.clone(),
                    ..Counters::default()
                },
            },
            places: vec![AuditPlace {
                chain: names.collect(),
                ..self.place
            }],
            devices: devices.collect(),
            others: vec![OtherProgram {
                name: "cp".to_owned(),
                read,
                written,
                ..OtherProgram::default()
            }],
            printed: self
                .printed
                .map(|(one, rate, ios)| run(one, rate, ios))
                .into_iter()
                .collect(),
            ..Audit::default()
        };
        WatchRecord {
            tool_version: "0".to_owned(),
            command: Vec::new(),
            started_utc: Nanos(0),
            host: model::HostRecord::default(),
            device: BlockDevice::default(),
            interval: Nanos(0),
            traced: false,
            moments: Vec::new(),
            audit: Some(Box::new(audit)),
        }
    }

    fn report(self) -> AuditReport {
        audit_report(&self.record()).unwrap()
    }
}

const FULL: (u64, u64) = (4096, 16 << 10);
const NONE: (u64, u64) = (0, 0);

#[test]
fn figures_of_the_page_cache_are_no_disk_result() {
    let case = fio(Operation::Read, &[("vda", "disk", [(3, 12), NONE])]);
    let report = case.report();
    assert_eq!(report.answer, AuditAnswer::Memory);
    assert_eq!(report.validity, Some(Validity::Invalid));
    assert_eq!(
        report.sentence,
        "fio printed 341k IOPS; vda did 3 reads (12 KiB) in that time: the page cache answered"
    );
    assert_eq!(report.findings[0].id.as_str(), "audit-not-on-device");
    assert_eq!(report.findings[0].evidence[1].value, 12_288.0);
}

#[test]
fn each_way_of_answering_has_its_answer() {
    use Operation::{Read, Write};
    let answer = |case: Case| case.report().answer;
    let read = |chain: &[(&'static str, &'static str, Did)]| fio(Read, chain);
    assert_eq!(
        answer(read(&[("vda", "disk", [FULL, NONE])])),
        AuditAnswer::Device
    );
    assert_eq!(
        answer(read(&[("vda", "disk", [(2000, 8000), NONE])])),
        AuditAnswer::PartMemory
    );
    assert_eq!(
        answer(fio(Write, &[("vda", "disk", [NONE, (40, 16 << 10)])])),
        AuditAnswer::Merged
    );
    let below = [
        ("loop0", "loop", [FULL, NONE]),
        ("vda", "disk", [(3, 12), NONE]),
    ];
    assert_eq!(answer(read(&below)), AuditAnswer::CacheBelow);
    let through = [
        ("loop0", "loop", [FULL, NONE]),
        ("vda", "disk", [FULL, NONE]),
    ];
    assert_eq!(answer(read(&through)), AuditAnswer::Device);
    assert_eq!(
        answer(read(&[("vda", "disk", NOTHING)])),
        AuditAnswer::Memory
    );
}

#[test]
fn files_without_a_device_have_their_reason() {
    let sentence = |change: fn(&mut AuditPlace), chain: &[(&'static str, &'static str, Did)]| {
        let mut case = fio(Operation::Read, chain);
        change(&mut case.place);
        let report = case.report();
        (report.answer, report.sentence)
    };
    let kind = |place: &mut AuditPlace, kind: &str| {
        kind.clone_into(&mut place.file_system.as_mut().unwrap().kind);
    };
    let quiet = [("vda", "disk", NOTHING)];
    let (answer, text) = sentence(|place| place.allocated = Some(Bytes(0)), &quiet);
    assert_eq!(answer, AuditAnswer::Memory);
    assert!(
        text.ends_with("/m/f has holes, which are read without a device"),
        "{text}"
    );
    let (answer, text) = sentence(|place| place.direct = true, &quiet);
    assert_eq!(answer, AuditAnswer::Memory);
    assert!(text.contains("never written"), "{text}");
    let of = |name: &'static str| {
        let mut case = fio(Operation::Read, &[]);
        kind(&mut case.place, name);
        case.report()
    };
    assert_eq!(of("tmpfs").answer, AuditAnswer::NoDevice);
    assert_eq!(of("tmpfs").validity, Some(Validity::Invalid));
    assert_eq!(of("nfs4").answer, AuditAnswer::Remote);
    assert_eq!(of("nfs4").validity, Some(Validity::NotChecked));
    let zram = fio(Operation::Read, &[("zram0", "zram", [FULL, NONE])]);
    assert_eq!(zram.report().answer, AuditAnswer::NoDevice);
}

#[test]
fn a_busy_neighbour_is_never_taken_for_the_program() {
    let busy = |own: u64| {
        let mut case = fio(
            Operation::Read,
            &[("vda", "disk", [(90_000, 900 << 10), NONE])],
        );
        case.others_kib[0] = 890 << 10;
        case.own[0] = own;
        case.report()
    };
    assert_eq!(busy(16 << 10).answer, AuditAnswer::Device);
    assert_eq!(busy(0).answer, AuditAnswer::Memory);
    let mut case = fio(
        Operation::Write,
        &[("vda", "disk", [NONE, (90_000, 900 << 10)])],
    );
    case.others_kib[1] = 890 << 10;
    let report = case.report();
    assert_eq!(report.answer, AuditAnswer::Undecided);
    assert_eq!(report.validity, Some(Validity::NotChecked));
    assert!(
        report
            .findings
            .iter()
            .any(|one| one.id.as_str() == "audit-other-load")
    );
    // What a file system writes besides is its own.
    let case = fio(
        Operation::Write,
        &[("vda", "disk", [NONE, (9000, 40 << 10)])],
    );
    assert_eq!(case.report().answer, AuditAnswer::Device);
}

#[test]
fn without_a_named_place_files_on_a_server_leave_it_open() {
    let mut case = fio(Operation::Read, &[("vda", "disk", NOTHING)]);
    case.place.named = false;
    let mut record = case.record();
    let answer = |record: &WatchRecord| audit_report(record).unwrap().answer;
    record.audit.as_mut().unwrap().remote_mounts = vec!["nfs4".to_owned()];
    assert_eq!(answer(&record), AuditAnswer::Memory, "its file was seen");
    record.audit.as_mut().unwrap().places.clear();
    assert_eq!(answer(&record), AuditAnswer::Undecided);
    record.audit.as_mut().unwrap().io.read_bytes = Bytes(0);
    assert_eq!(answer(&record), AuditAnswer::Memory);
}

#[test]
fn a_program_that_prints_nothing_has_its_account() {
    let account = |written: (u64, u64)| {
        let mut case = fio(Operation::Write, &[("vda", "disk", [NONE, written])]);
        case.printed = None;
        let report = case.report();
        assert_eq!(
            (report.answer, report.validity),
            (AuditAnswer::Account, None)
        );
        let ids = report.findings.iter().map(|one| one.id.as_str().to_owned());
        (report.sentence, ids.collect::<Vec<_>>())
    };
    let (early, ids) = account((2, 1024));
    assert_eq!(
        early,
        "fio wrote 16 MiB; vda did 2 writes (1 MiB) before it ended: 15 MiB were still in memory"
    );
    assert_eq!(ids, ["audit-not-written"]);
    let mut hidden = fio(Operation::Write, &[("vda", "disk", NOTHING)]);
    hidden.printed = None;
    let mut record = hidden.record();
    let io = &mut record.audit.as_mut().unwrap().io;
    (io.processes, io.unread) = (0, 1);
    let report = audit_report(&record).unwrap();
    assert!(
        report.sentence.starts_with("fio could not be counted"),
        "{}",
        report.sentence
    );
    let (whole, ids) = account((20, 17 << 10));
    assert_eq!(
        whole,
        "fio wrote 16 MiB; vda did 20 writes (17 MiB) before it ended"
    );
    assert_eq!(ids, [""; 0]);
}
