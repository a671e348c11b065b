//! The backends of Linux. Omitted: which one a plan gets, which is in `dispatch`.

use super::{Aio, IoUring, Nvme, Sync, read_without_waiting};
use crate::dispatch::{MAPPED, NOTHING, NULL, Row};
use crate::timespan::workers::live_with;
use model::{EngineChoice, Polling};

/// In order of preference; `auto` takes the first that runs, and never the null backend. Commands are passed through where
/// a target is such that nothing else can be done with it.
pub(crate) static BACKENDS: &[Row] = &[
    Row {
        name: "io_uring",
        choice: Some(EngineChoice::IoUring),
        is_automatic: true,
        trial: Some(read_without_waiting),
        probe: IoUring::probe,
        depth_max: model::check::QUEUE_DEPTH_MAX,
        polls: Polling {
            completions: true,
            submissions: true,
        },
        live: |orders| live_with(orders, IoUring::open),
    },
    Row {
        name: "libaio",
        choice: Some(EngineChoice::Libaio),
        is_automatic: true,
        trial: None,
        probe: |_| Aio::probe(),
        depth_max: model::check::QUEUE_DEPTH_MAX,
        polls: NOTHING,
        live: |orders| live_with(orders, Aio::open),
    },
    Row {
        name: "sync",
        choice: Some(EngineChoice::Sync),
        is_automatic: true,
        trial: None,
        probe: |_| Ok(()),
        depth_max: 1,
        polls: Polling {
            completions: true,
            submissions: false,
        },
        live: |orders| live_with(orders, |setup| Ok(Sync::open(setup))),
    },
    Row {
        name: "nvme",
        choice: Some(EngineChoice::Nvme),
        is_automatic: false,
        trial: None,
        probe: Nvme::probe,
        depth_max: model::check::QUEUE_DEPTH_MAX,
        polls: Polling {
            completions: true,
            submissions: false,
        },
        live: |orders| live_with(orders, Nvme::open),
    },
    NULL,
    MAPPED,
];
