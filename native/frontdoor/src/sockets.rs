// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The sockets of clients: how they come, are served, and leave the door.
//!
//! | Modules | What they know |
//! |---|---|
//! | `undecided` | clients that have not said yet whether they speak TLS |
//! | `native_share` `hand_over` | which connections are better off without the door, and how they leave it |
//! | `client_socket` | a client's socket, with TLS or without |
//! | `newcomer` `connection` | both sockets of a connection, and how it ends |
//! | `turn` `place` | who has a connection: its loop, or Cassandra's thread |

pub(crate) mod client_socket;
pub(crate) mod connection;
pub(crate) mod hand_over;
pub(crate) mod native_share;
pub(crate) mod newcomer;
pub(crate) mod place;
pub(crate) mod turn;
pub(crate) mod undecided;
