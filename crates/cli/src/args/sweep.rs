//! The words of `fathom sweep`: those of `fathom run`, of which each value may be a list or a range, and its own.
//!
//! A plan and a DISKSPD line specify the work in their own words, so the options of the work cannot be combined with
//! them.

use super::{ConsentArgs, HostsArgs, KeepArgs, KnownArgs, LoadArgs};
use clap::Args;
use std::path::PathBuf;
use tools::native;
use tools::sweep::CourseText;

/// Text below the options: how values are combined.
pub(crate) const LISTS: &str = "\
Every value of the work, the place, the time and the engine may be a list (8K,64K) or a range: 2..16 doubles (2, 4, 8, \
16), 2..8+2 adds (2, 4, 6, 8). All combinations are run. fathom sweep PLAN.toml takes all of this from a file; see \
`fathom docs sweep`.

Exit codes: 0 good; 1 a cell failed or the sweep was interrupted; 2 the request was refused.";

/// `fathom sweep`.
#[derive(Args, Debug)]
pub(crate) struct SweepArgs {
    /// Files or devices, all used at once; or one plan, a file whose name ends in .toml
    #[arg(value_name = "TARGET|PLAN.toml")]
    pub(crate) targets: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) matrix: MatrixArgs,
    #[command(flatten)]
    pub(crate) course: CourseArgs,
    #[command(flatten)]
    pub(crate) script: ScriptArgs,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    #[command(flatten)]
    pub(crate) hosts: HostsArgs,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Show IOPS, latency, queue, cores and device counters during the run; q ends it
    #[arg(long)]
    pub(crate) live: bool,
    /// Print the whole report as one JSON document; with --dry-run, what would be done
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is combined.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Matrix")]
pub(crate) struct MatrixArgs {
    /// Vary a field that has several values: any option of the work by its long name (cache=cached,unbuffered), target,
    /// or a switch with --from-diskspd (o=2,4,8); repeatable, the first is outermost
    #[arg(long, value_name = "FIELD=VALUES")]
    pub(crate) axis: Vec<String>,
    /// Vary threads and queue depth per thread together, in pairs: 1x240,4x60,12x20
    #[arg(long, value_name = "PAIRS", allow_hyphen_values = true)]
    pub(crate) pairs: Option<String>,
    /// Take the matrix from this file, in TOML
    #[arg(long, value_name = "FILE", conflicts_with_all = ["axis", "pairs", "targets", "from_diskspd", "CourseArgs", "WorkArgs", "PlaceArgs", "TimeArgs", "EngineArgs"])]
    pub(crate) plan: Option<PathBuf>,
    /// Vary the switches of this DISKSPD command line
    #[arg(long, value_name = "LINE", allow_hyphen_values = true, conflicts_with_all = ["targets", "WorkArgs", "PlaceArgs", "TimeArgs", "EngineArgs"])]
    pub(crate) from_diskspd: Option<String>,
    /// Run the DISKSPD command lines that the loops of this batch file or PowerShell script start
    #[arg(long, value_name = "FILE", conflicts_with_all = ["axis", "pairs", "plan", "from_diskspd", "targets", "WorkArgs", "PlaceArgs", "TimeArgs", "EngineArgs"])]
    pub(crate) from_script: Option<PathBuf>,
    /// Use this file or device for a target of the script; repeatable
    #[arg(long, value_name = "THERE=HERE", requires = "from_script")]
    pub(crate) map: Vec<String>,
    /// Go on with this sweep, as `fathom list` numbers it; the same command as before does so too
    #[arg(long, value_name = "ID", conflicts_with_all = ["axis", "pairs", "plan", "from_diskspd", "from_script", "new", "targets", "CourseArgs", "ScriptArgs", "WorkArgs", "PlaceArgs", "TimeArgs", "EngineArgs"])]
    pub(crate) resume: Option<String>,
    /// Begin again, even if this sweep was begun before and not ended
    #[arg(long, conflicts_with = "no_store")]
    pub(crate) new: bool,
    /// Report what would be run, for how long, and what would be written where; do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// End at the first cell without a result, instead of going on with the next
    #[arg(long)]
    pub(crate) fail_fast: bool,
}

/// In which order, how often, with which pause.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Run order")]
pub(crate) struct CourseArgs {
    /// given: as the matrix has them, each with its repetitions at once; shuffled: pass by pass, each in an order drawn
    /// from the seed, so that drift does not look like an effect; interleaved: pass by pass in the order given
    /// [default:
    /// shuffled, of a script: given]
    #[arg(long, value_name = "ORDER", allow_hyphen_values = true)]
    order: Option<String>,
    /// Same seed, same order [default: 0]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    shuffle_seed: Option<String>,
    /// Run every cell so often; with --precision at least and at most: 3..10 [default: 1]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    repeat: Option<String>,
    /// Repeat a cell until half the 95% interval of its mean rate is at most this share of it
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    precision: Option<String>,
    /// Pause between a run and the next [default: 0s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    rest: Option<String>,
}

/// For elsewhere.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Script")]
pub(crate) struct ScriptArgs {
    /// Run nothing: print a script with these commands, bat, ps1 or sh
    #[arg(long, value_name = "SHELL", conflicts_with_all = ["dry_run", "json", "fail_fast", "new", "KeepArgs", "ConsentArgs", "KnownArgs", "HostsArgs"])]
    pub(crate) script: Option<String>,
    /// Whose commands: diskspd, the original, or fathom [default: diskspd]
    #[arg(long = "for", value_name = "TOOL", requires = "script")]
    pub(crate) tool: Option<String>,
}

impl SweepArgs {
    /// The request in the dialect's words, lists and ranges as they were typed.
    pub(crate) fn request(&self) -> native::Request {
        let SweepArgs {
            targets,
            matrix: _, // for the sweep, not for its cells
            course: _,
            script: _,
            load,
            consent: _, // no dialect can confirm that data may be lost
            known: _,   // changes what is reported, not what is run
            keep: _,
            hosts: _, // how many run it
            json: _,
            live: _, // how it is watched meanwhile
        } = self;
        load.request(targets)
    }
}

impl CourseArgs {
    /// Whether results are to decide how often cells run.
    pub(crate) fn has_precision(&self) -> bool {
        self.precision.is_some()
    }

    /// In the dialect's words.
    pub(crate) fn text(&self) -> CourseText {
        let CourseArgs {
            order,
            shuffle_seed,
            repeat,
            precision,
            rest,
        } = self;
        CourseText {
            order: order.clone(),
            shuffle_seed: shuffle_seed.clone(),
            repeat: repeat.clone(),
            precision: precision.clone(),
            rest: rest.clone(),
        }
    }
}
