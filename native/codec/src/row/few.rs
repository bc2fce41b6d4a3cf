// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Lists that are short, so that no memory is allocated for them.

use smallvec::SmallVec;

/// Most merges are of a stored row and a few updates.
pub(crate) type Few<T> = SmallVec<[T; 4]>;
