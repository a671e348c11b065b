//! What fathom named, compared with what `faultfs` did.
//!
//! Nothing but what was done may be named, by a right name. What is still wrong when the range is read has to be named
//! without exception. With one I/O in flight so does all that reads returned wrongly; with several a read that meets a
//! write may return either version, and the server does not see which reads do. Omitted: places beyond the 64 that a
//! result lists; their number is compared.

use serde_json::Value;

/// Cases that a result lists.
const CASES: usize = 64;
/// What `fathom verify` sees without the run: all else is whole, or nothing.
const VISIBLE: [&str; 6] = [
    "torn",
    "misdirected",
    "duplicated",
    "bit_rot",
    "shifted",
    "unreadable",
];
const KIB: u64 = 1 << 10;

/// One part of a row's output.
pub(super) struct Section {
    name: String,
    code: i64,
    document: Value,
}

/// Why a row is not good.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Wrongly accused, or missed.
    Wrong(String),
    /// Too few I/Os for a fault.
    NoFault,
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Failure::Wrong(why)
    }
}

/// The result of a row: faults that reads returned, and how many of these were named.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) looked_at: u64,
    pub(super) named: u64,
    pub(super) text: String,
}

/// What a row asks for.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    /// Keys of a simulated device.
    pub(super) faults: &'a str,
    /// What the faults of the kernel's devices may be named, whose places are not recorded; nothing without these.
    pub(super) kinds: &'a str,
    pub(super) command: &'a str,
    /// Of `fathom run`.
    pub(super) options: &'a str,
}

impl Request<'_> {
    fn has_journal(self) -> bool {
        matches!(
            self.command,
            "verify-interrupt" | "verify-kill" | "verify-cut"
        )
    }
}

/// What was done.
struct Truth<'a> {
    request: Request<'a>,
    is_recorded: bool, // of `faultfs`: all that is not as written was done
    injected: Vec<Injected>,
}

struct Injected {
    kind: String,
    offset: u64,
    remains: bool,
    was_read: bool,
}

/// A block that fathom named.
struct Case {
    kind: String,
    offset: u64,
    /// The place in the header that was found.
    meant: Option<u64>,
}

/// What one result reports.
struct Named {
    cases: Vec<Case>,
    blocks: u64,
}

impl Section {
    /// Splits the output of the script.
    pub(super) fn read(output: &str) -> Result<Vec<Section>, String> {
        let parts = output.split("== ").filter(|part| !part.trim().is_empty());
        parts.map(Section::one).collect()
    }

    fn one(part: &str) -> Result<Section, String> {
        let (head, body) = part.split_once('\n').unwrap_or((part, ""));
        let (name, code) = head.split_once(' ').unwrap_or((head, ""));
        let short: String = body.chars().take(700).collect();
        let broken = |why: &dyn std::fmt::Display| format!("{head}: {why}: {short}");
        Ok(Section {
            name: name.to_owned(),
            code: code.trim().parse().map_err(|why| broken(&why))?,
            document: serde_json::from_str(body).map_err(|why| broken(&why))?,
        })
    }

    fn is_verify(&self) -> bool {
        self.name == "verify"
    }

    fn result(&self) -> &Value {
        let of_run = &self.document["verification"];
        if of_run.is_null() {
            &self.document["verify"]
        } else {
            of_run
        }
    }

    fn named(&self) -> Named {
        let list = |name: &str| self.result()[name].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let case = |one: &Value| Case {
            kind: text(&one["kind"]),
            offset: number(&one["offset_bytes"]),
            meant: one["found"]["offset_bytes"].as_u64(),
        };
        let kinds = list("kinds");
        Named {
            cases: list("cases").iter().map(case).collect(),
            blocks: kinds.iter().map(|kind| number(&kind["blocks"])).sum(),
        }
    }

