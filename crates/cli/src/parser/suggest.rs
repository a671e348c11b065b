//! What to type instead of an unknown command or option: words of fio, DISKSPD and iostat, and everyday ones.
//!
//! No suggestion writes or loses data: users type suggestions without thought.

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::path::Path;

/// Options and commands that write, lose or confirm. They are not suggested for a misspelt word.
const NEVER: [&str; 12] = [
    "overwrite",
    "destroy",
    "create",
    "write",
    "purge",
    "force",
    "rm",
    "remove",
    "clear",
    "discards",
    "lose",
    "delete",
];
/// A name that is less similar is no misspelling. // in [0, 1]
const SIMILAR_MIN: f64 = 0.84;

/// Words for one option: without a name it needs none, and `tip` is the reason.
struct OptionWords {
    words: &'static [&'static str],
    name: &'static str,
    tip: &'static str,
}

const fn words(
    words: &'static [&'static str],
    name: &'static str,
    tip: &'static str,
) -> OptionWords {
    OptionWords { words, name, tip }
}

const OPTIONS: [OptionWords; 19] = [
    words(
        &[
            "rw",
            "readwrite",
            "r",
            "random",
            "rand",
            "randread",
            "seq",
            "seqread",
            "access",
            "mode",
        ],
        "pattern",
        "'--pattern random' or '--pattern sequential'; I/Os are reads by default",
    ),
    words(
        &["runtime", "time", "timeout", "seconds", "run-time", "loops"],
        "duration",
        "'--duration TIME'",
    ),
    words(
        &[
            "bs",
            "blocksize",
            "block-size",
            "block_size",
            "xfersize",
            "iosize",
            "io-size",
        ],
        "block",
        "'--block SIZE'",
    ),
    words(
        &[
            "iodepth",
            "io-depth",
            "qd",
            "queue",
            "queuedepth",
            "queue-depth",
            "outstanding",
        ],
        "depth",
        "'--depth N', per thread",
    ),
    words(
        &[
            "numjobs",
            "jobs",
            "workers",
            "nthreads",
            "num-threads",
            "num_threads",
            "F",
        ],
        "threads",
        "'--threads N'",
    ),
    words(
        &["size", "filesize", "file-size", "file_size", "f"],
        "length",
        "'--length SIZE', the range of the target that is used",
    ),
    words(&["offset", "start"], "base", "'--base SIZE'"),
    words(
        &["ioengine", "io-engine", "backend"],
        "engine",
        "'--engine ENGINE'",
    ),
    words(
        &[
            "direct",
            "o_direct",
            "odirect",
            "unbuffered",
            "nocache",
            "no-cache",
            "S",
            "Sh",
            "iflag",
        ],
        "cache",
        "'--cache unbuffered', which is the default",
    ),
    words(
        &["buffered", "cached", "pagecache"],
        "cache",
        "'--cache cached'",
    ),
    words(
        &["ramp_time", "ramp-time", "ramp", "rampup", "warm-up", "W"],
        "warmup",
        "'--warmup TIME'",
    ),
    words(
        &["rate_iops", "rate-iops", "iops", "max-iops", "iops-limit"],
        "rate",
        "'--rate N'",
    ),
    words(&["randseed", "random-seed"], "seed", "'--seed N'"),
    words(
        &["output-format", "output_format", "format", "output", "j"],
        "json",
        "'--json'",
    ),
    words(
        &["v", "vv", "details", "full", "long"],
        "verbose",
        "'--verbose'",
    ),
    words(
        &["delay", "every", "period"],
        "interval",
        "'--interval TIME'",
    ),
    words(
        &[
            "L",
            "latency",
            "lat",
            "percentiles",
            "percentile_list",
            "percentile",
            "x",
        ],
        "",
        "figures of the latency are always printed",
    ),
    words(
        &[
            "filename",
            "file",
            "target",
            "device",
            "dev",
            "disk",
            "path",
            "dir",
            "directory",
        ],
        "",
        "the target is a word without an option, as in 'fathom run FILE'",
    ),
    words(
        &[
            "name",
            "group_reporting",
            "time_based",
            "randrepeat",
            "norandommap",
            "refill_buffers",
            "thinktime",
            "rwmixread",
            "rwmixwrite",
            "iodepth_batch",
            "fsync_on_close",
            "lockfile",
        ],
        "",
        "'fathom fio' runs the options of fio as they are",
    ),
];

