// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Pages, one after the other, have what one read has, and end where Cassandra's end.

use super::slices::{bottom, slices, top};
use super::support::*;
use super::table::Table;
use crate::reason::Reason;
use cassiterite_codec::row::{Cell, Liveness};
use cassiterite_codec::DeletionTime;
use proptest::prelude::*;

/// Rows with these clusterings; those divisible by three are dead. The static row is live.
fn table(clusterings: &[i32]) -> Table {
    let row = |number: &i32| {
        let form = [&[0x40][..], &(number ^ i32::MIN).to_be_bytes(), &[0x38]].concat();
        let cell = if number % 3 == 0 { Cell::tombstone(T, NOW_S) } else { Cell::live(T, b"v") };
        (form, fragment(Some(&raw_int(*number)), Liveness::NONE, DeletionTime::LIVE, &[(1, cell)]))
    };
    let statics = fragment(None, Liveness::NONE, DeletionTime::LIVE, &[(4, Cell::live(T, b"shared"))]);
    let mut table = Table { prelude: entry(STATIC, &statics), rows: clusterings.iter().map(row).collect() };
    table.rows.sort();
    table.rows.dedup();
    table
}

/// `SELECT c, s` of a selection in a partition, with static content where it has no rows.
fn recipe(selection: Vec<u8>, binds: u16, reversed: bool) -> RecipeBytes {
    RecipeBytes {
        binds,
        selection,
        flags: 6 | u8::from(reversed),
        columns: vec![clustering(0), static_column(4, &[0])],
        statics: vec![4],
        ..RecipeBytes::default()
    }
}

fn limit(rows: Option<u32>) -> Vec<u8> {
    rows.map_or(vec![0], |rows| [&[1][..], &rows.to_be_bytes()].concat())
}

/// All rows of a partition.
fn whole(reversed: bool) -> RecipeBytes {
    recipe(slices(&[(bottom(), top())]), 1, reversed)
}

/// The clusterings on a page.
type Rows = Vec<Option<i32>>;

/// The clusterings on one page (none: the static row alone), and the state for the next.
fn page(table: &Table, recipe: &RecipeBytes, execute: &ExecuteBytes) -> Result<(Rows, Option<Vec<u8>>), Reason> {
    let (mut response, _) = table.execute(&recipe.recipe(), execute)?;
    let has_more = response[7] & 2 != 0;
    let state = has_more.then(|| {
        let length = usize::try_from(u32::from_be_bytes(response[12..16].try_into().unwrap())).unwrap();
        response.drain(12..16 + length).skip(4).collect()
    });
    let clustering = |row: Vec<Returned>| {
        assert_eq!(row[1].as_deref(), Some(&b"shared"[..]));
        row[0].as_deref().map(|value| i32::from_be_bytes(value.try_into().unwrap()))
    };
    Ok((returned(&response, 2).into_iter().map(clustering).collect(), state))
}

fn request(version: u8, values: &[i32], page_size: Option<u32>, state: Option<&[u8]>) -> ExecuteBytes {
    let values: Vec<_> = values.iter().map(|value| value.to_be_bytes()).collect();
    let values: Vec<_> = values.iter().map(|value| &value[..]).collect();
    let mut execute = ExecuteBytes::new(version, &values).with(2, &[]);
    if let Some(rows) = page_size {
        execute = execute.with(4, &rows.to_be_bytes());
    }
    match state {
        Some(state) => execute.with(8, &counted(state)),
        None => execute,
    }
}

/// All pages of a read, one after the other, each with its clusterings.
fn pages(table: &Table, recipe: &RecipeBytes, values: &[i32], page_size: u32) -> Result<Vec<Rows>, Reason> {
    let (mut all, mut state) = (Vec::new(), None);
    loop {
        let (rows, next) = page(table, recipe, &request(4, values, Some(page_size), state.as_deref()))?;
        all.push(rows);
        match next {
            Some(next) => state = Some(next),
            None => return Ok(all),
        }
    }
}

#[test]
fn a_page_that_is_full_has_another_one_behind_it() {
    let some = |numbers: &[i32]| numbers.iter().copied().map(Some).collect::<Vec<_>>();
    let table = table(&[1, 2, 3, 4, 5]);
    let of = |page_size| pages(&table, &whole(false), &[7], page_size).unwrap();
    assert_eq!(of(5), [some(&[1, 2, 4, 5])]);
    assert_eq!(of(4), [some(&[1, 2, 4, 5]), vec![]]);
    assert_eq!(of(3), [some(&[1, 2, 4]), some(&[5])]);
    assert_eq!(of(2), [some(&[1, 2]), some(&[4, 5]), vec![]]);
    let backwards = pages(&table, &whole(true), &[7], 3).unwrap();
    assert_eq!(backwards, [some(&[5, 4, 2]), some(&[1])]);
}

