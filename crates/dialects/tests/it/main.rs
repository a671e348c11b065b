//! The DISKSPD dialect from outside: the list of cases, laws, documents, and the manual.

mod case_ids;
mod cases;
mod facts;
mod fuzz;
mod hostile;
mod laws;
mod manual;
mod plan;
mod schema;
mod seeds;
mod text;
mod xml;
mod xml_cases;
