//! Whether the numbers of a profile fit together.
//!
//! Omitted: whether they fit the target, which is known only when it is opened.

use super::{
    ArrivalRule, CLASS_ZONES, FlushPer, FlushRule, HOT_ZONES, LearnedWorkload, Places, Side,
};
use model::trace::TRACE_LENGTH_MAX;
use model::{Bytes, Nanos, Operation, invalid_value};

/// Offsets and sizes are multiples of this.
const SECTOR: Bytes = Bytes(512);
/// Shares sum up to 100 within this.
const SUM_SLACK: f64 = 0.5;
/// Steps of arrivals, sizes, runs, zones and classes of a profile.
const STEPS_MAX: usize = 86_400;
const ROWS_MAX: usize = 4096;
/// The longest step: times in 64 bits of nanoseconds are learned in 4096 steps.
const STEP_MAX: Nanos = Nanos::seconds(1 << 23);
/// Most I/Os that a profile may issue.
const IOS_MAX: u64 = 1 << 40;
/// The law of Zipf is drawn with exponents up to this.
const THETA_MAX: f64 = 10.0;
const RUN_MAX: u64 = 1 << 32;
/// Share of the flushes that follow another one directly: a stream of flushes alone would not end.
const FLUSH_AGAIN_MAX: f64 = 99.0;
const IN_FLIGHT_MAX: u32 = 65_536;

impl LearnedWorkload {
    /// Returns everything that is wrong.
    pub(super) fn problems(&self) -> Vec<String> {
        let mut found = Problems(Vec::new());
        let range = self.range;
        found.demand(
            range.0 >= SECTOR.0 && range.is_multiple_of(SECTOR) && range.0 < 1 << 60,
            &range,
            "workload.range",
            "must be a multiple of 512 bytes, below 1024P",
        );
        found.share(self.reads, "workload.reads");
        found.demand(
            (-1.0..=1.0).contains(&self.same_operation),
            &self.same_operation,
            "workload.same_operation",
            "must be from -1 to 1",
        );
        if let Some(most) = &self.in_flight {
            found.demand(
                (1..=IN_FLIGHT_MAX).contains(most),
                most,
                "workload.in_flight",
                "must be from 1 to 65536",
            );
        }
        if let Some(flush) = &self.flush {
            self.flush(flush, &mut found);
        }
        self.agreement(&mut found);
        for (name, side, operation) in [
            ("workload.read", &self.read, Operation::Read),
            ("workload.write", &self.write, Operation::Write),
        ] {
            let share = match operation {
                Operation::Read => self.reads,
                Operation::Write => 100.0 - self.reads,
            };
            match side {
                Some(side) => {
                    self.side(name, side, &mut found);
                    let batches = self.arrivals.has_batches(operation, share >= 100.0);
                    self.batch(&format!("{name}.batch"), side, batches, &mut found);
                }
                None if share > 0.0 => found.0.push(format!(
                    "[{name}] is missing: must be there, because reads = {}",
                    self.reads
                )),
                None => {}
            }
        }
        self.arrivals.check("workload.arrivals", &mut found);
        found.0
    }

    fn flush(&self, flush: &FlushRule, found: &mut Problems) {
        if flush.every.is_some() != flush.writes.is_empty() {
            found.0.push(
                "[workload.flush]: must have one of every and writes, and not both".to_owned(),
            );
        }
        let every = flush.every.unwrap_or(1.0);
        found.demand(
            (1.0..1e12).contains(&every),
            &every,
            "workload.flush.every",
            "must be at least 1",
        );
        found.demand(
            !flush.regular || flush.every.is_some(),
            &flush.regular,
            "workload.flush.regular",
            "must be false without every",
        );
        found.lengths(&flush.writes, 0, "workload.flush.writes");
        let per = self.arrivals.flushes_per(self.reads > 0.0);
        found.demand(
            flush.per == FlushPer::Write || per >= flush.per && !flush.regular,
            &format!("{:?}", flush.per).to_lowercase(),
            "workload.flush.per",
            "must be write, because the arrivals of writes have no such kind, or regular is true",
        );
        let none = flush.writes.iter().filter(|(_, to, _)| *to == 0);
        let none: f64 = none.map(|(_, _, share)| share).sum();
        found.demand(
            none <= FLUSH_AGAIN_MAX,
            &none,
            "workload.flush.writes",
            "must have at most 99 percent without a write",
        );
        found.share(flush.reads_wait, "workload.flush.reads_wait");
        found.share(flush.writes_wait, "workload.flush.writes_wait");
    }

