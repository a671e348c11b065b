//! A command as one rank of many: rank 0 runs it, all others serve.
//!
//! Omitted: the order of steps (`session`), messages (`job`), and what a result means (`analysis`).

mod run;

pub(crate) use run::{agrees, part, run};

use super::command_line;
use crate::args::{HostsArgs, KeepArgs};
use crate::environment::{Environment, variable};
use crate::failure::Ending;
use crate::kinds::stored::Kind;
use crate::output;
use crate::run_context::RunContext;
use crate::signals::{self, Interrupt};
use engine::Stop;
use gate::Pins;
use job::transport::Transport;
use job::transport::mpi::Mpi;
use job::transport::pipes::Pipes;
use job::{FAN_OUT, Job, JobError, Launch, Launcher, RANK, SIZE, host_list};
use model::{Bytes, CommandError, Consent, JobLayout, Nanos, Options, shell_word};
use serde::Serialize;
use serde::de::DeserializeOwned;
use session::{Admission, Hosts, HostsOptions, Journal, ProvenFiles, Runner, clock};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use store::Store;

/// How this process is one of many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// A launcher started it.
    Launched(Launch),
    /// It is rank 0, and starts the others on these hosts.
    Starts(Vec<String>),
}

impl Way {
    /// How many processes there are.
    pub(crate) fn size(&self) -> u32 {
        match self {
            Way::Launched(launch) => launch.size,
            Way::Starts(hosts) => u32::try_from(hosts.len()).unwrap_or(u32::MAX),
        }
    }

    /// Whether this is rank 0.
    pub(crate) fn is_first(&self) -> bool {
        match self {
            Way::Launched(launch) => launch.rank == 0,
            Way::Starts(_) => true,
        }
    }
}

/// Takes the options of many hosts out of another tool's line. Only rank 0 reports what is wrong with them.
pub(crate) fn read_line(
    words: &mut Vec<String>,
    environment: &Environment,
) -> Result<(HostsArgs, Option<Way>), CommandError> {
    let read = HostsArgs::take(words).and_then(|args| {
        let way = way(&args, environment)?;
        Ok((args, way))
    });
    read.map_err(|error| match environment.launch {
        Some(launch) if launch.rank > 0 => CommandError::refused_for([]),
        _ => error,
    })
}

/// The same of a tool whose own options define the file of each task.
pub(crate) fn read_line_of_tasks(
    words: &mut Vec<String>,
    environment: &Environment,
) -> Result<(HostsArgs, Option<Way>), CommandError> {
    let (args, way) = read_line(words, environment)?;
    match (&args.layout, &way) {
        (Some(_), Some(way)) if !way.is_first() => Err(CommandError::refused_for([])),
        (Some(_), _) => Err(CommandError::refused(
            "--layout: the other options define the file of each task; hint: omit it",
        )),
        (None, _) => Ok((args, way)),
    }
}

/// How this process is one of many; `None` for a run alone.
pub(crate) fn way(
    args: &HostsArgs,
    environment: &Environment,
) -> Result<Option<Way>, CommandError> {
    let launch = environment.launch.filter(|_| !args.alone);
    match (launch, &args.hosts, args.given()) {
        (Some(launch), Some(_), _) if launch.launcher != Launcher::Fathom => {
            Err(CommandError::refused(format!(
                "--hosts: {} started this process as one of {} already; hint: omit --hosts, or start fathom without a launcher",
                launch.launcher.name(),
                launch.size
            )))
        }
        (Some(launch), ..) => Ok(Some(Way::Launched(launch))),
        (None, Some(list), _) => host_list(list)
            .map(|hosts| Some(Way::Starts(hosts)))
            .map_err(|why| {
                CommandError::refused(format!("invalid value '{list}' for --hosts: {why}"))
            }),
        (None, None, Some(option)) => Err(refuse_for_many(option)),
        (None, None, None) => Ok(None),
    }
}

/// A rank that ends sooner than this is too early for its launcher.
const RANK_TIME_MIN: Nanos = Nanos::millis(300);

/// Waits before a rank of a launcher ends so early: mpiexec of MPICH 4 ends by SIGPIPE, and what ranks printed is lost, where they end
/// before it has forwarded its standard input. Other processes end at once.
pub(crate) fn before_early_end(began: Nanos) {
    let left = RANK_TIME_MIN.minus(clock::utc().minus(began));
    if left > Nanos(0) && Launch::find(variable).is_some() {
        std::thread::sleep(left.as_duration());
    }
}

