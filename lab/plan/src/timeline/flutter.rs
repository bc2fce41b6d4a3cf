// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A timeline as the user writes it. One of its words, `flutter`, stands for several moves.

use anyhow::{ensure, Context, Result};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::Move;

const WORD: &str = "flutter";
const TIMES_MAX: usize = 1_000;

/// Reads the words of a timeline.
pub fn written<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<Move>, D::Error> {
    let words = Vec::<String>::deserialize(source)?;
    let moves = words.iter().map(|word| moves(word)).collect::<Result<Vec<_>>>();
    moves.map(|moves| moves.concat()).map_err(|error| D::Error::custom(format!("{error:#}")))
}

fn moves(text: &str) -> Result<Vec<Move>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.first() != Some(&WORD) {
        return Ok(vec![text.parse()?]);
    }
    let expected = || format!("'{text}': a node, two times and a number are expected, as in `flutter 2 3s 10s 5`");
    let [_, node, hangs, runs, times] = words[..] else { return Err(anyhow::anyhow!(expected())) };
    let times: usize = times.parse().with_context(expected)?;
    ensure!((1..=TIMES_MAX).contains(&times), "'{text}': once to {TIMES_MAX} times");
    let once = [format!("pause {node}"), format!("wait {hangs}"), format!("resume {node}"), format!("wait {runs}")];
    let once = once.iter().map(|word| word.parse().with_context(expected)).collect::<Result<Vec<Move>>>()?;
    Ok(once.repeat(times))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_node_that_flutters_hangs_and_goes_on_so_many_times() {
        let flutters: Vec<String> = moves("flutter 2 3s 10s 2").unwrap().iter().map(Move::to_string).collect();
        let once = ["pause 2", "wait 3s", "resume 2", "wait 10s"];
        assert_eq!(flutters, [once, once].concat());
        assert_eq!(moves("kill 2").unwrap(), ["kill 2".parse().unwrap()]);
    }

    #[test]
    fn what_does_not_flutter_is_told() {
        for text in [
            "flutter",
            "flutter 2",
            "flutter x 3s 10s 2",
            "flutter 2 3 10s 2",
            "flutter 2 3s 10s 2 1",
            "flutter 2 3s 10s x",
        ] {
            let error = format!("{:#}", moves(text).unwrap_err());
            assert!(error.contains("as in `flutter 2 3s 10s 5`"), "{text}: {error}");
        }
        assert!(moves("flutter 2 3s 10s 0").unwrap_err().to_string().contains("once to"));
    }
}
