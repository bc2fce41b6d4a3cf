// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The schedule of a mix: the kind and the partitions of each operation, from a period that is drawn once and repeated.
//!
//! An operation is found by its number alone, in the proportions of the mix exactly, and operations share out a sequence of
//! partitions without gaps although some take more of them than others.

use anyhow::{ensure, Result};

use super::distribution::Distribution;
use super::mix::Mix;
use super::seed::{below, Words};

/// Operations of a period, about.
const PERIOD: u64 = 4096;

/// One operation of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its place in the mix.
    pub kind: usize,
    /// How many partitions the operations before it take.
    pub first: u64,
    /// How many it takes.
    pub partitions: u64,
}

/// The order of a run's operations.
#[derive(Clone, Debug)]
pub struct Schedule {
    slots: Vec<Slot>,
    partitions: u64,
}

impl Schedule {
    /// Operations in the mix's proportions; one of kind k takes `partitions(k)` partitions from the common sequence.
    pub fn new(mix: &Mix, seed: u64, partitions: impl Fn(usize) -> Distribution) -> Result<Self> {
        let mut kinds = proportions(mix)?;
        let mut words = Words::new(seed);
        for i in (1..kinds.len()).rev() {
            kinds.swap(i, below(words.word(), i as u64 + 1) as usize);
        }
        let taken: Vec<Distribution> = (0..mix.weights().len()).map(partitions).collect();
        let mut first = 0;
        let slot = |kind: usize| {
            let slot = Slot { kind, first, partitions: taken[kind].sample(words.word()) as u64 };
            first += slot.partitions;
            slot
        };
        let slots = kinds.into_iter().map(slot).collect();
        Ok(Self { slots, partitions: first })
    }

    /// Operation number `index`.
    pub fn slot(&self, index: u64) -> Slot {
        let length = self.slots.len() as u64;
        let slot = self.slots[(index % length) as usize];
        Slot { first: slot.first + (index / length) * self.partitions, ..slot }
    }
}

/// About 4096 kinds, in the mix's proportions: exact for weights that are small whole numbers.
fn proportions(mix: &Mix) -> Result<Vec<usize>> {
    let weights: Vec<f64> = mix.weights().iter().map(|(_, weight)| *weight).collect();
    let total: f64 = weights.iter().sum();
    let whole = weights.iter().all(|weight| weight.fract() == 0.0) && total <= PERIOD as f64;
    let length = if whole { PERIOD.div_ceil(total as u64) as f64 * total } else { PERIOD as f64 };
    let mut kinds = Vec::with_capacity(length as usize);
    let mut weight_so_far = 0.0;
    for (kind, weight) in weights.iter().enumerate() {
        weight_so_far += weight;
        let end = (length * weight_so_far / total).round() as usize;
        ensure!(
            end > kinds.len(),
            "{} is one operation in {:.0}; one in {PERIOD} is the rarest that a mix can have: give it more weight",
            mix.weights()[kind].0,
            total / weight
        );
        kinds.resize(end, kind);
    }
    Ok(kinds)
}