/// Commands that several processes carry out together.
const ON_MANY: &str = "run, sweep, survey, check, files, diskspd, fio, ior, mdtest";

/// Refuses a command that a launcher started several times, and that only one process can carry out.
pub(crate) fn refuse_many(what: &str, environment: &Environment) -> Result<(), CommandError> {
    match environment.launch {
        None => Ok(()),
        Some(launch) if launch.rank > 0 => Err(CommandError::refused_for([])),
        Some(launch) => Err(CommandError::refused(format!(
            "{what}: {} started {} processes, and one does this; hint: start it without the launcher. On many hosts: {ON_MANY}",
            launch.launcher.name(),
            launch.size
        ))),
    }
}

/// Refuses what prints and measures nothing, in every process of a job.
pub(crate) fn refuse_in_job(what: &str, way: &Way) -> CommandError {
    match way {
        Way::Launched(launch) if launch.rank > 0 => CommandError::refused_for([]), // rank 0 reports it
        Way::Launched(_) | Way::Starts(_) => CommandError::refused(format!(
            "{what}: this measures nothing, so one process is enough; hint: start it without the launcher and --hosts"
        )),
    }
}

/// A process of a job, seen from the command that it runs.
pub(super) struct Member<'a> {
    pub(super) hosts: &'a Rc<Hosts>,
    pub(super) ground: &'a RunContext,
    pub(super) gate: &'a Admission<'a>,
    pub(super) stop: &'a Stop,
    pub(super) interrupt: &'a Interrupt,
}

/// Where results are stored, and who takes part.
pub(super) struct Together<'a> {
    pub(super) hosts: &'a HostsArgs,
    pub(super) keep: &'a KeepArgs,
    pub(super) kind: &'static Kind,
    /// Of which command line its options are.
    pub(super) options: Options,
    /// Ranks may write one file with any layout: what each does is the command's.
    pub(super) shares: bool,
    /// A target may be there several times.
    pub(super) repeats: bool,
    /// Does a rank's part of what the command defines.
    pub(super) perform: Perform,
    /// Logs of services, of each rank's own machine.
    pub(super) event_files: &'a [PathBuf],
}

