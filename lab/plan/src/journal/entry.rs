// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a journal records.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::figures::phase::{Course, PhaseFigures};
use crate::figures::soak::{SoakFigures, Window};
use crate::file::PlanFile;
use crate::journal::identity::Identity;
use crate::trials::observed::Observed;
use crate::trials::trial::{Purpose, Trial};

/// One record.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub enum Entry {
    /// The first line.
    Begun {
        /// [`FORMAT`](super::FORMAT).
        format: String,
        /// [`VERSION`](super::VERSION).
        version: u32,
        /// What must be the same when the plan goes on.
        identity: Box<Identity>,
        /// The plan file, with paths made absolute.
        plan: Box<PlanFile>,
    },
    /// About to be made; `clean` takes it away.
    Making {
        /// What.
        thing: Thing,
    },
    /// It is gone again.
    Gone {
        /// What.
        thing: Thing,
    },
    /// A trial begins.
    TrialBegun {
        /// Its number.
        trial: usize,
        /// The cell's key.
        cell: String,
        /// Why.
        purpose: Purpose,
    },
    /// What one of its loads saw.
    Observed {
        /// Its number.
        trial: usize,
        /// `launch x 2`, `capacity`, `8 in flight`, `read back`.
        load: String,
        /// Raw.
        observed: Box<Observed>,
    },
    /// A phase begins.
    PhaseBegun {
        /// Its place in the plan file.
        phase: usize,
        /// The cell's key.
        cell: String,
    },
    /// What its load saw.
    PhaseSeen {
        /// Its place in the plan file.
        phase: usize,
        /// The cell's key.
        cell: String,
        /// Second by second.
        course: Box<Course>,
    },
    /// A phase ended; only such phases count.
    PhaseEnded {
        /// All of it.
        figures: Box<PhaseFigures>,
    },
    /// A soak begins.
    SoakBegun {
        /// The cell's key.
        cell: String,
    },
    /// A window of it ended.
    SoakWindow {
        /// Raw.
        window: Box<Window>,
    },
    /// It ended; only such soaks count.
    SoakEnded {
        /// All of it.
        figures: Box<SoakFigures>,
    },
    /// A trial ended; what was observed before it counts from here on.
    TrialEnded {
        /// All of it.
        trial: Box<Trial>,
    },
}

/// Something outside of this process that must not be left behind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Thing {
    /// A cluster in that folder.
    Cluster(PathBuf),
    /// A node of that cluster is down or hangs; with the move that mends it.
    Hurt(String),
    /// File systems below that folder.
    Volumes(PathBuf),
    /// That keyspace in the cluster of the plan's target.
    Keyspace(String),
}
