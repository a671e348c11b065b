//! What must be true for any bytes that are imported. The fuzz targets `import_…` are this function, from the seeds of
//! one format each; the tests of `readers` include this file too.

/// Any bytes as a file: read, or refused in few words. What is read is in order, finite, and survives being kept.
pub(crate) fn import(bytes: &[u8]) {
    let reading = match tools::imports::read("a", bytes) {
        Ok(reading) => reading,
        Err(error) => {
            assert!((10..2000).contains(&error.to_string().len()), "{error}");
            return;
        }
    };
    assert!(!reading.runs.is_empty() || !reading.broken.is_empty());
    for broken in &reading.broken {
        assert!(broken.line >= 1 && !broken.what.is_empty());
        assert!(broken.what.len() < 2000, "{broken}");
    }
    let mut kept = 0;
    let mut line = 0;
    for (run, place) in reading.runs.iter().zip(1..) {
        assert_eq!(run.place, place);
        assert!(run.line >= line);
        line = run.line;
        kept += run.text.len();
        assert!(run.notes.len() < 20);
        let figures = [&run.figures.total, &run.figures.read, &run.figures.write];
        for figures in figures {
            let rates = [figures.ios_per_s, figures.bytes_per_s, figures.ios_per_s_sd];
            assert!(rates.iter().flatten().all(|rate| rate.is_finite()));
            let quantiles: Vec<f64> = figures.latency.percentiles.iter().map(|p| p.0).collect();
            assert!(quantiles.iter().all(|q| (0.0..=1.0).contains(q)));
        }
    }
    // Latin-1 takes two bytes a character and U+FFFD three; no text is in two runs.
    assert!(kept <= 3 * bytes.len() + 3, "{kept} of {}", bytes.len());
    if let Some(run) = reading.runs.first() {
        let document = serde_json::to_string(run).expect("a run is a document");
        let again: model::ImportedRun = serde_json::from_str(&document).expect("and back");
        assert_eq!(again, *run);
    }
}
