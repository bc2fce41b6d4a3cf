// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Why this node ends a connection of another one's door.

/// Lists the reasons once, with their names in reports.
macro_rules! partings {
    ($($(#[$doc:meta])* $parting:ident = $name:literal,)*) => {
        /// Why a connection between doors is refused, or ended. Whoever has it may come again.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Parting {
            $($(#[$doc])* $parting,)*
        }

        impl Parting {
            /// All reasons, in the order of their numbers.
            pub(crate) const ALL: &'static [Parting] = &[$(Parting::$parting,)*];

            /// The name in reports.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Parting::$parting => $name,)*
                }
            }
        }
    };
}

partings! {
    /// No member has its address.
    Address = "address",
    /// It has not proved that it is a member: another key than gossip has, another host id, or no TLS 1.3.
    Key = "key",
    /// It has not said in time who it is.
    Silent = "silent",
    /// Others from its address, or from anywhere, are as many as may be.
    TooMany = "too_many",
    /// It has said what no peer says.
    Malformed = "malformed",
    /// It does not read its answers.
    Unread = "unread",
    /// It is no member any more, or doors ask each other nothing any more.
    Departed = "departed",
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_reason_has_a_name_of_its_own() {
        let names: HashSet<_> = Parting::ALL.iter().map(|parting| parting.name()).collect();
        assert_eq!(names.len(), Parting::ALL.len());
    }
}
