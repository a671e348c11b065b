//! fio's `verify` options: how a job's blocks are compared with what was written.
//!
//! fathom's headers take the place of fio's: each has place and version of its block, and a checksum of all bytes. Omitted: the
//! comparison (`engine`), and options of verification that change nothing here (`table`).

use super::job::{Job, Method, Sizes};
use super::number::pattern;
use super::read::{OptionRead, flag, text};
use model::read_back::{ReadBack, ReadBackDelay};
use model::{Ratio, Verify, VerifyLevel};

/// Longest pattern, as in fio.
const PATTERN_MAX: usize = 512;
/// What headers need.
const UNIT: u64 = 4096;

const METHODS: &[&str] = &[
    "crc64", "crc32", "crc32c", "crc16", "crc7", "md5", "meta", "xxhash", "sha1", "sha256",
    "sha512",
];

pub(super) fn verify(job: &mut Job, value: Option<&str>) -> OptionRead {
    let word = text(value)?.trim();
    let word = word.strip_suffix("-intel").unwrap_or(word);
    let known = METHODS.contains(&word) || word.starts_with("sha3-");
    let (method, note) = match word {
        "0" | "none" => (Method::Off, None),
        "null" => (
            Method::Off,
            Some("nothing is compared, as in fio; there it only measures what a comparison costs"),
        ),
        "pattern" => (Method::Pattern, None),
        _ if known || word == "pattern_hdr" => (
            Method::Header,
            Some(
                "every byte is compared by fathom's own headers and checksums; neither program checks the other's files",
            ),
        ),
        _ => return Err(
            "must be a checksum of fio's, such as crc32c, or meta, pattern, pattern_hdr or null"
                .to_owned(),
        ),
    };
    (job.verify.method, job.verify.said) = (method, true);
    Ok(note.map(str::to_owned))
}

pub(super) fn verify_pattern(job: &mut Job, value: Option<&str>) -> OptionRead {
    let text = text(value)?;
    if text.contains("%o") {
        job.verify.bytes = Some(Vec::new()); // the place is in every header
        return Ok(None);
    }
    let bytes = pattern(text).filter(|bytes| bytes.len() <= PATTERN_MAX);
    job.verify.bytes = Some(bytes.ok_or(
        "must be 0x and hexadecimal digits, text between double quotes, or numbers: 512 bytes at most",
    )?);
    Ok(None)
}

macro_rules! flags {
    ($($name:ident: $field:ident,)*) => {
        $(pub(super) fn $name(job: &mut Job, value: Option<&str>) -> OptionRead {
            job.verify.$field = flag(value)?;
            Ok(None)
        })*
    };
}

flags! {
    do_verify: end_pass,
    verify_only: only,
    verify_fatal: fatal,
    verify_state_load: loads_state,
}

pub(super) fn verify_backlog(job: &mut Job, value: Option<&str>) -> OptionRead {
    let number = job
        .base
        .size(text(value)?)
        .ok_or("must be a whole number")?;
    job.verify.backlog = u32::try_from(number)
        .ok()
        .filter(|ios| *ios <= ReadBack::IOS_MAX)
        .ok_or("must be at most 1048576 here, because so many places are kept in memory")?;
    Ok(None)
}

pub(super) fn verify_offset(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.verify.offset = is_positive(job, value)?;
    Ok(None)
}

fn is_positive(job: &Job, value: Option<&str>) -> Result<bool, String> {
    let number = job.base.size(text(value)?);
    number
        .map(|number| number > 0)
        .ok_or_else(|| "must be a whole number".to_owned())
}

impl Job {
    /// How its target is verified.
    pub(super) fn target_verify(&self) -> Verify {
        let end_pass = self.verify.end_pass && self.pattern.writes;
        let backlog = self.verify.backlog;
        let reads_again = self.verify.method == Method::Header && end_pass && backlog > 0; // as in fio
        Verify {
            level: match self.verify.method {
                Method::Header => VerifyLevel::Full,
                Method::Off | Method::Pattern => VerifyLevel::Off,
            },
            end_pass,
            read_back: reads_again.then_some(ReadBack {
                share: Ratio::ALL,
                after: ReadBackDelay::Ios(backlog),
            }),
            stop: self.verify.fatal,
            ..Verify::default()
        }
    }

