// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Doors of other nodes: how one of them is asked what it has, and answers (docs/internals/formats.md, "Peers of the front
//! door").
//!
//! | Modules | What they know |
//! |---|---|
//! | `message` `specs` `latency` | the bytes, what they refer to, and how long answers take |
//! | `members` `node_key` `cluster` | who the other nodes are, and how they prove it |
//! | `channel` | one connection: messages over TLS |
//! | `waiting` | a client's read that waits for other replicas |
//! | `copies` | writes that other replicas are to have |
//! | `link` | the way to one peer |
//! | `guest` | a peer that asks this node |

pub(crate) mod channel;
pub(crate) mod cluster;
pub(crate) mod copies;
pub(crate) mod guest;
pub(crate) mod latency;
pub(crate) mod link;
pub(crate) mod members;
pub(crate) mod message;
pub(crate) mod node_key;
pub(crate) mod specs;
pub(crate) mod waiting;
