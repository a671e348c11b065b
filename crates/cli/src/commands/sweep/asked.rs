//! Words → the cells of a sweep, each with what is run, what it goes by and what it is known by; or everything that is
//! wrong with them.

use crate::args::SweepArgs;
use crate::commands::resumed::lies_on;
use crate::seed;
use crate::subcommand::read_line;
use host::Root;
use model::{
    Access, CommandError, HostRecord, Location, Nanos, Profile, Target, TargetFacts, Timespan,
};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use sweep::{Axis, Exclusion, Grid, Group, Order, Repeat, Turn};
use tools::diskspd::Environment as Machine;
use tools::refusal;
use tools::sweep::{self as words, Base, Definition};

/// What is wrong with more cells than this is informed of the first ones.
const PROBLEMS_MAX: usize = 20;
/// Most targets of all combinations together, each with the lines of its mix: every one stays claimed until the last
/// has run.
const TARGETS_MAX: usize = 100_000;

/// A sweep that can be run, as far as its words go.
pub(crate) struct Asked {
    pub(crate) grid: Grid,
    /// In the order of the matrix.
    pub(crate) cells: Vec<AskedCell>,
    pub(crate) order: Order,
    pub(crate) shuffle_seed: u64,
    pub(crate) repeat: Repeat,
    pub(crate) rest: model::Nanos,
    /// What was accepted and changes nothing, in no cell.
    pub(crate) notes: Vec<String>,
    /// A target that is named twice is two targets.
    pub(crate) repeats_targets: bool,
    /// Ranks that share each cell; 1 alone.
    pub(super) ranks: u32,
    /// The cells differ in the seed, as requested.
    is_seed_varied: bool,
}

/// One combination.
pub(crate) struct AskedCell {
    pub(crate) label: String,
    pub(crate) group: Option<String>,
    /// Of the fields that distinguish cells.
    pub(crate) values: Vec<(String, String)>,
    pub(crate) timespan: Timespan,
    /// All that determines it, but for the repetition.
    key: String,
}

impl Asked {
    /// Reads all of it. Files are read, nothing else is touched.
    pub(crate) fn read(args: &SweepArgs) -> Result<Self, CommandError> {
        let mut definition = define(args)?;
        let drawn = draw_seed(&mut definition);
        let grid = grid_of(&definition);
        let combined = grid.cells().map_err(|problems| {
            CommandError::refused_for(problems.iter().map(ToString::to_string))
        })?;
        let mut cells = Vec::new();
        let mut notes: Option<Vec<String>> = None;
        let mut problems: Vec<String> = Vec::new();
        let (root, exists) = (Root::live(), |path: &str| Path::new(path).exists());
        let machine = Machine {
            uptime_ms: host::uptime_ms(&root),
            exists: &exists,
            ..Machine::BARE
        };
        let varied = grid.varied();
        let (mut targets, mut failed, mut seen) = (0, 0, HashSet::new());
        for (place, cell) in (0u64..).zip(&combined) {
            let axes = grid.groups[cell.group].axes.iter();
            let axes = axes.map(|axis| axis.name.clone());
            let values: Vec<(String, String)> = axes.zip(cell.values.iter().cloned()).collect();
            let built = match words::build_cell(&definition.base, &values, place, &machine) {
                Ok(built) => built,
                Err(refusal) => {
                    let fresh = refusal.messages().filter(|text| seen.insert(text.clone()));
                    problems.extend(fresh);
                    failed += 1;
                    if failed == refusal::PROBLEMS_MAX {
                        problems.push("further combinations were not checked".to_owned());
                        break;
                    }
                    continue;
                }
            };
            targets += weight(&built.timespan);
            if targets > TARGETS_MAX {
                problems.push(format!(
                    "all combinations together have more than {TARGETS_MAX} targets, each with the lines of its mix: take \
                     fewer values or fewer targets"
                ));
                break;
            }
            let mut common = notes.take().unwrap_or_else(|| built.notes.clone());
            common.retain(|note| built.notes.contains(note));
            notes = Some(common);
            cells.push(AskedCell {
                label: grid.label(cell, &varied),
                group: grid.groups[cell.group].name.clone(),
                key: key_of(&grid, cell, without_drawn(&built.timespan, drawn)),
                values: varied_of(values, &varied),
                timespan: built.timespan,
            });
        }
        refuse(problems)?;
        let course = definition.course;
        let is_seed_varied = varied.contains(&"seed");
        let of_all = notes.unwrap_or_default();
        Ok(Asked {
            grid,
            cells,
            order: course.order.map(order_of).unwrap_or_default(),
            shuffle_seed: course.shuffle_seed,
            repeat: repeat_of(&course.repeat),
            rest: course.rest,
            notes: [definition.notes, of_all].concat(),
            repeats_targets: matches!(definition.base, Base::Diskspd(_) | Base::Script(_)),
            ranks: 1,
            is_seed_varied,
        })
    }

