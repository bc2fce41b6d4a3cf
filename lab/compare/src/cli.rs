// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The command line of `cassiterite compare`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{anyhow, ensure, Context, Result};
use clap::{Args, ValueEnum};

use crate::own::OwnWorkload;
use crate::rounds::Comparison;
use crate::scenario::Scenario;
use crate::settings::{Scale, Settings, VALUE_BYTES};
use crate::subject::lock_clusters;
use crate::{page, saved, table};
use lab_load::narrator::Narrator;
use lab_load::report::ensure_writable;
use lab_node::cluster::{Engine, Interrupt};
use lab_node::cpus::{Cpus, Split};

/// What means nothing to `--runs`, which runs nothing.
const OF_RUNS: &str = "profile ops sla engines scale rounds seconds warmup rows value_bytes rate in_flight threads \
                       connections request_timeout client_cpus nodes vnodes replication_factor samples throttle compaction \
                       heap heap_of set port fast_nodes settle json html";

/// `cassiterite compare`.
#[derive(Args, Debug)]
pub struct CompareCommand {
    /// What to run on each engine.
    #[arg(required_unless_present_any = ["profile", "runs"], conflicts_with_all = ["profile", "runs"])]
    scenario: Option<Scenario>,
    /// In place of a scenario: a cassandra-stress profile, with --ops.
    #[arg(long, value_name = "FILE", requires = "ops")]
    profile: Option<PathBuf>,
    /// Operations of the profile and their weights, as insert=24,get=1.
    #[arg(long, requires = "profile")]
    ops: Option<String>,
    /// Conditions whose highest rate is searched, as 'p95<=5ms'; repeatable; all hold together.
    #[arg(long, value_name = "CONDITION", requires = "profile")]
    sla: Vec<String>,
    /// Runs nothing: judges the second saved JSON against the first, engine by engine.
    #[arg(long, value_name = "JSON", num_args = 2, conflicts_with_all = OF_RUNS.split(' '))]
    runs: Vec<PathBuf>,
    /// Engines; the last is compared with each of the others. An engine may be there twice: stock,stock must find no difference
    /// [default: stock,stock-default,cassiterite; for indexes stock-sai,stock,cassiterite, for move stock,cassiterite].
    #[arg(long, value_delimiter = ',')]
    engines: Vec<Engine>,
    /// Sizes that are not given singly, and with them the time that it takes: engines x rounds x (start, fill, warm-up, and the
    /// phases of --seconds each).
    #[arg(long, default_value = "small")]
    scale: Scale,
    /// Rounds; each runs every engine once on a fresh cluster. Verdicts need at least 3 [default: 6; tiny: 1].
    #[arg(long)]
    rounds: Option<usize>,
    /// Seconds of each measured phase [default: 45; tiny: 5; full: 240].
    #[arg(long)]
    seconds: Option<u64>,
    /// Seconds of the warm-up at most; it ends when the JVMs' compilers rest and server CPU per operation no longer falls. What
    /// is measured before that has a caveat [default: 240; tiny: 5; full: 300].
    #[arg(long)]
    warmup: Option<u64>,
    /// Partitions of the table.
    #[arg(long)]
    rows: Option<u64>,
    /// Bytes of a value; emp and features have sizes of their own.
    #[arg(long)]
    value_bytes: Option<u64>,
    /// Operations per second where the rate is fixed, and the first rate of a search.
    #[arg(long)]
    rate: Option<f64>,
    /// Operations in flight.
    #[arg(long)]
    in_flight: Option<usize>,
    /// Threads of the client [default: as many as --client-cpus].
    #[arg(long)]
    threads: Option<usize>,
    /// Connections of the client to each node; requests has its own.
    #[arg(long)]
    connections: Option<usize>,
    /// Seconds for one attempt of a statement.
    #[arg(long, value_name = "SECONDS")]
    request_timeout: Option<f64>,
    /// CPUs that the client keeps for itself; the servers get the rest; 0: all share all [default: a quarter, at least 1].
    #[arg(long)]
    client_cpus: Option<usize>,
    /// Nodes of each cluster.
    #[arg(long)]
    nodes: Option<u32>,
    /// Tokens of each node.
    #[arg(long)]
    vnodes: Option<u32>,
    /// Copies of each row.
    #[arg(long)]
    replication_factor: Option<u32>,
    /// Replacements of a node in each run (stream).
    #[arg(long)]
    samples: Option<usize>,
    /// MiB/s of the table that moves beside requests (move) [default: 64].
    #[arg(long, value_name = "MIB_PER_S")]
    throttle: Option<u32>,
    /// Compaction class of the tables of stock engines, such as LeveledCompactionStrategy.
    #[arg(long)]
    compaction: Option<String>,
    /// Heap of each node, as in -Xmx.
    #[arg(long)]
    heap: Option<String>,
    /// Another heap of one engine's nodes, so that all engines have the same memory in total; repeatable.
    #[arg(long, value_name = "ENGINE=SIZE")]
    heap_of: Vec<String>,
    /// A key of cassandra.yaml for all engines alike; repeatable.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// First CQL port; storage and JMX ports come after it.
    #[arg(long)]
    port: Option<u16>,
    /// Nodes in test mode (serial GC, no C2 compiler): quick to start, the numbers mean nothing.
    #[arg(long)]
    fast_nodes: bool,
    /// Seconds that servers may take to become quiet after a phase.
    #[arg(long)]
    settle: Option<u64>,
    /// Writes everything as JSON, after each run what there is so far.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Writes the report as one self-contained page.
    #[arg(long)]
    html: Option<PathBuf>,
}

