// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What an export answers: a line per file of the shipment.

use crate::manifest::NAME;
use crate::raw::sys::TableFile;
use crate::raw::LiveFile;
use std::fmt::Write;

const HEAD: &str = "file_name\tkind\tbytes\tlevel\tkeys\tchecksum\treason\n";

/// A file of a shipment.
pub(super) struct Shipped {
    name: String,
    kind: &'static str,
    bytes: u64,
    level: i32,
    keys: u64,
    /// From when its bytes were written, where that is known.
    checksum: Option<u32>,
    /// Why its rows are not in whole files.
    reason: String,
}

impl Shipped {
    pub(super) fn whole(name: &str, file: &LiveFile) -> Shipped {
        Shipped {
            name: name.to_owned(),
            kind: "whole",
            bytes: file.file_bytes,
            level: file.level,
            keys: file.entries,
            checksum: file.checksum,
            reason: String::new(),
        }
    }

    pub(super) fn rows(file: &TableFile, keys: u64, reason: String) -> Shipped {
        Shipped { name: file.name.clone(), kind: "rows", bytes: file.bytes, level: 0, keys, checksum: None, reason }
    }

    pub(super) fn manifest(bytes: u64) -> Shipped {
        Shipped {
            name: NAME.to_owned(),
            kind: "manifest",
            bytes,
            level: 0,
            keys: 0,
            checksum: None,
            reason: String::new(),
        }
    }
}

/// Lines of tab-separated values, ended by newlines; the first one names the columns.
pub(super) fn lines(files: &[Shipped]) -> String {
    let mut text = HEAD.to_owned();
    for Shipped { name, kind, bytes, level, keys, checksum, reason } in files {
        let checksum = checksum.map(|checksum| format!("{checksum:08x}")).unwrap_or_default();
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name}\t{kind}\t{bytes}\t{level}\t{keys}\t{checksum}\t{reason}");
    }
    text
}
