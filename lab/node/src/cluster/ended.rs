// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A node whose process has ended by itself.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use super::handle::Cluster;
use super::log::LogSince;
use super::member::Member;
use super::spec::ClusterSpec;

/// Which, and what it said last.
#[derive(Debug)]
pub struct NodeEnded {
    what: String,
    says: LastWords,
}

impl NodeEnded {
    /// `how` may be its exit status.
    pub fn new(node: &str, how: &str, says: LastWords) -> Self {
        Self { what: format!("{node} has ended{how}"), says }
    }

    /// One that was started before.
    pub(super) fn of(member: &Member, spec: &ClusterSpec) -> Self {
        Self::new(&member.name(), "", LastWords::of(&LogSince::all(member.system_log(spec)), member, spec))
    }

    /// In one line, without its log, which may be gone with the node.
    pub fn summary(&self) -> String {
        let lines: Vec<&str> = self.says.lines.iter().map(|line| line.trim()).collect();
        format!("{}: {}", self.what, lines.join(" "))
    }
}

impl Display for NodeEnded {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.what, self.says)
    }
}

impl Error for NodeEnded {}

impl Cluster {
    /// Fails with the first node that has ended by itself.
    pub fn ensure_all_run(&self) -> Result<(), NodeEnded> {
        let spec = self.spec();
        let gone = self.state.members.iter().find(|member| member.pid.is_some() && member.live_pid(spec).is_none());
        gone.map_or(Ok(()), |member| Err(NodeEnded::of(member, spec)))
    }
}

/// A node's own words, and where there are more.
#[derive(Debug, Default)]
pub struct LastWords {
    /// Errors and what explains them.
    pub lines: Vec<String>,
    /// Cassandra's log.
    pub log: PathBuf,
}

impl LastWords {
    pub(super) fn of(log: &LogSince, member: &Member, spec: &ClusterSpec) -> Self {
        Self { lines: log.trouble(&member.console(spec)), log: member.system_log(spec) }
    }
}

impl Display for LastWords {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(". It says:")?;
        self.lines.iter().try_for_each(|line| write!(f, "\n    {line}"))?;
        write!(f, "\n  More in {}", self.log.display())
    }
}
