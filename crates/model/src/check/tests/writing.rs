//! What may be written, and by which words.

use super::*;

#[test]
fn reads_never_need_consent() {
    let claims = vec![Claim::Mounted {
        device: "/dev/sdb".into(),
        at: "/mnt".into(),
    }];
    let facts = device(claims, Content::Foreign);
    assert!(
        check(
            &profile("/dev/sdb", |_| {}),
            &host(),
            &[facts],
            &Consent::default()
        )
        .is_ok()
    );
}

#[test]
fn a_foreign_file_is_written_only_with_the_word() {
    let asked = profile("/data/t", writing);
    let facts = TargetFacts {
        content: Content::Foreign,
        ..file(Bytes::gib(1))
    };
    assert_eq!(
        refused(&asked, facts.clone()),
        "/data/t: fathom did not create this file, so it is not written: its 1G would be lost; hint: use \
        reads only to only read, or use loss of a file's data to write it anyway"
    );
    let consent = Consent {
        overwrite_files: true,
        ..Consent::default()
    };
    assert!(check(&asked, &host(), &[facts], &consent).is_ok());
}

#[test]
fn no_option_allows_what_could_not_be_checked_and_reading_needs_none() {
    let consent = Consent {
        overwrite_files: true,
        destroy_devices: vec!["/dev/sdb".into()],
    };
    let unchecked = |facts: TargetFacts| TargetFacts {
        unchecked: vec!["what is mounted".to_owned()],
        ..facts
    };
    let linked = |facts: TargetFacts| TargetFacts {
        foreign_name: Some(crate::record::ForeignName {
            path: "/tmp/link".into(),
            is_link: true,
            why: "its mode lets every user write".to_owned(),
        }),
        ..facts
    };
    let setting = |facts: TargetFacts| TargetFacts {
        file_system: Some(crate::record::FileSystem {
            kind: "proc".to_owned(),
            ..Default::default()
        }),
        ..facts
    };
    let ours = || file(Bytes::gib(1));
    let disk = || device(Vec::new(), Content::Foreign);
    for facts in [
        unchecked(ours()),
        linked(ours()),
        setting(ours()),
        unchecked(disk()),
        linked(disk()),
    ] {
        let path = facts.path.display().to_string();
        let checked = |change: fn(&mut Timespan)| {
            check(
                &profile(&path, change),
                &host(),
                std::slice::from_ref(&facts),
                &consent,
            )
        };
        assert!(checked(writing).is_err(), "{facts:?}");
        assert!(checked(|_| {}).is_ok(), "{facts:?}");
        assert_eq!(check_output(&facts, &consent).len(), 1, "{facts:?}");
    }
}

#[test]
fn a_fathom_file_with_a_file_system_in_it_is_foreign() {
    let claims = vec![Claim::Signature {
        device: "/data/t".into(),
        what: "ext4 file system".into(),
    }];
    let facts = TargetFacts {
        claims,
        ..file(Bytes::gib(1))
    };
    assert!(refused(&profile("/data/t", writing), facts).contains("ext4 file system on /data/t"));
}

#[test]
fn a_mounted_device_is_refused_whatever_is_said() {
    let asked = profile("/dev/sdb", writing);
    let claims = vec![Claim::Mounted {
        device: "/dev/sdb1".into(),
        at: "/mnt".into(),
    }];
    let consent = Consent {
        overwrite_files: true,
        destroy_devices: vec!["/dev/sdb".into()],
    };
    let facts = device(claims, Content::Foreign);
    let reported = check(&asked, &host(), &[facts], &consent).unwrap_err();
    assert_eq!(
        messages(&reported),
        "/dev/sdb: in use, so it is not written: /dev/sdb1 is mounted at /mnt; what is mounted there would \
         be lost: end that first (umount /mnt)"
    );
}

