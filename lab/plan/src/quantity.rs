// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Quantities of a plan file: counts, rates, times, sizes, shares and prices, each a word with its unit.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use schemars::{json_schema, JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// What YAML gives: a number or a word.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Number(serde_json::Number),
    Word(String),
}

macro_rules! quantity {
    ($(#[$about:meta])* $name:ident, $inner:ty, $read:expr, $show:expr, $example:literal) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(try_from = "Scalar", into = "String")]
        pub struct $name(pub $inner);

        impl TryFrom<Scalar> for $name {
            type Error = anyhow::Error;

            fn try_from(scalar: Scalar) -> Result<Self> {
                match scalar {
                    Scalar::Number(number) => number.to_string().parse(),
                    Scalar::Word(word) => word.parse(),
                }
            }
        }

        impl FromStr for $name {
            type Err = anyhow::Error;

            fn from_str(text: &str) -> Result<Self> {
                let read: fn(&str) -> Option<$inner> = $read;
                let value = read(text.trim()).with_context(|| format!("'{text}': {} is expected", $example))?;
                Ok(Self(value))
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.to_string()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                let show: fn(&$inner) -> String = $show;
                formatter.write_str(&show(&self.0))
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": ["string", "number"], "description": $example})
            }
        }
    };
}

quantity!(
    /// A number of things.
    Count,
    u64,
    |text| scaled(text, &[("k", 1e3), ("K", 1e3), ("m", 1e6), ("M", 1e6), ("b", 1e9), ("G", 1e9)]).map(|n| n as u64),
    ToString::to_string,
    "a number as 5000, 20k or 2M"
);
quantity!(
    /// Operations per second.
    Rate,
    f64,
    |text| scaled(text.strip_suffix("/s").unwrap_or(text), &[("k", 1e3), ("K", 1e3), ("M", 1e6)]),
    |rate| format!("{rate}/s"),
    "a rate as 50000/s"
);
quantity!(
    /// A time.
    Time,
    Duration,
    |text| time_s(text).map(Duration::from_secs_f64),
    |time| format!("{}s", time.as_secs_f64()),
    "a time as 500ms, 60s, 5m or 8h"
);
quantity!(
    /// Bytes.
    Bytes,
    u64,
    |text| scaled(text, &BYTE_UNITS).map(|bytes| bytes as u64),
    |bytes| format!("{}MiB", bytes / (1 << 20)),
    "a size as 512MiB or 2GiB"
);
quantity!(
    /// Bytes per second, in whole KiB.
    ByteRate,
    u64,
    |text| {
        let size = text.strip_suffix("/s").filter(|size| size.ends_with("iB"))?;
        scaled(size, &BYTE_UNITS).map(|bytes| bytes as u64).filter(|bytes| *bytes > 0 && bytes.is_multiple_of(1 << 10))
    },
    |rate| if rate.is_multiple_of(1 << 20) { format!("{}MiB/s", rate >> 20) } else { format!("{}KiB/s", rate >> 10) },
    "a rate as 120MiB/s"
);
quantity!(
    /// A share between 0 and 1.
    Share,
    f64,
    |text| match text.strip_suffix('%') {
        Some(percent) => scaled(percent, &[]).map(|percent| percent / 100.0),
        None => scaled(text, &[]),
    },
    |share| format!("{}%", share * 100.0),
    "a share as 10% or 0.1"
);
quantity!(
    /// Money for each hour.
    HourlyPrice,
    f64,
    |text| scaled(text.strip_suffix("/h")?, &[]),
    |price| format!("{price}/h"),
    "a price as 0.64/h"
);
quantity!(
    /// Money for each GiB and month of 730 hours.
    StoragePrice,
    f64,
    |text| scaled(text.strip_suffix("/GiB-month")?, &[]),
    |price| format!("{price}/GiB-month"),
    "a price as 0.08/GiB-month"
);

const KIB: f64 = 1024.0;
const BYTE_UNITS: [(&str, f64); 6] =
    [("KiB", KIB), ("MiB", KIB * KIB), ("GiB", KIB * KIB * KIB), ("m", KIB * KIB), ("g", KIB * KIB * KIB), ("B", 1.0)];

fn scaled(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let unit = units.iter().find(|(unit, _)| text.ends_with(unit));
    let (number, factor) = unit.map_or((text, 1.0), |(unit, factor)| (&text[..text.len() - unit.len()], *factor));
    let number: f64 = number.trim().parse().ok()?;
    let value = number * factor;
    (value.is_finite() && value >= 0.0).then_some(value)
}

fn time_s(text: &str) -> Option<f64> {
    scaled(text, &[("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)])
        .filter(|time| *time > 0.0 && *time < 1e9 && text.ends_with(char::is_alphabetic))
}

/// From the shortest to the longest length of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Scalar", into = "String")]
pub struct Lengths {
    /// A run that tells ends by then.
    pub shortest: Duration,
    /// One that does not tell goes on until then.
    pub longest: Duration,
}

impl TryFrom<Scalar> for Lengths {
    type Error = anyhow::Error;

    fn try_from(scalar: Scalar) -> Result<Self> {
        match scalar {
            Scalar::Number(number) => bail!("'{number}': times as 60s..300s are expected"),
            Scalar::Word(word) => word.parse(),
        }
    }
}

impl FromStr for Lengths {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (from, to) = text.split_once("..").unwrap_or((text, text));
        let (shortest, longest) = (from.parse::<Time>()?.0, to.parse::<Time>()?.0);
        ensure!(shortest >= Duration::from_secs(1), "'{text}': a run of 1s at least is expected");
        ensure!(shortest <= longest, "'{text}': the longest run is shorter than the shortest");
        Ok(Self { shortest, longest })
    }
}

impl From<Lengths> for String {
    fn from(lengths: Lengths) -> Self {
        format!("{}s..{}s", lengths.shortest.as_secs_f64(), lengths.longest.as_secs_f64())
    }
}

impl JsonSchema for Lengths {
    fn schema_name() -> Cow<'static, str> {
        "Lengths".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "description": "times as 60s..300s"})
    }
}

