// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads an answer page by page.

use std::future::Future;
use std::ops::ControlFlow;

use anyhow::{Error, Result};
use scylla::response::{PagingState, PagingStateResponse};

use crate::load::Answer;

/// Asks for all pages of an answer and adds up what `see` makes of each. The error of a later page carries what was wrong with
/// those before it.
pub async fn all<P, F, E>(
    ask: impl Fn(PagingState) -> F,
    mut see: impl FnMut(P, &mut Answer) -> Result<()>,
) -> Result<Answer>
where
    F: Future<Output = Result<(P, PagingStateResponse), E>>,
    E: Into<Error>,
{
    let mut answer = Answer::default();
    let mut next = PagingState::start();
    loop {
        let (page, more) = match ask(next).await {
            Ok(answered) => answered,
            Err(error) => return Err(answer.followed_by(error.into())),
        };
        if let Err(error) = see(page, &mut answer) {
            return Err(answer.followed_by(error));
        }
        match more.into_paging_control_flow() {
            ControlFlow::Break(()) => return Ok(answer),
            ControlFlow::Continue(state) => next = state,
        }
    }
}
