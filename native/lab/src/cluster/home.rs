// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The checkout with the scripts, the jars and the configuration that nodes are started from.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};

/// Environment variable that names the checkout.
const VARIABLE: &str = "CASSITERITE_HOME";
const NODE: &str = "scripts/node";

/// The folder that holds `scripts/node`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home(PathBuf);

impl Home {
    /// `CASSITERITE_HOME`, else the first checkout above this program, else the first above the current folder.
    pub fn find() -> Result<Self> {
        if let Some(named) = env::var_os(VARIABLE) {
            let named = PathBuf::from(named);
            return match above(&named) {
                Some(home) if home == named => Ok(Self(home)),
                _ => bail!("{VARIABLE} is {}, where there is no {NODE}", named.display()),
            };
        }
        let program = env::current_exe().ok();
        let folder = env::current_dir().context("the current folder is not there")?;
        match program.as_deref().and_then(above).or_else(|| above(&folder)) {
            Some(home) => Ok(Self(home)),
            None => bail!(
                "no checkout of Cassiterite above {}: go there, or say where it is with {VARIABLE}",
                folder.display()
            ),
        }
    }

    /// A file of the checkout.
    pub fn join(&self, path: impl AsRef<Path>) -> PathBuf {
        self.0.join(path)
    }

    /// Where clusters are kept unless told otherwise: `build/clusters` of the checkout, where that can be written, else
    /// `cassiterite-cluster` in the current folder.
    pub fn clusters(&self) -> PathBuf {
        let build = self.0.join("build");
        if nix::unistd::access(&build, nix::unistd::AccessFlags::W_OK).is_ok() {
            build.join("clusters")
        } else {
            PathBuf::from("cassiterite-cluster")
        }
    }
}

fn above(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|folder| folder.join(NODE).is_file()).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_checkout_above_counts() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
        let home = above(sources).map(Home);
        assert!(home.is_some_and(|home| home.join("config/cassandra/cassandra.yaml").is_file()));
        assert_eq!(above(Path::new("/proc")), None);
    }
}
