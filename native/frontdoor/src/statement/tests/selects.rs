// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Requests and responses are those of Cassandra, on random tables with random content (tests/golden/README.md).

use super::support::unhex;
use crate::reason::Reason;
use crate::statement::execute::Execute;
use crate::statement::recipe::Recipe;
use crate::statement::response::Answer;
use std::ops::Range;

const GOLDEN: &str = include_str!("../../../tests/golden/selects.txt");
/// How much of an answer is wanted at first is the door's own choice.
const CHUNK: Range<usize> = 2..10;
const POINTS: u8 = 4;

struct Case {
    recipe: Vec<u8>,
    version: u8,
    execute: Vec<u8>,
    now_s: i64,
    /// Empty where Cassandra knows without a read that nothing is left.
    request: Vec<u8>,
    answer: Vec<u8>,
    result: Vec<u8>,
}

impl Case {
    fn read(line: &str) -> Case {
        let bytes = |hex: &str| if hex == "." { Vec::new() } else { unhex(hex) };
        let [recipe, version, execute, now_s, request, answer, result] =
            line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        Case {
            recipe: bytes(recipe),
            version: version.parse().unwrap(),
            execute: bytes(execute),
            now_s: now_s.parse().unwrap(),
            request: bytes(request),
            answer: bytes(answer),
            result: bytes(result),
        }
    }

    fn answer(&self) -> Result<(), Reason> {
        let recipe = Recipe::decode(&self.recipe).unwrap();
        let execute = Execute::parse(self.version, &self.execute)?;
        let (mut request, mut body) = (Vec::new(), Vec::new());
        recipe.read_request(&execute, &mut request)?;
        // The plug-in reads a slice of one row as that row.
        let is_alike = self.request.get(1).is_some_and(|flags| (flags ^ request[1]) & POINTS == 0);
        if is_alike {
            let without_chunk = |request: &[u8]| [&request[..CHUNK.start], &request[CHUNK.end..]].concat();
            assert_eq!(without_chunk(&request), without_chunk(&self.request));
        }
        let answer = Answer { entries: &self.answer, is_complete: true };
        recipe.rows(&execute, answer, self.now_s, u32::MAX, &mut body)?;
        assert_eq!(body, self.result);
        Ok(())
    }
}

#[test]
fn answers_are_those_of_cassandra() {
    let (mut answered, mut forwarded) = (0, 0);
    for (number, line) in GOLDEN.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let case = Case::read(line);
        let outcome = std::panic::catch_unwind(|| case.answer());
        match outcome.unwrap_or_else(|_| panic!("line {}", number + 1)) {
            Ok(()) => answered += 1,
            // Empty values of keys, and pages of version 3.
            Err(Reason::InvalidValue) => forwarded += 1,
            Err(Reason::MorePages | Reason::PagingState) if case.version == 3 => forwarded += 1,
            Err(reason) => panic!("line {}: {reason:?}", number + 1),
        }
    }
    assert!(answered > 4 * forwarded, "{answered} answered, {forwarded} forwarded");
}
