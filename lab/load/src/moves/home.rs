// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Where a node has the rows of a table, and what that means for a move.

use std::time::Duration;

use clap::ValueEnum;

use crate::narrator::words;

/// What `waits_for` begins with when the next drain has only a tail left to write.
const READY: &str = "nodetool drain; ready: ";
const MIB: f64 = 1024.0 * 1024.0;

/// The direction that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Wish {
    /// Sstables move into the engine.
    In,
    /// Rows of the engine move into sstables, the last of them in a drain of the operator's.
    Out,
}

impl Wish {
    /// As the nodes' tool and tables have it.
    pub fn name(self) -> &'static str {
        match self {
            Wish::In => "in",
            Wish::Out => "out",
        }
    }
}

/// Where a node has the rows of the table.
#[derive(Clone, Debug, PartialEq)]
pub enum Home {
    /// In sstables; the node has no virtual tables of the engine.
    NoEngine,
    /// In sstables; the engine has other tables.
    Stock,
    /// In the engine.
    Engine,
    /// In both, or they are to leave the engine: a row of `cassiterite.moves`.
    Both(Move),
}

/// A row of `cassiterite.moves`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Move {
    /// in, hold or out.
    pub direction: String,
    /// Of the home that is left.
    pub bytes: u64,
    /// Of them.
    pub left_bytes: u64,
    /// 0 while nothing moves.
    pub bytes_per_second: u64,
    /// None while nothing moves.
    pub seconds_left: Option<u64>,
    /// Empty: for nothing.
    pub waits_for: String,
    /// Empty: none.
    pub last_error: String,
    /// Whether rows leave the engine while the node runs. Else all of them leave in the drain.
    pub leaves_online: bool,
}

/// What is to be done on a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Stand {
    /// Nothing, and why.
    Done(String),
    /// The operator must do something first.
    NotYet(String),
    /// The table has to move, or moves.
    ToMove,
}

/// What a node's rows mean for the wish.
pub fn stand(wish: Wish, home: &Home) -> Stand {
    let before = "the table enters by a restart: drain the node, stop it,";
    match (wish, home) {
        (Wish::In, Home::NoEngine) => Stand::NotYet(format!(
            "no table of it is in the engine, or it has no plug-in; {before} install the plug-in, map the table's key to the engine, start"
        )),
        (Wish::In, Home::Stock) => {
            Stand::NotYet(format!("the table's key is mapped to a stock class; {before} map it to the engine, start"))
        }
        (Wish::In, Home::Engine) => Stand::Done("all rows are in the engine".to_owned()),
        (Wish::Out, Home::NoEngine | Home::Stock) => Stand::Done("a stock table".to_owned()),
        (Wish::Out, Home::Both(of)) if of.direction == wish.name() && of.waits_for.starts_with(READY) => Stand::Done(
            format!("{}; then map the table's key to a stock class, and restart it", of.waits_for),
        ),
        (Wish::Out, Home::Both(of)) if of.direction == wish.name() && !of.leaves_online => Stand::Done(
            "nodetool drain, which writes all of its rows; then map the table's key to a stock class, and restart it".to_owned(),
        ),
        _ => Stand::ToMove,
    }
}

/// Whether the table moves on a node as it is wished, or would as soon as it can.
pub fn moves(wish: Wish, home: &Home) -> bool {
    matches!(home, Home::Both(of) if of.direction == wish.name()) && stand(wish, home) == Stand::ToMove
}

/// How far it is, in one line.
pub fn line(wish: Wish, home: &Home) -> String {
    match (stand(wish, home), home) {
        (Stand::Done(what) | Stand::NotYet(what), _) => what,
        (Stand::ToMove, Home::Both(of)) => of.line(),
        (Stand::ToMove, _) => "all rows are in the engine, none has left".to_owned(),
    }
}

impl Move {
    fn line(&self) -> String {
        let dash = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
        let mut line = format!("{}  {:.1} of {:.1} MiB left", self.direction, mib(self.left_bytes), mib(self.bytes));
        if self.bytes_per_second > 0 {
            line += &format!(", {:.1} MiB/s", mib(self.bytes_per_second));
        }
        if let Some(seconds) = self.seconds_left {
            line += &format!(", {}", words(Duration::from_secs(seconds)));
        }
        format!("{line}; waits for: {}; last error: {}", dash(&self.waits_for), dash(&self.last_error))
    }

    /// What is told at once when it changes.
    pub fn news(&self) -> (&str, &str, &str) {
        (&self.direction, &self.waits_for, &self.last_error)
    }
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / MIB
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]
    use super::*;

    fn both(direction: &str) -> Move {
        Move { direction: direction.to_owned(), leaves_online: true, ..Move::default() }
    }

    #[test]
    fn a_stock_node_cannot_move_in_and_need_not_move_out() {
        for home in [Home::NoEngine, Home::Stock] {
            let Stand::NotYet(why) = stand(Wish::In, &home) else { panic!("{home:?} moves in") };
            assert!(why.contains("map") && why.contains("to the engine, start"), "{why}");
            assert_eq!(stand(Wish::Out, &home), Stand::Done("a stock table".to_owned()));
        }
    }

    #[test]
    fn a_table_in_the_engine_is_done_one_way_and_to_move_the_other() {
        assert!(matches!(stand(Wish::In, &Home::Engine), Stand::Done(_)));
        assert_eq!(stand(Wish::Out, &Home::Engine), Stand::ToMove);
        assert!(!moves(Wish::Out, &Home::Engine), "nobody has said so yet");
    }

    #[test]
    fn what_moves_already_is_not_done_and_a_move_that_is_held_goes_on() {
        let [moving, held] = ["in", "hold"].map(|direction| Home::Both(both(direction)));
        assert_eq!((stand(Wish::In, &moving), moves(Wish::In, &moving)), (Stand::ToMove, true));
        assert_eq!((stand(Wish::In, &held), moves(Wish::In, &held)), (Stand::ToMove, false));
    }

    #[test]
    fn what_has_left_but_for_a_tail_is_the_operators() {
        let tail = Move { waits_for: "nodetool drain; ready: 3 MiB in the engine".to_owned(), ..both("out") };
        let Stand::Done(what) = stand(Wish::Out, &Home::Both(tail.clone())) else { panic!("{tail:?} goes on") };
        assert!(what.contains("ready: 3 MiB") && what.contains("restart"), "{what}");
        assert_eq!(stand(Wish::In, &Home::Both(tail)), Stand::ToMove);
        assert_eq!(stand(Wish::Out, &Home::Both(both("out"))), Stand::ToMove);
        let offline = Move { leaves_online: false, ..both("out") };
        assert!(matches!(stand(Wish::Out, &Home::Both(offline)), Stand::Done(_)));
    }

    #[test]
    fn a_line_has_what_is_left_how_fast_how_long_and_what_is_in_the_way() {
        let of = Move {
            bytes: 3 << 20,
            left_bytes: 2 << 20,
            bytes_per_second: 1 << 19,
            seconds_left: Some(4),
            waits_for: "space".to_owned(),
            ..both("in")
        };
        let expected = "in  2.0 of 3.0 MiB left, 0.5 MiB/s, 4 s; waits for: space; last error: -";
        assert_eq!(line(Wish::In, &Home::Both(of)), expected);
    }
}
