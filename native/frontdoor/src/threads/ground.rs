// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the peers of a loop have in common with all others.

use std::sync::Arc;

use super::event_loop::EventLoop;
use super::pool::Pool;
use crate::counters::Tally;
use crate::notices::Notices;
use crate::peer::cluster::Cluster;
use crate::rights::routes::Routes;

/// What a loop shares with others.
#[derive(Clone)]
pub(crate) struct Ground {
    pub cluster: Arc<Cluster>,
    pub routes: Arc<Routes>,
    pub pool: Arc<Pool>,
    pub notices: Arc<Notices>,
    pub tally: Arc<Tally>,
    pub event_loop: Arc<EventLoop>,
}
