// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use std::cell::Cell;

use anyhow::{bail, Result};
use scylla::errors::ExecutionError;
use scylla::response::{PagingState, PagingStateResponse};

use crate::load::{faults_of, runtime, Answer, Fault, FaultKind, Row};
use crate::profile::pages;

/// An answer of pages 0, 1 ... with a wrong row each; the server fails at one, another cannot be understood, or neither.
fn answer(pages: u64, fails_at: Option<u64>, unreadable: Option<u64>) -> Result<Answer> {
    let asked = Cell::new(0);
    let ask = |_: PagingState| {
        let page = asked.replace(asked.get() + 1);
        let more = match page + 1 == pages {
            true => PagingStateResponse::NoMorePages,
            false => PagingStateResponse::HasMorePages { state: PagingState::start() },
        };
        let failed = fails_at == Some(page);
        async move {
            match failed {
                true => Err(ExecutionError::EmptyPlan),
                false => Ok((page, more)),
            }
        }
    };
    let see = |page: u64, answer: &mut Answer| -> Result<()> {
        if unreadable == Some(page) {
            bail!("page {page} makes no sense");
        }
        let row = Row { partition: page, row: 0 };
        answer.faults.push(Fault { kind: FaultKind::MixedUp, row, detail: String::new() });
        Ok(())
    };
    runtime(1).unwrap().block_on(pages::all(ask, see))
}

fn wrong(answer: &Result<Answer>) -> Vec<u64> {
    faults_of(answer).iter().map(|fault| fault.row.partition).collect()
}

#[test]
fn what_is_wrong_on_a_page_is_told_also_when_a_later_one_fails() {
    assert_eq!(wrong(&answer(3, None, None)), [0, 1, 2]);
    let failed = answer(3, Some(2), None);
    assert_eq!(wrong(&failed), [0, 1]);
    let error = failed.unwrap_err();
    assert!(error.chain().any(|cause| cause.is::<ExecutionError>()), "{error:#}");
    let unreadable = answer(3, None, Some(1));
    assert_eq!(wrong(&unreadable), [0]);
    assert_eq!(format!("{:#}", unreadable.unwrap_err()), "after a part of the answer: page 1 makes no sense");
}

#[test]
fn an_answer_that_fails_at_once_is_its_error() {
    let failed = answer(1, Some(0), None);
    assert_eq!(wrong(&failed), [0; 0]);
    assert!(failed.unwrap_err().is::<ExecutionError>());
}
