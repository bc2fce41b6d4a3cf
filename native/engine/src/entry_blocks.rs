// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Data blocks of indexes, packed: what of an entry follows from the rest of it is left out, and the rest lies in columns. The
//! format is in `docs/internals/formats.md`, *Packed entry blocks*.
//!
//! | Modules | What they know |
//! |---|---|
//! | `bits` `stream` | numbers and bytes, read and written |
//! | `block` | the layout of RocksDB's data blocks |
//! | `row` | which part of a key names the row |
//! | `columns` | what both sides know of the columns |
//! | `unpack` `pack` | from columns to the block, and from the block to columns |

mod bits;
mod block;
mod columns;
mod pack;
mod row;
mod stream;
#[cfg(test)]
mod tests;
mod unpack;

pub(crate) use pack::pack;
pub(crate) use unpack::unpack;
