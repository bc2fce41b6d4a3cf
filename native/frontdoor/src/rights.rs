// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What may be answered now, as the owner of the door has said.
//!
//! | Modules | What they know |
//! |---|---|
//! | `digest` `replicas` `interned` `spec_number` | what other replicas have to agree with, which these are, and how they are told of it |
//! | `ranges` | of which tokens this node is a replica, and at which levels it is enough |
//! | `table_reader` `open_table` | tables that the door may answer from |
//! | `table_writer` `written_table` | tables that it may write to |
//! | `prepared` | statements that it can answer, and how well |
//! | `sections` | writes that are in progress |
//! | `routes` | all of it at one time, and whether it still holds |

pub(crate) mod digest;
pub(crate) mod interned;
pub(crate) mod open_table;
pub(crate) mod prepared;
pub(crate) mod ranges;
pub(crate) mod replicas;
pub(crate) mod routes;
pub(crate) mod sections;
mod spec_number;
pub(crate) mod table_reader;
pub(crate) mod table_writer;
pub(crate) mod written_table;