#[test]
fn limits_end_the_pages_without_an_empty_one() {
    let some = |numbers: &[i32]| numbers.iter().copied().map(Some).collect::<Vec<_>>();
    let table = table(&[1, 2, 4, 5, 7, 8]);
    for (rows, in_partition) in [(Some(4), None), (None, Some(4)), (Some(4), Some(5)), (Some(9), Some(4))] {
        let recipe = RecipeBytes { limit: limit(rows), partition_limit: limit(in_partition), ..whole(false) };
        assert_eq!(pages(&table, &recipe, &[7], 2).unwrap(), [some(&[1, 2]), some(&[4, 5])]);
        assert_eq!(pages(&table, &recipe, &[7], 3).unwrap(), [some(&[1, 2, 4]), some(&[5])]);
        assert_eq!(pages(&table, &recipe, &[7], 100).unwrap(), [some(&[1, 2, 4, 5])]);
        assert_eq!(page(&table, &recipe, &request(4, &[7], None, None)).unwrap().0, some(&[1, 2, 4, 5]));
    }
}

#[test]
fn static_content_is_alone_on_a_first_page_only() {
    let one = |page_size| pages(&table(&[3]), &whole(false), &[7], page_size).unwrap();
    assert_eq!(one(1), [[None]]);
    assert_eq!(one(2), [[None]]);
    // Behind a full page nothing is left but the static row, which came with the rows.
    assert_eq!(pages(&table(&[1, 3]), &whole(false), &[7], 1).unwrap(), [vec![Some(1)], vec![]]);
}

#[test]
fn a_row_by_its_key_is_a_page_too() {
    let recipe = recipe(rows(&[vec![bind(1, INT)]]), 2, false);
    assert_eq!(pages(&table(&[1, 2]), &recipe, &[7, 2], 2).unwrap(), [[Some(2)]]);
    assert_eq!(pages(&table(&[1, 2]), &recipe, &[7, 2], 1).unwrap(), [vec![Some(2)], vec![]]);
    let limited = RecipeBytes { limit: limit(Some(1)), ..recipe };
    assert_eq!(pages(&table(&[1, 2]), &limited, &[7, 2], 1).unwrap(), [[Some(2)]]);
}

#[test]
fn rows_of_a_table_without_clustering_columns_never_have_more_pages() {
    let recipe = RecipeBytes {
        clustering: vec![],
        columns: vec![regular(1, &[0]), regular(1, &[0])],
        statics: vec![],
        ..recipe(rows(&[vec![]]), 1, false)
    };
    let row = fragment(None, Liveness::NONE, DeletionTime::LIVE, &[(1, Cell::live(T, b"v"))]);
    let table = Table { rows: vec![(vec![0x38], row)], ..Table::default() };
    let (response, _) = table.execute(&recipe.recipe(), &request(4, &[7], Some(1), None)).unwrap();
    assert_eq!(response[4..8], 5u32.to_be_bytes());
}

#[test]
fn version_3_has_its_own_states() {
    let table = table(&[1, 2]);
    assert!(page(&table, &whole(false), &request(3, &[7], Some(3), None)).is_ok());
    assert_eq!(page(&table, &whole(false), &request(3, &[7], Some(2), None)), Err(Reason::MorePages));
    let state = page(&table, &whole(false), &request(5, &[7], Some(1), None)).unwrap().1.unwrap();
    assert!(page(&table, &whole(false), &request(5, &[7], Some(1), Some(&state))).is_ok());
    assert_eq!(page(&table, &whole(false), &request(3, &[7], Some(1), Some(&state))), Err(Reason::PagingState));
}

