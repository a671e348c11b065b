//! The command line, split into options, in the words of the dialect and of the checker.
//!
//! Each group is taken apart without `..`, so that a new option cannot be forgotten here.

use super::{ConsentArgs, EngineArgs, PlaceArgs, RunArgs, TimeArgs, WorkArgs};
use dialects::native;

impl RunArgs {
    /// The request in the dialect's words.
    pub(crate) fn request(&self) -> native::Request {
        let RunArgs {
            targets,
            work,
            place,
            time,
            engine,
            consent: _, // no dialect can say that data may be lost
            known: _,   // changes what is told, not what is run
            keep: _,    // where results go is not part of the work
            json: _,
            live: _, // how it is watched meanwhile
        } = self;
        native::Request {
            targets: targets.clone(),
            work: work.text(),
            place: place.text(),
            time: time.text(),
            engine: engine.text(),
        }
    }
}

impl WorkArgs {
    pub(super) fn text(&self) -> native::WorkText {
        let WorkArgs {
            block,
            depth,
            threads,
            write,
            pattern,
            compress,
            dedupe,
        } = self;
        native::WorkText {
            block: block.clone(),
            depth: depth.clone(),
            threads: threads.clone(),
            write: write.clone(),
            pattern: pattern.clone(),
            compress: compress.clone(),
            dedupe: dedupe.clone(),
        }
    }
}

impl PlaceArgs {
    pub(super) fn text(&self) -> native::PlaceText {
        let PlaceArgs {
            base,
            length,
            create,
            cache,
            write_through,
        } = self;
        native::PlaceText {
            base: base.clone(),
            length: length.clone(),
            create: create.clone(),
            cache: cache.clone(),
            write_through: *write_through,
        }
    }
}

impl TimeArgs {
    pub(super) fn text(&self) -> native::TimeText {
        let TimeArgs {
            duration,
            warmup,
            cooldown,
            interval,
            rate,
            arrivals,
        } = self;
        native::TimeText {
            duration: duration.clone(),
            warmup: warmup.clone(),
            cooldown: cooldown.clone(),
            interval: interval.clone(),
            rate: rate.clone(),
            arrivals: arrivals.clone(),
        }
    }
}

impl EngineArgs {
    pub(super) fn text(&self) -> native::EngineText {
        let EngineArgs {
            engine,
            poll,
            sqpoll,
            cores,
            seed,
            continue_on_error,
            null_size,
            null_delay,
            null_error_every,
        } = self;
        native::EngineText {
            engine: engine.clone(),
            poll: *poll,
            sqpoll: *sqpoll,
            cores: cores.clone(),
            seed: seed.clone(),
            continue_on_error: *continue_on_error,
            null_size: null_size.clone(),
            null_delay: null_delay.clone(),
            null_error_every: null_error_every.clone(),
        }
    }
}

impl ConsentArgs {
    /// In the checker's words.
    pub(crate) fn consent(&self) -> model::Consent {
        model::Consent {
            overwrite_files: self.overwrite,
            destroy_devices: self.destroy.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::{CommandFactory, Parser};
    use proptest::prelude::*;
    use std::path::PathBuf;

    fn run_args(words: &[String]) -> RunArgs {
        match Cli::try_parse_from(words).unwrap().command {
            Command::Run(args) => *args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_parser_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_run_without_options_is_the_request_without_options() {
        let args = run_args(&["fathom", "run"].map(str::to_owned));
        assert_eq!(args.request(), native::Request::default());
    }

    #[test]
    fn a_survey_needs_no_words() {
        assert!(Cli::try_parse_from(["fathom", "survey"]).is_ok());
    }

    proptest! {
        #[test]
        fn a_printed_line_is_read_as_the_same_timespan(
            times in [0u64..1 << 40, 0u64..1 << 40, 0u64..1 << 40, 1u64..1 << 40],
            sizes in (any::<u64>(), proptest::option::of(any::<u64>()), proptest::option::of(any::<u64>())),
            names in proptest::collection::hash_set("[-a-z=]{1,8}", 1..4),
            work in (any::<u32>(), any::<u32>(), 0u8..=100, any::<bool>(), any::<bool>(), any::<bool>()),
            shape in (proptest::option::of(0u8..=100), proptest::option::of(0u8..=100)),
        ) {
            let request = native::Request {
                targets: names.iter().map(PathBuf::from).collect(),
                work: native::WorkText {
                    block: sizes.0.to_string(),
                    depth: work.0.to_string(),
                    threads: work.1.to_string(),
                    write: work.2.to_string(),
                    pattern: if work.3 { "random" } else { "sequential" }.to_owned(),
                    compress: shape.0.map(|share| share.to_string()),
                    dedupe: shape.1.map(|share| share.to_string()),
                },
                place: native::PlaceText {
                    length: sizes.1.map(|length| length.to_string()),
                    create: sizes.2.map(|create| create.to_string()),
                    write_through: work.4,
                    ..native::PlaceText::default()
                },
                time: native::TimeText {
                    duration: format!("{}ns", times[0]),
                    warmup: format!("{}ns", times[1]),
                    cooldown: format!("{}ns", times[2]),
                    interval: Some(format!("{}ns", times[3])),
                    rate: work.5.then(|| sizes.0.to_string()),
                    arrivals: work.5.then(|| "poisson".to_owned()),
                },
                engine: native::EngineText {
                    continue_on_error: work.5,
                    poll: work.4,
                    sqpoll: work.5,
                    ..native::EngineText::default()
                },
            };
            let asked = native::build(&request).unwrap().profile;
            let line = native::print(&asked.timespans[0]).unwrap();
            let read = native::build(&run_args(&line).request()).unwrap().profile;
            prop_assert_eq!(read, asked);
        }
    }
}
