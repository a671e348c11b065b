//! What a copy reads and writes, and what stands against that: all of it at once, before anything is opened for writing.
//!
//! Whether something may be written over is `model::check_output`'s business, as it is `model::check`'s of a run. Here
//! stand the names: the same file at both ends, the file that keeps the results, names that are neither file nor device.

use super::amount;
use crate::options;
use crate::system::{self, SINKS};
use engine::{CopyEnd, CopyJob, CopyReads, Silent, Stop};
use gate::Pins;
use host::Root;
use model::{Bytes, Claim, CommandError, Consent, Content, FilesPlace, TargetFacts, TargetKind};
use session::{hold, keeps, may_keep};
use std::path::Path;
use tools::dd::{CopyRequest, DdEnd, DdRequest};

/// The smallest unit of direct I/O.
const SECTOR: u64 = 512;
/// Most memory that the buffers of a copy take.
const BUFFERS_MAX: u64 = 1 << 30;

/// Both ends, as they may be used.
pub(super) struct Ends {
    pub(super) job: CopyJob,
    input: TargetFacts,
    output: TargetFacts,
    pins: Pins,
    /// What looks like fathom's own has to be shown to be.
    prove: bool,
}

/// Checks both, and refuses what may not be.
pub(super) fn look(
    request: &CopyRequest,
    consent: &Consent,
    store: Option<&Path>,
    root: &Root,
) -> Result<Ends, CommandError> {
    let asked = &request.copy;
    let pins = Pins::default();
    if !hold(&pins, &asked.output.path) {
        let path = asked.output.path.clone();
        return Err(engine::RunError::locked(&path).into());
    }
    let input = host::pinned_facts(root, &pins, &asked.input.path);
    let mut output = host::pinned_facts(root, &pins, &asked.output.path);
    if model::output_asks_if_empty(&output, consent) {
        output.content = host::content_of_whole(&output, &pins);
    }
    let mut reported: Vec<String> = against_input(&input, request);
    reported.extend(against_output(&output, &pins, consent, request));
    let amount = amount::of(request, &input, &output);
    reported.extend(amount.problems);
    reported.extend(against_names(
        asked,
        &pins,
        consent,
        store,
        [&input, &output],
    ));
    reported.extend(against_transfers(request, &pins));
    if !reported.is_empty() {
        return Err(CommandError::refused_for(reported));
    }
    let marked = matches!(output.content, Content::Fathom | Content::FathomPartial);
    let allowed = consent.overwrite_files || consent.destroy_devices.contains(&output.path);
    let plain = job(request, &input, &output);
    Ok(Ends {
        job: CopyJob {
            pins: pins.clone(),
            count_bytes: amount.bytes.or(plain.count_bytes),
            ..plain
        },
        prove: marked && !allowed,
        input,
        output,
        pins,
    })
}

impl Ends {
    /// Reads all of what looks like fathom's own, before it is written over.
    pub(super) fn prove(&self, stop: &Stop) -> Result<(), CommandError> {
        match self.prove {
            true => Ok(engine::prove_ours(
                &self.output.path,
                &self.pins,
                &Silent,
                stop,
            )?),
            false => Ok(()),
        }
    }

    /// For the record: where it went, or where it came from where it went nowhere.
    pub(super) fn place(&self, asked: &CopyRequest) -> FilesPlace {
        let facts = match self.output.chain.is_empty() {
            true => &self.input,
            false => &self.output,
        };
        FilesPlace {
            paths: asked.names().to_vec(),
            file_system: facts.file_system.clone(),
            chain: facts.chain.clone(),
            hosts: Vec::new(),
        }
    }
}

fn against_input(facts: &TargetFacts, request: &CopyRequest) -> Vec<String> {
    let path = facts.path.display();
    let direct = request.spelling.input_direct;
    let why = match facts.kind {
        TargetKind::Missing | TargetKind::MissingFolder => {
            "there is no such file: check the spelling"
        }
        TargetKind::Folder => "this is a folder: specify a file in it",
        TargetKind::Forbidden => "you may not read it: ask for access, or run as root",
        TargetKind::NvmeNamespace => "this accepts commands, not bytes: specify its block device",
        TargetKind::Other if request.copy.input.flags.direct => {
            return vec![format!(
                "{path}: {direct} needs a disk or a file, and this is neither: remove it"
            )];
        }
        _ => return Vec::new(),
    };
    vec![format!("{path}: {why}")]
}

fn against_output(
    facts: &TargetFacts,
    pins: &Pins,
    consent: &Consent,
    request: &CopyRequest,
) -> Vec<String> {
    let path = facts.path.display();
    let (asked, spelling) = (&request.copy, &request.spelling);
    let mut reported: Vec<String> = model::check_output(facts, consent)
        .iter()
        .map(|problem| problem.message(options::dd))
        .collect();
    let there = !matches!(facts.kind, TargetKind::Missing | TargetKind::MissingFolder);
    if facts.kind == TargetKind::NvmeNamespace {
        reported.push(format!(
            "{path}: this accepts commands, not bytes: specify its block device"
        ));
    }
    if facts.kind == TargetKind::Other && !is_sink(pins, &facts.path) {
        reported.push(format!(
            "{path}: neither file nor disk: of other things a copy goes only to {}",
            SINKS.join(", ")
        ));
    }
    if facts.kind == TargetKind::Other && asked.output.flags.direct {
        reported.push(format!(
            "{path}: {} needs a disk or a file, and this is neither: remove it",
            spelling.output_direct
        ));
    }
    if asked.conversions.excl && there {
        reported.push(format!(
            "{path}: {} requires a new file, and this exists already",
            spelling.must_be_new
        ));
    }
    if asked.conversions.nocreat && !there {
        reported.push(format!(
            "{path}: {} requires an existing file, and there is none",
            spelling.must_be_there
        ));
    }
    reported
}

