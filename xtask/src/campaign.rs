//! `cargo xtask campaign`: honest documents of fio itself, whose cause is known from their creation, are imported;
//! a finding that is not true of its document is misleading, and listed. At most one document in a hundred may have one.
//!
//! As root, on targets of its own: an ext4 file on a loop device with direct I/O to its file, a loop device through the page
//! cache, a zram device, and fio's null engine. All of them are removed at the end. Omitted: limits, which no honest
//! document has, and figures, which are the machine's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DOCUMENTS: usize = 300;
const MISLEADING_MAX: f64 = 0.01;
const SYNCHRONOUS: [&str; 4] = ["sync", "psync", "pvsync2", "mmap"];

/// Parameters of a document.
#[derive(Clone, Copy)]
struct Made {
    target: &'static str,
    engine: &'static str,
    depth: u32,
    block: &'static str,
    pattern: &'static str,
    direct: bool,
    fsync: bool,
    jobs: u32,
    /// Seconds, or `n` and a number of I/Os.
    length: &'static str,
}

/// Draws by seed, so that the same documents are created again.
struct Draw(u64);

impl Draw {
    /// SplitMix64, Steele, Lea and Flood, OOPSLA 2014.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        let length = u64::try_from(of.len()).expect("a short list");
        of[usize::try_from(self.next() % length).expect("an index")]
    }

    fn made(&mut self) -> Made {
        let target = self.one(&[
            "file", "file", "file", "loop", "loop", "zram", "zram", "null",
        ]);
        let engine = match target {
            "null" => "null",
            _ => self.one(&[
                "psync", "libaio", "io_uring", "sync", "posixaio", "pvsync2", "mmap",
            ]),
        };
        let pattern = self.one(&["randread", "randwrite", "read", "write", "randrw"]);
        Made {
            target,
            engine,
            depth: self.one(&[1, 4, 16, 64]),
            block: self.one(&["4k", "16k", "64k", "1m"]),
            pattern,
            direct: engine != "mmap" && self.one(&[true, false]),
            fsync: !pattern.ends_with("read") && self.one(&[true, false, false]),
            jobs: self.one(&[1, 1, 4]),
            length: self.one(&["1", "2", "3", "5", "10", "n1", "n100", "n5000"]),
        }
    }
}

impl Made {
    fn name(self) -> String {
        let Made {
            target,
            engine,
            depth,
            block,
            pattern,
            jobs,
            length,
            ..
        } = self;
        let cache = if self.direct { "direct" } else { "buffered" };
        let sync = if self.fsync { "-fsync" } else { "" };
        format!("{target}-{engine}-qd{depth}-{block}-{pattern}-{cache}{sync}-{jobs}jobs-{length}")
    }

    /// Whether a finding is true of it by the way in which it was created, or by what the kernel counted of other programs
    /// meanwhile. Of what is counted in the document and only repeated, the number of I/Os, of percentiles and of times that a
    /// range was used, all is true.
    fn allows(self, (rule, sentence): (&str, &str), disturbed: bool) -> bool {
        let memory = matches!(self.target, "zram" | "null");
        let synchronous = SYNCHRONOUS.contains(&self.engine);
        // The null engine moves nothing, so no page cache has a part in it.
        let buffered = !self.direct && self.target != "null";
        let cached = buffered || self.target == "loop";
        let writes = !self.pattern.ends_with("read");
        let depth = if synchronous { 1 } else { self.depth };
        let deep = self.jobs * depth > 1;
        match rule {
            "short-run"
            | "undersampled-tail"
            | "coordinated-omission"
            | "working-set-fits-cache" => true,
            "saturated" => self.jobs * depth >= 16,
            // Two sources: a page cache that has a part, or takes writes until it has to write back. The other cause that
            // it names, other load, was counted.
            "latency-groups" => cached || (disturbed && sentence.contains("other load")),
            // Such a cache changes the rate, also that of a loop device which reads fill, and so do others that use the
            // processors or the disk; nothing else here does.
            "not-steady" if sentence.contains("as if") => cached,
            "not-steady" => cached || disturbed,
            "stall" => writes && (cached || self.fsync),
            "cpu-bound" => memory || cached,
            "page-cache" => buffered,
            "no-device" => memory,
            "answered-from-memory" => memory || cached,
            // Its words for a file on a loop device, whose set-up no document states, are a condition.
            "loop-page-cache" => self.target == "loop" || sentence.contains("without direct I/O"),
            "queue-depth-ignored" => synchronous && self.depth > 1,
            // glibc's threads submit for posixaio, and a loop device takes direct I/O without waiting.
            "synchronous-submission" => {
                depth > 1 && self.engine != "posixaio" && (memory || buffered)
            }
            "commit-latency" => self.fsync,
            "one-at-a-time" => !deep,
            // Direct I/O to a disk keeps a queue full, unless the document ends before it is.
            "queue-not-full" => {
                depth > 1 && !self.fsync && (memory || buffered || self.length.starts_with('n'))
            }
            "same-place" => {
                self.jobs > 1 && matches!(self.pattern, "read" | "write") && self.target != "null"
            }
            _ => false,
        }
    }

