//! The page of all rules is the table of rules.

use expect_test::expect_file;

#[test]
fn the_page_of_findings_is_the_table_of_rules() {
    expect_file!["../../../../docs/findings.md"].assert_eq(&views::findings_page());
}
