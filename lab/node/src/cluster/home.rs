// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The checkout with the jars, the configuration and the tools that nodes need.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure, Context, Result};

use super::Engine;

/// Environment variable that names the checkout.
const VARIABLE: &str = "CASSITERITE_HOME";
/// Environment variable that names another version of Cassandra than the pinned one.
const CASSANDRA_VERSION: &str = "CASSANDRA_VERSION";
const CONFIGURATION: &str = "config/cassandra";
const PLUGIN: &str = concat!("plugin/target/cassiterite-5.0-", env!("CARGO_PKG_VERSION"), ".jar");

/// The folder that holds `config/cassandra`, and which Cassandra of it nodes run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    folder: PathBuf,
    /// Another version than the pinned one.
    version: Option<String>,
}

impl Home {
    /// `CASSITERITE_HOME`, else the first checkout above this program, else the first above the current folder.
    pub fn find() -> Result<Self> {
        if let Some(named) = env::var_os(VARIABLE) {
            let named = PathBuf::from(named);
            return match above(&named) {
                Some(home) if home == named => Ok(Self::of_environment(home)),
                _ => bail!("{VARIABLE} is {}, where there is no {CONFIGURATION}", named.display()),
            };
        }
        let program = env::current_exe().ok();
        let folder = env::current_dir().context("the current folder is not there")?;
        match program.as_deref().and_then(above).or_else(|| above(&folder)) {
            Some(home) => Ok(Self::of_environment(home)),
            None => bail!(
                "no checkout of Cassiterite above {}: go there, or say where it is with {VARIABLE}",
                folder.display()
            ),
        }
    }

    fn of_environment(folder: PathBuf) -> Self {
        Self { folder, version: env::var(CASSANDRA_VERSION).ok().filter(|version| !version.is_empty()) }
    }

    /// The same checkout with the Cassandra that an engine needs.
    pub(super) fn of_engine(self, engine: Engine) -> Self {
        match engine.cassandra_version() {
            Some(version) => Self { version: Some(version.to_owned()), ..self },
            None => self,
        }
    }

    /// A script of the checkout, which is told the version of Cassandra.
    pub(super) fn script(&self, path: impl AsRef<Path>) -> Command {
        let mut command = Command::new(self.join(path));
        if let Some(version) = &self.version {
            command.env(CASSANDRA_VERSION, version);
        }
        command
    }

    /// A file of the checkout.
    pub fn join(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.join(path)
    }

    /// A file that all nodes share.
    pub(super) fn configuration(&self, file: &str) -> PathBuf {
        self.folder.join(CONFIGURATION).join(file)
    }

    /// The plug-in's jar as `make build` leaves it.
    pub fn plugin(&self) -> PathBuf {
        self.folder.join(PLUGIN)
    }

    /// A file of Cassandra as `scripts/cassandra-home.sh` leaves it: of the pinned version, of `CASSANDRA_VERSION`, or of the one
    /// that the engine needs.
    pub(super) fn cassandra(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.join(cassandra_folder(self.version.as_deref())).join(path)
    }

    /// Refuses a checkout without Cassandra.
    pub(super) fn ensure_cassandra(&self) -> Result<()> {
        let file = self.cassandra("version");
        let make = match &self.version {
            Some(version) => format!("{CASSANDRA_VERSION}={version} scripts/cassandra-home.sh"),
            None => "make build".to_owned(),
        };
        ensure!(file.is_file(), "{} is missing: run '{make}'", file.display());
        Ok(())
    }

    /// Where clusters are kept unless told otherwise: `build/clusters` of the checkout, where that can be written, else
    /// `cassiterite-cluster` in the current folder.
    pub fn clusters(&self) -> PathBuf {
        let build = self.folder.join("build");
        if nix::unistd::access(&build, nix::unistd::AccessFlags::W_OK).is_ok() {
            build.join("clusters")
        } else {
            PathBuf::from("cassiterite-cluster")
        }
    }
}

/// The folder of Cassandra below that of a checkout.
pub fn cassandra() -> PathBuf {
    cassandra_folder(env::var(CASSANDRA_VERSION).ok().as_deref())
}

fn cassandra_folder(version: Option<&str>) -> PathBuf {
    match version {
        Some(version) if !version.is_empty() => PathBuf::from(format!("build/cassandra-{version}")),
        _ => PathBuf::from("build/cassandra"),
    }
}

fn above(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|folder| folder.join(CONFIGURATION).is_dir()).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_checkout_above_counts() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
        let home = above(sources).map(Home::of_environment);
        assert!(home.is_some_and(|home| home.join("config/cassandra/cassandra.yaml").is_file()));
        assert_eq!(above(Path::new("/proc")), None);
    }

    #[test]
    fn each_version_of_cassandra_has_a_folder() {
        assert_eq!(cassandra_folder(None), Path::new("build/cassandra"));
        assert_eq!(cassandra_folder(Some("")), Path::new("build/cassandra"));
        assert_eq!(cassandra_folder(Some("5.0.4")), Path::new("build/cassandra-5.0.4"));
    }

    #[test]
    fn an_engine_of_another_version_has_its_cassandra() {
        let home = Home { folder: "/checkout".into(), version: None };
        assert_eq!(home.clone().of_engine(Engine::Stock), home);
        let other = home.of_engine(Engine::Stock6);
        assert_eq!(other.cassandra("lib"), Path::new("/checkout/build/cassandra-6.0-alpha2/lib"));
        let script = other.script("scripts/nodetool");
        assert_eq!(script.get_program(), "/checkout/scripts/nodetool");
        assert!(script
            .get_envs()
            .any(|variable| variable == ("CASSANDRA_VERSION".as_ref(), Some("6.0-alpha2".as_ref()))));
        let told = other.ensure_cassandra().map_err(|error| error.to_string());
        assert!(told.is_err_and(|told| told.contains("CASSANDRA_VERSION=6.0-alpha2 scripts/cassandra-home.sh")));
    }
}
