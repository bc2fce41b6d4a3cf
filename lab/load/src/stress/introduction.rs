// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a run says of itself before it begins.

use super::run::Stress;
use super::task::PreparedTask;
use crate::load::Workload;
use crate::observe::Environment;

impl Stress<'_> {
    pub(super) fn print_settings(&mut self, ready: &PreparedTask, environment: &Environment) {
        if !self.settings.output.settings {
            return;
        }
        let cassandra = environment.software.cassandra.as_deref().unwrap_or("?");
        let kinds: Vec<_> = ready.workload.kinds().iter().map(|kind| kind.name.as_str()).collect();
        let checked = match (&ready.ledger, ready.unchecked.is_empty()) {
            (Some(_), true) => "yes".to_owned(),
            (Some(_), false) => format!("yes, but not: {}", ready.unchecked.join("; ")),
            (None, _) => format!("no: {}", ready.unchecked.join("; ")),
        };
        self.console.print("******************** Stress Settings ********************");
        for (name, value) in [
            ("Command", environment.command.clone()),
            ("Operations", kinds.join(", ")),
            ("Table", self.task.table()),
            ("Servers", format!("{} (Cassandra {cassandra})", self.addresses().len())),
            ("Consistency level", self.settings.work.level_name().to_owned()),
            ("Rate", self.settings.rate.label()),
            ("Reads checked", checked),
        ] {
            self.console.print(&format!("  {name}: {value}"));
        }
        self.console.print("");
    }
}
