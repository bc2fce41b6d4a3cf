// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a plan has found: the [`answer`], how capacity grows with nodes ([`scaling`]), the [`report`] as text, JSON and CSV,
//! and one [`page`] of it all.

pub mod answer;
pub(crate) mod overview;
pub mod page;
pub mod report;
pub mod scaling;
pub(crate) mod sentence;
pub(crate) mod summary;
