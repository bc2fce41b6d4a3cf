// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The liveness of a row: that its primary key was written, and until when that holds.

use crate::deletion::Purge;
use crate::wire::TTL_S_MAX;

/// A row's liveness. [`Liveness::NONE`]: the primary key was never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Liveness {
    /// Write timestamp; `i64::MIN` for none.
    pub timestamp: i64,
    /// Time to live in seconds; 0 for none, `i32::MAX` for Cassandra's already expired liveness (of views).
    pub ttl_s: u32,
    /// When it expires, seconds since the epoch; `i64::MAX` for never.
    pub local_expiration_time_s: i64,
}

impl Liveness {
    /// No liveness.
    pub const NONE: Liveness = Liveness { timestamp: i64::MIN, ttl_s: 0, local_expiration_time_s: i64::MAX };
    const EXPIRED_TTL_S: u32 = TTL_S_MAX as u32;

    /// A liveness that does not expire.
    pub fn without_ttl(timestamp: i64) -> Self {
        Liveness { timestamp, ..Self::NONE }
    }

    /// Whether there is none.
    #[inline]
    pub fn is_none(&self) -> bool {
        self.timestamp == i64::MIN
    }

    /// Whether a reader at `now_s` (seconds since the epoch) finds the row alive by it.
    pub fn is_live(&self, now_s: i64) -> bool {
        match self.ttl_s {
            0 => !self.is_none(),
            Self::EXPIRED_TTL_S => false,
            _ => now_s < self.local_expiration_time_s,
        }
    }

    /// Whether this one stays of the two.
    #[inline]
    pub fn supersedes(&self, other: &Liveness) -> bool {
        if self.timestamp != other.timestamp {
            return self.timestamp > other.timestamp;
        }
        self.rank() > other.rank()
    }

    /// Of equal timestamps: expired first, then expiring, then the later expiration, then the shorter ttl.
    fn rank(&self) -> (bool, bool, i64, std::cmp::Reverse<u32>) {
        let expired = self.ttl_s == Self::EXPIRED_TTL_S;
        (expired, self.ttl_s != 0, self.local_expiration_time_s, std::cmp::Reverse(self.ttl_s))
    }

    /// This, unless it is dead at the purge's time and may be purged.
    pub(crate) fn purged(self, purge: &Purge) -> Self {
        let dead = !self.is_none() && !self.is_live(purge.now_s);
        if dead && purge.allows(self.timestamp, self.local_expiration_time_s) {
            Self::NONE
        } else {
            self
        }
    }
}
