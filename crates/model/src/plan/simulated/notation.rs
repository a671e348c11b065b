//! `sim:MODEL[,key=value…]` to a device and back.

use super::keys::KEYS;
use super::{FlushLaw, ServiceLaw, SimulatedDevice, SimulatedModel};
use crate::block_header::BLOCK;
use crate::units::Bytes;
use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// What the word begins with.
const HEAD: &str = "sim:";

/// Everything that is wrong with a word, a sentence each. // at least one
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedError(Vec<String>);

impl SimulatedError {
    /// A sentence each.
    pub fn problems(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for SimulatedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("; "))
    }
}

impl Error for SimulatedError {}

impl SimulatedDevice {
    /// Whether a target's name means a simulated device. A file of such a name is `./sim:…`.
    pub fn is_meant_by(name: &str) -> bool {
        name.starts_with(HEAD)
    }
}

impl fmt::Display for SimulatedDevice {
    /// The shortest word that means this device.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HEAD}{}", self.model.name())?;
        let usual = self.model.device();
        for key in KEYS {
            let value = key.of(self);
            if value != key.of(&usual) {
                write!(f, ",{}={}", key.name, key.print(value))?;
            }
        }
        Ok(())
    }
}

impl FromStr for SimulatedDevice {
    type Err = SimulatedError;

    fn from_str(word: &str) -> Result<Self, SimulatedError> {
        let mut problems = Vec::new();
        let text = word.strip_prefix(HEAD).unwrap_or(word);
        let mut parts = text.split(',');
        let name = parts.next().unwrap_or_default();
        let model = SimulatedModel::ALL.iter().find(|(_, known)| *known == name);
        if model.is_none() {
            problems.push(format!(
                "the model {name:?} is not known: it is {}",
                listed(&SimulatedModel::ALL.map(|(_, name)| name))
            ));
        }
        let mut device = model.map_or(SimulatedModel::Ssd, |row| row.0).device();
        let mut said: Vec<&str> = Vec::new();
        for part in parts {
            if let Err(problem) = set(&mut device, part, &mut said) {
                problems.push(problem);
            }
        }
        if problems.is_empty() {
            problems.extend(contradictions(&device));
        }
        if problems.is_empty() {
            Ok(device)
        } else {
            Err(SimulatedError(problems))
        }
    }
}

fn set<'a>(
    device: &mut SimulatedDevice,
    part: &'a str,
    said: &mut Vec<&'a str>,
) -> Result<(), String> {
    let Some((name, value)) = part.split_once('=') else {
        return Err(format!("{part:?}: write key=value"));
    };
    let Some(key) = KEYS.iter().find(|key| key.name == name) else {
        let known = KEYS.map(|key| key.name);
        return Err(format!(
            "the key {name:?} is not known: it is {}",
            listed(&known)
        ));
    };
    if said.contains(&name) {
        return Err(format!("{name} is specified twice: specify it once"));
    }
    said.push(name);
    let read = key.read(value);
    let value = read.ok_or_else(|| format!("{name}={value}: it is {}", key.accepted()))?;
    (key.set)(device, value);
    Ok(())
}

/// What cannot be, or would change nothing.
fn contradictions(device: &SimulatedDevice) -> Vec<String> {
    let mut reported = Vec::new();
    let mut tell = |wrong: bool, what: &str| {
        if wrong {
            reported.push(what.to_owned());
        }
    };
    let faults = &device.faults;
    let at_all = device.service.0.min(device.write_service.0) > 0
        || device.bandwidth.max(device.media) > 0
        || device.cap_iops > 0;
    tell(
        !at_all,
        "nothing takes any time: give service, bandwidth or cap-iops",
    );
    tell(
        device.burst > 0 && device.cap_iops == 0,
        "burst runs ahead of a cap: give cap-iops too, or omit it",
    );
    tell(
        device.write_cache.0 > 0 && device.drain == 0,
        "write-cache never empties: give drain too",
    );
    tell(
        device.cliff_latency.0 > 0 && device.cliff == 0,
        "cliff-latency begins above a depth: give cliff too",
    );
    tell(
        (faults.drop > 0) != (faults.drop_at.0 > 0),
        "drop and drop-at belong together: give both",
    );
    tell(
        faults.pause >= faults.pause_every && faults.pause.0 > 0
            || faults.pause.0 == 0 && faults.pause_every.0 > 0,
        "pause and pause-every belong together, and a pause is shorter than the time to the next: give both",
    );
    tell(
        device.data.0 == 0 && (device.alias.0 > 0 || !device.data_faults.is_none()),
        "faults of data need data: give data too",
    );
    tell(
        device.late.0 > 0 && device.data_faults.is_none(),
        "late delays faults of data: give one of them too",
    );
    tell(
        device.data.0 == 0 && !device.cut.is_none(),
        "volatile, atomic, cut-at and flush are of a device with data: give data too",
    );
    let cut = &device.cut;
    tell(
        !cut.has_cache() && (cut.flush != FlushLaw::Honest || cut.atomic.0 != 4096),
        "flush and atomic matter to writes that a cut may lose: give volatile or cut-at too",
    );
    tell(
        !cut.atomic.0.is_power_of_two(),
        "atomic is a power of two: 512, 4096, 16K",
    );
    let whole = |size: Bytes| size.is_multiple_of(BLOCK);
    tell(
        !whole(device.data) || !whole(device.alias) || device.data > device.size,
        "data and alias are multiples of 4096 bytes, and data is not larger than size",
    );
    tell(
        device.law != ServiceLaw::Lognormal
            && device.spread != device.model.device().spread
            && device.spread > 0,
        "spread is that of the law lognormal: omit one of them",
    );
    reported.extend(uneven_contradictions(device));
    reported
}