/// Tells what a comparison does, and how long it will still take by what its runs took.
struct Told {
    narrator: Narrator,
    runs: usize,
    began: Instant,
}

impl Told {
    fn new(runs: usize) -> Self {
        Self { narrator: Narrator::new(), runs, began: Instant::now() }
    }

    fn line(&self, line: &str) {
        self.narrator.say(line);
        if !line.starts_with(' ') {
            self.narrator.doing(line);
        }
    }

    fn ended(&self, runs: usize) {
        let each = self.began.elapsed() / u32::try_from(runs.max(1)).unwrap_or(u32::MAX);
        self.narrator.left(Some(each * u32::try_from(self.runs.saturating_sub(runs)).unwrap_or(0)));
    }
}

impl CompareCommand {
    /// Runs the command; the exit code is the process's: 1 when a level of service held at no rate, 2 when figures must not
    /// be believed.
    pub fn run(self) -> Result<ExitCode> {
        if let [before, after] = &self.runs[..] {
            return saved::judged(before, after);
        }
        let settings = self.settings()?;
        let engines = self.engines(settings.scenario);
        ensure!(engines.len() > 1, "--engines: one engine compares with nothing; give two, such as stock,cassiterite");
        let _lock = lock_clusters()?;
        self.json.iter().chain(&self.html).try_for_each(|file| ensure_writable(file))?;
        let mut comparison = Comparison::new(&settings, &engines)?;
        // Before there is another thread: all that this process starts, but servers, keeps to the client's CPUs.
        if let Some(split) = &settings.cpus {
            split.client.keep_this_thread()?;
        }
        let (interrupt, told) = (Interrupt::listen()?, Told::new(settings.rounds * engines.len()));
        comparison.run(&engines, &interrupt, &|line| told.line(line), &|so_far| {
            told.ended(so_far.runs.len());
            self.keep(so_far)
        })?;
        drop(told);
        print!("{}", table::text(&comparison));
        Ok(match (comparison.invalid().is_empty(), comparison.failed_levels().is_empty()) {
            (false, _) => ExitCode::from(2),
            (true, false) => ExitCode::from(1),
            (true, true) => ExitCode::SUCCESS,
        })
    }

