//! Facts that users know of a target other than its figures: `--cap-iops`, `--cap-mibs`, `--array-cache`, `--medium`;
//! and its goals, `--goal`. Each is stored with the result as a note, under the name of its option.

use analysis::Known;
use clap::Args;
use model::{Bytes, CommandError, Note, UnitError};

/// What the findings may reckon with.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Target hints")]
pub(crate) struct KnownArgs {
    /// IOPS limit of the target; findings report the distance from it
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) cap_iops: Option<String>,
    /// Bandwidth limit of the target in MiB per second
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) cap_mibs: Option<String>,
    /// Size of the cache of the array or controller, as 2G
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub(crate) array_cache: Option<String>,
    /// Medium: hdd, hdd:N for an array of N rotating disks, sata-ssd or nvme
    #[arg(long, value_name = "MEDIUM")]
    pub(crate) medium: Option<String>,
    /// Goal of the result, as 'p99 < 5ms' or 'iops > 10k where write=0'; what measures exits with 3 if it is missed
    /// (repeatable)
    #[arg(long, value_name = "GOAL")]
    pub(crate) goal: Vec<String>,
}

const NUMBER: &str = "must be a number above 0, as 1920 or 22.5";
/// Names of the hints, which are the names of their options.
pub(crate) const HINTS: [&str; 5] = ["cap-iops", "cap-mibs", "array-cache", "medium", Note::GOALS];

impl KnownArgs {
    fn values(&self) -> [Option<String>; 5] {
        [
            self.cap_iops.clone(),
            self.cap_mibs.clone(),
            self.array_cache.clone(),
            self.medium.clone(),
            (!self.goal.is_empty()).then(|| self.goal.join(Note::GOAL_SEPARATOR)),
        ]
    }

    /// Returns the hints that were given, as they are stored.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let note = |(field, value): (&str, Option<String>)| {
            Some(Note {
                field: field.to_owned(),
                value: value?,
            })
        };
        HINTS
            .into_iter()
            .zip(self.values())
            .filter_map(note)
            .collect()
    }

    /// Returns the hints that were given, and the stored ones of those that were not.
    pub(crate) fn over(&self, stored: &[Note]) -> KnownArgs {
        let [cap_iops, cap_mibs, array_cache, medium, goal] = std::array::from_fn(|place| {
            let stored = stored.iter().find(|note| note.field == HINTS[place]);
            let value = self.values()[place].clone();
            value.or_else(|| Some(stored?.value.clone()))
        });
        KnownArgs {
            cap_iops,
            cap_mibs,
            array_cache,
            medium,
            goal: goal.map_or_else(Vec::new, |goals| {
                goals
                    .split(Note::GOAL_SEPARATOR)
                    .map(str::to_owned)
                    .collect()
            }),
        }
    }

    /// As the findings want it, with the published caps; all that is wrong with the words is reported at once.
    pub(crate) fn read(&self) -> Result<Known, CommandError> {
        const MIB: f64 = 1_048_576.0;
        let mut wrong = Vec::new();
        let mut number = |text: &Option<String>, name: &str| -> Option<f64> {
            let text = text.as_ref()?;
            let value = text.parse::<f64>().ok();
            let value = value.filter(|value| value.is_finite() && *value > 0.0);
            if value.is_none() {
                wrong.push(model::invalid_value(text, name, NUMBER));
            }
            value
        };
        let cap_per_s = number(&self.cap_iops, "--cap-iops");
        let cap_mibs = number(&self.cap_mibs, "--cap-mibs");
        let array_cache = match self.array_cache.as_ref().map(|text| text.parse::<Bytes>()) {
            None => None,
            Some(Ok(size)) => Some(size.0),
            Some(Err(error)) => {
                wrong.push(UnitError::of(&error, "--array-cache"));
                None
            }
        };
        let medium = match self.medium.as_ref().map(|text| text.parse()) {
            None => None,
            Some(Ok(medium)) => Some(medium),
            Some(Err(error)) => {
                wrong.push(analysis::NotAMedium::to_string(&error));
                None
            }
        };
        for goal in &self.goal {
            if goal.contains(Note::GOAL_SEPARATOR) {
                let form = "must be one goal; repeat the option for each";
                wrong.push(model::invalid_value(goal, "--goal", form));
                continue;
            }
            let problems = analysis::problems_of_goal(goal);
            wrong.extend(
                problems
                    .iter()
                    .map(|problem| model::invalid_value(goal, "--goal", problem)),
            );
        }
        if !wrong.is_empty() {
            return Err(CommandError::refused_for(wrong));
        }
        Ok(Known {
            cap_per_s,
            cap_bytes_per_s: cap_mibs.map(|mib| mib * MIB),
            array_cache_bytes: array_cache,
            medium,
            goals: self.goal.clone(),
            caps: tools::published_caps(),
        })
    }
}

/// Returns the hints in these notes on a target.
///
/// # Errors
/// A hint was stored that this version cannot read.
pub(crate) fn known_by(notes: &[Note]) -> Result<Known, CommandError> {
    KnownArgs::default().over(notes).read()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_that_is_given_outranks_the_stored_one() {
        let stored = KnownArgs {
            cap_iops: Some("3000".to_owned()),
            medium: Some("hdd".to_owned()),
            ..KnownArgs::default()
        };
        let given = KnownArgs {
            medium: Some("nvme".to_owned()),
            ..KnownArgs::default()
        };
        let both = given.over(&stored.notes()).notes();
        let both: Vec<String> = both.iter().map(Note::to_string).collect();
        assert_eq!(both, ["cap-iops=3000", "medium=nvme"]);
    }

    #[test]
    fn all_that_is_wrong_is_reported_at_once() {
        let args = KnownArgs {
            cap_iops: Some("many".to_owned()),
            cap_mibs: Some("-3".to_owned()),
            array_cache: Some("big".to_owned()),
            medium: Some("tape".to_owned()),
            goal: vec!["depth = 4".to_owned()],
        };
        let reported = args.read().unwrap_err().to_string();
        for part in [
            "invalid value 'many' for --cap-iops",
            "invalid value '-3' for --cap-mibs",
            "invalid value 'tape' for --medium",
            "invalid value 'depth = 4' for --goal",
        ] {
            assert!(reported.contains(part), "{reported}");
        }
        let known = KnownArgs {
            cap_mibs: Some("22.5".to_owned()),
            medium: Some("hdd:2".to_owned()),
            ..KnownArgs::default()
        };
        let known = known.read().unwrap();
        assert_eq!(known.cap_bytes_per_s, Some(22.5 * 1_048_576.0));
        assert!(!known.caps.is_empty());
    }
}
