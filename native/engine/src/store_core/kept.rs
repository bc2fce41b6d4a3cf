// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Options that column families keep over restarts, in a file of the store's (docs/internals/formats.md). Opened with
//! other ones they would begin to compact before anybody could stop them, or would each have to be changed at once.

use crate::bytes::{put_counted, Bytes};
use crate::catalog::{sealed, unsealed};
use crate::error::{EngineError, Result};
use crate::links::sync_directory;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const NAME: &str = "families";
const NEW_NAME: &str = "families.new";
const VERSION: u8 = 1;
const UNCOMPACTED: u8 = 1;

/// What one column family is opened with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    /// RocksDB does not compact it by itself.
    pub uncompacted: bool,
    /// In how many seconds each file is compacted once; 0: as the settings say.
    pub period_s: i64,
}

/// By name, without those that are as the settings say. A name that is not used any more stays until the next start.
pub(crate) struct KeptOptions {
    directory: PathBuf,
    families: Mutex<BTreeMap<String, Kept>>,
}

impl KeptOptions {
    /// As the file has them; `None` where there is none. One that is damaged is an error.
    pub(crate) fn read(directory: &Path) -> Result<Option<KeptOptions>> {
        match std::fs::read(directory.join(NAME)) {
            Ok(bytes) => Ok(Some(KeptOptions::new(directory, decode(&bytes)?))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(EngineError::from(error).context("reading what column families are opened with")),
        }
    }

    /// Writes nothing before something changes.
    pub(crate) fn new(directory: &Path, families: BTreeMap<String, Kept>) -> KeptOptions {
        KeptOptions { directory: directory.to_owned(), families: Mutex::new(families) }
    }

    /// What a column family is opened with.
    pub(crate) fn of(&self, family: &str) -> Kept {
        self.families.lock().unwrap_or_else(PoisonError::into_inner).get(family).copied().unwrap_or_default()
    }

    /// Changes that, durably.
    pub(crate) fn change(&self, family: &str, change: impl FnOnce(&mut Kept)) -> Result<()> {
        let mut families = self.families.lock().unwrap_or_else(PoisonError::into_inner);
        let before = families.get(family).copied().unwrap_or_default();
        let mut after = before;
        change(&mut after);
        if after == before {
            return Ok(());
        }
        let mut changed = families.clone();
        match after == Kept::default() {
            true => changed.remove(family),
            false => changed.insert(family.to_owned(), after),
        };
        write(&self.directory, &changed)
            .map_err(|error| error.context("writing what column families are opened with"))?;
        *families = changed;
        Ok(())
    }

    /// Forgets those of other names.
    pub(crate) fn retain(&self, is_there: impl Fn(&str) -> bool) {
        self.families.lock().unwrap_or_else(PoisonError::into_inner).retain(|name, _| is_there(name));
    }
}

fn write(directory: &Path, families: &BTreeMap<String, Kept>) -> Result<()> {
    let (path, new_path) = (directory.join(NAME), directory.join(NEW_NAME));
    let mut file = File::create(&new_path)?;
    file.write_all(&encode(families)?)?;
    file.sync_all()?;
    std::fs::rename(&new_path, &path)?;
    sync_directory(directory)
}

fn encode(families: &BTreeMap<String, Kept>) -> Result<Vec<u8>> {
    let mut body = vec![VERSION];
    let count = u32::try_from(families.len()).map_err(|_| EngineError::internal("4 billion column families"))?;
    body.extend_from_slice(&count.to_le_bytes());
    for (name, kept) in families {
        put_counted(&mut body, name.as_bytes())?;
        body.push(if kept.uncompacted { UNCOMPACTED } else { 0 });
        body.extend_from_slice(&kept.period_s.to_le_bytes());
    }
    Ok(sealed(body, NAME.as_bytes()))
}

fn decode(bytes: &[u8]) -> Result<BTreeMap<String, Kept>> {
    let mut bytes = Bytes::new(unsealed(bytes, NAME.as_bytes(), "the file `families`")?, "the file `families`");
    bytes.one_of(&[VERSION])?;
    let mut families = BTreeMap::new();
    for _ in 0..bytes.u32()? {
        let name = bytes.text()?.to_owned();
        let flags = bytes.one_of(&[0, UNCOMPACTED])?;
        families.insert(name, Kept { uncompacted: flags & UNCOMPACTED != 0, period_s: bytes.i64()? });
    }
    bytes.end()?;
    Ok(families)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use cassiterite_testkit::spoilt::spoilt;
    use proptest::prelude::*;

    fn two() -> BTreeMap<String, Kept> {
        let one = Kept { uncompacted: true, period_s: 0 };
        let other = Kept { uncompacted: false, period_s: 86_400 };
        BTreeMap::from([("0a.1".to_owned(), one), ("0b.2+3".to_owned(), other)])
    }

    #[test]
    fn the_format_stays() {
        let golden = "01 02000000 04000000 30612e31 01 0000000000000000 06000000 30622e322b33 00 8051010000000000";
        let digits: Vec<char> = golden.chars().filter(|digit| *digit != ' ').collect();
        let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
        let body: Vec<u8> = digits.chunks(2).map(byte).collect();
        assert_eq!(decode(&sealed(body.clone(), b"families")).unwrap(), two());
        assert_eq!(encode(&two()).unwrap(), sealed(body, b"families"));
    }

    #[test]
    fn what_is_changed_is_there_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        assert!(KeptOptions::read(folder.path()).unwrap().is_none());
        let kept = KeptOptions::new(folder.path(), BTreeMap::new());
        kept.change("a", |_| ()).unwrap();
        assert!(KeptOptions::read(folder.path()).unwrap().is_none(), "nothing is to be kept");
        for (name, value) in two() {
            kept.change(&name, |kept| *kept = value).unwrap();
        }
        let again = KeptOptions::read(folder.path()).unwrap().unwrap();
        assert_eq!(*again.families.lock().unwrap(), two());
        again.change("0a.1", |kept| kept.uncompacted = false).unwrap();
        again.retain(|name| name == "0a.1");
        assert_eq!(again.of("0b.2+3"), Kept::default());
        let once_more = KeptOptions::read(folder.path()).unwrap().unwrap();
        assert_eq!([once_more.of("0a.1"), once_more.of("0b.2+3")], [Kept::default(), two()["0b.2+3"]]);
    }

    proptest! {
        #[test]
        fn damage_is_found(bytes in spoilt(vec![encode(&two()).unwrap()])) {
            prop_assert!(decode(&bytes).is_err() || decode(&bytes).unwrap() == two());
        }
    }
}
