// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which partitions a run touches: `-pop` (`SettingsPopulation`, `SeedManager`).

use anyhow::{bail, ensure, Context, Result};

use super::distribution::{integer, Distribution};

/// The seeds of a run's partitions.
#[derive(Clone, Debug, PartialEq)]
pub enum Population {
    /// One after the other.
    Sequence {
        /// The first seed.
        first: u64,
        /// The last seed.
        last: u64,
        /// Whether the sequence starts again at its end; otherwise the run ends there.
        wraps: bool,
        /// Reads go this far back from the last partition up to which all are written, instead of taking part in the sequence.
        lookback: Option<Distribution>,
    },
    /// Drawn.
    Spread(Distribution),
}

impl Population {
    /// Seeds 1 to `last`, over and over.
    pub fn sequence(last: u64) -> Self {
        Self::Sequence { first: 1, last: last.max(1), wraps: true, lookback: None }
    }

    /// The default of cassandra-stress without `-pop`: the sequence 1..n for runs that only write, else gaussian(1..n);
    /// n is the number of operations, 1M if that is open.
    pub fn by_default(operations: Option<u64>, only_writes: bool) -> Result<Self> {
        let count = operations.filter(|count| *count > 0).unwrap_or(1_000_000);
        if only_writes {
            return Ok(Self::sequence(count));
        }
        Ok(Self::Spread(format!("gaussian(1..{count})").parse()?))
    }

    /// Reads the words after `-pop`: `seq=a..b`, `dist=DIST`, `read-lookback=DIST`, `no-wrap`.
    pub fn parse<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let (mut range, mut spread, mut lookback, mut wraps) = (None, None, None, true);
        for word in words {
            match word.split_once('=') {
                Some(("seq", text)) => range = Some(sequence(text)?),
                Some(("dist", text)) => spread = Some(text.parse::<Distribution>()?),
                Some(("read-lookback", text)) => lookback = Some(text.parse::<Distribution>()?),
                None if word == "no-wrap" => wraps = false,
                _ => bail!("-pop {word}: not taken; taken are seq=, dist=, read-lookback=, no-wrap"),
            }
        }
        match (range, spread) {
            (Some((first, last)), None) => {
                if let Some(lookback) = &lookback {
                    ensure!(lookback.min() >= 0, "-pop read-lookback={lookback}: can be negative");
                    let max = u64::try_from(lookback.max()).unwrap_or(0);
                    ensure!(
                        max <= last - first + 1,
                        "-pop read-lookback={lookback}: goes back further than the sequence"
                    );
                }
                Ok(Self::Sequence { first, last, wraps, lookback })
            }
            (None, Some(spread)) => {
                ensure!(spread.min() >= 0, "-pop dist={spread}: seeds can be negative");
                ensure!(lookback.is_none() && wraps, "-pop: read-lookback and no-wrap need seq=");
                Ok(Self::Spread(spread))
            }
            (Some(_), Some(_)) => bail!("-pop: either seq= or dist="),
            (None, None) => bail!("-pop: seq= or dist= is missing"),
        }
    }

    /// Whether a run ends with it.
    pub fn ends(&self) -> bool {
        matches!(self, Self::Sequence { wraps: false, .. })
    }

    /// The lowest and the highest seed.
    pub fn range(&self) -> (u64, u64) {
        match self {
            Self::Sequence { first, last, .. } => (*first, *last),
            Self::Spread(spread) => (spread.min() as u64, spread.max() as u64),
        }
    }

    /// How many seeds there are.
    pub fn partitions(&self) -> u64 {
        let (first, last) = self.range();
        last - first + 1
    }

    /// The seed of the n-th partition that a run touches; `None` beyond the end.
    pub fn seed(&self, n: u64, salt: u64) -> Option<u64> {
        match self {
            Self::Sequence { first, last, wraps, .. } => {
                let count = last - first + 1;
                (*wraps || n < count).then(|| first + n % count)
            }
            Self::Spread(spread) => Some(spread.at(n, salt) as u64),
        }
    }
}

fn sequence(text: &str) -> Result<(u64, u64)> {
    let (first, last) = text.split_once("..").with_context(|| format!("-pop seq={text}: is not a range a..b"))?;
    let bound = |text| -> Result<u64> {
        u64::try_from(integer(text)?).with_context(|| format!("-pop seq={text}: is negative"))
    };
    let (first, last) = (bound(first)?, bound(last.trim_start_matches('.'))?);
    ensure!(first <= last, "-pop seq={text}: ends before it starts");
    Ok((first, last))
}