/// The warm-up of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Scalar", into = "String")]
pub enum WarmupLength {
    /// Until the servers' CPU per operation no longer falls, four minutes at most.
    Auto,
    /// The same, so long at most.
    AtMost(Duration),
}

impl TryFrom<Scalar> for WarmupLength {
    type Error = anyhow::Error;

    fn try_from(scalar: Scalar) -> Result<Self> {
        match scalar {
            Scalar::Word(word) if word == "auto" => Ok(Self::Auto),
            Scalar::Word(word) => Ok(Self::AtMost(word.parse::<Time>()?.0)),
            Scalar::Number(number) => bail!("'{number}': auto, or a time as 60s is expected"),
        }
    }
}

impl From<WarmupLength> for String {
    fn from(length: WarmupLength) -> Self {
        match length {
            WarmupLength::Auto => "auto".to_owned(),
            WarmupLength::AtMost(time) => Time(time).to_string(),
        }
    }
}

impl JsonSchema for WarmupLength {
    fn schema_name() -> Cow<'static, str> {
        "WarmupLength".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "description": "auto, or the longest time as 60s"})
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn quantities_are_words_with_units() {
        assert_eq!("2M".parse::<Count>().unwrap().0, 2_000_000);
        assert_eq!("50000/s".parse::<Rate>().unwrap().0, 50_000.0);
        assert_eq!("5m".parse::<Time>().unwrap().0, Duration::from_secs(300));
        assert_eq!("2GiB".parse::<Bytes>().unwrap().0, 2 << 30);
        assert_eq!("512m".parse::<Bytes>().unwrap().0, 512 << 20);
        assert_eq!("120MiB/s".parse::<ByteRate>().unwrap().0, 120 << 20);
        assert_eq!(
            ["1.5MiB/s", "2GiB/s"].map(|text| text.parse::<ByteRate>().unwrap().to_string()),
            ["1536KiB/s", "2048MiB/s"]
        );
        assert!(("10%".parse::<Share>().unwrap().0 - 0.1).abs() < 1e-12);
        assert_eq!("0.64/h".parse::<HourlyPrice>().unwrap().0, 0.64);
        assert_eq!("0.08/GiB-month".parse::<StoragePrice>().unwrap().0, 0.08);
        let lengths: Lengths = "60s..5m".parse().unwrap();
        assert_eq!((lengths.shortest.as_secs(), lengths.longest.as_secs()), (60, 300));
        assert_eq!(String::from(lengths), "60s..300s");
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_an_example() {
        for text in ["", "x", "-1", "1x", "NaN", "inf"] {
            let error = format!("{:#}", text.parse::<Count>().unwrap_err());
            assert!(error.contains("is expected"), "{error}");
        }
        assert!("60".parse::<Time>().is_err(), "a time without its unit");
        assert!("5m..60s".parse::<Lengths>().is_err() && "0.1s..1s".parse::<Lengths>().is_err());
        assert!("0.64".parse::<HourlyPrice>().is_err());
        for text in ["120", "120/s", "120MiB", "120MB/s", "100B/s", "0MiB/s"] {
            assert!(text.parse::<ByteRate>().is_err(), "{text}");
        }
    }
}
