//! What must hold for any text that the fuzzers come up with. The fuzz targets are these functions and nothing else;
//! the tests of `dialects` include this file too and run them on the seeds, and on seeds that were damaged.

use dialects::diskspd::{
    Action, Compat, Environment, Extra, Purpose, XML_LOST, build, parse, print_text, read_xml,
    validate, write_xml,
};

/// Any arguments, one a line: read, or refused in words. What is read survives its document, and means the same.
pub(crate) fn diskspd_args(text: &str) {
    let args: Vec<String> = text.lines().map(str::to_owned).collect();
    let request = match parse(&args, &Environment::BARE) {
        Ok(request) => request,
        Err(refusal) => {
            assert!(
                refusal
                    .iter()
                    .all(|problem| !problem.to_string().is_empty())
            );
            return;
        }
    };
    let (Action::Run(profile) | Action::Print(profile)) = request.action else {
        return;
    };
    print_text(&profile, text, Compat::V2_2);
    print_text(&profile, text, Compat::V2_0);
    let document = write_xml(&profile, 0);
    let again = read_xml(&document).expect("what is written can be read");
    if !document.contains(XML_LOST) {
        assert_eq!(again, profile);
        assert_eq!(
            build(&again, &Extra::default()),
            build(&profile, &Extra::default())
        );
    }
}

/// Any text as a profile: read, or refused in few words with its place. What is read and valid survives being written.
pub(crate) fn diskspd_xml(text: &str) {
    let profile = match read_xml(text) {
        Ok(profile) => profile,
        Err(error) => {
            assert!(error.line >= 1 && error.column >= 1);
            assert!(!error.what.is_empty() && error.what.len() < 2000, "{error}");
            return;
        }
    };
    let _ = build(&profile, &Extra::default());
    // Nothing else is ever printed.
    if validate(&profile, Purpose::Print).is_ok() {
        let again = read_xml(&write_xml(&profile, 0)).expect("what is written can be read");
        assert_eq!(again, profile);
    }
}
