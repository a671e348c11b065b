//! The words of `fathom run`.

use super::learn::KeepTraceArgs;
use super::{ConsentArgs, KeepArgs, KnownArgs, LoadArgs, OutputArgs, ProfileArgs, RunHostsArgs};
use clap::Args;
use std::path::PathBuf;
use tools::native;

/// `fathom run`.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// Files or devices; each gets the same workload. None with --engine null
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    #[command(flatten)]
    pub(crate) verification: VerificationFileArgs,
    #[command(flatten)]
    pub(crate) trace: KeepTraceArgs,
    /// Search this log for events during the run: syslog, journalctl -o short-iso-precise, or events of Windows in XML
    /// (repeatable)
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub(crate) events: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    #[command(flatten)]
    pub(crate) hosts: RunHostsArgs,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Show IOPS, latency, queue, cores and device counters during the run; q ends it
    #[arg(long)]
    pub(crate) live: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Files of a run with `--verify`.
#[derive(Args, Debug)]
pub(crate) struct VerificationFileArgs {
    /// With --verify: write the bytes of up to 64 corrupt blocks, with a text for each, into this folder; no file in it is
    /// replaced
    #[arg(
        long,
        value_name = "DIR",
        requires = "verify",
        help_heading = "Verification"
    )]
    pub(crate) evidence: Option<PathBuf>,
    /// With --verify: write which writes are durable into this new file or FIFO, or - for standard output, for fathom
    /// verify --journal after a power cut
    #[arg(
        long,
        value_name = "FILE",
        requires = "verify",
        help_heading = "Verification"
    )]
    pub(crate) journal: Option<PathBuf>,
}

impl RunArgs {
    /// The request in the dialect's words.
    pub(crate) fn request(&self) -> native::Request {
        let RunArgs {
            targets,
            load,
            profile: _,      // no other tool has learned workloads
            verification: _, // where files go is not part of the work
            trace: _,        // likewise
            events: _,       // what else is read
            hosts: _,        // who takes part is not part of the work
            consent: _,      // no dialect can confirm that data may be lost
            known: _,        // changes what is reported, not what is run
            keep: _,         // where results go is not part of the work
            output: _,       // how it is shown
            live: _,         // how it is watched meanwhile
        } = self;
        load.request(targets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::SurveyArgs;
    use crate::parser::program;
    use crate::subcommand::read_line;
    use proptest::prelude::*;

    fn run_args(words: &[String]) -> RunArgs {
        read_line("run", words).unwrap()
    }

    #[test]
    fn the_parser_is_sound() {
        program().debug_assert();
    }

    #[test]
    fn a_run_without_options_is_the_request_without_options() {
        let args = run_args(&["fathom", "run"].map(str::to_owned));
        assert_eq!(args.request(), native::Request::default());
    }

    #[test]
    fn a_survey_needs_no_words() {
        assert!(read_line::<SurveyArgs>("survey", ["fathom", "survey"]).is_ok());
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
                verify: native::VerifyText {
                    verify: work.5.then(|| "full:50%".to_owned()),
                    read_back: work.5.then(|| "25%:after=40ms".to_owned()),
                    no_end_pass: work.5 && work.4,
                    memory: None,
                    stop: work.5,
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
