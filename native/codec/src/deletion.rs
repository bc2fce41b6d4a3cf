// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Deletion times, and when a deletion may be purged.

/// When something was deleted. The default is [`DeletionTime::LIVE`]: not deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeletionTime {
    /// Timestamp (writer's unit, microseconds by custom): data at or before it is deleted.
    pub marked_for_delete_at: i64,
    /// When the deletion was made, in seconds since the epoch; counts for purging only. `i64::MAX` when live.
    pub local_deletion_time_s: i64,
}

impl DeletionTime {
    /// Nothing is deleted.
    pub const LIVE: DeletionTime = DeletionTime { marked_for_delete_at: i64::MIN, local_deletion_time_s: i64::MAX };

    /// A deletion at `marked_for_delete_at`, made at `local_deletion_time_s`.
    pub const fn new(marked_for_delete_at: i64, local_deletion_time_s: i64) -> Self {
        DeletionTime { marked_for_delete_at, local_deletion_time_s }
    }

    /// Whether this deletes nothing at all.
    #[inline]
    pub fn is_live(&self) -> bool {
        *self == Self::LIVE
    }

    /// Whether this is the stronger of two deletions. Live is the weakest of all; equal ones do not supersede.
    #[inline]
    pub fn supersedes(&self, other: &DeletionTime) -> bool {
        self.rank() > other.rank()
    }

    /// Whether data written at `timestamp` is deleted.
    #[inline]
    pub fn deletes(&self, timestamp: i64) -> bool {
        timestamp <= self.marked_for_delete_at
    }

    /// The stronger of two deletions.
    #[inline]
    #[must_use]
    pub fn max(self, other: DeletionTime) -> DeletionTime {
        if other.supersedes(&self) {
            other
        } else {
            self
        }
    }

    /// Order by strength; a deletion marked at `i64::MIN` deletes nothing, yet ranks above live, so that merging keeps
    /// it whatever the order of the operands.
    #[inline]
    fn rank(&self) -> (i64, i64) {
        let local = if self.local_deletion_time_s == i64::MAX { i64::MIN } else { self.local_deletion_time_s };
        (self.marked_for_delete_at, local)
    }
}

impl Default for DeletionTime {
    fn default() -> Self {
        Self::LIVE
    }
}

/// What a compaction may purge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purge {
    /// The time at which cells are judged expired, seconds since the epoch.
    pub now_s: i64,
    /// Only deletions made before this may be purged, seconds since the epoch (now less gc_grace).
    pub gc_before_s: i64,
    /// The max purgeable timestamp, exclusive: only deletions with an older timestamp may be purged, as older data may
    /// exist elsewhere.
    pub max_purgeable_timestamp: i64,
}

impl Purge {
    /// Purges nothing, expires nothing.
    pub const NOTHING: Purge = Purge { now_s: i64::MIN, gc_before_s: i64::MIN, max_purgeable_timestamp: i64::MIN };

    /// Whether a deletion with this timestamp, made at this time, may be purged.
    #[inline]
    pub fn allows(&self, timestamp: i64, local_deletion_time_s: i64) -> bool {
        local_deletion_time_s < self.gc_before_s && timestamp < self.max_purgeable_timestamp
    }

    /// Whether `deletion` is one, and may be purged.
    #[inline]
    pub fn allows_deletion(&self, deletion: &DeletionTime) -> bool {
        !deletion.is_live() && self.allows(deletion.marked_for_delete_at, deletion.local_deletion_time_s)
    }
}
