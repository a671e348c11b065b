//! The virtual machine that has what this machine's kernel lacks: the distribution's kernel with all of its modules, whose
//! root is this machine's, read-only below a file system in memory. One start runs many rows of a table by
//! `environments.sh`, as this machine does.
//!
//! `guest.sh` is its first process. Its disks are files of the lab's folder: one for images, one that is a target, and
//! one that the machine limits to [`IOPS_LIMIT`]. A shared folder is a target over 9p, and over virtiofs where
//! `virtiofsd` is here.

use super::kernel::Kernel;
use super::machine::{Contents, Machine};
use super::{NEEDS, Result, find};
use crate::setup;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A row's environment, command and options.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) environment: &'a str,
    pub(super) command: &'a str,
    pub(super) options: &'a str,
}

/// What a row printed, and its exit code.
pub(super) struct Ran {
    pub(super) code: i32,
    pub(super) out: String,
    pub(super) err: String,
}

impl Ran {
    pub(super) fn of(output: &Output) -> Self {
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    fn not_reached() -> Self {
        Ran {
            code: -1,
            out: String::new(),
            err: "the virtual machine ended before this row".to_owned(),
        }
    }

    /// Why the environment could not be set up.
    pub(super) fn lacking(&self) -> Option<String> {
        let all = format!("{}\n{}", self.err, self.out);
        let (_, why) = all.split_once("lacks: ").filter(|_| self.code == LACKS)?;
        Some(why.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// As the script exits where the machine lacks the environment.
const LACKS: i32 = 77;

/// Programs that rows call; each is copied into the machine.
pub(super) struct Programs<'a> {
    pub(super) fathom: &'a Path,
    pub(super) faultfs: Option<&'a Path>,
}

/// Of the disk `vdc`, as QEMU's `throttling.iops-total`.
const IOPS_LIMIT: u32 = 300;
/// The names of the disks in the machine are vda, vdb and vdc.
const DISKS: [(&str, u64, u32); 3] = [
    ("images", 4 << 30, 0),
    ("plain", 256 << 20, 0),
    ("limited", 256 << 20, IOPS_LIMIT),
];
const ROW_SECONDS_MAX: u32 = 400;
const SECONDS_MAX: u32 = 7200;
const MEMORY_MIB: u32 = 3072;
const SCRIPT: &str = include_str!("guest.sh");
/// Debian's place for a program that is not for people.
const VIRTIOFSD: &str = "/usr/lib/qemu/virtiofsd";

/// For each row nothing if it is not of the machine, else what it printed, or why there is no machine.
pub(super) type Split = Vec<Option<std::result::Result<Ran, String>>>;

/// Runs those rows that have a job in the machine.
pub(super) fn split(
    root: &Path,
    programs: &Programs<'_>,
    rows: &[Option<Job<'_>>],
) -> Result<Split> {
    let jobs: Vec<Job<'_>> = rows.iter().flatten().copied().collect();
    if jobs.is_empty() {
        return Ok(rows.iter().map(|_| None).collect());
    }
    let mut ran = run(root, programs, &jobs)?.map(Vec::into_iter);
    let results = rows.iter().map(|row| {
        row.as_ref().map(|_| match &mut ran {
            Ok(ran) => Ok(ran.next().flatten().unwrap_or_else(Ran::not_reached)),
            Err(why) => Err(why.clone()),
        })
    });
    Ok(results.collect())
}

/// Starts the machine once and runs the rows in it; or why there is none. A row that was not reached is `None`.
fn run(
    root: &Path,
    programs: &Programs<'_>,
    jobs: &[Job<'_>],
) -> Result<std::result::Result<Vec<Option<Ran>>, String>> {
    if let Some((program, package)) = NEEDS.iter().find(|(program, _)| find(program).is_none()) {
        return Ok(Err(format!(
            "no {program}; on Debian: apt-get install {package}"
        )));
    }
    let lab = setup::target(root).join("lab");
    std::fs::create_dir_all(&lab)?;
    let kernel = match Kernel::find_or_fetch(&lab) {
        Ok(kernel) => kernel,
        Err(why) => return Ok(Err(why)),
    };
    let folders = Folders::new(&lab)?;
    folders.fill(root, programs, jobs)?;
    let first = folders.machine.join("first");
    let contents = Contents {
        modules: &["virtio_pci", "9pnet_virtio", "9p", "overlay"],
        programs: Vec::new(),
        script: SCRIPT,
    };
    contents.write(&kernel, &first)?;
    let served = Served::start(&folders)?;
    let machine = Machine {
        processors: &["-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2"],
        memory_mib: MEMORY_MIB,
        kernel_words: "",
        more: folders.arguments(&kernel, served.is_some())?,
        seconds_max: SECONDS_MAX,
    };
    println!("lab: {} rows on {} in QEMU", jobs.len(), kernel.name());
    machine.boot(&kernel, &first)?;
    drop(served);
    let ran: Vec<Option<Ran>> = (0..jobs.len()).map(|number| folders.ran(number)).collect();
    let outputs = lab.join("outputs.txt");
    std::fs::write(&outputs, printed(jobs, &ran))?;
    println!("lab: their outputs are in {}", outputs.display());
    folders.remove()?;
    Ok(Ok(ran))
}

/// All that the rows printed, for people.
fn printed(jobs: &[Job<'_>], ran: &[Option<Ran>]) -> String {
    let rows = jobs.iter().zip(ran).map(|(job, ran)| {
        let Job {
            environment,
            command,
            options,
        } = job;
        let printed = ran.as_ref().map_or_else(
            || "not reached\n".to_owned(),
            |ran| format!("exit code {}\n{}{}", ran.code, ran.err, ran.out),
        );
        format!("#### {environment} {command} {options}: {printed}\n")
    });
    rows.collect()
}

/// Folders of one start, in the lab's.
struct Folders {
    /// All of them.
    machine: PathBuf,
    /// Rows, programs and results.
    job: PathBuf,
    /// A target inside.
    shared: PathBuf,
}

impl Folders {
    fn new(lab: &Path) -> Result<Self> {
        let machine = lab.join(format!("machine-{}", std::process::id()));
        let folders = Folders {
            job: machine.join("job"),
            shared: machine.join("shared"),
            machine,
        };
        std::fs::create_dir_all(&folders.job)?;
        std::fs::create_dir_all(&folders.shared)?;
        for (name, bytes, _) in DISKS {
            File::create(folders.machine.join(name))?.set_len(bytes)?;
        }
        Ok(folders)
    }

    fn fill(&self, root: &Path, programs: &Programs<'_>, jobs: &[Job<'_>]) -> Result<()> {
        let rows = jobs.iter().map(|job| {
            let Job {
                environment,
                command,
                options,
            } = job;
            format!("{environment}|{command}|{options}\n")
        });
        std::fs::write(self.job.join("rows"), rows.collect::<String>())?;
        std::fs::write(self.job.join("seconds"), ROW_SECONDS_MAX.to_string())?;
        let script = root.join("xtask/src/lab/environments.sh");
        std::fs::copy(script, self.job.join("environments.sh"))?;
        let faultfs = programs.faultfs.map(|program| ("faultfs", program));
        for (name, program) in [("fathom", programs.fathom)].into_iter().chain(faultfs) {
            let to = self.job.join(name);
            match find("strip") {
                Some(strip) => drop(super::stripped(&strip, program, &to)?),
                None => drop(std::fs::copy(program, to)?),
            }
        }
        Ok(())
    }

    fn arguments(&self, kernel: &Kernel, has_virtiofs: bool) -> Result<Vec<String>> {
        let share = |tag: &str, path: &Path, more: &str| {
            let path = path.display();
            [
                "-virtfs".to_owned(),
                format!(
                    "local,path={path},mount_tag={tag},security_model=none,multidevs=remap{more}"
                ),
            ]
        };
        let mut all: Vec<String> = [
            share("host", Path::new("/"), ",readonly=on"),
            share("modules", &kernel.modules_folder()?, ",readonly=on"),
            share("job", &self.job, ""),
            share("shared", &self.shared, ""),
        ]
        .concat();
        for (name, _, iops) in DISKS {
            let file = self.machine.join(name);
            let drive = format!(
                "if=none,id={name},format=raw,cache=unsafe,discard=unmap,file={},throttling.iops-total={iops}",
                file.display()
            );
            let device = format!("virtio-blk-pci,drive={name},serial=fathom-{name}");
            all.extend(["-drive".to_owned(), drive, "-device".to_owned(), device]);
        }
        if has_virtiofs {
            let memory = format!("memory-backend-memfd,id=memory,size={MEMORY_MIB}M,share=on");
            let socket = format!("socket,id=virtiofs,path={}", self.socket().display());
            let words = [
                "-object",
                &memory,
                "-numa",
                "node,memdev=memory",
                "-chardev",
                &socket,
                "-device",
                "vhost-user-fs-pci,chardev=virtiofs,tag=virtiofs",
            ];
            all.extend(words.map(str::to_owned));
        }
        Ok(all)
    }

    fn socket(&self) -> PathBuf {
        self.machine.join("virtiofs.socket")
    }

    fn ran(&self, number: usize) -> Option<Ran> {
        let text = |kind: &str| {
            let bytes = std::fs::read(self.job.join(format!("{number}.{kind}"))).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        Some(Ran {
            code: text("code")?.trim().parse().ok()?,
            out: text("out")?,
            err: text("err")?,
        })
    }

    fn remove(self) -> Result<()> {
        Ok(std::fs::remove_dir_all(self.machine)?)
    }
}

/// The server of the shared folder over virtiofs; it ends with the machine, or here.
struct Served(Child);

impl Served {
    fn start(folders: &Folders) -> Result<Option<Self>> {
        if !Path::new(VIRTIOFSD).is_file() {
            return Ok(None);
        }
        let served = Command::new(VIRTIOFSD)
            .arg(format!("--socket-path={}", folders.socket().display()))
            .args(["-o", "sandbox=chroot,cache=none", "-o"])
            .arg(format!("source={}", folders.shared.display()))
            .stdin(Stdio::null())
            .stderr(File::create(folders.machine.join("virtiofsd.log"))?)
            .stdout(Stdio::null())
            .spawn()?;
        let served = Served(served);
        for _ in 0..50 {
            if folders.socket().exists() {
                return Ok(Some(served));
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        Ok(None)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
