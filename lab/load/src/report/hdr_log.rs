// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Histograms of each interval in the format of HdrHistogram's `HistogramLogWriter` (V2, compressed), as cassandra-stress
//! writes them: tags `KIND-rt` for response time (open loop only) and `KIND-st` for service time, values in nanoseconds.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{anyhow, Context, Result};
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use hdrhistogram::serialization::V2DeflateSerializer;

use crate::load::{Interval, Latencies};

const LEGEND: &str = r#""StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram""#;
/// The column of the maximum is in milliseconds, as Java's writer has it.
const NANOSECONDS_PER_MAX: f64 = 1e6;

/// A log that grows by an interval at a time.
pub struct HdrLog {
    file: BufWriter<File>,
    serializer: V2DeflateSerializer,
    /// Start of the run after the log's base time.
    offset: Duration,
    open_loop: bool,
}

impl HdrLog {
    /// Begins a log for a run that starts at `started`; `open_loop` says whether response and service time differ.
    pub fn create(path: &Path, started: SystemTime, open_loop: bool) -> Result<Self> {
        let since = started.duration_since(UNIX_EPOCH).unwrap_or_default();
        let base = UNIX_EPOCH + Duration::from_secs(since.as_secs());
        let mut file = BufWriter::new(File::create(path).with_context(|| path.display().to_string())?);
        let mut serializer = V2DeflateSerializer::new();
        IntervalLogWriterBuilder::new()
            .add_comment("[Logging op latencies for Cassandra Stress]")
            .add_comment("[Histogram log format version 1.3]")
            .with_base_time(base)
            .with_start_time(base)
            .begin_log_with(&mut file, &mut serializer)?;
        writeln!(file, "{LEGEND}")?;
        Ok(Self { file, serializer, offset: Duration::from_nanos(u64::from(since.subsec_nanos())), open_loop })
    }

    /// Adds an interval; kinds without operations are left out.
    pub fn add(&mut self, interval: &Interval) -> Result<()> {
        for tally in &interval.tallies {
            if self.open_loop {
                self.line(&format!("{}-rt", tally.name), interval, &tally.response_ns)?;
            }
            self.line(&format!("{}-st", tally.name), interval, &tally.service_ns)?;
        }
        self.file.flush().context("hdr log")
    }

    fn line(&mut self, tag: &str, interval: &Interval, histogram: &Latencies) -> Result<()> {
        if histogram.is_empty() {
            return Ok(());
        }
        let tag = tag.replace([',', ' ', '\n'], "_");
        let mut lines = Vec::new();
        IntervalLogWriterBuilder::new()
            .with_max_value_divisor(NANOSECONDS_PER_MAX)
            .begin_log_with(&mut lines, &mut self.serializer)?
            .write_histogram(
                histogram,
                self.offset + interval.from,
                interval.to.saturating_sub(interval.from),
                Tag::new(&tag),
            )
            .map_err(|error| anyhow!("hdr log: {error:?}"))?;
        // The library repeats its own note about the divisor; Java's writer has none.
        for line in lines.split_inclusive(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"#")) {
            self.file.write_all(line).context("hdr log")?;
        }
        Ok(())
    }
}
