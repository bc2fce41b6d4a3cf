// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which column families RocksDB did not compact by itself, of a store that was last open before the file `families`
//! told that: then RocksDB wrote its options to a file whenever one changed.

use crate::log::log;
use std::collections::HashSet;
use std::io::Result;
use std::path::{Path, PathBuf};

const FILE_PREFIX: &str = "OPTIONS-";
const SECTION_PREFIX: &str = "[CFOptions \"";
const SECTION_END: &str = "\"]";
const DISABLED: &str = "disable_auto_compactions=true";

/// Their names. Where the file cannot be read none is known.
pub(super) fn uncompacted(database: &Path) -> HashSet<String> {
    if !database.exists() {
        return HashSet::new();
    }
    latest(database).and_then(|file| file.map_or(Ok(String::new()), std::fs::read_to_string)).map_or_else(
        |error| {
            log(format_args!("the options of {} cannot be read: {error}", database.display()));
            HashSet::new()
        },
        |text| names(&text),
    )
}

fn latest(database: &Path) -> Result<Option<PathBuf>> {
    let mut latest = None;
    for entry in database.read_dir()? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(FILE_PREFIX)?.parse::<u64>().ok());
        latest = latest.max(number.map(|number| (number, database.join(name))));
    }
    Ok(latest.map(|(_, path)| path))
}

fn names(options: &str) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut family = None;
    for line in options.lines().map(str::trim) {
        if line.starts_with('[') {
            family = line.strip_prefix(SECTION_PREFIX).and_then(|rest| rest.strip_suffix(SECTION_END));
        } else if line == DISABLED {
            names.extend(family.map(str::to_owned));
        }
    }
    names
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const OPTIONS: &str = "[CFOptions \"default\"]\n  disable_auto_compactions=false\n\
                           [CFOptions \"a.1\"]\n  disable_auto_compactions=true\n\
                           [TableOptions/BlockBasedTable \"b.1\"]\n  disable_auto_compactions=true\n";

    #[test]
    fn the_latest_file_counts() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(uncompacted(folder.path()), HashSet::new());
        std::fs::write(folder.path().join("OPTIONS-000009"), OPTIONS.replace("a.1", "old.1")).unwrap();
        std::fs::write(folder.path().join("OPTIONS-000010"), OPTIONS).unwrap();
        std::fs::write(folder.path().join("OPTIONS-000011.dbtmp"), "").unwrap();
        assert_eq!(uncompacted(folder.path()), HashSet::from(["a.1".to_owned()]));
    }
}