    /// Whether the figures are a disk's: then VALID is true.
    fn is_of_a_disk(self) -> bool {
        self.target == "file" && (self.direct || self.fsync)
    }
}

/// Files and devices that were created for it.
struct Ground {
    folder: PathBuf,
    loops: Vec<String>,
    zram: Option<String>,
}

impl Ground {
    fn make() -> Option<Ground> {
        let folder = std::env::temp_dir().join(format!("fathom-campaign-{}", std::process::id()));
        fs::create_dir(&folder).ok()?;
        let mut ground = Ground {
            folder,
            loops: Vec::new(),
            zram: None,
        };
        let at = |name: &str| ground.folder.join(name).to_string_lossy().into_owned();
        let (disk, cached, mount) = (at("disk.img"), at("cached.img"), at("mnt"));
        for (image, mib) in [(&disk, 2048), (&cached, 1024)] {
            said(&format!(
                "dd if=/dev/urandom of={image} bs=1M count={mib} conv=fdatasync"
            ))?;
        }
        for (image, direct) in [(&disk, "on"), (&cached, "off")] {
            ground.loops.push(said(&format!(
                "losetup --direct-io={direct} -f --show {image}"
            ))?);
        }
        fs::create_dir(&mount).ok()?;
        said(&format!("mkfs.ext4 -q {}", ground.loops[0]))?;
        said(&format!("mount {} {mount}", ground.loops[0]))?;
        said(&format!(
            "dd if=/dev/urandom of={mount}/f.dat bs=1M count=1024 conv=fdatasync"
        ))?;
        if let Some(number) = said("cat /sys/class/zram-control/hot_add") {
            said(&format!("echo 512M > /sys/block/zram{number}/disksize"))?;
            said(&format!(
                "dd if=/dev/urandom of=/dev/zram{number} bs=1M count=512"
            ))?;
            ground.zram = Some(number);
        }
        Some(ground)
    }

    /// The file, its size; none where there is no zram.
    fn of(&self, target: &str) -> Option<(String, &'static str)> {
        match target {
            "file" => Some((
                format!("--filename={}", self.folder.join("mnt/f.dat").display()),
                "1G",
            )),
            "loop" => Some((format!("--filename={}", self.loops[1]), "1G")),
            "zram" => Some((
                format!("--filename=/dev/zram{}", self.zram.as_ref()?),
                "512M",
            )),
            _ => Some((String::new(), "1G")),
        }
    }