    fn settings(&self) -> Result<Settings> {
        let here = Cpus::of_this_thread()?;
        let client_cpus = self.client_cpus.unwrap_or_else(|| Split::usual(&here));
        let own = match (&self.profile, &self.ops) {
            (Some(profile), Some(ops)) => Some(OwnWorkload::read(profile, ops, &self.sla)?),
            _ => None,
        };
        let scenario = self.scenario.unwrap_or(Scenario::Profile);
        let scale = Settings { own, ..Settings::new(scenario, self.scale) }.on(&here, client_cpus)?;
        let set = |text: &String| -> Result<(String, String)> {
            let (key, value) = text.split_once('=').with_context(|| format!("--set {text}: KEY=VALUE is expected"))?;
            Ok((key.to_owned(), value.to_owned()))
        };
        let given = self.set.iter().map(set).collect::<Result<Vec<_>>>()?;
        let nodes = self.nodes.unwrap_or(scale.nodes);
        // As many copies as there are nodes to keep them, unless given.
        let copies = if scenario == Scenario::Stream { scale.replication_factor } else { nodes.min(3) };
        let settings = Settings {
            rounds: self.rounds.unwrap_or(scale.rounds),
            seconds: self.seconds.unwrap_or(scale.seconds),
            warmup_max_s: self.warmup.unwrap_or(scale.warmup_max_s),
            rows: self.rows.unwrap_or(scale.rows),
            value_bytes: self.value_bytes.unwrap_or(scale.value_bytes),
            rate_per_s: self.rate.unwrap_or(scale.rate_per_s),
            in_flight: self.in_flight.unwrap_or(scale.in_flight),
            threads: self.threads.unwrap_or(scale.threads),
            connections: self.connections.unwrap_or(scale.connections),
            request_timeout_s: self.request_timeout.unwrap_or(scale.request_timeout_s),
            nodes,
            vnodes: self.vnodes.unwrap_or(scale.vnodes),
            replication_factor: self.replication_factor.unwrap_or(copies),
            samples: self.samples.unwrap_or(scale.samples),
            throttle_mib_per_s: self.throttle.unwrap_or(scale.throttle_mib_per_s),
            compaction: self.compaction.clone(),
            heap_of: self.heap_of.iter().map(|text| self.heap_of(scenario, text)).collect::<Result<_>>()?,
            heap: self.heap.clone().unwrap_or_else(|| scale.heap.clone()),
            set: [scale.set.clone(), given].concat(),
            port: self.port.unwrap_or(scale.port),
            fast_nodes: self.fast_nodes,
            settle_max_s: self.settle.unwrap_or(scale.settle_max_s),
            ..scale
        };
        settings.validate()?;
        self.refuse_unheeded(&settings)?;
        Ok(settings)
    }

    fn engines(&self, scenario: Scenario) -> Vec<Engine> {
        if self.engines.is_empty() {
            scenario.engines()
        } else {
            self.engines.clone()
        }
    }

    fn heap_of(&self, scenario: Scenario, text: &str) -> Result<(Engine, String)> {
        let (name, heap) =
            text.split_once('=').with_context(|| format!("--heap-of {text}: ENGINE=SIZE is expected"))?;
        let engine = Engine::from_str(name, false).map_err(|problem| anyhow!("--heap-of {text}: {problem}"))?;
        ensure!(self.engines(scenario).contains(&engine), "--heap-of {text}: {name} is not among the engines compared");
        Ok((engine, heap.to_owned()))
    }

