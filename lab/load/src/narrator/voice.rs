// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Where a narrator speaks to: lines anywhere; on a terminal also a last line that is written over and over.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// To the begin of the line, and away with what stands there.
const ERASE: &str = "\r\x1b[2K";
/// Of a terminal that does not tell.
const COLUMNS: usize = 80;

type Columns = Box<dyn Fn() -> usize + Send + Sync>;

/// Safe to share between threads. Whoever closed the other end does not want to hear it: failures are not told.
pub(super) struct Voice {
    state: Mutex<State>,
    /// `None`: no terminal.
    columns: Option<Columns>,
}

struct State {
    out: Box<dyn Write + Send>,
    has_status: bool,
}

impl Voice {
    /// Standard error.
    pub(super) fn stderr() -> Self {
        let is_terminal = std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self::of(Box::new(std::io::stderr()), is_terminal.then(|| Box::new(columns) as Columns))
    }

    pub(super) fn of(out: Box<dyn Write + Send>, columns: Option<Columns>) -> Self {
        Self { state: Mutex::new(State { out, has_status: false }), columns }
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.columns.is_some()
    }

    /// A line that stays.
    pub(super) fn line(&self, text: &str) {
        let mut state = self.state();
        state.erase();
        let _ = writeln!(state.out, "{text}");
    }

    /// What goes on: over the last one on a terminal, another line elsewhere.
    pub(super) fn status(&self, text: &str) {
        let Some(columns) = &self.columns else { return self.line(text) };
        // One that is as long as the terminal is wide would go on in the next line.
        let shown: String = text.chars().take(columns().saturating_sub(1)).collect();
        let mut state = self.state();
        let _ = write!(state.out, "{ERASE}{shown}");
        let _ = state.out.flush();
        state.has_status = true;
    }

    /// Nothing goes on any more.
    pub(super) fn end(&self) {
        self.state().erase();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn erase(&mut self) {
        if std::mem::take(&mut self.has_status) {
            let _ = write!(self.out, "{ERASE}");
            let _ = self.out.flush();
        }
    }
}

fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    size.ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(COLUMNS)
}