#[test]
fn states_that_do_not_fit_the_request_are_forwarded() {
    let table = table(&[1, 2, 4]);
    let limited = RecipeBytes { limit: limit(Some(10)), partition_limit: limit(Some(5)), ..whole(false) };
    let state = |rows: u8, in_partition: u8| [&[0, 6, 0, 4, 0, 0, 0, 1][..], &[rows, in_partition]].concat();
    let next = |page_size, state: &[u8]| page(&table, &limited, &request(4, &[7], page_size, Some(state)));
    assert_eq!(next(Some(2), &state(9, 4)).unwrap().0, [Some(2), Some(4)]);
    for (page_size, state) in [
        (None, state(9, 4)),
        (Some(10), state(9, 4)),
        (Some(2), state(11, 4)),
        (Some(2), state(9, 6)),
        (Some(2), state(0, 4)),
        (Some(2), state(9, 0)),
        (Some(2), vec![]),
    ] {
        assert_eq!(next(page_size, &state), Err(Reason::PagingState));
    }
    let three_bytes = [0, 5, 0, 3, 0, 0, 1, 9, 4];
    assert_eq!(next(Some(2), &three_bytes), Err(Reason::InvalidValue));
}

#[test]
fn what_is_behind_a_full_page_need_not_be_read() {
    let table = table(&[1, 2, 4, 5]);
    let recipe = RecipeBytes { limit: limit(Some(2)), ..whole(false) }.recipe();
    let body = request(4, &[7], None, None).encode();
    let execute = crate::statement::execute::Execute::parse(4, &body).unwrap();
    let mut read_request = Vec::new();
    recipe.read_request(&execute, &mut read_request).unwrap();
    let (entries, _) = table.read(&read_request);
    let rows = |count: usize| {
        let entries = entries[..count].concat();
        let answer = crate::statement::response::Answer { entries: &entries, is_complete: false };
        recipe.rows(&execute, answer, NOW_S, 10, &mut Vec::new()).map(|served| served.rows)
    };
    assert_eq!(rows(3), Ok(2));
    assert_eq!(rows(2), Err(Reason::Unfinished));
}

proptest! {
    #[test]
    fn pages_have_what_one_read_has(
        clusterings in prop::collection::vec(-20..20i32, 0..30),
        ends in (-20..20i32, -20..20i32, 0..2u8, 2..4u8),
        points in prop::option::of(prop::collection::vec(-20..20i32, 3)),
        limits in (prop::option::of(1..30u32), prop::option::of(1..30u32)),
        page_size in 1..12u32,
        reversed in any::<bool>(),
    ) {
        let table = table(&clusterings);
        let bound = |kind, index| [&[kind, 0, 1][..], &bind(index, INT)].concat();
        let (selection, values) = match &points {
            Some(points) => {
                let selection = rows(&[vec![bind(1, INT)], vec![bind(2, INT)], vec![bind(3, INT)]]);
                (selection, [&[7], &points[..]].concat())
            }
            None => (slices(&[(bound(ends.2, 1), bound(ends.3, 2))]), vec![7, ends.0, ends.1, 0]),
        };
        let is_selected = |number: i32| match &points {
            Some(points) => points.contains(&number),
            None => {
                let is_behind = if ends.2 == 0 { number >= ends.0 } else { number > ends.0 };
                let is_before = if ends.3 == 2 { number <= ends.1 } else { number < ends.1 };
                is_behind && is_before
            }
        };
        let mut expected: Vec<i32> = clusterings.iter().copied().filter(|&n| n % 3 != 0 && is_selected(n)).collect();
        expected.sort();
        expected.dedup();
        if reversed {
            expected.reverse();
        }
        let rows_max = limits.0.unwrap_or(u32::MAX).min(limits.1.unwrap_or(u32::MAX));
        expected.truncate(rows_max as usize);
        let recipe = RecipeBytes {
            limit: limit(limits.0),
            partition_limit: limit(limits.1),
            flags: 2 | u8::from(reversed),
            ..recipe(selection, 4, reversed)
        };
        let is_empty = points.is_none() && (ends.0 > ends.1 || (ends.0 == ends.1 && (ends.2, ends.3) != (0, 2)));
        match pages(&table, &recipe, &values, page_size) {
            Err(reason) => prop_assert!(is_empty && reason == Reason::Selection),
            Ok(pages) => {
                prop_assert!(!is_empty);
                let full = pages.len() - 1;
                prop_assert!(pages.iter().take(full).all(|page| page.len() == page_size as usize));
                let all: Vec<i32> = pages.concat().into_iter().map(Option::unwrap).collect();
                prop_assert_eq!(&all, &expected);
                // An empty page comes only where Cassandra cannot know that the one before was the last.
                let limit = limits.0.unwrap_or(u32::MAX);
                let ends_by_limit = expected.len() == rows_max as usize || page_size >= limit;
                prop_assert!(!ends_by_limit || expected.is_empty() || !pages[full].is_empty());
            }
        }
    }
}
