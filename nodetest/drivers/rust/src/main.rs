// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The Rust driver for the node tests: answers the requests of ProgramSession, which come on standard input.
//!
//! A request is a line of words with tabs between; an answer is a line with the number of its lines, and the lines.

mod metadata;
mod program;

use anyhow::Result;
use program::Program;
use std::io::{BufRead, Write};

fn main() -> Result<()> {
    // The driver's own tasks go on while this thread waits for a request.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut program = Program::default();
    let mut answers = std::io::stdout().lock();
    for request in std::io::stdin().lock().lines() {
        let request = request?;
        let words: Vec<String> = request.split('\t').map(unescaped).collect();
        let lines = runtime.block_on(program.answer(&words));
        writeln!(answers, "{}", lines.len())?;
        for line in lines {
            writeln!(answers, "{}", escaped(&line))?;
        }
        answers.flush()?;
    }
    Ok(())
}

fn escaped(line: &str) -> String {
    line.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescaped(word: &str) -> String {
    let parts: Vec<String> = word.split("\\\\").map(|part| part.replace("\\t", "\t").replace("\\n", "\n")).collect();
    parts.join("\\")
}
