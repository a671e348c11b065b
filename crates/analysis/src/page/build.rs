//! Puts a page together, result by result, so that no more than one record has to be in memory.

use super::comparisons::comparisons;
use super::curves::{Seen, curves};
use super::detail::CellDetail;
use super::loads::loads;
use super::reports::Surveyed;
use super::{
    PageCell, PageColumn, PageDocument, PageFinding, PagePart, PageStamp, PageTable, PageValue,
    PartMachine, diet, messages, panel, reports, roof, table, tiles,
};
use crate::audit::AuditReport;
use crate::columns::{Column, Value, columns};
use crate::compare::Compared;
use crate::estimate::Estimate;
use crate::files::FilesReport;
use crate::findings::{Finding, NOT_REPEATABLE, RuleId, Severity};
use crate::imported::ImportedReport;
use crate::job::JobReport;
use crate::looks::{AbReport, FitReport, LayersReport, QuickReport};
use crate::pts::PtsReport;
use crate::rows::per_second;
use crate::run::{OutcomeKind, RunReport};
use crate::survey::{CellReport, SurveyReport};
use crate::sweep::SweepReport;
use crate::verdict::Validity;
use model::{Origin, ResultRow, RunRecord};
use std::collections::{HashMap, HashSet};

/// Raised when a field of the document changes its meaning or goes away; new fields do not raise it.
const SCHEMA_VERSION: u32 = 2;

/// A page that grows: a part, then its cells in their order, then the next part.
#[derive(Debug, Default)]
pub struct PageBuilder {
    document: PageDocument,
    rows: Vec<ResultRow>,             // one a cell
    compared: Vec<(usize, Compared)>, // by the place of its part; only where parts are compared
    compares: bool,
    surveyed: HashMap<usize, Surveyed>, // by the place of its part
    alone: Option<(usize, PageTable)>,  // of the last run, with its cell
    found: HashMap<(usize, RuleId, u8), usize>, // place of a finding, by part, rule and weight
}

impl PageBuilder {
    /// An empty page. `compares` means that several parts are shown side by side.
    pub fn new(made_utc_ns: u64, tool_version: &str, compares: bool) -> PageBuilder {
        PageBuilder {
            compares,
            document: PageDocument {
                stamp: PageStamp {
                    schema_version: SCHEMA_VERSION,
                    made_utc_ns,
                    tool_version: tool_version.to_owned(),
                    ..PageStamp::default()
                },
                ..PageDocument::default()
            },
            ..PageBuilder::default()
        }
    }

    /// Takes the results so far as a comparison needs them, of a page that compares.
    pub fn take_compared(&mut self) -> Vec<Compared> {
        let results = std::mem::take(&mut self.compared).into_iter();
        results.map(|(_, result)| result).collect()
    }

    /// Begins a part. Its verdict is completed at the end from its existing text: a headline and an answer as
    /// first sentence, where a survey or a sweep has them.
    pub fn part(&mut self, part: PagePart) {
        self.document.parts.push(part);
    }

    /// A result of fathom. `command` is the line that runs it alone.
    pub fn measured(
        &mut self,
        row: ResultRow,
        record: &RunRecord,
        report: &RunReport,
        command: Option<String>,
    ) {
        let steps_max = diet::STEPS_MAX;
        let cell = PageCell {
            validity: Some(report.verdict.validity),
            reasons: match report.verdict.validity {
                Validity::Valid => Vec::new(),
                _ => report.verdict.reasons.clone(),
            },
            failed: report.outcome.kind == OutcomeKind::Failed,
            iops_estimate: report.total().map(|total| total.iops_estimate),
            bytes_per_s_estimate: report.total().map(|total| total.bytes_per_s_estimate),
            latency_p50_estimate: median(report),
            command,
            detail: Some(Box::new(CellDetail::of(record, report, steps_max))),
            ..self.cell(&row)
        };
        if self.compares {
            let compared = Compared::judged(row.clone(), record, &report.verdict, &report.findings);
            self.compared.push((cell.part, compared));
        }
        let place = self.document.cells.len();
        self.alone = Some((place, table::of_run(report, place)));
        if let Some(part) = self.document.parts.last_mut() {
            part.verdict.simulated |= report.verdict.simulated;
            part.machine.add(report);
            part.goals.clone_from(&report.goals); // a survey or a sweep judges its runs together
        }
        self.findings(&report.findings);
        self.push(cell, row);
    }

