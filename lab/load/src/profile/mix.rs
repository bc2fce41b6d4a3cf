// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The mix of operations and their weights: `ops(insert=24,getallfeatures=1)`.

use std::str::FromStr;

use anyhow::{bail, ensure, Context, Result};

/// Operations by name, each with its weight above 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Mix(Vec<(String, f64)>);

impl Mix {
    /// These operations; names once each, weights above 0.
    pub fn new(weights: Vec<(String, f64)>) -> Result<Self> {
        ensure!(!weights.is_empty(), "no operations");
        for (i, (name, weight)) in weights.iter().enumerate() {
            ensure!(*weight > 0.0 && weight.is_finite(), "operation {name}: weight {weight} is not above 0");
            ensure!(weights[..i].iter().all(|(other, _)| other != name), "operation {name} is there twice");
        }
        Ok(Self(weights))
    }

    /// One operation.
    pub fn only(name: &str) -> Self {
        Self(vec![(name.to_owned(), 1.0)])
    }

    /// Names and weights, as they were given.
    pub fn weights(&self) -> &[(String, f64)] {
        &self.0
    }

    /// Names, in that order.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The share of an operation.
    pub fn share(&self, index: usize) -> f64 {
        let total: f64 = self.0.iter().map(|(_, weight)| weight).sum();
        self.0.get(index).map_or(0.0, |(_, weight)| weight / total)
    }
}

impl FromStr for Mix {
    type Err = anyhow::Error;

    /// Reads `ops(a=1,b=2)`, `ratio(a=1,b=2)` or `a=1,b=2`; names in lower case.
    fn from_str(text: &str) -> Result<Self> {
        let inner = text.trim().to_lowercase();
        let inner = match inner.split_once('(') {
            Some(("ops" | "ratio", rest)) => {
                rest.strip_suffix(')').with_context(|| format!("{text:?} is not closed"))?
            }
            Some((other, _)) => bail!("{other}(...) is neither ops(...) nor ratio(...)"),
            None => inner.as_str(),
        };
        let weight = |part: &str| -> Result<(String, f64)> {
            let (name, weight) =
                part.split_once('=').with_context(|| format!("{part:?} in {text:?} is not name=weight"))?;
            let weight = weight.trim().parse::<f64>().with_context(|| format!("weight {weight:?} in {text:?}"))?;
            Ok((name.trim().to_owned(), weight))
        };
        Self::new(inner.split(',').map(weight).collect::<Result<_>>()?)
    }
}
