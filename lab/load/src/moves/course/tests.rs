// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a course does with clusters that exist only here.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::cell::{Cell, RefCell};

use anyhow::{bail, Result};
use async_trait::async_trait;

use super::super::bound::Latency;
use super::super::fleet::Look;
use super::super::home::Move;
use super::*;

/// Nodes of which each look takes one chunk of those that move.
struct Simulated {
    places: Vec<Place>,
    homes: RefCell<Vec<Home>>,
    orders: RefCell<Vec<String>>,
    looks: Cell<u32>,
    p99_ms: Box<dyn Fn(u32) -> f64>,
    /// From which look on the last node does not answer.
    silent_from: u32,
    /// Nodes that take no order.
    deaf: Vec<usize>,
    /// Nodes that take it, and fail to say so.
    mute: Vec<usize>,
    interrupted_at: u32,
}

fn beside(direction: &str, chunks: u64) -> Home {
    Home::Both(Move {
        direction: direction.to_owned(),
        bytes: chunks,
        left_bytes: chunks,
        leaves_online: true,
        ..Move::default()
    })
}

/// `10.0.0.N`, two to a rack.
fn cluster(homes: &[Home]) -> Simulated {
    let place = |number: usize| Place {
        address: format!("10.0.0.{}:9042", number + 1).parse().unwrap(),
        rack: format!("a/{}", number / 2 + 1),
    };
    Simulated {
        places: (0..homes.len()).map(place).collect(),
        homes: RefCell::new(homes.to_vec()),
        orders: RefCell::default(),
        looks: Cell::default(),
        p99_ms: Box::new(|_| 1.0),
        silent_from: u32::MAX,
        deaf: Vec::new(),
        mute: Vec::new(),
        interrupted_at: u32::MAX,
    }
}

#[async_trait(?Send)]
impl Fleet for Simulated {
    fn places(&self) -> &[Place] {
        &self.places
    }

    async fn look(&self) -> Vec<Result<Look>> {
        let looks = self.looks.get() + 1;
        self.looks.set(looks);
        assert!(looks < 1000, "no end");
        let mut seen = Vec::new();
        for (number, home) in self.homes.borrow_mut().iter_mut().enumerate() {
            if let Home::Both(of) = home {
                // What waits does not move.
                of.left_bytes -= u64::from(of.direction == "in" && of.waits_for.is_empty());
                if of.left_bytes == 0 {
                    *home = Home::Engine;
                }
            }
            if number + 1 == self.places.len() && looks >= self.silent_from {
                seen.push(Err(anyhow::anyhow!("no answer")));
                continue;
            }
            let latency = Latency {
                node: self.places[number].address,
                table: "orders".to_owned(),
                kind: "write",
                count: u64::from(looks),
                p99_ms: (self.p99_ms)(looks),
            };
            seen.push(Ok(Look { home: home.clone(), latencies: vec![latency] }));
        }
        seen
    }

    async fn direct(&self, nodes: &[Place], direction: &str) -> Vec<Result<()>> {
        let one = |node: &Place| {
            let number = self.places.iter().position(|place| place == node).unwrap();
            if self.deaf.contains(&number) {
                bail!("it has an index");
            }
            self.orders.borrow_mut().push(format!("{} {direction}", number + 1));
            if let Home::Both(of) = &mut self.homes.borrow_mut()[number] {
                of.direction = direction.to_owned();
            }
            if self.mute.contains(&number) && direction != "hold" {
                bail!("no answer within 60 s");
            }
            Ok(())
        };
        nodes.iter().map(one).collect()
    }

    async fn wait(&self) -> bool {
        self.looks.get() >= self.interrupted_at
    }
}

const PATIENCE: Patience = Patience { silent: 3, idle: 4 };

fn run(cluster: &Simulated) -> (End, Vec<String>) {
    let told = RefCell::new(Vec::new());
    let tell = |line: &str| told.borrow_mut().push(line.to_owned());
    let course = Course::new(cluster, Wish::In, Bound::new(20.0, 2), PATIENCE, &tell);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let end = runtime.block_on(course.run());
    (end, told.into_inner())
}

fn orders(cluster: &Simulated) -> Vec<String> {
    cluster.orders.borrow().clone()
}

fn address(number: u8) -> SocketAddr {
    format!("10.0.0.{number}:9042").parse().unwrap()
}

#[test]
fn a_rack_begins_when_the_one_before_is_done() {
    let cluster = cluster(&[beside("hold", 3), beside("hold", 5), beside("hold", 2), beside("hold", 2)]);
    assert_eq!(run(&cluster).0, End::Done);
    assert_eq!(orders(&cluster), ["1 in", "2 in", "3 in", "4 in"]);
    assert!(cluster.looks.get() >= 8, "the second rack waits for the larger node of the first");
}

#[test]
fn it_goes_on_where_another_run_has_stopped() {
    let cluster = cluster(&[Home::Engine, beside("hold", 2), Home::Engine, Home::Engine]);
    let (end, told) = run(&cluster);
    assert_eq!((end, orders(&cluster)), (End::Done, vec!["2 in".to_owned()]));
    let first = told.iter().find(|line| line.contains("10.0.0.1")).unwrap();
    assert!(first.ends_with("all rows are in the engine"), "{first}");
}

