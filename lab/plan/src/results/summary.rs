// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What is said of a trial when it has ended.

use std::time::Duration;

use crate::trials::judge::Standing;
use crate::trials::trial::{Capacity, Trial};
use lab_load::narrator::words;

/// One line.
pub(crate) fn summary(trial: &Trial) -> String {
    let standing = match trial.standing() {
        Standing::Holds => "holds",
        Standing::Fails => "fails",
        Standing::TooNoisy => "cannot tell (noise)",
        Standing::ClientLimited => "cannot tell (client)",
        Standing::NotFilled => "cannot tell (fill)",
        Standing::NodeEnded => "fails (node ended)",
    };
    let why = trial.node_ended.as_ref().or(trial.not_filled.as_ref()).map(|why| format!(": {why}")).unwrap_or_default();
    let last = trial.loads.last().map(|load| {
        let conditions =
            load.judged.conditions.iter().map(|c| format!("{} {:.3} ({:.3}-{:.3})", c.sla, c.value, c.low, c.high));
        let said: Vec<String> = conditions.chain(load.judged.reasons.iter().cloned()).collect();
        format!(" at {:.0}/s: {}", load.rate_per_s, said.join("; "))
    });
    let wrong: String = trial.wrong.iter().map(|wrong| format!("; {wrong}")).collect();
    let capacity = trial.capacity.as_ref().map(capacity).unwrap_or_default();
    format!(
        "{standing}{why}{}{capacity}{wrong}; took {}",
        last.unwrap_or_default(),
        words(Duration::from_secs_f64(trial.took_s.max(0.0)))
    )
}

fn capacity(found: &Capacity) -> String {
    let holds = found.holds_per_s.map_or_else(|| "below".to_owned(), |per_s| format!("{per_s:.0}/s to"));
    let fails = found.fails_per_s.map_or_else(|| "an unknown rate".to_owned(), |per_s| format!("{per_s:.0}/s"));
    let limited = if found.client_limited { ", which the client did not keep up with" } else { "" };
    format!("; capacity {holds} {fails}{limited}")
}
