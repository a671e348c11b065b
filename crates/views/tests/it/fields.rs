//! The page on the shelf lists the fields that there are.

#[test]
fn the_page_on_the_shelf_lists_all_fields() {
    let mut fields = Vec::new();
    views::fields_table(&mut fields).unwrap();
    let fields = String::from_utf8(fields).unwrap();
    let page = include_str!("../../../../docs/shelf.md");
    assert!(
        page.contains(fields.trim_end()),
        "docs/shelf.md: put the output of `fathom table --fields` into its last block"
    );
}