/// Words for commands.
const COMMANDS: [(&[&str], &[&str]); 14] = [
    (
        &[
            "iostat", "top", "iotop", "dstat", "sar", "vmstat", "stat", "monitor", "live",
        ],
        &["watch"],
    ),
    (
        &[
            "latency",
            "ioping",
            "ping",
            "hdparm",
            "speed",
            "speedtest",
            "fast",
        ],
        &["quick", "survey"],
    ),
    (
        &[
            "bench",
            "benchmark",
            "measure",
            "start",
            "perf",
            "test",
            "auto",
        ],
        &["survey", "quick"],
    ),
    (&["randread", "random", "read", "job", "workload"], &["run"]),
    (
        &["disks", "disk", "drives", "lsblk", "device", "blockdev"],
        &["devices"],
    ),
    (
        &["ls", "sessions", "history", "results", "log", "last"],
        &["list"],
    ),
    (
        &["view", "cat", "print", "get", "result", "display"],
        &["show"],
    ),
    (&["diff", "cmp", "vs", "delta"], &["compare"]),
    (
        &["html", "page", "graph", "plot", "chart", "charts"],
        &["report"],
    ),
    (&["csv", "parquet", "excel", "json"], &["export", "table"]),
    (&["sql", "query", "select", "sqlite"], &["db", "table"]),
    (
        &[
            "doctor",
            "health",
            "smart",
            "preflight",
            "status",
            "diagnose",
        ],
        &["check"],
    ),
    (&["matrix", "grid", "batch", "script", "bat"], &["sweep"]),
    (
        &[
            "why", "doc", "info", "glossary", "manual", "findings", "book", "guide", "tutorial",
        ],
        &["explain", "docs"],
    ),
];

/// Returns `fathom COMMAND --help` for `fathom help COMMAND`, and other words as they are.
pub(crate) fn of_help(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        let help = match words.get(1).and_then(|word| word.to_str()) {
            Some("diskspd" | "sqlio") => "-?",
            _ => "--help",
        };
        words.push(help.into());
    }
    words
}

/// Replaces the parser's suggestions: it takes any option for similar, and suggests `--overwrite` for `--rw`.
pub(crate) fn improve(error: &mut clap::Error, line: &[OsString], mut command: Command) {
    let read = |error: &clap::Error, kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    command.build();
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let Some(typed) = read(error, ContextKind::InvalidArg) else {
                return;
            };
            let usage = used(&mut command, line);
            let typed = typed.trim_start_matches('-');
            let typed = typed.split_once('=').map_or(typed, |(name, _)| name);
            let tip = of_option(typed, usage);
            if tip.is_some() || !is_kept(error.get(ContextKind::SuggestedArg), typed) {
                error.remove(ContextKind::SuggestedArg);
                error.insert(
                    ContextKind::Usage,
                    ContextValue::StyledStr(usage.render_usage()),
                );
            }
            suggest(error, tip);
        }
        ErrorKind::InvalidSubcommand => {
            let Some(typed) = read(error, ContextKind::InvalidSubcommand) else {
                return;
            };
            let tips = of_command(&typed, &command);
            if !tips.is_empty() || !is_kept(error.get(ContextKind::SuggestedSubcommand), &typed) {
                error.remove(ContextKind::SuggestedSubcommand);
            }
            suggest(error, tips);
        }
        _ => {}
    }
}

fn suggest(error: &mut clap::Error, tips: impl IntoIterator<Item = String>) {
    let tips: Vec<StyledStr> = tips.into_iter().map(StyledStr::from).collect();
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

/// Whether each name that the parser suggests may be a misspelling, and none writes.
fn is_kept(suggested: Option<&ContextValue>, typed: &str) -> bool {
    let names = match suggested {
        Some(ContextValue::String(name)) => std::slice::from_ref(name),
        Some(ContextValue::Strings(names)) => names.as_slice(),
        _ => return true,
    };
    names.iter().all(|name| {
        let name = name.trim_start_matches('-');
        !NEVER.contains(&name) && strsim::jaro_winkler(name, typed) >= SIMILAR_MIN
    })
}

/// Returns the command that the words name, or the whole.
fn used<'c>(mut command: &'c mut Command, line: &[OsString]) -> &'c mut Command {
    for word in line.iter().skip(1).filter_map(|word| word.to_str()) {
        if command.find_subcommand(word).is_none() {
            continue;
        }
        command = command.find_subcommand_mut(word).expect("it was found");
    }
    command
}

fn of_option(typed: &str, command: &Command) -> Option<String> {
    let found = OPTIONS.iter().find(|one| one.words.contains(&typed))?;
    let mut options = command.get_arguments().filter_map(clap::Arg::get_long);
    let has = found.name.is_empty() || options.any(|name| name == found.name);
    Some(match has {
        true => found.tip.to_owned(),
        false => format!("'fathom run' has {}", found.tip),
    })
}

