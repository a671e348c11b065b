//! The words of `fathom files`, `fathom dd` and `fathom verify`.

use super::{HostsArgs, KeepArgs};
use clap::Args;
use std::path::PathBuf;

/// Default of `--files`, as bonnie++ has it.
pub(crate) const FILES: &str = "16384";
/// Default of `--file-size`.
pub(crate) const FILE_SIZE: &str = "4K";
/// Default of `--data`.
pub(crate) const DATA: &str = "1G";
/// Default of `--block`, as bonnie++ has it.
pub(crate) const BLOCK: &str = "8K";
/// Default of `--step-limit`.
pub(crate) const STEP_LIMIT: &str = "10s";
/// Default of `--patience`.
pub(crate) const PATIENCE: &str = "2m";

/// `fathom files`.
#[derive(Args, Debug)]
pub(crate) struct FilesArgs {
    /// A folder; a temporary folder is created in it and removed; nothing else in it changes
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) work: FilesWorkArgs,
    /// Print the table of bonnie++ 2.00 and its line for programs, with numbers where it prints plus signs
    #[arg(long, conflicts_with = "json")]
    pub(crate) bonnie: bool,
    #[command(flatten)]
    pub(crate) hosts: HostsArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Print the whole report as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is done with the files.
#[derive(Args, Debug)]
pub(crate) struct FilesWorkArgs {
    /// Small files, of all threads together; 0 leaves the operations on small files out
    #[arg(long, value_name = "N", allow_hyphen_values = true, default_value = FILES)]
    pub(crate) files: String,
    /// Bytes in each of them
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, default_value = FILE_SIZE)]
    pub(crate) file_size: String,
    /// Folders for them [default: one for each 64 files, and one per thread at least]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) folders: Option<String>,
    /// Threads, each with its own part of the files, 1 to 1024
    #[arg(
        short,
        long,
        value_name = "N",
        allow_hyphen_values = true,
        default_value = "1"
    )]
    pub(crate) threads: String,
    /// Size of the one large file; 0 leaves the operations on it out
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, default_value = DATA)]
    pub(crate) data: String,
    /// Bytes of one read or write of the large file
    #[arg(short, long, value_name = "SIZE", allow_hyphen_values = true, default_value = BLOCK)]
    pub(crate) block: String,
    /// Leave these steps out, with commas between: write-bytes, write-blocks, rewrite-blocks, read-bytes, read-blocks,
    /// seek, make-folder, create, stat, read, append, append-and-fsync, rename, delete, remove-folder; bytes is
    /// write-bytes
    /// and read-bytes
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true)]
    pub(crate) skip: Option<String>,
    /// A step that lasts longer is cut short, and its rate is that until then
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, default_value = STEP_LIMIT)]
    pub(crate) step_limit: String,
    /// Empty the system's caches before each step that reads; needs root, and slows all of the machine down for a while
    #[arg(long)]
    pub(crate) drop_caches: bool,
    /// Give up if no operation completes for so long, as on a network mount whose server is gone
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, default_value = PATIENCE)]
    pub(crate) patience: String,
    /// Same seed, same random order
    #[arg(
        long,
        value_name = "N",
        allow_hyphen_values = true,
        default_value = "0"
    )]
    pub(crate) seed: String,
}

/// Text below the options of `fathom dd`.
pub(crate) const OPERANDS: &str = "\
Operands are those of dd: if=FILE of=FILE bs=SIZE ibs= obs= count=N skip=N seek=N iflag=direct,… oflag=direct,sync,dsync,… \
conv=fdatasync,fsync,notrunc,… status=none|noxfer|progress. Sizes end in c, w, b, kB, K, MB, M, GB, G and so on. dd's own \
lines go to standard error; a file with content, or a device, is written only with the option that confirms it.";

/// Text below the options of `fathom lmdd`.
pub(crate) const LMDD_OPERANDS: &str = "\
Operands are those of lmdd (lmbench 3): if=FILE|internal of=FILE|internal bs=SIZE count=N move=SIZE skip=N rand=SIZE start=SIZE \
end=SIZE srand=N time=SECONDS usleep=US fsync=1 sync=1 direct=1 idirect=1 odirect=1 osync=1 append=1 notrunc=1 nocreate=1 \
print=0..5 label=TEXT. k, m and g are powers of 1024, K, M and G of 1000. lmdd's own line goes to standard error; a file with \
content, or a device, is written only with the option that confirms it.";

/// Text below the options of `fathom sgp_dd`.
pub(crate) const SGP_DD_OPERANDS: &str = "\
Operands are those of sgp_dd (sg3_utils): if=FILE of=FILE|. bs=SIZE bpt=N thr=N count=N skip=N seek=N iflag=direct,dsync \
oflag=direct,dsync,excl,append time=1. A transfer is bs times bpt bytes; thr threads take transfers in their order. sgp_dd's own \
lines go to standard error; a file with content, or a device, is written only with the option that confirms it.";

/// `fathom dd`, `fathom lmdd` and `fathom sgp_dd`.
#[derive(Args, Debug)]
pub(crate) struct DdArgs {
    /// name=value, as the tool takes them
    #[arg(value_name = "OPERAND", required = true)]
    pub(crate) operands: Vec<String>,
    #[command(flatten)]
    pub(crate) consent: super::ConsentArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Print the whole report as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    /// Check both ends, print what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// `fathom verify`.
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// A file or block device that fathom wrote; it is opened for reading only
    #[arg(value_name = "TARGET")]
    pub(crate) target: PathBuf,
    /// Only this part, in bytes from the start: 1G..3G, 512M.. [default: all of it, or with --run the range of the run]
    #[arg(long, value_name = "FROM..TO", allow_hyphen_values = true)]
    pub(crate) range: Option<String>,
    /// Also compare with this journal of fathom run --journal: are all writes here that were durable before a power cut?
    #[arg(long, value_name = "FILE", conflicts_with = "run")]
    pub(crate) journal: Option<PathBuf>,
    /// Also compare the number of blocks with those that this stored run left; of the runs on this target the last one
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Write the bytes of up to 64 corrupt blocks, with a text for each, into this folder; no file in it is replaced
    #[arg(long, value_name = "DIR")]
    pub(crate) evidence: Option<PathBuf>,
    /// Print what would be read, and read nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Print the whole report as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
