//! Every old store file opens. A file stands here for each version of the schema, written once by that version.

use crate::records::record;
use store::*;

#[test]
fn a_store_of_version_1_opens_and_reads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v1.sqlite");
    std::fs::write(&path, include_bytes!("../fixtures/v1.sqlite")).unwrap();
    let store = Store::open(&path).unwrap();
    let session = store.load(SessionId(1)).unwrap();
    assert_eq!(session.summary.outcome, Some(SessionOutcome::Complete));
    assert_eq!(session.summary.target, "fathom.dat");
    assert_eq!(session.context.as_deref(), Some("{}"));
    let labels: Vec<_> = session.runs.iter().map(|run| run.label.as_str()).collect();
    assert_eq!(labels, ["4K random read", "4K random write"]);
    assert_eq!(session.runs[0].record, record(3));
    assert_eq!(session.runs[1].record, record(4));
}
