// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Histograms as text, which other tools read and which can be merged: HdrHistogram's V2 format, compressed, in base64.

use anyhow::{anyhow, Context, Result};
use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

use crate::load::Latencies;

/// A histogram as one word.
pub fn encoded(histogram: &Latencies) -> Result<String> {
    let mut bytes = Vec::new();
    let written = V2DeflateSerializer::new().serialize(histogram, &mut bytes);
    written.map_err(|error| anyhow!("a histogram cannot be written: {error:?}"))?;
    Ok(STANDARD.encode(bytes))
}

/// The histogram of such a word. It resizes, so that any other can be added to it.
pub fn decoded(word: &str) -> Result<Latencies> {
    let bytes = STANDARD.decode(word).context("a histogram is no base64")?;
    let read = Deserializer::new().deserialize(&mut bytes.as_slice());
    let mut histogram: Latencies = read.map_err(|error| anyhow!("a histogram cannot be read: {error:?}"))?;
    histogram.auto(true);
    Ok(histogram)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lab_testkit::spoilt::spoilt;
    use proptest::prelude::*;

    fn histogram(values: &[u64]) -> Latencies {
        let mut histogram = Latencies::new_with_bounds(1, 3_600_000_000_000, 3).unwrap();
        values.iter().for_each(|value| histogram.record(*value).unwrap());
        histogram
    }

    #[test]
    fn what_was_written_is_read_and_can_be_merged() {
        let (one, two) = (histogram(&[1000, 5_000_000]), histogram(&[7_000_000_000]));
        let mut merged = decoded(&encoded(&one).unwrap()).unwrap();
        assert_eq!(merged, one);
        merged.add(decoded(&encoded(&two).unwrap()).unwrap()).unwrap();
        assert_eq!((merged.len(), merged.max()), (3, two.max()));
    }

    proptest! {
        #[test]
        fn arbitrary_words_never_panic(word in spoilt(vec![encoded(&histogram(&[1, 2_000_000])).unwrap().into_bytes()])) {
            let _ = decoded(&String::from_utf8_lossy(&word));
        }
    }
}
