// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What servers, client and machine did during a run, read from the outside: `/proc`, the GC log, `jcmd`.
//!
//! Nothing here runs inside a server. What cannot be read (a server on another machine, a log that is not there, a
//! collector that does not say) is `None` and named in [`Record::absent`]; it is never a zero.

mod client;
mod compactions;
mod environment;
mod gc_log;
mod heap;
mod process;
mod pulse;
mod question;
mod servers;

pub use client::{Client, ClientUse};
pub use compactions::{Asking, Compactions};
pub use environment::{file_hash, text_hash, Environment, Hash, Machine, Software};
pub use gc_log::{GcLog, GcTotals};
pub use heap::heap_used_bytes;
pub use process::ProcessReading;
pub use pulse::{now_unix_ms, Beats, Memory, Pulse};
pub use question::Question;
pub use servers::{Reading, Record, Sample, Servers, Watched};