    /// Blocks that may be missing: neither right nor wrong.
    fn undecided(&self) -> u64 {
        let result = self.result();
        let parts = [
            &result["reads"],
            &result["pass"]["counts"],
            &result["read_back"]["blocks"],
        ];
        let counts = parts.iter();
        counts
            .map(|part| number(&part["undecided"]) + number(&part["unknown"]))
            .sum()
    }

    /// Blocks that were compared.
    fn compared(&self) -> u64 {
        let result = self.result();
        let sum = |part: &Value| {
            let counts = part.as_object().into_iter().flatten();
            counts.map(|(_, count)| number(count)).sum::<u64>()
        };
        sum(&result["reads"]) + sum(&result["pass"]["counts"]) + sum(&result["blocks"])
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Compares the sections of a row.
pub(super) fn judge(request: Request<'_>, sections: &[Section]) -> Result<Found, Failure> {
    if !request.kinds.is_empty() {
        return by_kinds(request.kinds, sections);
    }
    let truth = Truth::of(request, sections);
    let mut found = Found {
        looked_at: 0,
        named: 0,
        text: String::new(),
    };
    let results = sections.iter().filter(|one| one.name != "injected");
    let mut compared = 0;
    for section in results {
        let named = section.named();
        let what = |why: String| format!("{}: {why}", section.name);
        truth.explains(&named).map_err(what)?;
        let expected = match (named.blocks, section.name.as_str()) {
            (0, "interrupted") => 1,
            (0, _) => 0,
            _ => 4,
        };
        if section.code != expected {
            let (code, verdict) = (section.code, &section.document["verdict"]["reasons"]);
            return Err(what(format!("exit code {code}, not {expected}: {verdict}")).into());
        }
        compared += section.compared();
        let (looked_at, named) = truth.complete(section, &named).map_err(what)?;
        found.looked_at += looked_at;
        found.named += named;
    }
    if compared == 0 {
        return Err("no block was compared".to_owned().into());
    }
    if truth.is_expected() && truth.injected.is_empty() {
        return Err(Failure::NoFault);
    }
    found.text = format!("{compared} blocks compared");
    if truth.is_recorded {
        let (named, looked_at, done) = (found.named, found.looked_at, truth.injected.len());
        found.text +=
            &format!("; named: {named} of {looked_at} that were looked at, of {done} faults");
    }
    Ok(found)
}

/// Something is named in the last result, and everywhere by a right name alone.
fn by_kinds(kinds: &str, sections: &[Section]) -> Result<Found, Failure> {
    let is_allowed = |case: &&Case| kinds.split(',').any(|kind| kind == case.kind);
    let mut blocks = 0;
    for section in sections {
        let named = section.named();
        if let Some(case) = named.cases.iter().find(|case| !is_allowed(case)) {
            let (kind, offset, name) = (&case.kind, case.offset, &section.name);
            return Err(format!("{name}: accused: {kind} at {offset}, not {kinds}").into());
        }
        blocks = named.blocks;
        if (section.code == 4) != (blocks > 0) {
            return Err(format!("{}: exit code {}", section.name, section.code).into());
        }
    }
    if blocks == 0 {
        return Err(format!("missed: nothing is named, and {kinds} was done").into());
    }
    Ok(Found {
        looked_at: blocks,
        named: blocks,
        text: format!("{blocks} blocks are named {kinds}"),
    })
}

impl Truth<'_> {
    fn of<'a>(request: Request<'a>, sections: &[Section]) -> Truth<'a> {
        let record = sections.iter().find(|one| one.name == "injected");
        let record = record.and_then(|one| one.document.as_array());
        let injected = record.into_iter().flatten().map(|one| Injected {
            kind: one["kind"].as_str().unwrap_or_default().to_owned(),
            offset: number(&one["offset"]),
            remains: one["remains"] == true,
            was_read: one["was_read"] == true,
        });
        // The store does not record reads that fail: they are of the one place.
        let unreadable = request.faults.split(',').filter_map(|fault| {
            let place = fault.strip_prefix("eio=@")?;
            Some(Injected {
                kind: "unreadable".to_owned(),
                offset: bytes(place)?,
                remains: true,
                was_read: true,
            })
        });
        Truth {
            request,
            is_recorded: record.is_some(),
            injected: injected.chain(unreadable).collect(),
        }
    }

    /// Whether there has to be a fault.
    fn is_expected(&self) -> bool {
        let is_certain = |fault: &str| fault.contains("=1/") || fault.contains("=@");
        self.request.faults.split(',').any(is_certain)
    }

    fn is_cut(&self) -> bool {
        self.request.faults.contains("volatile=")
    }

    /// Whether single reads are wrong.
    fn is_transient(&self) -> bool {
        let reads = ["stale=", "misread=", "rot-read="];
        reads
            .iter()
            .any(|fault| self.request.faults.contains(fault))
    }

    fn alias(&self) -> Option<u64> {
        let (_, size) = self.request.faults.split_once("alias=")?;
        bytes(size)
    }

    /// Each case is of something that was done.
    fn explains(&self, named: &Named) -> Result<(), String> {
        for case in &named.cases {
            let is_done = match self.alias() {
                Some(size) => case
                    .meant
                    .is_some_and(|meant| meant.abs_diff(case.offset).is_multiple_of(size)),
                None => self.injected.iter().any(|one| {
                    one.offset == case.offset && is_right(&one.kind, &case.kind, self.is_cut())
                }),
            };
            if !is_done {
                let (kind, offset) = (&case.kind, case.offset);
                return Err(format!("accused: {kind} at {offset}, which was not done"));
            }
        }
        match self.alias() {
            None if named.blocks > self.injected.len() as u64 => Err(format!(
                "accused: {} blocks, and {} faults were done",
                named.blocks,
                self.injected.len()
            )),
            _ => Ok(()),
        }
    }

    /// All that had to be named was. Returns how many places were looked at, and how many of them were named.
    fn complete(&self, section: &Section, named: &Named) -> Result<(u64, u64), String> {
        if self.alias().is_some() {
            let has_any = named.blocks > 0;
            return exact("any alias", u64::from(has_any), 1)
                .map(|()| (named.blocks, named.blocks));
        }
        let durability = &section.document["verify"]["durability"];
        if section.is_verify() && self.request.has_journal() && durability.is_null() {
            return Err("missed: the journal was not compared".to_owned());
        }
        if self.is_cut() {
            return self.after_cut(named, durability);
        }
        if section.is_verify() {
            if self.is_recorded && !self.is_transient() {
                let blocks = &section.document["verify"]["blocks"];
                exact("damaged", named.blocks, self.remaining(&VISIBLE))?;
                exact(
                    "zeroed",
                    number(&blocks["zeros"]),
                    self.remaining(&["zeroed"]),
                )?;
                exact(
                    "foreign",
                    number(&blocks["foreign"]),
                    self.remaining(&["foreign"]),
                )?;
            }
            return Ok((named.blocks, named.blocks));
        }
        let pass = &section.result()["pass"];
        if !pass.is_null() && !self.is_transient() {
            let done = self.injected.iter().filter(|one| one.remains).count();
            exact(
                "left after the run",
                number(&pass["counts"]["corrupt"]),
                done as u64,
            )?;
        }
        self.read_are_named(section, named)
    }

    /// With one I/O in flight exactly what was durable and is lost is named; of several the journal promises less than the
    /// device, and of a run that was killed, too.
    fn after_cut(&self, named: &Named, durability: &Value) -> Result<(u64, u64), String> {
        let done = self.remaining(&["not_durable"]);
        let is_exact = !durability.is_null()
            && self.request.command == "verify-cut"
            && is_serial(self.request.options);
        if !is_exact {
            return Ok((named.blocks, named.blocks));
        }
        if durability["ended"] != true {
            return Err("the journal has no end".to_owned());
        }
        exact("not durable", named.blocks, done).map(|()| (done, named.blocks))
    }

    /// Places that reads returned wrongly are named.
    fn read_are_named(&self, section: &Section, named: &Named) -> Result<(u64, u64), String> {
        // A place whose data went elsewhere is read for the diagnosis of the other one, too.
        let counts = |one: &Injected| {
            one.was_read && !(self.request.faults.contains("misdirect") && one.kind == "lost")
        };
        let places = self.places(counts);
        let is_named = |place: &&u64| named.cases.iter().any(|case| case.offset == **place);
        let found = places.iter().filter(is_named).count();
        let may_be_missing = section.undecided() as usize;
        // A read that meets a write may return the older version. After the run fathom verify reads, too.
        let is_exact = is_serial(self.request.options) && !section.result()["pass"].is_null();
        if !is_exact || named.cases.len() >= CASES {
            return Ok((named.blocks, named.blocks));
        }
        match found + may_be_missing < places.len() {
            true => Err(format!(
                "missed: {found} of {} places that were read are named, {may_be_missing} blocks are undecided",
                places.len()
            )),
            false => Ok((found as u64, found as u64)),
        }
    }

    fn remaining(&self, kinds: &[&str]) -> u64 {
        let counts = |one: &Injected| one.remains && kinds.contains(&one.kind.as_str());
        self.places(counts).len() as u64
    }

    /// Places of faults, each once.
    fn places(&self, counts: impl Fn(&Injected) -> bool) -> Vec<u64> {
        let faults = self.injected.iter().filter(|one| counts(one));
        let mut places: Vec<u64> = faults.map(|one| one.offset).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

fn exact(what: &str, found: u64, done: u64) -> Result<(), String> {
    match found == done {
        true => Ok(()),
        false => Err(format!("missed: {found} of {done} are named: {what}")),
    }
}

/// Which names are right: the place of a misdirected write still has its older version, and a copy whose original was
/// written again cannot be distinguished from a misdirected one. After a cut the record is of sectors.
fn is_right(done: &str, named: &str, is_cut: bool) -> bool {
    done == named
        || (named == "misdirected" && matches!(done, "lost" | "duplicated"))
        || (is_cut && named == "not_durable")
}

/// Whether one I/O is in flight.
fn is_serial(options: &str) -> bool {
    let words: Vec<&str> = options.split_whitespace().collect();
    let pairs = words.windows(2);
    let mut set = pairs.filter(|pair| matches!(pair[0], "-o" | "-t"));
    set.all(|pair| pair[1] == "1")
}

/// `40K`, `1M`.
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.len().checked_sub(1)?);
    let unit = match unit {
        "K" => KIB,
        "M" => KIB * KIB,
        _ => return text.parse().ok(),
    };
    number.parse::<u64>().ok().map(|number| number * unit)
}

