// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What both who packs and who unpacks know of the columns.

/// The first byte of a packed block.
pub(super) const VERSION: u8 = 1;
/// Of blocks that have long rows: in version 1 their lengths have the other order of bytes, so that a reader of that one alone
/// would make other keys of them.
pub(super) const VERSION_OF_LONG: u8 = 2;
/// Of internal keys: sequence number and type.
pub(super) const TRAILER_BYTES: usize = 8;
/// Larger groups have a width of their own for the gaps of their keys.
pub(super) const LARGE_GROUP: usize = 8;
/// Keys of up to so many bytes are numbers.
pub(super) const NUMBER_BYTES: usize = 8;
/// A width of gaps lies in so many bits.
pub(super) const WIDTH_BITS: u32 = 6;

/// How entries lie in their column.
#[repr(u8)]
pub(super) enum Entries {
    Equal = 0,
    Transposed = 1,
    Counted = 2,
}
