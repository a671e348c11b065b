//! The answer to a question in SQL: its own columns, its values as they are.
//!
//! On a page words are cut, all to one length, so that the table fits; where they would become too short for that, the last
//! columns are omitted. Both is noted below. Figures are never cut: they would be others. Deliberately absent: which
//! columns matter, which only the person knows; they put those first.

use super::csv::quoted;
use crate::number::NOTHING;
use crate::paper::Paper;
use crate::text::{printable, shorten, width, wrap};
use std::io::{self, Write};

/// A column is omitted before words are cut shorter than this.
const WORD_MIN: usize = 12;
/// Between two columns.
const GAP: usize = 2;
/// Lines for what is not on the page.
const LEFT_LINES_MAX: usize = 4;

/// Columns and rows.
#[derive(Clone, Debug)]
pub struct AnswerTable {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Row by row, as many cells as columns.
    pub rows: Vec<Vec<AnswerCell>>,
}

/// A value of an answer, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerCell {
    /// What SQL calls NULL.
    Nothing,
    /// A number.
    Figure(String),
    /// Anything else.
    Words(String),
}

impl AnswerCell {
    /// On a page; words are no longer than this.
    fn shown(&self, words_max: usize) -> String {
        match self {
            AnswerCell::Nothing => NOTHING.to_owned(),
            AnswerCell::Figure(figure) => figure.clone(),
            AnswerCell::Words(words) => shorten(&printable(words), words_max),
        }
    }
}

/// How much room a column asks for.
#[derive(Clone, Copy, Default)]
struct Room {
    figures: usize,
    words: usize, // its name is one of them
}

impl Room {
    fn with(self, words_max: usize) -> usize {
        self.figures.max(self.words.min(words_max))
    }
}

