//! The readers from outside: the seeds, every layout, damage, and the list of cases.

mod case_ids;
mod cost;
mod counting;
mod damage;
mod dd;
mod desk;
mod diskspd;
mod encodings;
mod evidence;
mod fio;
mod fio_text;
mod hpc;
mod iometer;
mod mixed;
mod others;
mod pasted;
mod posts;
mod script;
mod seeds;
mod sqlio;
mod xml;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;
