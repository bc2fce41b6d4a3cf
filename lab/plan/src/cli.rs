// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The command line of `cassiterite plan`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{bail, ensure, Context, Result};
use clap::{Args, Subcommand};
use procfs::Current;

use crate::file::init::Template;
use crate::file::schema;
use crate::file::PlanFile;
use crate::grid::plan::Plan;
use crate::grid::refusals::{self, Findings};
use crate::journal::identity::Identity;
use crate::journal::{Entry, Journal, Thing};
use crate::quantity::Time;
use crate::results::answer::Answer;
use crate::results::overview;
use crate::results::report;
use crate::runner::clean::{self, clean};
use crate::runner::run::Runner;
use crate::targets::existing::Existing;
use crate::targets::local::{Local, Place};
use crate::targets::Target;
use crate::trials::trial::Trial;
use lab_compare::lock_clusters;
use lab_load::narrator::Narrator;
use lab_node::cluster::Interrupt;
use lab_node::cpus::{Cpus, Split};

/// `cassiterite plan`.
#[derive(Args, Debug)]
pub struct PlanCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Print an article as a plan file, to begin with.
    Init {
        /// The article.
        article: Template,
    },
    /// Read a plan, refuse what is wrong with it, list cells, memory, disk, money and time; nothing starts.
    Check {
        /// The plan file.
        #[arg(required_unless_present = "schema")]
        file: Option<PathBuf>,
        /// Print the JSON Schema of plan files, for editors.
        #[arg(long)]
        schema: bool,
    },
    /// Measure until the answer is there; a second time goes on where the first ended.
    Run(Box<RunOptions>),
    /// Write text, plan.json, cells.csv and index.html again, from the journal alone.
    Report {
        /// The folder of a run.
        folder: PathBuf,
    },
    /// Take away what a killed run left behind: nodes, their files and fences.
    Clean {
        /// The folder of a run.
        folder: PathBuf,
    },
}

#[derive(Args, Debug)]
struct RunOptions {
    /// The plan file.
    file: PathBuf,
    /// Folder for journal, reports and, while it runs, the cluster.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Time for all of it, as 6h; goes before the file's.
    #[arg(long)]
    budget: Option<Time>,
    /// Only these cells, as engine=stock,nodes=3.
    #[arg(long, value_name = "CELLS")]
    only: Option<String>,
    /// Set an earlier journal aside and begin anew.
    #[arg(long)]
    anew: bool,
    /// First CQL port; storage and JMX ports come after it.
    #[arg(long, default_value_t = 29_142)]
    port: u16,
    /// Nodes in test mode (serial GC, no C2 compiler): quick to start, the numbers mean nothing.
    #[arg(long)]
    fast_nodes: bool,
}

