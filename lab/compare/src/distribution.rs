// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The spread of single node replacements over all rounds.

use crate::figure::number;
use crate::rounds::Comparison;
use crate::streams::Replacement;

/// The samples of one engine, in order of size.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The figure, with its unit.
    pub name: &'static str,
    /// The engine.
    pub engine: String,
    /// All that were measured, ascending.
    pub samples: Vec<f64>,
}

type Measure = (&'static str, fn(&Replacement) -> Option<f64>);

const MEASURES: [Measure; 5] = [
    ("streaming time, s", |replacement| Some(replacement.streaming_s)),
    ("streamed whole, %", |replacement| replacement.shares.whole_percent()),
    ("streaming throughput, MiB/s", |replacement| Some(replacement.mebibytes_per_s())),
    ("throughput of the plain copy's, %", |replacement| Some(replacement.of_copy_percent())),
    ("both ends: CPU, s/GiB", |replacement| replacement.per_gib(replacement.cpu_s())),
];

/// Each measure by engine; empty when the scenario replaces no nodes.
pub fn distributions(comparison: &Comparison) -> Vec<Distribution> {
    let of = |(name, value): Measure, engine: &String| {
        let runs = comparison.runs.iter().filter(|run| run.engine == *engine);
        let mut samples: Vec<f64> = runs.flat_map(|run| &run.trial.replacements).filter_map(value).collect();
        samples.sort_by(f64::total_cmp);
        Distribution { name, engine: engine.clone(), samples }
    };
    let all = MEASURES.into_iter().flat_map(|measure| comparison.engines.iter().map(move |engine| of(measure, engine)));
    all.filter(|distribution| !distribution.samples.is_empty()).collect()
}

/// Heads of [`Distribution::cells`].
pub const HEADS: [&str; 8] =
    ["replacements", "engine", "samples", "least", "lower quarter", "median", "upper quarter", "most"];

impl Distribution {
    /// The cells of its table row, in the order of [`HEADS`].
    pub fn cells(&self) -> [String; 8] {
        let at = |share: f64| number(self.quantile(share));
        let samples = self.samples.len().to_string();
        [self.name.to_owned(), self.engine.clone(), samples, at(0.0), at(0.25), at(0.5), at(0.75), at(1.0)]
    }

    /// Between the neighbouring samples where the share falls between them.
    fn quantile(&self, share: f64) -> f64 {
        let place = share * (self.samples.len().saturating_sub(1)) as f64;
        let sample = |place: f64| self.samples.get(place as usize).copied().unwrap_or(f64::NAN);
        let (lower, upper) = (sample(place.floor()), sample(place.ceil()));
        lower + (upper - lower) * place.fract()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_lie_between_samples() {
        let samples = vec![1.0, 2.0, 3.0, 4.0, 10.0, 20.0];
        let cells = Distribution { name: "x", engine: "stock".to_owned(), samples }.cells();
        assert_eq!(cells, ["x", "stock", "6", "1.00", "2.25", "3.50", "8.50", "20.0"]);
    }

    #[test]
    fn one_sample_is_all_of_them() {
        let cells = Distribution { name: "x", engine: "stock".to_owned(), samples: vec![5.0] }.cells();
        assert_eq!(cells[3..], ["5.00"; 5]);
    }
}
