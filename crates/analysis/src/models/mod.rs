//! What the cells of a sweep or survey have in common: few numbers that represent many.
//!
//! One model a file, each with its source: `affine` (time over size), `ceiling` (the two limits of a whole sweep), `kneedle`
//! and `usl` (where a curve over depths bends). Each refuses, with the reason, where points are too few or do not follow
//! it: a model that does not fit has no result. `series` puts them together. Deliberately absent: any reading of what
//! the device is, which is `findings`'s.

mod affine;
mod kneedle;
mod roof;
mod series;
mod squares;
mod usl;

pub use affine::{AffineFit, affine};
pub use kneedle::kneedle;
pub use roof::RoofFit;
use roof::roof;
pub use series::{KneeModels, Modelled, Point, SeriesModels, knees, models};
pub use usl::{UslFit, usl};

/// Why a model has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There are too few points, or none of the kind that it needs.
    TooFew(String),
    /// The points do not follow it.
    NoFit(String),
}

impl Refused {
    /// The sentence.
    pub fn why(&self) -> &str {
        match self {
            Refused::TooFew(why) | Refused::NoFit(why) => why,
        }
    }
}
