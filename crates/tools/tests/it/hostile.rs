//! Documents that are hostile: a clear error with its place, and no more memory or time than their length.

use tools::diskspd::{Compat, XML_LENGTH_MAX, read_xml, write_xml};

const MILLION: usize = 1_000_000;

/// Name, document, where it is refused, and a part of the words.
type Case = (&'static str, String, &'static str, &'static str);

/// In a place where a profile may stand.
fn inside(text: &str) -> String {
    format!("<Profile>\n{text}</Profile>")
}

fn verbose(text: &str) -> String {
    inside(&format!("<Verbose>{text}</Verbose>"))
}

#[rustfmt::skip]
fn large_trees() -> Vec<Case> {
    let deep = "<a>".repeat(MILLION);
    let attributes: Vec<String> = (0..MILLION).map(|number| format!("a{number}='1'")).collect();
    let attributes = attributes.join(" ");
    let same = "a='1' ".repeat(MILLION);
    vec![
        ("deep", deep.clone(), "line 1, column 49", "nested deeper than 16"),
        ("deep in results", format!("<Results><System>{deep}"), "line 1, column", "nested deeper"),
        ("wide", inside(&"<Verbose/>\n".repeat(MILLION)), "line 100001, column 1", "more than 100000 elements"),
        ("attributes", inside(&format!("<Verbose {attributes}/>")), "line 2, column 1", "too many attributes"),
        ("the same attribute", inside(&format!("<Verbose {same}/>")), "line 2, column 1", "duplicated"),
        ("huge", " ".repeat(XML_LENGTH_MAX + 1), "line 1, column 1", "at most 67108864 are read"),
    ]
}

#[rustfmt::skip]
fn long_texts() -> Vec<Case> {
    let long = "n".repeat(MILLION);
    let much = "65536 bytes of text";
    vec![
        ("text", verbose(&long), "line 2, column 10", much),
        ("text in parts", verbose(&"a<!---->".repeat(MILLION)), "line 2, column", much),
        ("quotes", verbose(&format!("<![CDATA[{}]]>", "\"".repeat(MILLION))), "line 2, column 10", much),
        ("references", verbose(&"&lt;".repeat(MILLION)), "line 2, column", much),
        ("name", inside(&format!("<{long}/>")), "line 2, column 1", "so long a name"),
        ("name at the end", inside(&format!("<Verbose></{long}>")), "line 2, column 10", "well-formed"),
        ("name of an attribute", inside(&format!("<Verbose {long}='1'/>")), "line 2, column 1", "too long a name"),
        ("comment without an end", inside(&format!("<!--{long}")), "line 2, column", "well-formed"),
        ("tag without an end", inside(&format!("<Verbose {}", " ".repeat(MILLION))), "line 2, column 1", "attribute"),
    ]
}

#[rustfmt::skip]
fn entities_and_strangers() -> Vec<Case> {
    let bomb = (1..20).fold("<!DOCTYPE p [<!ENTITY a0 'aaaaaaaa'>".to_owned(), |text, n| {
        format!("{text}\n<!ENTITY a{n} '&a{0};&a{0};&a{0};'>", n - 1)
    });
    let outside = "<?xml version='1.0'?>\n<!DOCTYPE p SYSTEM 'file:///etc/passwd'><Profile/>";
    vec![
        ("a bomb", format!("{bomb}]><Profile>&a19;</Profile>"), "line 1, column 1", "document type"),
        ("an outside entity", outside.to_owned(), "line 2, column 1", "document type"),
        ("an undefined entity", verbose("&a;"), "line 2, column 1", "Verbose: "),
        ("no text at all", "\u{0}".repeat(MILLION), "line 1, column 1", "U+0000 is no character"),
        ("a control character", verbose("tr\u{1}ue"), "line 2, column 12", "U+0001"),
        ("a reference to one", verbose("&#2;"), "line 2, column 1", "Verbose: "),
    ]
}

#[test]
fn each_is_refused_in_few_words_with_its_place() {
    let cases = [large_trees(), long_texts(), entities_and_strangers()];
    for (name, text, place, what) in cases.into_iter().flatten() {
        let error = read_xml(&text).unwrap_err().to_string();
        let front: String = error.chars().take(400).collect();
        let few = error.len() < 400;
        assert!(
            few && error.starts_with(place) && error.contains(what),
            "{name}: {front}"
        );
    }
}

/// The places are counted in characters, as editors do, over line ends of either kind.
#[test]
fn places_are_counted_in_characters() {
    let text = "<Profile>\r\n  <!-- äöü --> <Verbose>maybe</Verbose>\r\n</Profile>";
    let error = read_xml(text).unwrap_err();
    assert_eq!((error.line, error.column), (2, 16), "{error}");
}

#[test]
fn many_targets_are_no_attack() {
    let mut profile = crate::facts::profile("f");
    let target = profile.time_spans[0].targets[0].clone();
    profile.time_spans[0].targets = vec![target; 3000];
    assert_eq!(
        read_xml(&write_xml(&profile, 0, Compat::V2_2)).unwrap(),
        profile
    );
}
