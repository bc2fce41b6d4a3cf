// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Counters of one process from `/proc`.

use procfs::process::Process;

/// Counters of a process since its start; `None` where the kernel does not say (it is gone, or another user's).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessReading {
    /// User and system CPU time of all its threads, in seconds (to a clock tick, 10 ms).
    pub cpu_s: Option<f64>,
    /// Resident memory now.
    pub resident_bytes: Option<u64>,
    /// Resident memory that belongs to no file.
    pub anonymous_bytes: Option<u64>,
    /// The most resident memory it ever had.
    pub peak_resident_bytes: Option<u64>,
    /// Bytes it caused to be written to block devices, counted when it makes a page dirty.
    pub disk_written_bytes: Option<u64>,
    /// Bytes it caused to be fetched from block devices: what the page cache did not have.
    pub disk_read_bytes: Option<u64>,
}

impl ProcessReading {
    /// Reads them now.
    pub fn of(pid: i32) -> Self {
        let Ok(process) = Process::new(pid) else { return Self::default() };
        let stat = process.stat().ok();
        let status = process.status().ok();
        let io = process.io().ok();
        let ticks_per_s = procfs::ticks_per_second() as f64;
        Self {
            cpu_s: stat.map(|stat| (stat.utime + stat.stime) as f64 / ticks_per_s),
            resident_bytes: status.as_ref().and_then(|status| status.vmrss).map(|kib| kib * 1024),
            anonymous_bytes: status.as_ref().and_then(|status| status.rssanon).map(|kib| kib * 1024),
            peak_resident_bytes: status.as_ref().and_then(|status| status.vmhwm).map(|kib| kib * 1024),
            disk_written_bytes: io.as_ref().map(|io| io.write_bytes),
            disk_read_bytes: io.as_ref().map(|io| io.read_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn this_process_can_be_read() {
        let reading = ProcessReading::of(std::process::id() as i32);
        assert!(reading.cpu_s.is_some());
        assert!(reading.resident_bytes.unwrap() > 1 << 20);
        assert!(reading.peak_resident_bytes.unwrap() >= reading.resident_bytes.unwrap() / 2);
    }

    #[test]
    fn a_process_that_is_gone_has_no_numbers() {
        assert_eq!(ProcessReading::of(i32::MAX), ProcessReading::default());
    }
}
