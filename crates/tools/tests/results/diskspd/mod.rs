//! DISKSPD's layouts: whole examples, single cases by number, old pages from the web, the document.

mod cases;
mod desk;
mod document;
mod examples;
mod parsers;
mod seeds;
