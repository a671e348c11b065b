//! The words and the parameter file that mean a request: what `parse` reads as the same one.

use super::profile::{Access, Affinity, Buffering, Files, Line, Profile, Timer, Usage};
use super::{Extra, Request};
use crate::OwnOptions;
use model::Consent;
use std::fmt::Write;

/// The command line of a request, program name omitted. Its parameter file, if it has one, is [`print_params`].
pub fn print_words(profile: &Profile, extra: &Extra) -> Vec<String> {
    let mut words = vec![match profile.read_percent {
        0 => "-kW".to_owned(),
        100 => "-kR".to_owned(),
        share => format!("-T{share}"),
    }];
    words.push(format!("-s{}", profile.seconds));
    words.push(match profile.access {
        Access::Random => "-frandom".to_owned(),
        Access::Sequential => "-fsequential".to_owned(),
        Access::Stripe(factor) => format!("-f{factor}"),
    });
    words.push(format!("-b{}", profile.block_kib));
    words.push(format!("-i{}", profile.run_ios));
    words.push(format!("-o{}", profile.outstanding));
    words.push(format!("-S{}", profile.start_blocks));
    let caches = match profile.buffering {
        Buffering::None => "-BN",
        Buffering::All => "-BY",
        Buffering::Hardware => "-BH",
        Buffering::Software => "-BS",
    };
    words.push(caches.to_owned());
    let shown = [
        profile.latency.map(|timer| match timer {
            Timer::System => "-LS",
            Timer::Processor => "-LP",
        }),
        match profile.usage {
            Usage::Off => None,
            Usage::Total => Some("-U"),
            Usage::EachProcessor => Some("-Up"),
        },
    ];
    words.extend(shown.into_iter().flatten().map(str::to_owned));
    words.extend(profile.entropy.as_ref().map(|file| format!("-q{file}")));
    put_extra(extra, &mut words);
    put_files(&profile.files, &mut words);
    words
}

fn put_files(files: &Files, words: &mut Vec<String>) {
    match files {
        Files::Listed { file, .. } => words.push(format!("-F{file}")),
        Files::Named {
            names,
            threads,
            affinity,
        } => {
            words.push(format!("-t{threads}"));
            words.extend(match affinity {
                Affinity::Free => None,
                Affinity::One(cpu) => Some(format!("-p{cpu}")),
                Affinity::Mask(mask) => Some(format!("-a{mask:#x}")),
                Affinity::RoundRobin(mask) => Some(format!("-aR{mask:#x}")),
            });
            words.extend(names.iter().cloned());
        }
    }
}

fn put_extra(extra: &Extra, words: &mut Vec<String>) {
    let Extra {
        own: OwnOptions {
            consent,
            store,
            no_store,
        },
        json,
        text,
        continue_on_error,
    } = extra;
    let Consent {
        overwrite_files,
        destroy_devices,
    } = consent;
    let bare = [
        (*overwrite_files, "--overwrite"),
        (*no_store, "--no-store"),
        (*continue_on_error, "--continue-on-error"),
    ];
    words.extend(
        bare.into_iter()
            .filter(|(given, _)| *given)
            .map(|(_, word)| word.to_owned()),
    );
    let mut put = |word: &str, path: &std::path::Path| {
        words.push(format!("{word}={}", path.display()));
    };
    destroy_devices
        .iter()
        .for_each(|device| put("--destroy", device));
    for (word, path) in [("--json", json), ("--text", text), ("--store", store)] {
        if let Some(path) = path {
            put(word, path);
        }
    }
}

/// A parameter file with these lines.
pub fn print_params(lines: &[Line]) -> String {
    let mut text = String::from("# file threads mask size in MB\n");
    for line in lines {
        let Line {
            name,
            threads,
            mask,
            size_mib,
        } = line;
        let quoted = name.contains(char::is_whitespace) || name.starts_with('#');
        let mark = if quoted { "\"" } else { "" };
        write!(text, "{mark}{name}{mark} {threads} {mask:#x}").expect("a String takes it");
        if let Some(mib) = size_mib {
            write!(text, " {mib}").expect("a String takes it");
        }
        text.push('\n');
    }
    text
}

impl Request {
    /// The request that [`print_words`] and [`print_params`] give back: the same, without its notes.
    #[must_use]
    pub fn without_notes(mut self) -> Self {
        self.notes.clear();
        self
    }
}
