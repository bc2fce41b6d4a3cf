// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Row fragments: reading, writing, merging and rewriting them (docs/internals/formats.md, Row fragment).
//!
//! | Modules | What they know |
//! |---|---|
//! | `liveness` `cell` `clustering` `counter` | parts of a row |
//! | `head` `reader` `writer` | a row, part by part |
//! | `survey` | what a row says as a whole |
//! | `few` `winner` `complex` `merge` | how several rows become one |
//! | `rewrite` | what purging, shadowing and other column ids leave of a row |

mod cell;
mod clustering;
mod complex;
mod counter;
mod few;
mod head;
mod liveness;
mod merge;
mod reader;
mod rewrite;
mod survey;
mod winner;
mod writer;

pub use cell::Cell;
pub use clustering::{put_raw_component, Components};
pub use counter::counter_total;
pub use head::Head;
pub use liveness::Liveness;
pub use reader::{ColumnStart, ComplexStart, PathCell, RowReader};
pub use writer::{ComplexWriter, RowWriter};

pub(crate) use clustering::validate_raw_clustering;
pub(crate) use head::{put_deletion, read_deletion, read_version_and_flags, VERSION};
pub(crate) use merge::merge;
pub(crate) use rewrite::{remap, rewrite, Rules};
pub(crate) use survey::{has_deletion, is_empty, max_timestamp, min_timestamp, outlasts, same_bytes, validate};
