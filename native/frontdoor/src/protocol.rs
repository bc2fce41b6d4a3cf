// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The native protocol, versions 3 to 5, as far as the door has to know it: where one request ends and the next begins.
//! The source is Cassandra's `doc/native_protocol_v3.spec` to `v5.spec`.

mod crc24;
mod envelope;
mod frame;
mod requests;

pub(crate) use requests::{Requests, REQUESTS};
