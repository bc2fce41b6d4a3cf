// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite`: start a cluster, load it, compare engines. Exit codes: 0 pass, 1 SLA failed, 2 invalid run or wrong use.

use std::process::ExitCode;

fn main() -> ExitCode {
    eprintln!("cassiterite: nothing to run yet");
    ExitCode::from(2)
}
