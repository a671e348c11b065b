//! The command line of DISKSPD that people post with its tables → the input parameters that DISKSPD would print for it.
//!
//! Only what findings use: blocks, pattern, writes, threads, depth, caches, content, pace. Omitted: options that change none
//! of these, and defaults of versions before 2.0.15.

use super::request::Request;
use crate::imports::command;
use crate::imports::number::size;

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

/// Returns the input parameters of a command line; none where it names no target.
pub(super) fn request(command: &str) -> Option<Request> {
    let words = || command.split_whitespace().skip(1);
    let is_option = |word: &&str| word.starts_with('-') && word.len() > 1;
    let options: Vec<&str> = words().filter(is_option).map(|word| &word[1..]).collect();
    let targets: Vec<&str> = words().filter(|word| !is_option(word)).collect();
    let shell = targets
        .iter()
        .position(|word| matches!(*word, ">" | "|" | ">>"));
    let targets = &targets[..shell.unwrap_or(targets.len())];
    if targets.is_empty() || options.is_empty() {
        return None;
    }
    let mut request = Request::new(1);
    let value = |letter: char| {
        options
            .iter()
            .find_map(|option| option.strip_prefix(letter))
    };
    let number = |letter| value(letter).filter(|text| is_number(text));
    for (letter, name) in [('d', "duration"), ('W', "warm up time")] {
        if let Some(seconds) = number(letter) {
            request.line(&format!("{name}: {seconds}s"));
        }
    }
    if value('L').is_some() {
        request.line("measuring latency");
    }
    let threads = number('t').or_else(|| number('F')).unwrap_or("1");
    for target in targets {
        request.line(&format!("path: '{}'", target.trim_matches(['"', '\''])));
        request.line(&format!("threads per file: {threads}"));
        let depth = number('o').unwrap_or("2");
        request.line(&format!("number of outstanding I/O operations: {depth}"));
        let block = value('b')
            .filter(|text| size(text).is_some())
            .unwrap_or("64K");
        request.line(&format!("block size: {block}"));
        request.line(match (value('r'), value('s')) {
            (Some(_), _) => "using random I/O",
            _ => "using sequential I/O",
        });
        request.line(&match number('w').unwrap_or("0") {
            "0" => "performing read test".to_owned(),
            "100" => "performing write test".to_owned(),
            share => {
                let reads = 100u32.saturating_sub(share.parse().unwrap_or(0));
                format!("performing mix test (read/write ratio: {reads}/{share})")
            }
        });
        caches(value('S'), value('h'), &mut request);
        if value('Z') == Some("") {
            request.line("zeroing write buffers");
        }
        if let Some(rate) = number('g') {
            request.line(&format!("throughput rate-limited to {rate} B/ms"));
        }
    }
    Some(request)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `-Su` and `-S` bypass the system's cache, `-Sw` the disk's, `-Sh` and `-h` both.
fn caches(flags: Option<&str>, both: Option<&str>, request: &mut Request) {
    let has = |letter| flags.is_some_and(|flags| flags.contains(letter));
    let off = both == Some("") || has('h');
    let software = off || has('u') || flags == Some("");
    request.line(match (software, has('r')) {
        (true, _) => "software cache disabled",
        (false, true) => "local software cache disabled, remote cache enabled",
        (false, false) => "using software cache",
    });
    request.line(match off || has('w') {
        true => "hardware write cache disabled, writethrough on",
        false => "using hardware write cache, writethrough off",
    });
}

#[cfg(test)]
mod tests {
    use super::request;
    use model::imported_evidence::ImportedContent;
    use model::{Bytes, CacheMode, Ratio};

    #[test]
    fn options_mean_what_the_input_parameters_do() {
        let command = r"diskspd.exe -b256K -t2 -w100 -o64 -Swu -r -d600 -Z20M -L,0.bin #2";
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
