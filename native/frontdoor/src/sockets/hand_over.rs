// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The request of a connection's owner to have the client's socket instead of the pair's far end.
//!
//! The owner waits for a moment at most. Whoever comes first decides: the loop, or the owner who has waited enough. So
//! a loop that is late finds the request withdrawn, and no socket is lost between the two.

use std::os::fd::OwnedFd;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::protocol::Negotiated;

/// What the owner gets.
#[derive(Debug)]
pub struct HandedOver {
    /// The client's socket.
    pub client: OwnedFd,
    /// What [`Door::take_back`](crate::Door::take_back) wants; `None` if the door cannot serve this client again.
    pub negotiated: Option<Negotiated>,
}

/// One request, which a loop and the owner share.
#[derive(Debug)]
pub(crate) struct HandOver {
    pub connection: u64,
    /// The far end of the pair, which the owner does not use before there is an answer. Nothing where there is no
    /// descriptor left to name it by.
    pub far: Option<OwnedFd>,
    /// Whether the owner asks again soon where the loop keeps the socket now.
    pub is_repeated: bool,
    state: Mutex<State>,
    decided: Condvar,
}

#[derive(Debug)]
enum State {
    Asked,
    Withdrawn,
    /// Nothing if the loop keeps the client.
    Decided(Option<HandedOver>),
}

impl HandOver {
    pub(crate) fn new(connection: u64, far: Option<OwnedFd>, is_repeated: bool) -> Self {
        HandOver { connection, far, is_repeated, state: Mutex::new(State::Asked), decided: Condvar::new() }
    }

    /// Lets the loop decide, which must not wait for anything; does nothing if the owner waits no more.
    pub(crate) fn decide(&self, decide: impl FnOnce() -> Option<HandedOver>) {
        let mut state = self.state();
        if matches!(*state, State::Asked) {
            *state = State::Decided(decide());
            self.decided.notify_all();
        }
    }

    /// Waits for the loop's decision, and withdraws the request if there is none.
    pub(crate) fn wait(&self, timeout: Duration) -> Option<HandedOver> {
        let is_open = |state: &mut State| matches!(state, State::Asked);
        let waited = self.decided.wait_timeout_while(self.state(), timeout, is_open);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        match std::mem::replace(&mut *state, State::Withdrawn) {
            State::Decided(decided) => decided,
            State::Asked | State::Withdrawn => None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::thread;

    fn asked() -> (HandOver, OwnedFd) {
        let (far, client) = UnixStream::pair().unwrap();
        (HandOver::new(1, Some(far.into()), false), client.into())
    }

    #[test]
    fn the_owner_gets_what_the_loop_decides() {
        let (asked, client) = asked();
        let asked = Arc::new(asked);
        let decider = thread::spawn({
            let asked = Arc::clone(&asked);
            move || asked.decide(|| Some(HandedOver { client, negotiated: None }))
        });
        assert!(asked.wait(Duration::from_secs(60)).is_some());
        decider.join().unwrap();
    }

    #[test]
    fn a_loop_that_is_late_decides_nothing() {
        let (asked, _client) = asked();
        assert!(asked.wait(Duration::ZERO).is_none());
        asked.decide(|| unreachable!("the owner uses the far end again"));
    }
}
