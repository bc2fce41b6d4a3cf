// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The threads of the door, and how they tell each other what to do.
//!
//! | Modules | What they know |
//! |---|---|
//! | `priority` `waiting` | how a thread runs, waits for events, and ends |
//! | `event_loop` | a loop, as other threads see it |
//! | `lanes` `pool` | threads that wait for a device |
//! | `held` `held_write` `links` `inquiry` `ground` `guests` `loop_peers` | answers and writes that wait for other replicas, and the doors of these |
//! | `seat` `loop_answerer` `loop_thread` | threads that answer from memory |
//! | `reception` | the way of a client to a loop |
//! | `handshaker` | threads that agree with clients on TLS |
//! | `acceptor` | the thread that accepts, and hands clients to all these |

pub(crate) mod acceptor;
pub(crate) mod event_loop;
pub(crate) mod ground;
pub(crate) mod guests;
pub(crate) mod handshaker;
pub(crate) mod held;
pub(crate) mod held_write;
pub(crate) mod inquiry;
pub(crate) mod lanes;
pub(crate) mod links;
pub(crate) mod loop_answerer;
pub(crate) mod loop_peers;
pub(crate) mod loop_thread;
pub(crate) mod pool;
pub(crate) mod priority;
pub(crate) mod reception;
pub(crate) mod seat;
pub(crate) mod waiting;