    /// A result that its session's own report describes: a step of work with files, a stretch of a watch.
    pub fn described(&mut self, row: ResultRow) {
        let cell = PageCell {
            iops_estimate: rate_of(&row),
            ..self.cell(&row)
        };
        if self.compares {
            self.compared.push((cell.part, Compared::line(row.clone())));
        }
        self.push(cell, row);
    }

    /// The account of a program.
    pub fn audited(&mut self, row: ResultRow, report: &AuditReport) {
        let cell = PageCell {
            iops_estimate: rate_of(&row),
            validity: report.validity,
            reasons: vec![report.sentence.clone()],
            ..self.cell(&row)
        };
        if self.compares {
            self.compared.push((cell.part, Compared::line(row.clone())));
        }
        self.findings(&report.findings);
        self.push(cell, row);
    }

    /// A result of another tool's.
    pub fn imported(&mut self, row: ResultRow, report: &ImportedReport) {
        let cell = PageCell {
            iops_estimate: rate_of(&row),
            validity: Some(report.verdict.validity),
            reasons: match report.verdict.validity {
                Validity::Valid => Vec::new(),
                _ => report.verdict.reasons.clone(),
            },
            ..self.cell(&row)
        };
        if self.compares {
            self.compared.push((cell.part, Compared::line(row.clone())));
        }
        if let Some(part) = self.document.parts.last_mut() {
            part.goals.extend_from_slice(&report.goals);
        }
        self.findings(&report.findings);
        self.push(cell, row);
    }

    /// A cell that was tried and has no result, or that could not be read: `row` has the reason.
    pub fn missing(&mut self, row: ResultRow) {
        let cell = PageCell {
            failed: true,
            reasons: row.reason.clone().into_iter().collect(),
            ..self.cell(&row)
        };
        self.push(cell, row);
    }

    /// What was asked of a cell without a result, by the names of options: the results database keeps only its label.
    /// Fields that have no place in a row are omitted.
    pub fn asked(&mut self, number: u32, values: &[(String, String)]) {
        let part = self.document.parts.len().saturating_sub(1);
        let cells = self.document.cells.iter().zip(&mut self.rows);
        let own = cells.filter(|(cell, row)| cell.part == part && row.number == number);
        for (_, row) in own.filter(|(_, row)| row.origin == Origin::Missing) {
            let work = &mut row.work;
            for (field, value) in values {
                match field.as_str() {
                    "block" => work.block = value.parse().ok(),
                    "depth" => work.queue_depth = value.parse().ok(),
                    "threads" => work.threads = value.parse().ok(),
                    "write" => work.write_percent = value.trim_end_matches('%').parse().ok(),
                    "pattern" => work.pattern = Some(value.clone()),
                    _ => {}
                }
            }
        }
    }

