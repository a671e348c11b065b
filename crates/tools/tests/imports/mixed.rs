//! Several formats in one file, files of nothing known, and ten thousand runs.

use super::desk::{DEFAULT, FIO_JOBS, SEED_002, TWO_TARGETS_XML, reading, runs};
use model::ImportFormat;
use tools::imports::{ReadError, fingerprint, read};

#[test]
fn formats_may_stand_mixed_in_one_file() {
    let line = "Param -b4k, -t1, -o1, 9735.28 iops, 38.03 MB/sec, 0.102 ms, 12.5 %CPU\n";
    let text = format!("{DEFAULT}{SEED_002}{TWO_TARGETS_XML}{line}{FIO_JOBS}{DEFAULT}");
    let runs = runs(&text);
    let formats: Vec<ImportFormat> = runs.iter().map(|run| run.format).collect();
    use ImportFormat::{DiskspdText, DiskspdXml, FioJson, ScriptLines, SqlioText};
    let expected = [
        DiskspdText,
        SqlioText,
        DiskspdXml,
        ScriptLines,
        FioJson,
        FioJson,
        DiskspdText,
    ];
    assert_eq!(formats, expected);
    assert_eq!(runs[0].figures, runs[6].figures);
    let whole: String = runs.iter().map(|run| run.text.as_str()).collect();
    assert_eq!(whole, text);
}

#[test]
fn what_is_unknown_is_reported_with_its_line_and_what_is_read() {
    let error = read("a", b"\n  dd: 1048576 bytes copied\n").unwrap_err();
    assert!(
        matches!(&error, ReadError::Unknown { line: 2, .. }),
        "{error:?}"
    );
    let words = error.to_string();
    for tool in tools::TOOLS {
        let is_named = words.contains(&format!(" {}", tool.name));
        assert_eq!(
            is_named,
            !tool.readers.is_empty(),
            "{} in {words}",
            tool.name
        );
    }
    assert_eq!(read("a", Vec::new()), Err(ReadError::Empty));
    // JSON of another program.
    let json = br#"{ "version" : "fio", "jobs" : [] }"#.to_vec();
    assert!(matches!(read("a", json), Err(ReadError::Unknown { .. })));
}

#[test]
fn ten_thousand_appended_runs_are_ten_thousand_runs() {
    let text = DEFAULT.repeat(10_000);
    let reading = reading(&text);
    assert_eq!((reading.runs.len(), reading.broken.len()), (10_000, 0));
    assert_eq!(reading.runs[9999].place, 10_000);
    let lines = DEFAULT.lines().count();
    let expected = 9999 * lines + reading.runs[0].line as usize;
    assert_eq!(reading.runs[9999].line as usize, expected);
}

#[test]
fn a_fingerprint_is_of_the_content() {
    assert_eq!(fingerprint(b"a"), fingerprint(b"a"));
    assert_ne!(fingerprint(b"a"), fingerprint(b"b"));
    assert_ne!(fingerprint(b""), fingerprint(b"\0"));
    assert_eq!(fingerprint(b"").len(), 32 + 17);
}
