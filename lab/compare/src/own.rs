// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A workload of the user's: `compare --profile FILE --ops ...`.

use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use serde::Serialize;

use lab_load::profile::{Mix, Profile};
use lab_load::report::Sla;

/// A profile and its operations.
#[derive(Clone, Debug, Serialize)]
pub struct OwnWorkload {
    /// The profile's file.
    pub file: PathBuf,
    /// `insert=24,get=1`.
    pub ops: String,
    /// Conditions for which the highest rate is searched.
    pub sla: Vec<String>,
    /// The profile.
    #[serde(skip)]
    pub text: String,
}

impl OwnWorkload {
    /// Reads the profile; operations that it does not have, and conditions that are none, are refused by name.
    pub fn read(file: &Path, ops: &str, sla: &[String]) -> Result<Self> {
        let text = std::fs::read_to_string(file).with_context(|| format!("--profile {}", file.display()))?;
        let profile = Profile::parse(&text).with_context(|| format!("--profile {}", file.display()))?;
        ensure!(
            profile.keyspace_definition.is_some() && profile.table_definition.is_some(),
            "--profile {}: each engine gets a fresh cluster: keyspace_definition and table_definition are needed",
            file.display()
        );
        let mix = ops.parse::<Mix>().context("--ops")?;
        let (names, known) = (mix.names(), profile.operation_names());
        for name in &names {
            ensure!(known.contains(name), "--ops: the profile has no '{name}', only {}", known.join(", "));
        }
        for sla in sla {
            sla.parse::<Sla>().context("--sla")?.ensure_kind_of("--sla", &names)?;
        }
        Ok(Self { file: file.to_owned(), ops: ops.to_owned(), sla: sla.to_vec(), text })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_does_not_fit_the_profile_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.yaml");
        let profile = "keyspace: s\nkeyspace_definition: \"CREATE KEYSPACE s WITH replication = {'class': 'SimpleStrategy', \
                       'replication_factor': 1}\"\ntable: t\ntable_definition: CREATE TABLE t (k bigint PRIMARY KEY, v text)\n";
        std::fs::write(&file, profile).unwrap();
        OwnWorkload::read(&file, "insert=1", &["p95<=5ms".to_owned()]).unwrap();
        let refusal =
            |ops: &str, sla: &str| format!("{:#}", OwnWorkload::read(&file, ops, &[sla.to_owned()]).unwrap_err());
        assert!(refusal("get=1", "p95<=5ms").contains("no 'get', only insert"));
        assert!(refusal("insert=1", "p95").contains("--sla"));
        assert_eq!(refusal("insert=1", "get:p95<=5ms"), "--sla get:p95<=5ms: there is no 'get', only insert");
        OwnWorkload::read(&file, "INSERT=1", &["Insert:p95<=5ms".to_owned()]).unwrap();
        std::fs::write(&file, "keyspace: s\ntable: t\n").unwrap();
        assert!(refusal("insert=1", "p95<=5ms").contains("table_definition"));
    }
}
