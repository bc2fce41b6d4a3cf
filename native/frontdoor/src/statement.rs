// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads that the door answers: EXECUTE as it comes, the plan of the statement, and the rows that the engine has.
//!
//! A [`Plan`] tells which values of an [`Execute`] name the partition and the rows, and which columns the client wants.
//! [`Plan::read_request`] makes the engine's request of both, [`Plan::rows`] the client's response of the engine's answer.
//! Whatever is not certain is a [`Reason`](crate::reason::Reason) to forward the request.
//!
//! Plans are described in `docs/internals/boundary.md`.
//!
//! | Modules | What they know |
//! |---|---|
//! | `bytes` `limits` | numbers in bytes, and what is too long |
//! | `execute` `decimal` `key_type` `value` | what a request brings, and what of it is in keys |
//! | `metadata` `row_size` `plan` | one statement |
//! | `paging` `places` `request` | from an EXECUTE to the engine's request |
//! | `entries` `judge` `values` `row` `partition` `response` | from the engine's answer to the client's response |

mod bytes;
mod decimal;
mod entries;
mod execute;
mod judge;
mod key_type;
mod limits;
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
