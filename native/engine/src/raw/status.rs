// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How RocksDB reports a failure: a code, a subcode, and a text for people.
//!
//! The shim hands over all three. Of the C API and of the crate `rocksdb` there is only the text of `Status::ToString`,
//! which begins with the names of code and subcode: these are read, and nothing behind them.

use crate::error::{EngineError, Result};
use rocksdb::ErrorKind;
use std::ffi::{c_char, CStr};
use std::ptr;

/// RocksDB's codes in their order, from 1 on, as `Status::ToString` names them.
const CODES: [(&str, ErrorKind); 15] = [
    ("NotFound", ErrorKind::NotFound),
    ("Corruption", ErrorKind::Corruption),
    ("Not implemented", ErrorKind::NotSupported),
    ("Invalid argument", ErrorKind::InvalidArgument),
    ("IO error", ErrorKind::IOError),
    ("Merge in progress", ErrorKind::MergeInProgress),
    ("Result incomplete", ErrorKind::Incomplete),
    ("Shutdown in progress", ErrorKind::ShutdownInProgress),
    ("Operation timed out", ErrorKind::TimedOut),
    ("Operation aborted", ErrorKind::Aborted),
    ("Resource busy", ErrorKind::Busy),
    ("Operation expired", ErrorKind::Expired),
    ("Operation failed. Try again.", ErrorKind::TryAgain),
    ("Compaction too large", ErrorKind::CompactionTooLarge),
    ("Column family dropped", ErrorKind::ColumnFamilyDropped),
];
/// The subcodes that the engine acts on, by number and name.
const SUBCODES: [(u8, &str, Subcode); 2] =
    [(4, "No space left on device", Subcode::NoSpace), (8, "Space limit reached", Subcode::SpaceLimit)];

/// What RocksDB adds to the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subcode {
    /// The device is full.
    NoSpace,
    /// RocksDB's own limit is reached.
    SpaceLimit,
    /// None, or one that changes nothing.
    Other,
}

/// A failure of RocksDB.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub(crate) struct Status {
    pub code: ErrorKind,
    pub subcode: Subcode,
    /// `Status::ToString`.
    pub text: String,
}

impl Status {
    /// From RocksDB's numbers.
    pub(super) fn new(code: u8, subcode: u8, text: String) -> Status {
        let code = usize::from(code).checked_sub(1).and_then(|at| CODES.get(at));
        let subcode = SUBCODES.iter().find(|(number, ..)| *number == subcode);
        Status {
            code: code.map_or(ErrorKind::Unknown, |(_, code)| code.clone()),
            subcode: subcode.map_or(Subcode::Other, |(.., subcode)| *subcode),
            text,
        }
    }

    /// From the text of the C API.
    pub(crate) fn of_text(text: String) -> Status {
        let name = text.split(": ").next().unwrap_or_default();
        let code = CODES.iter().find(|(known, _)| *known == name);
        let code = code.map_or(ErrorKind::Unknown, |(_, code)| code.clone());
        Status { code, subcode: subcode_in(&text), text }
    }
}

/// The subcode stands behind the code; a message does, where there is none.
fn subcode_in(text: &str) -> Subcode {
    let behind = text.split_once(": ").map_or("", |(_, behind)| behind);
    let found = SUBCODES.iter().find(|(_, name, _)| {
        behind.strip_prefix(name).is_some_and(|message| message.is_empty() || message.starts_with(": "))
    });
    found.map_or(Subcode::Other, |(.., subcode)| *subcode)
}

impl From<rocksdb::Error> for Status {
    fn from(error: rocksdb::Error) -> Self {
        Status { code: error.kind(), subcode: subcode_in(error.as_ref()), text: error.into_string() }
    }
}

impl From<Status> for EngineError {
    fn from(status: Status) -> Self {
        let Status { code, subcode, text } = &status;
        let message = format!("RocksDB: {text}");
        let error = match (subcode, code) {
            (Subcode::NoSpace | Subcode::SpaceLimit, _) => EngineError::no_space(message),
            (_, ErrorKind::Corruption) => EngineError::corruption(message),
            (_, ErrorKind::ShutdownInProgress) => EngineError::closed(format!("the store is closing ({text})")),
            (_, ErrorKind::ColumnFamilyDropped) => EngineError::closed(format!("the table has been dropped ({text})")),
            (_, ErrorKind::InvalidArgument) => EngineError::invalid(message),
            (_, ErrorKind::IOError) => EngineError::io(message),
            // Cut short, or in use.
            (_, ErrorKind::Busy | ErrorKind::TryAgain | ErrorKind::Aborted | ErrorKind::Incomplete) => {
                EngineError::busy(message)
            }
            _ => EngineError::internal(message),
        };
        error.caused_by(status)
    }
}

