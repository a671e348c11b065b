//! The backends of Windows. Omitted: which one a plan gets, which is in `dispatch`.

use super::{Iocp, Sync};
use crate::dispatch::{MAPPED, NOTHING, NULL, Row};
use crate::timespan::workers::live_with;
use model::EngineChoice;

/// In order of preference; `auto` takes the first that runs, and never the null backend.
pub(crate) static BACKENDS: &[Row] = &[
    Row {
        name: "iocp",
        choice: Some(EngineChoice::Iocp),
        is_automatic: true,
        trial: None,
        probe: |_| Ok(()),
        depth_max: model::check::QUEUE_DEPTH_MAX,
        polls: NOTHING,
        live: |orders| live_with(orders, Iocp::open),
    },
    Row {
        name: "sync",
        choice: Some(EngineChoice::Sync),
        is_automatic: true,
        trial: None,
        probe: |_| Ok(()),
        depth_max: 1,
        polls: NOTHING,
        live: |orders| live_with(orders, Sync::open),
    },
    NULL,
    MAPPED,
];