/// The same of what makes a device uneven.
fn uneven_contradictions(device: &SimulatedDevice) -> Vec<String> {
    let (uneven, faults) = (&device.uneven, &device.faults);
    let wrong = [
        (
            uneven.pause_jitter > 0 && faults.pause.0 == 0,
            "pause-jitter is that of stalls: give pause and pause-every too",
        ),
        (
            (uneven.swing > 0) != (uneven.swing_every.0 > 0),
            "swing and swing-every belong together: give both",
        ),
        (
            (uneven.tail > 0) != (uneven.tail_latency.0 > 0),
            "tail and tail-latency belong together: give both",
        ),
    ];
    let wrong = wrong.into_iter().filter(|(wrong, _)| *wrong);
    wrong.map(|(_, what)| what.to_owned()).collect()
}

fn listed(names: &[&str]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::keys::LAWS;
    use super::*;
    use crate::units::Nanos;
    use proptest::prelude::*;

    fn problems(word: &str) -> Vec<String> {
        word.parse::<SimulatedDevice>()
            .unwrap_err()
            .problems()
            .to_vec()
    }

    #[test]
    fn a_word_names_a_model_and_what_differs() {
        let device: SimulatedDevice = "sim:capped,cap-iops=1920,service=250us".parse().unwrap();
        assert_eq!(device.model, SimulatedModel::Capped);
        assert_eq!(
            (device.cap_iops, device.service),
            (1920, Nanos::micros(250))
        );
        assert_eq!(device.channels, SimulatedModel::Capped.device().channels);
        assert_eq!(device.to_string(), "sim:capped,service=250us,cap-iops=1920");
        let device: SimulatedDevice = "sim:ssd,write-cache=4G,drain=200M/s,spread=40%"
            .parse()
            .unwrap();
        assert_eq!(
            (device.write_cache, device.drain),
            (Bytes::gib(4), 200 << 20)
        );
    }

    #[test]
    fn every_bad_key_is_reported_at_once() {
        let reported =
            problems("sim:tape,channels=0,fast,speed=3,service=1ms,service=2ms,law=normal");
        assert_eq!(reported.len(), 6, "{reported:#?}");
        assert!(reported[0].contains("\"tape\"") && reported[0].ends_with("array or cliff"));
        assert!(reported[1].starts_with("channels=0: it is a whole number from 1 to 1024"));
        assert_eq!(reported[2], "\"fast\": write key=value");
        assert!(reported[3].starts_with("the key \"speed\" is not known: it is size, channels,"));
        assert_eq!(reported[4], "service is specified twice: specify it once");
        assert_eq!(
            reported[5],
            "law=normal: it is constant, lognormal or exponential"
        );
    }

    #[test]
    fn what_cannot_be_is_reported() {
        for (word, part) in [
            ("sim:ssd,service=0s,bandwidth=0", "nothing takes any time"),
            ("sim:ssd,burst=5", "give cap-iops too"),
            ("sim:ssd,write-cache=1G", "give drain too"),
            ("sim:ssd,cliff-latency=1ms", "give cliff too"),
            ("sim:ssd,drop=5", "give both"),
            ("sim:ssd,pause=2s,pause-every=1s", "shorter"),
            ("sim:ssd,law=constant,spread=9", "omit one"),
        ] {
            let reported = problems(word);
            assert!(
                reported.len() == 1 && reported[0].contains(part),
                "{word}: {reported:?}"
            );
        }
    }

    #[test]
    fn names_are_given_once_and_models_can_be_said() {
        for (place, key) in KEYS.iter().enumerate() {
            assert!(KEYS[..place].iter().all(|other| other.name != key.name));
        }
        for (model, name) in SimulatedModel::ALL {
            let word = format!("sim:{name}");
            assert_eq!(word.parse(), Ok(model.device()));
            assert_eq!(model.device().to_string(), word);
        }
        for (place, (law, _)) in LAWS.iter().enumerate() {
            assert_eq!(*law as usize, place);
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(values in prop::collection::vec(any::<u64>(), KEYS.len()), model in 0usize..5) {
            let mut device = SimulatedModel::ALL[model].0.device();
            for (key, value) in KEYS.iter().zip(values) {
                (key.set)(&mut device, key.range.0 + value % (key.range.1 - key.range.0 + 1));
            }
            let word = device.to_string();
            match word.parse::<SimulatedDevice>() {
                Ok(read) => prop_assert_eq!(read, device),
                Err(error) => prop_assert_eq!(error.problems(), &contradictions(&device)[..]),
            }
        }

        #[test]
        fn no_word_makes_the_reader_panic(word in ".*") {
            let _ = word.parse::<SimulatedDevice>();
        }
    }
}