impl From<rocksdb::Error> for EngineError {
    fn from(error: rocksdb::Error) -> Self {
        Status::from(error).into()
    }
}

/// `Failure` of shim.h; its text is longer than declared.
#[repr(C)]
pub(super) struct Failure {
    code: u8,
    subcode: u8,
    text: [c_char; 1],
}

/// What came of a call of the shim, which hands over a failure, or null for success.
pub(super) fn outcome(failure: *mut Failure) -> Result<()> {
    match take(failure) {
        None => Ok(()),
        Some(status) => Err(status.into()),
    }
}

/// The failure that the shim hands over, if any.
pub(super) fn take(failure: *mut Failure) -> Option<Status> {
    if failure.is_null() {
        return None;
    }
    // SAFETY: the shim hands over a malloc'ed structure that ends in a NUL-terminated text; it is copied, then freed
    // once.
    unsafe {
        let text = CStr::from_ptr(ptr::addr_of!((*failure).text).cast()).to_string_lossy().into_owned();
        let status = Status::new((*failure).code, (*failure).subcode, text);
        librocksdb_sys::rocksdb_free(failure.cast());
        Some(status)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::Kind;

    extern "C" {
        fn cassiterite_status(code: u8, subcode: u8) -> *mut Failure;
    }

    /// The numbers that RocksDB has, one more than [`CODES`] and [`SUBCODES`] need.
    const CODES_END: u8 = 16;
    const SUBCODES_END: u8 = 20;

    fn status(code: u8, subcode: u8) -> Status {
        // SAFETY: both numbers are RocksDB's; what it hands over is taken once.
        take(unsafe { cassiterite_status(code, subcode) }).unwrap()
    }

    fn kind(code: u8, subcode: u8) -> Kind {
        EngineError::from(status(code, subcode)).kind()
    }

    #[test]
    fn a_text_is_read_as_the_numbers_are() {
        for code in 1..CODES_END {
            for subcode in 0..SUBCODES_END {
                let status = status(code, subcode);
                assert_ne!(status.code, ErrorKind::Unknown, "{code}");
                assert_eq!(Status::of_text(status.text.clone()), status);
            }
        }
    }

    #[test]
    fn each_class_has_its_kind() {
        let (corruption, invalid, io, shutdown, dropped) = (2, 4, 5, 8, 15);
        let (incomplete, aborted, busy, again) = (7, 10, 11, 13);
        let (none, no_space, space_limit, paused) = (0, 4, 8, 11);
        assert_eq!(kind(io, none), Kind::Io);
        assert_eq!(kind(io, no_space), Kind::NoSpace);
        assert_eq!(kind(io, space_limit), Kind::NoSpace);
        assert_eq!(kind(corruption, none), Kind::Corruption);
        assert_eq!(kind(invalid, none), Kind::Invalid);
        assert_eq!(kind(shutdown, none), Kind::Closed);
        assert_eq!(kind(dropped, none), Kind::Closed);
        for code in [incomplete, aborted, busy, again] {
            assert_eq!(kind(code, none), Kind::Busy);
        }
        assert_eq!(kind(incomplete, paused), Kind::Busy);
        assert_eq!(kind(3, none), Kind::Internal);
    }

    #[test]
    fn what_a_message_quotes_is_not_its_class() {
        for (text, kind) in [
            ("Corruption: block checksum mismatch in /no space/while lock file/db/000012.sst", Kind::Corruption),
            ("IO error: No such file or directory: No space left on device: /x", Kind::Io),
            ("IO error: No space left on device", Kind::NoSpace),
            ("Invalid argument: Corruption: IO error: ", Kind::Invalid),
            ("no text of RocksDB", Kind::Internal),
        ] {
            assert_eq!(EngineError::from(Status::of_text(text.to_owned())).kind(), kind, "{text}");
        }
    }
}