#[cfg(test)]
mod tests {
    use super::{Failure, Found, Request, Section, judge};

    fn judged(faults: &str, options: &str, output: &str) -> Result<Found, Failure> {
        let is_cut = faults.contains("volatile");
        let request = Request {
            faults,
            kinds: "",
            command: if is_cut { "verify-cut" } else { "verify" },
            options,
        };
        judge(request, &Section::read(output).unwrap())
    }

    fn wrong(result: Result<Found, Failure>) -> String {
        match result {
            Err(Failure::Wrong(why)) => why,
            other => format!("{other:?}"),
        }
    }

    /// The output of a run that named a block at this place, with so many corrupt blocks in the pass, and the record.
    fn run(kind: &str, place: u64, in_pass: u64, record: &str) -> String {
        format!(
            r#"== run 4
{{"verification":{{"reads":{{"right":90}},"pass":{{"counts":{{"right":9,"corrupt":{in_pass}}}}},
"kinds":[{{"kind":"{kind}","blocks":1}}],"cases":[{{"kind":"{kind}","offset_bytes":{place}}}]}}}}
== injected 0
[{record}]"#
        )
    }

    const LOST: &str = r#"{"kind":"lost","offset":4096,"remains":true,"was_read":true}"#;

    #[test]
    fn a_fault_that_is_named_is_found() {
        let found = judged("lose=1/9", "", &run("lost", 4096, 1, LOST)).unwrap();
        assert_eq!((found.looked_at, found.named), (1, 1));
    }

