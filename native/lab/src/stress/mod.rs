// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite stress`: one run, in the words of cassandra-stress.

pub mod cli;
mod console;
mod help;
mod local;
mod measure;
mod print;
mod progress;
mod run;
pub mod settings;
mod task;
pub mod vocabulary;
pub mod words;
mod written;
