// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A cluster whose truth is known: a queue whose capacity follows nodes, level, column size and engine; with noise between
//! rounds and within them, hiccups, a machine that drifts, and a client with a limit.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{bail, Result};
use hdrhistogram::Histogram;
use lab_compare::streams::{Shares, Streamed};
use lab_load::report::encoded;
use lab_node::cluster::{LastWords, NodeEnded};
use lab_plan::figures::phase::{Course, Moved, Second};
use lab_plan::figures::soak::Window;
use lab_plan::grid::cell::{replicas, Cell};
use lab_plan::targets::{Hurt, Load, Pace, Prepared, Target, Told, Warm};
use lab_plan::timeline::Move;
use lab_plan::trials::observed::{KindObserved, Observed};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, Normal, StandardNormal};

/// Log-normal response times: P95 over the median.
const SIGMA: f64 = 0.4;
const Z95: f64 = 1.644_853_6;
/// What every node that replaces another gets.
const STREAMED: Streamed = Streamed {
    seconds: 2.0,
    shares: Shares { whole_files: 3, whole_bytes: 3 << 20, cut_files: 1, cut_bytes: 1 << 20 },
};
const PARTS: usize = 12;
/// Operations that stand for all of a part.
const SAMPLES: usize = 60;

/// What is true of it.
#[derive(Clone, Debug)]
pub struct Truth {
    /// Operations per second of one node at ONE with small columns.
    pub node_per_s: f64,
    /// Contention: what each further node costs (universal scaling law).
    pub sigma: f64,
    /// Median of an idle cluster.
    pub idle_ms: f64,
    /// Of stock; the other engine's is 1.
    pub engine: f64,
    /// Standard deviation of ln between rounds.
    pub noise: f64,
    /// Operations per second that the client can send.
    pub client_per_s: f64,
    /// In each hour of a soak the servers become slower by this factor.
    pub ageing: f64,
    /// The machine becomes slower by this factor after so many trials.
    pub drift: Option<(usize, f64)>,
}

impl Truth {
    /// A machine by chance.
    pub fn of(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed ^ 0x7e57);
        Self {
            node_per_s: random.random_range(8_000.0..20_000.0),
            sigma: random.random_range(0.0..0.05),
            idle_ms: random.random_range(0.3..0.9),
            engine: random.random_range(0.7..1.4),
            noise: 0.04,
            client_per_s: 1e9,
            ageing: 1.0,
            drift: None,
        }
    }

    /// Operations per second at which the queue has no end.
    pub fn limit_per_s(&self, cell: &Cell) -> f64 {
        let nodes = f64::from(cell.nodes().unwrap());
        let copies = cell.replication_factor().unwrap();
        let waits =
            cell.levels().unwrap().all().iter().map(|level| f64::from(replicas(*level, copies))).fold(0.0, f64::max);
        let level = 1.0 / (0.7 + 0.3 * waits);
        let size = match cell.settings().get("profile.columnspec.value.size").and_then(|size| size.as_str()) {
            Some("fixed(10000)") => 0.3,
            Some("fixed(1000)") => 0.75,
            _ => 1.0,
        };
        let engine = if cell.text("engine").unwrap() == Some("stock") { self.engine } else { 1.0 };
        self.node_per_s * nodes / (1.0 + self.sigma * (nodes - 1.0)) * level * size * engine
    }

    /// The true P95 at a rate.
    pub fn p95_ms(&self, cell: &Cell, per_s: f64) -> f64 {
        let idle_share = 1.0 - per_s / self.limit_per_s(cell);
        if idle_share <= 0.0 {
            f64::INFINITY
        } else {
            self.idle_ms / idle_share * (SIGMA * Z95).exp()
        }
    }
}

/// The cluster. It dies after so many calls, where a test wants that.
pub struct Simulated {
    pub truth: Truth,
    pub seed: u64,
    pub calls_left: usize,
    /// A cell of that key has a wrong row ...
    pub wrong_rows_of: Option<String>,
    /// ... in which round, from 1, and in which load of it, from 1; 0 is the warm-up.
    pub is_wrong: fn(usize, u64) -> bool,
    /// The table of a cell of that key cannot be filled.
    pub not_filled: Option<String>,
    /// A node of a cell of that key ends under every load.
    pub node_ends_in: Option<String>,
    clock: Duration,
    cell: Option<Cell>,
    trial: usize,
    rounds: BTreeMap<String, usize>,
    loads: u64,
}

