// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Output settings: what is printed, and which files are written.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};

use super::value::duration;
use super::work::Work;
use crate::stress::command_line::{CommandLine, Given};

/// How much is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum Level {
    /// Settings and results.
    Minimal,
    /// And a row per interval.
    Normal,
    /// And errors and wrong rows in full.
    Verbose,
}

/// A page that runs are added to.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The page.
    pub file: PathBuf,
    /// Its title.
    pub title: Option<String>,
    /// The name of this run.
    pub revision: Option<String>,
    /// Another name for the command.
    pub operation: Option<String>,
}

/// What is printed, and which files are written.
#[derive(Clone, Debug)]
pub struct Output {
    /// A copy of all that is printed.
    pub file: Option<PathBuf>,
    /// Histograms of each interval.
    pub hdr_file: Option<PathBuf>,
    /// Length of an interval.
    pub interval: Duration,
    /// How much is printed.
    pub level: Level,
    /// Whether results end it.
    pub summary: bool,
    /// Whether settings begin it.
    pub settings: bool,
    /// Time between rows.
    pub row_every: Duration,
    /// Time between headers; `None`: only one.
    pub header_every: Option<Duration>,
    /// The run as JSON.
    pub json: Option<PathBuf>,
    /// The run as a page of its own.
    pub html: Option<PathBuf>,
    /// The page that the run is added to.
    pub graph: Option<Graph>,
}

impl Output {
    /// Understands `-log`, `-reporting`, `-graph`, `-json` and `-html`.
    pub fn read(line: &mut CommandLine, work: &Work) -> Result<Self> {
        let (log, reporting) = (line.take("-log"), line.take("-reporting"));
        let level = log.choice("level=", &["minimal", "normal", "verbose"])?;
        let interval = interval(&log)?;
        let graph = line.option("-graph").is_some();
        Ok(Self {
            file: log.text("file=")?.map(PathBuf::from),
            hdr_file: log.text("hdrfile=")?.map(PathBuf::from),
            interval,
            level: [Level::Minimal, Level::Normal, Level::Verbose][level.unwrap_or(1)],
            summary: !log.has("no-summary"),
            settings: !log.has("no-settings"),
            row_every: reporting.duration("output-frequency=")?.unwrap_or(interval),
            header_every: reporting.duration("header-frequency=")?,
            json: file(line, "-json")?,
            html: file(line, "-html")?,
            graph: if graph { Some(self::graph(&line.take("-graph"), work)?) } else { None },
        })
    }
}

fn interval(log: &Given) -> Result<Duration> {
    let seconds = |text: &str| duration(text).or_else(|| text.parse().ok().map(Duration::from_secs));
    let shortest = Duration::from_millis(100);
    let interval = log.parsed("interval=", "a time as 1s or 500ms", seconds)?.unwrap_or(Duration::from_secs(1));
    ensure!(interval >= shortest, "-log: interval= is below 100ms");
    Ok(interval)
}

fn graph(given: &Given, work: &Work) -> Result<Graph> {
    Ok(Graph {
        file: given.text("file=")?.map(PathBuf::from).context("-graph: file= is missing")?,
        title: given.text("title=")?,
        revision: given.text("revision=")?,
        operation: given.text("op=")?.or_else(|| Some(work.operation())),
    })
}

fn file(line: &mut CommandLine, name: &str) -> Result<Option<PathBuf>> {
    if line.option(name).is_none() {
        return Ok(None);
    }
    match line.take(name).only()? {
        Some(file) => Ok(Some(file.into())),
        None => bail!("{name}: the FILE is missing"),
    }
}
