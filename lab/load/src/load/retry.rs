// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Decides which failures are retried, and after what pause.

use std::time::Duration;

use rand::Rng;
use scylla::errors::{DbError, ExecutionError, RequestAttemptError};

use crate::load::spec::Retries;

impl Retries {
    /// The pause before repeat number `repeat` (from 0): doubled each time, then varied by up to half.
    pub(super) fn pause(&self, repeat: u32) -> Duration {
        let doubled = self.first_pause.saturating_mul(2_u32.saturating_pow(repeat)).min(self.longest_pause);
        doubled.mul_f64(rand::rng().random_range(0.5..1.5))
    }
}

/// Whether the cluster may answer well next time: overload, timeouts, lost connections; not a statement that it refuses.
pub(super) fn is_passing(error: &anyhow::Error) -> bool {
    match error.chain().find_map(|cause| cause.downcast_ref::<ExecutionError>()) {
        Some(ExecutionError::LastAttemptError(attempt)) => is_passing_attempt(attempt),
        Some(error) => matches!(
            error,
            ExecutionError::ConnectionPoolError(_) | ExecutionError::RequestTimeout(_) | ExecutionError::EmptyPlan
        ),
        None => error.chain().find_map(|cause| cause.downcast_ref()).is_some_and(is_passing_attempt),
    }
}

fn is_passing_attempt(error: &RequestAttemptError) -> bool {
    match error {
        RequestAttemptError::DbError(error, _) => matches!(
            error,
            DbError::Unavailable { .. }
                | DbError::Overloaded
                | DbError::IsBootstrapping
                | DbError::TruncateError
                | DbError::ReadTimeout { .. }
                | DbError::WriteTimeout { .. }
                | DbError::ReadFailure { .. }
                | DbError::WriteFailure { .. }
                | DbError::ServerError
                | DbError::RateLimitReached { .. }
        ),
        RequestAttemptError::UnableToAllocStreamId | RequestAttemptError::BrokenConnectionError(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_vary() {
        let retries = Retries::default();
        for (repeat, middle_ms) in [(0, 10), (1, 20), (3, 80), (20, 1000), (u32::MAX, 1000)] {
            let pauses: Vec<Duration> = (0..50).map(|_| retries.pause(repeat)).collect();
            let middle = Duration::from_millis(middle_ms);
            // Rounded to nanoseconds, the end itself can come.
            assert!(pauses.iter().all(|pause| (middle / 2..=middle * 3 / 2).contains(pause)), "{pauses:?}");
            assert!(pauses.iter().any(|pause| *pause != pauses[0]));
        }
    }

    #[test]
    fn lost_connections_and_timeouts_pass_and_bad_statements_do_not() {
        let of = |error: DbError| anyhow::Error::new(RequestAttemptError::DbError(error, String::new()));
        assert!(is_passing(&of(DbError::Overloaded).context("insert")));
        assert!(is_passing(&ExecutionError::EmptyPlan.into()));
        assert!(!is_passing(&of(DbError::SyntaxError)));
        assert!(!is_passing(&anyhow::anyhow!("row 3 cannot be made")));
    }
}
