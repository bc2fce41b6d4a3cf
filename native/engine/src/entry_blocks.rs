// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Data blocks of indexes, packed: what of an entry follows from the rest of it is left out, and the rest lies in columns. The
//! format is in `docs/internals/formats.md`, *Packed entry blocks*.
//!
//! | Modules | What they know |
//! |---|---|
//! | `block` | the layout of RocksDB's data blocks |
//! | `row` | which part of a key names the row |
//! | `bits` `stream` | numbers and bytes, read and written |
//! | `pack` `unpack` | from a block to columns, and back |

mod bits;
mod block;
mod pack;
mod row;
mod stream;
#[cfg(test)]
mod tests;
mod unpack;

pub(crate) use pack::pack;
pub(crate) use unpack::unpack;

/// The first byte of a packed block.
const VERSION: u8 = 1;
/// Larger groups have a width of their own for the gaps of their keys.
const LARGE_GROUP: usize = 8;
/// Keys of up to so many bytes are numbers.
const NUMBER_BYTES: usize = 8;
