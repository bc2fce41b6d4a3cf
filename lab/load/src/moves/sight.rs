// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Looks at all nodes, remembers what each said last, and says when that is enough.

use std::collections::HashMap;
use std::net::SocketAddr;

use anyhow::Result;

use super::bound::{Bound, Latency, Verdict};
use super::fleet::{Fleet, Look};
use super::home::{line, stand, Home, Move, Stand, Wish};
use super::ring::Place;

/// A line comes again after so many looks, if nothing but figures has changed.
const LINE_EVERY: u32 = 6;

/// Why a course ends before its end.
#[derive(Debug)]
pub struct Stop(pub String);

/// All that is known of the nodes.
pub struct Sight<'a> {
    fleet: &'a dyn Fleet,
    wish: Wish,
    bound: Bound,
    /// Looks in a row that a node may leave without an answer.
    silent_max: u32,
    tell: &'a dyn Fn(&str),
    homes: HashMap<SocketAddr, Home>,
    silent: HashMap<SocketAddr, u32>,
    /// When the line of a node was told, and its news.
    told: HashMap<SocketAddr, (u32, String)>,
    looks: u32,
}

impl<'a> Sight<'a> {
    /// Nothing is known yet. `tell` gets lines for people.
    pub fn new(fleet: &'a dyn Fleet, wish: Wish, bound: Bound, silent_max: u32, tell: &'a dyn Fn(&str)) -> Self {
        let (homes, silent, told) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { fleet, wish, bound, silent_max, tell, homes, silent, told, looks: 0 }
    }

    /// Looks until all nodes have answered.
    pub async fn first(&mut self) -> Result<(), Stop> {
        loop {
            self.look().await?;
            if self.all_answer() {
                return Ok(());
            }
            self.wait().await?;
        }
    }

    fn all_answer(&self) -> bool {
        self.silent.values().all(|looks| *looks == 0)
    }

    /// Whether the node has answered the last look.
    pub fn answers(&self, node: SocketAddr) -> bool {
        self.silent.get(&node) == Some(&0)
    }

    /// A look at the end, whatever it shows.
    pub async fn last(&mut self) {
        let looks = self.fleet.look().await;
        for (place, look) in self.fleet.places().iter().zip(looks) {
            let _ = self.heard(place, look); // how long a node is silent matters no more
        }
    }

    /// Waits until all nodes answer, and the clients fare no worse than the bound.
    pub async fn calm(&mut self) -> Result<(), Stop> {
        loop {
            self.wait().await?;
            if self.look().await? && self.all_answer() {
                return Ok(());
            }
        }
    }

    /// The next look.
    pub async fn next(&mut self) -> Result<(), Stop> {
        self.wait().await?;
        self.look().await.map(drop)
    }

    /// What a node said last; a move that nobody has said anything of is ahead.
    pub fn stand(&self, node: SocketAddr) -> Stand {
        self.homes.get(&node).map_or(Stand::ToMove, |home| stand(self.wish, home))
    }

    /// What a node said last.
    pub fn home(&self, node: SocketAddr) -> Option<&Home> {
        self.homes.get(&node)
    }

    /// A node has taken the direction: so it is until a look says better.
    pub fn directed(&mut self, node: SocketAddr) {
        let known = match self.homes.remove(&node) {
            Some(Home::Both(known)) => known,
            _ => Move { leaves_online: true, ..Move::default() },
        };
        let direction = self.wish.name().to_owned();
        self.homes.insert(node, Home::Both(Move { direction, waits_for: String::new(), ..known }));
    }

    /// How far a node is.
    pub fn line(&self, place: &Place) -> String {
        let home = self.homes.get(&place.address).map(|home| line(self.wish, home));
        format!("{}  {}  {}", place.rack, place.address, home.unwrap_or_else(|| "has not answered".to_owned()))
    }

    /// Tells the line of a node if it has news, or has not been told for some looks.
    pub fn tell_line(&mut self, place: &Place) {
        let news = match self.homes.get(&place.address) {
            Some(Home::Both(of)) => format!("{:?}", of.news()),
            other => format!("{other:?}"),
        };
        let old = self.told.get(&place.address);
        if old.is_none_or(|(look, told)| self.looks - look >= LINE_EVERY || *told != news) {
            self.told.insert(place.address, (self.looks, news));
            (self.tell)(&self.line(place));
        }
    }

    async fn wait(&self) -> Result<(), Stop> {
        if self.fleet.wait().await {
            return Err(Stop("interrupted".to_owned()));
        }
        Ok(())
    }

    /// Whether the bound is kept.
    async fn look(&mut self) -> Result<bool, Stop> {
        self.looks += 1;
        let looks = self.fleet.look().await;
        let mut latencies = Vec::new();
        let mut gone = Ok(());
        for (place, look) in self.fleet.places().iter().zip(looks) {
            match self.heard(place, look) {
                Ok(said) => latencies.extend(said),
                Err(stop) => gone = Err(stop),
            }
        }
        gone?;
        let (max_ms, many) = (self.bound.max_ms(), self.bound.looks());
        match self.bound.look(&latencies, self.all_answer()) {
            Verdict::Within(worst) => {
                if self.looks % LINE_EVERY == 2 {
                    let worst = worst.map_or_else(|| "no requests".to_owned(), |worst| worst.to_string());
                    (self.tell)(&format!("clients' worst P99: {worst}; bound {max_ms} ms"));
                }
                Ok(true)
            }
            Verdict::Above(worst, times) => {
                (self.tell)(&format!("clients' P99 above {max_ms} ms, look {times} of {many}: {worst}"));
                Ok(false)
            }
            Verdict::Passed(worst) => {
                Err(Stop(format!("the clients' P99 was above {max_ms} ms in {many} looks in a row, now {worst}")))
            }
        }
    }

    fn heard(&mut self, place: &Place, look: Result<Look>) -> Result<Vec<Latency>, Stop> {
        match look {
            Ok(look) => {
                self.silent.insert(place.address, 0);
                self.homes.insert(place.address, look.home);
                Ok(look.latencies)
            }
            Err(error) => {
                let looks = self.silent.entry(place.address).or_insert(0);
                *looks += 1;
                let (node, max) = (place.address, self.silent_max);
                if *looks >= max {
                    return Err(Stop(format!("{node} has not answered {looks} looks in a row: {error:#}")));
                }
                (self.tell)(&format!("{node} does not answer, look {looks} of {max}: {error:#}"));
                Ok(Vec::new())
            }
        }
    }
}
