// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The one error type of the crate.

use std::fmt;

/// What went wrong, for callers that act on it. The bridge maps each to a kind of `EngineException`.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The store, table or cursor has been closed.
    Closed,
    /// A bad request, option or file of the caller; nothing was changed.
    Invalid,
    /// The device or file system failed.
    Io,
    /// No space is left where the engine writes.
    NoSpace,
    /// Stored bytes are not what was written.
    Corruption,
    /// What is needed is in use; another try may succeed later.
    Busy,
    /// A broken invariant of the engine.
    Internal,
}

impl Kind {
    /// The name used in reports and by the bridge: `CLOSED`, `NO_SPACE` and so on.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Closed => "CLOSED",
            Kind::Invalid => "INVALID",
            Kind::Io => "IO",
            Kind::NoSpace => "NO_SPACE",
            Kind::Corruption => "CORRUPTION",
            Kind::Busy => "BUSY",
            Kind::Internal => "INTERNAL",
        }
    }
}

/// A failure of the engine: each variant is a [`Kind`] with a message that tells what to do.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// See [`Kind::Closed`].
    Closed(String),
    /// See [`Kind::Invalid`].
    Invalid(String),
    /// See [`Kind::Io`].
    Io(String),
    /// See [`Kind::NoSpace`].
    NoSpace(String),
    /// See [`Kind::Corruption`].
    Corruption(String),
    /// See [`Kind::Busy`].
    Busy(String),
    /// See [`Kind::Internal`].
    Internal(String),
}

/// The result of everything in this crate.
pub type Result<T> = std::result::Result<T, EngineError>;

impl EngineError {
    /// An error of a kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        let message = message.into();
        match kind {
            Kind::Closed => EngineError::Closed(message),
            Kind::Invalid => EngineError::Invalid(message),
            Kind::Io => EngineError::Io(message),
            Kind::NoSpace => EngineError::NoSpace(message),
            Kind::Corruption => EngineError::Corruption(message),
            Kind::Busy => EngineError::Busy(message),
            Kind::Internal => EngineError::Internal(message),
        }
    }

    /// The kind of this error.
    pub fn kind(&self) -> Kind {
        match self {
            EngineError::Closed(_) => Kind::Closed,
            EngineError::Invalid(_) => Kind::Invalid,
            EngineError::Io(_) => Kind::Io,
            EngineError::NoSpace(_) => Kind::NoSpace,
            EngineError::Corruption(_) => Kind::Corruption,
            EngineError::Busy(_) => Kind::Busy,
            EngineError::Internal(_) => Kind::Internal,
        }
    }

    /// The message, without the kind.
    pub fn message(&self) -> &str {
        match self {
            EngineError::Closed(message)
            | EngineError::Invalid(message)
            | EngineError::Io(message)
            | EngineError::NoSpace(message)
            | EngineError::Corruption(message)
            | EngineError::Busy(message)
            | EngineError::Internal(message) => message,
        }
    }

    /// The same kind with what was being done put in front of the message.
    #[must_use]
    pub fn context(self, doing: impl fmt::Display) -> Self {
        Self::new(self.kind(), format!("{doing}: {}", self.message()))
    }

    pub(crate) fn closed() -> Self {
        EngineError::Closed("the store or table has been closed".into())
    }

    pub(crate) fn poisoned() -> Self {
        EngineError::Internal("a thread panicked while it held a lock; restart the node".into())
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.kind().name(), self.message())
    }
}

impl std::error::Error for EngineError {}

impl From<std::io::Error> for EngineError {
    fn from(error: std::io::Error) -> Self {
        let kind = match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Kind::NoSpace,
            _ => Kind::Io,
        };
        Self::new(kind, error.to_string())
    }
}
