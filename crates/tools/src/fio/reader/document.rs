//! The document around the jobs. Jobs that stand before the place where it is damaged are kept.

use memchr::memmem;
use model::Nanos;
use model::imported_evidence::ImportedDisk;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// Options by name; a flag without a value is empty.
pub(in crate::fio) type Options = BTreeMap<String, String>;

/// What applies to all jobs.
#[derive(Debug, Default)]
pub(in crate::fio) struct Document {
    pub(in crate::fio) version: Option<String>,
    pub(super) timestamp: Option<u64>,
    pub(super) timestamp_ms: Option<u64>,
    pub(super) options: Option<Options>,
    pub(super) disks: Disks,
}

impl Document {
    /// What fio's text has of it.
    pub(in crate::fio) fn of_text(version: Option<&str>, disks: Vec<ImportedDisk>) -> Document {
        Document {
            version: version.map(str::to_owned),
            disks: Disks(disks),
            ..Document::default()
        }
    }
}

/// A job's own options over those of all jobs. They are not put together: that would cost all of them for each job.
pub(super) struct Merged<'o> {
    pub(super) own: Option<&'o Options>,
    pub(super) global: Option<&'o Options>,
}

impl Merged<'_> {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut both = [self.own, self.global].into_iter().flatten();
        both.find_map(|options| options.get(name))
            .map(String::as_str)
    }

    /// Whether the document has no options at all.
    pub(super) fn is_empty(&self) -> bool {
        self.own.is_none() && self.global.is_none()
    }
}

/// What stands around the jobs.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) document: Document,
    /// How many jobs there are.
    pub(super) jobs: usize,
    /// Where it breaks off: line from 0, and serde_json's error.
    pub(super) broken: Option<(usize, String)>,
}

/// Reads the document without its jobs.
pub(super) fn frame(mended: &str) -> Frame {
    let mut frame = Frame::default();
    let (document, jobs) = (&mut frame.document, &mut frame.jobs);
    let error = walk(mended, document, &mut |_, _| *jobs += 1);
    frame.broken = error.map(|error| (error.line().saturating_sub(1), error.to_string()));
    frame
}

/// Hands on the text of each job with its byte in the document, one by one: their texts alone would be many times the
/// document if they were all kept.
pub(super) fn each_job(mended: &str, take: &mut dyn FnMut(usize, &str)) {
    walk(mended, &mut Document::default(), take);
}

/// Answers with what is wrong.
fn walk<'t>(
    mended: &'t str,
    document: &mut Document,
    take: &mut dyn FnMut(usize, &'t str),
) -> Option<serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(mended);
    let top = Top {
        origin: mended.as_ptr() as usize,
        document,
        take,
    };
    top.deserialize(&mut reader).err()
}

/// Figures that are no JSON (`-nan`, `inf`) become `null`; every place stays where it was.
pub(super) fn mend(text: &str) -> Cow<'_, str> {
    const STRANGE: [(&str, &str); 4] = [
        (": -nan", ": null"),
        (": -inf", ": null"),
        (": nan", ":null"),
        (": inf", ":null"),
    ];
    STRANGE
        .iter()
        .fold(Cow::Borrowed(text), |text, (from, to)| {
            if memmem::find(text.as_bytes(), from.as_bytes()).is_some() {
                Cow::Owned(text.replace(from, to))
            } else {
                text
            }
        })
}

struct Top<'d, 'de> {
    /// Address of the text, so that a piece knows its place.
    origin: usize,
    document: &'d mut Document,
    take: &'d mut dyn FnMut(usize, &'de str),
}