#[test]
fn nodes_that_wait_for_their_operator_are_named_and_left() {
    let cluster = cluster(&[beside("hold", 2), Home::Stock, Home::NoEngine, Home::NoEngine]);
    let (end, told) = run(&cluster);
    assert_eq!(end, End::Left(vec![address(2), address(3), address(4)]));
    assert_eq!(orders(&cluster), ["1 in"]);
    assert!(told.iter().any(|line| line.contains("10.0.0.2") && line.contains("mapped to a stock class")), "{told:?}");
}

#[test]
fn a_bound_that_is_passed_holds_all_that_move_of_any_rack() {
    let mut cluster = cluster(&[beside("hold", 90), beside("hold", 1), beside("hold", 9), beside("in", 90)]);
    cluster.p99_ms = Box::new(|looks| if looks > 5 { 21.0 } else { 2.0 });
    let (end, told) = run(&cluster);
    let End::Stopped { why, moving } = end else { panic!("{end:?}") };
    assert!(why.contains("above 20 ms in 2 looks") && why.contains("21.000 ms (write of orders"), "{why}");
    assert_eq!(moving, []);
    assert_eq!(orders(&cluster), ["1 in", "2 in", "1 hold", "4 hold"], "{told:?}");
}

#[test]
fn nothing_begins_while_the_bound_is_passed_already() {
    let mut cluster = cluster(&[beside("hold", 3)]);
    cluster.p99_ms = Box::new(|_| 30.0);
    assert!(matches!(run(&cluster).0, End::Stopped { .. }));
    assert_eq!(orders(&cluster), Vec::<String>::new());
}

#[test]
fn a_node_that_falls_silent_stops_all_and_one_that_cannot_be_held_is_named() {
    let mut cluster = cluster(&[beside("hold", 90), beside("hold", 90), Home::Engine]);
    cluster.silent_from = 6;
    let (end, told) = run(&cluster);
    let End::Stopped { why, .. } = end else { panic!("{end:?}") };
    assert!(why.contains("10.0.0.3:9042 has not answered 3 looks"), "{why}");
    assert_eq!(orders(&cluster), ["1 in", "2 in", "1 hold", "2 hold"], "{told:?}");
}

#[test]
fn a_node_that_does_not_take_the_order_stops_those_that_did() {
    let mut cluster = cluster(&[beside("hold", 90), beside("hold", 90)]);
    cluster.deaf = vec![1];
    let (end, _) = run(&cluster);
    let End::Stopped { why, moving } = end else { panic!("{end:?}") };
    assert!(why.contains("10.0.0.2:9042 does not take 'in': it has an index"), "{why}");
    assert_eq!((moving, orders(&cluster)), (Vec::new(), vec!["1 in".to_owned(), "1 hold".to_owned()]));
}

#[test]
fn a_node_that_moves_and_cannot_be_held_is_named() {
    let mut cluster = cluster(&[beside("in", 90), beside("hold", 90)]);
    cluster.deaf = vec![0];
    let End::Stopped { moving, .. } = run(&cluster).0 else { panic!("it went on") };
    assert_eq!(moving, [address(1)]);
}

#[test]
fn what_waits_too_long_stops() {
    let Home::Both(waits) = beside("hold", 3) else { panic!() };
    let cluster = cluster(&[Home::Both(Move { waits_for: "space".to_owned(), ..waits })]);
    let End::Stopped { why, .. } = run(&cluster).0 else { panic!("it went on") };
    assert!(why.contains("nothing has moved in 4 looks") && why.contains("waits for: space"), "{why}");
    assert_eq!(orders(&cluster), ["1 in", "1 hold"]);
}

#[test]
fn a_signal_holds_what_moves() {
    let mut cluster = cluster(&[beside("hold", 90)]);
    cluster.interrupted_at = 5;
    let End::Stopped { why, .. } = run(&cluster).0 else { panic!("it went on") };
    assert_eq!((why.as_str(), orders(&cluster)), ("interrupted", vec!["1 in".to_owned(), "1 hold".to_owned()]));
}

#[test]
fn a_node_that_took_the_direction_without_saying_so_is_held() {
    let mut cluster = cluster(&[beside("hold", 9), beside("hold", 9)]);
    cluster.mute = vec![1];
    let End::Stopped { why, moving } = run(&cluster).0 else { panic!("it went on") };
    assert!(why.contains("10.0.0.2:9042 does not take 'in'"), "{why}");
    assert_eq!(moving, []);
    assert_eq!(orders(&cluster), ["1 in", "2 in", "1 hold", "2 hold"]);
}

#[test]
fn a_node_of_which_nobody_knows_whether_it_moves_is_named() {
    let mut cluster = cluster(&[beside("hold", 9), beside("hold", 9)]);
    (cluster.deaf, cluster.silent_from) = (vec![1], 3);
    let End::Stopped { moving, .. } = run(&cluster).0 else { panic!("it went on") };
    assert_eq!(moving, [address(2)]);
}
