// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Scenario `mixed`: half reads, half writes.

use anyhow::Result;

use crate::phase::{any, open};
use crate::subject::Subject;
use crate::trial::Trial;

const OPS: &str = "read=1,insert=1";

pub(super) fn run(subject: &mut Subject<'_>) -> Result<Trial> {
    let settings = subject.settings();
    subject.fill()?;
    let warmups = vec![subject.warm(OPS)?];
    let phase = open("mixed", OPS, any(settings.rows), settings.length(), settings.rate_per_s);
    subject.prepare(&phase)?;
    let figures = subject.measure(&phase)?.figures();
    Ok(Trial { figures, warmups, ..Trial::default() })
}