impl PlanCommand {
    /// Runs the command; the exit code is the process's: 0 a configuration meets, 1 none does, 2 refused, invalid or undecided.
    pub fn run(self) -> Result<ExitCode> {
        match self.action {
            Action::Init { article } => {
                print!("{}", article.text());
                Ok(ExitCode::SUCCESS)
            }
            Action::Check { schema: true, .. } => {
                println!("{}", schema::json()?);
                Ok(ExitCode::SUCCESS)
            }
            Action::Check { file, .. } => check(&file.context("the plan file is missing")?),
            Action::Run(options) => options.run(),
            Action::Report { folder } => reported(&folder),
            Action::Clean { folder } => {
                let on_this_machine = Journal::view(&folder)?.begun()?.1.target.is_none();
                // Clusters of one machine share ports and chains of the firewall.
                let _lock = on_this_machine.then(lock_clusters).transpose()?;
                let cleaned = clean(&folder)?;
                cleaned.gone.iter().for_each(|thing| println!("gone: {thing}"));
                if cleaned.whole()?.gone.is_empty() {
                    println!("nothing was left behind");
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

fn check(path: &Path) -> Result<ExitCode> {
    let plan = Plan::new(PlanFile::read(path)?)?;
    let cpus = split(&plan)?;
    let findings = findings(&plan, cpus.as_ref(), Path::new("."))?;
    print!("{}", overview::text(&plan, &findings)?);
    Ok(if findings.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

fn reported(folder: &Path) -> Result<ExitCode> {
    let journal = Journal::view(folder)?;
    let (_, file) = journal.begun()?;
    let (plan, trials) = (Plan::new(file.clone())?, journal.trials());
    let answer = Answer::of(&plan, &trials)?;
    report::write(folder, &plan, &answer, &journal)?;
    print!("{}", report::text(&plan, &answer, &trials, &journal));
    Ok(ExitCode::from(answer.exit_code()))
}

fn split(plan: &Plan) -> Result<Option<Split>> {
    if plan.file.target.is_some() {
        // The servers are elsewhere.
        return Ok(None);
    }
    let here = Cpus::of_this_thread()?;
    let client = plan.file.client.cpus.unwrap_or_else(|| Split::usual(&here));
    Split::of(&here, client).context("client.cpus")
}

fn findings(plan: &Plan, cpus: Option<&Split>, folder: &Path) -> Result<Findings> {
    let absolute = std::path::absolute(folder)?;
    let there = absolute.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    let memory_bytes = procfs::Meminfo::current().context("cannot read /proc/meminfo")?.mem_total;
    refusals::check(plan, &refusals::Machine { memory_bytes, free_bytes: refusals::free_bytes(there)?, cpus })
}

impl RunOptions {
    fn run(&self) -> Result<ExitCode> {
        ensure!(self.port <= u16::MAX - 100, "--port {}: there is no room for the ports after it", self.port);
        let mut file = PlanFile::read(&self.file)?;
        file.budget = self.budget.or(file.budget);
        // The whole plan goes into the journal; what --only leaves out is not run.
        let whole = Plan::new(file.clone())?;
        let plan = self.only.as_ref().map_or(Ok(whole.clone()), |only| whole.clone().only(only))?;
        let cpus = split(&plan)?;
        let findings = findings(&plan, cpus.as_ref(), &self.out)?;
        if !findings.refused.is_empty() {
            bail!("the plan is refused: {}", findings.refused.join("; "));
        }
        let _lock = plan.file.target.is_none().then(lock_clusters).transpose()?;
        let identity = Identity { fast_nodes: self.fast_nodes, ..Identity::of(&file)? };
        let mut journal = self.journal(&identity, &file)?;
        if let Some(split) = &cpus {
            // Before there is another thread: all that this process starts, but servers, keeps to the client's CPUs.
            split.client.keep_this_thread()?;
        }
        let (interrupt, narrator) = (Interrupt::listen()?, Narrator::new());
        findings.warnings.iter().for_each(|warning| narrator.say(&format!("warning: {warning}")));
        findings.notes.iter().for_each(|note| narrator.say(&format!("note: {note}")));
        narrator.say(&format!("{} cells; {}", plan.cells.len(), overview::hours(&plan)?));
        if let Some(of) = &plan.file.target {
            clean::mend(&mut journal, of, &plan.keyspace()?).whole()?;
        }
        let things = self.things(&plan)?;
        for thing in &things {
            journal.add(Entry::Making { thing: thing.clone() })?;
        }
        let ran = match &plan.file.target {
            Some(of) => run_on(Existing::new(&plan, of, interrupt, &narrator)?, &plan, &mut journal, &narrator),
            None => {
                let out = std::path::absolute(&self.out)?;
                let (base, volumes) = (out.join("cluster"), out.join("volumes"));
                let place = Place { base, volumes, port: self.port, fast: self.fast_nodes, cpus };
                run_on(Local::new(&plan, place, interrupt, &narrator), &plan, &mut journal, &narrator)
            }
        };
        if ran.is_err() && !journal.trials().is_empty() {
            // Hours of trials are not lost to what came after them.
            let known = journal.trials();
            report::write(&self.out, &plan, &Answer::of(&plan, &known)?, &journal)?;
            narrator.say(&format!("reports of the {} trials that ended are in {}", known.len(), self.out.display()));
        }
        let trials = ran?;
        for thing in things {
            journal.add(Entry::Gone { thing })?;
        }
        let answer = Answer::of(&plan, &trials)?;
        report::write(&self.out, &plan, &answer, &journal)?;
        drop(narrator);
        print!("{}", report::text(&plan, &answer, &trials, &journal));
        Ok(ExitCode::from(answer.exit_code()))
    }

    /// What is made outside of this process.
    fn things(&self, plan: &Plan) -> Result<Vec<Thing>> {
        if plan.file.target.is_some() {
            return Ok(vec![Thing::Keyspace(plan.keyspace()?)]);
        }
        let out = std::path::absolute(&self.out)?;
        Ok(vec![Thing::Cluster(out.join("cluster")), Thing::Volumes(out.join("volumes"))])
    }

    fn journal(&self, identity: &Identity, file: &PlanFile) -> Result<Journal> {
        if !Journal::is_in(&self.out) {
            return Journal::create(&self.out, identity.clone(), file.clone());
        }
        if self.anew {
            match Journal::view(&self.out) {
                Ok(_) => drop(clean(&self.out)?.whole()?),
                Err(error) => eprintln!("warning: what that run left behind is not known and stays: {error:#}"),
            }
            Journal::set_aside(&self.out)?;
            return Journal::create(&self.out, identity.clone(), file.clone());
        }
        let journal = Journal::open(&self.out)?;
        let differences = identity.differences(journal.begun()?.0)?;
        ensure!(
            differences.is_empty(),
            "{} has the journal of another run: {} differ; say --anew, or another --out",
            self.out.display(),
            differences.join(", ")
        );
        Ok(journal)
    }
}

/// Runs a plan on a target, and takes everything away before it returns.
fn run_on(mut target: impl Target, plan: &Plan, journal: &mut Journal, narrator: &Narrator) -> Result<Vec<Trial>> {
    let ran = Runner::new(plan, &mut target, journal, narrator)?.run();
    let ended = target.end();
    drop(target);
    let trials = ran?;
    ended.map(|()| trials)
}