    /// Decides what the options of verification mean together. Returns what is different from fio.
    ///
    /// # Errors
    /// Why its data cannot be compared.
    pub(super) fn settle_verify(&mut self) -> Result<Vec<&'static str>, &'static str> {
        if self.verify.bytes.is_some() && !self.verify.said {
            self.verify.method = Method::Pattern; // as in fio
        }
        match self.verify.method {
            Method::Off => Ok(Vec::new()),
            Method::Pattern => self.settle_pattern(),
            Method::Header => self.settle_header(),
        }
    }

    /// Equal blocks are written, but nothing can be learned from reading them.
    fn settle_pattern(&mut self) -> Result<Vec<&'static str>, &'static str> {
        let writes_alone = self.pattern.writes && !self.pattern.reads;
        if !writes_alone || self.verify.end_pass || self.verify.only {
            return Err(
                "verify=pattern: blocks of equal bytes do not show a lost or misplaced write: specify verify=pattern_hdr or crc32c, or run this job with fio",
            );
        }
        let bytes = self.verify.bytes.take().filter(|bytes| !bytes.is_empty());
        let bytes = bytes.ok_or("verify=pattern: specify verify_pattern, without %o")?;
        self.verify.method = Method::Off;
        self.zeros = bytes.iter().all(|byte| *byte == 0);
        self.content = Some(bytes).filter(|_| !self.zeros);
        Ok(vec![
            "verify=pattern: the pattern is written, and nothing is read back, because of do_verify=0",
        ])
    }

    fn settle_header(&mut self) -> Result<Vec<&'static str>, &'static str> {
        let mut notes = Vec::new();
        if self.verify.only {
            self.pattern.reads = true;
            self.pattern.writes = false;
            self.reads = self.write_sizes.clone();
            notes.push("verify_only: the blocks are read and compared, and their I/Os are reads in the results");
        } else if self.pattern.writes && !self.pattern.reads && !self.verify.end_pass {
            self.verify.method = Method::Off;
            notes.push("do_verify=0: blocks are written with headers and not read back; the same job with verify_only=1, or `fathom verify`, does it later");
        }
        if let Some(why) = self.verify_obstacle() {
            return Err(why);
        }
        if self.content.is_some() || self.zeros || self.verify.bytes.is_some() {
            (self.content, self.zeros) = (None, false);
            notes.push(
                "verify: blocks are random data behind their header, and not a pattern or zeros",
            );
        }
        if self.target_verify().end_pass && !self.target_verify().is_off() {
            notes.push("verify: the range is read back when the job is done; these reads are not in the rates");
            if self.verify.backlog > 0 {
                notes.push("verify_backlog: each write is read back after so many further I/Os; unlike fio's, these reads are not in the rates");
            }
        }
        Ok(notes)
    }

    fn verify_obstacle(&self) -> Option<&'static str> {
        let verified = self.verify.method != Method::Off;
        let unit = |size: u64| size.is_multiple_of(UNIT);
        let whole = |sizes: &Sizes| match sizes {
            Sizes::Fixed(size) => unit(*size),
            Sizes::Range(low, _) => unit(*low), // all are multiples of it
            Sizes::Split(parts) => parts.iter().all(|(size, _)| unit(*size)),
        };
        let sizes = (!self.pattern.reads || whole(&self.reads))
            && (!self.pattern.writes || whole(&self.write_sizes));
        let places = self.align.is_none_or(unit) && unit(self.pattern.step.unsigned_abs());
        if verified && !(sizes && places) {
            return Some(
                "verify: each 4096 bytes have a header: specify sizes and places that are multiples of 4096, or run this job with fio",
            );
        }
        if verified && self.dedupe > 0 {
            return Some(
                "verify: blocks that are equal cannot contain their own place: omit dedupe_percentage",
            );
        }
        if verified && self.verify.offset {
            return Some("verify_offset: a header is at the start of each block: omit it");
        }
        if verified && self.verify.loads_state {
            return Some(
                "verify_state_load: no such state is stored: each block has its own place and version: omit it",
            );
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Built, Environment, build, parse};
    use model::{Bytes, Target, VerifyLevel, WriteContent};

