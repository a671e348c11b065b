//! The devices of this machine, as a page and as a document.
//!
//! The document has its units in its names, as every document of fathom does.

use super::Form;
use host::DeviceListing;
use model::record::PathFacts;
use model::{BlockDevice, Claim};
use serde::Serialize;
use std::path::Path;
use views::DeviceLine;

/// What `fathom devices --json` prints.
#[derive(Serialize)]
struct Document<'a> {
    devices: Vec<Entry<'a>>,
}

/// One device; what the system does not report is null.
#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    identity: Identity<'a>,
    #[serde(flatten)]
    facts: Facts<'a>,
    /// In use now, so it is never written.
    in_use: bool,
    claims: &'a [Claim],
}

/// What the system reports of it.
#[derive(Serialize)]
struct Facts<'a> {
    #[serde(flatten)]
    medium: Medium<'a>,
    #[serde(flatten)]
    requests: Requests<'a>,
    /// The memory node that its controller is next to, where there are several.
    memory_node: Option<u32>,
    /// Cores that its controller's interrupts have come to since the system started; empty where that is unknown.
    interrupt_cores: &'a [u32],
    /// Where a partition begins on its disk.
    start_bytes: Option<u64>,
    #[serde(flatten)]
    commands: Commands<'a>,
    /// Whether the block layer counts its I/Os.
    counted: Option<bool>,
    detail: Option<&'a str>,
    /// Whether a loop device bypasses the page cache of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_direct: Option<bool>,
    /// What the file of a loop device takes on its file system.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_allocated_bytes: Option<u64>,
    /// Type of the file system that the file of a loop device lies on.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_on: Option<&'a str>,
    /// Of a multipath device.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    paths: &'a [PathFacts],
}

/// Which device it is.
#[derive(Serialize)]
struct Identity<'a> {
    path: &'a Path,
    name: &'a str,
    /// The name that people use, below `/dev/mapper` or `/dev/md`.
    known_as: Option<&'a str>,
    /// Kernel name of the one device that it uses.
    parent: Option<&'a str>,
    kind: &'a str,
    size_bytes: u64,
    major: u32,
    minor: u32,
}

/// What its data is on.
#[derive(Serialize)]
struct Medium<'a> {
    model: Option<&'a str>,
    firmware: Option<&'a str>,
    rotational: Option<bool>,
    removable: bool,
    read_only: bool,
}

/// How the kernel submits requests to it, and their limits.
#[derive(Serialize)]
struct Requests<'a> {
    scheduler: Option<&'a str>,
    queue_size: Option<u32>,
    request_max_bytes: Option<u64>,
    segments_max: Option<u32>,
    read_ahead_bytes: Option<u64>,
    logical_block_bytes: Option<u64>,
    physical_block_bytes: Option<u64>,
    write_cache: Option<&'a str>,
}

/// How its commands are queued and travel.
#[derive(Serialize)]
struct Commands<'a> {
    queues: Option<u32>,
    device_queue: Option<u32>,
    fua: Option<bool>,
    transport: Option<&'a str>,
    /// Speed of its link: `16.0 GT/s x4`.
    link: Option<&'a str>,
}

/// The list, in the order of the host.
pub(crate) fn devices(listed: &[DeviceListing], form: Form<'_>) -> Vec<u8> {
    if form.json {
        let devices = listed.iter().map(entry).collect();
        return super::document(&Document { devices });
    }
    let lines: Vec<DeviceLine<'_>> = listed
        .iter()
        .map(|listing| DeviceLine {
            path: &listing.path,
            device: &listing.device,
            parent: listing.parent.as_deref(),
            claims: &listing.claims,
            known_as: listing.known_as.as_deref(),
        })
        .collect();
    form.written(|out| views::write_devices(&lines, &form.paper(), out))
}

fn entry(listing: &DeviceListing) -> Entry<'_> {
    let DeviceListing {
        device,
        parent,
        claims,
        path,
        known_as,
    } = listing;
    Entry {
        identity: Identity {
            path,
            name: &device.name,
            known_as: known_as.as_deref(),
            parent: parent.as_deref(),
            kind: &device.kind,
            size_bytes: device.size.0,
            major: device.number.0,
            minor: device.number.1,
        },
        facts: facts(device),
        in_use: claims.iter().any(Claim::in_use),
        claims,
    }
}

fn facts(device: &BlockDevice) -> Facts<'_> {
    let BlockDevice {
        name: _, // these are its identity
        number: _,
        kind: _,
        size: _,
        model,
        firmware,
        rotational,
        removable,
        read_only,
        scheduler,
        queue_size,
        request_max,
        segments_max,
        read_ahead,
        logical_block,
        physical_block,
        write_cache,
        memory_node,
        interrupt_cores,
        start,
        queues,
        device_queue,
        fua,
        transport,
        link,
        diskseq: _,
        counted,
        detail,
        file_direct,
        file_allocated,
        file_on,
        paths,
    } = device;
    Facts {
        medium: Medium {
            model: model.as_deref(),
            firmware: firmware.as_deref(),
            rotational: *rotational,
            removable: *removable,
            read_only: *read_only,
        },
        requests: Requests {
            scheduler: scheduler.as_deref(),
            queue_size: *queue_size,
            request_max_bytes: request_max.map(|size| size.0),
            segments_max: *segments_max,
            read_ahead_bytes: read_ahead.map(|size| size.0),
            logical_block_bytes: logical_block.map(|size| size.0),
            physical_block_bytes: physical_block.map(|size| size.0),
            write_cache: write_cache.as_deref(),
        },
        memory_node: *memory_node,
        interrupt_cores,
        start_bytes: start.map(|place| place.0),
        commands: Commands {
            queues: *queues,
            device_queue: *device_queue,
            fua: *fua,
            transport: transport.as_deref(),
            link: link.as_deref(),
        },
        counted: *counted,
        detail: detail.as_deref(),
        file_direct: *file_direct,
        file_allocated_bytes: file_allocated.map(|size| size.0),
        file_on: file_on.as_deref(),
        paths,
    }
}
