//! The dialects of other tools from outside: the lists of cases, laws, documents, and the manual.

mod case_ids;
mod cases;
mod cost;
#[path = "../imports/counting.rs"]
mod counting;
mod dictionary;
mod facts;
mod fio_examples;
mod fuzz;
mod hostile;
mod ior;
mod laws;
mod manual;
mod plan;
mod schema;
mod seeds;
mod sqlio;
mod text;
mod xml;
mod xml_cases;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;
