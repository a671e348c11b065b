//! `fathom docs`: the book in the program. Opens a page, lists those with a word, or the contents.
//! Omitted: the search (`book`), and what an id means (`explain`).

use super::explain::explain;
use crate::args::ExplainArgs;
use crate::book::{Book, Page, laid_out, listed, nearest, search};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::output;
use crate::report::{Form, reported};
use crate::subcommand::{Group, Subcommand, parsed};
use clap::Args;
use model::CommandError;

/// `fathom docs`.
#[derive(Args, Debug)]
struct DocsArgs {
    /// A page, such as too-fast, an id of a finding, or words to search for [default: the contents]
    #[arg(value_name = "TOPIC")]
    topic: Vec<String>,
}

/// The row of `fathom docs`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<DocsArgs>(
    "docs",
    Group::Understand,
    "Read the book: a page, the pages with a word, or the contents",
    |words, environment| docs(parsed(words)?, environment),
)
.often();

/// Most pages that words find.
const FOUND_MAX: usize = 12;
/// Pages that are named where none has the words.
const NEAREST: usize = 3;

fn docs(args: DocsArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let book = Book::open();
    let pages = book.pages();
    let words = args.topic.join(" ").to_lowercase();
    let form = Form::of_list(false, environment);
    if words.is_empty() {
        output::page(&reported(&contents(&pages), form), environment)?;
        return Ok(Ending::Good);
    }
    let is_meant = |page: &&Page<'_>| page.name == words || page.title.to_lowercase() == words;
    if let Some(page) = pages.iter().find(is_meant) {
        return open(page, environment);
    }
    if analysis::explanations().iter().any(|one| one.id == words) {
        let (id, json) = (args.topic, false);
        return explain(&ExplainArgs { id, json }, environment);
    }
    match search(&pages, &words).as_slice() {
        [] => {
            let why = model::invalid_value(&args.topic.join(" "), "TOPIC", "no page has this word");
            let near = nearest(&pages, &words, NEAREST).join(", ");
            let hint = format!("{why}; hint: the nearest pages are {near}");
            Err(CommandError::refused(hint))
        }
        [page] => open(page, environment),
        found => {
            let found = found.iter().take(FOUND_MAX).copied();
            let mut lines = listed(found, "");
            lines.push((String::new(), String::new()));
            lines.push(("fathom docs NAME opens a page.".to_owned(), String::new()));
            output::page(&reported(&lines, form), environment)?;
            Ok(Ending::Good)
        }
    }
}

/// Opens a page: its text on a terminal, its Markdown elsewhere.
fn open(page: &Page<'_>, environment: &Environment) -> Result<Ending, CommandError> {
    if environment.screen.columns.is_some() {
        let text = reported(&laid_out(page.text), Form::of_list(false, environment));
        output::page(&text, environment)?;
    } else {
        output::print(page.text.as_bytes())?;
    }
    Ok(Ending::Good)
}

/// Returns the titles of all pages, by part.
fn contents(pages: &[Page<'_>]) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for pages in pages.chunk_by(|one, other| one.part == other.part) {
        lines.push((pages[0].part.to_owned(), String::new()));
        lines.extend(listed(pages, "  "));
        lines.push((String::new(), String::new()));
    }
    let usage = "fathom docs NAME opens a page, fathom docs WORD searches.";
    lines.push((usage.to_owned(), String::new()));
    lines
}
