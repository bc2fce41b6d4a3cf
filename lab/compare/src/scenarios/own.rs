// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The user's own workload: closed loop, a fixed rate, and the highest rate at each of the conditions together.

use anyhow::{Context, Result};

use crate::phase::{any, closed, open};
use crate::scenarios::service::{rate, search_level};
use crate::subject::Subject;
use crate::trial::Trial;
use lab_load::report::Sla;

pub(super) fn run(subject: &mut Subject<'_>) -> Result<Trial> {
    let settings = subject.settings();
    let own = settings.own.as_ref().context("there is no profile")?;
    let slas = own.sla.iter().map(|sla| sla.parse()).collect::<Result<Vec<Sla>>>()?;
    subject.fill()?;
    let warmups = vec![subject.warm(own.ops.clone())?];
    subject.compact()?;
    let keys = || any(settings.rows);
    let mut figures = subject.measure(&closed("closed loop", own.ops.clone(), keys(), settings.length()))?.figures();
    let paced = open("fixed rate", own.ops.clone(), keys(), settings.length(), settings.rate_per_s);
    subject.prepare(&paced)?;
    figures.extend(subject.measure(&paced)?.figures());
    let mut searches = Vec::new();
    if !slas.is_empty() {
        let searched = search_level(subject, "service", &own.ops, &slas)?;
        figures.push(rate(&searched));
        searches.push(searched);
    }
    Ok(Trial { figures, warmups, searches, ..Trial::default() })
}
