// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Rounds: every engine once in each, in changing order, on a fresh cluster each time.

use anyhow::{Context, Result};
use serde::Serialize;

use lab_load::observe::{text_hash, Environment};
use lab_node::cluster::{Cluster, Engine, Home, Interrupt};

use crate::order::order;
use crate::scenarios;
use crate::settings::Settings;
use crate::subject::Subject;
use crate::trial::Trial;
use crate::verdict::{judge, EngineRounds, Judged};

/// One engine in one round.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// The engine's name, numbered when it is there more than once.
    pub engine: String,
    /// From 0.
    pub round: usize,
    /// Its place in the round, from 0.
    pub place: usize,
    /// Its figures.
    #[serde(flatten)]
    pub trial: Trial,
    /// Deviations from the plan.
    pub notes: Vec<String>,
    /// Warm-ups that were cut off before the servers were warm.
    pub caveats: Vec<String>,
    /// Why its figures must not be believed; empty when they may.
    pub invalid: Vec<String>,
    /// The values that could not be observed.
    pub absent: Vec<String>,
}

/// A comparison, finished or so far.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Where and with what.
    pub environment: Environment,
    /// The settings.
    pub settings: Settings,
    /// The engines in the order given, the last compared with each other one.
    pub engines: Vec<String>,
    /// In the order of time.
    pub runs: Vec<Run>,
    /// Ratios and verdicts.
    pub judged: Vec<Judged>,
}

/// The name of its hash in the environment.
pub(super) const PROFILE_HASH: &str = "scenario's profile";

impl Comparison {
    /// Nothing run yet.
    pub fn new(settings: &Settings, engines: &[Engine]) -> Result<Self> {
        let home = Home::find()?;
        let mut environment = Environment::now(Some(&home.join("")));
        environment.cpus = settings.cpus.clone();
        environment.add(text_hash(PROFILE_HASH, settings.profile()));
        environment.add(text_hash("settings", &serde_json::to_string(settings)?));
        Ok(Self {
            environment,
            settings: settings.clone(),
            engines: names(engines),
            runs: Vec::new(),
            judged: Vec::new(),
        })
    }

    /// Runs all rounds, or as many as there are before a signal; `progress` hears what is done, `kept` gets the comparison after each run.
    pub fn run(
        &mut self,
        engines: &[Engine],
        interrupt: &Interrupt,
        progress: &dyn Fn(&str),
        kept: &dyn Fn(&Self) -> Result<()>,
    ) -> Result<()> {
        let settings = self.settings.clone();
        for round in 0..settings.rounds {
            for (place, slot) in order(round, engines.len()).into_iter().enumerate() {
                let (Some(engine), Some(name)) = (engines.get(slot), self.engines.get(slot).cloned()) else { continue };
                progress(&format!("round {} of {}: {name} ({})", round + 1, settings.rounds, engine.about()));
                let run = self
                    .trial(&settings, *engine, interrupt, &name, round, place)
                    .with_context(|| format!("{name}, round {}", round + 1))?;
                run.notes.iter().chain(&run.absent).for_each(|note| progress(&format!("  note: {note}")));
                run.caveats.iter().for_each(|caveat| progress(&format!("  CAVEAT: {caveat}")));
                run.invalid.iter().for_each(|reason| progress(&format!("  INVALID: {reason}")));
                self.runs.push(run);
                self.judged = judge(&self.rounds());
                kept(self)?;
            }
        }
        Ok(())
    }

    fn trial(
        &mut self,
        settings: &Settings,
        engine: Engine,
        interrupt: &Interrupt,
        name: &str,
        round: usize,
        place: usize,
    ) -> Result<Run> {
        let scenario = settings.scenario;
        let mut subject = Subject::up(settings, engine, round, interrupt)?;
        self.hash(engine, subject.cluster());
        let trial = scenarios::run(scenario, &mut subject)?;
        let (notes, caveats) = (std::mem::take(&mut subject.notes), std::mem::take(&mut subject.caveats));
        let invalid = std::mem::take(&mut subject.invalid);
        let absent = subject.down()?.absent;
        Ok(Run { engine: name.to_owned(), round, place, trial, notes, caveats, invalid, absent })
    }

    fn hash(&mut self, engine: Engine, cluster: &Cluster) {
        for node in cluster.nodes() {
            let (conf, plugin) = (node.base.join("conf/cassandra.yaml"), node.base.join("lib/cassiterite.jar"));
            self.environment.add_file(&format!("cassandra.yaml of {engine}, {}", node.name), &conf);
            if engine.has_plugin() {
                self.environment.add_file("plug-in jar", &plugin);
            }
        }
    }

    /// The figures by engine and round.
    pub fn rounds(&self) -> Vec<EngineRounds> {
        let of = |engine: &String| {
            let runs = self.runs.iter().filter(|run| run.engine == *engine);
            EngineRounds { engine: engine.clone(), rounds: runs.map(|run| run.trial.figures.clone()).collect() }
        };
        self.engines.iter().map(of).collect()
    }

    /// Why the comparison must not be believed, each reason once with the engine that it came from.
    pub fn invalid(&self) -> Vec<String> {
        self.told_by_runs(|run| &run.invalid)
    }

    /// What its figures have against them, likewise.
    pub fn caveats(&self) -> Vec<String> {
        self.told_by_runs(|run| &run.caveats)
    }

    fn told_by_runs(&self, of: impl Fn(&Run) -> &Vec<String>) -> Vec<String> {
        let told = |run: &Run| -> Vec<String> {
            of(run).iter().map(|words| format!("{}, round {}: {words}", run.engine, run.round + 1)).collect()
        };
        self.runs.iter().flat_map(told).collect()
    }

    /// Levels of service that did not hold at any rate, by engine and round.
    pub fn failed_levels(&self) -> Vec<String> {
        let of = |run: &Run| -> Vec<String> {
            let failed = run.trial.searches.iter().filter(|searched| searched.found.holds_per_s.is_none());
            failed.map(|searched| format!("{}, round {}: {}", run.engine, run.round + 1, searched.level)).collect()
        };
        self.runs.iter().flat_map(of).collect()
    }
}

fn names(engines: &[Engine]) -> Vec<String> {
    let number = |slot: usize, engine: &Engine| engines.iter().take(slot + 1).filter(|other| *other == engine).count();
    engines
        .iter()
        .enumerate()
        .map(|(slot, engine)| match number(slot, engine) {
            1 => engine.to_string(),
            number => format!("{engine} #{number}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_is_there_twice_is_numbered() {
        let engines = [Engine::Stock, Engine::Cassiterite, Engine::Stock];
        assert_eq!(names(&engines), ["stock", "cassiterite", "stock #2"]);
    }
}