fn of_command(typed: &str, command: &Command) -> Vec<String> {
    if typed.contains('/') || typed.starts_with("sim:") || Path::new(typed).exists() {
        let word = model::shell_word(typed);
        return ["check", "quick", "survey"]
            .map(|name| tip(name, &format!(" {word}"), command))
            .to_vec();
    }
    let found = COMMANDS.iter().find(|(words, _)| words.contains(&typed));
    let names = found.map_or(&[][..], |(_, names)| names);
    names.iter().map(|name| tip(name, "", command)).collect()
}

/// The command, and what it does.
fn tip(name: &str, target: &str, command: &Command) -> String {
    let about = command.find_subcommand(name).and_then(Command::get_about);
    let about = about.map_or_else(String::new, |about| format!(": {about}"));
    format!("'fathom {name}{target}'{about}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::{Cli, program};
    use std::collections::BTreeSet;

    fn said(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
        match Cli::read(&words) {
            Ok(_) => panic!("{line}: it was accepted"),
            Err(error) => error.to_string(),
        }
    }

    fn tips(line: &str) -> Vec<String> {
        let all = said(line);
        let tips = all
            .lines()
            .filter_map(|line| line.trim().strip_prefix("tip: "));
        tips.map(str::to_owned).collect()
    }

    #[test]
    fn words_of_other_tools_lead_to_the_option() {
        for (line, expected) in [
            ("fathom run --rw", OPTIONS[0].tip),
            ("fathom run --rw=randwrite f", OPTIONS[0].tip),
            ("fathom run --runtime 3", "'--duration TIME'"),
            ("fathom run f --bs=4k", "'--block SIZE'"),
            (
                "fathom run --direct=1",
                "'--cache unbuffered', which is the default",
            ),
            ("fathom survey --bs 4k", "'fathom run' has '--block SIZE'"),
            ("fathom run --numjobs 2", "'--threads N'"),
            (
                "fathom run --rwmixread=70",
                "'fathom fio' runs the options of fio as they are",
            ),
            (
                "fathom run --duraton 3",
                "a similar argument exists: '--duration'",
            ),
        ] {
            assert_eq!(tips(line), [expected], "{line}");
        }
    }

    #[test]
    fn commands_of_other_tools_lead_to_the_command() {
        assert!(tips("fathom iostat")[0].starts_with("'fathom watch': Show IOPS, latency"));
        assert_eq!(tips("fathom latency").len(), 2);
        assert!(tips("fathom /dev/vda")[0].starts_with("'fathom check /dev/vda': Check a target"));
        assert_eq!(
            tips("fathom surve"),
            ["a similar subcommand exists: 'survey'"]
        );
        assert_eq!(tips("fathom xyzzy"), [""; 0]);
    }

    #[test]
    fn nothing_that_writes_is_suggested() {
        let command = program();
        let mut known: BTreeSet<&str> = command.get_subcommands().map(Command::get_name).collect();
        for one in command.get_subcommands() {
            known.extend(one.get_arguments().filter_map(clap::Arg::get_long));
        }
        let nested = command.get_subcommands().flat_map(Command::get_subcommands);
        known.extend(
            nested
                .flat_map(Command::get_arguments)
                .filter_map(clap::Arg::get_long),
        );
        for name in NEVER {
            assert!(
                known.contains(name),
                "{name} is no option or command any more"
            );
            for line in [
                "fathom run",
                "fathom survey",
                "fathom files",
                "fathom note",
                "fathom",
            ] {
                let typed = &name[..name.len() - 1];
                let all = said(&format!("{line} --{typed}"));
                assert!(!all.contains(&format!("--{name}")), "{all}");
            }
            let all = said(&format!("fathom {}", &name[..name.len() - 1]));
            assert!(!all.contains(&format!("'{name}'")), "{all}");
        }
        for one in &OPTIONS {
            assert!(
                one.name.is_empty() || known.contains(one.name),
                "{}",
                one.name
            );
            assert!(
                !NEVER
                    .iter()
                    .any(|name| one.tip.contains(&format!("--{name}")))
            );
        }
        for (words, names) in COMMANDS {
            assert!(
                names
                    .iter()
                    .all(|name| known.contains(name) && !NEVER.contains(name))
            );
            let is_command = |word: &&str| command.find_subcommand(word).is_some();
            assert!(!words.iter().any(is_command), "{words:?}");
        }
    }

    #[test]
    fn help_is_a_command() {
        for (line, expected) in [
            ("fathom help", "fathom --help"),
            ("fathom help run", "fathom run --help"),
            ("fathom help db sql", "fathom db sql --help"),
            ("fathom help diskspd", "fathom diskspd -?"),
            ("fathom run help", "fathom run help"),
        ] {
            let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
            let expected: Vec<OsString> = expected.split(' ').map(Into::into).collect();
            assert_eq!(of_help(words), expected);
        }
    }
}
