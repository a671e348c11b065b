//! Who started this process as one of many: the variables that launchers of MPI set.
//!
//! Omitted: reading the environment, which is an argument.

/// Which kind of MPI started it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// `mpirun` of Open MPI.
    OpenMpi,
    /// `mpiexec` of MPICH, Intel MPI or Cray MPICH; also Slurm with their protocol.
    Mpich,
    /// Another fathom, which speaks with this one over its standard input and output.
    Fathom,
}

/// What the launcher reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Who.
    pub launcher: Launcher,
    /// How many processes it started. // above 1
    pub size: u32,
    /// Which one of them this is.
    pub rank: u32,
}

/// Set by rank 0 for the processes that it starts: how many there are.
pub const SIZE: &str = "FATHOM_JOB_SIZE";
/// Which one it is.
pub const RANK: &str = "FATHOM_JOB_RANK";
/// The variables with the number of processes and with that of this one.
const VARIABLES: [(Launcher, &str, &str); 3] = [
    (Launcher::Fathom, SIZE, RANK),
    (
        Launcher::OpenMpi,
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_RANK",
    ),
    (Launcher::Mpich, "PMI_SIZE", "PMI_RANK"),
];

impl Launcher {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Launcher::OpenMpi => "Open MPI",
            Launcher::Mpich => "MPICH",
            Launcher::Fathom => "fathom --hosts",
        }
    }
}

/// Whether a launcher started this process, also as the only one: it may give it a terminal of its own, and write what it
/// prints into a file.
pub fn is_launched(variable: impl Fn(&str) -> Option<String>) -> bool {
    let mut rows = VARIABLES.iter();
    rows.any(|(_, size, _)| variable(size).is_some())
}

impl Launch {
    /// Reads what the launcher reports; `None` where none started this process, or it started no other one.
    pub fn find(variable: impl Fn(&str) -> Option<String>) -> Option<Launch> {
        let number = |name| variable(name)?.parse::<u32>().ok();
        VARIABLES.iter().find_map(|&(launcher, size, rank)| {
            let (size, rank) = (number(size)?, number(rank)?);
            (size > 1 && rank < size).then_some(Launch {
                launcher,
                size,
                rank,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(set: &[(&str, &str)]) -> Option<(Launcher, u32, u32)> {
        let value = |name: &str| {
            let row = set.iter().find(|(key, _)| *key == name);
            row.map(|(_, value)| (*value).to_owned())
        };
        Launch::find(value).map(|launch| (launch.launcher, launch.size, launch.rank))
    }

    #[test]
    fn only_several_processes_of_one_launcher_are_a_job() {
        let open = [("OMPI_COMM_WORLD_SIZE", "8"), ("OMPI_COMM_WORLD_RANK", "7")];
        assert_eq!(found(&open), Some((Launcher::OpenMpi, 8, 7)));
        assert_eq!(
            found(&[("PMI_SIZE", "2"), ("PMI_RANK", "0")]),
            Some((Launcher::Mpich, 2, 0))
        );
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("PMI_SIZE", "1"), ("PMI_RANK", "0")]), None);
        assert_eq!(found(&[("PMI_SIZE", "4")]), None);
        assert_eq!(found(&[("PMI_SIZE", "4"), ("PMI_RANK", "4")]), None);
        assert_eq!(found(&[("PMI_SIZE", "x"), ("PMI_RANK", "1")]), None);
    }
}