    /// Refuses by name what would change nothing.
    fn refuse_unheeded(&self, settings: &Settings) -> Result<()> {
        ensure!(
            self.connections.is_none() || settings.scenario != Scenario::Requests,
            "--connections: requests goes over 64, 8 and 1 connections, then over as many as --in-flight; leave it out"
        );
        let (scenario, name) = (settings.scenario, settings.scenario.name());
        for (option, given, heeded) in [
            ("--rate", self.rate.is_some(), scenario.has_rate()),
            ("--seconds", self.seconds.is_some(), scenario != Scenario::Restart),
            ("--warmup", self.warmup.is_some(), scenario != Scenario::Restart),
            ("--samples", self.samples.is_some(), scenario == Scenario::Stream),
            ("--throttle", self.throttle.is_some(), scenario == Scenario::Move),
        ] {
            ensure!(!given || heeded, "{option}: {name} has no use for it; leave it out");
        }
        let own = settings.own.as_ref().map(|own| own.file.display().to_string());
        ensure!(
            self.value_bytes.is_none() || settings.profile().contains(VALUE_BYTES),
            "--value-bytes: {} has sizes of its own (no {VALUE_BYTES} in its profile); leave it out",
            own.unwrap_or(name)
        );
        Ok(())
    }

    fn keep(&self, comparison: &Comparison) -> Result<()> {
        let write = |file: &Path, text: String| {
            std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
        };
        if let Some(file) = &self.json {
            write(file, serde_json::to_string_pretty(comparison)? + "\n")?;
        }
        if let Some(file) = &self.html {
            write(file, page::html(comparison))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use clap::{CommandFactory, Parser};

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        command: CompareCommand,
    }

    fn read(words: &str) -> Result<Settings> {
        Line::try_parse_from(["compare"].into_iter().chain(words.split(' ')))?.command.settings()
    }

    #[test]
    fn help_tells_the_rounds_and_the_time() {
        let help = Line::command().render_long_help().to_string();
        for told in ["[default: 6; tiny: 1]", "[default: 45;", "[default: 240;", "Two engines take 1 to 1.5 hours"] {
            assert!(help.split_whitespace().collect::<Vec<_>>().join(" ").contains(told), "{told}: {help}");
        }
        assert_eq!(read("mixed --client-cpus 0").unwrap().rounds, 6);
    }

    #[test]
    fn what_would_change_nothing_is_refused_by_name() {
        let refusal = |words: &str| format!("{:#}", read(words).unwrap_err());
        for given in ["--json c.json", "--html c.html", "--engines stock,cassiterite", "--scale tiny", "--fast-nodes"] {
            let (told, name) = (refusal(&format!("--runs a.json b.json {given}")), given.split(' ').next().unwrap());
            assert!(told.contains("cannot be used with") && told.contains(name), "{told}");
        }
        assert!(refusal("requests --client-cpus 0 --connections 8").starts_with("--connections: requests goes over"));
        for (scenario, option) in [
            ("writes", "--rate"),
            ("scan", "--rate"),
            ("indexes", "--rate"),
            ("restart", "--rate"),
            ("restart", "--seconds"),
            ("restart", "--warmup"),
            ("mixed", "--samples"),
            ("mixed", "--throttle"),
        ] {
            let told = refusal(&format!("{scenario} --client-cpus 0 {option} 10"));
            assert_eq!(told, format!("{option}: {scenario} has no use for it; leave it out"));
        }
        for scenario in ["emp", "features"] {
            let told = refusal(&format!("{scenario} --client-cpus 0 --value-bytes 100"));
            assert!(told.starts_with(&format!("--value-bytes: {scenario} has sizes of its own")), "{told}");
        }
        for (given, why) in [("stock", "ENGINE=SIZE"), ("rocks=1g", "rocks"), ("stock-6=1g", "not among the engines")] {
            let told = refusal(&format!("mixed --client-cpus 0 --heap-of {given}"));
            assert!(told.starts_with(&format!("--heap-of {given}: ")) && told.contains(why), "{told}");
        }
        let heaps = read("mixed --client-cpus 0 --heap 2g --heap-of cassiterite=1g").unwrap();
        assert_eq!((heaps.heap_of(Engine::Stock), heaps.heap_of(Engine::Cassiterite)), ("2g", "1g"));
        assert_eq!(read("mixed --client-cpus 0 --value-bytes 100 --connections 2").unwrap().value_bytes, 100);
        assert!(Line::try_parse_from(["compare", "--runs", "a.json", "b.json"]).is_ok());
    }
}
