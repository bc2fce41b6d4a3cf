// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! CPUs by number, threads that keep to some of them, and how a client and its servers split a machine.

mod process;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::str::FromStr;
use std::thread;

use anyhow::{anyhow, ensure, Context, Result};
use nix::sched::{sched_getaffinity, sched_setaffinity, CpuSet};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// The calling thread, for the kernel.
const MYSELF: Pid = Pid::from_raw(0);

/// Some CPUs, at least one; written as `0,2-5`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cpus(BTreeSet<usize>);

impl Cpus {
    /// Those that the calling thread may use.
    pub fn of_this_thread() -> Result<Self> {
        Self::from_set(&sched_getaffinity(MYSELF).context("the kernel does not say which CPUs there are")?)
    }

    fn from_set(set: &CpuSet) -> Result<Self> {
        Self::new((0..CpuSet::count()).filter(|cpu| set.is_set(*cpu).unwrap_or(false)))
    }

    fn set(&self) -> Result<CpuSet> {
        let mut set = CpuSet::new();
        self.0.iter().try_for_each(|cpu| set.set(*cpu))?;
        Ok(set)
    }

    fn new(cpus: impl IntoIterator<Item = usize>) -> Result<Self> {
        let cpus: BTreeSet<usize> = cpus.into_iter().collect();
        ensure!(!cpus.is_empty(), "at least one CPU is expected");
        ensure!(cpus.iter().all(|cpu| *cpu < CpuSet::count()), "there is no CPU beyond {}", CpuSet::count() - 1);
        Ok(Self(cpus))
    }

    /// How many.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The calling thread keeps to them from now on; so do the threads and processes that it starts.
    pub fn keep_this_thread(&self) -> Result<()> {
        sched_setaffinity(MYSELF, &self.set()?).with_context(|| format!("this process may not use CPU {self}"))
    }

    /// Does something on them, in a thread of its own; so the processes that it starts keep to them, too.
    pub fn run<T: Send>(&self, what: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        let on_these = || self.keep_this_thread().and_then(|()| what());
        thread::scope(|scope| scope.spawn(on_these).join()).map_err(|_| anyhow!("a thread on CPU {self} failed"))?
    }

    /// The same where some are set aside; else here, on any.
    pub fn run_on<T: Send>(cpus: Option<&Self>, what: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        match cpus {
            Some(cpus) => cpus.run(what),
            None => what(),
        }
    }
}

impl fmt::Display for Cpus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for cpu in &self.0 {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == *cpu => *last = *cpu,
                _ => ranges.push((*cpu, *cpu)),
            }
        }
        let range = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
        formatter.write_str(&ranges.into_iter().map(range).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Cpus {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut cpus = BTreeSet::new();
        for part in text.trim().split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.trim().parse::<usize>().ok().filter(|cpu| *cpu < CpuSet::count());
            let range = number(first).zip(number(last)).filter(|(first, last)| first <= last);
            let (first, last) = range.with_context(|| format!("'{text}': CPUs as 0,2-5 are expected"))?;
            cpus.extend(first..=last);
        }
        Self::new(cpus)
    }
}

impl TryFrom<String> for Cpus {
    type Error = anyhow::Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Cpus> for String {
    fn from(cpus: Cpus) -> Self {
        cpus.to_string()
    }
}

/// A machine in two: the client's CPUs and those of all servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// The client's, and those of the tools that it starts.
    pub client: Cpus,
    /// The rest.
    pub servers: Cpus,
}

impl Split {
    /// The client's and the servers'.
    pub fn all(&self) -> Cpus {
        Cpus(self.client.0.union(&self.servers.0).copied().collect())
    }

    /// How many CPUs a client keeps unless told otherwise: a quarter, at least one; none of a single one.
    pub fn usual(all: &Cpus) -> usize {
        match all.len() {
            1 => 0,
            cpus => (cpus / 4).max(1),
        }
    }

