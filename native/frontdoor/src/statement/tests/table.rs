// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A table of one partition, clustered by one int, that is read as the engine reads.

use super::support::*;
use crate::reason::Reason;
use crate::statement::execute::Execute;
use crate::statement::recipe::Recipe;
use crate::statement::response::{Answer, Served};

/// Rows in clustering order, each with its form and its fragment; and what comes before them.
#[derive(Default)]
pub(super) struct Table {
    pub prelude: Vec<u8>,
    pub rows: Vec<(Vec<u8>, Vec<u8>)>,
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken
}

fn number(bytes: &mut &[u8]) -> usize {
    u32::from_le_bytes(take(bytes, 4).try_into().unwrap()) as usize
}

fn counted<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let length = number(bytes);
    take(bytes, length)
}

impl Table {
    /// The entries that answer a read request, and how many bytes are wanted at first.
    pub(super) fn read(&self, request: &[u8]) -> (Vec<Vec<u8>>, usize) {
        let bytes = &mut &request[1..];
        let flags = take(bytes, 1)[0];
        let (chunk_bytes, rows) = (number(bytes), number(bytes));
        assert_eq!(rows, 0, "rows that are dead do not count, and the engine does not know them");
        counted(bytes);
        let mut places: Vec<_> = (0..number(bytes))
            .map(|_| {
                let start = counted(bytes);
                (start, if flags & 4 != 0 { start } else { counted(bytes) })
            })
            .collect();
        assert!(bytes.is_empty());
        assert!(places.windows(2).all(|pair| pair[0].1 <= pair[1].0), "disjoint, in order");
        assert!(places.iter().all(|(start, end)| flags & 4 != 0 || start < end), "not empty");
        if flags & 1 != 0 {
            places.reverse();
        }
        let mut entries = vec![self.prelude.clone()];
        for (start, end) in places {
            let is_within = |form: &[u8]| start <= form && form <= end;
            let mut rows: Vec<_> = self.rows.iter().filter(|row| is_within(&row.0)).collect();
            if flags & 1 != 0 {
                rows.reverse();
            }
            entries.extend(rows.into_iter().map(|row| entry(ROW, &row.1)));
            entries.push(entry(SLICE_END, &[]));
        }
        (entries, chunk_bytes)
    }

    /// The body of the response to a request.
    pub(super) fn execute(&self, recipe: &Recipe, execute: &ExecuteBytes) -> Result<(Vec<u8>, Served), Reason> {
        let body = execute.encode();
        let execute = Execute::parse(execute.version, &body)?;
        let (mut request, mut response) = (Vec::new(), Vec::new());
        recipe.read_request(&execute, &mut request)?;
        let (entries, _) = self.read(&request);
        let answer = Answer { entries: &entries.concat(), is_complete: true };
        let served = recipe.rows(&execute, answer, NOW_S, 1000, &mut response)?;
        Ok((response, served))
    }
}
