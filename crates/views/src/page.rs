//! A page document → one HTML file that opens anywhere: the committed template with the document in it.
//!
//! The template (`assets/report.html`, built from `report-ui/`) contains layout, charts and their script; here the
//! document, the title and the words for readers without a script are put in their places. Everything that was read
//! from a machine stays text: in HTML by entities, in the JSON by never letting a `<` through. Deliberately absent:
//! numbers as text beyond those that the document has in words.

use analysis::page::PageDocument;
use std::io::{self, Write};

/// The page without a document.
const TEMPLATE: &str = include_str!("../assets/report.html");
/// A fathom page has a mark near its beginning; nothing else may be overwritten without confirmation.
pub const PAGE_MARK: &str = "<meta name=\"generator\" content=\"fathom report\">";

/// The places in the template, in their order.
const TITLE: &str = "@FATHOM-TITLE@";
const WORDS: &str = "@FATHOM-WORDS@";
const DOCUMENT: &str = "@FATHOM-DOCUMENT@";

/// The whole page.
pub fn page_html(document: &PageDocument, out: &mut dyn Write) -> io::Result<()> {
    let mut rest = TEMPLATE;
    for (place, text) in [
        (TITLE, escaped(&format!("fathom: {}", document.stamp.title))),
        (WORDS, words(document)),
        (DOCUMENT, json(document)?),
    ] {
        let (before, after) = rest
            .split_once(place)
            .expect("the template has each place once; a test checks it");
        out.write_all(before.as_bytes())?;
        out.write_all(text.as_bytes())?;
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// JSON with any content that cannot end its element: `<` is written as JSON's own escape, which is the same
/// text to a JSON reader. Source: HTML Living Standard, "Restrictions for contents of script elements".
fn json(document: &PageDocument) -> io::Result<String> {
    let text = serde_json::to_string(document)?;
    Ok(text
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029"))
}

/// The verdicts and their sentences, for readers without a script.
fn words(document: &PageDocument) -> String {
    let mut text = String::new();
    for part in &document.parts {
        let verdict = &part.verdict;
        text.push_str(&format!("<h1>{}</h1>\n", escaped(&verdict.headline)));
        text.push_str(&format!(
            "<p>{} {} {}</p>\n",
            escaped(&part.kind),
            escaped(&part.name),
            escaped(&part.target)
        ));
        for sentence in &verdict.sentences {
            text.push_str(&format!("<p>{}</p>\n", escaped(sentence)));
        }
    }
    text
}

/// Returns the style of the page with its element.
pub(crate) fn style() -> &'static str {
    let style = || {
        let from = TEMPLATE.find("<style>")?;
        let to = TEMPLATE[from..].find("</style>")? + "</style>".len();
        TEMPLATE.get(from..from + to)
    };
    style().expect("the template has a style; a test checks it")
}

/// Text that stays text.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // What is no text at all in HTML.
            '\0'..='\u{8}' | '\u{b}' | '\u{e}'..='\u{1f}' | '\u{7f}' => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::page::{PageBuilder, PagePart};

    fn page_of(target: &str) -> String {
        let mut page = PageBuilder::new(7, "0.1.0", false);
        page.part(PagePart {
            target: target.to_owned(),
            kind: "run".to_owned(),
            ..PagePart::default()
        });
        let mut out = Vec::new();
        page_html(&page.finish(1 << 20), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_name_with_html_in_it_stays_text() {
        let evil = "</script><script>alert(1)</script><!--<b>\"'&\u{2028}@FATHOM-DOCUMENT@";
        let page = page_of(evil);
        let harmless = page_of("fathom.dat");
        for tag in ["<script", "</script", "<!--", "<b>"] {
            let count = |page: &str| page.matches(tag).count();
            assert_eq!(count(&page), count(&harmless), "{tag}");
        }
        let (_, rest) = page.split_once("type=\"application/json\">").unwrap();
        let (document, _) = rest.split_once("</script>").unwrap();
        let document: serde_json::Value = serde_json::from_str(document).unwrap();
        assert_eq!(document["parts"][0]["target"], evil);
    }

    #[test]
    fn the_template_has_each_place_once_and_forbids_the_network() {
        for place in [TITLE, WORDS, DOCUMENT, PAGE_MARK] {
            assert_eq!(TEMPLATE.matches(place).count(), 1, "{place}");
        }
        let head = &TEMPLATE[..4000.min(TEMPLATE.len())];
        assert!(head.contains(PAGE_MARK) && head.contains("default-src 'none'"));
        assert!(style().len() > 1000 && style().ends_with("</style>"));
        for far in ["src=\"http", "href=\"http", "@import", "url(http"] {
            assert!(!TEMPLATE.contains(far), "{far}");
        }
    }
}
