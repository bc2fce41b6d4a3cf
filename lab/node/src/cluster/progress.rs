// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a cluster tells while it works, and how it is told to stop.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tokio::signal::unix::{signal, SignalKind};

/// A listener; called often, from the thread that works.
pub trait Progress: Send + Sync + Debug {
    /// What a node is doing; comes again and again.
    fn node(&self, number: u32, doing: &str);

    /// A node has got where it was to get.
    fn done(&self, number: u32, what: &str);

    /// Whether to give up and clean up.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Listens to nothing and never gives up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn node(&self, _: u32, _: &str) {}

    fn done(&self, _: u32, _: &str) {}
}

/// Set by Ctrl-C, SIGTERM and SIGHUP, which then no longer end this process by themselves.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on signals set it. A second Ctrl-C does no more than the first.
    pub fn listen() -> Result<Self> {
        let interrupt = Self::default();
        let seen = interrupt.clone();
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot listen to signals")?;
        let _inside = runtime.enter();
        let mut signals =
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal).into_iter();
        let (mut int, mut term, mut hangup) = match (signals.next(), signals.next(), signals.next()) {
            (Some(Ok(int)), Some(Ok(term)), Some(Ok(hangup))) => (int, term, hangup),
            _ => anyhow::bail!("cannot listen to signals"),
        };
        drop(_inside);
        thread::spawn(move || {
            runtime.block_on(async {
                loop {
                    tokio::select! { _ = int.recv() => {}, _ = term.recv() => {}, _ = hangup.recv() => {} }
                    seen.0.store(true, Ordering::Relaxed);
                }
            });
        });
        Ok(interrupt)
    }

    /// Whether one has come.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Tells nothing, and gives up when a signal has come.
impl Progress for Interrupt {
    fn node(&self, _: u32, _: &str) {}

    fn done(&self, _: u32, _: &str) {}

    fn cancelled(&self) -> bool {
        self.is_set()
    }
}

/// One spinner for each node on a terminal; one line for each node that is done where there is none.
#[derive(Debug)]
pub struct Bars {
    all: MultiProgress,
    nodes: Mutex<HashMap<u32, ProgressBar>>,
    interrupt: Interrupt,
}

impl Bars {
    /// Draws on standard error until `interrupt` is set.
    pub fn new(interrupt: Interrupt) -> Self {
        Self { all: MultiProgress::new(), nodes: Mutex::default(), interrupt }
    }

    fn bar(&self, number: u32) -> ProgressBar {
        let mut nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = nodes.entry(number).or_insert_with(|| {
            let bar = self.all.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("  {spinner} {prefix:<7} {elapsed:>4}  {wide_msg}") {
                bar.set_style(style.tick_chars("-\\|/ "));
            }
            bar.set_prefix(format!("node{number}"));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        bar.clone()
    }
}

impl Progress for Bars {
    fn node(&self, number: u32, doing: &str) {
        self.bar(number).set_message(doing.to_owned());
    }

    fn done(&self, number: u32, what: &str) {
        let bar = self.bar(number);
        if bar.is_hidden() {
            eprintln!("  node{number}: {what}");
        }
        bar.finish_with_message(what.to_owned());
    }

    fn cancelled(&self) -> bool {
        self.interrupt.is_set()
    }
}
