// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The front door: native threads own the sockets of CQL clients, so that no garbage collection holds a client up.
//!
//! A [`Door`] listens in Cassandra's place. Each client that it accepts gets one end of a pair of Unix sockets as its way
//! to Cassandra; whoever owns the door takes the other end from [`Door::take`] and gives it to Cassandra's transport.
//! Bytes that the door does not answer pass between the two sockets unchanged.
//!
//! Modules, each using only those above it:
//!
//! | module | what it is |
//! |---|---|
//! | `client` | what the owner of the door learns of a client |
//! | `reason` | why a request goes to Cassandra after all |
//! | `statement` | reads answered here: EXECUTE, plans, values, rows |
//! | `protocol` | where one request ends and the next begins |
//! | `counters` | what the door has done, for reports |
//! | `buffer` | bytes that a socket did not take yet |
//! | `relay` | one direction of a connection |
//! | `connection` | both directions, and how a connection ends |
//! | `event_loop` | one thread with its connections |
//! | `undecided` | clients that have not said yet whether they speak TLS |
//! | `client_queue` | clients that wait for the owner of the door |
//! | `acceptor` | the thread that accepts, and hands clients to the loops |
//! | `door` | all of it, for its owner |
//!
//! No thread of this crate enters the JVM, and nothing here knows what a JVM is.

mod acceptor;
mod buffer;
mod client;
mod client_queue;
mod connection;
mod counters;
mod door;
mod event_loop;
mod protocol;
// The connections do not answer natively yet.
#[allow(dead_code)]
mod reason;
mod relay;
// The connections do not answer natively yet.
#[allow(dead_code, unused_imports)]
mod statement;
mod undecided;

pub use acceptor::{ListenOptions, ListenerId};
pub use client::{Client, Way};
pub use counters::Counters;
pub use door::{Door, DoorOptions};
