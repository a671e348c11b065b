//! `fathom explain`: what an id means, or which ids, terms and pages a word is in. Reads nothing but its own table and the book.

use crate::args::ExplainArgs;
use crate::book::{Book, Page, has, listed, plain, search};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::Form;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, report};
use analysis::{Explanation, explanations};
use model::CommandError;

/// The row of `fathom explain`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<ExplainArgs>(
    "explain",
    Group::Understand,
    "Explain a finding, a result or an outcome: what it means, how it is found, what to do",
    |words, environment| explain(&parsed(words)?, environment),
)
.often();

/// A name that is less similar is no slip of the fingers. // in [0, 1]
const SIMILAR_MIN: f64 = 0.6;
/// Most ids that a word finds.
const FOUND_MAX: usize = 12;
/// Most pages that a word finds.
const PAGES_MAX: usize = 5;

/// Explains one id, lists those that a word is in, or lists all.
pub(crate) fn explain(
    args: &ExplainArgs,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let mut all = explanations();
    let form = Form::of_list(args.json, environment);
    if args.id.is_empty() {
        output::print(&report::explanations(&all, true, form))?;
        return Ok(Ending::Good);
    }
    let (read, id) = (args.id.join(" "), args.id.join("-").to_lowercase());
    let book = Book::open();
    let pages = book.pages();
    if all.iter().any(|one| one.id == id) {
        all.retain(|one| one.id == id);
        output::print(&report::explanations(&all, false, form))?;
        if !args.json {
            print_pages(mentions(&pages, &id), form)?;
        }
        return Ok(Ending::Good);
    }
    let words = read.to_lowercase();
    let (found, terms) = (found(&all, &words), terms(&pages, &words));
    let pages = search(&pages, &words);
    if found.is_empty() && terms.is_empty() && (args.json || pages.is_empty()) {
        let ids: Vec<&str> = all.iter().map(|one| one.id).collect();
        return Err(CommandError::refused(unknown(&read, &id, &ids)));
    }
    if !args.json && !terms.is_empty() {
        output::print(&report::reported(&terms, form))?;
    }
    if args.json || !found.is_empty() {
        output::print(&report::explanations(&found, true, form))?;
    }
    if !args.json {
        print_pages(pages, form)?;
    }
    Ok(Ending::Good)
}

/// Prints the names of the first of these pages.
fn print_pages(pages: Vec<&Page<'_>>, form: Form<'_>) -> Result<(), CommandError> {
    if pages.is_empty() {
        return Ok(());
    }
    let mut lines = vec![
        (String::new(), String::new()),
        ("Pages of fathom docs".to_owned(), String::new()),
    ];
    let first = pages.into_iter().take(PAGES_MAX);
    lines.extend(listed(first, "  "));
    output::print(&report::reported(&lines, form))
}

/// Returns the pages by symptom and task that refer to an id.
fn mentions<'p, 'a>(pages: &'p [Page<'a>], id: &str) -> Vec<&'p Page<'a>> {
    let (code, link) = (format!("`{id}`"), format!("findings/{id}.md"));
    let has_id = |page: &&Page<'a>| page.text.contains(&code) || page.text.contains(&link);
    let pages = pages.iter().filter(|page| page.is_for_users());
    pages.filter(has_id).collect()
}

/// The ids that these words are in, those first whose name has them, then those whose meaning has them.
fn found(all: &[Explanation], words: &str) -> Vec<Explanation> {
    let hyphens = words.replace(' ', "-");
    let rank = |one: &Explanation| match one {
        one if one.id.contains(&hyphens) => 0,
        one if has(one.meaning, words) => 1,
        one if has(one.method, words) || has(one.advice, words) => 2,
        _ => 3,
    };
    let mut found: Vec<&Explanation> = all.iter().filter(|one| rank(one) < 3).collect();
    found.sort_by_key(|one| rank(one));
    found.into_iter().take(FOUND_MAX).cloned().collect()
}

/// The rows of the glossary that have the words, each as what stands before it and its meaning. A row whose term has them is
/// before the others.
fn terms(pages: &[Page<'_>], words: &str) -> Vec<(&'static str, String)> {
    let glossary = pages.iter().filter(|page| page.name == "glossary");
    let rows = glossary.flat_map(|page| page.text.lines());
    let rows = rows.filter(|line| line.starts_with("| **"));
    let rows = rows.filter(|row| has(row, words)).map(|row| {
        let mut cells = row.trim_matches('|').split(" | ");
        let mut cell = || plain(cells.next().unwrap_or_default());
        (cell(), cell())
    });
    let mut rows: Vec<(String, String)> = rows.collect();
    rows.sort_by_key(|(term, _)| !has(term, words));
    let lines = rows
        .into_iter()
        .map(|(term, meaning)| ("", format!("{term}: {meaning}")));
    let mut lines: Vec<(&str, String)> = lines.take(FOUND_MAX).collect();
    if !lines.is_empty() {
        lines.push(("", String::new()));
    }
    lines
}

fn unknown(read: &str, id: &str, ids: &[&str]) -> String {
    let similar = ids
        .iter()
        .map(|known| (strsim::jaro_winkler(id, known), known));
    let nearest = similar.max_by(|one, other| one.0.total_cmp(&other.0));
    let hint = match nearest.filter(|(similar, _)| *similar >= SIMILAR_MIN) {
        Some((_, known)) => format!("fathom explain {known}"),
        None => "fathom explain lists all ids".to_owned(),
    };
    format!(
        "{}; hint: {hint}",
        model::invalid_value(read, "ID", "no id has this name")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_searched_in_ids_texts_and_terms() {
        let (all, book) = (explanations(), Book::open());
        let pages = book.pages();
        let terms = |words: &str| terms(&pages, words);
        let ids =
            |words: &str| -> Vec<&str> { found(&all, words).iter().map(|one| one.id).collect() };
        assert_eq!(ids("iops lim")[0], "iops-limit");
        assert!(ids("slow").len() > 2 && ids("latency").len() > 2);
        assert!(ids("xyzzy").is_empty());
        for words in ["p99", "latency", "limited by", "queue depth"] {
            assert!(!terms(words).is_empty(), "{words}");
        }
        assert!(terms("xyzzy").is_empty());
        assert!(terms("latency")[0].1.to_lowercase().contains("latency: "));
    }
}
