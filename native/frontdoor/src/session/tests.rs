// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A session between sockets that read and write as little as they like, at any time.

#![allow(clippy::unwrap_used)]

mod buffers;
mod cassandra;
mod clear;
mod every_request;
mod frames;
mod keyspace;
mod opaque;
mod pipes;
mod scripted;
mod slow_client;
mod started;
mod turns;
mod wire;