    /// The client gets so many of these CPUs; `None` for none: then all share all. Threads of one core stay together as far as
    /// the number allows.
    pub fn of(all: &Cpus, client: usize) -> Result<Option<Self>> {
        Self::by_core(all, client, core)
    }

    fn by_core(all: &Cpus, client: usize, core: impl Fn(usize) -> usize) -> Result<Option<Self>> {
        if client == 0 {
            return Ok(None);
        }
        ensure!(
            client < all.len(),
            "the client cannot keep {client} of the {} CPUs here, for the servers need one",
            all.len()
        );
        let mut cpus: Vec<usize> = all.0.iter().copied().collect();
        cpus.sort_by_key(|cpu| (core(*cpu), *cpu));
        // The first CPU serves most interrupts of devices: those are the servers' doing.
        let clients = cpus.split_off(cpus.len() - client);
        Ok(Some(Self { client: Cpus::new(clients)?, servers: Cpus::new(cpus)? }))
    }
}

impl fmt::Display for Split {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "client on CPU {}, servers on CPU {}", self.client, self.servers)
    }
}

/// The first thread of the same core; itself where the kernel does not say.
fn core(cpu: usize) -> usize {
    let file = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    let siblings = fs::read_to_string(file).ok().and_then(|text| text.parse::<Cpus>().ok());
    siblings.and_then(|siblings| siblings.0.first().copied()).unwrap_or(cpu)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn cpus(text: &str) -> Cpus {
        text.parse().unwrap()
    }

    #[test]
    fn cpus_are_written_as_they_are_read() {
        for text in ["0", "0-1", "0,2-5,9"] {
            assert_eq!(cpus(text).to_string(), text);
        }
        assert_eq!(cpus("3,1,2,1").to_string(), "1-3");
        assert_eq!(serde_json::to_string(&cpus("0-1")).unwrap(), "\"0-1\"");
        assert_eq!(serde_json::from_str::<Cpus>("\"0-1\"").unwrap(), cpus("0-1"));
        for wrong in ["", "a", "2-1", "-1", "99999999", "1,,2"] {
            assert!(wrong.parse::<Cpus>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_client_keeps_whole_cores_where_it_can() {
        let apart = |all: &str, client| Split::by_core(&cpus(all), client, |cpu| cpu).unwrap();
        assert_eq!(apart("0-1", 1).unwrap().to_string(), "client on CPU 1, servers on CPU 0");
        assert_eq!(apart("0-1", 0), None);
        assert_eq!(apart("0-5", 2).unwrap().all(), cpus("0-5"));
        // Four cores of two threads each, numbered as Linux does.
        let twins = Split::by_core(&cpus("0-7"), 2, |cpu| cpu % 4).unwrap().unwrap();
        assert_eq!((twins.client, twins.servers), (cpus("3,7"), cpus("0-2,4-6")));
        let none_left = Split::by_core(&cpus("0-1"), 2, |cpu| cpu).unwrap_err().to_string();
        assert!(none_left.contains("2 of the 2 CPUs"), "{none_left}");
    }

    #[test]
    fn a_client_keeps_a_quarter_unless_told_otherwise() {
        let usual = |all: &str| Split::usual(&cpus(all));
        assert_eq!(["0", "0-1", "0-3", "0-6", "0-15"].map(usual), [0, 1, 1, 1, 4]);
    }

    #[test]
    fn what_runs_on_some_cpus_and_its_children_keep_to_them() {
        let all = Cpus::of_this_thread().unwrap();
        let one = Cpus::new(all.0.iter().copied().take(1)).unwrap();
        let (own, child) = one
            .run(|| {
                let said =
                    std::process::Command::new("grep").args(["Cpus_allowed_list", "/proc/self/status"]).output()?;
                Ok((Cpus::of_this_thread()?, String::from_utf8(said.stdout)?))
            })
            .unwrap();
        assert_eq!((&own, child.split_whitespace().nth(1)), (&one, Some(one.to_string().as_str())));
        assert_eq!(Cpus::of_this_thread().unwrap(), all, "only that thread");
    }
}
