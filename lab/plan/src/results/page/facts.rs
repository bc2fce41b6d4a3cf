// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The course of the run, what is to be noted, and where and with what it ran.

use maud::{html, Markup};

use super::{standing, told, View};
use crate::results::report::notes;
use crate::trials::trial::Purpose;

/// The trials one after the other, as long as they took.
pub fn course(view: &View<'_>) -> Markup {
    let total_s: f64 = view.trials.iter().map(|trial| trial.took_s).sum();
    let mut from_s = 0.0;
    let bars: Vec<_> = view
        .trials
        .iter()
        .map(|trial| {
            let begins = from_s;
            from_s += trial.took_s;
            (trial, 100.0 * begins / total_s.max(1e-9), 100.0 * trial.took_s / total_s.max(1e-9))
        })
        .collect();
    html! {
        h2 { "The run" }
        p.note { (view.trials.len()) " trials in " (crate::results::overview::time(total_s)) ", in the order of time; pale: does not count, since the machine changed." }
        div.course { @for (trial, begin, length) in &bars {
            @let void = view.answer.void_trials.contains(&trial.number);
            @let (class, words) = standing(trial.standing());
            div.trial {
                span.what { (trial.number + 1) ". " a href=(format!("#cell-{}", trial.cell)) { (told(view, &view.name(&trial.cell))) } }
                span.unit { (purpose(trial.purpose)) }
                span.lane {
                    span.bar.(class).void[void] style=(format!("left: {begin:.2}%; width: {length:.2}%")) title=(format!("{words}, took {}", crate::results::overview::time(trial.took_s))) {}
                }
                span.sign.(class) { (words) }
            }
        } }
    }
}

/// Why a cell was measured.
pub fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Screen => "first look",
        Purpose::Check => "check of an inference",
        Purpose::Confirm => "round that confirms",
        Purpose::Reference => "reference",
    }
}

/// Notes, machine and plan.
pub fn section(view: &View<'_>) -> Markup {
    let identity = view.identity;
    let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
    let cpus = identity.cpus.map_or("?".to_owned(), |cpus| cpus.to_string());
    let facts = [
        ("Machine", format!("{cpus} × {}, Linux {}", known(&identity.cpu), known(&identity.kernel))),
        ("Cassandra", known(&identity.cassandra)),
        ("cassiterite", identity.lab.clone()),
        ("Plug-in", identity.plugin_sha256.as_ref().map_or("none".to_owned(), |hash| format!("sha256 {hash}"))),
        ("Plan", format!("sha256 {}", identity.plan_sha256)),
        ("Profile", format!("sha256 {}", identity.profile_sha256)),
    ];
    let text = serde_yaml_ng::to_string(&view.plan.file).unwrap_or_default();
    html! {
        h2 { "Notes" }
        ul.notes { @for note in notes(view.plan, view.answer, view.trials) { li { (told(view, &note)) } } }
        h2 { "Where and with what" }
        table.facts { tbody { @for (name, value) in &facts { tr { th.left { (name) } td.left { (value) } } } } }
        details { summary { "The plan, with its defaults" } pre.mono { (text) } }
    }
}