    #[test]
    fn another_place_or_kind_is_an_accusation() {
        for (kind, place) in [("lost", 8192), ("torn", 4096)] {
            let why = wrong(judged("lose=1/9", "", &run(kind, place, 1, LOST)));
            assert!(why.starts_with("run: accused: "), "{why}");
        }
    }

    #[test]
    fn a_fault_that_a_read_returned_or_that_remains_is_missed() {
        let read = r#"{"kind":"lost","offset":8192,"remains":false,"was_read":true}"#;
        for (second, in_pass) in [(read, 1), (&LOST.replace("4096", "8192")[..], 1)] {
            let output = run("lost", 4096, in_pass, &format!("{LOST},{second}"));
            let why = wrong(judged("lose=1/9", "", &output));
            assert!(why.starts_with("run: missed: 1 of 2 "), "{why}");
        }
    }

    #[test]
    fn sound_storage_needs_exit_code_0_and_comparisons() {
        let sound = r#"{"verification":{"reads":{"right":5},"pass":null,"kinds":[],"cases":[]}}"#;
        assert!(judged("", "", &format!("== run 0\n{sound}")).is_ok());
        assert!(judged("", "", &format!("== interrupted 1\n{sound}")).is_ok());
        let why = wrong(judged("", "", &format!("== run 4\n{sound}")));
        assert_eq!(why, "run: exit code 4, not 0: null");
        let nothing = sound.replace('5', "0");
        let why = wrong(judged("", "", &format!("== run 0\n{nothing}")));
        assert_eq!(why, "no block was compared");
        let faultless = judged(
            "lose=1/9",
            "",
            &format!("== run 0\n{sound}\n== injected 0\n[]"),
        );
        assert_eq!(faultless, Err(Failure::NoFault));
    }

