//! Scripts of `-f`: the lines between `IOR START` and `IOR STOP`, each settings with commas between, or `RUN`.
//!
//! What is set stays set for the next test. Two `RUN` in a row repeat a test. Omitted: what a setting means (`rows`).

/// Longest script.
pub const SCRIPT_MAX: u64 = 1 << 20;
/// Most tests of a script.
pub(super) const TESTS_MAX: usize = 10_000;

/// A line of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'t> {
    /// Settings.
    Settings(&'t str),
    /// The test is complete.
    Run,
}

/// Returns the lines with their numbers; `None` of a text that is no script.
pub(super) fn lines(text: &str) -> Option<Vec<(usize, Line<'_>)>> {
    let is = |line: &str, word: &str| line.trim().eq_ignore_ascii_case(word);
    let mut all = (1..).zip(text.lines());
    all.find(|(_, line)| is(line, "ior start"))?;
    let within = all.take_while(|(_, line)| !is(line, "ior stop"));
    let lines = within.filter_map(|(number, line)| {
        let text = line.trim();
        let is_none = text.is_empty() || text.starts_with('#');
        let line = match is(text, "run") {
            true => Line::Run,
            false => Line::Settings(text),
        };
        (!is_none).then_some((number, line))
    });
    Some(lines.collect())
}
