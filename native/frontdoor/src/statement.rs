// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads that the door answers: EXECUTE as it comes, the recipe of the statement, and the rows that the engine has.
//!
//! A [`Recipe`] tells which values of an [`Execute`] name the partition and the rows, and which columns the client wants.
//! [`Recipe::read_request`] makes the engine's request of both, [`Recipe::rows`] the client's response of the engine's answer.
//! Whatever is not certain is a [`Reason`](crate::reason::Reason) to forward the request.
//!
//! Recipes are described in `docs/internals/boundary.md`.
//!
//! | Modules | What they know |
//! |---|---|
//! | `bytes` `le_bytes` `limits` | numbers in bytes, and what is too long |
//! | `execute` `decimal` `key_type` `value` `partition_key` | what a request brings, and what of it is in keys |
//! | `metadata` `row_size` `recipe` | one statement |
//! | `modification` | one statement that writes, and from an EXECUTE to the engine's write request |
//! | `paging` `places` `request` | from an EXECUTE to the engine's request |
//! | `entries` `judge` `values` `row` `partition` `response` | from the engine's answer to the client's response |
//! | `contents` | whether the answers of two replicas are the same |

mod bytes;
mod contents;
mod decimal;
mod entries;
mod execute;
mod judge;
mod key_type;
mod le_bytes;
mod limits;
mod metadata;
mod modification;
mod paging;
mod partition;
mod partition_key;
mod places;
mod recipe;
mod request;
mod response;
mod row;
mod row_size;
mod value;
mod values;

pub(crate) use contents::{digest, Digest, DigestKey, Digested, Layout, PeerRead, PeerSpec, ReadRequest};
pub(crate) use execute::{wall_clock_s, Execute, Id};
pub use modification::Modification;
pub(crate) use modification::{Scratch, WriteHead};
pub use recipe::{Recipe, RecipeError};
pub(crate) use response::{Answer, Served};

#[cfg(test)]
mod tests;
