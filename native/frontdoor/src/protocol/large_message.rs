// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! An envelope over several frames.

use super::frame::FrameHeader;

/// Counts what is still to come of an envelope that fills several frames.
#[derive(Debug, Default)]
pub(super) struct LargeMessage {
    missing_bytes: usize,
}

impl LargeMessage {
    /// Whether the next frame begins something new.
    pub(super) fn is_over(&self) -> bool {
        self.missing_bytes == 0
    }

    /// Begins with the frame that has the envelope's header.
    pub(super) fn begin(&mut self, envelope_bytes: usize, first: &FrameHeader) {
        self.missing_bytes = envelope_bytes.saturating_sub(first.envelope_bytes());
    }

    pub(super) fn go_on(&mut self, next: &FrameHeader) {
        self.missing_bytes = self.missing_bytes.saturating_sub(next.envelope_bytes());
    }
}
