//! Results documents: the numbers of the specification's example, appended documents, old ones, damage.

use super::desk::{TWO_TARGETS, TWO_TARGETS_XML, one, reading, runs, trouble, us};
use model::{Bytes, CacheMode, ImportFormat, Nanos, Ratio};

#[test]
fn a_document_says_what_the_text_says() {
    let (xml, text) = (one(TWO_TARGETS_XML), one(TWO_TARGETS));
    assert_eq!(xml.format, ImportFormat::DiskspdXml);
    for (one, other) in [
        (&xml.figures.total, &text.figures.total),
        (&xml.figures.read, &text.figures.read),
        (&xml.figures.write, &text.figures.write),
    ] {
        assert_eq!((one.ios, one.bytes), (other.ios, other.bytes));
        assert_eq!(one.ios_per_s, other.ios_per_s);
        let (a, b) = (&one.latency, &other.latency);
        assert_eq!((a.mean, a.sd, a.min, a.max), (b.mean, b.sd, b.min, b.max));
        assert!(a.percentiles.len() > 100);
        for point in &b.percentiles {
            assert!(
                a.percentiles.contains(point) || point.0 > 0.9999,
                "{point:?}"
            );
        }
    }
    assert_eq!(xml.figures.total.ios_per_s_sd, Some(2.598));
    assert_eq!(xml.cpu.unwrap().usage_percent, Some(7.5));
    assert_eq!(xml.workload.targets, text.workload.targets);
    assert_eq!(xml.workload.block, Some(Bytes::kib(4)));
    assert_eq!(xml.workload.write_percent, Ratio::percent(30));
    assert_eq!(xml.workload.random_percent, Some(Ratio::ALL));
    assert_eq!(xml.workload.cache, Some(CacheMode::Unbuffered));
    assert_eq!(xml.workload.write_through, Some(true));
    assert_eq!(xml.workload.size, text.workload.size);
    assert_eq!(
        (xml.measured, xml.started_utc),
        (text.measured, text.started_utc)
    );
    assert_eq!(xml.rows[1].figures.write.latency.mean, us(410));
    assert_eq!(xml.text, TWO_TARGETS_XML);
}

#[test]
fn documents_stand_behind_each_other_even_on_one_line() {
    let text = format!("{TWO_TARGETS_XML}{TWO_TARGETS_XML}\r\n{TWO_TARGETS_XML}\n");
    let runs = runs(&text);
    assert_eq!(runs.len(), 3);
    assert_eq!(runs[0].figures, runs[2].figures);
    let whole: String = runs.iter().map(|run| run.text.as_str()).collect();
    assert_eq!(whole, text.replace("\r\n", "\n"));
}

#[test]
fn a_document_without_blanks_reads_alike() {
    let flat: String = TWO_TARGETS_XML
        .lines()
        .map(|line| format!("{}\n", line.trim()))
        .collect();
    assert_eq!(one(&flat).figures, one(TWO_TARGETS_XML).figures);
    let tight: String = TWO_TARGETS_XML.lines().map(str::trim).collect();
    assert_eq!(one(&tight).figures, one(TWO_TARGETS_XML).figures);
    let declared = format!("<?xml version=\"1.0\"?>\n{TWO_TARGETS_XML}");
    assert_eq!(one(&declared).figures, one(TWO_TARGETS_XML).figures);
}

#[test]
fn time_spans_before_a_damage_are_kept() {
    let head = TWO_TARGETS_XML.rfind("\n  <TimeSpan>\n").unwrap();
    let end = TWO_TARGETS_XML.rfind("</Results>").unwrap();
    let span = &TWO_TARGETS_XML[head..end];
    let twice = format!("{}{span}{span}", &TWO_TARGETS_XML[..head]);
    assert_eq!(runs(&format!("{twice}</Results>")).len(), 2);
    let text = &twice[..twice.len() - 40];
    let reading = reading(text);
    assert_eq!(reading.runs.len(), 1);
    let (line, what) = trouble(text);
    assert!(what.contains("ends inside of"), "{what}");
    assert_eq!(line as usize, text.lines().count());
}

#[test]
fn an_interrupted_span_is_named() {
    let text = "<Results>\n<TimeSpan>\n<Error>The test was interrupted before the measurements began.</Error>\n</TimeSpan>\n</Results>";
    let (line, what) = trouble(text);
    assert_eq!(line, 2);
    assert!(what.contains("interrupted"), "{what}");
    assert_eq!(
        trouble("<Results>\n</Results>").1,
        "a results document without any TimeSpan in it"
    );
    let entity = "<Results><!DOCTYPE x [<!ENTITY a \"aaaa\">]></Results>";
    assert!(trouble(entity).1.contains("document type"));
    assert_eq!(
        one(TWO_TARGETS_XML).started_utc,
        Some(Nanos::seconds(1_777_900_927))
    );
}
