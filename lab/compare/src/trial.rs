// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a scenario has found.

use lab_load::search::Found;
use serde::Serialize;

use crate::figure::Figure;
use crate::streams::Replacement;
use crate::warmup::Warmup;

/// The results of a scenario for one engine in one round.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Trial {
    /// Its numbers.
    pub figures: Vec<Figure>,
    /// How the servers became warm.
    pub warmups: Vec<Warmup>,
    /// Searches for a level of service.
    pub searches: Vec<Searched>,
    /// Replacements of nodes, one by one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replacements: Vec<Replacement>,
}

/// A search and what it was for.
#[derive(Clone, Debug, Serialize)]
pub struct Searched {
    /// Its phase.
    pub name: String,
    /// `P99 <= 2 ms`.
    pub level: String,
    /// The result.
    pub found: Found,
}