    /// The whole page. `bytes_max` is how long its document may become; what does not fit is omitted and reported.
    pub fn finish(mut self, bytes_max: usize) -> PageDocument {
        let seen: Vec<Seen<'_>> = self
            .document
            .cells
            .iter()
            .zip(&self.rows)
            .enumerate()
            .map(|(place, (cell, row))| Seen { place, cell, row })
            .collect();
        let loads = loads(&seen, &self.surveyed);
        let curves = curves(&seen, &self.surveyed, &loads);
        let mut roofs = Vec::new();
        for (number, part) in self.document.parts.iter_mut().enumerate() {
            let own: Vec<&Seen<'_>> = seen
                .iter()
                .filter(|seen| seen.cell.part == number)
                .collect();
            let own_panel = !part.panel.is_empty();
            if !own_panel {
                part.panel = panel::panel(&seen, &curves, &self.document.findings, number);
            }
            part.counts = messages::counts(&seen, part.counts.planned, number);
            messages::complete(part, &own, &self.document.findings);
            if let ([one], false) = (own.as_slice(), own_panel)
                && !one.cell.failed
            {
                part.panel = tiles::of_run(one);
                let alone = self.alone.take().filter(|(place, _)| *place == one.place);
                part.table = part.table.take().or(alone.map(|(_, table)| table));
            }
            part.table = part.table.take().or_else(|| table::of_results(&own));
            roofs.extend(roof::roofs(&seen, &loads, number));
        }
        self.document.curves = curves;
        self.document.loads = loads;
        self.document.roofs = roofs;
        self.document.stamp.title = messages::title(&self.document.parts);
        self.document.findings.sort_by_key(|finding| {
            let alone = finding.because.is_none();
            std::cmp::Reverse((finding.severity, alone, finding.cells.len()))
        });
        advise(&mut self.document);
        self.document.comparisons = comparisons(&self.document, std::mem::take(&mut self.compared));
        self.lay_out_columns();
        self.leave_out_twins();
        diet::keep_to(&mut self.document, bytes_max);
        self.document
    }

    fn cell(&self, row: &ResultRow) -> PageCell {
        PageCell {
            part: self.document.parts.len().saturating_sub(1),
            id: row.name(),
            label: row.label.clone(),
            ..PageCell::default()
        }
    }

    fn push(&mut self, cell: PageCell, row: ResultRow) {
        self.document.cells.push(cell);
        self.rows.push(row);
    }

    /// The survey report's text on the part that was begun last; nothing where it has no cell.
    pub fn survey(&mut self, report: SurveyReport) {
        self.judge_loads(&report);
        self.together(&report.remarks.findings);
        let joined = report.joined.iter().flat_map(|load| &load.findings);
        let apart = joined.filter(|finding| finding.id == NOT_REPEATABLE); // no single run reports it
        self.together(&apart.cloned().collect::<Vec<Finding>>());
        let place = self.document.parts.len().saturating_sub(1);
        if let Some(part) = self
            .document
            .parts
            .last_mut()
            .filter(|_| !report.cells.is_empty())
        {
            let cells = self.document.cells.iter().zip(&self.rows).enumerate();
            let own: Vec<(usize, &PageCell, &ResultRow)> = cells
                .filter(|(_, (cell, _))| cell.part == place && !cell.failed)
                .map(|(at, (cell, row))| (at, cell, row))
                .collect();
            let place_of = |load: &CellReport| best_of(&own, load);
            part.table = Some(table::of_survey(&report, place_of));
            part.panel = tiles::of_survey(&report, place_of);
            self.surveyed.insert(place, reports::survey(part, report));
        }
    }

    /// Replaces the findings of single runs by those of their loads: the text has one sentence for all runs of a load.
    fn judge_loads(&mut self, report: &SurveyReport) {
        let part = self.document.parts.len().saturating_sub(1);
        let cells = self.document.cells.iter().zip(&self.rows).enumerate();
        let own =
            cells.filter(|(_, (cell, row))| cell.part == part && row.origin != Origin::Missing);
        let own: Vec<usize> = own.map(|(place, _)| place).collect();
        if own.len() != report.cells.len() {
            return; // a cell could not be read
        }
        let is_own = |finding: &PageFinding| finding.cells.iter().any(|cell| own.contains(cell));
        self.document.findings.retain(|finding| !is_own(finding));
        self.found.clear(); // the places of parts before this one are not needed again
        let loads = report.each_load();
        let cells_of = |load: &CellReport| -> Vec<usize> {
            let mut loads = loads.iter();
            let found = loads.find(|(_, one)| std::ptr::eq(*one, load));
            let places = found.map(|(places, _)| places);
            places
                .into_iter()
                .flatten()
                .map(|place| own[*place])
                .collect()
        };
        // A rule's sentence is that of its first load here: those that the table shows come first, as in the text.
        let rows = report.rows.iter().filter(|row| row.best.is_some());
        let shown: Vec<_> = rows.flat_map(|row| report.row_findings(row)).collect();
        let others = loads.iter().flat_map(|(_, load)| {
            let found = load.findings.iter().map(move |finding| (*load, finding));
            found.filter(|(_, one)| !shown.iter().any(|(_, known)| std::ptr::eq(*one, *known)))
        });
        let apart = |(_, finding): &(&CellReport, &Finding)| finding.id != NOT_REPEATABLE;
        for (load, finding) in shown.iter().copied().chain(others).filter(apart) {
            self.add_finding(finding, &cells_of(load));
        }
    }

