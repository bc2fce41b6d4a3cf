// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The replacement of a node: how long it streamed, and what that cost both ends.

use serde::Serialize;

use super::shares::Shares;

const MEBIBYTE: f64 = (1_u64 << 20) as f64;
const GIBIBYTE: f64 = (1_u64 << 30) as f64;

/// One replacement.
#[derive(Clone, Debug, Serialize)]
pub struct Replacement {
    /// From the start of the streaming plan to its success, as the new node recorded it.
    pub streaming_s: f64,
    /// From the start of the new node's process until all nodes said UN.
    pub joining_s: Option<f64>,
    /// Bytes of the table, as they were sent.
    pub bytes: u64,
    /// The part of them that was sent as whole files.
    pub shares: Shares,
    /// The nodes that sent: CPU together, memory of the largest.
    pub senders: Used,
    /// The node that received.
    pub receiver: Used,
    /// CPU seconds of all nodes from the start of the streaming until they were quiet: with the compactions that it caused.
    pub cpu_until_quiet_s: Option<f64>,
    /// Bytes that all nodes wrote to disks from the start of the streaming until they were quiet: what was streamed, and
    /// what compactions wrote again.
    pub written_until_quiet_bytes: Option<u64>,
    /// From the end of the streaming until the nodes had been quiet for 3 s, and said UN before.
    pub quiet_after_s: Option<f64>,
    /// As many bytes out of the senders' files through `sendfile` into a file, right after: to the last byte written.
    pub copy_s: f64,
    /// The same until they were on the disk.
    pub copy_synced_s: f64,
    /// CPU seconds of both ends of that copy.
    pub copy_cpu_s: f64,
}

impl Replacement {
    /// Streaming's throughput.
    pub fn mebibytes_per_s(&self) -> f64 {
        self.bytes as f64 / MEBIBYTE / self.streaming_s
    }

    /// The plain copy's throughput.
    pub fn copy_mebibytes_per_s(&self) -> f64 {
        self.bytes as f64 / MEBIBYTE / self.copy_s
    }

    /// Streaming's throughput in per cent of the plain copy's.
    pub fn of_copy_percent(&self) -> f64 {
        100.0 * self.copy_s / self.streaming_s
    }

    /// CPU seconds for each GiB that was streamed.
    pub fn per_gib(&self, cpu_s: Option<f64>) -> Option<f64> {
        Some(cpu_s? * GIBIBYTE / self.bytes as f64)
    }

    /// Nodes that never became quiet tell neither what they use when they are idle, nor when their work ended.
    pub(crate) fn never_quiet(mut self) -> Self {
        (self.senders.cpu_s, self.receiver.cpu_s, self.cpu_until_quiet_s) = (None, None, None);
        (self.written_until_quiet_bytes, self.quiet_after_s) = (None, None);
        self
    }

    /// CPU seconds of both ends while the streaming ran.
    pub fn cpu_s(&self) -> Option<f64> {
        Some(self.senders.cpu_s? + self.receiver.cpu_s?)
    }
}

/// CPU and memory of one end; the senders are several nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Used {
    /// CPU seconds of its processes while the streaming ran, without what the same processes use when they are idle.
    pub cpu_s: Option<f64>,
    /// The most memory of one of its processes while the streaming ran, pages of mapped files included.
    pub resident_bytes: Option<u64>,
    /// The same without those pages: heap, native memory, stacks.
    pub anonymous_bytes: Option<u64>,
}