    /// What another table has already, or has no use for.
    fn agreement(&self, found: &mut Problems) {
        if let ArrivalRule::Closed { .. } = &self.arrivals {
            found.demand(
                self.in_flight.is_none(),
                &self.in_flight.unwrap_or_default(),
                "workload.in_flight",
                "must be absent in a closed loop; hint: workload.arrivals.in_flight",
            );
            if self.flush.as_ref().is_some_and(FlushRule::has_waits) {
                found.0.push(
                    "[workload.flush]: must have no waits in a closed loop, which issues each flush with its write"
                        .to_owned(),
                );
            }
        }
        if let Some(reads) = self.arrivals.share_of_reads() {
            found.demand(
                (self.reads - reads).abs() <= SUM_SLACK,
                &self.reads,
                "workload.reads",
                &format!("must be {reads:.2}, the share of the arrivals of reads"),
            );
            found.demand(
                self.same_operation == 0.0,
                &self.same_operation,
                "workload.same_operation",
                "must be 0, because reads and writes have arrivals of their own",
            );
        }
    }

    /// Adds what is wrong with the I/Os of batches of a side.
    fn batch(&self, name: &str, side: &Side, has_arrivals: bool, found: &mut Problems) {
        let Some(batch) = &side.batch else {
            return;
        };
        self.side(name, batch, found);
        if !has_arrivals {
            found.0.push(format!(
                "[{name}]: must be absent, because no arrivals of that kind are by_batch"
            ));
        }
        self.batch(&format!("{name}.batch"), batch, false, found);
    }

    fn side(&self, name: &str, side: &Side, found: &mut Problems) {
        let align = side.align;
        found.demand(
            align.0.is_power_of_two() && align.0 >= SECTOR.0 && align.0 <= self.range.0,
            &align,
            &format!("{name}.align"),
            "must be a power of two from 512 bytes to the range",
        );
        let at = format!("{name}.sizes");
        if side.sizes.is_empty() {
            found.0.push(format!("{at} is empty: must have a size"));
        }
        for (at, sizes) in [
            (at, &side.sizes),
            (format!("{name}.run_sizes"), &side.run_sizes),
        ] {
            for (size, _) in sizes {
                let fits = size.0 > 0 && *size <= TRACE_LENGTH_MAX && *size <= self.range;
                found.demand(
                    fits && size.is_multiple_of(SECTOR),
                    size,
                    &at,
                    "must be a multiple of 512 bytes, at most 1G and the range",
                );
            }
            found.sum(sizes.iter().map(|(_, share)| *share), &at);
        }
        let at = format!("{name}.overlaps");
        for (size, share) in &side.overlaps {
            let fits = size.0 > 0 && *size <= TRACE_LENGTH_MAX && size.is_multiple_of(SECTOR);
            let accepted = "must be a multiple of 512 bytes, at most 1G";
            found.demand(fits, size, &at, accepted);
            found.share(*share, &at);
        }
        found.share(side.overlaps.iter().map(|(_, share)| share).sum(), &at);
        found.share(side.same_size, &format!("{name}.same_size"));
        found.share(side.same_run, &format!("{name}.same_run"));
        found.lengths(&side.runs, 1, &format!("{name}.runs"));
        found.demand(
            (1..=64).contains(&side.open_runs),
            &side.open_runs,
            &format!("{name}.open_runs"),
            "must be from 1 to 64",
        );
        places(&format!("{name}.places"), &side.places, found);
    }
}

impl ArrivalRule {
    /// Adds what is wrong; `name` is its table.
    fn check(&self, name: &str, found: &mut Problems) {
        let at = |key: &str| format!("{name}.{key}");
        match self {
            ArrivalRule::Open {
                every,
                ios,
                halvings,
                duration,
                batches,
                ..
            } => {
                found.lengths(batches, 1, &at("batches"));
                let ends = every.0.saturating_mul(ios.len() as u64);
                found.demand(
                    ends.saturating_sub(every.0) < duration.0 && duration.0 <= ends,
                    duration,
                    &at("duration"),
                    "must end in the last step",
                );
                let its = &at("every");
                let range = Nanos(1000)..=STEP_MAX;
                found.demand(
                    range.contains(every),
                    every,
                    its,
                    "must be from 1us to 97 days",
                );
                let its = &at("ios");
                let sum = ios.iter().fold(0u64, |sum, &one| sum.saturating_add(one));
                found.demand(
                    (1..=IOS_MAX).contains(&sum) && ios.len() <= STEPS_MAX,
                    &format!("{} steps", ios.len()),
                    its,
                    "must have an I/O, at most 86400 steps and 2^40 I/Os",
                );
                for one in halvings {
                    let its = &at("halvings");
                    let range = -1.0..=0.25;
                    found.demand(range.contains(one), one, its, "must be from -1 to 0.25");
                }
                found.demand(
                    halvings.len() <= 30,
                    &halvings.len(),
                    &at("halvings"),
                    "must be at most 30",
                );
            }
            ArrivalRule::ByOperation { read, write } => {
                read.check_side(&at("read"), found);
                write.check_side(&at("write"), found);
            }
            ArrivalRule::ByBatch { single, batch } => {
                single.check_part(&at("single"), false, found);
                batch.check_part(&at("batch"), true, found);
            }
            ArrivalRule::Closed {
                in_flight,
                duration,
                ..
            } => {
                found.demand(
                    (1..=IN_FLIGHT_MAX).contains(in_flight),
                    in_flight,
                    &at("in_flight"),
                    "must be from 1 to 65536",
                );
                let its = &at("duration");
                found.demand(duration.0 > 0, duration, its, "must be above 0");
            }
        }
    }
}