    /// The same of work with files.
    pub fn files(&mut self, report: FilesReport) {
        self.together(&report.findings);
        let part = self.document.parts.len().saturating_sub(1);
        let mut own = self
            .document
            .cells
            .iter_mut()
            .filter(|cell| cell.part == part);
        // The verdict is on all steps together, so that of a single one.
        if let (Some(cell), None) = (own.next(), own.next())
            && !cell.failed
        {
            cell.validity = Some(report.verdict.validity);
            if report.verdict.validity != Validity::Valid {
                cell.reasons.clone_from(&report.verdict.reasons);
            }
        }
        if let Some(part) = self.document.parts.last_mut() {
            part.table = Some(table::of_files(&report));
            part.panel = tiles::of_answers(&report.answers);
            reports::files(part, report);
        }
    }

    /// The same of `fathom quick`.
    pub fn quick(&mut self, report: &QuickReport) {
        if let Some(part) = self.document.parts.last_mut() {
            part.table = Some(table::of_quick(report));
            part.panel = tiles::of_answers(&report.answers);
            reports::looks(part, &report.verdict, &report.answers, &report.notes);
        }
    }

    /// The same of `fathom fit`.
    pub fn fit(&mut self, report: &FitReport) {
        if let Some(part) = self.document.parts.last_mut() {
            part.table = Some(table::of_fit(report));
            part.panel = tiles::of_answers(&report.answers);
            reports::looks(part, &report.verdict, &report.answers, &report.notes);
        }
    }

    /// The same of `fathom ab`.
    pub fn ab(&mut self, report: &AbReport) {
        if let Some(part) = self.document.parts.last_mut() {
            part.table = Some(table::of_ab(report));
            part.panel = tiles::of_answers(&report.answers);
            reports::looks(part, &report.verdict, &report.answers, &report.notes);
        }
    }

    /// The same of the ranks of a job, step by step.
    pub fn job(&mut self, steps: &[(String, JobReport)]) {
        if let Some(part) = self.document.parts.last_mut() {
            part.table = Some(table::of_job(steps));
            part.panel = tiles::of_job(steps);
            reports::job(part, steps);
        }
    }

    /// The same of `fathom layers`.
    pub fn layers(&mut self, report: &LayersReport) {
        if let Some(part) = self.document.parts.last_mut() {
            part.table = Some(table::of_layers(report));
            part.panel = tiles::of_answers(&report.answers);
            reports::looks(part, &report.verdict, &report.answers, &report.notes);
        }
    }

    /// The same of a test of PTS.
    pub fn pts(&mut self, report: &PtsReport) {
        let found: Vec<Finding> = report
            .findings
            .iter()
            .filter(|one| one.step.is_empty())
            .map(|one| one.finding.clone())
            .collect();
        self.together(&found);
        if let Some(part) = self.document.parts.last_mut() {
            part.table = Some(table::of_pts(report));
            part.panel = tiles::of_answers(&report.answers);
            let demands = report
                .demands
                .iter()
                .map(|one| format!("demand {}: {}: {}", one.state.name(), one.demand, one.fact));
            let setup = report.setup.iter();
            let setup = setup.map(|fact| format!("{}: {}", fact.name, fact.value));
            let windows = report.parts.iter().flat_map(|part| &part.steady);
            let windows = windows.map(|steady| {
                format!(
                    "steady-state window of {}: rounds {} to {}, line {}",
                    steady.cell,
                    steady.from_round,
                    steady.from_round + 4,
                    steady.formula
                )
            });
            let notes: Vec<String> = demands.chain(windows).chain(setup).collect();
            reports::looks(part, &report.verdict, &report.answers, &notes);
        }
    }

