//! Commands passed through to an NVMe namespace, past the block layer: which targets and engines belong together, and
//! what a command cannot carry.
//!
//! A namespace that is in use is not accessed, reads too: what bypasses the block layer also bypasses the limits and
//! counters of the others there, and its block device can be read instead.

use super::{Field, Problem, Remedy, Rule, safety};
use crate::plan::{CacheMode, EngineChoice, Hint, Priority, Target, Timespan};
use crate::record::{TargetFacts, TargetKind};

pub(super) fn check(
    span: &Timespan,
    target: &Target,
    facts: &TargetFacts,
    problems: &mut Vec<Problem>,
) {
    let path = facts.path.clone();
    let is_namespace = facts.kind == TargetKind::NvmeNamespace;
    match span.engine_of(target) {
        EngineChoice::Nvme if !is_namespace => problems.push(Problem::NoNamespace { path }),
        EngineChoice::Auto | EngineChoice::Nvme => {}
        engine if is_namespace => problems.push(Problem::OnlyPassthrough { path, engine }),
        _ => {}
    }
    if is_namespace {
        check_namespace(target, facts, problems);
    }
}

/// Of all targets together: a thread's ring is for commands or for reads and writes.
pub(super) fn check_mixed(facts: &[TargetFacts], problems: &mut Vec<Problem>) {
    let is_namespace = |facts: &&TargetFacts| facts.kind == TargetKind::NvmeNamespace;
    let namespaces = facts.iter().filter(is_namespace).count();
    if namespaces > 0 && namespaces < facts.len() {
        problems.push(Problem::PassthroughMixed);
    }
}

fn check_namespace(target: &Target, facts: &TargetFacts, problems: &mut Vec<Problem>) {
    let path = || facts.path.clone();
    let Some(namespace) = &facts.namespace else {
        problems.push(Problem::NamespaceUnknown { path: path() });
        return;
    };
    if target.workload.write.as_percent() == 0
        && let Some(uses) = safety::uses(facts)
    {
        problems.push(Problem::PassthroughInUse {
            path: path(),
            block_device: namespace.block_device.clone(),
            uses,
        });
    }
    if target.workload.block > namespace.command_max {
        let rule = Rule::OneCommand {
            path: path(),
            most: namespace.command_max,
        };
        problems.push(Problem::value(Field::Block, target.workload.block, rule));
    }
    let mut refuse = |what, instead| {
        problems.push(Problem::PassthroughCannot { what, instead });
    };
    if target.cache != CacheMode::Unbuffered {
        refuse("cache", Some(Remedy::option(Field::Unbuffered, "")));
    }
    if target.mapped.is_some() {
        refuse("mapping into memory", None);
    }
    if target.priority != Priority::Normal {
        refuse("priority of their own", None);
    }
    if target.hint != Hint::None {
        refuse("hint about the pattern", None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Consent;
    use crate::plan::Location;
    use crate::record::{BlockDevice, Claim, Content, DirectIo, HostRecord, Namespace};
    use crate::units::{Bytes, Ratio};
    use std::path::PathBuf;

    fn namespace() -> TargetFacts {
        TargetFacts {
            path: PathBuf::from("/dev/ng0n1"),
            kind: TargetKind::NvmeNamespace,
            size: Bytes::mib(64),
            identity: Some((1, 0)),
            direct_io: Some(DirectIo {
                memory: Bytes(4096),
                offset: Bytes(4096),
            }),
            namespace: Some(Namespace {
                id: 1,
                block: Bytes(4096),
                command_max: Bytes::kib(512),
                block_device: PathBuf::from("/dev/nvme0n1"),
                block_identity: (2, 0),
            }),
            chain: vec![BlockDevice::default()],
            content: Content::Foreign,
            ..TargetFacts::null(&Default::default())
        }
    }

    fn reported(
        engine: EngineChoice,
        facts: &[TargetFacts],
        change: &dyn Fn(&mut Target),
    ) -> String {
        let profile = crate::check::tests::profile("x", |span| {
            span.engine = engine;
            let of = |facts: &TargetFacts| {
                let location = Location::Path(facts.path.clone());
                let mut target = Target::new(location, span.targets[0].workload.clone());
                change(&mut target);
                target
            };
            span.targets = facts.iter().map(of).collect();
        });
        let (host, consent) = (HostRecord::default(), Consent::default());
        match crate::check::check(&profile, &host, facts, &consent) {
            Ok(plans) => format!("good: {:?}", plans[0].targets[0].namespace.is_some()),
            Err(problems) => crate::check::tests::messages(&problems),
        }
    }

    #[test]
    fn a_namespace_goes_with_its_engine_alone() {
        let facts = [namespace()];
        for engine in [EngineChoice::Auto, EngineChoice::Nvme] {
            assert_eq!(reported(engine, &facts, &|_| {}), "good: true");
        }
        let other = reported(EngineChoice::Libaio, &facts, &|_| {});
        assert!(other.contains("use command passthrough"), "{other}");
        let mut file = namespace();
        (file.kind, file.path) = (TargetKind::File, PathBuf::from("/data/f"));
        let none = reported(EngineChoice::Nvme, std::slice::from_ref(&file), &|_| {});
        assert!(none.contains("/dev/ng0n1"), "{none}");
        let mixed = reported(EngineChoice::Auto, &[namespace(), file], &|_| {});
        assert!(mixed.contains("one after the other"), "{mixed}");
    }

    #[test]
    fn a_namespace_in_use_is_left_alone_and_named_with_who_uses_it() {
        let mut facts = namespace();
        facts.claims = vec![Claim::Mounted {
            device: "nvme0n1".to_owned(),
            at: PathBuf::from("/mnt"),
        }];
        let reading = reported(EngineChoice::Auto, &[facts.clone()], &|_| {});
        assert!(reading.contains("nvme0n1 is mounted at /mnt"), "{reading}");
        assert!(reading.contains("umount /mnt"), "{reading}");
        let writing = reported(EngineChoice::Auto, &[facts], &|target| {
            target.workload.write = Ratio::ALL;
        });
        assert!(
            writing.contains("in use, so it is not written"),
            "{writing}"
        );
    }

    #[test]
    fn what_it_holds_is_lost_with_the_device_s_own_words_only() {
        let writing = |facts: TargetFacts| {
            reported(EngineChoice::Auto, &[facts], &|target| {
                target.workload.write = Ratio::ALL;
            })
        };
        let reported = writing(namespace());
        assert!(
            reported.contains("loss of a device's data /dev/ng0n1"),
            "{reported}"
        );
        let mut empty = namespace();
        empty.content = Content::Empty;
        assert_eq!(writing(empty), "good: true");
    }

    #[test]
    fn what_a_command_cannot_carry_is_refused() {
        let reported = reported(EngineChoice::Auto, &[namespace()], &|target| {
            target.workload.block = Bytes::mib(1);
            target.cache = CacheMode::Cached;
            target.priority = Priority::Low;
        });
        for words in [
            "at most 512K on /dev/ng0n1",
            "have no cache",
            "no priority of their own",
        ] {
            assert!(reported.contains(words), "{words} in {reported}");
        }
    }
}
