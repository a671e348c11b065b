//! The published schema and the reader agree: what is written is valid.

use crate::facts::profile;
use crate::laws::profiles;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::io::Write;
use std::process::{Command, Stdio};
use tools::diskspd::{Compat, XML_LOST, read_xml, write_xml};

const SCHEMA: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/schema/diskspd-profile.xsd"
);

/// Errors of xmllint on a document; `None` where it is not installed.
fn complaint(xml: &str) -> Option<String> {
    let child = Command::new("xmllint")
        .args(["--noout", "--schema", SCHEMA, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.ok()?;
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(xml.as_bytes())
        .expect("xmllint reads all of it");
    let output = child.wait_with_output().expect("it ends");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() {
        String::new()
    } else {
        words
    })
}

#[test]
fn written_profiles_follow_the_published_schema() {
    let mut runner = TestRunner::deterministic();
    let generated = (0..24).map(|_| {
        write_xml(
            &profiles().new_tree(&mut runner).unwrap().current(),
            0,
            Compat::V2_2,
        )
    });
    let lines = [
        "f",
        "-r -rdpct95/5:4/10 -g1500i f",
        "-Zr -Sm -Nv -w10 -ag0,1 f",
        "-ePROCESS -vs -:1 -Z1M,/x f",
    ];
    for xml in lines
        .map(|line| write_xml(&profile(line), 0, Compat::V2_2))
        .into_iter()
        .chain(generated)
    {
        match complaint(&xml) {
            None => return println!("skipped: xmllint is not installed (package libxml2-utils)"),
            Some(words) => assert!(words.is_empty(), "{words}\n{xml}"),
        }
    }
}

/// Every character that a document may not contain as it is, and some of its neighbours.
#[test]
fn names_of_any_characters_make_a_document_that_others_read() {
    let odd = (0..0x20u32)
        .chain(0x7e..0xa1)
        .chain([
            0x2028, 0xd7ff, 0xe000, 0xfeff, 0xfffd, 0xfffe, 0xffff, 0x10000, 0x1_fffe, 0x10_ffff,
        ])
        .filter_map(char::from_u32);
    for c in odd {
        let mut profile = profile("f");
        profile.time_spans[0].targets[0].path = format!("{c}a{c}b]]>{c}");
        let xml = write_xml(&profile, 0, Compat::V2_2);
        let code = u32::from(c);
        let held = read_xml(&xml).unwrap_or_else(|error| panic!("U+{code:04X}: {error}"));
        assert_eq!(
            held == profile,
            !xml.contains(XML_LOST) || c == XML_LOST,
            "U+{code:04X}"
        );
        match complaint(&xml) {
            None => return println!("skipped: xmllint is not installed (package libxml2-utils)"),
            Some(words) => assert!(words.is_empty(), "U+{code:04X}: {words}"),
        }
    }
}

/// xmllint checks the bounds of XML, the reader's own are narrower.
#[test]
fn what_is_no_xml_is_refused_here_as_there() {
    for inside in [
        "&#1;",
        "&#x0;",
        "\u{1}",
        "&#xffff;",
        "\u{fffe}",
        "&#xd800;",
        "&#1114112;",
        "&;",
        "&#;",
        "&x;",
        "a&b",
        "<a b>",
    ] {
        let xml = format!(
            "<Profile><TimeSpans><TimeSpan><Targets><Target><Path>{inside}</Path></Target></Targets></TimeSpan></TimeSpans></Profile>"
        );
        assert!(read_xml(&xml).is_err(), "{inside:?}");
        match complaint(&xml) {
            None => return println!("skipped: xmllint is not installed (package libxml2-utils)"),
            Some(words) => assert!(!words.is_empty(), "{inside:?}"),
        }
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    for inside in [
        "<RandomRatio>0</RandomRatio>",
        "<Paht/>",
        "<BlockSize>x</BlockSize>",
        "<IOPriority>4</IOPriority>",
        "<Path>b</Path>",
    ] {
        let xml = format!(
            "<Profile><TimeSpans><TimeSpan><Targets><Target><Path>a</Path>{inside}</Target></Targets></TimeSpan></TimeSpans></Profile>"
        );
        assert!(read_xml(&xml).is_err(), "{inside}");
        match complaint(&xml) {
            None => return println!("skipped: xmllint is not installed (package libxml2-utils)"),
            Some(words) => assert!(!words.is_empty(), "{inside}"),
        }
    }
}