    /// The same of a sweep.
    pub fn sweep(&mut self, report: SweepReport) {
        self.together(&report.findings);
        if let Some(part) = self.document.parts.last_mut() {
            reports::sweep(part, report);
        }
    }

    /// Findings on all cells of the part together.
    fn together(&mut self, findings: &[Finding]) {
        for finding in findings {
            self.document.findings.push(PageFinding {
                cells: Vec::new(),
                ..page_finding(finding, 0)
            });
        }
    }

    /// Of the cell that is pushed next.
    fn findings(&mut self, findings: &[Finding]) {
        let cell = self.document.cells.len();
        findings
            .iter()
            .for_each(|finding| self.add_finding(finding, &[cell]));
    }

    /// Adds a finding of these cells of the last part, where the same one may be known of others.
    fn add_finding(&mut self, finding: &Finding, cells: &[usize]) {
        let part = self.document.parts.len().saturating_sub(1);
        let key = (part, finding.id, finding.severity as u8);
        let next = self.document.findings.len();
        let place = *self.found.entry(key).or_insert(next);
        match self.document.findings.get_mut(place) {
            Some(known) => known.cells.extend_from_slice(cells),
            None => self.document.findings.push(PageFinding {
                cells: cells.to_vec(),
                ..page_finding(finding, 0)
            }),
        }
    }

    /// `pattern` and `random` are equivalent for most results: then one axis is enough.
    fn leave_out_twins(&mut self) {
        let work = |row: &ResultRow| (row.work.pattern.clone(), row.work.random_percent);
        let pairs: HashSet<_> = self.rows.iter().map(work).collect();
        let patterns: HashSet<_> = pairs.iter().map(|(pattern, _)| pattern).collect();
        if pairs.len() == patterns.len() && patterns.len() > 1 {
            self.document.axes.retain(|axis| axis != "random_percent");
        }
    }

    /// Unknown fields are omitted; identical ones are listed once.
    fn lay_out_columns(&mut self) {
        for column in columns() {
            let values: Vec<PageValue> = self.rows.iter().map(|row| value(column, row)).collect();
            // A cell without a result is no witness against the others.
            let present = self.rows.iter().zip(&values);
            let has_result = |row: &ResultRow| row.origin != Origin::Missing;
            let mut present =
                present.filter(|(row, value)| has_result(row) || **value != PageValue::Nothing);
            let known = values.iter().any(|value| *value != PageValue::Nothing);
            if !known {
                continue;
            }
            let first = present.next().map(|(_, value)| value);
            let alike = values.iter().all(|value| Some(value) == first);
            if !alike && is_of_work(column) && present.any(|(_, value)| Some(value) != first) {
                self.document.axes.push(column.name.to_owned());
            }
            let alike = alike.then(|| first.cloned()).flatten();
            if alike.is_none() {
                let cells = self.document.cells.iter_mut().zip(values);
                cells.for_each(|(cell, value)| cell.values.push(value));
            }
            self.document.columns.push(PageColumn {
                name: column.name,
                short: column.short,
                unit: column.unit,
                about: column.about,
                alike,
            });
        }
    }
}

impl PartMachine {
    /// Adds what a run reports: what is the same of all cells of a part is kept once, from the first that knows it.
    fn add(&mut self, report: &RunReport) {
        if self.host.is_none() {
            self.host = Some(report.host.clone());
        }
        if self.engine.is_none() {
            self.engine = Some(report.engine.clone());
        }
        for target in &report.targets {
            if !self.targets.contains(&target.facts) {
                self.targets.push(target.facts.clone());
            }
        }
        for check in &report.device_checks {
            const CHECKS_MAX: usize = 8; // they differ by their figures, cell by cell
            let sentences = &mut self.device_checks;
            if sentences.len() < CHECKS_MAX && !sentences.contains(&check.sentence) {
                sentences.push(check.sentence.clone());
            }
        }
    }
}