/// Does the part of rank N of an order, and returns its answer as JSON.
pub(super) type Perform = fn(&Admission<'_>, &[u8], u32) -> Vec<u8>;

/// Carries out an order of rank 0 and returns the answer as JSON; nothing for an order that cannot be read.
pub(super) fn answer_to<O: DeserializeOwned, A: Serialize>(
    body: &[u8],
    carry_out: impl FnOnce(O) -> A,
) -> Vec<u8> {
    let order: Option<O> = serde_json::from_slice(body).ok();
    let answer = order.and_then(|order| serde_json::to_vec(&carry_out(order)).ok());
    answer.unwrap_or_default()
}

impl<'a> Together<'a> {
    /// With the options of `fathom` itself.
    pub(super) fn new(hosts: &'a HostsArgs, keep: &'a KeepArgs, kind: &'static Kind) -> Self {
        Together {
            hosts,
            keep,
            kind,
            options: tools::native::option,
            shares: false,
            repeats: false,
            perform: |_, _, _| Vec::new(), // it gives no such order
            event_files: &[],
        }
    }
}

/// Meets all ranks: rank 0 runs the command, `lead`, and all others serve it.
pub(super) fn together(
    request: &Together<'_>,
    way: &Way,
    environment: &Environment,
    lead: &dyn Fn(&Member<'_>) -> Result<Ending, CommandError>,
) -> Result<Ending, CommandError> {
    let args = request.hosts;
    let options = options(args)?;
    // No rank has a confirmation, with any command line of its own: see `refuse_confirmations`.
    let ground = RunContext::find(request.keep, Consent::default(), environment)?;
    let gate = Admission {
        options: request.options,
        repeats: request.repeats,
        event_files: request.event_files,
        pins: match options.layout != JobLayout::Own || request.shares {
            true => Pins::shared(),
            false => Pins::default(),
        },
        ..ground.gate()
    };
    let stop = Stop::new();
    let interrupt = signals::listen(&stop)?;
    let job = connect(args, way, &ground.host.hostname)?;
    let options = match way {
        Way::Launched(_) => options,
        Way::Starts(hosts) => HostsOptions {
            names: hosts.clone(),
            ..options
        },
    };
    let id = RandomState::new().build_hasher().finish();
    let goes_on = options.goes_on;
    let hosts = Hosts::join(job, &ground.host.hostname, id, options)?;
    hosts.listen(&stop);
    if !hosts.is_first() {
        return serve(&hosts, gate, request, &stop);
    }
    let ending = lead(&Member {
        hosts: &hosts,
        ground: &ground,
        gate: &gate,
        stop: &stop,
        interrupt: &interrupt,
    })?;
    Ok(match !goes_on && !hosts.lost().is_empty() {
        true => ending.and(Ending::Wrong),
        false => ending,
    })
}

/// Ranks that rank 0 starts itself at most: it has a connection and two threads for each.
const SSH_HOSTS_MAX: usize = 256;

fn options(args: &HostsArgs) -> Result<HostsOptions, CommandError> {
    let wrong = |option: &str, value: &str, accepted: &str| {
        CommandError::refused(format!("invalid value '{value}' for {option}: {accepted}"))
    };
    let piece = args.layout.as_deref().and_then(interleaved);
    let layout = args.layout.as_deref().map(|text| {
        let read: Result<JobLayout, model::UnitError> = match piece {
            Some(_) => Ok(JobLayout::Interleaved),
            None => text.parse(),
        };
        read.map_err(|error| wrong("--layout", text, error.accepted))
    });
    let goes_on = match args.on_loss.as_deref() {
        None | Some("end") => false,
        Some("continue") => true,
        Some(other) => return Err(wrong("--on-loss", other, "must be end or continue")),
    };
    Ok(HostsOptions {
        layout: layout.transpose()?.unwrap_or_default(),
        piece: piece.unwrap_or_default(),
        goes_on,
        names: Vec::new(),
    })
}

/// `interleaved:64K`: how long a range is.
fn interleaved(text: &str) -> Option<Bytes> {
    let piece: Bytes = text.strip_prefix("interleaved:")?.parse().ok()?;
    (piece > Bytes(0)).then_some(piece)
}

/// Prints a message of another rank as one: no line of it can be taken for one of this process.
fn tell_of(rank: u32, line: &str) {
    let line = line.strip_prefix("fathom: ").unwrap_or(line);
    output::tell(&format!("rank {rank}: {}", line.replace("; hint: ", "; ")));
}

fn connect(args: &HostsArgs, way: &Way, own: &str) -> Result<Job, CommandError> {
    let timeout = timeout(args)?;
    let refused = |JobError(why): JobError| CommandError::refused(why);
    match way {
        Way::Starts(hosts) => {
            let commands = starts(args, hosts, own)?;
            let size = u32::try_from(hosts.len()).unwrap_or(u32::MAX);
            let open = move || boxed(Pipes::start("ssh", commands, tell_of));
            Job::connect(open, size, timeout).map_err(refused)
        }
        Way::Launched(Launch {
            launcher: Launcher::Fathom,
            size,
            rank,
        }) => {
            let (size, rank) = (*size, *rank);
            Job::connect(move || boxed(Pipes::serve(rank, size)), size, timeout).map_err(refused)
        }
        Way::Launched(launch) => {
            let (launch, library) = (*launch, args.mpi_library.clone());
            if let Some(path) = &library {
                trusted(path)?;
            }
            let open = move || {
                Mpi::open(launch, library.as_deref()).map(|mpi| Box::new(mpi) as Box<dyn Transport>)
            };
            Job::connect(open, FAN_OUT, timeout).map_err(|error| match launch.rank {
                0 => refused(error),
                _ => CommandError::refused_for([]), // rank 0 reports the same
            })
        }
    }
}

fn boxed(pipes: std::io::Result<Pipes>) -> Result<Box<dyn Transport>, JobError> {
    match pipes {
        Ok(pipes) => Ok(Box::new(pipes)),
        Err(error) => Err(JobError(format!("--hosts: {}", model::errno_text(&error)))),
    }
}

/// The command lines that start fathom on all hosts but this one.
fn starts(args: &HostsArgs, hosts: &[String], own: &str) -> Result<Vec<Command>, CommandError> {
    let short = own.split('.').next().unwrap_or(own);
    if hosts
        .first()
        .is_none_or(|first| ![own, short, "localhost"].contains(&first.as_str()))
    {
        return Err(CommandError::refused(format!(
            "--hosts: the first host must be this one ({own}), because rank 0 runs here and stores the result"
        )));
    }
    if hosts.len() < 2 || hosts.len() > SSH_HOSTS_MAX {
        return Err(CommandError::refused(format!(
            "--hosts: must have 2 to {SSH_HOSTS_MAX} ranks; hint: start more of them by mpirun or srun"
        )));
    }
    let ssh = args.ssh.as_deref().unwrap_or("ssh -o BatchMode=yes");
    let mut words = ssh.split_whitespace();
    let program = words
        .next()
        .ok_or_else(|| CommandError::refused("--ssh: a command is needed"))?;
    let fixed: Vec<&str> = words.collect();
    let folder = std::env::current_dir().map_err(CommandError::failed)?;
    let fathom = args.remote_fathom.as_deref().unwrap_or("fathom");
    let own_words = command_line().into_iter().skip(1);
    let line: Vec<String> = own_words.map(shell_word).collect();
    let command = |(host, rank): (&String, usize)| {
        let mut command = Command::new(program);
        command.args(&fixed).arg(host).arg(format!(
            "cd {} && {SIZE}={} {RANK}={rank} exec {} {}",
            shell_word(&folder),
            hosts.len(),
            shell_word(fathom),
            line.join(" ")
        ));
        command
    };
    Ok(hosts.iter().zip(0..).skip(1).map(command).collect())
}

fn timeout(args: &HostsArgs) -> Result<Nanos, CommandError> {
    let text = args.timeout();
    let wrong = |why: &str| {
        CommandError::refused(format!("invalid value '{text}' for --host-timeout: {why}"))
    };
    let timeout: Result<Nanos, model::UnitError> = text.parse();
    let timeout = timeout.map_err(|error| wrong(error.accepted))?;
    match timeout < Nanos::seconds(5) {
        true => Err(wrong(
            "must be at least 5s, because ranks report once a second",
        )),
        false => Ok(timeout),
    }
}

/// A library is code of this process: no other user may be able to change it.
fn trusted(path: &Path) -> Result<(), CommandError> {
    let changed = host::is_writable_by_others(path).map_err(|error| {
        let why = model::errno_text(&error);
        CommandError::refused(format!("--mpi-library {}: {why}", path.display()))
    })?;
    match changed {
        false => Ok(()),
        true => Err(CommandError::refused(format!(
            "--mpi-library {}: the library must belong to root or to you, and no other user may be able to write to it",
            path.display()
        ))),
    }
}

/// Ranks other than 0: nothing of theirs is printed or stored here.
fn serve(
    hosts: &Rc<Hosts>,
    gate: Admission<'_>,
    request: &Together<'_>,
    stop: &Stop,
) -> Result<Ending, CommandError> {
    let gate = Admission {
        note: |_| (),
        ..gate
    };
    let new = session::new_session(
        request.kind.stored(),
        command_line(),
        String::new(),
        clock::utc(),
    );
    let journal = Journal::<&Store>::new(None, new);
    let mut runner = Runner::new(
        &gate,
        ProvenFiles::default(),
        &journal,
        command_line(),
        stop,
    );
    runner.hosts = Some(Rc::clone(hosts));
    hosts.serve(&mut runner, &|body, rank| {
        (request.perform)(&gate, body, rank)
    })?;
    Ok(Ending::Good)
}

/// One name may be a fathom file here and user data elsewhere, so no confirmation applies to all hosts.
pub(super) fn refuse_confirmations(consent: &Consent) -> Result<(), CommandError> {
    let option = match (consent.overwrite_files, consent.destroy_devices.is_empty()) {
        (true, _) => "--overwrite",
        (false, false) => "--destroy",
        (false, true) => return Ok(()),
    };
    Err(CommandError::refused(format!(
        "{option}: it would confirm the loss of any content with this name on every host; hint: specify files that are not there yet, or \
         run fathom with {option} alone on each host first"
    )))
}

/// Refuses an option that only a run on many hosts has.
pub(super) fn refuse_for_many(option: &str) -> CommandError {
    CommandError::refused(format!(
        "{option}: this is no run on many hosts; hint: add --hosts, or start it as mpirun -n 4 fathom run …"
    ))
}

/// Refuses the first option that is given and that only a process alone has.
pub(super) fn refuse_alone(options: &[(&str, bool)]) -> Result<(), CommandError> {
    match options.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(CommandError::refused(format!(
            "{option}: this option is for a run alone; hint: omit it, or add --alone"
        ))),
        None => Ok(()),
    }
}
