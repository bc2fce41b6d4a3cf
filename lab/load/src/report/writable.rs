// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Finds out before a run whether its reports can be written.

use std::fs::OpenOptions;
use std::path::Path;

use anyhow::{Context, Result};

/// An error where a report cannot be written: found out now, not after hours. What is there stays as it is.
pub fn ensure_writable(file: &Path) -> Result<()> {
    let is_new = file.symlink_metadata().is_err();
    let opened = OpenOptions::new().append(true).create(true).open(file);
    let closed = opened.and_then(|_| if is_new { std::fs::remove_file(file) } else { Ok(()) });
    closed.with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_report_stays_and_a_folder_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("run.json");
        std::fs::write(&file, "earlier").unwrap();
        ensure_writable(&file).unwrap();
        ensure_writable(&directory.path().join("new.json")).unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "earlier");
        assert!(ensure_writable(directory.path()).is_err());
        assert!(ensure_writable(&directory.path().join("nowhere/run.json")).is_err());
    }
}
