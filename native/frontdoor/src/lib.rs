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
//! Of the EXECUTEs of prepared statements it answers those that it may, as Cassandra would: from a plan of the
//! statement and the rows of the engine.
//!
//! Modules, each using only those above it:
//!
//! | module | what it is |
//! |---|---|
//! | `client` `notices` | what the owner of the door learns |
//! | `reason` | why a request is not answered here |
//! | `statement` | EXECUTE, plans, values, rows: bytes to bytes |
//! | `table_reader` `open_table` `prepared` `routes` | what may be answered now |
//! | `protocol` | where requests and responses begin and end |
//! | `counters` `served` | what the door has done, for reports and for Cassandra's metrics |
//! | `answering` | from a request to its answer, through all gates |
//! | `buffer` `outlet` `replies` | bytes on their way to a socket |
//! | `request` `session` | both directions of a connection, without its sockets |
//! | `native_share` `hand_over` | which connections are better off without the door, and how they leave it |
//! | `connection` | the sockets of a connection, and how it ends |
//! | `priority` `waiting` | how a thread runs, waits for events, and ends |
//! | `event_loop` `loop_thread` `pool` `loop_answerer` | threads that answer from memory, and those that wait for a device |
//! | `undecided` | clients that have not said yet whether they speak TLS |
//! | `acceptor` | the thread that accepts, and hands clients to the loops |
//! | `door` `rights` | all of it, for its owner |
//!
//! No thread of this crate enters the JVM, and nothing here knows what a JVM is.

mod acceptor;
mod answering;
mod buffer;
mod client;
mod connection;
mod counters;
mod door;
mod event_loop;
mod hand_over;
mod loop_answerer;
mod loop_thread;
mod native_share;
mod notices;
mod open_table;
mod outlet;
mod pool;
mod prepared;
mod priority;
mod protocol;
mod reason;
mod replies;
mod request;
mod rights;
mod routes;
mod served;
mod session;
mod statement;
mod table_reader;
mod undecided;
mod waiting;

pub use acceptor::{ListenOptions, ListenerId};
pub use client::{Client, Way};
pub use counters::Counters;
pub use door::{Door, DoorOptions};
pub use hand_over::HandedOver;
pub use notices::Notice;
pub use protocol::Negotiated;
pub use statement::PlanError;
pub use table_reader::{Entries, Reach, TableReader, Unread};
