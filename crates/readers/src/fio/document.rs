//! The document around the jobs. Jobs that stand before the place where it is damaged are kept.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// Options by name; a flag without a value is empty.
pub(super) type Options = BTreeMap<String, String>;

/// What holds for all jobs.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) version: Option<String>,
    pub(super) timestamp: Option<u64>,
    pub(super) timestamp_ms: Option<u64>,
    pub(super) options: Option<Options>,
}

/// The text of one job.
pub(super) struct Piece<'t> {
    pub(super) at: usize,
    pub(super) text: Cow<'t, str>,
}

/// What was found, and where it broke off.
#[derive(Default)]
pub(super) struct Found<'t> {
    pub(super) document: Document,
    pub(super) jobs: Vec<Piece<'t>>,
    /// Line from 0, and what serde_json says.
    pub(super) broken: Option<(usize, String)>,
}

/// Most jobs of one document: fio itself stops at 4096 unless it is built otherwise.
const JOBS_MAX: usize = 1 << 20;

pub(super) fn read(text: &str) -> Found<'_> {
    let mended = mend(text);
    let mut found = Found::default();
    let mut pieces: Vec<(usize, usize)> = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(&mended);
    let top = Top {
        origin: mended.as_ptr() as usize,
        document: &mut found.document,
        pieces: &mut pieces,
    };
    if let Err(error) = top.deserialize(&mut reader) {
        let line = error.line().saturating_sub(1);
        found.broken = Some((line, error.to_string()));
    }
    found.jobs = pieces
        .into_iter()
        .map(|(at, length)| Piece {
            at,
            text: match &mended {
                Cow::Borrowed(_) => Cow::Borrowed(&text[at..at + length]),
                Cow::Owned(mended) => Cow::Owned(mended[at..at + length].to_owned()),
            },
        })
        .collect();
    found
}

/// Figures that are no JSON (`-nan`, `inf`) become `null`; every place stays where it was.
fn mend(text: &str) -> Cow<'_, str> {
    const STRANGE: [(&str, &str); 4] = [
        (": -nan", ": null"),
        (": -inf", ": null"),
        (": nan", ":null"),
        (": inf", ":null"),
    ];
    STRANGE
        .iter()
        .fold(Cow::Borrowed(text), |text, (from, to)| {
            if text.contains(from) {
                Cow::Owned(text.replace(from, to))
            } else {
                text
            }
        })
}

struct Top<'d> {
    /// Address of the text, so that a piece knows its place.
    origin: usize,
    document: &'d mut Document,
    pieces: &'d mut Vec<(usize, usize)>,
}

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_> {
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
                "global options" => self.document.options = Some(map.next_value()?),
                "jobs" | "client_stats" => map.next_value_seed(Jobs {
                    origin: self.origin,
                    pieces: self.pieces,
                })?,
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

struct Jobs<'d> {
    origin: usize,
    pieces: &'d mut Vec<(usize, usize)>,
}

impl<'de> DeserializeSeed<'de> for Jobs<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Jobs<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of jobs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(job) = list.next_element::<&'de RawValue>()? {
            let text = job.get();
            if self.pieces.len() < JOBS_MAX {
                let at = text.as_ptr() as usize - self.origin;
                self.pieces.push((at, text.len()));
            }
        }
        Ok(())
    }
}