    /// Returns what a turn runs. A repeat draws other offsets than the runs of its cell before: what these read may be in a
    /// cache.
    pub(crate) fn timespan(&self, turn: Turn) -> Timespan {
        let mut timespan = self.cells[turn.cell].timespan.clone();
        if !self.is_seed_varied {
            let before = u64::from(turn.repetition.saturating_sub(1));
            let apart = before.wrapping_mul(self.cells.len() as u64);
            timespan.seed = timespan.seed.wrapping_add(apart);
        }
        timespan
    }

    /// The whole matrix as one request, for the check before anything runs.
    pub(crate) fn profile(&self) -> Profile {
        Profile {
            timespans: self
                .cells
                .iter()
                .map(|cell| cell.timespan.clone())
                .collect(),
        }
    }

    /// Makes it the sweep of so many ranks: that of other ranks is another one.
    pub(super) fn share(&mut self, ranks: u32, layout: &str) {
        self.ranks = ranks;
        for cell in &mut self.cells {
            cell.key = sweep::key(&[&cell.key, &format!("{ranks} ranks, {layout}")]);
        }
    }

    /// Every turn that may come.
    pub(crate) fn turns(&self) -> Vec<Turn> {
        sweep::turns(
            self.cells.len(),
            self.repeat.most,
            self.order,
            self.shuffle_seed,
        )
    }

    /// What a turn does before its phases because of what it writes.
    pub(crate) fn preparation(&self, turn: Turn) -> Nanos {
        sweep::preparation(&self.cells[turn.cell].timespan.targets)
    }

    /// What a turn is planned to take.
    pub(crate) fn planned(&self, turn: Turn) -> Nanos {
        let phases = &self.cells[turn.cell].timespan.phases;
        phases.total().plus(self.preparation(turn))
    }

    /// What a turn is known by in the database.
    pub(crate) fn key(&self, turn: Turn) -> String {
        sweep::key(&[&self.cells[turn.cell].key, &turn.repetition.to_string()])
    }

    /// What a turn goes by.
    pub(crate) fn label(&self, turn: Turn) -> String {
        let label = &self.cells[turn.cell].label;
        match self.repeat.most {
            1 => label.clone(),
            _ => format!("{label} #{}", turn.repetition),
        }
    }

    /// What distinguishes this sweep from others: its cells, their order, the machine, and what its targets lie on.
    pub(crate) fn fingerprint(&self, host: &HostRecord, targets: &[TargetFacts]) -> String {
        let course = format!(
            "{:?} {} {:?} {}",
            self.order, self.shuffle_seed, self.repeat, self.rest
        );
        let mut parts = vec![host.hostname.as_str(), &course];
        parts.extend(self.cells.iter().map(|cell| cell.key.as_str()));
        let below: Vec<String> = targets.iter().map(lies_on).collect();
        parts.extend(below.iter().map(String::as_str));
        sweep::key(&parts)
    }

    /// Every target by name, once, in the order met.
    pub(crate) fn target_names(&self) -> String {
        let targets = self.cells.iter().flat_map(|cell| &cell.timespan.targets);
        let names: Vec<String> = targets.map(|target| target.location.name()).collect();
        model::distinct(names.iter().map(String::as_str)).join(" ")
    }
}