impl ArrivalRule {
    /// Adds what is wrong with the arrivals of reads, or of writes.
    fn check_side(&self, name: &str, found: &mut Problems) {
        match self {
            ArrivalRule::Open { .. } | ArrivalRule::ByBatch { .. } => self.check(name, found),
            _ => found
                .0
                .push(format!("{name}.kind: must be open or by_batch")),
        }
    }

    /// Adds what is wrong with I/Os that arrive alone, or with batches.
    fn check_part(&self, name: &str, is_batch: bool, found: &mut Problems) {
        let ArrivalRule::Open { batches, .. } = self else {
            found.0.push(format!("{name}.kind: must be open"));
            return;
        };
        self.check(name, found);
        let is_right = batches.iter().all(|(from, _, _)| is_batch && *from > 1);
        if !is_right || batches.is_empty() == is_batch {
            found.0.push(format!(
                "{name}.batches: must be absent for single I/Os, and of two I/Os or more for batches"
            ));
        }
    }
}

fn places(at: &str, places: &Places, found: &mut Problems) {
    match places {
        Places::Uniform => {}
        Places::Zipf { theta, blocks, hot } => {
            for zone in hot {
                found.demand(
                    *zone < HOT_ZONES,
                    zone,
                    &format!("{at}.hot"),
                    "must be below 1024",
                );
            }
            found.demand(
                hot.len() <= ROWS_MAX,
                &hot.len(),
                at,
                "must have at most 4096 hot places",
            );
            found.demand(
                *theta > 0.0 && *theta <= THETA_MAX,
                theta,
                &format!("{at}.theta"),
                "must be above 0, at most 10",
            );
            found.demand(
                *blocks > 0,
                blocks,
                &format!("{at}.blocks"),
                "must be above 0",
            );
        }
        Places::Zones { zones } => {
            let at = format!("{at}.zones");
            found.rows(zones.len(), &at);
            found.sum(zones.iter().map(|(size, _)| *size), &at);
            found.sum(zones.iter().map(|(_, ios)| *ios), &at);
        }
        Places::Table { classes } => {
            let at = format!("{at}.classes");
            found.rows(classes.len(), &at);
            found.sum(classes.iter().map(|class| class.share), &at);
            for class in classes {
                found.demand(class.blocks > 0, &class.blocks, &at, "must be above 0");
                for (zone, _) in &class.zones {
                    found.demand(*zone < CLASS_ZONES, zone, &at, "must be below 256");
                }
                found.sum(class.zones.iter().map(|(_, share)| *share), &at);
            }
        }
    }
}

/// What was found so far.
struct Problems(Vec<String>);

impl Problems {
    /// `read` is what was read, `at` is where.
    fn demand(&mut self, holds: bool, read: &dyn ToString, at: &str, accepted: &str) {
        if !holds {
            self.0.push(invalid_value(&read.to_string(), at, accepted));
        }
    }

    fn lengths(&mut self, lengths: &[(u64, u64, f64)], least: u64, at: &str) {
        for &(from, to, _) in lengths {
            self.demand(
                least <= from && from <= to && to <= RUN_MAX,
                &format!("{from}, {to}"),
                at,
                &format!("must be from at least {least} to at most 4294967296"),
            );
        }
        self.sum(lengths.iter().map(|(_, _, share)| *share), at);
    }

    fn share(&mut self, share: f64, at: &str) {
        let holds = (0.0..=100.0).contains(&share);
        self.demand(holds, &share, at, "must be from 0 to 100 percent");
    }

    fn rows(&mut self, rows: usize, at: &str) {
        let holds = (1..=ROWS_MAX).contains(&rows);
        self.demand(holds, &rows, at, "must have 1 to 4096 rows");
    }

    /// Shares that are all there are; an empty list is no problem of this kind.
    fn sum(&mut self, each: impl Iterator<Item = f64>, at: &str) {
        let shares: Vec<f64> = each.collect();
        for share in &shares {
            self.share(*share, at);
        }
        let sum: f64 = shares.iter().sum();
        let holds = (sum - 100.0).abs() <= SUM_SLACK || shares.is_empty();
        self.demand(holds, &sum, at, "must sum up to 100 percent");
    }
}
