//! Packs the pages of the book into one compressed file, which `fathom docs` reads (`src/book.rs`).
//!
//! `docs/SUMMARY.md` lists them. Omitted: the contributor guide, and the pages of findings, whose text the program has.

use flate2::{Compression, write::ZlibEncoder};
use std::io::{self, Write};
use std::path::Path;
use std::{env, fs};

const DOCS: &str = "../../docs";
const LAST_PART: &str = "Contributor guide";

#[allow(clippy::disallowed_methods, reason = "cargo passes the folder so")]
fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={DOCS}");
    let docs = Path::new(DOCS);
    let summary = fs::read_to_string(docs.join("SUMMARY.md"))?;
    let mut part = "Introduction";
    let mut book = String::new();
    for line in summary.lines().skip(1) {
        if let Some(heading) = line.strip_prefix("# ") {
            part = heading;
        }
        if part == LAST_PART {
            break;
        }
        let Some((title, path)) = line.trim_end_matches(')').split_once("](") else {
            continue;
        };
        if path.starts_with("findings/") {
            continue;
        }
        let title = title.trim_start_matches([' ', '-', '[']);
        let text = fs::read_to_string(docs.join(path))?;
        for field in [part, title, path, &text] {
            book += field;
            book.push('\0');
        }
    }
    let packed = Vec::new();
    let mut packed = ZlibEncoder::new(packed, Compression::best());
    packed.write_all(book.as_bytes())?;
    let folder = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&folder).join("book.zlib"), packed.finish()?)
}
