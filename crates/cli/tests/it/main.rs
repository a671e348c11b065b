//! The program as a person meets it: words in; result, messages and exit code out.
//!
//! Every test works in a folder of its own, with the store in it, and without the person's environment.
//! Deliberately absent: what the numbers are (`engine`, `analysis`) and how they look (`views`).

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a test, helpers too; a skip prints its reason"
)]

mod abs;
mod against_fio;
mod alarms;
mod attacks;
mod audits;
mod bench;
mod bounds;
mod checks;
mod compare;
mod copies;
mod database;
mod devices;
mod diskspd;
mod diskspd_troubles;
mod documents;
mod drawn;
mod drawn_causes;
mod durability;
mod environments;
mod explain;
mod files;
mod fio_bounds;
mod fio_files;
mod fio_iologs;
mod fio_jobs;
mod fio_passes;
mod fio_side_by_side;
mod fio_verify;
mod fits;
mod fleet;
mod goals;
mod golden;
mod guards;
mod help;
mod import_back;
mod imports;
mod instructions;
mod interrupts;
mod iometer;
mod ior;
mod learned;
mod learned_of_fio;
mod limits;
mod lists;
mod long_lists;
mod looks;
mod looped;
mod many_hosts;
mod many_hosts_ior;
mod many_hosts_sweep;
mod many_hosts_tools;
mod mdtest;
mod mounted;
mod notes;
mod observed;
mod packages;
mod page;
mod proofs;
mod pts;
mod refusals;
mod replays;
mod results;
mod same_figures;
mod sqlio;
mod staged;
mod staged_ground;
mod staged_setups;
mod surveys;
mod surveys_bad;
mod surveys_simulated;
mod sweeps;
mod terminals;
mod tracefs;
mod tracepoints;
mod traces;
mod triages;
mod verification;
mod verify;
mod watching;
mod xdd;
