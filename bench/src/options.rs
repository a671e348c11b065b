//! The words behind `cargo xtask bench`.

use crate::error::BenchError;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const USAGE: &str = "\
cargo xtask bench [SECTION...] [OPTIONS]; without a section all of them
  overhead          fathom diskspd against fathom run
  loops             fathom against bare loops and fio
  low-depth         few I/Os in flight on devices that another thread serves, against fio; as root
  start             time beyond what was asked, from start to exit
  gap               time between the cells of a sweep, beyond the rest
  memory            peak memory
  analysis          from records to reports
  quick             fathom quick against hdparm and dd; as root
  files             fathom files against bonnie++ on ext4 and XFS; as root, takes minutes: see --data
  page              the page of a sweep of 441 cells: time to write, bytes, time until it answers in Chromium
  store             fathom list, show, table and db check with 100,000 sessions: minutes, and 10 GB next to the program
  survey            fathom survey against the whole grid, on twenty simulated devices; with --real on
                    four real targets too, whose loads also take turns: half an hour, as root
  writes            writes with block headers against zeros, and the start of a run that writes against one that reads:
                    1.1 GB next to the program
  verify            --verify and --journal against plain runs, on 16 MiB and 1 GiB
  --real            see survey
  --rounds N        each contender so many times, in turn [default: 5]
  --time SECONDS    length of one run [default: 0.5]
  --depths LIST     of loops [default: 1,8,32,128]
  --threads LIST    of loops [default: 1,2]
  --places LIST     of loops and overhead: null, cache, disk, device [default: all]
                    of low-depth: disk, loop, zram, fuse; of quick: disk, file, device; of files: ext4, xfs
                    of survey: sim, and with --real file, ext4, limit, zram
  --sessions N      of store [default: 100000]
  --data MIB        of files: the large file, 192 to 4096; memory is a third of it [default: 768]
  --folder PATH     where files are created, on a real disk [default: next to the program]";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Overhead,
    Loops,
    LowDepth,
    Start,
    Gap,
    Memory,
    Analysis,
    Quick,
    Files,
    Page,
    Store,
    Survey,
    Writes,
    Verify,
}

const SECTIONS: [(&str, Section); 14] = [
    ("overhead", Section::Overhead),
    ("loops", Section::Loops),
    ("low-depth", Section::LowDepth),
    ("start", Section::Start),
    ("gap", Section::Gap),
    ("memory", Section::Memory),
    ("analysis", Section::Analysis),
    ("quick", Section::Quick),
    ("files", Section::Files),
    ("page", Section::Page),
    ("store", Section::Store),
    ("survey", Section::Survey),
    ("writes", Section::Writes),
    ("verify", Section::Verify),
];

/// Those after the first four are of the sections low-depth, quick, files and survey, which make them themselves.
const PLACES: [&str; 12] = [
    "null", "cache", "disk", "device", "file", "ext4", "xfs", "sim", "limit", "zram", "loop",
    "fuse",
];

/// What is run, how often and how long.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) sections: Vec<Section>,
    pub(crate) rounds: usize, // 1 or more
    pub(crate) time: Duration,
    pub(crate) depths: Vec<u32>,
    pub(crate) threads: Vec<u32>,
    pub(crate) places: Vec<String>,
    pub(crate) folder: Option<PathBuf>,
    /// The large file of the section files.
    pub(crate) data_mib: u64, // in 192..=4096
    /// In the database of the section store.
    pub(crate) sessions: u64, // 100,000 or more
    /// Real targets of the section survey too.
    pub(crate) real: bool,
}

impl Options {
    pub(crate) fn read(words: &[String]) -> Result<Options, BenchError> {
        let mut options = Options {
            sections: Vec::new(),
            rounds: 5,
            time: Duration::from_millis(500),
            depths: vec![1, 8, 32, 128],
            threads: vec![1, 2],
            places: PLACES.map(str::to_owned).into(),
            folder: None,
            data_mib: 768,
            sessions: 100_000,
            real: false,
        };
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            if let Some((_, section)) = SECTIONS.iter().find(|(name, _)| *name == word) {
                options.sections.push(*section);
                continue;
            }
            if word == "--real" {
                options.real = true;
                continue;
            }
            let value = words.next().unwrap_or_default();
            if !options.take(word, value) {
                let read = format!("read `{word} {value}`; what is accepted:");
                return Err(BenchError::Usage(read));
            }
        }
        if options.sections.is_empty() {
            options.sections = SECTIONS.map(|(_, section)| section).into();
        }
        Ok(options)
    }

    /// Whether this place was asked for.
    pub(crate) fn wants(&self, place: &str) -> bool {
        self.places.iter().any(|asked| asked == place)
    }

    /// Whether the option is there and its value in range.
    fn take(&mut self, word: &str, value: &str) -> bool {
        match word {
            "--rounds" => self.rounds = value.parse().unwrap_or(0),
            "--time" => match value.parse() {
                Ok(seconds) if (0.05..=60.0).contains(&seconds) => {
                    self.time = Duration::from_secs_f64(seconds);
                }
                _ => return false,
            },
            "--depths" => self.depths = numbers(value),
            "--threads" => self.threads = numbers(value),
            "--places" => self.places = value.split(',').map(str::to_owned).collect(),
            "--data" => match value.parse() {
                Ok(mib) if (192..=4096).contains(&mib) => self.data_mib = mib,
                _ => return false,
            },
            "--sessions" => match value.parse() {
                Ok(sessions) if sessions >= 100_000 => self.sessions = sessions,
                _ => return false,
            },
            "--folder" => self.folder = Some(PathBuf::from(value)),
            _ => return false,
        }
        let known = |place: &String| PLACES.contains(&place.as_str());
        self.rounds > 0
            && !self.depths.is_empty()
            && !self.threads.is_empty()
            && self.places.iter().all(known)
            && !value.is_empty()
    }
}

/// Positive numbers with commas between; empty if one is none.
fn numbers(list: &str) -> Vec<u32> {
    let all: Result<Vec<u32>, _> = list.split(',').map(str::parse).collect();
    all.ok()
        .filter(|all| all.iter().all(|number| (1..=1024).contains(number)))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, BenchError> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::read(&words)
    }

    #[test]
    fn without_a_section_all_are_run() {
        assert_eq!(read("--rounds 3").unwrap().sections.len(), 14);
        let one = read("loops --depths 1,32 --time 1").unwrap();
        assert_eq!(one.sections, [Section::Loops]);
        assert_eq!(
            (one.depths, one.time),
            (vec![1, 32], Duration::from_secs(1))
        );
    }

    #[test]
    fn what_nobody_knows_is_refused() {
        for line in [
            "speed",
            "--rounds 0",
            "--rounds",
            "--depths 1,x",
            "--places moon",
            "--time 0",
            "--data 100",
        ] {
            assert!(read(line).is_err(), "{line}");
        }
    }
}