impl Simulated {
    pub fn new(truth: Truth, seed: u64) -> Self {
        Self {
            truth,
            seed,
            calls_left: usize::MAX,
            wrong_rows_of: None,
            is_wrong: |_, _| true,
            not_filled: None,
            node_ends_in: None,
            clock: Duration::ZERO,
            cell: None,
            trial: 0,
            rounds: BTreeMap::new(),
            loads: 0,
        }
    }

    fn call(&mut self) -> Result<()> {
        if self.calls_left == 0 {
            bail!("killed");
        }
        self.calls_left -= 1;
        Ok(())
    }

    fn wrong_rows(&self, cell: &Cell) -> u64 {
        let round = self.rounds.get(cell.key()).copied().unwrap_or_default();
        u64::from(self.wrong_rows_of.as_deref() == Some(cell.key()) && (self.is_wrong)(round, self.loads))
    }

    /// Depends on the trial and on nothing before it: a trial that is repeated is the same again.
    fn random(&self, what: u64) -> StdRng {
        let trial = self.trial as u64;
        StdRng::seed_from_u64(self.seed.wrapping_mul(0x9e37_79b9).wrapping_add(trial << 20).wrapping_add(what))
    }
}

impl Target for Simulated {
    fn prepare(&mut self, cell: &Cell, trial: usize, _fresh: bool) -> Result<Prepared> {
        self.call()?;
        (self.cell, self.trial, self.loads) = (Some(cell.clone()), trial, 0);
        *self.rounds.entry(cell.key().to_owned()).or_default() += 1;
        self.clock += Duration::from_secs(120);
        let filled = self.not_filled.as_deref() != Some(cell.key());
        let warm = Warm { unexplained: self.wrong_rows(cell), ..Warm::default() };
        Ok(if filled { Prepared::Ready(warm) } else { Prepared::NotFilled("it was too slow".to_owned()) })
    }

    fn load(&mut self, load: &Load) -> Result<Observed> {
        self.call()?;
        let cell = self.cell.clone().unwrap();
        if self.node_ends_in.as_deref() == Some(cell.key()) {
            return Err(NodeEnded::new(
                "node2",
                "",
                LastWords { lines: vec!["no memory".to_owned()], ..LastWords::default() },
            )
            .into());
        }
        self.loads += 1;
        self.clock += load.length;
        let round = Normal::new(0.0, self.truth.noise).unwrap().sample(&mut self.random(0)).exp();
        let mut random = self.random(self.loads);
        let slower = self.truth.drift.filter(|(after, _)| self.trial >= *after).map_or(1.0, |(_, factor)| factor);
        let limit_per_s = self.truth.limit_per_s(&cell) / slower;
        let per_s = match load.pace {
            Pace::Open { per_s } => per_s,
            Pace::Closed { in_flight } => (in_flight as f64 / self.truth.idle_ms * 1e3).min(limit_per_s * 0.98),
        };
        let idle_share = (1.0 - per_s / limit_per_s).max(0.002);
        let median_ms = self.truth.idle_ms / idle_share * round;
        let (mut whole, mut parts) = (Histogram::<u64>::new(3)?, Vec::new());
        for _ in 0..PARTS {
            let mut part = Histogram::<u64>::new(2)?;
            let wave: f64 = random.sample(StandardNormal);
            let hiccup = if random.random_bool(0.01) { 3.0 } else { 1.0 };
            for _ in 0..SAMPLES {
                let normal: f64 = random.sample(StandardNormal);
                let ms = median_ms * hiccup * (0.03 * wave + SIGMA * normal).exp();
                let ns = (ms * 1e6) as u64;
                whole.record_n(ns, 50)?;
                part.record_n(ns, 50)?;
            }
            parts.push(encoded(&part)?);
        }
        let reached = per_s.min(limit_per_s);
        let operations = (reached * load.length.as_secs_f64()) as u64;
        Ok(Observed {
            rate_per_s: matches!(load.pace, Pace::Open { .. }).then_some(per_s),
            in_flight: 64,
            elapsed_s: load.length.as_secs_f64(),
            kinds: vec![KindObserved {
                name: "insert".to_owned(),
                operations,
                errors: 0,
                response: encoded(&whole)?,
                parts,
            }],
            rows_checked: operations,
            unexplained: self.wrong_rows(&cell),
            client: (per_s > self.truth.client_per_s).then(|| "client: its threads used 0.99 cores".to_owned()),
            ..Observed::default()
        })
    }

