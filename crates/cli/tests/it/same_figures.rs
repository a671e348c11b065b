//! The text, the JSON and the HTML report's document of one session have the same figure for every load, peak, knee and limit,
//! and the same verdict: shown over surveys of simulated devices that are drawn by seed.

use crate::bench::Bench;
use crate::drawn::Drawn;
use serde_json::Value;

const DEVICES: usize = 6;
const MODELS: [&str; 4] = ["ssd", "spindle", "array", "cliff"];
/// What may be wrong with a device, or limit it.
const TRAITS: [&str; 12] = [
    "",
    "",
    "noise=10%",
    "noise=40%",
    "cap-iops=3000",
    "cap-bandwidth=60M",
    "cliff=16,cliff-latency=5ms",
    "drift=30%",
    "drop=50%,drop-at=300ms",
    "neighbour=2000",
    "channels=2",
    "service=200us",
];

/// Draws a device: its model and what may be wrong with it.
fn device(drawn: &mut Drawn) -> String {
    let (model, one, other) = (drawn.one(&MODELS), drawn.one(&TRAITS), drawn.one(&TRAITS));
    let keys: Vec<&str> = match one == other || other.split('=').next() == one.split('=').next() {
        true => vec![one],
        false => vec![one, other],
    };
    let keys = keys.into_iter().filter(|key| !key.is_empty());
    let words: Vec<String> = [format!("sim:{model}")]
        .into_iter()
        .chain(keys.map(str::to_owned))
        .collect();
    words.join(",")
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// Words of a text, however its lines are broken.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The columns of a workload's row: its best rate in IOPS, and the I/Os in flight.
fn printed(text: &str, workload: &str) -> Option<(f64, u64)> {
    let mut lines = text.lines().skip_while(|line| !line.contains("peak IOPS"));
    let line = lines.find(|line| line.contains(workload))?;
    let (_, rest) = line.split_once(workload)?;
    let columns: Vec<&str> = rest
        .split("  ")
        .map(str::trim)
        .filter(|one| !one.is_empty())
        .collect();
    let rate = columns.first()?;
    let rate = rate.trim_end_matches(['*', '!']);
    let (digits, factor) = match (rate.strip_suffix('k'), rate.strip_suffix('M')) {
        (Some(digits), _) => (digits, 1e3),
        (_, Some(digits)) => (digits, 1e6),
        _ => (rate, 1.0),
    };
    let depth = columns.get(3)?; // behind its interval and the throughput
    Some((digits.parse::<f64>().ok()? * factor, depth.parse().ok()?))
}

/// Whether two sums of the same figures are the same, in any order of addition.
fn near(one: Option<f64>, other: Option<f64>) -> bool {
    one.zip(other)
        .is_some_and(|(one, other)| (one / other - 1.0).abs() < 1e-9)
}

/// One survey in all its forms, and what is not the same in them.
struct Forms {
    device: String,
    /// As it was printed, and as it is shown again.
    texts: [String; 2],
    survey: Value,
    page: Value,
    faults: Vec<String>,
}

impl Forms {
    fn of(device: &str) -> Forms {
        let bench = Bench::new();
        let text = bench.line(&format!("survey {device} --page none --budget 60s"));
        Forms {
            device: device.to_owned(),
            page: bench.line("report 1 --json").good().json(),
            survey: bench.line("show 1 --json").good().json(),
            texts: [text.out, bench.line("show 1 --verbose").out],
            faults: Vec::new(),
        }
    }

    fn same(&mut self, what: &str, is: bool) {
        if !is {
            let (device, text) = (&self.device, &self.texts[1]);
            self.faults.push(format!("{device}: {what}\n{text}"));
        }
    }

    fn part(&self) -> &Value {
        &self.page["parts"][0]
    }

    /// A figure of the panel.
    fn panel(&self, id: &str) -> Option<f64> {
        let mut panel = list(self.part(), "panel").iter();
        panel.find(|item| item["id"] == id)?["estimate"]["value"].as_f64()
    }

    /// A sentence about a workload.
    fn model(&self, begins: &str) -> Option<String> {
        let mut models = list(self.part(), "models").iter().filter_map(Value::as_str);
        Some(
            models
                .find_map(|said| said.strip_prefix(begins))?
                .to_owned(),
        )
    }

    fn rows(&self) -> Vec<Value> {
        list(&self.survey, "rows").to_vec()
    }

    fn verdict(&mut self) {
        let validities = self.part()["verdict"]["validity"] == self.survey["verdict"]["validity"];
        self.same("verdict", validities);
        let headline = words(
            self.part()["verdict"]["headline"]
                .as_str()
                .unwrap_or("none"),
        );
        let all = self
            .texts
            .iter()
            .all(|text| words(text).contains(&headline));
        self.same("headline", all);
    }

    fn loads(&mut self) {
        let rates = |cells: &[Value]| -> Vec<String> {
            let mut rates: Vec<_> = cells.iter().map(|cell| cell["iops"].to_string()).collect();
            rates.sort();
            rates
        };
        let loads = rates(list(&self.page, "loads")) == rates(list(&self.survey, "joined"));
        self.same("loads", loads);
        let each = |form: &Value| -> Vec<Option<f64>> {
            let cells = list(form, "cells").iter();
            cells
                .map(|cell| cell["iops_estimate"]["value"].as_f64())
                .collect()
        };
        let cells = each(&self.page) == each(&self.survey);
        self.same("rates of the cells", cells);
    }

    /// The tiles have the figures of the answer.
    fn tiles(&mut self) {
        let sides = list(&self.survey, "answers").iter();
        let sides = sides.flat_map(|answer| {
            let field = match answer["in_bytes"].as_bool() {
                Some(true) => "bytes_per_s",
                _ => "iops",
            };
            let named = |side: &Value| {
                let name = side["workload"].as_str().unwrap().to_owned();
                (name, side[field].as_f64())
            };
            list(answer, "sides").iter().map(named).collect::<Vec<_>>()
        });
        for (workload, figure) in sides.collect::<Vec<_>>() {
            let id = format!("answer {workload}");
            let is = near(self.panel(&id), figure);
            self.same(&id, is);
        }
    }

    fn workload(&mut self, row: &Value) {
        let (name, best) = (row["workload"].as_str().unwrap(), &row["best"]);
        let Some((rate, depth)) = printed(&self.texts[1], name) else {
            return self.same(&format!("{name}: no row in the text"), false);
        };
        let exact = best["iops"].as_f64().unwrap();
        self.same(
            &format!("{name}: rate"),
            (rate - exact).abs() <= 0.006 * exact.max(1.0),
        );
        self.same(
            &format!("{name}: depth"),
            best["total_queue_depth"] == depth,
        );
        let of_page = self.model(&format!("{name}: limited by "));
        let is = match (
            of_page.as_deref().and_then(|said| said.split_once(": ")),
            row["limit"].as_object(),
        ) {
            (Some((word, sentence)), Some(limit)) => {
                let named = format!(": {word} ({sentence})");
                sentence == limit["sentence"] && words(&self.texts[1]).contains(&named)
            }
            (None, None) => true,
            _ => false,
        };
        self.same(&format!("{name}: limit"), is);
    }

    /// There is one knee of a workload: in the table, in sentences and as the ring of the charts.
    fn knee(&mut self, row: &Value) {
        let name = row["workload"].as_str().unwrap();
        let said = self.model(&format!("{name}: knee at "));
        let load = said.and_then(|said| said.split_whitespace().next()?.parse::<u64>().ok());
        let depth = row["knee_depth"].as_u64();
        self.same(&format!("{name}: knee"), load.is_none() || load == depth);
        let cells = list(&self.page, "cells").to_vec();
        let is_own = |curve: &&Value| {
            let first = curve["points"][0]["cell"].as_u64().unwrap();
            cells[usize::try_from(first).unwrap()]["label"] == name
        };
        let curves = list(&self.page, "curves").iter().filter(is_own);
        let rings = curves.filter_map(|curve| curve["knee"]["outstanding"].as_f64());
        let rings: Vec<Option<u64>> = rings.map(|ring| Some(ring as u64)).collect();
        let is_one = rings.len() <= 1 && rings.iter().all(|ring| *ring == load);
        self.same(&format!("{name}: rings {rings:?}, knee {load:?}"), is_one);
    }

    /// Of each rule that the text reports, the page has the same sentence.
    fn findings(&mut self) {
        let text = words(&self.texts[1]);
        let found = list(&self.page, "findings").to_vec();
        let serious = |one: &&Value| one["severity"] != "note" && one["because"].is_null();
        for finding in found.iter().filter(serious) {
            let id = finding["id"].as_str().unwrap();
            let mut same = found.iter().filter(|one| one["id"] == id);
            let named = text.contains(&format!("fathom explain {id}"));
            let is = same.any(|one| text.contains(&words(one["sentence"].as_str().unwrap())));
            self.same(
                &format!("sentence of {id}: {}", finding["sentence"]),
                !named || is,
            );
        }
        let denies = |word: &str| self.texts.iter().any(|text| words(text).contains(word));
        let neighbour = denies("fathom explain noisy-neighbour");
        let agrees = denies("counters match fathom's (") && !denies("but not in");
        self.same(
            "a neighbour next to matching counters",
            !(neighbour && agrees),
        );
    }

    /// The picture is of one workload.
    fn picture(&mut self) {
        let lines = || self.texts[1].lines();
        let drawn = lines().find_map(|line| line.trim().split_once(": QD, IOPS"));
        let marked = lines().find(|line| line.trim_end().ends_with(" knee"));
        if let (Some((name, _)), Some(line)) = (drawn, marked) {
            let load = line.split_whitespace().next().unwrap_or_default();
            let said = self.model(&format!("{name}: knee at {load} in flight"));
            self.same("knee of the picture", said.is_some());
        }
    }
}

/// What is not the same, of one device.
fn faults(device: &str) -> Vec<String> {
    let mut forms = Forms::of(device);
    forms.verdict();
    forms.loads();
    forms.tiles();
    for row in forms.rows().iter().filter(|row| row["best"].is_object()) {
        forms.workload(row);
        forms.knee(row);
    }
    forms.findings();
    forms.picture();
    forms.faults
}

/// A sweep over depths has the same knee and best rate in text, report and list.
#[test]
fn a_sweep_has_one_knee_and_one_best_rate() {
    let mut drawn = Drawn(29);
    for _ in 0..DEVICES {
        let bench = Bench::new();
        let device = device(&mut drawn);
        let line = format!("sweep {device} --depth 1,2,4,8,16,32,64 -d 1s --warmup 0s");
        let text = words(&bench.line(&line).out);
        let page = bench.line("report 1 --json").good().json();
        let headline = page["parts"][0]["verdict"]["headline"].as_str().unwrap();
        assert!(
            text.contains(&words(headline)),
            "{device}: {headline}\n{text}"
        );
        let listed = bench.line("list --json").good().json();
        assert_eq!(
            listed["sessions"][0]["validity"], page["parts"][0]["verdict"]["validity"],
            "{device}"
        );
        let rate = |cell: &Value| cell["iops_estimate"]["value"].as_f64().unwrap_or(0.0);
        let depths = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
        let curves = list(&page, "curves");
        for curve in curves {
            let points = list(curve, "points").iter();
            let cell = |point: &Value| usize::try_from(point["cell"].as_u64().unwrap()).unwrap();
            let rates: Vec<f64> = points.map(|one| rate(&page["cells"][cell(one)])).collect();
            let best = rates.iter().copied().fold(0.0, f64::max);
            let first = rates.iter().position(|rate| *rate >= 0.95 * best).unwrap();
            let expected = depths.get(first).filter(|_| first + 1 < rates.len());
            let knee = curve["knee"]["outstanding"].as_f64();
            assert!(
                knee.is_none() || knee.as_ref() == expected,
                "{device}: {knee:?} {rates:?}"
            );
        }
        assert!(!text.contains("by Kneedle"), "{device}: {text}");
    }
}

#[test]
fn text_json_and_report_have_the_same_figures() {
    let mut drawn = Drawn(16);
    let devices: Vec<String> = (0..DEVICES).map(|_| device(&mut drawn)).collect();
    let faults: Vec<String> = devices.iter().flat_map(|device| faults(device)).collect();
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
