//! The command line of DISKSPD that people post with its tables → the input parameters that DISKSPD would print for it.
//!
//! The parser of `fathom diskspd` reads it, and the text of its request is read as that of DISKSPD is. Omitted: defaults of versions
//! before 2.2.

use super::request::Request;
use crate::diskspd::{Action, Compat, Environment, Profile, parse, print_text, words_of};
use crate::imports::command;

/// How people spell its name.
const NAMES: [&str; 4] = ["diskspd", "DiskSpd", "Diskspd", "DISKSPD"];

/// Returns a command line of DISKSPD in a line.
pub(super) fn in_line(line: &str) -> Option<&str> {
    NAMES.iter().find_map(|name| command::in_line(line, name))
}

/// Returns the last command line of DISKSPD in a text.
pub(super) fn last_of(text: &str) -> Option<&str> {
    text.lines().rev().find_map(in_line)
}

/// Returns the input parameters of a command line; none where it starts no run. Of a line that DISKSPD would refuse, as one
/// that lost letters on its way, the words that it would not.
pub(super) fn request(command: &str) -> Option<Request> {
    let (words, _) = words_of(command);
    let own = words.into_iter().skip(1);
    let own: Vec<String> = own
        .take_while(|word| !word.starts_with(['>', '|']))
        .collect();
    let profile = profile(&own).or_else(|| profile(&understood(own)))?;
    let mut request = Request::new(1);
    for line in print_text(&profile, command, Compat::default()).lines() {
        request.line(line.trim());
    }
    Some(request)
}

fn profile(words: &[String]) -> Option<Profile> {
    match parse(words, &Environment::BARE).ok()?.action {
        Action::Run(profile) | Action::Print(profile) => Some(profile),
        _ => None,
    }
}

/// The words that are good by themselves.
fn understood(mut words: Vec<String>) -> Vec<String> {
    let target = words.iter().find(|word| !word.starts_with('-')).cloned();
    let Some(target) = target else {
        return Vec::new();
    };
    words.retain(|word| {
        !word.starts_with('-') || profile(&[word.clone(), target.clone()]).is_some()
    });
    words
}

#[cfg(test)]
mod tests {
    use super::request;
    use model::imported_evidence::ImportedContent;
    use model::{Bytes, CacheMode, Ratio};

    #[test]
    fn options_mean_what_the_input_parameters_do_and_lost_letters_change_no_other() {
        let command = r"diskspd.exe -b256K -t2 -w100 -o64 -Swu -r -d600 -Z20M -L -%0.bin #2";
        let request = request(command).unwrap();
        let work = request.workload(None);
        assert_eq!(
            (work.block, work.threads, work.queue_depth),
            (Some(Bytes::kib(256)), Some(2), Some(64))
        );
        assert_eq!(
            (work.write_percent, work.random_percent),
            (Some(Ratio::ALL), Some(Ratio::ALL))
        );
        assert_eq!(
            (work.cache, work.write_through),
            (Some(CacheMode::Unbuffered), Some(true))
        );
        assert_eq!(work.targets, ["#2"]);
        assert!(request.latency);
        assert_eq!(request.evidence(Some(command)).content, None);
    }

    #[test]
    fn what_is_not_specified_has_its_default() {
        let command = "diskspd -c1G t.dat > x.txt";
        let request = request(command).unwrap();
        let work = request.workload(None);
        assert_eq!(
            (work.block, work.threads, work.queue_depth),
            (Some(Bytes::kib(64)), Some(1), Some(2))
        );
        assert_eq!(
            (work.cache, work.write_percent),
            (Some(CacheMode::Cached), Some(Ratio::NONE))
        );
        assert_eq!(work.targets, ["t.dat"]);
        assert_eq!(
            request.evidence(Some(command)).content,
            Some(ImportedContent::Pattern)
        );
        assert!(super::request("diskspd -?").is_none());
    }
}
