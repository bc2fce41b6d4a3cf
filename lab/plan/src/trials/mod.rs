// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What loads showed: each [`trial`] and what was [`observed`] of it. [`judge`] gives verdicts on loads, [`confirm`] on rounds
//! of them, [`machine`] on the machine between them.

pub mod confirm;
pub mod figures;
pub mod judge;
pub mod machine;
pub mod observed;
pub mod trial;
