// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The front door: native threads own the sockets of CQL clients, so that no garbage collection holds a client up.
//!
//! A [`Door`] listens in Cassandra's place. Each client that it accepts gets one end of a pair of Unix sockets as its way
//! to Cassandra; whoever owns the door takes the other end from [`Door::take`] and gives it to Cassandra's transport.
//! Bytes that the door does not answer pass between the two sockets unchanged.
//!
//! A connection of which it answers nearly nothing it offers back: [`Door::hand_over`] gives the client's own socket, and
//! [`Door::take_back`] takes it again, to try anew.
//!
//! Of the EXECUTEs of prepared statements it answers those that it may, as Cassandra would: from a recipe of the
//! statement and the rows of the engine.
//!
//! The modules in layers, from low to high. A module may use those before it in this table, and no other; the same holds
//! within a folder, where its head has such a table. `tests/layers.rs` holds them to it.
//!
//! | Modules | What they know |
//! |---|---|
//! | `client` `notices` | what the owner of the door learns |
//! | `reason` `refusal` `parting` | why a request is not answered here, why another node's is not, and why its connection ends |
//! | `tls` | TLS of clients |
//! | `protocol` | where requests and responses begin and end |
//! | `statement` | EXECUTE, recipes, values, rows: bytes to bytes |
//! | `rights` | what may be answered now |
//! | `counters` `served` | what the door has done, for reports and for Cassandra's metrics |
//! | `answering` `writing` | from a request to its answer, or to the engine, through all gates |
//! | `request` `session` | both directions of a connection, without its sockets |
//! | `sockets` | how clients come, are served, and leave the door |
//! | `peer` | doors of other nodes: what they are asked, and ask |
//! | `threads` | who accepts, who answers from memory, and who waits for a device |
//! | `door` | all of it, for its owner |
//!
//! No thread of this crate enters the JVM, and nothing here knows what a JVM is.

mod answering;
mod client;
mod counters;
mod door;
mod notices;
mod parting;
mod peer;
mod protocol;
mod reason;
mod refusal;
mod request;
mod rights;
mod served;
mod session;
mod sockets;
mod statement;
mod threads;
mod tls;
mod writing;

pub use answering::digest_of_table;
pub use client::{Client, ListenerId, Secured, Way};
pub use counters::Counters;
pub use door::{Door, DoorOptions};
pub use notices::{Missed, Notice};
pub use peer::cluster::QuorumReads;
pub use protocol::Negotiated;
pub use rights::table_reader::{Entries, Reach, TableReader, Unread};
pub use rights::table_writer::{TableWriter, Unwritten};
pub use sockets::hand_over::HandedOver;
pub use statement::{Modification, RecipeError};
pub use threads::acceptor::{ListenOptions, Tls};