/// What would fail only after the output was cut to length.
fn against_transfers(request: &CopyRequest, pins: &Pins) -> Vec<String> {
    let asked = &request.copy;
    let mut reported = Vec::new();
    for end in [&asked.input, &asked.output] {
        let path = end.path.display();
        if end.flags.direct && !end.block.0.is_multiple_of(SECTOR) {
            reported.push(format!(
                "{path}: direct I/O needs blocks that are a multiple of {SECTOR} bytes, and these have {}",
                end.block.0
            ));
        }
        if end.offset().0 > i64::MAX as u64 {
            reported.push(format!(
                "{path}: no file has a place at {}: specify a smaller one",
                end.offset()
            ));
        }
    }
    let Some(work) = &request.transfers else {
        return reported;
    };
    if engine::has_no_places(pins, &asked.input.path) {
        reported.push(format!(
            "{}: a pipe has no places: specify a file or a device; hint: fathom dd reads pipes",
            asked.input.path.display()
        ));
    }
    let memory = u64::from(work.threads).saturating_mul(asked.input.block.0);
    if memory > BUFFERS_MAX {
        reported.push(format!(
            "the threads need {} for their transfers, and at most {} is used: specify fewer threads or smaller transfers",
            Bytes(memory),
            Bytes(BUFFERS_MAX)
        ));
    }
    reported
}

fn against_names(
    asked: &DdRequest,
    pins: &Pins,
    consent: &Consent,
    store: Option<&Path>,
    [input, output]: [&TargetFacts; 2],
) -> Vec<String> {
    let mut reported = Vec::new();
    let path = asked.output.path.display();
    if are_one(pins, asked) && !is_sink(pins, &asked.output.path) {
        reported.push(format!("{path}: read and written at once: name two files"));
    } else if is_over(output, input) || is_over(input, output) {
        reported.push(format!(
            "{path}: the output overlaps the input {}, so what is read would change: specify another output",
            asked.input.path.display()
        ));
    }
    if store.is_some_and(|store| keeps(store, output)) {
        reported.push(format!(
            "{path}: the results are stored in this file: specify another output, or another --store"
        ));
    }
    reported.extend(store.and_then(|store| may_keep(&Root::live(), store, output)));
    if asked.output.path.is_symlink() && !asked.output.path.exists() {
        reported.push(format!(
            "{path}: a symbolic link to something that is not there: specify the file itself"
        ));
    }
    for device in consent
        .destroy_devices
        .iter()
        .filter(|device| **device != output.path)
    {
        reported.push(format!(
            "--destroy {}: this is not what of= names, so it would allow nothing: specify the device exactly as of= \
            does",
            model::shell_word(device)
        ));
    }
    reported
}

fn is_sink(pins: &Pins, path: &Path) -> bool {
    let pin = pins.pin(path);
    pin.is_ok_and(|pin| system::is_sink(path, &pin))
}

/// Whether both ends are one file or device, under any names.
fn are_one(pins: &Pins, asked: &DdRequest) -> bool {
    let pin = |path: &Path| pins.pin(path).ok();
    let both = pin(&asked.input.path).zip(pin(&asked.output.path));
    both.is_some_and(|(input, output)| input.is_same(&output))
}

/// Whether a device's data is in the other file or device, or in a part of it.
fn is_over(device: &TargetFacts, other: &TargetFacts) -> bool {
    let is_below = |name: &str| device.chain.iter().any(|below| below.name == name);
    let used_by = other.claims.iter().filter_map(|claim| match claim {
        Claim::Holder { by, .. } => Some(by.as_str()),
        _ => None,
    });
    let itself = (other.kind == TargetKind::BlockDevice).then(|| other.chain.first());
    let itself = itself.flatten().map(|device| device.name.as_str());
    device.kind == TargetKind::BlockDevice && used_by.chain(itself).any(is_below)
}

fn job(request: &CopyRequest, input: &TargetFacts, output: &TargetFacts) -> CopyJob {
    let asked = &request.copy;
    let conversions = asked.conversions;
    let (count, count_bytes) = match asked.count {
        Some(count) if count.in_bytes => (None, Some(Bytes(count.number))),
        Some(count) => (Some(count.number), None),
        None => (None, None),
    };
    let end = |end: &DdEnd, facts: &TargetFacts| CopyEnd {
        path: end.path.clone(),
        block: end.block,
        offset: end.offset(),
        direct: end.flags.direct,
        sync: end.flags.sync,
        dsync: end.flags.dsync,
        append: end.flags.append,
        // The disk of a pipe's folder takes no part.
        device: (facts.kind != TargetKind::Other)
            .then(|| facts.chain.first().map(|device| device.name.clone()))
            .flatten(),
    };
    CopyJob {
        input: end(&asked.input, input),
        output: end(&asked.output, output),
        count,
        count_bytes,
        reads: CopyReads {
            joins: asked.joins,
            fills: asked.input.flags.fullblock,
            pads: conversions.sync,
            goes_on: conversions.noerror,
        },
        syncs_data: conversions.fdatasync,
        syncs_all: conversions.fsync,
        keeps_length: conversions.notrunc,
        must_be_new: conversions.excl,
        must_be_there: conversions.nocreat,
        transfers: request.transfers.clone(),
        pins: Pins::default(),
    }
}
