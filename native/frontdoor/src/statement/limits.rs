// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What is too long for the door.

/// A longer answer is Cassandra's.
pub(super) const ANSWER_BYTES_MAX: usize = 1 << 20;
/// The longest partition key, and the longest value of a clustering.
pub(super) const KEY_BYTES_MAX: usize = u16::MAX as usize;