#[test]
fn a_device_with_a_signature_needs_its_own_name() {
    let asked = profile("/dev/sdb", writing);
    let claims = vec![Claim::Signature {
        device: "/dev/sdb".into(),
        what: "xfs file system".into(),
    }];
    let facts = device(claims, Content::Foreign);
    assert_eq!(
        refused(&asked, facts.clone()),
        "/dev/sdb: this device is not empty, so it is not written: its 1G would be lost (xfs file \
        system on /dev/sdb); hint: use reads only to only read, or use loss of a device's data /dev/sdb to write \
        it anyway"
    );
    let other = Consent {
        destroy_devices: vec!["/dev/sdc".into()],
        overwrite_files: true,
    };
    assert!(check(&asked, &host(), std::slice::from_ref(&facts), &other).is_err());
    let named = Consent {
        destroy_devices: vec!["/dev/sdb".into()],
        ..Consent::default()
    };
    let plans = check(&asked, &host(), &[facts], &named).unwrap();
    assert!(plans[0].targets[0].exclusive);
}

#[test]
fn an_empty_device_needs_no_word_and_unknown_data_does() {
    let asked = profile("/dev/sdb", writing);
    let empty = device(vec![], Content::Empty);
    assert!(check(&asked, &host(), &[empty], &Consent::default()).is_ok());
    assert!(refused(&asked, device(vec![], Content::Foreign)).contains("not zeros either"));
    assert!(refused(&asked, device(vec![], Content::Unknown)).contains("could not be read"));
}

#[test]
fn what_a_sample_cannot_prove_is_proven_or_refused() {
    let asked = profile("/data/t", writing);
    let ours = file(Bytes::gib(1));
    let plans = check(
        &asked,
        &host(),
        std::slice::from_ref(&ours),
        &Consent::default(),
    )
    .unwrap();
    assert!(plans[0].targets[0].prove_ours);
    let consent = Consent {
        overwrite_files: true,
        ..Consent::default()
    };
    let plans = check(&asked, &host(), std::slice::from_ref(&ours), &consent).unwrap();
    assert!(!plans[0].targets[0].prove_ours);
    for content in [Content::Empty, Content::Unproven, Content::Unknown] {
        let zeros = TargetFacts {
            content,
            ..file(Bytes::gib(1))
        };
        assert!(
            refused(&asked, zeros).contains(Field::Overwrite.noun()),
            "{content:?}"
        );
    }
    let disk = profile("/dev/sdb", writing);
    assert!(
        refused(&disk, device(vec![], Content::Unproven)).contains("not all of it was checked")
    );
}

#[test]
fn whether_it_is_empty_is_asked_only_of_a_device_that_is_written_and_nothing_else_decides() {
    let target = |path: &str, change: fn(&mut Timespan)| {
        let mut profile = profile(path, change);
        profile.timespans.remove(0).targets.remove(0)
    };
    let (writes, reads) = (target("/dev/sdb", writing), target("/dev/sdb", |_| {}));
    let none = Consent::default();
    let zeros = device(vec![], Content::Unproven);
    assert!(asks_if_empty(&writes, &zeros, &none));
    assert!(!asks_if_empty(&reads, &zeros, &none));
    let named = Consent {
        destroy_devices: vec!["/dev/sdb".into()],
        ..Consent::default()
    };
    assert!(!asks_if_empty(&writes, &zeros, &named));
    let known = [
        Content::Empty,
        Content::Fathom,
        Content::Foreign,
        Content::Unknown,
    ];
    for content in known {
        assert!(
            !asks_if_empty(&writes, &device(vec![], content), &none),
            "{content:?}"
        );
    }
    let busy = vec![Claim::Busy {
        device: "sdb".to_owned(),
    }];
    assert!(!asks_if_empty(
        &writes,
        &device(busy, Content::Unproven),
        &none
    ));
    let closed = TargetFacts {
        writable: false,
        ..zeros
    };
    assert!(!asks_if_empty(&writes, &closed, &none));
    let file = TargetFacts {
        content: Content::Unproven,
        ..file(Bytes::gib(1))
    };
    assert!(!asks_if_empty(&target("/data/t", writing), &file, &none));
}
