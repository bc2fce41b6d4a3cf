// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The one error type of the crate.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

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

/// A failure of the engine: its [`Kind`], and a message that tells what to do.
#[derive(Clone, Debug)]
pub struct EngineError {
    pub(crate) kind: Kind,
    pub(crate) message: String,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// The result of everything in this crate.
pub type Result<T> = std::result::Result<T, EngineError>;

impl EngineError {
    /// An error of a kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        EngineError { kind, message: message.into(), source: None }
    }

    /// See [`Kind::Closed`].
    pub fn closed(message: impl Into<String>) -> Self {
        Self::new(Kind::Closed, message)
    }

    /// See [`Kind::Invalid`].
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    /// See [`Kind::Io`].
    pub fn io(message: impl Into<String>) -> Self {
        Self::new(Kind::Io, message)
    }

    /// See [`Kind::NoSpace`].
    pub fn no_space(message: impl Into<String>) -> Self {
        Self::new(Kind::NoSpace, message)
    }

    /// See [`Kind::Corruption`].
    pub fn corruption(message: impl Into<String>) -> Self {
        Self::new(Kind::Corruption, message)
    }

    /// See [`Kind::Busy`].
    pub fn busy(message: impl Into<String>) -> Self {
        Self::new(Kind::Busy, message)
    }

    /// See [`Kind::Internal`].
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Kind::Internal, message)
    }

    /// The same with what has led to it, which its message tells, too.
    #[must_use]
    pub fn caused_by(self, source: impl Error + Send + Sync + 'static) -> Self {
        EngineError { source: Some(Arc::new(source)), ..self }
    }

    /// The kind of this error.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The message, without the kind.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The same kind and cause with what was being done put in front of the message.
    #[must_use]
    pub fn context(self, doing: impl fmt::Display) -> Self {
        EngineError { message: format!("{doing}: {}", self.message), ..self }
    }

    pub(crate) fn has_closed() -> Self {
        Self::closed("the store or table has been closed")
    }

    pub(crate) fn poisoned() -> Self {
        Self::internal("a thread panicked while it held a lock; restart the node")
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.kind.name(), self.message)
    }
}

// By hand: of an `Arc` thiserror gives the `Arc` itself as the source, which no caller can downcast.
impl Error for EngineError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// What led to errors is not compared.
impl PartialEq for EngineError {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, &self.message) == (other.kind, &other.message)
    }
}

impl Eq for EngineError {}

impl From<std::io::Error> for EngineError {
    fn from(error: std::io::Error) -> Self {
        let kind = match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Kind::NoSpace,
            _ => Kind::Io,
        };
        Self::new(kind, error.to_string()).caused_by(error)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn a_cause_is_kept_and_does_not_change_the_words() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let words = full.to_string();
        let error = EngineError::from(full).context("writing");
        assert_eq!((error.kind(), error.message()), (Kind::NoSpace, &*format!("writing: {words}")));
        assert_eq!(error.to_string(), format!("NO_SPACE: writing: {words}"));
        let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>()).unwrap();
        assert_eq!(cause.kind(), io::ErrorKind::StorageFull);
        assert!(EngineError::busy("later").source().is_none());
    }
}
