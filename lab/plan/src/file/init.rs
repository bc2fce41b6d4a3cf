// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Plan files to begin with: the two articles that this command was made for.

use clap::ValueEnum;

/// An article as a plan file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// Features of users: which cluster, level and column size meet P95 <= 5 ms at 50,000/s with room for twice?
    Spotify,
    /// Copies of rows above, copies of volumes below, commit logs on a faster tier.
    Portworx,
}

impl Template {
    /// Its text, commented.
    pub fn text(self) -> &'static str {
        match self {
            Self::Spotify => include_str!("templates/spotify.yaml"),
            Self::Portworx => include_str!("templates/portworx.yaml"),
        }
    }
}