    fn document(&self, made: Made) -> Option<PathBuf> {
        let (file, size) = self.of(made.target)?;
        let to = self.folder.join(format!("{}.json", made.name()));
        let Made {
            engine,
            depth,
            block,
            pattern,
            jobs,
            length,
            ..
        } = made;
        let length = match length.strip_prefix('n') {
            Some(ios) => format!("--number_ios={ios}"),
            None => format!("--time_based --runtime={length}"),
        };
        let fsync = if made.fsync { "--fsync=1" } else { "" };
        said(&format!(
            "fio --name=job --output-format=json --output={} --ioengine={engine} --iodepth={depth} --bs={block} --rw={pattern} \
             --direct={} --numjobs={jobs} --group_reporting --size={size} --norandommap {file} {fsync} {length}",
            to.display(),
            u8::from(made.direct)
        ))?;
        Some(to)
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = said(&format!("umount {}", self.folder.join("mnt").display()));
        for device in &self.loops {
            let _ = said(&format!("losetup -d {device}"));
        }
        if let Some(number) = &self.zram {
            let _ = said(&format!("echo 1 > /sys/block/zram{number}/reset"));
            let _ = said(&format!(
                "echo {number} > /sys/class/zram-control/hot_remove"
            ));
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What the kernel has counted of processors and disks.
#[derive(Clone, Copy)]
struct Counted {
    /// Ticks of all processors, those that programs had or that were stolen, and those of this program and its children. What
    /// the kernel does for a load (threads of a loop device) is not other load.
    ticks: [u64; 3],
    /// Sectors of disks, and of loop devices.
    sectors: [u64; 2],
}

impl Counted {
    fn now() -> Option<Counted> {
        let numbers = |text: &str| -> Vec<u64> {
            let words = text.split_whitespace();
            words.map(|word| word.parse().unwrap_or(0)).collect()
        };
        let stat = fs::read_to_string("/proc/stat").ok()?;
        let all = numbers(stat.lines().next()?.strip_prefix("cpu")?);
        let own = fs::read_to_string("/proc/self/stat").ok()?;
        let own = numbers(own.rsplit_once(')')?.1);
        let all = all.get(..8)?; // guests are counted in user, too
        let programs = all[0] + all[1] + all[7]; // user, nice, steal
        let mut sectors = [0, 0];
        for line in fs::read_to_string("/proc/diskstats").ok()?.lines() {
            let name = line.split_whitespace().nth(2)?;
            let whole = Path::new("/sys/block").join(name).exists();
            let place = usize::from(name.starts_with("loop"));
            if whole && !name.starts_with("zram") {
                let line = numbers(line);
                sectors[place] += line.get(5)? + line.get(9)?;
            }
        }
        let own = own.get(11)? + own.get(13)?; // utime, cutime
        Some(Counted {
            ticks: [all.iter().sum(), programs, own],
            sectors,
        })
    }

    /// Whether others had a quarter of the processors' time since then, or moved a quarter of the sectors of the disk that was
    /// measured. What a loop device moves, its disk moves, too.
    fn others_since(self, then: Counted, has_disk: bool) -> bool {
        let [all, programs, own] =
            [0, 1, 2].map(|at| self.ticks[at].saturating_sub(then.ticks[at]));
        let [disks, loops] = [0, 1].map(|at| self.sectors[at] - then.sectors[at]);
        4 * programs.saturating_sub(own) >= all.max(1)
            || (has_disk && 4 * disks.saturating_sub(loops) >= disks.max(1))
    }
}

/// What a command prints; none where it fails.
fn said(command: &str) -> Option<String> {
    let output = Command::new("sh").args(["-c", command]).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// What the command line requests.
struct Request {
    count: usize,
    seed: u64,
    /// Where misleading documents are kept.
    keep: Option<PathBuf>,
}

impl Request {
    fn read(words: &[String]) -> Option<Request> {
        let mut request = Request {
            count: DOCUMENTS,
            seed: 18,
            keep: None,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--seed" => request.seed = words.next()?.parse().ok()?,
                "--keep" => request.keep = Some(PathBuf::from(words.next()?)),
                count => request.count = count.parse().ok()?,
            }
        }
        Some(request)
    }
}

/// Builds the program and copies it, so that a build during the campaign does not replace it.
fn program(root: &Path, folder: &Path) -> Option<PathBuf> {
    let built = Command::new("cargo")
        .args(["build", "--quiet", "--package", "fathom"])
        .current_dir(root)
        .status();
    let to = folder.join("fathom");
    let copied = built.is_ok_and(|status| status.success())
        && fs::copy(root.join("target/debug/fathom"), &to).is_ok();
    copied.then_some(to)
}

/// Whether at most one in a hundred is misleading.
pub(crate) fn run(root: &Path, words: &[String]) -> bool {
    let Some(request) = Request::read(words) else {
        eprintln!(
            "xtask: read `campaign {}`; accepted are a number of documents, --seed N, --keep FOLDER",
            words.join(" ")
        );
        return false;
    };
    let Some(ground) = Ground::make() else {
        eprintln!(
            "xtask: the campaign needs root, fio, losetup, mkfs.ext4 and 5 GiB of temporary space"
        );
        return false;
    };
    let Some(program) = program(root, &ground.folder) else {
        eprintln!("xtask: the program cannot be built");
        return false;
    };
    let (count, mut draw) = (request.count, Draw(request.seed));
    let (mut made_count, mut misleading) = (0, 0);
    let (mut disturbed_count, mut of_others) = (0, 0);
    while made_count < count {
        let made = draw.made();
        let before = Counted::now();
        let Some(document) = ground.document(made) else {
            continue;
        };
        made_count += 1;
        let disturbed = before
            .zip(Counted::now())
            .is_some_and(|(then, now)| now.others_since(then, made.target == "file"));
        disturbed_count += u32::from(disturbed);
        let lies = lies(
            &program,
            &ground.folder,
            (made, &document, disturbed),
            &mut of_others,
        );
        if !lies.is_empty() {
            misleading += 1;
            println!("misleading: {}: {}", made.name(), lies.join("; "));
            if let Some(keep) = &request.keep {
                let _ = fs::create_dir_all(keep);
                let _ = fs::copy(&document, keep.join(format!("{}.json", made.name())));
            }
        }
    }
    let share = f64::from(misleading) / f64::from(u32::try_from(count.max(1)).unwrap_or(u32::MAX));
    println!(
        "campaign: {misleading} of {count} documents of fio have a misleading finding ({:.1}%); during {disturbed_count} other \
         programs used a quarter of the processors or of the disk, which alone makes {of_others} findings true",
        100.0 * share
    );
    share <= MISLEADING_MAX
}

/// Findings on a document that are not true; those that are true only because of other programs are counted. Consequences count as what they follow from.
fn lies(
    program: &Path,
    folder: &Path,
    (made, document, disturbed): (Made, &Path, bool),
    of_others: &mut u32,
) -> Vec<String> {
    let store = folder.join("store.db");
    let _ = fs::remove_file(&store);
    let fathom = |rest: &str| {
        said(&format!(
            "FATHOM_STORE={} {} {rest}",
            store.display(),
            program.display()
        ))
    };
    let shown =
        fathom(&format!("import {}", document.display())).and_then(|_| fathom("show 1 --json"));
    let Some(shown) = shown else {
        return vec!["it cannot be imported".to_owned()];
    };
    let value = |line: &str, name: &str| {
        let rest = line.trim().strip_prefix(&format!("\"{name}\": \""))?;
        Some(rest.trim_end_matches(',').trim_end_matches('"').to_owned())
    };
    let mut lies = Vec::new();
    let mut id = None;
    for line in shown.lines() {
        id = value(line, "id").or(id);
        if let Some((id, sentence)) = id
            .take_if(|_| line.contains("\"sentence\": "))
            .zip(value(line, "sentence"))
        {
            if !made.allows((&id, &sentence), disturbed) {
                lies.push(format!("{id} ({sentence})"));
            } else if !made.allows((&id, &sentence), false) {
                *of_others += 1;
            }
        }
    }
    let valid = shown
        .lines()
        .find_map(|line| value(line, "validity"))
        .as_deref()
        == Some("VALID");
    if valid && !made.is_of_a_disk() {
        lies.push("VALID, though no disk was measured".to_owned());
    }
    lies
}
