//! The words of a run on many hosts.

use clap::Args;
use model::CommandError;
use std::path::PathBuf;

/// Default of `--host-timeout`.
const HOST_TIMEOUT: &str = "30s";

/// How the ranks of a job work together. A job exists where a launcher of MPI started several processes.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Many hosts (under mpirun, mpiexec or srun)")]
pub(crate) struct HostsArgs {
    /// Measure from these hosts, one rank each: a,b or n[001-128] or a:2. The first is this one; the others are reached by ssh
    #[arg(long, value_name = "LIST")]
    pub(crate) hosts: Option<String>,
    /// With --hosts: the command that reaches a host; its name and a line for its shell are appended [default: ssh -o
    /// BatchMode=yes]
    #[arg(long, value_name = "COMMAND", requires = "hosts")]
    pub(crate) ssh: Option<String>,
    /// With --hosts: fathom on the other hosts [default: fathom]
    #[arg(long, value_name = "PATH", requires = "hosts")]
    pub(crate) remote_fathom: Option<String>,
    /// How the ranks share the target: own (each its own; {rank} and {host} in its name are filled in), segments (each the
    /// range of --length behind that of the rank before), interleaved:SIZE (sequential I/O in ranges of this size that take
    /// turns, --length in all for each) or all [default: own]
    #[arg(long, value_name = "LAYOUT")]
    pub(crate) layout: Option<String>,
    /// Action if a rank is lost: end (all stop, exit code 1) or continue [default: end]
    #[arg(long, value_name = "WHAT")]
    pub(crate) on_loss: Option<String>,
    #[arg(long, value_name = "TIME", help = format!("How long a rank may be silent before it is lost [default: {HOST_TIMEOUT}]"))]
    pub(crate) host_timeout: Option<String>,
    /// The library of the MPI whose launcher started this, if it is not found by its name
    #[arg(long, value_name = "PATH")]
    pub(crate) mpi_library: Option<PathBuf>,
    /// Run alone, under any launcher
    #[arg(long, conflicts_with_all = ["hosts", "layout", "on_loss", "host_timeout", "mpi_library"])]
    pub(crate) alone: bool,
}

/// The same of `fathom run`.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Many hosts")]
pub(crate) struct RunHostsArgs {
    #[command(flatten)]
    pub(crate) all: HostsArgs,
    /// Measure each rank alone first, one after another, then all together
    #[arg(long, conflicts_with = "alone")]
    pub(crate) each: bool,
    /// Hosts that own the shared target; they are compared with the others [default: those on which its file system is
    /// local, where others mount it]
    #[arg(long, value_name = "LIST", conflicts_with = "alone")]
    pub(crate) owner: Option<String>,
}

impl RunHostsArgs {
    /// The first option that a run alone does not have.
    pub(crate) fn given(&self) -> Option<&'static str> {
        match (self.each, &self.owner) {
            (true, _) => Some("--each"),
            (false, Some(_)) => Some("--owner"),
            (false, None) => None,
        }
    }

    /// Hosts that own the target, as they were named.
    ///
    /// # Errors
    /// The list cannot be read.
    pub(crate) fn owners(&self) -> Result<Vec<String>, CommandError> {
        let Some(list) = &self.owner else {
            return Ok(Vec::new());
        };
        job::host_list(list).map_err(|why| {
            CommandError::refused(format!("invalid value '{list}' for --owner: {why}"))
        })
    }
}

impl HostsArgs {
    /// The list for the help of another tool.
    pub(crate) const OF_TOOL: &str = "
fathom's own, for several processes (`fathom docs many-hosts`):
  --hosts LIST              the hosts, the first of which is this one
  --ssh COMMAND             what reaches a host
  --remote-fathom PATH      fathom on the other hosts
  --layout LAYOUT           own, segments, all or interleaved:SIZE
  --on-loss end|continue    action if a rank is lost
  --host-timeout TIME       how long a rank may be silent
  --mpi-library PATH        the library of the launcher's MPI
  --alone                   ignore the launcher
";

    /// The same where the tool's own options are the layout.
    pub(crate) const OF_TASKS: &str = "
fathom's own, for several processes (`fathom docs many-hosts`):
  --hosts LIST              the hosts, the first of which is this one
  --ssh COMMAND             what reaches a host
  --remote-fathom PATH      fathom on the other hosts
  --on-loss end|continue    action if a rank is lost
  --host-timeout TIME       how long a rank may be silent
  --mpi-library PATH        the library of the launcher's MPI
  --alone                   ignore the launcher
";

    /// Takes them out of another tool's command line. No tool has an option of these names.
    ///
    /// # Errors
    /// A value is missing, or `--alone` contradicts another one.
    pub(crate) fn take(words: &mut Vec<String>) -> Result<HostsArgs, CommandError> {
        let mut args = HostsArgs::default();
        let mut others = Vec::with_capacity(words.len());
        let mut all = words.drain(..);
        while let Some(word) = all.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let mut path = None;
            let option = match name {
                "--alone" if value.is_none() => {
                    args.alone = true;
                    continue;
                }
                "--hosts" => &mut args.hosts,
                "--ssh" => &mut args.ssh,
                "--remote-fathom" => &mut args.remote_fathom,
                "--layout" => &mut args.layout,
                "--on-loss" => &mut args.on_loss,
                "--host-timeout" => &mut args.host_timeout,
                "--mpi-library" => &mut path,
                _ => {
                    others.push(word);
                    continue;
                }
            };
            let given = value.or_else(|| all.next());
            *option = Some(
                given
                    .ok_or_else(|| CommandError::refused(format!("{name}: a value is missing")))?,
            );
            args.mpi_library = path.map(PathBuf::from).or(args.mpi_library);
        }
        drop(all);
        *words = others;
        let of_ssh = args.ssh.is_some() || args.remote_fathom.is_some();
        let contradicts = args.alone && (args.hosts.is_some() || args.given().is_some());
        match (contradicts, of_ssh && args.hosts.is_none()) {
            (true, _) => Err(CommandError::refused(
                "--alone cannot be combined with other options of many hosts",
            )),
            (_, true) => Err(CommandError::refused(
                "--ssh, --remote-fathom: they need --hosts",
            )),
            _ => Ok(args),
        }
    }

    /// The first option that has no effect alone.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let HostsArgs {
            hosts: _, // they are the job
            ssh: _,
            remote_fathom: _,
            layout,
            on_loss,
            host_timeout,
            mpi_library,
            alone: _,
        } = self;
        let options = [
            ("--layout", layout.is_some()),
            ("--on-loss", on_loss.is_some()),
            ("--host-timeout", host_timeout.is_some()),
            ("--mpi-library", mpi_library.is_some()),
        ];
        options
            .iter()
            .find(|(_, is_given)| *is_given)
            .map(|(name, _)| *name)
    }

    /// The text of `--host-timeout`.
    pub(crate) fn timeout(&self) -> &str {
        self.host_timeout.as_deref().unwrap_or(HOST_TIMEOUT)
    }
}
