// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite stress`: one run, with the command line of cassandra-stress. Uses every other module but `compare`.

mod capacity;
pub mod cli;
pub mod command_line;
mod console;
mod files;
mod help;
mod introduction;
mod local;
mod measure;
mod print;
mod progress;
mod reach;
mod run;
pub mod settings;
mod sweep;
pub mod syntax;
mod table_options;
mod task;
