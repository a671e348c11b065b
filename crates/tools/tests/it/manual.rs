//! The manual's table and the help are the table of switches.

use std::path::{Path, PathBuf};
use tools::diskspd::{FLAGS, flag_table, usage};

const BEGIN: &str = "<!-- switches: written from the table in the code -->\n";
const END: &str = "<!-- end of switches -->\n";

/// `UPDATE_EXPECT=1` rewrites the page, as with all expected text.
#[test]
fn the_manual_holds_the_table_of_switches() {
    holds_table("diskspd", (BEGIN, END), &flag_table());
}

#[test]
fn the_manual_holds_the_table_of_versions() {
    let marks = (
        "<!-- versions: written from the table in the code -->\n",
        "<!-- end of versions -->\n",
    );
    holds_table("diskspd", marks, &tools::diskspd::version_table());
}

#[test]
fn the_manual_holds_the_table_of_fio_s_options() {
    let marks = (
        "<!-- fio options: written from the table in the code -->\n",
        "<!-- end of fio options -->\n",
    );
    holds_table("fio", marks, &tools::fio::option_table());
}

#[test]
fn the_manual_holds_the_table_of_ior_s_options() {
    let marks = (
        "<!-- options of IOR: written from the table in the code -->\n",
        "<!-- end of options of IOR -->\n",
    );
    holds_table("ior", marks, &tools::ior::option_table());
}

#[test]
fn the_manual_holds_the_tables_of_lmdd_s_and_sgp_dd_s_operands() {
    let marks = (
        "<!-- operands: written from the table in the code -->\n",
        "<!-- end of operands -->\n",
    );
    holds_table("lmdd", marks, &tools::lmdd::operand_table());
    holds_table("sgp_dd", marks, &tools::sgp_dd::operand_table());
}

#[test]
fn the_manual_holds_the_table_of_mdtest_s_options() {
    let marks = (
        "<!-- options of mdtest: written from the table in the code -->\n",
        "<!-- end of options of mdtest -->\n",
    );
    holds_table("mdtest", marks, &tools::mdtest::option_table());
}

#[test]
fn the_manual_holds_the_table_of_xdd_s_options() {
    let marks = (
        "<!-- options of xdd: written from the table in the code -->\n",
        "<!-- end of options of xdd -->\n",
    );
    holds_table("xdd", marks, &tools::xdd::option_table());
}

/// The table between these marks in the page on a tool.
pub(crate) fn table_of(tool: &str, (begin, end): (&str, &str)) -> String {
    let page = std::fs::read_to_string(page_of(tool)).expect("the page is there");
    let (_, rest) = page.split_once(begin).expect("the table begins");
    rest.split_once(end).expect("the table ends").0.to_owned()
}

fn page_of(tool: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(format!("docs/compatibility/{tool}.md"))
}

/// Compares the table between these marks in the page on a tool, or writes it there.
#[allow(clippy::disallowed_methods, reason = "the convention of expect-test")]
pub(crate) fn holds_table(tool: &str, (begin, end): (&str, &str), table: &str) {
    let path = page_of(tool);
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let (front, rest) = page.split_once(begin).expect("the table begins");
    let (_, back) = rest.split_once(end).expect("the table ends");
    let expected = format!("{front}{begin}\n{table}\n{end}{back}");
    if page == expected {
        return;
    }
    assert!(
        std::env::var_os("UPDATE_EXPECT").is_some(),
        "{} is out of date: run this test with UPDATE_EXPECT=1",
        path.display()
    );
    std::fs::write(&path, expected).expect("the page can be written");
}

#[test]
fn every_switch_stands_in_the_help_once() {
    let help = usage("diskspd");
    for flag in FLAGS {
        let form = format!("  {}", flag.form());
        let here = |line: &&str| {
            line.strip_prefix(&form)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("  "))
        };
        assert_eq!(help.lines().filter(here).count(), 1, "{}", flag.form());
        assert_eq!(
            FLAGS
                .iter()
                .filter(|other| (other.name, other.long) == (flag.name, flag.long))
                .count(),
            1
        );
        assert!(!flag.doc.is_empty());
    }
    assert!(help.starts_with("usage: diskspd "));
}
