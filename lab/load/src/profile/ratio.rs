// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Shares (`OptionRatioDistribution`): a distribution over a divisor. As in cassandra-stress, a share's dividend is a real number:
//! a uniform one lies between its smallest integer and the one after its largest, and counts as the largest beyond that.

use std::fmt;
use std::str::FromStr;

use anyhow::{ensure, Context, Result};

use super::distribution::{integer, Distribution};

/// `uniform(1..10)/10`: a share, drawn each time.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    dividend: Distribution,
    divisor: i64,
}

impl Ratio {
    /// Always everything.
    pub fn whole() -> Self {
        Self { dividend: Distribution::fixed(1), divisor: 1 }
    }

    /// The share for a seed, at most 1.
    pub fn at(&self, seed: u64, salt: u64) -> f64 {
        self.share(self.dividend.real_at(seed, salt))
    }

    /// The largest share.
    pub fn max(&self) -> f64 {
        self.share(self.dividend.max() as f64)
    }

    /// The mean share, over 1,000 quantiles.
    pub fn mean(&self) -> f64 {
        let share = |i: u32| self.share(self.dividend.real_quantile((f64::from(i) + 0.5) / 1000.0));
        (0..1000).map(share).sum::<f64>() / 1000.0
    }

    fn share(&self, dividend: f64) -> f64 {
        (dividend / self.divisor as f64).clamp(0.0, 1.0)
    }

    /// Whether it is always 1.
    pub fn is_whole(&self) -> bool {
        self.dividend.min() >= self.divisor
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.dividend, self.divisor)
    }
}

impl FromStr for Ratio {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (dividend, divisor) =
            text.trim().rsplit_once('/').with_context(|| format!("ratio {text:?} is not of the form dist(...)/n"))?;
        let dividend: Distribution = dividend.parse()?;
        let divisor = integer(divisor).with_context(|| format!("ratio {text:?}"))?;
        ensure!(divisor > 0, "ratio {text:?} divides by {divisor}");
        ensure!(dividend.min() >= 0, "ratio {text:?} can be negative");
        Ok(Self { dividend, divisor })
    }
}
