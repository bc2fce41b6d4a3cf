// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads that the door answers: EXECUTE as it comes, the plan of the statement, and the rows that the engine has.
//!
//! A [`Plan`] tells which values of an [`Execute`] name the partition and the rows, and which columns the client wants.
//! [`Plan::read_request`] makes the engine's request of both, [`Plan::rows`] the client's response of the engine's answer.
//! Whatever is not certain is a [`Reason`](crate::reason::Reason) to forward the request.
//!
//! Plans are described in `docs/internals/boundary.md`.

mod bytes;
mod decimal;
mod entries;
mod execute;
mod key_type;
mod metadata;
mod paging;
mod partition;
mod places;
mod plan;
mod request;
mod response;
mod row;
mod row_size;
mod value;
mod values;

pub(crate) use execute::{Execute, Id};
pub use plan::{Plan, PlanError};
pub(crate) use response::{Answer, Served};

#[cfg(test)]
mod tests;