/// The definition from where it stands: a plan, a DISKSPD line, or options.
pub(super) fn define(args: &SweepArgs) -> Result<Definition, CommandError> {
    if let Some(plan) = &args.matrix.plan {
        return from_plan(plan);
    }
    if let [only] = args.targets.as_slice()
        && only.extension().is_some_and(|end| end == "toml")
    {
        return from_plan(&with_nothing_beside(only)?);
    }
    if let Some(script) = &args.matrix.from_script {
        return from_script(script, args);
    }
    let line = args.matrix.from_diskspd.as_deref();
    words::from_options(
        &args.request(),
        line,
        words::Varied {
            axes: &args.matrix.axis,
            pairs: args.matrix.pairs.as_deref(),
        },
        &args.course.text(),
    )
    .map_err(|refusal| refused(&refusal))
}

/// A plan that is named like a target: the parser reports what cannot be combined with it.
fn with_nothing_beside(plan: &Path) -> Result<PathBuf, CommandError> {
    let words = std::env::args_os().map(|word| {
        let is_plan = Path::new(&word) == plan;
        if is_plan { "--plan".into() } else { word }
    });
    let mut line: Vec<std::ffi::OsString> = Vec::new();
    for word in words {
        let is_plan = word == "--plan";
        line.push(word);
        if is_plan {
            line.push(plan.as_os_str().to_owned());
        }
    }
    match read_line::<SweepArgs>("sweep", line) {
        Ok(args) => Ok(args.matrix.plan.unwrap_or_else(|| plan.to_owned())),
        Err(error) => Err(CommandError::refused(format!(
            "{}: this is a plan, which specifies all of the work itself: {}",
            plan.display(),
            error
                .to_string()
                .lines()
                .next()
                .unwrap_or_default()
                .trim_start_matches("error: ")
        ))),
    }
}

/// A script of another machine.
fn from_script(path: &Path, args: &SweepArgs) -> Result<Definition, CommandError> {
    let bytes = bytes_of(path, "script")?;
    let shown = path.display().to_string();
    let text = tools::diskspd::decode(bytes).map_err(|why| {
        CommandError::refused(format!("{shown}: the script cannot be read: {why}"))
    })?;
    let map: Result<Vec<_>, _> = args
        .matrix
        .map
        .iter()
        .map(|text| words::TargetName::read(text))
        .collect();
    let map = map.map_err(CommandError::refused)?;
    words::from_script(&shown, &text, &map, &args.course.text())
        .map_err(|refusal| refused(&refusal))
}

/// The bytes of a plan or script of a sensible length.
fn bytes_of(path: &Path, what: &str) -> Result<Vec<u8>, CommandError> {
    let shown = path.display();
    let unreadable =
        |why: String| CommandError::refused(format!("{shown}: the {what} cannot be read: {why}"));
    let length = fs::metadata(path).map_err(|error| unreadable(model::errno_text(&error)))?;
    if !length.is_file() {
        return Err(unreadable("it is not a file".to_owned()));
    }
    if length.len() > words::PLAN_LENGTH_MAX as u64 {
        return Err(unreadable(format!(
            "it is longer than {} bytes",
            words::PLAN_LENGTH_MAX
        )));
    }
    fs::read(path).map_err(|error| unreadable(model::errno_text(&error)))
}

fn from_plan(path: &Path) -> Result<Definition, CommandError> {
    let shown = path.display();
    let bytes = bytes_of(path, "plan")?;
    let text = String::from_utf8(bytes).map_err(|_| {
        CommandError::refused(format!(
            "{shown}: the plan cannot be read: it is not UTF-8, as TOML is"
        ))
    })?;
    words::from_plan(&text).map_err(|refusal| {
        let reported = refusal
            .messages()
            .map(|problem| format!("{shown}: {problem}"));
        of_problems(reported.collect())
    })
}

fn refused(refusal: &words::Refusal) -> CommandError {
    of_problems(refusal.messages().collect())
}

