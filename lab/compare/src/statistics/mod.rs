// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The statistics of a comparison: pure functions without I/O.
//!
//! The unit is the round: in each, every engine ran once, so what a round's machine did to one engine it did to the other,
//! and the logarithm of their ratio is one observation. Intervals within a round are not independent of each other; they
//! serve only for what one round's percentile is worth ([`bootstrap`]).

mod bootstrap;
mod discovery;
mod limit;
mod paired;
mod series;
mod trend;

pub use bootstrap::{quantile_interval, ratio_interval, Blocks, Histogram};
pub use discovery::discoveries;
pub use limit::{binomial_p, error_share_interval, holm, mean_log, LimitTest};
pub use paired::{PairedDifference, PairedRatio, ROUNDS_MIN};
pub use series::{effective_size, within_one_run};
pub use trend::{Trend, POINTS_MIN};
