//! Every field of a request that a sweep can vary, one row each: its name, what values it takes, where it stands.
//!
//! The order of the rows is the nesting of axes that come from options: the last changes fastest. So threads and depth
//! run through while a block size stays, as people write such scripts by hand.
//! Deliberately absent: `--create`: a file is created once for the whole sweep; what part of it is used can be varied.

use crate::native::Request;
use model::{Bytes, Nanos, Ratio, UnitError};
use std::path::PathBuf;

/// What the values of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Size,
    Time,
    Percent,
    Count,
    /// One of a few words, or anything that has no order.
    Word,
    /// Specified or not: true or false.
    Switch,
}

/// A field of a request.
pub(super) struct Field {
    /// Its option without dashes.
    pub(super) name: &'static str,
    /// Its option as it is written.
    pub(super) option: &'static str,
    pub(super) kind: Kind,
    /// As in the request; `None` if not specified.
    pub(super) get: fn(&Request) -> Option<String>,
    pub(super) set: fn(&mut Request, &str),
}

/// A row for text that is always there.
macro_rules! always {
    ($name:literal, $kind:ident, $($part:ident).+) => {
        Field {
            name: $name,
            option: concat!("--", $name),
            kind: Kind::$kind,
            get: |request| Some(request.$($part).+.clone()),
            set: |request, text| request.$($part).+ = text.to_owned(),
        }
    };
}

/// A row for text that may be missing.
macro_rules! maybe {
    ($name:literal, $kind:ident, $($part:ident).+) => {
        Field {
            name: $name,
            option: concat!("--", $name),
            kind: Kind::$kind,
            get: |request| request.$($part).+.clone(),
            set: |request, text| request.$($part).+ = Some(text.to_owned()),
        }
    };
}

/// A row for an option without a value.
macro_rules! switch {
    ($name:literal, $($part:ident).+) => {
        Field {
            name: $name,
            option: concat!("--", $name),
            kind: Kind::Switch,
            get: |request| request.$($part).+.then(|| "true".to_owned()),
            set: |request, text| request.$($part).+ = text == "true",
        }
    };
}

pub(super) const FIELDS: &[Field] = &[
    Field {
        name: "target",
        option: "a target",
        kind: Kind::Word,
        get: |_| None, // several names on a command line are used together
        set: |request, text| request.targets = vec![PathBuf::from(text)],
    },
    always!("engine", Word, engine.engine),
    switch!("poll", engine.poll),
    switch!("sqpoll", engine.sqpoll),
    maybe!("seed", Count, engine.seed),
    switch!("continue-on-error", engine.continue_on_error),
    maybe!("null-size", Size, engine.null_size),
    maybe!("null-delay", Time, engine.null_delay),
    maybe!("null-error-every", Count, engine.null_error_every),
    always!("duration", Time, time.duration),
    always!("warmup", Time, time.warmup),
    always!("cooldown", Time, time.cooldown),
    maybe!("interval", Time, time.interval),
    always!("base", Size, place.base),
    maybe!("length", Size, place.length),
    always!("cache", Word, place.cache),
    switch!("drop-cache", place.drop_cache),
    switch!("write-through", place.write_through),
    maybe!("fsync", Count, place.fsync),
    maybe!("fdatasync", Count, place.fdatasync),
    switch!("end-fsync", place.end_fsync),
    maybe!("verify", Word, verify.verify),
    maybe!("read-back", Word, verify.read_back),
    switch!("no-end-pass", verify.no_end_pass),
    maybe!("verify-memory", Size, verify.memory),
    switch!("stop-on-corruption", verify.stop),
    maybe!("compress", Percent, work.compress),
    maybe!("dedupe", Percent, work.dedupe),
    always!("write", Percent, work.write),
    always!("pattern", Word, work.pattern),
    always!("block", Size, work.block),
    maybe!("arrivals", Word, time.arrivals),
    maybe!("rate", Count, time.rate),
    always!("depth", Count, work.depth),
    always!("threads", Count, work.threads),
];

/// The name of every field that can be varied.
pub fn field_names() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().map(|field| field.name)
}

/// The field of this name; `write_through` is `write-through`, as TOML has it.
pub(super) fn find(name: &str) -> Option<&'static Field> {
    let name = name.replace('_', "-");
    FIELDS.iter().find(|field| field.name == name)
}

impl Kind {
    /// Whether values have an order, so that there may be ranges of them.
    pub(super) fn is_number(self) -> bool {
        !matches!(self, Kind::Word | Kind::Switch)
    }

    /// A value as a number. // for kinds that are numbers
    pub(super) fn number(self, text: &str) -> Result<u64, UnitError> {
        match self {
            Kind::Size => text.parse().map(|Bytes(bytes)| bytes),
            Kind::Time => text.parse().map(|Nanos(ns)| ns),
            Kind::Percent => text.parse().map(|share: Ratio| u64::from(share.as_percent())),
            Kind::Count | Kind::Word | Kind::Switch => whole(text.strip_suffix("/s").unwrap_or(text))
                .ok_or_else(|| UnitError {
                    read: text.to_owned(),
                    accepted: "must be a whole number, a list of them (1,2,4) or a range (1..8 doubles, 2..8+2 adds \
                              2)",
                }),
        }
    }

    /// A number as the option takes it, in its shortest form.
    pub(super) fn text(self, number: u64) -> String {
        match self {
            Kind::Size => Bytes(number).to_string(),
            Kind::Time => Nanos(number).to_string(),
            Kind::Percent | Kind::Count | Kind::Word | Kind::Switch => number.to_string(),
        }
    }
}

fn whole(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}
