// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! TLS of clients, as Cassandra's own would speak it: the door takes only those with whom it would agree on the same.
//!
//! | Modules | What they know |
//! |---|---|
//! | `suites` | cipher suites, and their names |
//! | `hello` | what a client offers, while its bytes are still in the socket |
//! | `terms` | the node's key, and what Cassandra would agree on with a client |
//! | `ends` | what is seen of a socket while TLS reads and writes it |
//! | `stream` | the bytes of a client after its handshake |
//! | `handshake` | the way there |

pub(crate) mod ends;
pub(crate) mod handshake;
pub(crate) mod hello;
pub(crate) mod stream;
pub(crate) mod suites;
pub(crate) mod terms;

#[cfg(test)]
pub(crate) mod tests;
