// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Addresses at which nodes are reached from here.

use std::collections::HashMap;
use std::net::SocketAddr;

use async_trait::async_trait;
use scylla::errors::TranslationError;
use scylla::policies::address_translator::{AddressTranslator, UntranslatedPeer};

/// By the address that a node names. A node without an entry is reached where it says.
pub(super) struct Translation(pub HashMap<SocketAddr, SocketAddr>);

impl Translation {
    fn of(&self, named: SocketAddr) -> SocketAddr {
        self.0.get(&named).copied().unwrap_or(named)
    }
}

#[async_trait]
impl AddressTranslator for Translation {
    async fn translate_address(&self, peer: &UntranslatedPeer) -> Result<SocketAddr, TranslationError> {
        Ok(self.of(peer.untranslated_address()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_without_an_entry_are_reached_where_they_say() {
        let [named, reached, other] = [1, 2, 3].map(|port| SocketAddr::from(([10, 0, 0, 1], port)));
        let translation = Translation(HashMap::from([(named, reached)]));
        assert_eq!((translation.of(named), translation.of(other)), (reached, other));
    }
}
