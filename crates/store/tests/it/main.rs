//! The shelf as its users meet it: files good and bad, round trips, two at once, and old files.

mod files;
mod fixture;
mod records;
mod sessions;