/// Fields of the request by which results may be laid out.
fn is_of_work(column: &Column) -> bool {
    const AXES: [&str; 12] = [
        "tool",
        "target",
        "block_bytes",
        "queue_depth",
        "threads",
        "write_percent",
        "pattern",
        "random_percent",
        "cache",
        "write_through",
        "size_bytes",
        "target_iops",
    ];
    AXES.contains(&column.name)
}

/// The run of a load that reached the most.
fn best_of(cells: &[(usize, &PageCell, &ResultRow)], load: &CellReport) -> Option<usize> {
    let runs = cells.iter().filter(|(_, cell, row)| {
        let work = &row.work;
        let asked = work.queue_depth.zip(work.threads);
        let in_flight = asked.map(|(depth, threads)| u64::from(depth) * u64::from(threads));
        cell.label == load.load.workload
            && work.target_iops.is_none()
            && in_flight == Some(load.load.queue_depth)
            && work.threads.map(u64::from) == Some(load.load.threads)
    });
    let rate = |cell: &PageCell| cell.iops_estimate.map_or(0.0, |rate| rate.value);
    let best = runs.max_by(|one, other| rate(one.1).total_cmp(&rate(other.1)));
    best.map(|(place, _, _)| *place)
}

/// Takes for each part the remedy of the finding that its verdict names, else of its worst one.
fn advise(document: &mut PageDocument) {
    for (number, part) in document.parts.iter_mut().enumerate() {
        let is_own = |finding: &&PageFinding| match finding.cells.as_slice() {
            [] => true,
            cells => cells
                .iter()
                .any(|cell| document.cells[*cell].part == number),
        };
        let doubts = document.findings.iter().filter(is_own);
        let doubts: Vec<&PageFinding> = doubts
            .filter(|finding| finding.severity > Severity::Note)
            .collect();
        let named = doubts
            .iter()
            .find(|finding| part.verdict.cause.contains(&finding.sentence));
        let chosen = named.or_else(|| doubts.first());
        part.verdict.advice = chosen.map(|finding| finding.advice.clone());
    }
}

fn rate_of(row: &ResultRow) -> Option<Estimate> {
    let counted = || {
        let measured = row.measured.filter(|time| time.0 > 0)?;
        Some(per_second(row.total.ios? as f64, measured))
    };
    let rate = row.total.ios_per_s.or_else(counted)?;
    Some(Estimate::bare(rate, row.total.ios.unwrap_or(0) as f64))
}

fn median(report: &RunReport) -> Option<Estimate> {
    let median = report.total()?.latency.at(0.5)?;
    Some(Estimate {
        value: median.latency_ns? as f64,
        low: median.low_ns.map(|ns| ns as f64),
        high: median.high_ns.map(|ns| ns as f64),
        samples: median.effective_ios,
        not_known: None,
    })
}

fn page_finding(finding: &Finding, cell: usize) -> PageFinding {
    PageFinding {
        id: finding.id,
        group: finding.group,
        severity: finding.severity,
        confidence: finding.confidence,
        sentence: finding.sentence.clone(),
        evidence: finding.evidence.clone(),
        advice: finding.advice.clone(),
        because: finding.because,
        cells: vec![cell],
    }
}

fn value(column: &Column, row: &ResultRow) -> PageValue {
    match (column.read)(row) {
        Value::Nothing => PageValue::Nothing,
        Value::Name(session, number) => PageValue::Text(format!("{session}.{number}")),
        Value::Text(text) => PageValue::Text(text.into()),
        Value::Tags(tags) => PageValue::Text(tags.join(" ")),
        Value::Whole(number) => PageValue::Whole(number),
        Value::Real(number) => PageValue::Real(number),
        Value::Truth(truth) => PageValue::Truth(truth),
    }
}
