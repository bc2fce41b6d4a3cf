// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Maps of YAML read strictly: keys in any case, unknown ones refused where they stand.

use std::fmt;
use std::marker::PhantomData;

use anyhow::Result;
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A map whose order is kept; keys are lower-cased.
#[derive(Clone, Debug)]
pub struct Pairs<T>(pub Vec<(String, T)>);

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Pairs<T> {
    /// The value of a key.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PairsVisitor(PhantomData))
    }
}

struct PairsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PairsVisitor<T> {
    type Value = Pairs<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of names")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Pairs::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs: Vec<(String, T)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let key = key.to_lowercase();
            if pairs.iter().any(|(other, _)| *other == key) {
                return Err(A::Error::custom(format!("{key} is there twice")));
            }
            pairs.push((key, map.next_value()?));
        }
        Ok(Pairs(pairs))
    }
}

/// Reads a map of texts, gives each to `set` with its key in lower case; only `keys` are taken.
pub fn named<'de, D: Deserializer<'de>>(
    deserializer: D,
    keys: &'static [&'static str],
    set: impl FnMut(&'static str, &str) -> Result<()>,
) -> Result<(), D::Error> {
    deserializer.deserialize_any(Named { keys, set })
}

struct Named<F> {
    keys: &'static [&'static str],
    set: F,
}

impl<'de, F: FnMut(&'static str, &str) -> Result<()>> Visitor<'de> for Named<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a map of {}", self.keys.join(", "))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut seen = Vec::new();
        while let Some(index) = map.next_key_seed(OneOf(self.keys))? {
            let key = self.keys.get(index).copied().unwrap_or_default();
            map.next_value_seed(Text { key, twice: seen.contains(&index), set: &mut self.set })?;
            seen.push(index);
        }
        Ok(())
    }
}

/// One of some words, in any case: gives its index.
pub struct OneOf(pub &'static [&'static str]);

impl OneOf {
    /// Reads it.
    pub fn read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> DeserializeSeed<'de> for OneOf {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        self.read(deserializer)
    }
}

impl Visitor<'_> for OneOf {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", self.0.join(", "))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<usize, E> {
        let known = self.0.iter().position(|word| text.eq_ignore_ascii_case(word));
        known.ok_or_else(|| E::custom(format!("unknown {text:?}, expected one of {}", self.0.join(", "))))
    }
}

/// A text that `set` understands; its error gets the place of the text.
struct Text<'a, F> {
    key: &'static str,
    /// Whether its key was there before.
    twice: bool,
    set: &'a mut F,
}

impl<'de, F: FnMut(&'static str, &str) -> Result<()>> DeserializeSeed<'de> for Text<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<F: FnMut(&'static str, &str) -> Result<()>> Visitor<'_> for Text<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a text for {}", self.key)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        if self.twice {
            return Err(E::custom(format!("{} is there twice", self.key)));
        }
        (self.set)(self.key, text).map_err(|error| E::custom(format!("{}: {error:#}", self.key)))
    }
}
