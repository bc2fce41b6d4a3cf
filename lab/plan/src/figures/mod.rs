// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Figures of what comes after the trials: phases and soaks.

pub mod phase;
pub mod soak;
