//! Which files are created, and their sizes, over all time spans: `-c`, `FileSize` and `PrecreateFiles`.
//!
//! The original creates files by name: before a time span, each name that has a size, the last size last; before all of
//! them those that `PrecreateFiles` picks. A later target with the same name uses the file that was created for an
//! earlier one. Here each target of that name gets the size, so that a check of one target alone finds that there
//! will be a file. Deliberately absent: making files, and whether one that is there serves.

use super::profile::{Content, Precreate, Profile, Target, TimeSpan};
use std::collections::BTreeMap;

/// Sizes in bytes by name.
type Sizes<'p> = BTreeMap<&'p str, u64>;

/// The size of the file of each target, span by span; `None` if none is created.
pub(super) fn sizes(profile: &Profile) -> Vec<Vec<Option<u64>>> {
    let before = profile
        .precreate
        .map_or_else(Sizes::new, |which| precreated(profile, which));
    let mut there = before.clone();
    let mut all = Vec::new();
    for span in &profile.time_spans {
        for target in files(span).filter(|target| !before.contains_key(target.path.as_str())) {
            if let Some(bytes) = asked(target).filter(|bytes| *bytes > 0) {
                there.insert(&target.path, bytes);
            }
        }
        let size = |target: &Target| there.get(target.path.as_str()).copied();
        all.push(span.targets.iter().map(size).collect());
    }
    all
}

/// A device has its size.
fn files(span: &TimeSpan) -> impl Iterator<Item = &Target> {
    span.targets.iter().filter(|target| !target.is_device())
}

fn asked(target: &Target) -> Option<u64> {
    target.create_bytes
}

/// Files created before the first time span: a name whose targets agree on zeros, have a size at all, and keep the
/// rule.
fn precreated(profile: &Profile, which: Precreate) -> Sizes<'_> {
    let mut names: BTreeMap<&str, Vec<&Target>> = BTreeMap::new();
    for target in profile.time_spans.iter().flat_map(files) {
        names.entry(&target.path).or_default().push(target);
    }
    names
        .into_iter()
        .filter_map(|(name, targets)| {
            let zeros = |target: &Target| target.content == Content::Zero;
            let alike = targets.iter().all(|each| zeros(each) == zeros(targets[0]));
            let sizes: Vec<u64> = targets
                .iter()
                .map(|target| asked(target).unwrap_or(0))
                .collect();
            let largest = sizes.iter().copied().max().filter(|bytes| *bytes > 0)?;
            let constant = |size: &u64| *size == largest;
            let kept = match which {
                Precreate::UseMaxSize => true,
                Precreate::OnlyFilesWithConstantSizes => sizes.iter().all(constant),
                Precreate::OnlyFilesWithConstantOrZeroSizes => {
                    sizes.iter().all(|size| *size == 0 || constant(size))
                }
            };
            (alike && kept).then_some((name, largest))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(path: &str, create_bytes: Option<u64>, content: Content) -> Target {
        Target {
            path: path.to_owned(),
            create_bytes,
            content,
            ..Target::default()
        }
    }

    fn spans(precreate: Option<Precreate>, targets: &[&[Target]]) -> Vec<Vec<Option<u64>>> {
        let span = |targets: &&[Target]| TimeSpan {
            targets: targets.to_vec(),
            ..TimeSpan::default()
        };
        sizes(&Profile {
            precreate,
            time_spans: targets.iter().map(span).collect(),
            ..Profile::default()
        })
    }

    /// By id: sizes of one name in two time spans, and what each rule makes of it.
    #[test]
    fn files_are_made_before_the_first_time_span_by_the_rule_of_the_profile() {
        use Content::{Pattern, Zero};
        let all = [
            Precreate::UseMaxSize,
            Precreate::OnlyFilesWithConstantSizes,
            Precreate::OnlyFilesWithConstantOrZeroSizes,
        ];
        let made = Some(300);
        for (id, first, second, zeros, expected) in [
            (
                "E058",
                100,
                150,
                [Pattern, Pattern],
                [Some(150), None, None],
            ),
            (
                "two sizes, one 0",
                0,
                200,
                [Pattern, Pattern],
                [Some(200), None, Some(200)],
            ),
            ("E060", 0, 0, [Pattern, Pattern], [None; 3]),
            ("E061", 300, 300, [Pattern, Pattern], [made; 3]),
            ("all zeros", 300, 300, [Zero, Zero], [made; 3]),
            ("E062", 300, 300, [Pattern, Zero], [None; 3]),
        ] {
            for (which, expected) in all.into_iter().zip(expected) {
                let [a, b] = zeros.clone();
                let span = |size, content| TimeSpan {
                    targets: vec![target("f", Some(size), content)],
                    ..TimeSpan::default()
                };
                let profile = Profile {
                    time_spans: vec![span(first, a), span(second, b)],
                    ..Profile::default()
                };
                let found = precreated(&profile, which).get("f").copied();
                assert_eq!(found, expected, "{id} {which:?}");
            }
        }
    }

    #[test]
    fn what_was_made_before_all_spans_is_not_made_again_at_another_size() {
        let span = |size| [target("f", size, Content::Pattern)];
        let (small, large, none) = (span(Some(100)), span(Some(150)), span(None));
        let targets: [&[Target]; 3] = [&small, &large, &none];
        let max = Some(Precreate::UseMaxSize);
        assert_eq!(
            spans(max, &targets),
            [[Some(150)], [Some(150)], [Some(150)]]
        );
        let constant = Some(Precreate::OnlyFilesWithConstantSizes);
        let each = [[Some(100)], [Some(150)], [Some(150)]];
        assert_eq!(spans(constant, &targets), each);
        assert_eq!(spans(None, &targets), each);
    }

    #[test]
    fn targets_of_one_name_share_the_last_size_and_devices_have_none() {
        let one = |path: &str, size| target(path, size, Content::Pattern);
        let targets = [
            one("f", Some(100)),
            one("f", None),
            one("f", Some(50)),
            one("g", Some(0)),
            one("/dev/x", Some(9)), // E057
        ];
        let expected = [Some(50), Some(50), Some(50), None, None];
        assert_eq!(spans(None, &[&targets]), [expected]);
        assert_eq!(
            spans(Some(Precreate::UseMaxSize), &[&targets[4..]]),
            [[None]]
        );
    }
}