    /// Response times and CPU grow with its age.
    fn window(&mut self, per_s: f64, length: Duration, upkeep: &[Move]) -> Result<Window> {
        let hours = self.loads as f64 * length.as_secs_f64() / 3600.0;
        let (idle_ms, slower) = (self.truth.idle_ms, self.truth.ageing.powf(hours));
        self.truth.idle_ms = idle_ms * slower;
        let observed = self.load(&Load { pace: Pace::Open { per_s }, length });
        self.truth.idle_ms = idle_ms;
        let observed = observed?;
        let cpu_s = Some(observed.counts(None).0 as f64 * 200e-6 * slower);
        let moved = upkeep.iter().map(|step| Moved::well(*step, 0.0, 7.0)).collect();
        Ok(Window { observed, cpu_s, moved, ..Window::default() })
    }

    /// A node that is hurt takes its share of the capacity away; nothing succeeds for four seconds after it was hurt.
    fn course(&mut self, per_s: f64, timeline: &[Move], told: &mut Told<'_>) -> Result<Course> {
        self.call()?;
        let cell = self.cell.clone().unwrap();
        let mut times = 1.0;
        let (mut now_s, mut hurt, mut moved, mut seconds) = (0.0, Vec::new(), Vec::new(), Vec::new());
        for step in timeline {
            let (length_s, outage_s) = match step {
                Move::Wait(time) => (time.as_secs_f64(), 0.0),
                Move::Hurt(_, node) => {
                    told(Hurt::Making(step.mend().unwrap()))?;
                    hurt.push(*node);
                    (4.0, 4.0)
                }
                Move::Start(node) | Move::Resume(node) | Move::Replace(node) | Move::Failover(node) => {
                    told(Hurt::Mended(*step))?;
                    hurt.retain(|other| other != node);
                    (6.0, 0.0)
                }
                Move::LoseCopy | Move::Fill(_) | Move::Slow(_) | Move::Disturb(..) => {
                    told(Hurt::Making(step.mend().unwrap()))?;
                    (2.0, 1.0)
                }
                Move::Reattach | Move::Free | Move::Unslow | Move::Heal => {
                    told(Hurt::Mended(*step))?;
                    (3.0, 0.0)
                }
                Move::Upkeep(_) => (5.0, 0.0),
                Move::Step(multiple) => {
                    times = *multiple;
                    (0.0, 0.0)
                }
                Move::Ramp(_, time) | Move::Spike(_, time) => (time.as_secs_f64(), 0.0),
            };
            let per_s = per_s
                * match step {
                    Move::Spike(multiple, _) => *multiple,
                    _ => times,
                };
            let nodes = f64::from(cell.nodes()?);
            let limit_per_s = self.truth.limit_per_s(&cell) * (nodes - hurt.len() as f64) / nodes;
            for at in 0..length_s as usize {
                let from_s = now_s + at as f64;
                let fails = (at as f64) < outage_s;
                let mut response = Histogram::<u64>::new(2)?;
                let median_ms = self.truth.idle_ms / (1.0 - per_s / limit_per_s).max(0.002);
                if !fails {
                    response.record_n((median_ms * 1e6) as u64, 90)?;
                    response.record_n((median_ms * 2e6) as u64, 10)?;
                }
                let operations = per_s as u64;
                let kind = KindObserved {
                    name: "insert".to_owned(),
                    operations: if fails { 0 } else { operations },
                    errors: if fails { operations } else { 0 },
                    response: encoded(&response)?,
                    parts: Vec::new(),
                };
                let observed =
                    Observed { rate_per_s: Some(per_s), elapsed_s: 1.0, kinds: vec![kind], ..Observed::default() };
                seconds.push(Second { from_s, to_s: from_s + 1.0, observed });
            }
            let mut made = Moved::well(*step, now_s, now_s + length_s);
            made.streamed = match step {
                Move::Replace(_) => Some(STREAMED),
                Move::Failover(_) => Some(Streamed::NOTHING),
                _ => None,
            };
            moved.push(made);
            now_s += length_s;
        }
        self.clock += Duration::from_secs_f64(now_s);
        let mut whole = seconds[0].observed.clone();
        for second in &seconds[1..] {
            whole.add(&second.observed)?;
        }
        whole.rows_checked = 1000;
        Ok(Course { whole, seconds, moved, whole_again: true })
    }

    fn read_back(&mut self) -> Result<Option<Observed>> {
        self.call()?;
        Ok(Some(Observed { rows_checked: 100, ..Observed::default() }))
    }

    fn stored_bytes(&mut self) -> Option<u64> {
        Some(1 << 20)
    }

    fn end(&mut self) -> Result<()> {
        Ok(())
    }

    fn now(&self) -> Duration {
        self.clock
    }
}
