// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which other replicas are asked about an answer: at first, and in place of one that says nothing of use.

use std::time::{Duration, Instant};

use smallvec::SmallVec;

use super::held::Held;
use super::links::Links;
use crate::peer::link::Link;
use crate::peer::waiting::Ticket;
use crate::reason::Reason;
use crate::rights::digest::{HostId, Quorum};

/// Links, the best first.
pub(crate) type Chosen = SmallVec<[usize; 4]>;

/// An answer, and who has been asked about it.
#[derive(Debug)]
pub(crate) struct Inquiry {
    pub held: Held,
    pub quorum: Box<Quorum>,
    /// Nobody is waited for any longer.
    pub latest: Instant,
    asked: SmallVec<[HostId; 4]>,
}

impl Inquiry {
    pub(crate) fn new(held: Held, quorum: Box<Quorum>, latest: Instant) -> Inquiry {
        Inquiry { held, quorum, latest, asked: SmallVec::new() }
    }

    /// Asks the replica of a link, within the time that is left.
    pub(crate) fn ask(&mut self, link: &mut Link, ticket: Ticket, left: Duration, now: Instant) {
        self.asked.push(link.member.host);
        let spec = (self.held.answer.prepared.number, self.held.answer.prepared.spec());
        link.ask(ticket, spec, &self.quorum.read, left, now);
    }

    /// A replica that was not asked yet, and that is likely to answer within the time that is left.
    pub(crate) fn another(&self, links: &Links, left: Duration, now: Instant) -> Option<usize> {
        let able = able(links, &self.quorum, now);
        let is_new = |at: usize| links.get(at).is_some_and(|link| !self.asked.contains(&link.member.host));
        let is_in_time = |at: usize| links.get(at).is_some_and(|link| link.latency().mean() < left);
        able.into_iter().find(|at| is_new(*at) && is_in_time(*at))
    }
}

/// As many other replicas as an answer needs.
///
/// # Errors
/// Too few can be asked now.
pub(crate) fn choose(links: &Links, quorum: &Quorum, now: Instant) -> Result<Chosen, Reason> {
    let mut able = able(links, quorum, now);
    if able.len() < quorum.needed || quorum.needed == 0 {
        return Err(Reason::Replicas);
    }
    able.truncate(quorum.needed);
    Ok(able)
}

/// Replicas that can be asked now: those first that have refused nothing of late, and whose answers take the least time.
fn able(links: &Links, quorum: &Quorum, now: Instant) -> Chosen {
    let bytes = quorum.read.len();
    let able = quorum.replicas.iter().filter_map(|host| links.of(host)).filter(|(_, link)| link.is_ready(bytes));
    let mut able: SmallVec<[_; 4]> = able.map(|(at, link)| (link.refuses(now), link.expected(now), at)).collect();
    able.sort_unstable();
    able.into_iter().map(|(.., at)| at).collect()
}
