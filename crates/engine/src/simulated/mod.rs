//! Simulated devices: the real loop of every thread, on devices that exist in a model only in simulated
//! time.
//!
//! Read in this order: `device` (when an I/O will be done), `service_time` and `speed` (its service times and what is wrong with
//! it), `scheduler` (threads, one after the other in the order of simulated time), `control` (phases, counters, onlookers),
//! `expected` (what is known beforehand). A minute of load takes a fraction of a second, the same seed gives the same record,
//! and nothing of this machine is measured.

mod control;
mod device;
mod expected;
mod power_cut;
mod scheduler;
mod service_time;
mod speed;
mod store;
mod volatile;

pub(crate) use device::{Device, Promise, Request};
pub use expected::{Limit, Truth, truth};
pub(crate) use scheduler::run;
pub(crate) use store::SharedStore;
pub use store::Store;

use model::{Location, Plan};

/// Whether a plan is for simulated devices; the check refuses other targets together with them.
pub(crate) fn is_meant(plan: &Plan) -> bool {
    let simulated = |location: &Location| matches!(location, Location::Simulated(_));
    plan.targets
        .iter()
        .any(|target| simulated(&target.location))
}