    fn built(options: &str) -> Result<Built, String> {
        let line = format!("--name=j --size=1m --bs=4k {options}");
        let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let request = parse(&args, &Environment::BARE).map_err(|refused| refused.to_string())?;
        let mut built = build(&request, &|_| None).map_err(|refused| refused.to_string())?;
        built.notes.splice(..0, request.notes);
        Ok(built)
    }

    fn target(options: &str) -> Target {
        built(options).unwrap().profile.timespans[0].targets[0].clone()
    }

    #[test]
    fn a_checksum_is_fathom_s_own_and_the_range_is_read_back() {
        for method in [
            "crc32c",
            "crc32c-intel",
            "md5",
            "sha3-256",
            "meta",
            "xxhash",
            "pattern_hdr",
        ] {
            let verify = target(&format!(
                "--rw=randwrite --verify={method} --verify_fatal=1"
            ))
            .verify;
            assert_eq!(verify.level, VerifyLevel::Full, "{method}");
            assert!(verify.end_pass && verify.stop);
        }
        for off in ["--verify=0", "--verify=null", "--verify=md5 --do_verify=0"] {
            assert!(
                target(&format!("--rw=write {off}")).verify.is_off(),
                "{off}"
            );
        }
        let reads = target("--rw=randread --verify=crc32c");
        assert!(!reads.verify.is_off() && !reads.verify.end_pass);
        let only = target("--rw=write --verify=crc32c --verify_only");
        assert_eq!(
            (only.workload.write.as_percent(), only.amount),
            (0, Some(Bytes(1 << 20)))
        );
        assert_eq!(only.verify.level, VerifyLevel::Full);
        let shaped = target("--rw=write --verify=md5 --verify_pattern=0xdeadbeef --zero_buffers");
        assert_eq!(shaped.content, WriteContent::Marked);
    }

    #[test]
    fn a_strict_pattern_is_written_and_never_compared() {
        let written = target("--rw=write --verify=pattern --verify_pattern=0xaa --do_verify=0");
        assert_eq!(written.content, WriteContent::Repeated(vec![0xaa]));
        assert!(written.verify.is_off());
        for options in [
            "--rw=write --verify=pattern --verify_pattern=0xaa",
            "--rw=write --verify_pattern=0xaa",
            "--rw=read --verify=pattern --verify_pattern=0xaa --do_verify=0",
            "--rw=write --verify=pattern --verify_pattern=%o --do_verify=0",
        ] {
            let why = built(options).map(drop).unwrap_err();
            assert!(why.contains("verify=pattern"), "{why}");
        }
    }

    #[test]
    fn what_has_no_headers_is_refused() {
        for options in [
            "--rw=write --bs=512",
            "--rw=randread --bssplit=4k/50:512/50",
            "--rw=write --dedupe_percentage=50",
            "--rw=write --verify_offset=8",
            "--rw=write --verify_state_load=1",
            "--rw=write --filename=x --numjobs=2 --offset_increment=512k",
        ] {
            let why = built(&format!("{options} --verify=md5"))
                .map(drop)
                .unwrap_err();
            assert!(why.contains("verify"), "{why}");
        }
        let notes = built("--rw=write --verify=md5 --verify_backlog=16 --verify_async=2")
            .unwrap()
            .notes;
        for word in ["verify_backlog", "verify_async", "read back"] {
            assert!(
                notes.iter().any(|note| note.to_string().contains(word)),
                "{word}"
            );
        }
    }
}
