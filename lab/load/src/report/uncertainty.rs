// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The standard error of the mean row rate, as cassandra-stress computes it
//! (`org.apache.cassandra.stress.util.Uncertainty`).

/// Row rates seen so far.
///
/// It takes intervals as independent and alike, which they are not; a small number is no proof of a settled server.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uncertainty {
    measurements: u32,
    mean: f64,
    squares: f64,
}

impl Uncertainty {
    /// Adds the row rate of one interval.
    pub fn add(&mut self, rate_per_s: f64) {
        self.measurements += 1;
        let off = rate_per_s - self.mean;
        self.mean += off / f64::from(self.measurements);
        self.squares += off * (rate_per_s - self.mean);
    }

    /// Standard error as a fraction of the mean; NaN before the first rate above zero.
    pub fn fraction(&self) -> f64 {
        let n = f64::from(self.measurements);
        (self.squares / n).sqrt() / n.sqrt() / self.mean
    }
}
