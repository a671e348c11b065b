//! What a sweep will do, from what was asked, what was found, and what is in the database already.

use super::asked::Asked;
use super::earlier::Earlier;
use super::site::Site;
use super::stored::order_name;
use crate::environment::StorePlace;
use analysis::{AxisForecast, ForecastTime, SweepForecast, TargetForecast};
use model::{Nanos, Phases, TargetKind};
use session::clock;
use sweep::{Order, Pace, Turn};

/// Fills it in.
pub(crate) fn forecast(
    asked: &Asked,
    site: &Site,
    place: Option<&StorePlace>,
    is_job: bool,
    earlier: Option<&Earlier>,
) -> SweepForecast {
    let has = |turn: &Turn| earlier.is_some_and(|earlier| earlier.has(asked, *turn));
    let turns = asked.turns();
    let left: Vec<&Turn> = turns.iter().filter(|turn| !has(turn)).collect();
    let certain = left.iter().copied();
    let certain = certain.filter(|turn| turn.repetition <= asked.repeat.least);
    let certain: Vec<&Turn> = certain.collect();
    let phases_of = |turn: &&Turn| &asked.cells[turn.cell].timespan.phases;
    let least: Vec<&Phases> = certain.iter().map(phases_of).collect();
    let most = left.iter().map(phases_of);
    let targets = targets(site);
    let filling = targets
        .iter()
        .map(|target| sweep::filling(target.fill_bytes));
    let filling = filling.fold(Nanos(0), Nanos::plus);
    let pace = pace(site, is_job);
    let prepared = |turns: &[&Turn]| {
        let each = turns.iter().map(|turn| asked.preparation(**turn));
        each.fold(Nanos(0), Nanos::plus)
    };
    let least_time = pace
        .time_for(least.iter().copied(), asked.rest)
        .plus(prepared(&certain))
        .plus(filling);
    let most_time = pace
        .time_for(most, asked.rest)
        .plus(prepared(&left))
        .plus(filling);
    let runs = least.len() as u64;
    let phases = least.iter().map(|phases| phases.total());
    let phases = phases.fold(Nanos(0), Nanos::plus);
    let now = clock::utc();
    let done = |cell: usize| {
        let needed = 1..=asked.repeat.least;
        earlier.is_some()
            && needed
                .clone()
                .all(|repetition| has(&Turn { cell, repetition }))
    };
    SweepForecast {
        cells: asked.cells.len() as u64,
        cells_done: (0..asked.cells.len()).filter(|cell| done(*cell)).count() as u64,
        runs_least: runs,
        runs_most: left.len() as u64,
        order: order_name(asked).to_owned(),
        shuffle_seed: (asked.order == Order::Shuffled).then_some(asked.shuffle_seed),
        axes: axes(asked),
        time: ForecastTime {
            duration_least_ns: least_time.0,
            duration_most_ns: most_time.0,
            phases_ns: phases.0,
            load_ns: pace.load(phases).0,
            rest_ns: asked.rest.0.saturating_mul(runs.saturating_sub(1)),
            around_ns: (pace.around().0.saturating_mul(runs)).saturating_add(prepared(&certain).0),
            filling_ns: filling.0,
            ends_least_utc_ns: now.plus(least_time).0,
            ends_most_utc_ns: now.plus(most_time).0,
        },
        targets,
        store: place.map(|place| {
            let path = std::path::absolute(place.path());
            path.unwrap_or_else(|_| place.path().clone())
                .display()
                .to_string()
        }),
        goes_on_with: earlier.map(|earlier| earlier.session.0),
    }
}

/// What cells are taken to cost before the first one.
pub(crate) fn pace(site: &Site, is_job: bool) -> Pace {
    let mut kinds = site.targets().map(|(facts, _)| facts.kind);
    Pace::guess(kinds.all(|kind| kind == TargetKind::Simulated), is_job)
}

fn targets(site: &Site) -> Vec<TargetForecast> {
    let one = |(facts, written): (&model::TargetFacts, bool)| {
        let (fill, proven) = site.chore(facts);
        TargetForecast {
            path: facts.path.display().to_string(),
            fill_bytes: fill.0,
            made: facts.kind == TargetKind::Missing,
            written,
            proven,
        }
    };
    site.targets().map(one).collect()
}

fn axes(asked: &Asked) -> Vec<AxisForecast> {
    let varied = asked.grid.varied();
    let of = |name: &str| {
        let all = asked.grid.groups.iter().flat_map(|group| &group.axes);
        let mut values: Vec<String> = Vec::new();
        for value in all
            .filter(|axis| axis.name == name)
            .flat_map(|axis| &axis.values)
        {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        values
    };
    varied
        .iter()
        .map(|name| AxisForecast {
            field: (*name).to_owned(),
            values: of(name),
        })
        .collect()
}