    #[test]
    fn faults_without_a_record_are_compared_by_name() {
        let request = |kinds| Request {
            faults: "",
            kinds,
            command: "verify",
            options: "",
        };
        let sections = Section::read(&run("lost", 4096, 1, "")).unwrap();
        let sections = &sections[..1];
        assert_eq!(judge(request("zeroed,lost"), sections).unwrap().named, 1);
        let why = wrong(judge(request("bit_rot"), sections));
        assert_eq!(why, "run: accused: lost at 4096, not bit_rot");
        let sound = r#"{"verification":{"reads":{"right":5},"pass":null,"kinds":[],"cases":[]}}"#;
        let sections = Section::read(&format!("== run 0\n{sound}")).unwrap();
        let why = wrong(judge(request("lost"), &sections));
        assert_eq!(why, "missed: nothing is named, and lost was done");
    }

    #[test]
    fn after_a_cut_all_that_one_io_at_a_time_made_durable_is_counted() {
        let output = r#"== verify 4
{"verify":{"blocks":{"whole":7},"durability":{"ended":true},"kinds":[{"kind":"not_durable","blocks":1}],
"cases":[{"kind":"not_durable","offset_bytes":0}]}}
== injected 0
[{"kind":"not_durable","offset":0,"remains":true},{"kind":"not_durable","offset":4096,"remains":true}]"#;
        let faults = "volatile=1M,flush=ignored";
        let why = wrong(judged(faults, "--engine sync -o 1", output));
        assert_eq!(why, "verify: missed: 1 of 2 are named: not durable");
        assert!(judged(faults, "-o 8", output).is_ok());
        let without = output.replace("durability", "other");
        let why = wrong(judged(faults, "-o 8", &without));
        assert_eq!(why, "verify: missed: the journal was not compared");
    }
}