pub(super) fn refuse(problems: Vec<String>) -> Result<(), CommandError> {
    match problems.is_empty() {
        true => Ok(()),
        false => Err(of_problems(problems)),
    }
}

/// The first problems, and how many more there are.
fn of_problems(mut problems: Vec<String>) -> CommandError {
    let more = problems.len().saturating_sub(PROBLEMS_MAX);
    if more > 0 {
        problems.truncate(PROBLEMS_MAX);
        problems.push(format!("and {more} more of this kind"));
    }
    CommandError::refused_for(problems)
}

fn repeat_of(repeat: &words::Repeat) -> Repeat {
    let share = repeat.precision;
    Repeat {
        least: repeat.least,
        most: repeat.most,
        precision: share.map(|share| f64::from(share.as_percent()) / 100.0),
    }
}

pub(super) fn order_of(order: words::Order) -> Order {
    match order {
        words::Order::Given => Order::Given,
        words::Order::Shuffled => Order::Shuffled,
        words::Order::Interleaved => Order::Interleaved,
    }
}

pub(super) fn grid_of(definition: &Definition) -> Grid {
    let axes = |axes: &[words::Axis]| -> Vec<Axis> {
        let axis = |axis: &words::Axis| Axis {
            name: axis.name.clone(),
            values: axis.values.clone(),
        };
        axes.iter().map(axis).collect()
    };
    Grid {
        groups: definition
            .groups
            .iter()
            .map(|group| Group {
                name: group.name.clone(),
                axes: axes(&group.axes),
            })
            .collect(),
        exclusions: definition
            .exclude
            .iter()
            .map(|fields| Exclusion {
                fields: axes(fields),
            })
            .collect(),
    }
}

/// Gives the cells a seed where none is specified; returns it if it was drawn.
fn draw_seed(definition: &mut Definition) -> Option<u64> {
    let Base::Native(request) = &mut definition.base else {
        return None; // a DISKSPD line has that of DISKSPD
    };
    let axes = || definition.groups.iter().flat_map(|group| &group.axes);
    if request.engine.seed.is_some() || axes().any(|axis| axis.name == "seed") {
        return None;
    }
    let of_axes = axes().filter(|axis| axis.name == "target");
    let of_axes = of_axes.flat_map(|axis| axis.values.iter().map(Path::new));
    let targets = request.targets.iter().map(PathBuf::as_path).chain(of_axes);
    let seed = seed::chosen(None, targets);
    let drawn = seed.parse().ok();
    request.engine.seed = Some(seed);
    drawn
}

/// As it is with the seed 0: by what was drawn, no sweep is found again.
fn without_drawn(timespan: &Timespan, drawn: Option<u64>) -> Timespan {
    Timespan {
        seed: timespan.seed.wrapping_sub(drawn.unwrap_or(0)),
        ..timespan.clone()
    }
}

/// All that determines a cell. Names of targets become absolute: `f` of another folder is another file.
/// Targets of a combination, each counted with the lines of its mix.
fn weight(timespan: &Timespan) -> usize {
    let lines = |target: &Target| match &target.workload.access {
        Access::Mixed(mixed) => 1 + mixed.lines.len(),
        _ => 1,
    };
    timespan.targets.iter().map(lines).sum()
}

fn key_of(grid: &Grid, cell: &sweep::Cell, timespan: Timespan) -> String {
    let mut whole = timespan;
    for target in &mut whole.targets {
        if let Location::Path(path) = &mut target.location {
            *path = std::path::absolute(&*path).unwrap_or_else(|_| path.clone());
        }
    }
    let document = serde_json::to_string(&whole).expect("a timespan is plain data");
    let group = grid.groups[cell.group].name.as_deref().unwrap_or_default();
    sweep::key(&[group, &cell.values.join("\u{1f}"), &document])
}

/// Returns the values of the fields that vary.
fn varied_of(mut values: Vec<(String, String)>, varied: &[&str]) -> Vec<(String, String)> {
    values.retain(|(name, _)| varied.contains(&name.as_str()));
    values
}