impl<'de> DeserializeSeed<'de> for Top<'_, 'de> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("fio's document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match key.as_ref() {
                "fio version" => self.document.version = map.next_value()?,
                "timestamp" => self.document.timestamp = map.next_value()?,
                "timestamp_ms" => self.document.timestamp_ms = map.next_value()?,
                "global options" => self.document.options = Some(map.next_value_seed(Few::new())?),
                "disk_util" => {
                    let disks = map.next_value::<&'de RawValue>()?;
                    self.document.disks = serde_json::from_str(disks.get()).unwrap_or_default();
                }
                "jobs" | "client_stats" => map.next_value_seed(Jobs {
                    origin: self.origin,
                    take: &mut *self.take,
                })?,
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

struct Jobs<'d, 'de> {
    origin: usize,
    take: &'d mut dyn FnMut(usize, &'de str),
}

impl<'de> DeserializeSeed<'de> for Jobs<'_, 'de> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Jobs<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of jobs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(job) = list.next_element::<&'de RawValue>()? {
            let text = job.get();
            (self.take)(text.as_ptr() as usize - self.origin, text);
        }
        Ok(())
    }
}

/// A map of few entries: a text of short ones would grow to many times its length.
struct Few<V>(PhantomData<V>);

/// Most entries: fio has some 300 options, and prints at most 20 percentiles.
const ENTRIES_MAX: usize = 1024;

impl<V> Few<V> {
    fn new() -> Self {
        Few(PhantomData)
    }
}

/// The same as a field of a job.
pub(super) fn few<'de, V, D>(deserializer: D) -> Result<Option<BTreeMap<String, V>>, D::Error>
where
    V: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Few::new().deserialize(deserializer).map(Some)
}

impl<'de, V: Deserialize<'de>> DeserializeSeed<'de> for Few<V> {
    type Value = BTreeMap<String, V>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, V: Deserialize<'de>> Visitor<'de> for Few<V> {
    type Value = BTreeMap<String, V>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = BTreeMap::new();
        while let Some((key, value)) = map.next_entry()? {
            all.insert(key, value);
            if all.len() > ENTRIES_MAX {
                return Err(A::Error::custom(format!(
                    "more than {ENTRIES_MAX} options or percentiles"
                )));
            }
        }
        Ok(all)
    }
}

/// fio prints `in_queue` in milliseconds.
pub(in crate::fio) fn queue_time(ms: u64) -> Nanos {
    Nanos(ms.saturating_mul(1_000_000))
}

/// The devices that fio saw at work (`disk_util`): those of all jobs of the document together.
#[derive(Debug, Default)]
pub(super) struct Disks(Vec<ImportedDisk>);

impl Disks {
    /// Those of one job: known where it is alone in its document.
    pub(super) fn of(&self, jobs: usize) -> Vec<ImportedDisk> {
        if jobs == 1 {
            self.0.clone()
        } else {
            Vec::new()
        }
    }
}

impl<'de> Deserialize<'de> for Disks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(DiskList)
    }
}

struct DiskList;

impl<'de> Visitor<'de> for DiskList {
    type Value = Disks;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of devices")
    }

    /// The first of them: a text of short ones would grow to many times its length.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Disks, A::Error> {
        const DISKS_MAX: usize = 256;
        #[derive(Deserialize)]
        struct Disk {
            name: String,
            read_ios: Option<u64>,
            write_ios: Option<u64>,
            read_merges: Option<u64>,
            write_merges: Option<u64>,
            util: Option<f64>,
            in_queue: Option<u64>,
        }
        let mut disks = Vec::new();
        while let Some(disk) = list.next_element::<Disk>()? {
            let all = [
                disk.read_ios,
                disk.write_ios,
                disk.read_merges,
                disk.write_merges,
            ];
            let ios = all.into_iter().flatten().fold(0, u64::saturating_add);
            if disks.len() < DISKS_MAX {
                disks.push(ImportedDisk {
                    name: disk.name,
                    ios,
                    util_percent: disk.util.filter(|util| util.is_finite() && *util >= 0.0),
                    queue_time: disk.in_queue.map(queue_time),
                });
            }
        }
        Ok(Disks(disks))
    }
}