/// As a table that fits the page.
pub fn answer_table(answer: &AnswerTable, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let rooms = rooms(answer);
    let (shown, words_max) = fitted(&rooms, paper.room());
    let widths: Vec<usize> = rooms[..shown]
        .iter()
        .map(|room| room.with(words_max))
        .collect();
    let line = |cells: &mut dyn Iterator<Item = String>| {
        let cells = cells.zip(&widths);
        let cells = cells.map(|(cell, wide)| format!("{cell}{}", " ".repeat(wide - width(&cell))));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let heads = answer.columns.iter();
    let mut heads = heads.map(|name| shorten(&printable(name), words_max));
    writeln!(out, "{}", line(&mut heads))?;
    for row in &answer.rows {
        let mut cells = row.iter().map(|cell| cell.shown(words_max));
        writeln!(out, "{}", line(&mut cells))?;
    }
    for line in not_shown(answer, &rooms, shown, words_max, paper.room()) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn rooms(answer: &AnswerTable) -> Vec<Room> {
    let columns = answer.columns.iter().enumerate();
    let room = |(place, name): (usize, &String)| {
        let mut room = Room {
            words: width(&printable(name)),
            figures: 0,
        };
        for cell in answer.rows.iter().filter_map(|row| row.get(place)) {
            let wide = width(&cell.shown(usize::MAX));
            let asks = match cell {
                AnswerCell::Words(_) => &mut room.words,
                AnswerCell::Nothing | AnswerCell::Figure(_) => &mut room.figures,
            };
            *asks = wide.max(*asks);
        }
        room
    };
    columns.map(room).collect()
}

/// How many columns fit, and how long words may be in them. One column at least: a figure may be longer than a page.
fn fitted(rooms: &[Room], page: usize) -> (usize, usize) {
    let wide = |rooms: &[Room], words_max: usize| {
        let gaps = GAP * rooms.len().saturating_sub(1);
        rooms.iter().map(|room| room.with(words_max)).sum::<usize>() + gaps
    };
    let fits = |&count: &usize| wide(&rooms[..count], WORD_MIN) <= page;
    let shown = (1..=rooms.len()).rev().find(fits);
    let shown = shown.unwrap_or(rooms.len().min(1));
    let longest = (WORD_MIN..=page).rev();
    let words_max = longest
        .into_iter()
        .find(|&most| wide(&rooms[..shown], most) <= page);
    (shown, words_max.unwrap_or(page))
}

/// `cut at 80 columns: label; omitted: tags; --csv and --json have all`; nothing where all is there.
fn not_shown(
    answer: &AnswerTable,
    rooms: &[Room],
    shown: usize,
    words_max: usize,
    page: usize,
) -> Vec<String> {
    let named = |places: &mut dyn Iterator<Item = usize>| {
        let names = places.map(|place| shorten(&printable(&answer.columns[place]), words_max));
        names.collect::<Vec<_>>().join(", ")
    };
    let cut = named(&mut (0..shown).filter(|&place| rooms[place].words > words_max));
    let left = named(&mut (shown..rooms.len()));
    let parts = [("cut", cut), ("omitted", left)];
    let parts = parts.iter().filter(|(_, names)| !names.is_empty());
    let reported: Vec<String> = parts
        .map(|(what, names)| format!("{what}: {names}"))
        .collect();
    if reported.is_empty() {
        return Vec::new();
    }
    let text = format!("at {page} columns {}", reported.join("; "));
    let mut lines = wrap("", &text, page, LEFT_LINES_MAX);
    lines.push("--csv and --json have all".to_owned());
    lines
}

/// As comma-separated values.
pub fn answer_csv(answer: &AnswerTable, out: &mut dyn Write) -> io::Result<()> {
    let line = |cells: Vec<String>| cells.join(",");
    writeln!(
        out,
        "{}",
        line(answer.columns.iter().map(|name| quoted(name)).collect())
    )?;
    for row in &answer.rows {
        let cells = row.iter().map(|cell| match cell {
            AnswerCell::Nothing => String::new(),
            AnswerCell::Figure(text) => text.clone(),
            AnswerCell::Words(text) => quoted(text),
        });
        writeln!(out, "{}", line(cells.collect()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> AnswerCell {
        AnswerCell::Words(text.to_owned())
    }

    fn figure(text: &str) -> AnswerCell {
        AnswerCell::Figure(text.to_owned())
    }

    fn page(columns: &[&str], rows: Vec<Vec<AnswerCell>>) -> Vec<String> {
        let answer = AnswerTable {
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            rows,
        };
        let mut page = Vec::new();
        let paper = Paper {
            columns: Some(80),
            ..Paper::default()
        };
        answer_table(&answer, &paper, &mut page).unwrap();
        let lines: Vec<String> = String::from_utf8(page)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect();
        assert!(lines.iter().all(|line| width(line) <= 80), "{lines:#?}");
        lines
    }

    #[test]
    fn what_fits_is_shown_as_it_is() {
        let row = vec![words("1.1"), figure("0.1"), AnswerCell::Nothing];
        assert_eq!(
            page(&["result", "share", "tags"], vec![row]),
            ["result  share  tags", "1.1     0.1    -"]
        );
    }

    #[test]
    fn words_are_cut_to_one_length_and_figures_never() {
        let long = |letter: &str| words(&letter.repeat(200));
        let row = vec![
            words("1.1"),
            long("a"),
            figure("12345678901234567890"),
            long("b"),
        ];
        let reported = page(&["result", "label", "ns", "command"], vec![row]);
        assert!(
            reported[1].contains("  12345678901234567890  "),
            "{reported:#?}"
        );
        assert_eq!(reported[1].matches('…').count(), 2);
        assert_eq!(width(&reported[1]), 80, "no room is wasted: {reported:#?}");
        assert_eq!(
            reported[2..],
            [
                "at 80 columns cut: label, command",
                "--csv and --json have all"
            ]
        );
    }

    #[test]
    fn the_last_columns_go_before_words_become_too_short_to_read() {
        let names: Vec<String> = (1..=30).map(|place| format!("column_{place}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let reported = page(&names, vec![vec![figure("1234567890"); 30]]);
        assert!(reported[0].ends_with("column_6"), "{reported:#?}");
        assert!(
            reported[2].starts_with("at 80 columns omitted: column_7, column_8"),
            "{reported:#?}"
        );
        assert_eq!(reported.last().unwrap(), "--csv and --json have all");
    }

    #[test]
    fn one_long_value_and_no_value_at_all_are_pages_too() {
        let reported = page(&["json_extract(x)"], vec![vec![words(&"x".repeat(5000))]]);
        assert_eq!(
            (width(&reported[1]), reported[2].as_str()),
            (80, "at 80 columns cut: json_extract(x)")
        );
        assert_eq!(page(&["a"], Vec::new()), ["a"]);
    }
}
